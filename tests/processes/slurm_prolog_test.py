# ctest: cost 60
# ctest: batch system
"""Real Slurm clusters lend their idle nodes without pilots: a prolog and an epilog stop and start a node's agent around
each local job.
"""
import unittest

from grid import processes_with
from slurm_stage import MINUTE, NODES, SlurmTest, until


class Prolog(SlurmTest):
    options = ("--without-pilots",)

    def free(self):
        """Nodes of b that a job could start on."""
        rows = self.b.node_rows()
        return sorted(row["resource_manager"] for row in rows if row["state"] == "free")

    def test_local_users_get_their_nodes_back_and_no_job_is_charged(self):
        self.a.fill()
        job = self.a.submit("sleep", "1000")
        self.a.until_job(job, "running")
        self.assertIn("lent by way of b > a", self.a.run("dmm", "why", job))
        local = self.b.sbatch(f"--nodes={NODES}", "--exclusive", "--wrap=sleep 2")
        self.b.until_slurm(local, "RUNNING", "COMPLETING", "COMPLETED")
        until(lambda: self.a.job(job)["interruptions"] == 1, lambda: self.a.job(job), MINUTE)
        self.assertEqual(self.a.job(job)["reruns"], 0)
        # The epilog offers the nodes again.
        self.b.until_slurm(local, "COMPLETED")
        self.a.until_job(job, "running")

    def test_a_node_is_offered_when_its_last_local_job_has_ended(self):
        long = self.b.sbatch("--nodelist=b1", "--ntasks=1", "--wrap=sleep 1000")
        self.b.until_slurm(long, "RUNNING")
        until(lambda: self.free() == ["b2", "b3", "b4"], self.free, MINUTE)
        short = self.b.sbatch("--nodelist=b1", "--ntasks=1", "--wrap=true")
        self.b.until_slurm(short, "COMPLETED")
        # The epilog of a job on another node has come and gone since.
        other = self.b.sbatch("--nodelist=b2", "--ntasks=1", "--wrap=true")
        self.b.until_slurm(other, "COMPLETED")
        until(lambda: self.free() == ["b2", "b3", "b4"], self.free, MINUTE)
        self.b.run("scancel", long)
        until(lambda: self.free() == ["b1", "b2", "b3", "b4"], self.free, MINUTE)

    def test_nothing_is_left_of_an_agent_that_is_killed(self):
        self.a.fill()
        job = self.a.submit("sh", "-c", "setsid sleep 4321 & trap '' TERM; sleep 4321")
        self.a.until_job(job, "running")
        [node] = self.b.leased()
        self.kill_agent(self.b, node)
        # The next local job there has its agent started again.
        local = self.b.sbatch(f"--nodelist={node}", "--wrap=true")
        self.b.until_slurm(local, "COMPLETED")
        self.b.until_held(NODES)

    def test_a_job_that_ignores_its_warning_is_gone_before_the_local_job_starts(self):
        self.a.fill()
        job = self.a.submit("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done; : stubborn")
        self.a.until_job(job, "running")
        [node] = self.b.leased()
        local = self.b.sbatch(f"--nodelist={node}", "--exclusive", "--wrap=sleep 1000")
        self.b.until_slurm(local, "RUNNING")
        script = lambda: self.b.run("scontrol", "show", "job", local)  # noqa: E731
        until(lambda: processes_with("slurm_script"), script, MINUTE)
        self.assertFalse(processes_with(f"/b/nodes/{node}/"))


if __name__ == "__main__":
    unittest.main()
