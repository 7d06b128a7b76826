"""Two real Slurm clusters with a DMM site on top of each (scripts/slurm-testbed), for tests. Tests are skipped if Slurm
isn't installed.
"""
import os
import shutil
import signal
import subprocess
import unittest

from batch_stage import MINUTE, BedTest, SiteShell, until
from grid import lives, parent_of, processes_with

NODES = 4


def slurm_is_there():
    return os.geteuid() == 0 and all(shutil.which(program) for program in ("slurmctld", "slurmd", "munged", "sbatch"))


def end(process, number=signal.SIGKILL):
    os.kill(process, number)
    until(lambda: not lives(process), f"the end of process {process}", MINUTE)


class Cluster(SiteShell):
    """A cluster of the testbed."""

    def at(self, host, *words, code=0):
        """Runs a command on a host of the testbed."""
        return self.run(self.folder.parent / "at", host, *words, code=code)

    def sbatch(self, *words):
        """Submits a plain user's job; returns its number."""
        return self.run("sbatch", "--parsable", "--output=/dev/null", *words, user="nobody")

    def state_of(self, number):
        return self.run("squeue", "--noheader", f"--jobs={number}", "--states=all", "--format=%T")

    def place_of(self, number):
        """The nodes of a job."""
        return self.run("squeue", "--noheader", f"--jobs={number}", "--states=all", "--format=%N")

    def until_slurm(self, number, *states):
        until(lambda: self.state_of(number) in states, lambda: self.run("squeue"), MINUTE)

    def fill(self):
        """Submits a job of DMM for each node of the cluster; waits until all run."""
        jobs = [self.submit("sleep", "1000") for _ in range(NODES)]
        for job in jobs:
            self.until_job(job, "running")

    def until_idle(self):
        """Waits until Slurm has no job at all."""
        until(lambda: not self.run("squeue", "--noheader"), lambda: self.run("squeue"), MINUTE)

    def pid_of_guest(self, node):
        """The slurmd of a node that the cluster has borrowed."""
        alone = []

        def is_alone():
            # A child of slurmd looks like it until it runs a program of its own, and perhaps outlives its parent.
            found = processes_with(f"-Z\0-N\0{node}\0")
            alone[:] = [process for process in found if parent_of(process) not in found]
            return len(alone) == 1

        until(is_alone, lambda: alone, MINUTE)
        return alone[0]

    def stop_lending(self):
        """Ends the batch manager and its pilots."""
        end(self.pid_of("batch/batchmgr"), signal.SIGTERM)
        self.run("scancel", "--partition=lend")
        self.until_idle()


@unittest.skipUnless(slurm_is_there(), "Slurm isn't installed (scripts/setup --slurm), or this isn't root")
class SlurmTest(BedTest):
    script = "slurm-testbed"
    options = ("--idle-for", "1")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.a, cls.b = Cluster(cls.folder, "a"), Cluster(cls.folder, "b")
        cls.has_namespaces = (cls.folder / "bridge").exists()

    def setUp(self):
        self.a.until_held(NODES)
        self.b.until_held(NODES)

    def tearDown(self):
        for cluster in (self.a, self.b):
            cluster.run("dmm", "cancel", "--all", "--yes")
            cluster.run("scancel", "--partition=main", code=None)
        until(lambda: not self.a.leased() and not self.b.leased(), self.said_of_nodes, MINUTE)
        until(self.guests_are_gone, self.said_of_nodes, MINUTE)

    def kill_and_start(self, cluster, program, folder):
        """Kills a daemon and starts it again, as the host's init would."""
        place = cluster.folder / folder
        end(cluster.pid_of(f"{folder}/{program}"))
        again = subprocess.Popen([self.folder / "at", cluster.name, program, "--config", place / f"{program}.json"],
                                 env=cluster.env, start_new_session=True, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (place / f"{program}.pid").write_text(str(again.pid))
        self.restarted.append(again)

    def kill_agent(self, cluster, node):
        """Kills a node's agent, and waits until nothing that ran there is left; a new agent may already run by then."""
        inside = processes_with(f"/{cluster.name}/nodes/{node}/")
        os.kill(cluster.process("nodeagent", f"/nodes/{node} "), signal.SIGKILL)
        until(lambda: not any(lives(pid) for pid in inside), lambda: inside, MINUTE)

    def is_blind(self, cluster):
        """Whether its batch manager says that Slurm doesn't answer; the batch manager itself may be busy for a
        while."""
        return "can't be looked at" in cluster.run("dmm", "nodes", code=None)

    def said_of_nodes(self):
        return "\n".join(cluster.run("dmm", "nodes", code=None) for cluster in (self.a, self.b))

    def guests_are_gone(self):
        return not any("lent" in one.run("sinfo", "--noheader", "--Node", "--format=%N") for one in (self.a, self.b))
