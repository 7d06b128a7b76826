#!/usr/bin/env python3
"""How long Slurm's users wait where DMM lends and borrows nodes, on two real clusters (scripts/slurm-testbed), compared
with Slurm alone in the same run: seconds from `sbatch` to the start of the job's program, and the cost of watching
Slurm.

    bench/slurm.py              five times each
    bench/slurm.py --times 2
"""
import argparse
import collections
import os
import pathlib
import statistics
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SOURCE / "tests/processes"), str(SOURCE / "scripts/modules")]
os.environ.setdefault("DMM_BIN", str(SOURCE / "build/bin"))
os.environ.setdefault("DMM_SOURCE", str(SOURCE))
from grid import until  # noqa: E402
from slurm_stage import MINUTE, NODES, SlurmTest  # noqa: E402
from testbed_sites import processor_seconds  # noqa: E402


class Bed(SlurmTest):
    """The testbed without a test."""
    options = ("--idle-for", "1", "--borrow-after", "0")

    def runTest(self):  # noqa: N802
        pass

    def clear(self):
        self.tearDown()
        self.setUp()

    def started(self, cluster, *words):
        """Seconds from submission to the program's first output, which is the time."""
        file = self.folder / f"began-{time.monotonic_ns()}"
        file.touch()
        file.chmod(0o666)
        submitted = time.time()
        job = cluster.sbatch(*words, f"--wrap=date +%s.%N > {file}; sleep 1000")
        until(lambda: file.read_text().strip(), lambda: cluster.run("squeue"), MINUTE)
        return float(file.read_text()) - submitted, job

    def reclaim_seconds(self, is_lent=False):
        """Seconds until a job of b's users has all of b, with or without a job of a's user on one of the nodes."""
        if is_lent:
            self.a.fill()
            self.a.until_job(self.a.submit("sleep", "1000"), "running")
        took, _ = self.started(self.b, f"--nodes={NODES}")
        self.clear()
        return took

    def fill_with_slurm(self):
        """A job of a's own users takes all of a; waits until a's batch manager has seen it."""
        _, job = self.started(self.a, f"--nodes={NODES}", "--exclusive")
        until(lambda: self.a.states().count("local job") == NODES, lambda: self.a.run("dmm", "nodes"), MINUTE)
        time.sleep(1)  # two looks: jobs that lack nodes right after a start cause no borrowing
        return job

    def end(self, cluster, *jobs):
        cluster.run("scancel", *jobs)
        cluster.until_idle()

    def bare(self):
        """The time of a script without DMM: it submits a pilot for the waiting job, which joins its cluster at once."""
        script = self.folder / "bare.sh"
        script.write_text(BARE.format(folder=self.folder, key=self.a.folder / "munge/key",
                                      conf=self.a.folder / "slurm.conf"))
        _, full = self.started(self.a, f"--nodes={NODES}", "--exclusive")
        time.sleep(1)
        file = self.folder / f"began-{time.monotonic_ns()}"
        file.touch()
        file.chmod(0o666)
        submitted = time.time()
        job = self.a.sbatch(f"--wrap=date +%s.%N > {file}; sleep 1000")
        pilot = self.b.run("sbatch", "--parsable", "--exclusive", "--output=/dev/null", "--chdir=/", script)
        until(lambda: file.read_text().strip(), lambda: self.a.run("squeue"), MINUTE)
        took = float(file.read_text()) - submitted
        self.a.run("scontrol", "update", "nodename=bare1", "state=down", "reason=over")
        self.a.run("scontrol", "delete", "nodename=bare1")
        self.end(self.a, full, job)
        self.end(self.b, pilot)
        return took


class PrologBed(Bed):
    options = ("--without-pilots",)


BARE = """#!/bin/sh
unset $(env | sed -n 's/^\\(S\\(LURM\\|BATCH\\)[A-Z_]*\\)=.*/\\1/p')
D=$(mktemp -d {folder}/bare.XXXXXX)
chmod 755 $D
mkdir $D/spool
install -m 600 {key} $D/key
touch $D/cgroup.conf
sed -e "s#^AuthInfo=.*#AuthInfo=socket=$D/munge#" -e "s#^SlurmdSpoolDir=.*#SlurmdSpoolDir=$D/spool#" \
  -e "s#^SlurmdPidFile=.*#SlurmdPidFile=$D/slurmd.pid#" -e "s#^SlurmdLogFile=.*#SlurmdLogFile=$D/log#" \
  {conf} > $D/slurm.conf
munged --force --foreground --origin=127.0.0.1 --key-file=$D/key --socket=$D/munge --pid-file=$D/munged.pid \
  --log-file=$D/munged.log --seed-file=$D/seed < /dev/null > /dev/null 2>&1 &
until [ -S $D/munge ]; do sleep 0.01; done
SLURM_CONF=$D/slurm.conf slurmd -D -f $D/slurm.conf -Z -N bare1 --conf "CPUs=2 RealMemory=2000"
"""


def by_pilots(times, rows):
    """Lending and borrowing by pilots, then Slurm alone; the processors that watching takes."""
    Bed.setUpClass()
    try:
        bed = Bed()
        bed.setUp()
        pid = bed.b.pid_of("batch/batchmgr")
        before, began = processor_seconds(pid), time.monotonic()
        time.sleep(20)  # its use while nothing happens
        share = (processor_seconds(pid) - before) / (time.monotonic() - began)
        for _ in range(times):
            rows["all held by pilots"].append(bed.reclaim_seconds())
            rows["one lent by a pilot, to a job that heeds SIGTERM"].append(bed.reclaim_seconds(is_lent=True))
            full = bed.fill_with_slurm()
            rows["of a full cluster, on a borrowed node"].append(bed.started(bed.a)[0])
            bed.a.run("scancel", full)
            bed.clear()
        bed.a.stop_lending()
        bed.b.stop_lending()
        for _ in range(times):
            took, job = bed.started(bed.b, f"--nodes={NODES}")
            rows["Slurm alone, idle nodes"].append(took)
            bed.end(bed.b, job)
            rows["of a full cluster, by the bare mechanism"].append(bed.bare())
        return share
    finally:
        Bed.doClassCleanups()


def by_prolog(times, rows):
    PrologBed.setUpClass()
    try:
        bed = PrologBed()
        bed.setUp()
        for _ in range(times):
            rows["all offered, a prolog stops the agents"].append(bed.reclaim_seconds())
            rows["one lent so, to a job that heeds SIGTERM"].append(bed.reclaim_seconds(is_lent=True))
    finally:
        PrologBed.doClassCleanups()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=5)
    times = options.parse_args().times
    rows = collections.defaultdict(list)
    share = by_pilots(times, rows)
    by_prolog(times, rows)
    print("| seconds from sbatch to the program's start | median | least | most |\n|---|--:|--:|--:|")
    for what, seconds in rows.items():
        print(f"| {what} | {statistics.median(seconds):.2f} | {min(seconds):.2f} | {max(seconds):.2f} |")
    print(f"\nWatching {NODES} nodes twice a second, commands included: {share:.3f} processors")


if __name__ == "__main__":
    main()
