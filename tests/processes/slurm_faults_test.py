# ctest: cost 120
# ctest: batch system
"""Each process of a site on Slurm is killed in turn while one of its nodes is lent. Nothing is left behind on either
side, nothing runs twice, and the job runs again or goes on.
"""
import os
import signal
import unittest

from grid import processes_with
from slurm_stage import MINUTE, SlurmTest, end, until

MARK = "sleep 4321"


class Faults(SlurmTest):
    def setUp(self):
        super().setUp()
        self.a.fill()
        self.job = self.a.submit("sh", "-c", f"{MARK}; true")
        self.a.until_job(self.job, "running")
        [self.node] = self.b.leased()

    def said(self):
        questions = (("dmm", "nodes"), ("dmm", "fsck", "--patience", "0"))
        return "\n".join([one.run(*words, code=None) for one in (self.a, self.b) for words in questions] +
                         [self.a.run("dmm", "why", self.job)])

    def check(self):
        """The job runs once, and all sides agree about all nodes."""
        def is_well():
            copies = [line for line in processes_with(MARK).values() if line.startswith("sh -c")]
            self.assertLessEqual(len(copies), 1, copies)
            if len(copies) != 1 or self.a.job(self.job)["state"] != "running":
                return False
            return all("no disagreement" in one.run("dmm", "fsck", "--patience", "0", code=None)
                       for one in (self.a, self.b)) and "down" not in self.b.states()
        until(is_well, self.said, 3 * MINUTE)

    def test_the_node_agent(self):
        end(self.b.process("nodeagent", f"/nodes/{self.node} "))
        self.check()

    def test_the_resource_manager(self):
        end(self.b.process("resmgr", f"/nodes/{self.node}/"))
        self.check()

    def test_slurms_step_of_the_pilot(self):
        pilot = self.b.nodes()[self.node]["pilot"]
        here = processes_with(str(self.b.folder))  # the other cluster's pilots have the same numbers
        [step] = [pid for pid, line in here.items() if f"slurmstepd: [{pilot}.batch]" in line]
        end(step)
        self.check()

    def test_the_site_manager(self):
        self.kill_and_start(self.b, "sitemgr", "site")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_the_batch_manager(self):
        self.kill_and_start(self.b, "batchmgr", "batch")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_slurms_controller(self):
        end(self.b.pid_of("run/slurmctld"))
        self.b.run("slurmctld")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_slurms_daemon_of_the_node(self):
        end(self.b.pid_of(f"run/slurmd-{self.node}"))
        self.b.run("slurmd", "-N", self.node)
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_munge(self):
        munge = self.b.folder / "munge"
        end(self.b.pid_of("munge/munged"))
        until(lambda: "can't be looked at" in self.b.run("dmm", "nodes"), lambda: self.b.run("dmm", "nodes"), MINUTE)
        self.b.run("setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups", "munged", "--force",
                   f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/munged.pid",
                   f"--log-file={munge}/log", f"--seed-file={munge}/seed", "--origin=127.0.0.1")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_the_link_between_the_sites(self):
        """For longer than it may be silent: a stopped site manager is cut off from all."""
        manager = self.a.pid_of("site/sitemgr")
        os.kill(manager, signal.SIGSTOP)
        self.addCleanup(os.kill, manager, signal.SIGCONT)
        until(lambda: "down" in self.b.run("dmm", "sites", code=None), lambda: self.b.run("dmm", "sites", code=None),
              MINUTE)
        os.kill(manager, signal.SIGCONT)
        self.check()


if __name__ == "__main__":
    unittest.main()
