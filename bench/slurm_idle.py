#!/usr/bin/env python3
"""Do local users of a Slurm cluster notice that its idle nodes are lent, and how much of the idle time is used?

    bench/slurm_idle.py                          at 50 and at 70 % load
    bench/slurm_idle.py --loads own --minutes 1

A slice of a real log (two sites of workloads/two-sites-morning.swf.gz, the one of 8 processors) is played on a real
Slurm cluster of 8 processors, twenty times as fast: each job sleeps as long as it ran. The same jobs come at the same
times without lending, with lending by pilots, and with lending by prolog and epilog. A neighbour with no free node of
its own runs a bag of short tasks on lent nodes. To change the load, the times between arrivals are changed.
bench/slurm_bag.py measures how long a bag takes.
"""
import argparse
import gzip
import json
import os
import pathlib
import re
import statistics
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SOURCE / "tests/processes")]
os.environ.setdefault("DMM_BIN", str(SOURCE / "build/bin"))
os.environ.setdefault("DMM_SOURCE", str(SOURCE))
from grid import until  # noqa: E402
from slurm_stage import MINUTE, NODES, SlurmTest  # noqa: E402

PROCESSORS = 2 * NODES
TASK_SECONDS = 1
SPEED = 20  # seconds of the log in a second of the bench: Slurm needs a second for a job


def log_jobs():
    """(arrival, run time, processors) of each job of the slice, in seconds of the log."""
    with gzip.open(SOURCE / "workloads/two-sites-morning.swf.gz", "rt") as file:
        rows = [line.split() for line in file if not line.startswith(";")]
    return [(float(row[1]), float(row[3]), int(row[4])) for row in rows if row[15] == "0"]


def local_jobs(seconds, load):
    """The same in seconds of the bench, as long; `load` None: the log's own."""
    jobs = [(at / SPEED, run / SPEED, processors) for at, run, processors in log_jobs()]
    span = max(at for at, _, _ in jobs)
    own = sum(run * processors for _, run, processors in jobs) / (PROCESSORS * span)
    stretch = own / load if load else 1
    return [(at * stretch, run, processors) for at, run, processors in jobs if at * stretch <= seconds]


class Bed(SlurmTest):
    def runTest(self):  # noqa: N802
        pass


class PrologBed(Bed):
    options = ("--without-pilots",)


class Play:
    """One play of the local jobs on cluster b."""

    def __init__(self, bed, jobs):
        self.bed, self.jobs, self.waits = bed, jobs, []
        self.folder = bed.folder / f"began-{time.monotonic_ns()}"
        self.folder.mkdir()
        self.folder.chmod(0o777)

    def run(self):
        began, submitted = time.time(), []
        for number, (at, run, processors) in enumerate(self.jobs):
            time.sleep(max(began + at - time.time(), 0))
            submitted.append(time.time())
            self.bed.b.sbatch(f"--ntasks={processors}",
                              f"--wrap=date +%s.%N > {self.folder}/{number}; sleep {run:.3f}")
        until(lambda: len(list(self.folder.iterdir())) == len(self.jobs), lambda: self.bed.b.run("squeue"), 10 * MINUTE)
        until(lambda: not self.bed.b.run("squeue", "--noheader", "--partition=main"), "the last local job", MINUTE)
        self.waits = [float((self.folder / str(number)).read_text() or "nan") - at
                      for number, at in enumerate(submitted)]
        return time.time() - began


def lent_seconds(bed):
    """Processor seconds of b that a has used so far."""
    sites = json.loads(bed.b.run("dmm", "sites", "--json", code=None))["sites"]
    [link] = [link for site in sites for link in site["links"] if link["site"] == "a"]
    return link["lent_processor_seconds"]


class Result:
    """The result of one play."""

    def __init__(self, waits, seconds, used, lent):
        self.waits = waits
        self.filled = lent / (PROCESSORS * seconds - used)  # of the time that local jobs left idle


def play(bed, jobs, lends):
    """Plays the local jobs once. If b lends, a's bag of tasks runs on the lent nodes."""
    before = lent_seconds(bed)
    bag = ""
    if lends:
        said = bed.a.run("dmm", "submit", "--array", f"1-100000%{2 * NODES}", "-n", "2", "--discard-output", "--",
                         "sleep", TASK_SECONDS)
        bag = re.search(r"a/ann/\d+", said).group(0)
    one = Play(bed, jobs)
    seconds = one.run()
    lent = lent_seconds(bed) - before
    if bag:
        bed.a.run("dmm", "cancel", bag, "--yes", code=None)
        until(lambda: not bed.b.leased(), lambda: bed.b.run("dmm", "nodes"), MINUTE)
    return Result(one.waits, seconds, sum(run * processors for _, run, processors in jobs), lent)


def fill_a(bed):
    """Endless jobs take all of a's own nodes, so that the bag runs on lent nodes."""
    job = bed.a.sbatch(f"--nodes={NODES}", "--exclusive", "--wrap=sleep 100000")
    bed.a.until_slurm(job, "RUNNING")


def by(kind, plays, off=None):
    """Results with lending; with `off` also those of the same cluster without lending."""
    kind.setUpClass()
    try:
        bed = kind()
        bed.setUp()
        fill_a(bed)
        results = [play(bed, jobs, True) for jobs in plays]
        if off is not None:
            bed.b.stop_lending()
            off += [play(bed, jobs, False) for jobs in plays]
        return results
    finally:
        kind.doClassCleanups()


def wait_text(result):
    return f"{statistics.mean(result.waits):.2f} | {statistics.median(result.waits):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", default="50,70", help='percent, with commas; "own" is the log\'s')
    parser.add_argument("--minutes", type=float, default=3, help="minutes of each play (default 3)")
    options = parser.parse_args()
    loads = options.loads.split(",")
    seconds = options.minutes * 60
    plays = [local_jobs(seconds, None if load == "own" else float(load) / 100) for load in loads]
    off = []
    pilots = by(Bed, plays, off)
    prolog = by(PrologBed, plays)
    print("Waits of local jobs, mean and median in seconds; idle time that was used")
    print("| load | jobs | without | | by pilots | | used | by prolog | | used |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for load, jobs, without, pilot, script in zip(loads, plays, off, pilots, prolog):
        print(f"| {load} | {len(jobs)} | {wait_text(without)} | {wait_text(pilot)} | {pilot.filled:.0%} | "
              f"{wait_text(script)} | {script.filled:.0%} |")


if __name__ == "__main__":
    main()
