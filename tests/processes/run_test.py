"""`dmm run` with real processes: its summary is consistent. If Ctrl-C, kill -9 or the death of a daemon ends it early,
it says so and leaves no process, socket or lock.
"""
import json
import os
import signal
import subprocess
import unittest

from grid import BIN, SOURCE, GridTest, processes_with, until

TOPOLOGY = SOURCE / "topologies/two-sites.json"
WORKLOAD = SOURCE / "workloads/two-sites-morning.swf.gz"
KINDS = {"notify_broker", "match_claim_release", "job_data_exchange", "keep_alive", "negotiate", "dmm"}
ORIGINS = {"local", "intra_site", "intra_grid", "inter_grid"}


class Runs(GridTest):
    def setUp(self):
        super().setUp()
        self.slow = self.folder / "slow.swf"  # jobs that run until they are ended
        lines = [f"{job} 0 -1 36000 {1 + job % 4} -1 -1 4 36000 -1 1 1 1 1 1 {job % 2} -1 -1" for job in range(1, 9)]
        self.slow.write_text("\n".join(["; slow", *lines, ""]), encoding="utf-8")
        self.record = self.home / "testbeds/two-sites/processes"

    def start_slow_run(self):
        """A run with running jobs: its process, and the process ids of its daemons by name."""
        run = self.start(BIN / "dmm", "run", TOPOLOGY, "--workload", self.slow, "--run-cap", 0, "--json",
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until(lambda: self.record.exists() and self.jobs_running() == 8, "eight running jobs")
        status = self.dmm("testbed", "status", "two-sites", "--json").json
        return run, {one["daemon"]: one["pid"] for one in status["daemons"]}

    def jobs_running(self):
        done = self.dmm("queue", "--state", "running", "--site", "alpha", "--json", code=None)
        more = self.dmm("queue", "--state", "running", "--site", "beta", "--json", code=None)
        return sum(len(one.json["jobs"]) for one in (done, more) if one.code == 0)

    def expect_gone(self):
        until(lambda: not processes_with(str(self.home)), lambda: f"the end of {processes_with(str(self.home))}")

    def test_a_real_slice(self):
        out = self.folder / "output"
        done = self.dmm("run", TOPOLOGY, "--workload", WORKLOAD, "--speedup", 5000, "--jobs", 60,
                        "--output", out, "--json")
        summary = done.json
        self.assertEqual(summary, json.loads((out / "summary.json").read_text()))
        counts = {key: summary[key] for key in ("jobs_in_workload", "jobs_submitted", "jobs_finished", "jobs_failed",
                                                "jobs_lost", "jobs_unfinished", "jobs_cancelled", "nodes_not_home")}
        self.assertEqual(counts, {**dict.fromkeys(counts, 0), "jobs_in_workload": 60, "jobs_submitted": 60,
                                  "jobs_finished": 60})
        self.assertEqual((summary["ok"], summary["trouble"], summary["left_behind"]), (True, [], []))
        goodput = summary["goodput"]
        parts = [goodput[f"{origin}_processor_seconds"] for origin in ORIGINS]
        self.assertGreater(goodput["total_processor_seconds"], 0)
        self.assertAlmostEqual(sum(parts), goodput["total_processor_seconds"], 3)
        self.assertAlmostEqual(sum(goodput[origin] for origin in ORIGINS), 1, 6)
        self.assertEqual(set(summary["jobs_finished_by_origin"]), ORIGINS)
        self.assertEqual(sum(summary["jobs_finished_by_origin"].values()), 60)
        self.assertEqual(set(summary["messages"]), KINDS)
        self.assertTrue(all(count >= 0 for count in summary["messages"].values()))
        self.assertGreater(summary["messages"]["match_claim_release"], 60)
        self.assertGreaterEqual(summary["average_response_seconds"], summary["average_wait_seconds"])
        self.assertGreaterEqual(summary["average_bounded_slowdown"], 1)
        self.assertGreaterEqual(summary["longest_chain"], 1)
        self.assertLessEqual(summary["longest_chain"], 2)
        for key in ("delegations_per_job", "elapsed_seconds", "messages_per_job_median", "overhead_milliseconds"):
            self.assertGreaterEqual(summary[key], 0)
        self.assertEqual(len((out / "jobs.jsonl").read_text().splitlines()), 60)
        self.assertIn("60 of 60 jobs ended", done.err)
        self.assertNotIn("\x1b", done.err)  # no terminal, so no drawing
        self.expect_no_files()
        chain = self.dmm("chain", summary["chain_request"], "--logs", summary["logs"])
        self.assertIn("recorded the outcome", chain.out)

    def test_text(self):
        done = self.dmm("run", TOPOLOGY, "--workload", WORKLOAD, "--speedup", 20000, "--jobs", 10)
        for part in ("jobs finished", "average wait", "average response", "bounded slowdown", "goodput", "inter-grid",
                     "delegations per job", "One request that went far", "Every node is idle at its owner.",
                     "no process, socket or lock is left"):
            self.assertIn(part, done.out)

    def test_interrupted(self):
        run, _ = self.start_slow_run()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 130, (out, err))
        summary = json.loads(out)
        self.assertEqual((summary["interrupted"], summary["jobs_submitted"], summary["left_behind"]), (True, 8, []))
        self.assertEqual(processes_with(str(self.home)), {})
        self.expect_no_files()

    def test_killed(self):
        run, _ = self.start_slow_run()
        self.assertTrue([line for line in processes_with(str(self.home)).values() if "sleep" in line])
        run.kill()
        run.communicate()
        self.expect_gone()  # only the kernel told the daemons
        self.assertEqual(self.dmm("testbed", "status", "--json").json["testbeds"][0]["state"], "dead")
        self.down("two-sites")
        self.expect_no_files()

    def test_a_daemon_dies(self):
        for name in ("sitemgr beta", "jobmgr alpha/u0"):
            with self.subTest(name):
                run, daemons = self.start_slow_run()
                os.kill(daemons[name], signal.SIGKILL)
                if name.startswith("sitemgr"):  # the jobs can still end well, so it goes on and reports it at its end
                    for site in ("alpha", "beta"):
                        jobs = self.dmm("queue", "--site", site, "--json").json["jobs"]
                        self.dmm("cancel", "--grace", 0, *[job["request"] for job in jobs])
                out, err = run.communicate(timeout=120)
                self.assertEqual(run.returncode, 1, (out, err))
                summary = json.loads(out)
                self.assertFalse(summary["ok"])
                self.assertIn(f"{name} died", "\n".join(summary["trouble"]))
                self.assertEqual((summary["left_behind"], processes_with(str(self.home))), ([], {}))
                self.expect_no_files()


if __name__ == "__main__":
    unittest.main(verbosity=1)
