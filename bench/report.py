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
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leaves the tree unchanged
from stage import BENCH, BIN, CORES, Stage, Trouble, expect_ready, memory_kb

SOURCE = pathlib.Path(__file__).resolve().parent.parent

NODES = 20_000  # of the resource managers that only say Clean: more than any lock-step run takes
SITE = "das-3"
COLUMNS = (("", 48), ("DMM", 22), ("beside it", 25), ("ratio", 5), ("aim", 7), ("met", 3))


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


class Table:
    """The rows so far, in columns of fixed width; and as data."""

    def __init__(self):
        self.rows = []
        self.section = ""
        print()
        self._print(name for name, _ in COLUMNS)
        self._print("-" * width for _, width in COLUMNS)

    def _print(self, cells):
        print("  ".join(f"{cell:<{width}}" for cell, (_, width) in zip(cells, COLUMNS)).rstrip(), flush=True)

    def heading(self, text):
        self.section = text
        print(f"\n{text}", flush=True)

    def row(self, name, value, unit, beside=None, beside_name="", at_most=None, at_least=None, ratio=None, note=""):
        """`at_most` and `at_least` bound the ratio, or the value if there is nothing to compare with."""
        if ratio is None and beside:
            ratio = value / beside
        judged = ratio if ratio is not None else value
        met = None
        if at_most is not None:
            met = judged <= at_most
        if at_least is not None:
            met = judged >= at_least
        aim = "" if met is None else f"<= {at_most:g}" if at_most is not None else f">= {at_least:g}"
        self._print(("  " + name, shown(value, unit) + note, f"{shown(beside, unit)} {beside_name}" if beside else "",
                     "" if ratio is None else f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}", aim,
                     "" if met is None else "yes" if met else "NO"))
        self.rows.append({"section": self.section, "name": name, "value": value, "unit": unit, "note": note.strip(" ,"),
                          "beside": beside, "beside_name": beside_name, "ratio": ratio, "aim": aim, "met": met})


def shown(value, unit):
    if unit == "/s":
        for size, prefix in ((1e6, "M"), (1e4, "k")):
            if value >= size:
                return f"{value / (1e6 if prefix == 'M' else 1e3):.{2 if prefix == 'M' else 1}f} {prefix}/s"
        return f"{value:.0f}/s"
    digits = 0 if abs(value) >= 100 or value == int(value) else 1
    return f"{value:.{digits}f} {unit}".rstrip()


def best(results, key):
    """Of repeats that alternate with their comparison, the one that other work on the machine disturbed least."""
    values = [result[key] for result in results]
    return max(values) if key.endswith("per_second") else min(values)


# ---- In memory

def micro(program, effort, only="."):
    words = [BENCH / program, f"--benchmark_filter={only}", "--benchmark_format=json",
             f"--benchmark_min_time={effort.micro}"]
    run = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if run.returncode != 0:
        raise Trouble(f"{program} failed")
    return {each["name"]: each for each in json.loads(run.stdout)["benchmarks"]}


def measure_codec(table, effort):
    table.heading("codec: encode + decode (processor time)")
    results = micro("codec_bench", effort)
    for message in ("Request", "Delegate", "Grant", "Assign", "Release", "Beat"):
        encode, decode = results[f"encode/{message}"], results[f"decode/{message}"]
        table.row(f"{message}, {encode['bytes']:.0f} bytes", encode["cpu_time"] + decode["cpu_time"], "ns",
                  note=f" = {encode['cpu_time']:.0f} + {decode['cpu_time']:.0f}")


def measure_match(table, effort):
    table.heading("matches of one site manager in memory (processor time)")
    results = micro("match_bench", effort)
    for case, name in (("machine_alone", "machine alone"), ("with_codec", "and all messages through the codec"),
                       ("with_sessions", "all of the daemon but its sockets")):
        for batch in (1, 64):
            rate = results[f"{case}/{batch}"]["items_per_second"]
            table.row(f"{name}, {'one by one' if batch == 1 else 'by 64'}", rate, "/s", note=f", {1e6 / rate:.1f} us")
    full = next(result for name, result in results.items() if name.startswith("request_on_full_queue"))
    table.row("new request, 10,000 waiting, nothing free", full["real_time"] / 1000, "us")


# ---- One site manager

def local_site(stage, on_site=None, on_nodes=None):
    _, endpoint = stage.site(SITE, clusters=[{"name": "nodes"}], on=on_site)
    stage.role("pipeline_bench", "nodes", on=on_nodes, ready=True, endpoint=endpoint, site=SITE, nodes=NODES)
    return endpoint


