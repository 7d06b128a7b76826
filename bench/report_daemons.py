"""Real site managers and their peers over sockets, beside bare libzmq: grants, chains of sites, and memory."""
import time

from report_table import best
from stage import CORES, Stage, expect_ready, memory_kb

NODES = 20_000  # of the resource managers that only say Clean: more than any lock-step run takes
SITE = "das-3"
FRAME = 150  # bytes, about those of a grant's messages


# ---- One site manager

def local_site(stage, on_site=None, on_nodes=None):
    _, endpoint = stage.site(SITE, clusters=[{"name": "nodes"}], on=on_site)
    stage.role("pipeline_bench", "nodes", on=on_nodes, ready=True, endpoint=endpoint, site=SITE, nodes=NODES)
    return endpoint


def raw_rate(stage, bytes_a_message, seconds, program="bare_bench"):
    endpoint = stage.endpoint(f"raw{len(stage.processes)}")
    sender = stage.role(program, "send", endpoint=endpoint, bytes=round(bytes_a_message))
    result = stage.result(program, "receive", endpoint=endpoint, seconds=seconds)
    stage.end(sender)
    return result


def measure_transport(table, effort):
    table.heading("frames through the transport alone, one way")
    for tcp in (False, True):
        with Stage(tcp) as stage:
            ours, raw = [], []
            for _ in range(effort.repeats):
                raw.append(raw_rate(stage, FRAME, effort.seconds / 2))
                ours.append(raw_rate(stage, FRAME, effort.seconds / 2, "transport_bench"))
            table.row(f"{'tcp, CURVE' if tcp else 'ipc'}, {FRAME} bytes", best(ours, "messages_per_second"), "/s",
                      best(raw, "messages_per_second"), "bare ZeroMQ", at_least=0.7 if tcp else None)


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
        show_memory(table, "idle, no peer connected", before, bare_before)
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
