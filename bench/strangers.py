#!/usr/bin/env python3
"""The cost of a flood of strangers for the known peers of a manager: questions over tcp to a site manager, a job
manager and a resource manager, first quiet and then under flood. Prints shares, medians, 99th percentiles and what each
manager uses.

    bench/strangers.py                           a quiet minute and a minute of flood at the site manager
    bench/strangers.py --at nodes --seconds 20   at the resource manager
        bench/strangers.py --descriptors 1024        managers with this limit; --kinds parts: endless messages instead
"""
import argparse
import collections
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SOURCE / "tests/processes")]
from flood import Crowd, seen_of  # noqa: E402
from stage import BIN, Stage, Trouble, free_port  # noqa: E402

PARTIES = {"site": "0/alpha/", "user": "1/alpha/ann", "nodes": "2/alpha/nodes"}


class Grid:
    """Site alpha with a user and a resource manager, and the keys of a known neighbour beta."""

    def __init__(self, stage, descriptors):
        self.stage, self.descriptors, self.folder, self.crowds = stage, descriptors, stage.folder, []
        keys = {site: self.dmm("keygen", "--site", site, self.folder / site) for site in ("alpha", "beta")}
        for kind, name, folder in (("user", "ann", "user"), ("node", "nodes", "nodes"), ("person", "ops", "ops")):
            self.dmm("certify", "--by", self.folder / "alpha", f"--{kind}", name, self.folder / folder)
        self.ports = {name: free_port() for name in PARTIES}
        links = {"site": keys["alpha"]["link_key"],
                 **{name: self.dmm("keys", self.folder / name)["link_key"] for name in ("user", "nodes")}}
        self.at = {name: f"tcp://127.0.0.1:{self.ports[name]}#{links[name]}" for name in PARTIES}
        common = {"site": "alpha", "site_endpoint": self.at["site"]}
        beta = {"site": "beta", "relation": "sibling", "key": keys["beta"]["site_key"]}
        self.daemons = {
            "site": self.daemon("sitemgr", "site", "alpha", site="alpha", clusters=[{"name": "nodes", "nodes": 4}],
                                links=[beta]),
            "nodes": self.daemon("resmgr", "nodes", "nodes", **common, name="nodes", cluster="nodes", nodes=4),
            "user": self.daemon("jobmgr", "user", "user", **common, user="ann")}

    def dmm(self, command, *words):
        done = subprocess.run([BIN / "dmm", command, "--json", *map(str, words)], capture_output=True, text=True,
                              check=True, env={**os.environ, "DMM_KEYS": str(self.folder / "user")})
        return json.loads(done.stdout or "{}")

    def daemon(self, program, called, folder, **config):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(self.descriptors, hard[1]), hard[1]))
        try:
            return self.stage.daemon(program, called, {**config, "listen": [f"tcp://127.0.0.1:{self.ports[called]}"],
                                                     "directory": str(self.folder / folder)})
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, hard)

    def crowd(self, *words, nice=0):
        self.crowds.append(Crowd(*words, nice=nice))
        return self.crowds[-1].until_open()

    def flood(self, kinds, at):
        words = {"silent": (self.ports[at], 5_000), "handshakes": (self.ports[at], 1_000),
                 "unknown": (self.at[at], 20), "parts": (self.at[at], 400_000_000, self.folder / "ops"),
                 "garbage": (self.at["site"], 1_000, "0/beta/", PARTIES["site"], self.folder / "beta")}
        return [self.crowd(kind, *words[kind], nice=10) for kind in kinds]

    def ask(self, kind, rate):
        return {name: self.crowd(kind, self.at[name], rate, party, f"{kind}-{name}",
                                 self.folder / ("user" if name == "user" else "ops"))
                for name, party in PARTIES.items()}


def part(took, share):
    """The times in milliseconds, sorted."""
    return took[min(len(took) - 1, int(len(took) * share))] / 1_000 if took else float("nan")


def watch(grid, seconds, rate):
    """Asks for a while; returns each manager's answers and use."""
    asking, calling = grid.ask("ask", rate), grid.ask("call", 3)
    before, began = {name: seen_of(one.pid) for name, one in grid.daemons.items()}, time.monotonic()
    most = {name: collections.Counter(seen) for name, seen in before.items()}
    jobs = []
    while (passed := time.monotonic() - began) < seconds:
        at = time.monotonic()
        grid.dmm("submit", "--wait", "--jobmgr", grid.at["user"], "--", "true")
        jobs.append((time.monotonic() - at) * 1e6)
        for name, one in grid.daemons.items():
            most[name] |= collections.Counter(seen_of(one.pid))
    rows = {}
    for name in PARTIES:
        asked, called = asking[name].end(), calling[name].end()
        rows[name] = {"asked": asked["asked"], "answered": asked["answered"], "took": sorted(asked["took"]),
                      "called": called["asked"], "came_in": called["answered"], "call_took": sorted(called["took"]),
                      "load": (most[name]["seconds"] - before[name]["seconds"]) / passed, **most[name]}
    return rows, sorted(jobs)


def show(title, rows, jobs):
    print(f"\n{title}\n| manager | answered | median, ms | p99, ms | newcomers answered | median, ms | descriptors | "
          "memory, MB | processors |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, row in rows.items():
        print(f"| {name} | {row['answered']} of {row['asked']} | {part(row['took'], 0.5):.2f} | "
              f"{part(row['took'], 0.99):.2f} | {row['came_in']} of {row['called']} | "
              f"{part(row['call_took'], 0.5):.0f} | {row['descriptors']} | {row['bytes'] >> 20} | {row['load']:.2f} |")
    print(f"{len(jobs)} jobs, median {part(jobs, 0.5):.0f} ms, longest {part(jobs, 1):.0f} ms")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--at", choices=PARTIES, default="site")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--rate", type=float, default=50, help="questions a second to each manager")
    options.add_argument("--descriptors", type=int, default=8_192)
    options.add_argument("--kinds", default="silent,handshakes,unknown,garbage")
    given = options.parse_args()
    with Stage(tcp=True) as stage:
        grid = Grid(stage, given.descriptors)
        try:
            quiet, jobs = watch(grid, given.seconds, given.rate)
            show("Quiet", quiet, jobs)
            floods = grid.flood(given.kinds.split(","), given.at)
            flooded, jobs = watch(grid, given.seconds, given.rate)
            show(f"Flood at {given.at}", flooded, jobs)
            print(*(f"{flood.words[0]}: {flood.end()}" for flood in floods), sep="\n")
        finally:
            for crowd in grid.crowds:
                crowd.kill()
    for name in PARTIES:
        ratio = part(flooded[name]["took"], 0.99) / part(quiet[name]["took"], 0.99)
        print(f"{name}: p99 under flood is {ratio:.2f} times the quiet one")


if __name__ == "__main__":
    try:
        main()
    except (Trouble, AssertionError, subprocess.CalledProcessError) as fault:
        sys.exit(f"{fault}\n{getattr(fault, 'stderr', '') or ''}")
