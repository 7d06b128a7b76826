#!/usr/bin/env python3
"""How long does a bag of tasks take on the nodes that a Slurm cluster leaves idle ([IDLE], table 1)? On real Slurm, and
by the simulator for the same jobs.

    bench/slurm_bag.py                              tasks of 5, 15 and 30 minutes at 30, 50, 70 and 90 % load
    bench/slurm_bag.py --loads 50 --tasks 5

One second of the bench stands for a minute. Local jobs come from a slice of a real log (bench/slurm_idle.py), twice as
long as there; each takes whole nodes. Cluster b has four nodes and lends idle ones by pilots; cluster a's own nodes are
all taken. Loads come from other times between arrivals.
"""
import argparse
import itertools
import json
import os
import re
import subprocess
import threading
import time

from slurm_idle import NODES, Bed, fill_a, lent_seconds, log_jobs
from grid import until
from slurm_stage import MINUTE

MINUTE_SECONDS = 60  # of the simulated minute that a second of the bench stands for
LONGER = 2
ROUNDS = 20  # the slice, one after another
WARM_UP = 30  # minutes: then the bag arrives


def jobs_of_log():
    """(arrival, run time, nodes) of each, in simulated seconds."""
    slice_jobs = [(at * LONGER, run * LONGER, (processors + 1) // 2) for at, run, processors in log_jobs()]
    length = max(at for at, _, _ in slice_jobs) + 60 * LONGER
    return [(at + number * length, run, nodes) for number in range(ROUNDS) for at, run, nodes in slice_jobs]


def load_of(jobs):
    """As the simulator counts it: work over capacity from the first arrival to the last."""
    return sum(run * nodes for _, run, nodes in jobs) / (NODES * (jobs[-1][0] - jobs[0][0]))


def simulated(folder, jobs, loads, work):
    """Turnaround in minutes by (load, task)."""
    file = folder / "local.swf"
    file.write_text("".join(f"{number} {at:.0f} -1 {run:.0f} {nodes} -1 -1 {nodes} {run:.0f} -1 1 1 1 -1 1 -1 -1 -1\n"
                            for number, (at, run, nodes) in enumerate(jobs, 1)))
    words = [os.environ["DMM_BIN"] + "/dmm", "compare", "--experiment", "idle-nodes", "--workload", file,
             "--processors", NODES, "--work-minutes", work, "--bag-at", WARM_UP, "--loads", ",".join(map(str, loads)),
             "--json"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    return {(row["load"], row["task_minutes"]): row for row in json.loads(done.stdout)["rows"] if row["load"] > 0}


class Locals(threading.Thread):
    """Local users of b, until told to stop."""

    def __init__(self, cluster, jobs):
        super().__init__()
        self.cluster, self.jobs, self.over = cluster, jobs, threading.Event()

    def run(self):
        began = time.monotonic()
        for at, run, nodes in self.jobs:
            if self.over.wait(max(began + at - time.monotonic(), 0)):
                return
            self.cluster.sbatch(f"--nodes={nodes}", "--exclusive", f"--wrap=sleep {run:.3f}")


def play(bed, jobs, load, task, work):
    """Seconds until the bag is done, and processor seconds lent for each that the bag needs."""
    stretch = load_of(jobs) / load / MINUTE_SECONDS
    local = Locals(bed.b, [((at - jobs[0][0]) * stretch, run / MINUTE_SECONDS, nodes) for at, run, nodes in jobs])
    local.start()
    time.sleep(WARM_UP)
    before, began = lent_seconds(bed), time.monotonic()
    said = bed.a.run("dmm", "submit", "--array", f"1-{work // task}", "-n", "2", "--discard-output", "--", "sleep",
                     task)
    bag = re.search(r"a/ann/(\d+)", said).group(1)
    until(lambda: bed.a.job(bag)["state"] == "finished", lambda: bed.a.run("dmm", "queue"), 60 * MINUTE)
    took = time.monotonic() - began
    lent = lent_seconds(bed) - before
    local.over.set()
    local.join()
    bed.b.run("scancel", "--partition=main")
    until(lambda: not bed.b.run("squeue", "--noheader", "--partition=main"), "the last local job", MINUTE)
    bed.b.until_held(NODES)
    return took, lent / (2 * work)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", default="30,50,70,90", help="percent, with commas")
    parser.add_argument("--tasks", default="5,15,30", help="minutes, with commas")
    parser.add_argument("--work", type=int, default=180, help="node-minutes of the bag (default 180)")
    options = parser.parse_args()
    loads = [float(load) / 100 for load in options.loads.split(",")]
    tasks = [int(task) for task in options.tasks.split(",")]
    jobs = jobs_of_log()
    Bed.setUpClass()
    try:
        bed = Bed()
        bed.setUp()
        fill_a(bed)
        model = simulated(bed.folder, jobs, loads, options.work)
        print("| load | task [min] | turnaround [min] | simulated | lent, of what is needed |\n|--:|--:|--:|--:|--:|")
        for load, task in itertools.product(loads, tasks):
            took, lent = play(bed, jobs, load, task, options.work)
            there = model[load, task]["turnaround_minutes"]
            print(f"| {load:.0%} | {task} | {took:.0f} | {there:.0f} | {lent:.2f} |", flush=True)
    finally:
        Bed.doClassCleanups()


if __name__ == "__main__":
    main()
