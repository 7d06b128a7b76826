# ctest: cost 120
# ctest: batch system
"""Idle nodes of real Slurm clusters are lent and go back when Slurm's own users want them. A killed process leaves
nothing behind.
"""
import json
import re
import signal
import subprocess
import unittest

from grid import SOURCE
from slurm_stage import MINUTE, NODES, SlurmTest, end, until


class Lending(SlurmTest):
    def test_a_full_site_borrows_idle_nodes_of_the_other_cluster(self):
        self.a.fill()
        job = self.a.submit("sh", "-c", "echo $DMM_NODES")
        self.a.until_job(job, "finished", "failed")
        self.assertEqual(self.a.job(job)["exit"]["code"], 0)
        chain = self.a.run("dmm", "why", job)
        self.assertIn("lent by way of b > a", chain)
        # The owner has a record of the lease, and the node is free again.
        until(lambda: not self.b.leased(), "the node's return")
        self.assertIn("a", self.b.run("dmm", "usage"))

    def test_local_users_get_their_nodes_back_and_no_job_is_charged(self):
        self.a.fill()
        job = self.a.submit("sleep", "1000")
        self.a.until_job(job, "running")
        local = self.b.sbatch(f"--nodes={NODES}", "--wrap=sleep 2")
        self.b.until_slurm(local, "RUNNING", "COMPLETING", "COMPLETED")
        until(lambda: self.a.job(job)["interruptions"] == 1, lambda: self.a.job(job))
        self.assertEqual(self.a.job(job)["reruns"], 0)
        self.assertIn("reclaimed by b", self.a.run("dmm", "why", job))
        # It runs again once the nodes are idle.
        self.b.until_slurm(local, "COMPLETED")
        self.a.until_job(job, "running")
        self.assertEqual(self.b.states().count("local job"), 0)

    def test_nothing_is_left_of_an_agent_that_is_killed(self):
        self.a.fill()
        job = self.a.submit("sh", "-c", "setsid sleep 4321 & trap '' TERM; sleep 4321")
        self.a.until_job(job, "running")
        [node] = self.b.leased()
        self.kill_agent(self.b, node)
        self.b.until_held(NODES)
        self.a.until_job(job, "running", "waiting")

    def test_pilots_outlive_the_batch_manager_and_the_controller(self):
        def pilots():
            return {name: node["pilot"] for name, node in self.b.nodes().items()}
        before = pilots()
        self.kill_and_start(self.b, "batchmgr", "batch")
        until(lambda: self.b.states() == ["held"] * NODES,
              lambda: self.b.run("dmm", "nodes", code=None), MINUTE)
        self.assertEqual(pilots(), before)
        # A missing controller is a state of the batch system that people see.
        end(self.b.pid_of("run/slurmctld"), signal.SIGTERM)
        until(lambda: self.is_blind(self.b), "a batch manager that can't look at Slurm", MINUTE)
        self.b.at("b", "slurmctld")
        until(lambda: self.b.states() and not self.is_blind(self.b), "a batch system that answers", MINUTE)
        self.assertEqual(pilots(), before)

    def test_a_start_that_slurm_plans_bounds_for_how_long_nodes_are_likely_to_be_spared(self):
        later = self.b.sbatch("--nodes=1", "--begin=now+600", "--wrap=true")
        self.addCleanup(self.b.run, "scancel", later)
        likely = lambda: [node["likely_seconds"] for node in self.b.nodes().values()]  # noqa: E731
        until(lambda: likely() and None not in likely(), likely, MINUTE)
        self.assertTrue(all(500 < seconds <= 600 for seconds in likely()), likely())
        self.a.fill()
        job = self.a.submit("sleep", "1000")
        self.a.until_job(job, "running")

        def leased_for():
            leases = json.loads(self.a.run("dmm", "leases", "--json"))["sites"][0]["leases"]
            return [lease["expected_seconds_left"] for lease in leases if lease["from"] == "b"]
        lengths = until(leased_for, "the lease", MINUTE)  # several, if a was given a node too late for its own jobs
        self.assertTrue(all(400 < seconds <= 600 for seconds in lengths), lengths)

    def test_a_job_that_waits_for_slurm_is_told_slurms_reason(self):
        for cluster in (self.a, self.b):
            cluster.until_slurm(cluster.sbatch(f"--nodes={NODES}", "--exclusive", "--wrap=sleep 1000"), "RUNNING")
        local = self.b.sbatch("--exclusive", "--wrap=sleep 1000")
        job = self.b.submit("true")
        wanted = (f"Nodes of b come from slurm: {NODES} used by local jobs.",
                  f"1 local job waits there: {local} (Resources).")

        def is_told():
            said = self.b.run("dmm", "why", job)
            return all(line in said for line in wanted)
        until(is_told, lambda: self.b.run("dmm", "why", job), MINUTE)

    def test_an_mpi_program_runs_on_own_and_lent_nodes_under_accounts_that_the_owners_name(self):
        program = self.place / "ring"
        subprocess.run(["mpicc.openmpi", "-O1", "-o", program, SOURCE / "tests/processes/mpi/ring.c"], check=True)
        job = self.a.run("dmm", "submit", "--components", "4@a,4@b", "--mpi", "--", program).split("/")[-1]
        self.a.until_job(job, "finished", "failed")
        output = self.a.run("dmm", "output", job)
        self.assertIn("sum 28", output)
        self.assertIn("rank 7 of 8", output)
        said = self.a.run("dmm", "submit", "--components", "4@b", "--once", "--wait", "--",
                          "sh", "-c", "id -u; cat $DMM_NODEFILE")
        job = re.search(r"a/ann/(\d+) finished", said).group(1)
        account, *hosts = self.a.run("dmm", "output", job).splitlines()
        self.assertIn(int(account), range(70000, 70100))
        names = {line.removesuffix(" slots=2") for line in hosts}
        if self.has_namespaces:
            self.assertEqual(len(names & set(self.b.nodes())), 2, hosts)
        else:
            self.assertEqual(hosts, ["127.0.0.1 slots=4"])

    def test_a_drained_node_is_given_back_and_says_why(self):
        self.b.run("scontrol", "update", "nodename=b1", "state=drain", "reason=a loud fan")
        self.addCleanup(self.b.run, "scontrol", "update", "nodename=b1", "state=resume")
        until(lambda: self.b.nodes().get("b1", {}).get("state") == "drained",
              lambda: self.b.run("dmm", "nodes", code=None), MINUTE)
        self.assertEqual(self.b.nodes()["b1"]["why"], "a loud fan")
        self.b.until_held(NODES - 1)

    def test_a_cancelled_pilot_gives_its_node_back(self):
        self.a.fill()
        job = self.a.submit("sleep", "1000")
        self.a.until_job(job, "running")
        [node] = self.b.leased()
        self.b.run("scancel", self.b.nodes()[node]["pilot"])
        until(lambda: self.a.job(job)["interruptions"] == 1, lambda: self.a.job(job), MINUTE)
        self.assertEqual(self.a.job(job)["reruns"], 0)
        self.a.until_job(job, "running")


if __name__ == "__main__":
    unittest.main()
