# ctest: cost 120
# ctest: batch system
"""Each of Slurm's own processes is killed in turn while one of its nodes is lent."""
import unittest

from grid import processes_with
from slurm_faults_stage import FaultsTest
from slurm_stage import MINUTE, end, until


class Daemons(FaultsTest):
    def test_slurms_step_of_the_pilot(self):
        pilot = self.b.nodes()[self.node]["pilot"]
        here = processes_with(str(self.b.folder))  # the other cluster's pilots have the same numbers
        [step] = [pid for pid, line in here.items() if f"slurmstepd: [{pilot}.batch]" in line]
        end(step)
        self.check()

    def test_slurms_controller(self):
        end(self.b.pid_of("run/slurmctld"))
        self.b.at("b", "slurmctld")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_slurms_daemon_of_the_node(self):
        end(self.b.pid_of(f"run/slurmd-{self.node}"))
        self.b.at(self.node, "slurmd", "-N", self.node)
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_munge(self):
        munge = self.b.folder / "munge"
        end(self.b.pid_of("munge/munged"))
        until(lambda: self.is_blind(self.b), "a batch manager that can't look at Slurm", MINUTE)
        self.b.run("setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups", "munged", "--force",
                   f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/munged.pid",
                   f"--log-file={munge}/log", f"--seed-file={munge}/seed", "--origin=127.0.0.1")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)


if __name__ == "__main__":
    unittest.main()
