# ctest: cost 120
# ctest: batch system
"""A full real Slurm cluster borrows nodes of another: they join, and plain `sbatch` jobs run there."""
import unittest

from slurm_stage import MINUTE, NODES, SlurmTest, until


class Borrowing(SlurmTest):
    def test_a_plain_sbatch_of_a_full_cluster_runs_on_a_borrowed_node(self):
        full = self.a.sbatch(f"--nodes={NODES}", "--exclusive", "--wrap=sleep 1000")
        self.a.until_slurm(full, "RUNNING")
        waits = self.a.sbatch("--wrap=sleep 3")
        self.a.until_slurm(waits, "RUNNING")
        self.assertEqual(self.a.place_of(waits), "lent1")
        states = {self.b.nodes()[node]["state"] for node in self.b.leased()}
        self.assertEqual(states, {"held"})
        self.assertIn("lent1", self.a.run("dmm", "nodes"))
        self.a.until_slurm(waits, "COMPLETED")
        # The node goes back after it was idle for a while, and the owner has a record of the lease.
        until(self.guests_are_gone, self.said_of_nodes, MINUTE)
        until(lambda: not self.b.leased(), self.said_of_nodes, MINUTE)
        self.assertIn("a", self.b.run("dmm", "usage"))

    def test_full_trust_is_said(self):
        self.assertIn("a trusts b/nodes in full: root there has this cluster's key", self.a.run("dmm", "sites"))

    def test_a_job_that_is_larger_than_its_cluster_starts_when_a_borrowed_node_has_joined(self):
        large = self.a.sbatch(f"--nodes={NODES + 1}", "--wrap=srun hostname")
        self.a.until_slurm(large, "COMPLETED")
        self.assertIn("lent1", self.a.place_of(large))

    def test_an_owner_gets_a_node_back_that_has_joined_and_the_job_runs_again(self):
        full = self.a.sbatch(f"--nodes={NODES}", "--exclusive", "--wrap=sleep 1000")
        self.a.until_slurm(full, "RUNNING")
        borrower = self.a.sbatch("--wrap=sleep 1000")
        self.a.until_slurm(borrower, "RUNNING")
        local = self.b.sbatch(f"--nodes={NODES}", "--wrap=sleep 1")
        self.b.until_slurm(local, "RUNNING", "COMPLETING", "COMPLETED")
        self.a.until_slurm(borrower, "PENDING")
        self.a.run("scancel", full)
        self.a.until_slurm(borrower, "RUNNING")
        self.assertNotIn("lent", self.a.place_of(borrower))


if __name__ == "__main__":
    unittest.main()
