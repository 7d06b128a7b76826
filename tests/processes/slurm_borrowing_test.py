# ctest: cost 120
# ctest: batch system
"""A real Slurm cluster that is full borrows nodes of another: they join its Slurm, and plain `sbatch` jobs run there.
The lines of docs/slurm.md do what the page says.
"""
import pathlib
import subprocess
import unittest

from grid import SOURCE, lives, processes_with
from slurm_stage import MINUTE, NODES, SlurmTest, until


class ThePage(SlurmTest):
    """Section 1 of docs/slurm.md as it stands."""

    def test_its_lines_do_what_it_says(self):
        page = (SOURCE / "docs/slurm.md").read_text().split("## 2.")[0]
        start, lines, borrows = [block.strip() for block in page.split("```\n")[1::2]]
        self.assertEqual(start, "scripts/setup --slurm\nscripts/slurm-testbed up")
        self.type(lines)
        until(lambda: "reclaimed by b" in self.a.run("dmm", "why", "5"), lambda: self.a.run("dmm", "why", "5"), MINUTE)
        self.assertEqual(self.a.job("5")["reruns"], 0)
        self.type(borrows)
        until(lambda: "lent1" in self.a.run("squeue"), lambda: self.a.run("squeue"), MINUTE)

    def type(self, lines):
        done = subprocess.run(["bash", "-e", "-c", lines.replace("/tmp/dmm-slurm", str(self.folder))],
                              capture_output=True, text=True, timeout=MINUTE, cwd="/")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Borrowing(SlurmTest):
    def place_of(self, cluster, number):
        return cluster.run("squeue", "--noheader", f"--jobs={number}", "--states=all", "--format=%N")

    def test_a_plain_sbatch_of_a_full_cluster_runs_on_a_borrowed_node(self):
        full = self.a.sbatch(f"--nodes={NODES}", "--exclusive", "--wrap=sleep 1000")
        self.a.until_slurm(full, "RUNNING")
        waits = self.a.sbatch("--wrap=sleep 3")
        self.a.until_slurm(waits, "RUNNING")
        self.assertEqual(self.place_of(self.a, waits), "lent1")
        [node] = self.b.leased()
        self.assertEqual(self.b.nodes()[node]["state"], "held")
        self.assertIn("lent1", self.a.run("dmm", "nodes"))
        self.a.until_slurm(waits, "COMPLETED")
        # The node goes back when it was idle for a while, and the owner has a record of it.
        until(self.guests_are_gone, self.said_of_nodes, MINUTE)
        until(lambda: not self.b.leased(), self.said_of_nodes, MINUTE)
        self.assertIn("a", self.b.run("dmm", "usage"))

    def test_full_trust_is_said(self):
        self.assertIn("a trusts b/nodes in full: root there has this cluster's key", self.a.run("dmm", "sites"))

    def test_a_job_that_is_larger_than_its_cluster_starts_when_a_borrowed_node_has_joined(self):
        large = self.a.sbatch(f"--nodes={NODES + 1}", "--wrap=srun hostname")
        self.a.until_slurm(large, "COMPLETED")
        self.assertIn("lent1", self.place_of(self.a, large))

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
        [node] = self.b.leased()
        guests = processes_with("-Z\0-N\0lent1")
        self.assertTrue(guests)
        self.kill_agent(self.b, node)
        self.assertFalse(any(lives(pid) for pid in guests))
        self.assertEqual(set(pathlib.Path("/tmp").glob("dmm-guest.*")), before)
        self.a.until_slurm(waits, "PENDING")
        self.a.run("scancel", waits)

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
        self.assertNotIn("lent", self.place_of(self.a, borrower))


if __name__ == "__main__":
    unittest.main()
