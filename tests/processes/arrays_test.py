"""Arrays of jobs, with real daemons. Each index runs once, with a file of its own, and as many run at a time as wanted,
also after the death of the job manager. Arrays are held, cancelled and depended on as a whole; scripts for Slurm find
their index.
"""
import collections
import unittest

from grid import GridTest, until

SOLO = ("--site", "solo", "--user", "u0")
MANAGER = "jobmgr solo/u0"


class Arrays(GridTest):
    """A site with 4 nodes."""

    def setUp(self):
        super().setUp()
        self.go = self.folder / "go"
        self.up(self.topology("one", {"name": "solo", "clusters": [{"name": "nodes", "nodes": 4}], "users": ["u0"]}))
        self.addCleanup(self.go.touch)

    def restart_manager(self):
        """Kills the job manager and starts it again."""
        status = self.dmm("testbed", "status", "one", "--json").json
        self.kill(self.daemon(status, MANAGER))
        self.dmm("testbed", "restart", "one", "--which", MANAGER)

    def states(self, array):
        """How many elements are in which state."""
        return {state: group["count"] for state, group in self.job(array)["elements"]["states"].items()}

    def indices(self, array, state):
        return self.job(array)["elements"]["states"].get(state, {}).get("indices", "")

    def test_each_index_runs_once_and_writes_its_own_file(self):
        done = self.dmm("submit", *SOLO, "--array", "0-30:10,7", "--output-file", self.folder / "%A-%a.txt", "--wait",
                        "--", "sh", "-c", "echo $DMM_ARRAY_INDEX of $DMM_ARRAY_COUNT; exit $DMM_ARRAY_INDEX", code=30)
        self.assertIn("solo/u0/1[0-30:10,7] failed, exit status 30: 4 of 5 elements failed: 10-30:10,7", done.out)
        for index in (0, 7, 10, 20, 30):
            self.assertEqual((self.folder / f"1-{index}.txt").read_text(), f"{index} of 5\n")
        self.assertEqual(self.dmm("output", "solo/u0/1_7").out, "7 of 5\n")
        why = self.dmm("why", "solo/u0/1").out
        self.assertIn("It is an array of 5 elements.\n  1 finished: 0\n  4 failed: 10-30:10,7\n", why)
        self.assertIn("It ended with exit status 20", self.dmm("why", "solo/u0/1_20").out)
        self.assertIn("solo/u0/1_20 (request solo/u0/4)", self.dmm("chain", "solo/u0/1_20").out)
        self.assertIn("say nothing about solo/u0/1_5", self.dmm("chain", "solo/u0/1_5", code=1).err)
        queue = self.dmm("queue", *SOLO, "--all").out
        self.assertEqual(len(queue.splitlines()), 3)  # a title, the array, a sum
        self.assertIn("1 finished, 4 failed", queue)
        self.assertIn("5 ended", queue)
        self.assertEqual(len(self.dmm("queue", *SOLO, "--all", "--elements", "--json").json["jobs"]), 6)
        for name in ("solo/u0/1_5", "solo/u0/99_1"):
            self.assertIn("there is no element", self.dmm("why", name, code=1).err)
        self.assertIn("job 1 is an array; name an element, as in 1_0", self.dmm("output", "solo/u0/1", code=1).err)

    def test_no_more_elements_run_at_a_time_than_wanted(self):
        runs = self.folder / "runs"
        runs.mkdir()
        body = (f"touch {runs}/$DMM_ARRAY_INDEX; ls {runs} | wc -l; sleep 0.05; rm {runs}/$DMM_ARRAY_INDEX")
        self.dmm("submit", *SOLO, "--array", "1-20%2", "--output-file", self.folder / "n-%a", "--wait", "--",
                 "sh", "-c", body)
        at_once = [int((self.folder / f"n-{index}").read_text()) for index in range(1, 21)]
        self.assertLessEqual(max(at_once), 2)

    def test_the_death_of_the_job_manager_loses_no_element_and_runs_none_twice(self):
        log = self.folder / "log"
        array = self.submit(*SOLO, "--array", "0-399", "--discard-output", "--", "sh", "-c",
                            f"echo $DMM_ARRAY_INDEX >> {log}")
        for least in (40, 160, 280):
            until(lambda: log.exists() and len(log.read_text().split()) >= least, f"{least} elements")
            self.restart_manager()
        self.until_state(array, "finished")
        self.assertEqual(self.states(array), {"finished": 400})
        self.assertEqual(collections.Counter(log.read_text().split()), collections.Counter(map(str, range(400))))

    def test_an_array_is_held_altered_cancelled_and_depended_on_as_a_whole(self):
        wait = ("sh", "-c", f"until [ -e {self.go} ]; do sleep 0.05; done")
        array = self.submit(*SOLO, "--array", "0-999", "--hold", "--", *wait)
        after = self.submit(*SOLO, "--dependency", f"afterany:{array.rsplit('/', 1)[1]}", "--", "true")
        self.assertIn("It is held by its user", self.dmm("why", array).out)
        self.dmm("alter", array, "--priority", "3", "--release")
        until(lambda: self.states(array).get("running") == 4, "four elements")
        self.assertEqual(self.indices(array, "running"), "0-3")
        self.assertIn("996 waiting, 4 running", self.dmm("queue", *SOLO).out)
        self.assertEqual(self.dmm("queue", *SOLO, "--json").json["totals"]["waiting"], 997)
        self.assertIn("Its turn comes when elements before it", self.dmm("why", f"{array}_900").out)
        self.assertEqual(self.dmm("cancel", f"{array}_2", f"{array}_900").out,
                         f"{array}_2: cancelled\n{array}_900: cancelled\n")
        self.dmm("hold", f"{array}_901")
        self.assertIn("It is held by its user", self.dmm("why", f"{array}_901").out)
        self.assertIn("Of those that wait, 1 are held by their user: 901.", self.dmm("why", array).out)
        until(lambda: self.states(array).get("cancelled") == 2, "two elements to be cancelled")
        self.restart_manager()
        self.assertEqual(self.indices(array, "cancelled"), "2,900")
        self.dmm("cancel", array)
        self.until_state(array, "cancelled")
        self.assertEqual(self.states(array), {"cancelled": 1000})
        self.until_state(after, "finished")
        self.until_home()

    def test_a_script_for_slurm_finds_its_index(self):
        script = self.folder / "job.sh"
        script.write_text("#!/bin/sh\n#SBATCH --array=3-4 -o slurm-%A_%a.out\n"
                          "echo $SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID\n", encoding="utf-8")
        done = self.dmm("submit", *SOLO, "--wait", script, cwd=self.folder)
        self.assertEqual(done.err, "")
        for index in (3, 4):
            self.assertEqual((self.folder / f"slurm-1_{index}.out").read_text(), f"1 {index}\n")

    def test_arrays_that_cannot_be_are_refused_before_anything_is_submitted(self):
        for text, part in (("0-9,5", "index 5 occurs twice"), ("0-x", "expected indices as in 0-99"),
                           ("0-1000000", "it has 1000001 elements; at most 1000000"), ("9-1", "9-1 is no range")):
            refused = self.dmm("submit", *SOLO, "--array", text, "--", "true", code=2)
            self.assertIn(f"--array: {part}", refused.err)
        refused = self.dmm("submit", *SOLO, "--array", "0-9", "--output-file", "out", "--", "true", code=1)
        self.assertIn("expected %a in its name, which becomes the index", refused.err)
        refused = self.dmm("submit", *SOLO, "--dependency", "afterok:1_3", "--", "true", code=1)
        self.assertIn("dependency: there is no array 1", refused.err)

    def test_a_job_waits_for_one_element_of_an_array(self):
        self.dmm("submit", *SOLO, "--array", "0-2%1", "--", "sh", "-c",
                 f"[ $DMM_ARRAY_INDEX = 0 ] || until [ -e {self.go} ]; do sleep 0.05; done")
        self.dmm("submit", *SOLO, "--dependency", "afterok:1_0", "--wait", "--", "true")
        self.dmm("submit", *SOLO, "--dependency", "afterok:1_2", "--", "true")
        self.assertIn("It waits for job 1_2 to finish.", self.dmm("why", "solo/u0/6").out)
        self.restart_manager()
        self.assertEqual(self.job("solo/u0/6")["dependencies"], [{"kind": "afterok", "job": 1, "index": 2}])
        self.go.touch()
        self.dmm("submit", *SOLO, "--dependency", "afterok:6", "--wait", "--", "true")
        refused = self.dmm("submit", *SOLO, "--dependency", "afterok:1_3", "--", "true", code=1)
        self.assertIn("dependency: array 1 has no element 3", refused.err)


if __name__ == "__main__":
    unittest.main()
