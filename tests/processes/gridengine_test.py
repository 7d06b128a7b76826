# ctest: cost 60
# ctest: batch system
"""Lending with a real Grid Engine, by the four programs that drive any batch system. Skipped if Grid Engine isn't
installed.
"""
import os
import shutil
import signal
import unittest

from batch_stage import MINUTE, BedTest, SiteShell, until
from grid import processes_with


def grid_engine_is_there():
    return os.geteuid() == 0 and all(shutil.which(program) for program in ("sge_qmaster", "sge_execd", "qsub"))


@unittest.skipUnless(grid_engine_is_there(), "Grid Engine isn't installed (scripts/setup --gridengine), or not root")
class GridEngine(BedTest):
    script = "gridengine-testbed"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.alpha, cls.beta = SiteShell(cls.folder, "alpha"), SiteShell(cls.folder, "beta")

    def setUp(self):
        self.beta.until_held(1)
        [self.node] = self.beta.nodes()
        # alpha has one processor: this job has to run at beta.
        self.job = self.alpha.submit("sh", "-c", "setsid sleep 4321 & trap '' TERM; sleep 4321")
        self.alpha.until_job(self.job, "running")

    def tearDown(self):
        self.alpha.run("dmm", "cancel", "--all", "--yes")
        self.beta.run("qdel", "-u", "nobody", code=None)
        until(lambda: not self.beta.leased(), lambda: self.beta.run("dmm", "nodes", code=None), MINUTE)

    def qsub(self, command):
        """Submits a plain user's job; returns its id."""
        return self.beta.run("qsub", "-terse", "-b", "y", "-q", "main", "-wd", "/", "-o", "/dev/null",
                             "-e", "/dev/null", *command, user="nobody")

    def state_of(self, job):
        """Its state; empty once it is over."""
        lines = [line.split() for line in self.beta.run("qstat", "-u", "nobody").splitlines()]
        return next((words[4] for words in lines if words and words[0] == job), "")

    def test_local_users_get_the_node_back_and_it_is_lent_again(self):
        self.assertEqual(self.beta.leased(), [self.node])
        self.assertIn("lent by way of beta > alpha", self.alpha.run("dmm", "why", self.job))
        local = self.qsub(["sleep", "1000"])
        until(lambda: self.state_of(local) == "r", lambda: self.beta.run("qstat", "-f", "-u", "*"), MINUTE)
        # It starts only after the node was given back: nothing of alpha's job is left there.
        self.assertFalse(processes_with("sleep 4321"))
        self.assertFalse(processes_with(f"/beta/nodes/{self.node}/"))
        until(lambda: self.alpha.job(self.job)["state"] == "waiting", lambda: self.alpha.job(self.job), MINUTE)
        self.assertEqual(self.alpha.job(self.job)["reruns"], 0)
        self.assertEqual(self.alpha.job(self.job)["interruptions"], 1)
        until(lambda: self.beta.states() == ["local job"], lambda: self.beta.run("dmm", "nodes", code=None), MINUTE)
        self.beta.run("qdel", local)
        self.alpha.until_job(self.job, "running")

    def test_nothing_is_left_of_an_agent_that_is_killed(self):
        os.kill(self.beta.process("nodeagent"), signal.SIGKILL)
        until(lambda: not processes_with("sleep 4321") or self.alpha.job(self.job)["attempt"] > 1,
              lambda: processes_with("sleep 4321"), MINUTE)
        self.beta.until_held(1)

    def test_a_node_that_its_administrator_disables_is_given_back(self):
        self.beta.run("qmod", "-d", f"lend@{self.node}")
        self.addCleanup(self.beta.run, "qmod", "-e", f"lend@{self.node}")
        until(lambda: self.beta.states() == ["drained"], lambda: self.beta.run("dmm", "nodes", code=None), MINUTE)
        self.assertEqual(self.beta.nodes()[self.node]["why"], "Grid Engine says d")


if __name__ == "__main__":
    unittest.main()
