#!/usr/bin/env python3
"""Measures DMM and prints one table: DMM's figure, that of bare libzmq or posix_spawn in the same minute, the ratio,
the aim, and whether it is met. `ninja -C build bench` builds what it needs and runs it.

Ratios are from one run on one machine; absolute figures say little elsewhere. Round trips are given with all processes
pinned to one processor ("together") and with neighbours on different ones ("apart"): unpinned, the same program falls
into either by chance. Measurements alternate when repeated, and the best counts. docs/performance.md has the figures
and explains where the time goes.
"""
import argparse
import json
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True  # leaves the tree unchanged
from report_core import measure_codec, measure_ledger, measure_match
from report_daemons import measure_hops, measure_lockstep, measure_memory, measure_pipeline, measure_transport
from report_jobs import measure_dispatch, measure_parallel
from report_simulator import measure_default, measure_messages, measure_simulation
from report_table import Table
from stage import CORES, Trouble


class Effort:
    """How long each measurement takes."""

    def __init__(self, quick):
        self.quick = quick
        self.repeats = 1 if quick else 3
        self.round_trips = 500 if quick else 1500
        self.seconds = 0.5 if quick else 1.2
        self.hops = (0, 1, 2, 4) if quick else (0, 1, 2, 4, 8)
        self.jobs = 400 if quick else 2000
        self.simulated_jobs = 3_000 if quick else 20_000
        self.stream_jobs = 45_500 if quick else 455_000
        self.links, self.leases = (20, 2_000) if quick else (100, 10_000)
        self.micro = "0.02" if quick else "0.15"  # seconds a micro-benchmark


SECTIONS = {"codec": measure_codec, "match": measure_match, "transport": measure_transport,
            "pipeline": measure_pipeline, "lockstep": measure_lockstep,
            "hops": measure_hops, "dispatch": measure_dispatch, "ledger": measure_ledger, "memory": measure_memory,
            "messages": measure_messages, "parallel": measure_parallel, "default": measure_default,
            "simulation": measure_simulation}


def machine():
    model = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown processor")
    return {"processor": model, "processors": len(CORES), "load_average": os.getloadavg()[0],
            "kernel": os.uname().release, "date": time.strftime("%Y-%m-%d")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="half a minute, with rough figures")
    parser.add_argument("--only", metavar="SECTION", action="append", choices=SECTIONS,
                        help="one section, can be given again: " + ", ".join(SECTIONS))
    parser.add_argument("--json", metavar="FILE", help="also write all rows to this file")
    options = parser.parse_args()

    effort, here, began = Effort(options.quick), machine(), time.monotonic()
    print(f"{here['processors']} x {here['processor']}, Linux {here['kernel']}, load average "
          f"{here['load_average']:.1f} before the start; log level warning, records in memory")
    table = Table()
    failures = []
    for name in options.only or SECTIONS:
        try:
            SECTIONS[name](table, effort)
        except Trouble as trouble:
            failures.append(f"{name}: {trouble}")
            print(f"not measured: {trouble}")
        except KeyboardInterrupt:
            return 130
    missed = [row["name"] for row in table.rows if row["met"] is False]
    met = sum(row["met"] is True for row in table.rows)
    print(f"\n{met} of {met + len(missed)} aims met, {time.monotonic() - began:.0f} s")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"machine": here, "rows": table.rows}, indent=1) + "\n",
                                              encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
