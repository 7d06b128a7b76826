#!/usr/bin/env python3
"""Figures 5 and 8 of Sonmez et al. 2006 on this machine, with real daemons and real MPI programs (bench/mpi).

Five sites stand for the five clusters, with the nodes that worked during the paper's experiments (table 1). Each is in
a network namespace; the link of each site carries 100 Mbit/s, its inside 1,200 Mbit/s. So the links have the paper's
ratio.

  figure 5   how long a program runs by the number of its clusters, for the same number of ranks
  figure 8   how long a job needs from its placement to its beginning, by the number of its components

The ranks share the processors of this machine: this measures the cost of communication, not what 64 processors compute.
The slowdowns of its last line are built into `dmm compare --experiment cm`, which makes figure 7.

Run it from the top of the tree, after scripts/build release all: python3 bench/cm.py
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # leaves the tree unchanged
SOURCE = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("DMM_BIN", SOURCE / "build/bin"))
sys.path.insert(0, str(SOURCE / "scripts/modules"))
from chaos_networks import FIRST_PORT, Namespaces
from testbed_network import enter_namespaces

SITES = {"vu": 67, "amsterdam": 20, "delft": 26, "utrecht": 28, "leiden": 19}  # working nodes of two processors
BETWEEN, INSIDE = "100mbit", "1200mbit"
COMPONENTS_MAX = 4
# Ranks, the numbers of clusters that divide them evenly, and arguments: laplace needs a square. More ranks on two
# processors would measure the scheduler of Linux.
PROGRAMS = {"laplace": (16, (1, 2, 4), ("480", "2000")), "heat": (12, (1, 2, 3, 4), ("960", "400"))}
OPEN_MPI = ("OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=10.77.0.0/16",
            "OMPI_MCA_oob_tcp_if_include=10.77.0.0/16", "OMPI_MCA_mpi_yield_when_idle=1",
            "OMPI_MCA_hwloc_base_binding_policy=none", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")


def topology():
    sites = [{"name": name, "users": ["u0"], "clusters": [
        {"name": "nodes", "nodes": nodes, "processors_per_node": 2, "isolate_jobs": False}]}
        for name, nodes in SITES.items()]
    return {"name": "das2", "sites": sites, "sibling_groups": [list(SITES)]}


class Bed:
    """The five sites, up."""

    def __init__(self, folder):
        self.folder = folder
        file = folder / "das2.json"
        file.write_text(json.dumps(topology()))
        self.network = Namespaces(BIN, folder, file, random.Random(1))
        for site, host in self.network.hosts.items():
            shape = ("root", "tbf", "burst", "256kb", "latency", "50ms", "rate")
            within = ("nsenter", f"--net=/run/netns/{host}", "tc", "qdisc", "add", "dev")
            self.run(*within, "eth0", *shape, BETWEEN)
            self.run(*within, "lo", *shape, INSIDE)
            self.run("tc", "qdisc", "add", "dev", self.network.ports[site], *shape, BETWEEN)
        self.environment = dict(os.environ, DMM_HOME=str(folder / "home"), TMPDIR=str(folder))
        self.dmm("testbed", "up", file, *self.network.options())

    def run(self, *words):
        done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False,
                              env=getattr(self, "environment", None))
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def dmm(self, *words):
        return self.run(self.network.binaries / "dmm", *words)

    def build(self, name):
        program = self.folder / name
        self.run("mpicc.openmpi", "-O2", "-o", program, SOURCE / f"bench/mpi/{name}.c", "-lm")
        return program

    def job(self, sizes, *program):
        """Runs a job of components of these sizes, each at another site; returns its record and its output."""
        out = self.folder / "out"
        out.unlink(missing_ok=True)
        components = ",".join(f"{size}@{site}" for size, site in zip(sizes, SITES))
        environment = [word for variable in OPEN_MPI for word in ("--environment", variable)]
        record = json.loads(self.dmm("submit", "--site", next(iter(SITES)), "--wait", "--json", "--output-file", out,
                                     "--components", components, *environment, "--mpi", "--", *program))
        record = record[0] if isinstance(record, list) else record
        if record["state"] != "finished":
            sys.exit(f"a job failed: {json.dumps(record, indent=1)}\n{out.read_text() if out.exists() else ''}")
        return record, out.read_text()

    def close(self):
        """Ends all other processes in this process namespace; they all belong to the testbed."""
        os.kill(-1, signal.SIGKILL)
        self.run("umount", self.network.binaries / "dmm")


def figure_5(bed, times):
    """Seconds by program and number of clusters; a program has the same result whatever its clusters."""
    seconds, sums = {}, {}
    for name, (ranks, splits, arguments) in PROGRAMS.items():
        program = bed.build(name)
        for _ in range(times):
            for clusters in splits:
                _, text = bed.job([ranks // clusters] * clusters, program, *arguments)
                words = text.split()
                said = dict(zip(words[::2], words[1::2]))
                if sums.setdefault(name, said["sum"]) != said["sum"]:
                    sys.exit(f"{name} computed {said['sum']} over {clusters} clusters, and {sums[name]} before")
                seconds.setdefault(name, {}).setdefault(clusters, []).append(float(said["seconds"]))
                print(f"{name} over {clusters}: {said['seconds']} s", file=sys.stderr)
    return seconds


def figure_8(bed, times):
    """By the number of components: seconds from the placement until all components are told to go, and the seconds of
    MPI before its ranks run and after they ended."""
    program = bed.build("heat")
    overheads = {}
    for _ in range(times):
        for components in range(1, COMPONENTS_MAX + 1):
            record, text = bed.job([2] * components, program, "48", "1")
            starts = record["ran_from"] - record["granted"]
            overheads.setdefault(components, []).append((starts, record["wall_seconds"] - float(text.split()[1])))
    return overheads


def spread(values):
    return f"{statistics.mean(values):.3f} ± {statistics.stdev(values) if len(values) > 1 else 0:.3f}"


def tell_figure_5(seconds):
    """Prints the table; returns whether it agrees with the paper."""
    print("| program | clusters | seconds | slowdown |\n|---|--:|--:|--:|")
    slowdowns = collections.defaultdict(list)
    for name, by_clusters in seconds.items():
        alone = statistics.mean(by_clusters[1])
        for clusters, values in by_clusters.items():
            slowdown = statistics.mean(values) / alone
            slowdowns[clusters].append(slowdown)
            print(f"| {name} | {clusters} | {spread(values)} | {slowdown:.2f} |")
    grows = all(statistics.mean(one[a]) < statistics.mean(one[b])
                for one in seconds.values() for a, b in zip(list(one), list(one)[1:]))
    print(f"\nEach program runs longer the more clusters it has, as in figure 5: {'yes' if grows else 'no'}.\n")
    return {clusters: round(statistics.mean(slowdowns[clusters]), 2) for clusters in sorted(slowdowns)}


def tell_figure_8(overheads):
    print("| components | placement to go [s] | start and end of MPI [s] |\n|--:|--:|--:|")
    for components, values in overheads.items():
        print(f"| {components} | {spread([one for one, _ in values])} | {spread([other for _, other in values])} |")
    means = [statistics.mean(sum(one) for one in values) for values in overheads.values()]
    grows = means == sorted(means)
    print(f"\nThe overhead grows with the number of components, as in figure 8: {'yes' if grows else 'no'}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5, metavar="N", help="runs of each job (default 5)")
    options = parser.parse_args()
    if missing := [tool for tool in ("ip", "tc", "nsenter", "mpicc.openmpi") if not shutil.which(tool)]:
        sys.exit(f"cm.py: missing: {' '.join(missing)}; run scripts/setup and scripts/setup --chaos")
    enter_namespaces("DMM_CM_INSIDE")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dmm-cm-"))
    bed = Bed(folder)
    try:
        seconds, overheads = figure_5(bed, options.times), figure_8(bed, options.times)
    finally:
        bed.close()
        shutil.rmtree(folder, ignore_errors=True)
    slowdowns = tell_figure_5(seconds)
    tell_figure_8(overheads)
    print(f"\nSlowdown by clusters, mean of the programs: {slowdowns}")


if __name__ == "__main__":
    main()
