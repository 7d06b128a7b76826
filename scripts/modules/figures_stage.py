"""The stage of scripts/reliability_figures: a testbed in memory, its processes and its logs; and the rows of the
table."""
import contextlib
import datetime
import itertools
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from dmm_client import Component, JobDescription, Need, Network, Person, Program, Submit, Submitted, job_manager

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("DMM_BIN", SOURCE / "build/bin")).resolve()
MEMORY = "/dev/shm"  # so that a busy disk isn't measured
BATCH = 200          # jobs in one Submit
NAME = "figures"


def row(what, seconds, aim):
    """A row of the table: how long things took; all must be within the aim."""
    ordered = sorted(seconds)
    rank = lambda share: ordered[math.ceil(share * len(ordered)) - 1]  # noqa: E731
    return {"what": what, "n": len(ordered), "median": rank(0.5), "p99": rank(0.99), "max": ordered[-1],
            "aim": float(aim), "met": ordered[-1] <= aim}


def until(event, what, seconds=120):
    """Waits until `event()` is true, and returns what it returned."""
    end = time.monotonic() + seconds
    while not (result := event()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.05)  # between looks
    return result


class Stage:
    """A testbed with these sites, for `with Stage(...) as stage:`; it is removed afterwards."""

    def __init__(self, *sites, **more):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="figures-", dir=MEMORY if os.path.isdir(MEMORY) else None))
        self.environment = dict(os.environ, DMM_HOME=str(self.folder))
        self.topology = self.folder / "topology.json"
        self.topology.write_text(json.dumps({"name": NAME, "sites": sites, **more}), encoding="utf-8")
        self.started = []  # managers that this process started itself
        self.tokens = itertools.count(1)  # submission tokens: a used one submits nothing

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            undo.callback(self.__exit__)
            self.daemons = {one["daemon"]: one for one in self.dmm("testbed", "up", self.topology)["daemons"]}
            undo.pop_all()
        return self

    def __exit__(self, *_):
        for process in self.started:
            process.terminate()
        for process in self.started:
            process.wait(60)
        subprocess.run([BIN / "dmm", "testbed", "down", NAME], env=self.environment, capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def dmm(self, *words):
        done = subprocess.run([str(BIN / "dmm"), *map(str, words), "--json"], env=self.environment, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"dmm {' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}{done.stdout}")
        return json.loads(done.stdout)

    # ---- managers ----

    def keeper(self, manager):
        """The process id of the helper beside a resource manager."""
        config = json.loads(pathlib.Path(self.daemons[manager]["config"]).read_text())
        return int((pathlib.Path(config["directory"]) / "keeper.lock").read_text())

    def kill(self, *pids):
        """Kills processes; returns the instant of the first signal."""
        now = time.time()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return now

    def start(self, manager):
        """Starts a killed manager; returns the instant of the start once it is ready."""
        ready, told = os.pipe()
        began = time.time()
        process = subprocess.Popen([BIN / manager.split()[0], "--config", self.daemons[manager]["config"]],
                                   env=dict(self.environment, DMM_READY_FD=str(told)), pass_fds=(told,),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(told)
        self.started.append(process)
        if os.read(ready, 1) != b"r":
            raise RuntimeError(f"{manager} does not start again")
        os.close(ready)
        self.daemons[manager]["pid"] = process.pid
        return began

    def stop(self, manager):
        """Sends kill -9 and waits until the process is gone."""
        pid = self.daemons[manager]["pid"]
        os.kill(pid, signal.SIGKILL)
        for process in self.started[:]:
            if process.pid == pid:
                process.wait()
                self.started.remove(process)
        until(lambda: not self.lives(pid), f"the end of {manager}")

    @staticmethod
    def lives(pid):
        with contextlib.suppress(OSError):
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
        return False

    def make_loud(self, manager):
        """Restarts it with a log that also has debug events."""
        file = pathlib.Path(self.daemons[manager]["config"])
        config = json.loads(file.read_text())
        config["log"]["level"] = "debug"
        file.write_text(json.dumps(config))
        self.dmm("testbed", "restart", NAME, "--which", manager)
        status = self.dmm("testbed", "status", NAME)
        self.daemons[manager]["pid"] = next(one["pid"] for one in status["daemons"] if one["daemon"] == manager)

    def events(self, manager, *kinds):
        """The events of its log with this name; `at` is their instant."""
        found = []
        for line in pathlib.Path(self.daemons[manager]["log"]).read_text().splitlines(keepends=True):
            if not line.endswith("\n") or not any(f'"event":"{kind}"' in line for kind in kinds):
                continue
            event = json.loads(line)
            found.append({**event, "at": datetime.datetime.fromisoformat(event["time"][:-1] + "+00:00").timestamp()})
        return found

    @contextlib.contextmanager
    def person(self, party, manager):
        network = Network()
        try:
            yield Person(network, party, self.daemons[manager]["endpoint"]).open(60)
        finally:
            network.close()

    # ---- jobs ----

    def submit(self, site, *commands):
        """Submits jobs of one processor for u0 of a site, without reruns."""
        jobs = [JobDescription("job", Program(command), Need(components=(Component(1),)), reruns_max=0)
                for command in commands]
        with self.person(job_manager(site, "u0"), f"jobmgr {site}/u0") as person:
            for first in range(0, len(jobs), BATCH):
                token = next(self.tokens)
                person.send(Submit(token, tuple(jobs[first:first + BATCH])))
                if fault := person.expect(Submitted, 60, lambda answer, token=token: answer.token == token).fault:
                    raise RuntimeError(f"submitting at {site}: {fault}")

    def jobs(self, site):
        return self.dmm("queue", "--all", "--site", site)["jobs"]

    def until_started(self, manager, count, seconds=120):
        until(lambda: len(self.events(manager, "started")) >= count, f"{count} jobs of {manager}", seconds)
