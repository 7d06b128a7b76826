#!/usr/bin/env python3
"""Figure 7 of Sonmez et al. 2006 on this machine: worst fit, CM and FCM place the paper's workloads W1 and W2 on five
sites with real daemons, and real MPI programs (bench/mpi) run where they were placed.

Everything is scaled, since two processors can't calculate for 64 ranks:

  sizes      a quarter of the paper's: clusters of 33, 10, 13, 14 and 9 processors; jobs of 9, 16 and 18 ranks
  time       a sixteenth: a program runs about 6 s in one cluster; jobs come every 5 s (W1) or 2.5 s (W2) on average
  programs   each step of a rank rests some milliseconds in place of the calculation of a larger domain
  links      slower by as much as the programs: 14 Mbit/s between sites, 168 Mbit/s inside; the paper's ratio is kept

Jobs of each site's own users take 17.5 % of its processors. A submission site for each policy has no nodes.

Run it from the top of the tree, after scripts/build release all: python3 bench/cm_workloads.py (20 min)
"""
import argparse
import collections
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leaves the tree unchanged
from cm_bed import MPI_ENVIRONMENT, WORKING_NODES, Bed, begin, owner

BETWEEN, INSIDE = 14, 168  # Mbit/s
PROCESSORS = {name: nodes * 2 // 4 for name, nodes in WORKING_NODES.items()}
POLICIES = {"worst_fit": {"placement": "worst_fit"}, "cm": {"placement": "cm"}, "fcm": {"flexible_placement": "fcm"}}
GAPS = {"W1": 5.0, "W2": 2.5}  # seconds between jobs, in the mean
BACKGROUND, BACKGROUND_SECONDS, BACKGROUND_SIZE = 0.175, 10.0, 2
# Ranks and arguments; the last is how long a step rests, in milliseconds.
PROGRAMS = {"laplace": ((9, 16), ("720", "500", "8")), "heat": ((9, 16, 18), ("960", "250", "16"))}
COMPONENT_MAX = 6  # ranks
Shape = collections.namedtuple("Shape", "at program ranks components")
Local = collections.namedtuple("Local", "at site seconds")


def sites():
    lenders = [owner(name, processors, 1) for name, processors in PROCESSORS.items()]
    return lenders + [{"name": name, "users": ["u0"], "clusters": [], "settings": {"policies": policies}}
                      for name, policies in POLICIES.items()]


def draw_jobs(jobs, gap, seed):
    """The jobs of a workload. Programs, sizes and numbers of components are equally likely (section 5.4)."""
    chance, at, drawn = random.Random(seed), 0.0, []
    for _ in range(jobs):
        at += chance.expovariate(1 / gap)
        program = chance.choice(list(PROGRAMS))
        ranks = chance.choice(PROGRAMS[program][0])
        parts = [parts for parts in (2, 3, 4) if -(-ranks // parts) <= COMPONENT_MAX]
        drawn.append(Shape(at, program, ranks, chance.choice(parts)))
    return drawn


def draw_background(until, seed):
    """The jobs of the sites' own users, in the order of their times."""
    chance, drawn = random.Random(seed), []
    for site, processors in PROCESSORS.items():
        gap, at = BACKGROUND_SECONDS * BACKGROUND_SIZE / (processors * BACKGROUND), 0.0
        while (at := at + chance.expovariate(1 / gap)) < until:
            drawn.append(Local(at, site, chance.expovariate(1 / BACKGROUND_SECONDS)))
    return sorted(drawn)


def words_for(shape, policy, programs):
    each, more = divmod(shape.ranks, shape.components)
    sizes = [str(each + (i < more)) for i in range(shape.components)]
    request = ("--flexible", shape.ranks) if policy == "fcm" else ("--components", ",".join(sizes))
    return (*request, *MPI_ENVIRONMENT, "--mpi", "--", programs[shape.program], *PROGRAMS[shape.program][1])


class Submitter:
    """Starts `dmm submit` without waiting for it: a slow answer delays no other job."""

    def __init__(self, bed):
        self.bed, self.running = bed, []

    def submit(self, site, *words):
        command = [self.bed.network.binaries / "dmm", "submit", "--site", site, "--output-file", "/dev/null", *words]
        self.running.append(subprocess.Popen([str(word) for word in command], env=self.bed.environment,
                                             stdout=subprocess.DEVNULL))

    def finish(self):
        if failed := sum(process.wait() != 0 for process in self.running):
            sys.exit(f"{failed} jobs were not accepted")


def records(bed, site, *options):
    """Of the jobs of its users that aren't over, unless an option wants others."""
    return json.loads(bed.dmm("queue", "--site", site, "--json", *options))["jobs"]


def run_workload(bed, programs, policy, gap, options):
    """The records of its jobs."""
    jobs = draw_jobs(options.jobs, gap, options.seed)
    known = {one["job"] for one in records(bed, policy, "--all")}
    begun, submitter = time.monotonic(), Submitter(bed)
    for one in sorted([*jobs, *draw_background(jobs[-1].at + gap, options.seed)], key=lambda one: one.at):
        time.sleep(max(0.0, begun + one.at - time.monotonic()))
        if isinstance(one, Local):
            submitter.submit(one.site, "-n", BACKGROUND_SIZE, "--", "sleep", f"{one.seconds:.2f}")
        else:
            submitter.submit(policy, *words_for(one, policy, programs))
    submitter.finish()
    while any(records(bed, site) for site in (policy, *PROCESSORS)):
        time.sleep(1)
    done = [one for one in records(bed, policy, "--all") if one["job"] not in known]
    for one in done:
        if one["state"] != "finished":
            print(f"{policy}: job {one['job']} is {one['state']}: {one['text']}, {one['exit']}", file=sys.stderr)
    return done


def row_of(done):
    """Means over the jobs that finished."""
    finished = [one for one in done if one["state"] == "finished"]
    clusters = [len(one["places"]) or 1 for one in finished]  # of a single place the record has `place`
    mean = lambda values: statistics.mean(values) if finished else 0.0
    return {"jobs": len(done), "finished": len(finished),
            "response": mean([one["ended"] - one["submitted"] for one in finished]),
            "queue": mean([one["granted"] - one["submitted"] for one in finished]),
            "overhead": mean([one["ran_from"] - one["granted"] for one in finished]),
            "execution": mean([one["ended"] - one["ran_from"] for one in finished]),
            "clusters": mean(clusters), "in_one": mean([float(one == 1) for one in clusters])}


def claims_of(rows):
    """What the paper says of figure 7, and whether it is so here."""
    def falls(workload, key):
        return rows[workload, "worst_fit"][key] > rows[workload, "cm"][key] > rows[workload, "fcm"][key]

    grows = all(rows["W2", policy]["execution"] > rows["W1", policy]["execution"] for policy in POLICIES)
    most = lambda workload: all(rows[workload, "worst_fit"]["clusters"] > rows[workload, policy]["clusters"]
                                for policy in ("cm", "fcm"))
    short = all(rows["W1", policy]["queue"] < rows["W1", policy]["execution"] / 4 for policy in POLICIES)
    return {"W1: responses are shortest with FCM, then CM, then WF": falls("W1", "response"),
            "W2: responses are shortest with FCM, then CM, then WF": falls("W2", "response"),
            "W2: times in the queue are shortest with FCM, then CM, then WF": falls("W2", "queue"),
            "W1: all times in the queue are short, less than a quarter of the run": short,
            "all policies: programs run longer under W2": grows,
            "W1 and W2: WF combines the most clusters": most("W1") and most("W2"),
            "W2: FCM combines at least as many clusters as CM":
                rows["W2", "fcm"]["clusters"] >= rows["W2", "cm"]["clusters"]}


def tell(rows):
    print("| workload | policy | response [s] | queue [s] | overhead [s] | execution [s] | combined | in one "
          "| finished |\n|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for (workload, policy), row in rows.items():
        print(f"| {workload} | {policy} | {row['response']:.2f} | {row['queue']:.2f} | {row['overhead']:.3f} | "
              f"{row['execution']:.2f} | {row['clusters']:.2f} | {row['in_one'] * 100:.0f} % | "
              f"{row['finished']} of {row['jobs']} |")
    print("\n| claim of the CM paper | held |\n|---|---|")
    for claim, is_held in claims_of(rows).items():
        print(f"| {claim} | {'yes' if is_held else 'no'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=40, metavar="N", help="jobs of each workload (default 40)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the workloads (default 1)")
    options = parser.parse_args()
    begin("DMM_CM_INSIDE")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dmm-cm-"))
    bed = Bed(folder, sites(), BETWEEN, INSIDE, burst="4kb")
    try:
        programs = {name: bed.build(name) for name in PROGRAMS}
        rows = {}
        for workload, gap in GAPS.items():
            for policy in POLICIES:
                rows[workload, policy] = row_of(run_workload(bed, programs, policy, gap, options))
                print(f"{workload}, {policy}: {json.dumps(rows[workload, policy])}", file=sys.stderr)
    finally:
        bed.close()
        shutil.rmtree(folder, ignore_errors=True)
    tell(rows)


if __name__ == "__main__":
    main()
