# ctest: cost 120
# ctest: batch system
"""A full real Slurm cluster borrows nodes of another: they join, and plain `sbatch` jobs run there."""
import contextlib
import os
import signal
import subprocess
import unittest

from slurm_stage import MINUTE, NODES, SlurmTest, until


class Borrowing(SlurmTest):
    def borrow_for(self, *words):
        """Fills a; returns a's job that runs on a borrowed node."""
        self.full = self.a.sbatch(f"--nodes={NODES}", "--exclusive", "--wrap=sleep 1000")
        self.a.until_slurm(self.full, "RUNNING")
        borrower = self.a.sbatch(*words)
        self.a.until_slurm(borrower, "RUNNING")
        return borrower

    @contextlib.contextmanager
    def stopped(self, daemon):
        """Has a daemon of a stopped meanwhile."""
        pid = self.a.pid_of(daemon)
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def have_reports_sent(self):
        """On the borrowed node, munged outlives all that an end of the node's job reaches. Whatever ends there after
        its slurmd heard of the job can still report that to Slurm.
        """
        there = ["nsenter", "--target", str(self.a.pid_of_guest("lent1")), "--mount"]
        files = [f"--{name}-file=/media/late.{name}" for name in ("pid", "log", "seed")]
        late = subprocess.Popen([*there, "munged", "--force", "--foreground", "--origin=127.0.0.1",
                                 "--key-file=/media/key", "--socket=/media/late", *files],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(late.wait)
        self.addCleanup(late.kill)
        until(lambda: subprocess.run([*there, "test", "-S", "/media/late"]).returncode == 0, "munged", MINUTE)
        subprocess.run([*there, "mv", "/media/late", "/media/munge"], check=True)

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
        borrower = self.borrow_for("--wrap=sleep 1000")
        local = self.b.sbatch(f"--nodes={NODES}", "--wrap=sleep 1")
        self.b.until_slurm(local, "RUNNING", "COMPLETING", "COMPLETED")
        self.a.until_slurm(borrower, "PENDING")
        self.a.run("scancel", self.full)
        self.a.until_slurm(borrower, "RUNNING")
        self.assertNotIn("lent", self.a.place_of(borrower))

    def test_slurm_has_a_job_again_before_it_ends_at_the_owner_though_the_batch_manager_is_away(self):
        borrower = self.borrow_for("--wrap=trap 'exit 0' TERM; sleep 1000 & wait")
        self.have_reports_sent()
        with self.stopped("batch/batchmgr"):
            self.b.sbatch(f"--nodes={NODES}", "--wrap=sleep 1")
            self.a.until_slurm(borrower, "PENDING")

    def test_a_job_runs_again_though_slurm_does_not_answer_when_its_owner_takes_the_node(self):
        """The second attempt has the same node, where Slurm still asks for the end of the first one for a while."""
        self.b.sbatch(f"--nodes={NODES - 1}", "--exclusive", "--wrap=sleep 1000")
        self.b.until_held(1)
        borrower = self.borrow_for("--wrap=trap 'exit 9' TERM; [ $SLURM_RESTART_COUNT ] && time=12; "
                                   "sleep ${time:-1000} & wait $!")
        self.have_reports_sent()
        with self.stopped("run/slurmctld"):
            local = self.b.sbatch("--nodes=1", "--exclusive", "--wrap=sleep 1")
            self.b.until_slurm(local, "COMPLETED")
            self.b.until_held(1)
        self.a.until_slurm(borrower, "PENDING")
        self.a.until_slurm(borrower, "COMPLETED", "FAILED")
        self.assertEqual(self.a.state_of(borrower), "COMPLETED")


if __name__ == "__main__":
    unittest.main()
