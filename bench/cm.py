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
import pathlib
import shutil
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True  # leaves the tree unchanged
from cm_bed import MPI_ENVIRONMENT, WORKING_NODES, Bed, begin, owner

BETWEEN, INSIDE = 100, 1200  # Mbit/s
COMPONENTS_MAX = 4
# Ranks, the numbers of clusters that divide them evenly, and arguments: laplace needs a square. More ranks on two
# processors would measure the scheduler of Linux.
PROGRAMS = {"laplace": (16, (1, 2, 4), ("480", "2000")), "heat": (12, (1, 2, 3, 4), ("960", "400"))}


def run_job(bed, sizes, *program):
    """Runs a job of components of these sizes, each at another site; returns its record and its output."""
    out = bed.folder / "out"
    out.unlink(missing_ok=True)
    components = ",".join(f"{size}@{site}" for size, site in zip(sizes, WORKING_NODES))
    record = json.loads(bed.dmm("submit", "--site", next(iter(WORKING_NODES)), "--wait", "--json", "--output-file", out,
                                "--components", components, *MPI_ENVIRONMENT, "--mpi", "--", *program))
    if record["state"] != "finished":
        sys.exit(f"a job failed: {json.dumps(record, indent=1)}\n{out.read_text() if out.exists() else ''}")
    return record, out.read_text()


def figure_5(bed, times):
    """Seconds by program and number of clusters; a program has the same result whatever its clusters."""
    seconds, sums = {}, {}
    for name, (ranks, splits, arguments) in PROGRAMS.items():
        program = bed.build(name)
        for _ in range(times):
            for clusters in splits:
                _, text = run_job(bed, [ranks // clusters] * clusters, program, *arguments)
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
            record, text = run_job(bed, [2] * components, program, "48", "1")
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
    begin("DMM_CM_INSIDE")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dmm-cm-"))
    bed = Bed(folder, [owner(name, nodes, 2) for name, nodes in WORKING_NODES.items()], BETWEEN, INSIDE)
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
