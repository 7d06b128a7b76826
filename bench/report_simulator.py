"""The simulator: messages for each job, the time of `dmm simulate`, and its speed beside SimGrid."""
import os
import pathlib
import subprocess

from report_table import best
from stage import BENCH, BIN, Stage, Trouble

SOURCE = pathlib.Path(__file__).resolve().parent.parent


# ---- Messages

def measure_messages(table, effort):
    table.heading("messages per job on the simulated dual grid, median")
    for load, aim in ((0.95, 20), (1.2, 60)):
        with Stage() as stage:
            result = stage.result("overload_bench", "simulate", load=load, jobs=effort.simulated_jobs)
        table.row(f"load {load:g}, {result['jobs']:,.0f} jobs in {result['hours']:.1f} h",
                  result["messages_median"], "", at_most=aim,
                  note=f", mean {result['messages_mean']:.0f}, p99 {result['messages_p99']:.0f}")


# ---- `dmm simulate`

def run_dmm(*arguments):
    """Processor seconds, and the most memory in kB."""
    child = subprocess.Popen([BIN / "dmm", "simulate", *arguments],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Trouble(f"dmm simulate ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def measure_default(table, effort):
    table.heading("dmm simulate, the daemons' defaults, processor time")
    day = ("--topology", SOURCE / "topologies/dual-grid.json", "--workload", SOURCE / "workloads/dual-grid-day.swf.gz")
    ours = min(run_dmm(*day)[0] for _ in range(effort.repeats))
    coarse = min(run_dmm(*day, "--coarse")[0] for _ in range(effort.repeats))
    table.row("the dual grid's day", ours, "s", at_most=2)
    table.row("the same", ours, "s", coarse, "--coarse", at_most=2)
    if effort.quick:
        return
    seconds, memory = run_dmm("--topology", SOURCE / "bench/thousand-sites.json", "--model", "lublin-feitelson",
                              "--load", "0.8", "--days", "0.5")
    table.row("1,000 sites, 324,786 jobs", seconds, "s", at_most=120)
    table.row("the same: memory", memory, "kB", at_most=256 * 1024)


# ---- The simulator

def measure_simulation(table, effort):
    table.heading("the simulator, one thread, messages encoded")
    with Stage() as stage:
        def simulate(role, **arguments):
            return stage.result("simulate_bench", role, **arguments)

        ours, peer = [], []
        for _ in range(effort.repeats):
            ours.append(simulate("dual", architecture="dmm", jobs=effort.stream_jobs, load=0.7))
            if (BENCH / "simgrid_bench").exists():
                peer.append(stage.result("simgrid_bench", "run", jobs=effort.stream_jobs // 20, load=0.7))
        rows = (("jobs_per_second", "jobs", 2), ("messages_per_second", "messages", 5))
        for key, name, aim in rows:
            beside = (best(peer, key), "SimGrid", {"at_least": aim}) if peer else (None, "no libsimgrid-dev", {})
            table.row(f"dmm, dual grid, {effort.stream_jobs:,} jobs, load 0.7: {name}", best(ours, key), "/s",
                      beside[0], beside[1], **beside[2],
                      note=f", {ours[0]['messages_per_job']:.1f} messages a job")
        seconds = best(ours, "seconds")
        table.row("the same: time", seconds, "s", at_most=10 * effort.stream_jobs / 455_000)
        for name in ("cern", "condor", "fcondor", "koala", "sep-c"):
            seconds += simulate("dual", architecture=name, jobs=effort.stream_jobs, load=0.7)["seconds"]
        table.row("dmm, cern, condor, fcondor, koala, sep-c: time", seconds, "s",
                  at_most=30 * effort.stream_jobs / 455_000)
        short = best([simulate("one", architecture="fcfs", jobs=100_000, load=0.7) for _ in range(3)],
                     "jobs_per_second")
        long = simulate("one", architecture="fcfs", jobs=effort.stream_jobs * 22, load=0.7)["jobs_per_second"]
        table.row(f"fcfs, one cluster, {effort.stream_jobs * 22:,} jobs", long, "/s", at_least=1_000_000)
        table.row("time a job, beside that of 100,000 jobs", 1e9 / long, "ns", 1e9 / short, "short", at_most=1.2)
        tree = simulate("tree", sites=1000, jobs=effort.stream_jobs // 20, load=0.7)
        table.row(f"dmm, 1,000 sites, {effort.stream_jobs // 20:,} jobs: memory", tree["memory_kb"], "kB",
                  note=f", {tree['jobs_per_second']:,.0f} jobs/s")
