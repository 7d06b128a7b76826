#!/usr/bin/env python3
"""How long Slurm's users wait where DMM lends and borrows nodes, on two real clusters (scripts/slurm-testbed), beside
Slurm alone in the same run: seconds from `sbatch` to the start of the job's program, and what watching Slurm costs.

    bench/slurm.py              five times each
    bench/slurm.py --times 2
"""
import argparse
import os
import pathlib
import statistics
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SOURCE / "tests/processes")]
os.environ.setdefault("DMM_BIN", str(SOURCE / "build/bin"))
os.environ.setdefault("DMM_SOURCE", str(SOURCE))
from grid import until  # noqa: E402
from slurm_stage import MINUTE, NODES, SlurmTest  # noqa: E402


class Bed(SlurmTest):
    """The testbed without a test."""

    def runTest(self):  # noqa: N802
        pass

    def clear(self):
        self.tearDown()
        self.setUp()

    def started(self, cluster, *words):
        """Seconds from submission to the program's first word, which is the time."""
        file = self.folder / f"began-{time.monotonic_ns()}"
        file.touch()
        file.chmod(0o666)
        submitted = time.time()
        job = cluster.sbatch(*words, f"--wrap=date +%s.%N > {file}; sleep 1000")
        until(lambda: file.read_text().strip(), lambda: cluster.run("squeue"), MINUTE)
        return float(file.read_text()) - submitted, job


def show(what, seconds):
    print(f"| {what} | {statistics.median(seconds):.2f} | {min(seconds):.2f} | {max(seconds):.2f} |")


def seconds_of(pid):
    """Processor time of a process and of all that it has waited for."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=5)
    times = options.parse_args().times
    Bed.setUpClass()
    try:
        bed = Bed()
        bed.setUp()
        pid = int((bed.b.folder / "batch/batchmgr.pid").read_text())
        before, began = seconds_of(pid), time.monotonic()
        time.sleep(20)  # what it uses while nothing happens
        share = (seconds_of(pid) - before) / (time.monotonic() - began)
        held, lent, borrowed, idle = [], [], [], []
        for _ in range(times):
            held.append(bed.started(bed.b, f"--nodes={NODES}")[0])
            bed.clear()
            for _ in range(NODES + 1):
                bed.a.until_job(bed.a.submit("sleep", "1000"), "running")
            lent.append(bed.started(bed.b, f"--nodes={NODES}")[0])
            bed.clear()
            _, full = bed.started(bed.a, f"--nodes={NODES}", "--exclusive")
            borrowed.append(bed.started(bed.a)[0])
            bed.a.run("scancel", full)
            bed.clear()
        os.kill(pid, 15)  # no pilots from now on
        bed.b.run("scancel", "--partition=lend")
        until(lambda: not bed.b.run("squeue", "--noheader"), "idle nodes", MINUTE)
        for _ in range(times):
            took, job = bed.started(bed.b, f"--nodes={NODES}")
            idle.append(took)
            bed.b.run("scancel", job)
            until(lambda: not bed.b.run("squeue", "--noheader"), "idle nodes", MINUTE)
        print("| seconds from sbatch to the program's start | median | least | most |\n|---|--:|--:|--:|")
        show(f"Slurm alone, {NODES} idle nodes", idle)
        show(f"the same, all {NODES} held by pilots", held)
        show("the same, one of them lent, with a job that heeds SIGTERM", lent)
        show("of a full cluster, on a node that is borrowed for it", borrowed)
        print(f"\nWatching {NODES} nodes twice a second, commands included: {share:.3f} processors")
    finally:
        Bed.doClassCleanups()


if __name__ == "__main__":
    main()