def raw_rate(stage, bytes_a_message, seconds):
    endpoint = stage.endpoint(f"raw{len(stage.processes)}")
    sender = stage.role("bare_bench", "send", endpoint=endpoint, bytes=round(bytes_a_message))
    result = stage.result("bare_bench", "receive", endpoint=endpoint, seconds=seconds)
    stage.end(sender)
    return result


def measure_pipeline(table, effort):
    table.heading("grants per second, release and request pipelined")
    for tcp in (False, True):
        with Stage(tcp) as stage:
            endpoint = local_site(stage)
            grants, raw, size = {64: [], 1000: []}, [], 150
            for _ in range(effort.repeats):
                for outstanding, rates in grants.items():
                    raw.append(raw_rate(stage, size, effort.seconds / 2))
                    flow = stage.result("pipeline_bench", "flow", endpoint=endpoint, site=SITE, outstanding=outstanding,
                                        seconds=effort.seconds)
                    rates.append(flow)
                    size = flow["mean_bytes"]
            for outstanding, rates in grants.items():
                table.row(f"{'tcp' if tcp else 'ipc'}, {outstanding:,} outstanding, {size:.0f} bytes",
                          best(rates, "grants_per_second"), "/s", best(raw, "messages_per_second"), "one way",
                          at_least=0.1 if outstanding == 1000 else None)


def ping(stage, sizes, effort, on_echo, on_ping):
    endpoint = stage.endpoint(f"echo{len(stage.processes)}")
    echo = stage.role("bare_bench", "echo", on=on_echo, endpoint=endpoint)
    result = stage.result("bare_bench", "ping", on=on_ping, endpoint=endpoint, bytes=sizes, count=effort.round_trips)
    stage.end(echo)
    return result


REGIMES = (("together", 0, 0), ("apart", 0, 1))


def measure_lockstep(table, effort):
    table.heading("local match, one at a time: Request to Grant, p50")
    for tcp in (False, True):
        for regime, user, site in REGIMES[:len(CORES)]:
            with Stage(tcp) as stage:
                endpoint = local_site(stage, on_site=site, on_nodes=1)
                bare, ours = [], []
                for _ in range(effort.repeats):
                    ours.append(stage.result("pipeline_bench", "lockstep", on=user, endpoint=endpoint, site=SITE,
                                             count=effort.round_trips))
                    size = round((ours[-1]["bytes_out"] + ours[-1]["bytes_back"]) / 2)
                    bare.append(ping(stage, size, effort, site, user))
                table.row(f"{'tcp' if tcp else 'ipc'}, {regime}", best(ours, "p50_us"), "us", best(bare, "p50_us"),
                          "bare echo", at_most=1.5, note=f", p99 {best(ours, 'p99_us'):.0f}")


# ---- Chains of site managers

def chain(stage, length, core_of):
    """Starts sites in a row, each the parent of the next; the last has the nodes. Returns their endpoints."""
    names = [f"hop-{i}" for i in range(length)]
    endpoints = [stage.endpoint(name) for name in names]
    for i, name in enumerate(names):
        links = []
        if i > 0:
            links.append({"site": names[i - 1], "relation": "parent", "connect": endpoints[i - 1]})
        if i + 1 < length:
            links.append({"site": names[i + 1], "relation": "child"})
        stage.site(name, endpoints[i], on=core_of(i), links=links, ancestors=names[:i][::-1],
                   clusters=[{"name": "nodes"}] if i + 1 == length else [], hint_distance=16, delegation_threshold=1)
    stage.role("pipeline_bench", "nodes", on=core_of(length), ready=True, endpoint=endpoints[-1], site=names[-1],
               nodes=NODES)
    return names, endpoints


def relays(stage, length, core_of):
    """The same of bare relays; the last is an echo. Returns the endpoint of each."""
    endpoints = [stage.endpoint(f"relay{i}") for i in range(length)]
    for i, endpoint in enumerate(endpoints):
        if i + 1 < length:
            stage.role("bare_bench", "relay", on=core_of(i), endpoint=endpoint, next=endpoints[i + 1])
        else:
            stage.role("bare_bench", "echo", on=core_of(i), endpoint=endpoint)
    return endpoints


