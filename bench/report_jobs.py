"""Jobs from submission to their end in real daemons: how many finish in a second, beside posix_spawn, and how soon
parallel jobs start."""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

from report_table import best
from stage import BIN, Stage, Trouble

SITE = "das-3"


# ---- Jobs

def job_site(stage, slots, isolated):
    """Starts a real site manager, resource manager with these slots, and job manager; returns the job manager's
    endpoint."""
    _, site = stage.site(SITE, clusters=[{"name": "nodes"}])
    nodes, user = stage.endpoint("nodes"), stage.endpoint("user")
    stage.daemon("resmgr", "nodes", {"site": SITE, "name": "nodes", "cluster": "nodes", "nodes": slots,
                                     "site_endpoint": site, "listen": [nodes], "endpoint": nodes,
                                     "directory": str(stage.folder / "run"), "isolate_jobs": isolated})
    stage.daemon("jobmgr", "user", {"site": SITE, "user": "bench", "site_endpoint": site, "listen": [user],
                                    "directory": str(stage.folder / "jobs")})
    return user


def measure_dispatch(table, effort):
    table.heading("jobs finished per second: `true`, with their directories in memory or on disk")
    for slots, on_disk, isolated in ((16, False, False), (256, False, False), (16, True, False), (16, False, True)):
        with Stage(on_disk=on_disk) as stage:
            user = job_site(stage, slots, isolated)
            bare, ours, array = [], [], []
            jobs = effort.jobs // 4 if on_disk else effort.jobs
            for _ in range(1 if on_disk else effort.repeats):
                bare.append(stage.result("bare_bench", "spawn", slots=slots, seconds=effort.seconds))
                ours.append(stage.result("dispatch_bench", "submit", endpoint=user, site=SITE, user="bench",
                                         count=jobs))
                array.append(stage.result("dispatch_bench", "submit", endpoint=user, site=SITE, user="bench",
                                          count=jobs, array=1))
            where = "on disk" if on_disk else "in memory"
            table.row(f"{slots} slots, {jobs:,} jobs, {where}{', each in namespaces of its own' * isolated}",
                      best(ours, "jobs_per_second"), "/s", best(bare, "jobs_per_second"), "posix_spawn",
                      at_least=None if isolated else 0.4)
            table.row(f"as one array, accepted in {min(one['accept_seconds'] for one in array) * 1000:.0f} ms",
                      best(array, "jobs_per_second"), "/s", best(bare, "jobs_per_second"), "posix_spawn",
                      at_least=None if isolated else 0.7)


# ---- Parallel jobs

def site_of_eight(name, siblings):
    return {"name": name, "users": ["u"], "siblings": siblings, "clusters": [{"name": "c", "nodes": 8}]}


def submit(stage, *words):
    """The records of the jobs, once they are over."""
    command = [BIN / "dmm", "submit", "--site", "a", "--wait", "--json", *words]
    done = subprocess.run(command, env=stage.environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(f"dmm submit ended with {done.returncode}: {done.stderr}")
    told = json.loads(done.stdout)
    return told.get("jobs", [told])


def from_claim_to_start(stage, *words):
    """Seconds from the moment when the job manager has all leases until the job's program begins."""
    [job] = submit(stage, *words, "--", "true")
    return job["started"] - job["granted"]


def from_claim_to_eight_starts(stage):
    """The same for eight jobs of one component, two at each site: until the last of them begins."""
    file = pathlib.Path(stage.folder.name) / "eight.json"
    file.write_text(json.dumps({"command": ["true"], "runner": "per_processor", "jobs": [
        {"components": [{"processors": 1, "site": site}]} for site in "aabbccdd"]}), encoding="utf-8")
    jobs = submit(stage, file)
    return max(job["started"] for job in jobs) - min(job["granted"] for job in jobs)


class Testbed:
    """Four sites of eight nodes, each linked with each other site."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="dmm-bench-")
        self.environment = {**os.environ, "XDG_STATE_HOME": self.folder.name}
        topology = pathlib.Path(self.folder.name) / "four.json"
        names = "abcd"
        topology.write_text(json.dumps({"name": "four", "sites": [
            site_of_eight(name, list(names[:i])) for i, name in enumerate(names)]}), encoding="utf-8")
        self.dmm("up", topology)
        return self

    def __exit__(self, *_):
        self.dmm("down", "four")
        self.folder.cleanup()

    def dmm(self, *words):
        subprocess.run([BIN / "dmm", "testbed", *words], env=self.environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def measure_parallel(table, effort):
    table.heading("from the claim of all leases to the start, real processes")
    with Testbed() as stage:
        eight, one, launched, apart = [], [], [], []
        for _ in range(effort.repeats * 10):
            one.append(from_claim_to_start(stage, "-n", "1"))
            launched.append(from_claim_to_start(stage, "-n", "1", "--per-processor"))
            eight.append(from_claim_to_start(stage, "--components", "1@a,1@a,1@b,1@b,1@c,1@c,1@d,1@d"))
            apart.append(from_claim_to_eight_starts(stage))
    beside = statistics.median(one) * 1000
    table.row("one component behind a launcher, median", statistics.median(launched) * 1000, "ms", beside,
              "one component")
    table.row("eight components over four sites, median", statistics.median(eight) * 1000, "ms", beside,
              "one component", at_most=1.5)
    table.row("the same", statistics.median(eight) * 1000, "ms", statistics.median(apart) * 1000,
              "eight jobs of one component at once")
