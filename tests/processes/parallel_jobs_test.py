"""Parallel jobs over three sites, with real daemons and real MPI: how often a program runs, that all its tasks begin
together or not at all, and how the job ends when ranks, sites or its user end it.
"""
import os
import signal
import subprocess
import unittest

from grid import GridTest, until


def site(name, processors, cluster={}, **more):
    return {"name": name, "users": ["u0"], **more,
            "clusters": [{"name": "nodes", "nodes": processors // 2, "processors_per_node": 2, **cluster}]}


class ThreeSites(GridTest):
    """Three sites with 4 nodes of 2 processors, each linked with each other."""
    ALPHA = ("--site", "alpha")
    THREE = ("--components", "4@alpha,4@beta,4@gamma")

    def three(self, **cluster):
        self.up(self.topology("three", site("alpha", 8, cluster, siblings=["beta", "gamma"]),
                              site("beta", 8, cluster, siblings=["gamma"]), site("gamma", 8, cluster)))

    def run_and_read(self, *words, count=1):
        """The record of a job, and all lines of its tasks' output."""
        out = self.folder / "job.out"
        for old in self.folder.glob("job.out*"):
            old.unlink()
        record = self.run_job(*self.ALPHA, "--output-file", out, *words, code=None)
        return record, sorted("".join(path.read_text() for path in self.folder.glob("job.out*")).splitlines())


class Parallel(ThreeSites):
    def test_a_program_runs_once_on_each_node_or_for_each_processor(self):
        self.three()
        say = ("--", "sh", "-c", "echo $DMM_RANK of $DMM_RANKS in $DMM_COMPONENT of $DMM_COMPONENTS, job $DMM_JOB_ID")
        for runner, ranks, each in (("--per-node", 6, 2), ("--per-processor", 12, 4)):
            record, lines = self.run_and_read(*self.THREE, runner, *say)
            self.assertEqual(record["state"], "finished", record)
            number = record["job"]
            self.assertEqual(lines, sorted(f"{rank} of {ranks} in {rank // each} of 3, job {number}"
                                           for rank in range(ranks)))
        self.until_home()

    def test_the_chains_of_all_its_leases_are_one_drawing(self):
        self.three()
        self.run_and_read(*self.THREE, "--per-node", "--", "true")
        drawn = self.until_chain("alpha/u0/1", "let all its tasks begin: 3", "recorded the outcome",
                                 "gave the lease back")
        for line in ("granted 4 processors, lease beta#1", "granted 4 processors, lease gamma#1",
                     "lease alpha#1: alpha (source) (sink)", "lease gamma#1: gamma (source) ──▶ alpha (sink)",
                     "3 leases; 2 delegations"):
            self.assertIn(line, drawn)

    def test_ranks_are_no_more_than_processors_were_asked_for(self):
        self.three()
        record, lines = self.run_and_read("-n", 3, "--per-processor", "--", "sh", "-c", "echo $DMM_RANK")
        self.assertEqual((record["state"], lines), ("finished", ["0", "1", "2"]), record)

    def test_a_rank_that_fails_ends_the_others_and_gives_its_status(self):
        self.three()
        script = "test $DMM_RANK = 9 && exit 7; exec sleep 600"
        record, _ = self.run_and_read(*self.THREE, "--per-processor", "--", "sh", "-c", script)
        self.assertEqual((record["state"], record["exit"]["code"]), ("failed", 7), record)
        self.until_home()

    def test_nothing_begins_where_the_program_is_missing_at_one_site(self):
        self.three()
        here = self.folder / "only-once"
        here.write_text("#!/bin/sh\n")
        here.chmod(0o755)
        record, lines = self.run_and_read(*self.THREE, "--per-node", "--", self.folder / "missing")
        self.assertEqual((record["state"], lines), ("failed", []), record)
        self.assertIn("missing", record["text"])
        self.until_home()

    def test_dmm_exec_starts_a_program_on_each_node_of_the_job(self):
        self.three()
        record, lines = self.run_and_read(*self.THREE, "--once", "--", "sh", "-c",
                                          "cat $DMM_NODEFILE; dmm exec -- sh -c 'echo rank $DMM_RANK of $DMM_RANKS'")
        self.assertEqual(record["state"], "finished", record)
        hosts = [line for line in lines if "slots=" in line]
        self.assertEqual((len(hosts), {line.split()[1] for line in hosts}), (3, {"slots=4"}), lines)
        self.assertEqual([line for line in lines if line not in hosts], [f"rank {i} of 6" for i in range(6)])
        record, _ = self.run_and_read(*self.THREE, "--once", "--", "sh", "-c",
                                      "dmm exec -- sh -c 'exit $((DMM_RANK == 4 ? 9 : 0))'")
        self.assertEqual((record["state"], record["exit"]["code"]), ("failed", 9), record)
        self.until_home()

    def test_sites_that_cannot_be_connected_to_are_no_part_of_an_mpi_job(self):
        sites = [site("alpha", 8, siblings=["beta"]), site("beta", 8, direct_routes=False)]
        self.up(self.topology("two", *sites))
        job = self.submit(*self.ALPHA, "--components", "4@alpha,4@beta", "--mpi", "--", "true")
        told = until(lambda: (said := self.dmm("why", job).out) and "connectable" in said and said,
                     "why names what beta's nodes lack")
        self.assertIn("connectable", told)
        self.dmm("cancel", job)


class Mpi(ThreeSites):
    """Programs of tests/processes/mpi, built for both kinds of MPI."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.source = os.path.join(os.environ["DMM_SOURCE"], "tests/processes/mpi")

    def build(self, kind, name):
        program = self.folder / f"{name}.{kind}"
        subprocess.run([f"mpicc.{kind}", "-O1", "-o", program, f"{self.source}/{name}.c", "-lm"], check=True)
        return program

    def check_all_programs(self, kind):
        record, lines = self.run_and_read(*self.THREE, "--mpi", "--", self.build(kind, "ring"))
        self.assertEqual(record["state"], "finished", (record, lines))
        self.assertEqual(lines, sorted(f"rank {i} of 12 in component {i // 4}" for i in range(12)) + ["sum 66"])
        record, lines = self.run_and_read(*self.THREE, "--mpi", "--", self.build(kind, "allreduce"))
        self.assertEqual((record["state"], lines), ("finished", ["begins", "sum 78 of 12 ranks"]), record)
        record, lines = self.run_and_read(*self.THREE, "--mpi", "--", self.build(kind, "laplace"), 48, 100)
        self.assertEqual(record["state"], "finished", record)
        self.assertRegex(lines[0], r"^12 ranks: heat \d+")
        self.until_home()

    def test_open_mpi_programs_run_over_three_sites(self):
        self.three()
        self.check_all_programs("openmpi")

    def test_mpich_programs_run_over_three_sites(self):
        # On one host MPICH uses shared memory, which namespaces separate.
        self.three(isolate_jobs=False)
        self.check_all_programs("mpich")

    def begin(self, seconds=600):
        """A running MPI job."""
        out = self.folder / "long.out"
        job = self.submit(*self.ALPHA, *self.THREE, "--output-file", out, "--mpi", "--",
                          self.build("openmpi", "allreduce"), seconds)
        until(lambda: out.exists() and "begins" in out.read_text(), "the program has begun")
        return job

    def until_nothing_runs(self):
        self.until_home()
        until(lambda: not subprocess.run(["pgrep", "-f", f"{self.folder}/allreduce"], stdout=subprocess.PIPE).stdout,
              "no rank is left")

    def test_a_cancel_reaches_all_ranks(self):
        self.three()
        job = self.begin()
        told = self.dmm("why", job).out
        for component, owner in enumerate(("alpha", "beta", "gamma")):
            self.assertIn(f"Component {component}: {owner}, under lease {owner}#1.", told)
        self.dmm("cancel", job)
        self.until_state(job, "cancelled")
        self.until_nothing_runs()

    def test_a_rank_that_is_killed_ends_the_job(self):
        self.three()
        job = self.begin()
        ranks = subprocess.run(["pgrep", "-f", f"^{self.folder}/allreduce"], stdout=subprocess.PIPE, text=True).stdout
        os.kill(int(ranks.split()[-1]), 9)
        self.assertIn(self.until_state(job, "failed")["exit"]["kind"], ("exited", "signalled"))
        self.until_nothing_runs()

    def test_a_reclaim_in_mid_run_starts_the_job_again_elsewhere_or_later(self):
        self.three()
        job = self.begin()
        self.dmm("reclaim", "--site", "beta", "--all", "--grace", 0)
        record = until(lambda: (said := self.job(job)) and said["interruptions"] > 0 and said, "it was interrupted")
        self.assertEqual(record["interruption_causes"][0]["owner"], "beta", record)
        self.dmm("cancel", job)
        self.until_nothing_runs()

    def test_a_site_that_dies_between_claim_and_start_lets_nothing_begin(self):
        self.three()
        status = self.dmm("testbed", "status", "three", "--json").json
        names = [name for name in (one["daemon"] for one in status["daemons"])
                 if "gamma" in name and not name.startswith("jobmgr")]
        nodes = next(name for name in names if name.startswith("resmgr"))
        os.kill(self.daemon(status, nodes), signal.SIGSTOP)
        out = self.folder / "long.out"
        job = self.submit(*self.ALPHA, *self.THREE, "--output-file", out, "--mpi", "--",
                          self.build("openmpi", "allreduce"), 600)
        until(lambda: self.job(job)["tasks_ready"] == 2, "two of three tasks to be ready")
        self.assertIn("2 of its 3 tasks are ready; none begins before all are", self.dmm("why", job).out)
        self.kill(*(self.daemon(status, name) for name in names))
        until(lambda: self.job(job)["state"] != "starting", "the attempt to be given up")
        self.assertFalse(out.exists() and "begins" in out.read_text(), "a rank began without the others")
        for name in names:
            self.dmm("testbed", "restart", "three", "--which", name)
        until(lambda: out.exists() and "begins" in out.read_text(), "the next attempt begins")
        record = self.job(job)
        self.assertEqual((record["attempt"], record["reruns"], record["false_starts"]), (2, 0, 1), record)
        self.dmm("cancel", job)
        self.until_state(job, "cancelled")
        self.until_nothing_runs()

    def test_the_exit_status_of_an_mpi_program_is_the_jobs(self):
        self.three()
        record, _ = self.run_and_read(*self.THREE, "--mpi", "--", self.build("openmpi", "ring"), 5)
        self.assertEqual((record["state"], record["exit"]["code"]), ("failed", 5), record)
        self.until_home()


if __name__ == "__main__":
    unittest.main()