def measure_hops(table, effort):
    table.heading("Request to lease over a chain (ipc), p50")
    for regime in [name for name, _, _ in REGIMES[:len(CORES)]]:
        core_of = (lambda i: 0) if regime == "together" else (lambda i: i % 2)
        with Stage() as stage:
            length = max(effort.hops) + 1
            names, endpoints = chain(stage, length, core_of)
            bare_endpoints = relays(stage, length, core_of)
            ours, bare = {k: [] for k in effort.hops}, {k: [] for k in effort.hops}
            for _ in range(effort.repeats):
                for k in effort.hops:
                    at, count = length - 1 - k, effort.round_trips // (1 + k // 2)
                    result = stage.result("pipeline_bench", "lockstep", on=core_of(at + 1), endpoint=endpoints[at],
                                          site=names[at], count=count, warm_up=100, dttl=10)
                    ours[k].append(result)
                    bare[k].append(stage.result("bare_bench", "ping", on=core_of(at + 1), endpoint=bare_endpoints[at],
                                                bytes=round((result["bytes_out"] + result["bytes_back"]) / 2),
                                                count=count, warm_up=100))
            show_hops(table, regime, ours, bare)


def show_hops(table, regime, ours, bare):
    for k, results in ours.items():
        name = f"{regime}, {k} hop{'s' if k != 1 else ''}" if k else f"{regime}, local"
        beside = f"{k + 1} bare process{'es' if k else ''}"
        table.row(name, best(results, "p50_us"), "us", best(bare[k], "p50_us"), beside, at_most=1.5,
                  note=f", p99 {best(results, 'p99_us'):.0f}")
    far, near = max(ours), sorted(ours)[-2]
    def slope(a, b):
        return (best(ours[b], "p50_us") - best(ours[a], "p50_us")) / (b - a)
    table.row(f"{regime}, each hop from {near} to {far}", slope(near, far), "us", slope(0, near), f"from 0 to {near}",
              at_most=1.25)


# ---- Jobs

def job_site(stage, slots, isolated):
    """Starts a real site manager, resource manager with these slots, and job manager; returns the job manager's
    endpoint."""
    _, site = stage.site(SITE, clusters=[{"name": "nodes"}])
    nodes, user = stage.endpoint("nodes"), stage.endpoint("user")
    stage.daemon("resmgr", "nodes", {"site": SITE, "name": "nodes", "cluster": "nodes", "nodes": slots,
                                     "site_endpoint": site, "listen": [nodes], "endpoint": nodes,
                                     "directory": str(stage.folder / "run"), "isolate_jobs": isolated})
    stage.daemon("jobmgr", "user", {"site": SITE, "user": "bench", "site_endpoint": site, "listen": [user],
                                    "directory": str(stage.folder / "jobs")})
    return user


def measure_dispatch(table, effort):
    table.heading("jobs finished per second: `true`, with their directories in memory or on disk")
    for slots, on_disk, isolated in ((16, False, False), (256, False, False), (16, True, False), (16, False, True)):
        with Stage(on_disk=on_disk) as stage:
            user = job_site(stage, slots, isolated)
            bare, ours, array = [], [], []
            jobs = effort.jobs // 4 if on_disk else effort.jobs
            for _ in range(1 if on_disk else effort.repeats):
                bare.append(stage.result("bare_bench", "spawn", slots=slots, seconds=effort.seconds))
                ours.append(stage.result("dispatch_bench", "submit", endpoint=user, site=SITE, user="bench",
                                         count=jobs))
                array.append(stage.result("dispatch_bench", "submit", endpoint=user, site=SITE, user="bench",
                                          count=jobs, array=1))
            where = "on disk" if on_disk else "in memory"
            table.row(f"{slots} slots, {jobs:,} jobs, {where}{', each in namespaces of its own' * isolated}",
                      best(ours, "jobs_per_second"), "/s", best(bare, "jobs_per_second"), "posix_spawn",
                      at_least=None if isolated else 0.4)
            table.row(f"as one array, accepted in {min(one['accept_seconds'] for one in array) * 1000:.0f} ms",
                      best(array, "jobs_per_second"), "/s", best(bare, "jobs_per_second"), "posix_spawn",
                      at_least=None if isolated else 0.7)


def measure_ledger(table, effort):
    table.heading("ledger of a site manager on disk: new leases in, old ones out")
    results = micro("ledger_bench", effort)
    table.row(f"one row as JSON, {results['encode']['bytes']:.0f} bytes", results["encode"]["cpu_time"], "ns")
    for grade in ("committed", "synced"):
        for batch in (1, 10, 100):
            result = results[f"commit/{grade}/{batch}/real_time"]
            table.row(f"{grade}, {batch} a step: a step", result["real_time"] / 1000, "us",
                      note=f", {result['items_per_second']:,.0f} leases/s")
    table.row("opening with 100,000 rows", results["open/100000/real_time"]["real_time"], "ms")


