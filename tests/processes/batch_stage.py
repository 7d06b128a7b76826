"""Testbeds of DMM on real batch systems, for tests: commands at a site, and a testbed for a class of tests."""
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import grid
from grid import SOURCE, processes_with

MINUTE = 60
until = functools.partial(grid.until, pause=0.2)  # each look is a program, beside dozens of daemons


class SiteShell:
    """What operators and users of a site type."""

    def __init__(self, folder, name):
        self.folder, self.name = folder / name, name
        lines = (self.folder / "env").read_text().splitlines()
        set_here = dict(line.removeprefix("export ").split("=", 1) for line in lines)
        path = set_here.pop("PATH").replace("$PATH", os.environ["PATH"])
        self.env = {**os.environ, **set_here, "PATH": path}

    def run(self, *words, code=0, user=None, **options):
        done = subprocess.run([str(word) for word in words], env=self.env, capture_output=True, text=True,
                              timeout=MINUTE, cwd="/", user=user, **options)
        if code is not None and done.returncode != code:
            raise AssertionError(f"{words}: {done.returncode}, {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def nodes(self):
        """Each node of the batch system by name; empty while the batch manager doesn't answer."""
        said = json.loads(self.run("dmm", "nodes", "--json", code=None))
        return {node["node"]: node for node in said.get("batch", {"nodes": []})["nodes"]}

    def states(self):
        return [node["state"] for _, node in sorted(self.nodes().items())]

    def node_rows(self):
        """The nodes as the site shows them: equal nodes share a line."""
        return json.loads(self.run("dmm", "nodes", "--json", code=None))["nodes"]

    def leased(self):
        """Names of nodes under a lease."""
        return sorted(row["resource_manager"] for row in self.node_rows() if row["state"] == "leased")

    def until_held(self, count):
        """Waits until this number of pilots run and the site has their nodes."""
        def ready():
            return sum(row["state"] in ("free", "leased") for row in self.node_rows()) == count
        until(ready, lambda: self.run("dmm", "nodes", code=None), MINUTE)

    def submit(self, *words, processors=2):
        return self.run("dmm", "submit", "--processors", processors, "--", *words).split("/")[-1]

    def job(self, number):
        return json.loads(self.run("dmm", "why", number, "--json"))["job"]

    def until_job(self, number, *states):
        until(lambda: self.job(number)["state"] in states, lambda: self.job(number), MINUTE)
        return self.job(number)

    def process(self, program, text=""):
        """The process that isn't a child of another such process."""
        found = [pid for pid, line in processes_with(str(self.folder)).items()
                 if pathlib.Path(line.split(" ")[0]).name == program and text in line]
        return min(found)

    def pid_of(self, file):
        """The process id of a daemon, from its pid file, named without the ending."""
        return int((self.folder / f"{file}.pid").read_text())

    def log(self, daemon, program):
        return [json.loads(line) for line in (self.folder / daemon / f"{program}.jsonl").read_text().splitlines()]


class BedTest(unittest.TestCase):
    """Has a testbed by the script `script` of scripts/."""
    script = ""
    options = ()  # of the testbed

    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="dmm-bed-"))
        cls.place.chmod(0o755)
        cls.folder = cls.place / "testbed"
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        cls.restarted = []  # processes to wait for after the testbed has ended them
        cls.addClassCleanup(lambda: [one.wait() for one in cls.restarted])
        cls.addClassCleanup(cls.bed, "down")
        cls.bed("up", *cls.options)

    @classmethod
    def bed(cls, *words):
        done = subprocess.run([SOURCE / "scripts" / cls.script, *words, "--directory", cls.folder, "--programs",
                               os.environ["DMM_BIN"]], capture_output=True, text=True, timeout=2 * MINUTE)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
