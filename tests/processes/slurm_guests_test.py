# ctest: cost 60
# ctest: batch system
"""Borrowed nodes of a real Slurm cluster: as many as the owner has, and they leave nothing where they ran."""
import pathlib
import unittest

from grid import lives, processes_with
from slurm_stage import NODES, SlurmTest


class Guests(SlurmTest):
    def test_one_job_of_slurm_runs_on_all_nodes_of_both_clusters(self):
        if not self.has_namespaces:
            self.skipTest("on the loopback device there is room for one borrowed node")
        output = self.folder / "hosts-of-a-job"
        output.touch()
        output.chmod(0o666)
        job = self.a.sbatch(f"--nodes={2 * NODES}", f"--wrap=srun hostname > {output}")
        self.a.until_slurm(job, "COMPLETED")
        self.assertEqual(sorted(output.read_text().split()),
                         [f"{name}{number}" for name in "ab" for number in range(1, NODES + 1)])

    def test_nothing_is_left_of_a_borrowed_node_whose_agent_is_killed(self):
        before = set(pathlib.Path("/tmp").glob("dmm-guest.*"))
        waits = self.a.sbatch(f"--nodes={NODES + 1}", "--wrap=sleep 1000")
        self.a.until_slurm(waits, "RUNNING")
        guests = processes_with("-Z\0-N\0lent1")
        self.assertTrue(guests)
        for node in self.b.leased():
            self.kill_agent(self.b, node)
        self.assertFalse(any(lives(pid) for pid in guests))
        self.assertEqual(set(pathlib.Path("/tmp").glob("dmm-guest.*")), before)
        self.a.until_slurm(waits, "PENDING")
        self.a.run("scancel", waits)


if __name__ == "__main__":
    unittest.main()
