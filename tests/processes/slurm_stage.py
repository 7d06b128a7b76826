"""Two real Slurm clusters with a DMM site on top of each (scripts/slurm-testbed), for tests. Tests are skipped where
Slurm isn't installed.
"""
import os
import shutil
import unittest

from batch_stage import MINUTE, BedTest, SiteShell, until

NODES = 4


def slurm_is_there():
    return os.geteuid() == 0 and all(shutil.which(program) for program in ("slurmctld", "slurmd", "munged", "sbatch"))


class Cluster(SiteShell):
    """A cluster of the testbed."""

    def sbatch(self, *words):
        """A plain user's job; its number."""
        return self.run("sbatch", "--parsable", "--output=/dev/null", *words, user="nobody")

    def state_of(self, number):
        return self.run("squeue", "--noheader", f"--jobs={number}", "--states=all", "--format=%T")

    def until_slurm(self, number, *states):
        until(lambda: self.state_of(number) in states, lambda: self.run("squeue"), MINUTE)


@unittest.skipUnless(slurm_is_there(), "Slurm isn't installed (scripts/setup --slurm), or this isn't root")
class SlurmTest(BedTest):
    script = "slurm-testbed"
    options = ("--idle-for", "1")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.a, cls.b = Cluster(cls.folder, "a"), Cluster(cls.folder, "b")

    def setUp(self):
        self.a.until_held(NODES)
        self.b.until_held(NODES)

    def tearDown(self):
        for cluster in (self.a, self.b):
            cluster.run("dmm", "cancel", "--all", "--yes")
            cluster.run("scancel", "--partition=main", code=None)
        until(lambda: not self.a.leased() and not self.b.leased(), lambda: self.b.run("dmm", "nodes"), MINUTE)
        until(self.guests_are_gone, lambda: self.a.run("dmm", "nodes") + self.b.run("dmm", "nodes"), MINUTE)

    def guests_are_gone(self):
        return not any("lent" in one.run("sinfo", "--noheader", "--Node", "--format=%N") for one in (self.a, self.b))
