#!/usr/bin/env python3
"""How long does a bag of tasks take on the nodes that a Slurm cluster leaves idle ([IDLE], table 1)? Measured on real
Slurm, and simulated with the same jobs.

    bench/slurm_bag.py                              tasks of 5 and 15 minutes at 30, 50, 70 and 90 % load
    bench/slurm_bag.py --loads 50 --tasks 5
    bench/slurm_bag.py --minute 6                   six seconds of the bench stand for a minute

Slurm needs a second for each job beyond its run time, so local users have more of the cluster than in the simulator:
both shares are printed. With a slower clock that second matters less. Local jobs come from a slice of a real log
(bench/slurm_idle.py), twice as long as there; each takes whole nodes. Cluster b has four nodes and lends idle ones by
pilots; cluster a's own nodes are all taken. To change the load, the times between arrivals are changed.
"""
import argparse
import itertools
import json
import os
import re
import signal
import subprocess
import threading
import time

from slurm_idle import NODES, Bed, fill_a, lent_seconds, log_jobs
from grid import until
from slurm_stage import MINUTE

LONGER = 2
ROUNDS = 20  # repetitions of the slice
WARM_UP = 30  # minutes before the bag arrives


class BagBed(Bed):
    """Also lends nodes that no waiting local job can use yet, as in [IDLE]."""
    options = (*Bed.options, "--lend-between")


def jobs_of_log():
    """(arrival, run time, nodes) of each local job, in simulated seconds."""
    slice_jobs = [(at * LONGER, run * LONGER, (processors + 1) // 2) for at, run, processors in log_jobs()]
    length = max(at for at, _, _ in slice_jobs) + 60 * LONGER
    return [(at + number * length, run, nodes) for number in range(ROUNDS) for at, run, nodes in slice_jobs]


def load_of(jobs):
    """The load as the simulator counts it: work over capacity from the first arrival to the last."""
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


class Uses(threading.Thread):
    """The share of b's nodes that local jobs have, sampled every second until stopped."""

    def __init__(self, cluster):
        super().__init__()
        self.cluster, self.shares, self.over = cluster, [], threading.Event()

    def run(self):
        while not self.over.wait(1):
            if states := self.cluster.states():
                self.shares.append(states.count("local job") / NODES)

    def mean(self):
        return sum(self.shares) / max(len(self.shares), 1)


class Locals(threading.Thread):
    """Local users of b, until stopped."""

    def __init__(self, cluster, jobs):
        super().__init__()
        self.cluster, self.jobs, self.over = cluster, jobs, threading.Event()

    def run(self):
        began = time.monotonic()
        for at, run, nodes in self.jobs:
            if self.over.wait(max(began + at - time.monotonic(), 0)):
                return
            self.cluster.sbatch(f"--nodes={nodes}", "--exclusive", f"--wrap=sleep {run:.3f}")


def without_pauses(cluster):
    """Removes the pause between attempts of an interrupted task: the simulated cluster has none."""
    file = cluster.folder / "ann/jobmgr.json"
    config = json.loads(file.read_text())
    file.write_text(json.dumps({**config, "rerun_pause_seconds": 0}))
    os.kill(cluster.pid_of("ann/jobmgr"), signal.SIGHUP)


def play(bed, jobs, load, task, work, speed):
    """Minutes until the bag is done, lent processor seconds for each second that it needs, and the local jobs' share.
    `speed`: simulated seconds in a second of the bench."""
    stretch = load_of(jobs) / load / speed
    local = Locals(bed.b, [((at - jobs[0][0]) * stretch, run / speed, nodes) for at, run, nodes in jobs])
    local.start()
    time.sleep(WARM_UP * 60 / speed)
    uses = Uses(bed.b)
    uses.start()
    before, began = lent_seconds(bed), time.monotonic()
    said = bed.a.run("dmm", "submit", "--array", f"1-{work // task}", "-n", "2", "--discard-output", "--", "sleep",
                     task * 60 / speed)
    bag = re.search(r"a/ann/(\d+)", said).group(1)
    until(lambda: bed.a.job(bag)["state"] == "finished", lambda: bed.a.run("dmm", "queue"), 120 * MINUTE)
    took = time.monotonic() - began
    lent = lent_seconds(bed) - before
    for thread in (local, uses):
        thread.over.set()
        thread.join()
    bed.b.run("scancel", "--partition=main")
    until(lambda: not bed.b.run("squeue", "--noheader", "--partition=main"), "the last local job", MINUTE)
    bed.b.until_held(NODES)
    return took * speed / 60, lent / (2 * work * 60 / speed), uses.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", default="30,50,70,90", help="percent, with commas")
    parser.add_argument("--tasks", default="5,15", help="minutes, with commas")
    parser.add_argument("--work", type=int, default=120, help="node-minutes of the bag (default 120)")
    parser.add_argument("--minute", type=float, default=2, help="seconds of the bench for a minute (default 2)")
    options = parser.parse_args()
    loads = [float(load) / 100 for load in options.loads.split(",")]
    tasks = [int(task) for task in options.tasks.split(",")]
    jobs = jobs_of_log()
    BagBed.setUpClass()
    try:
        bed = BagBed()
        bed.setUp()
        fill_a(bed)
        without_pauses(bed.a)
        model = simulated(bed.folder, jobs, loads, options.work)
        print("| load | task [min] | turnaround [min] | simulated | local use | simulated | lent, of what is needed |")
        print("|--:|--:|--:|--:|--:|--:|--:|", flush=True)
        for load, task in itertools.product(loads, tasks):
            took, lent, used = play(bed, jobs, load, task, options.work, 60 / options.minute)
            row = model[load, task]
            print(f"| {load:.0%} | {task} | {took:.0f} | {row['turnaround_minutes']:.0f} | {used:.0%} | "
                  f"{row['local_utilisation']:.0%} | {lent:.2f} |", flush=True)
    finally:
        BagBed.doClassCleanups()


if __name__ == "__main__":
    main()
