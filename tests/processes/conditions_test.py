"""Waiting jobs that aren't eligible yet, with real daemons: held, before their begin time, and after other jobs, also
after the death of their job manager; and jobs that are altered while they wait.
"""
import json
import unittest

from grid import GridTest, until

SOLO = ("--site", "solo")
MANAGER = "jobmgr solo/u0"


class Conditions(GridTest):
    """A site with one node, which orders requests by priority."""

    def setUp(self):
        super().setUp()
        self.go = self.folder / "go"
        site = {"name": "solo", "clusters": [{"name": "nodes", "nodes": 1}], "users": ["u0"],
                "settings": {"policies": {"dispatching": "priority"}}}
        self.up(self.topology("one", site))
        self.addCleanup(self.go.touch)

    def until_go(self, code=0):
        return ("sh", "-c", f"until [ -e {self.go} ]; do sleep 0.05; done; exit {code}")

    def restart_manager(self):
        """Kills the job manager and starts it again."""
        status = self.dmm("testbed", "status", "one", "--json").json
        self.kill(self.daemon(status, MANAGER))
        self.dmm("testbed", "restart", "one", "--which", MANAGER)

    def requests(self):
        """How many requests wait at the site."""
        return self.dmm("sites", "--json").json["sites"][0]["requests_waiting"]

    def why(self, job, *parts):
        text = " ".join(self.dmm("why", job).out.split())
        for part in parts:
            self.assertIn(part, text)

    def test_a_held_job_waits_until_it_is_released(self):
        job = self.submit(*SOLO, "--hold", "--", "true")
        self.why(job, "solo/u0/1 is waiting It is held by its user; `dmm release solo/u0/1` lets it go on.")
        self.assertIn("held by its user", self.dmm("queue", *SOLO).out)
        self.assertTrue(self.dmm("queue", *SOLO, "--json").json["jobs"][0]["held"])
        running = self.submit(*SOLO, "--", *self.until_go())  # it passes the held one
        self.until_state(running, "running")
        later = self.submit(*SOLO, "--", "true")
        until(lambda: self.requests() == 1, "the request of the third job")
        self.assertEqual(self.dmm("hold", "3", *SOLO).out, "3: held\n")
        until(lambda: self.requests() == 0, "the request to be taken back")
        self.restart_manager()
        self.assertEqual(self.dmm("hold", job, later).out, f"{job}: held already\n{later}: held already\n")
        refused = self.dmm("hold", running, code=1)
        self.assertIn("job 2 is running: only a job that waits can be held or altered", refused.err)
        self.go.touch()
        self.until_state(running, "finished")
        self.assertEqual({self.job(one)["state"] for one in (job, later)}, {"waiting"})
        released = self.dmm("release", job, later, "--json").json
        self.assertEqual(released["jobs"], [{"job": one, "changed": True, "reason": ""} for one in (job, later)])
        for one in (job, later):
            self.until_state(one, "finished")
        self.assertIn("job 1 has ended already", self.dmm("release", job, code=1).err)

    def test_a_job_begins_no_earlier_than_its_begin_time(self):
        soon = self.submit(*SOLO, "--begin", "now+3", "--", "true")
        late = self.submit(*SOLO, "--begin", "now+1hour", "--", "true")
        self.why(late, "It begins no earlier than ")
        self.assertIn("not before ", self.dmm("queue", *SOLO, "--state", "waiting").out)
        before = self.job(late)["begin_at"]
        self.restart_manager()
        self.assertAlmostEqual(self.job(late)["begin_at"], before, delta=0.5)
        job = self.until_state(soon, "finished")
        self.assertGreaterEqual(job["started"] - job["submitted"], 3)
        self.assertIsNone(job["begin_at"])
        self.assertEqual(self.job(late)["state"], "waiting")
        self.dmm("cancel", late)
        self.until_state(late, "cancelled")

    def test_jobs_after_other_jobs(self):
        first = self.submit(*SOLO, "--", *self.until_go())
        second = self.submit(*SOLO, "--dependency", f"afterok:{first}", "--", "false")
        third = self.submit(*SOLO, "--dependency", "afterok:1,afternotok:2", "--", "true")
        file = self.folder / "job.json"
        file.write_text(json.dumps({"command": ["true"], "dependency": "afterany:3"}), encoding="utf-8")
        fourth = self.submit(*SOLO, file)
        never = self.submit(*SOLO, "--dependency", "afterok:2", "--", "true")
        after_never = self.submit(*SOLO, "--dependency", "after:3,afterok:5", "--", "true")
        self.until_state(first, "running")
        self.why(third, "It waits for job 1 to finish, for job 2 to end without finishing.")
        self.assertIn("waits for job 3 to end", self.dmm("queue", *SOLO).out)
        self.restart_manager()
        self.assertEqual(self.job(third)["dependencies"],
                         [{"kind": "afterok", "job": 1, "index": None},
                          {"kind": "afternotok", "job": 2, "index": None}])
        self.go.touch()
        for job, state in ((first, "finished"), (second, "failed"), (third, "finished"), (fourth, "finished"),
                           (never, "cancelled"), (after_never, "cancelled")):
            self.until_state(job, state)
        self.why(never, "It never ran.", "job 2 failed, and this job was to run only after job 2 finished.")
        self.why(after_never, "job 5 was cancelled, and this job was to run only after job 5 finished.")
        times = [self.job(one) for one in (first, second, third, fourth)]
        for earlier, later in zip(times, times[1:]):
            self.assertGreaterEqual(later["started"], earlier["ended"])

        too_late = self.dmm("submit", *SOLO, "--look", 60, "--dependency", "afterok:2", "--", "true", code=1)
        self.assertIn(" was cancelled: job 2 failed, and this job was to run only after job 2 finished", too_late.err)
        unknown = self.dmm("submit", *SOLO, "--dependency", "afterok:99999", "--", "true", code=1)
        self.assertIn("dependency: job 99999 isn't known to this job manager: it was never submitted", unknown.err)
        self.assertEqual(len(self.dmm("queue", *SOLO, "--all", "--json").json["jobs"]), 7)

    def test_an_altered_priority_changes_the_order(self):
        running = self.submit(*SOLO, "--", *self.until_go())
        self.until_state(running, "running")
        first = self.submit(*SOLO, "--", "true")
        second = self.submit(*SOLO, "--", "true")
        until(lambda: self.requests() == 2, "both requests")
        self.assertEqual(self.dmm("alter", second, "--priority", 10, "--limit-wall", 50).out, f"{second}: altered\n")
        self.assertEqual(self.dmm("alter", second, "--priority", 10).out, f"{second}: so already: nothing changed\n")
        until(lambda: self.requests() == 2, "the request to be asked again")
        self.restart_manager()
        job = self.job(second)
        self.assertEqual((job["priority"], job["limit_wall_seconds"]), (10, 50))
        self.assertIn("job 1 is running", self.dmm("alter", running, "--priority", 3, code=1).err)
        until(lambda: self.requests() == 2, "both requests")
        self.go.touch()
        ends = [self.until_state(one, "finished") for one in (first, second)]
        self.assertGreaterEqual(ends[0]["started"], ends[1]["ended"])

    def test_what_makes_no_sense_is_refused(self):
        for words, part in (
                (("--begin", "soon"), "--begin: expected now+1hour, now+90 (seconds), HH:MM[:SS]"),
                (("--begin", "2001-01-01"), "is past"),
                (("--dependency", "afterok:1?after:2"), "'?' (one of them is enough) isn't known here"),
                (("--dependency", "singleton"), "the kinds are after, afterok, afternotok and afterany"),
                (("--dependency", "afterok:solo/u1/4"), "belongs to another job manager than solo/u0"),
                (("--dependency", "after:" + ":".join(["1"] * 65)), "dependency: there are 65 of them; at most 64")):
            self.assertIn(part, self.dmm("submit", *SOLO, *words, "--", "true", code=2).err)
        self.assertIn("say what to change", self.dmm("alter", "1", *SOLO, code=2).err)
        self.assertIn("there is no job 1", self.dmm("hold", "1", *SOLO, code=1).err)
        self.assertIn("is no job", self.dmm("release", "x", *SOLO, code=2).err)
        self.dmm("alter", "1", *SOLO, "--hold", "--release", code=2)
        self.assertEqual(self.dmm("queue", *SOLO, "--all", "--json").json["jobs"], [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
