# ctest: cost 120
# ctest: batch system
"""Each process of DMM at a site on Slurm is killed in turn while one of its nodes is lent, and the link is cut."""
import os
import signal
import unittest

from slurm_faults_stage import FaultsTest
from slurm_stage import MINUTE, end, until


class Faults(FaultsTest):
    def test_the_node_agent(self):
        end(self.b.process("nodeagent", f"/nodes/{self.node} "))
        self.check()

    def test_the_resource_manager(self):
        end(self.b.process("resmgr", f"/nodes/{self.node}/"))
        self.check()

    def test_the_site_manager(self):
        self.kill_and_start(self.b, "sitemgr", "site")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_the_batch_manager(self):
        self.kill_and_start(self.b, "batchmgr", "batch")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_the_link_between_the_sites(self):
        """It is stopped for longer than it may be silent: a stopped site manager is cut off from all."""
        manager = self.a.pid_of("site/sitemgr")
        os.kill(manager, signal.SIGSTOP)
        self.addCleanup(os.kill, manager, signal.SIGCONT)
        until(lambda: "down" in self.b.run("dmm", "sites", code=None), lambda: self.b.run("dmm", "sites", code=None),
              MINUTE)
        os.kill(manager, signal.SIGCONT)
        self.check()


if __name__ == "__main__":
    unittest.main()