# ---- Memory

def settle():
    time.sleep(1.2)  # a beat and a sweep have passed


def measure_memory(table, effort):
    table.heading("memory of a site manager: RssAnon")
    links = [{"site": f"n{i}", "relation": "sibling"} for i in range(effort.links)]
    with Stage() as stage:
        site, endpoint = stage.site(SITE, clusters=[{"name": "nodes"}], links=links)
        bare_endpoint = stage.endpoint("bare")
        bare = stage.role("bare_bench", "echo", endpoint=bare_endpoint)
        settle()
        before, bare_before = memory_kb(site), memory_kb(bare)
        show_memory(table, "idle, nobody connected", before, bare_before)
        stage.role("pipeline_bench", "neighbours", ready=True, endpoint=endpoint, site=SITE, count=effort.links)
        stage.role("bare_bench", "peers", ready=True, endpoint=bare_endpoint, count=effort.links)
        settle()
        linked, bare_linked = memory_kb(site), memory_kb(bare)
        show_memory(table, f"idle, {effort.links} links", linked, bare_linked)
        table.row("a link", (linked[0] - before[0]) / effort.links, "kB",
                  (bare_linked[0] - bare_before[0]) / effort.links, "a peer", at_most=1.5)
    with Stage() as stage:
        site, endpoint = stage.site(SITE, clusters=[{"name": "nodes"}])
        stage.role("pipeline_bench", "nodes", ready=True, endpoint=endpoint, site=SITE, nodes=NODES)
        user = stage.role("pipeline_bench", "hold", ready=True, endpoint=endpoint, site=SITE, first=200,
                          second=200 + effort.leases)
        settle()
        before = memory_kb(site)
        user.stdin.write("\n")
        user.stdin.flush()
        expect_ready(user)
        settle()
        table.row("a thousand leases", (memory_kb(site)[0] - before[0]) / effort.leases * 1000, "kB", at_most=1000)


def show_memory(table, name, ours, bare):
    """RssAnon and PSS; the aim holds for either, so the better ratio counts."""
    table.row(name, ours[0], "kB", bare[0], f"bare, PSS {bare[1]}", at_most=1.5, note=f", PSS {ours[1]}",
              ratio=min(ours[0] / bare[0], ours[1] / bare[1]))


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


# ---- Parallel jobs

def site_of_eight(name, siblings):
    return {"name": name, "users": ["u"], "siblings": siblings, "clusters": [{"name": "c", "nodes": 8}]}


def from_claim_to_start(stage, *words):
    """Seconds from the moment when the job manager has all leases until the job's program begins."""
    command = [BIN / "dmm", "submit", "--site", "a", "--wait", "--json", *words, "--", "true"]
    done = subprocess.run(command, env=stage.environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(f"dmm submit ended with {done.returncode}: {done.stderr}")
    job = json.loads(done.stdout)
    return job["started"] - job["granted"]


class Testbed:
    """Four sites of eight nodes, each linked with each other site."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="dmm-bench-")
        self.environment = {**os.environ, "XDG_STATE_HOME": self.folder.name}
        topology = pathlib.Path(self.folder.name) / "four.json"
        names = "abcd"
        topology.write_text(json.dumps({"name": "four", "sites": [
            site_of_eight(name, list(names[:i])) for i, name in enumerate(names)]}), encoding="utf-8")
        self.dmm("up", topology)
        return self

    def __exit__(self, *_):
        self.dmm("down", "four")
        self.folder.cleanup()

    def dmm(self, *words):
        subprocess.run([BIN / "dmm", "testbed", *words], env=self.environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def measure_parallel(table, effort):
    table.heading("from the claim of all leases to the start, real processes")
    with Testbed() as stage:
        eight, one, launched = [], [], []
        for _ in range(effort.repeats * 10):
            one.append(from_claim_to_start(stage, "-n", "1"))
            launched.append(from_claim_to_start(stage, "-n", "1", "--per-processor"))
            eight.append(from_claim_to_start(stage, "--components", "1@a,1@a,1@b,1@b,1@c,1@c,1@d,1@d"))
    beside = statistics.median(one) * 1000
    table.row("one component behind a launcher, median", statistics.median(launched) * 1000, "ms", beside,
              "one component")
    table.row("eight components over four sites, median", statistics.median(eight) * 1000, "ms", beside,
              "one component", at_most=1.5)


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


SECTIONS = {"codec": measure_codec, "match": measure_match, "pipeline": measure_pipeline, "lockstep": measure_lockstep,
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
