"""What Python tests share that speak to real managers as a stranger would: a folder, a network, the daemons of one
test, and the parties that the test plays.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from dmm_client import (
    Component, Manager, Need, Network, Person, Register, Request, RequestId, ResourceManager, job_manager,
    resource_manager, site_manager)

BIN = pathlib.Path(os.environ.get("DMM_BIN", "build/bin"))
SITE, NORTH = "home", "north"
FIRST = 1_000_000  # the first incarnation of the parties played here


def need(*processors, **more):
    return Need(components=tuple(Component(size) for size in processors), **more)


def request(job, processors, user="alice", **more):
    more.setdefault("need", need(processors))
    return Request(RequestId(SITE, user, job, 1), **more)


class Daemon:
    """One real manager, from its start to its orderly end."""

    def __init__(self, folder, program, name, config):
        self.name, self.endpoint = name, f"ipc://{folder}/{name}.sock"
        config.update(listen=[self.endpoint], log={"file": f"{folder}/{name}.log", "level": "debug", "terminal": False})
        file = folder / f"{name}.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        with open(folder / f"{name}.err", "wb") as errors:
            self.process = subprocess.Popen([BIN / program, "--config", file], stderr=errors)
        self.files = [folder / f"{name}.err", folder / f"{name}.log"]

    def stop(self):
        """Its exit code, and the end of its output."""
        lives = self.process.poll() is None
        self.process.terminate()
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        text = "".join(file.read_text(errors="replace")[-2000:] for file in self.files if file.exists())
        return (lives, code), f"{self.name} ended (alive until now, exit code): {(lives, code)}\n{text}"


class Processes(unittest.TestCase):
    """A folder, a network, and the daemons of one test, which must all live to its end."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="dmm-")
        self.addCleanup(self.folder.cleanup)
        self.network = Network()
        self.addCleanup(self.network.close)
        self.daemons = []
        self.addCleanup(self.stop)

    def stop(self):
        ends = [daemon.stop() for daemon in self.daemons]
        for end, text in ends:
            self.assertEqual(end, (True, 0), text)

    def start(self, program, name, config):
        self.daemons.append(Daemon(pathlib.Path(self.folder.name), program, name, config))
        return self.daemons[-1].endpoint

    def start_site(self, **more):
        self.site = self.start("sitemgr", "site", {"site": SITE, "clusters": [{"name": "c0"}], **more})
        self.person = Person(self.network, site_manager(SITE), self.site).open()

    def start_quick_site(self, **more):
        self.network.beat = 0.1
        self.start_site(beat_seconds=0.1, silence_seconds=0.5, **more)

    def start_job_manager(self):
        return job_manager(SITE, "alice"), self.start("jobmgr", "alice", {
            "site": SITE, "user": "alice", "site_endpoint": self.site, "directory": f"{self.folder.name}/alice"})

    def resources(self, nodes, width=1, **more):
        manager = ResourceManager(self.network, resource_manager(SITE, "c0.0"), self.site, Register("c0", nodes, width),
                                  **more)
        manager.barrier()
        return manager

    def user(self, name="alice", incarnation=FIRST):
        return Manager(self.network, job_manager(SITE, name), site_manager(SITE), self.site, incarnation).open()

    def neighbour(self, incarnation=FIRST):
        return Manager(self.network, site_manager(NORTH), site_manager(SITE), self.site, incarnation).open()

    def until_site(self, seconds=5, **wanted):
        """Waits until the site's own view says so."""
        def agrees():
            view = self.person.ask("site")
            return all(view[key] == value for key, value in wanted.items())
        self.network.until(agrees, seconds, lambda: f"{wanted}; the site says {self.person.ask('site')}")

    def refused(self, person=None):
        return (person or self.person).ask("messages")["refused"]
