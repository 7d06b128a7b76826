"""What a site manager computes in memory: its codec, its matches, and its ledger on disk. Each row is a
micro-benchmark, a program of its own in bench/."""
import json
import subprocess

from stage import BENCH, Trouble


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
