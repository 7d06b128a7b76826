"""Figures of leases that end: a borrower dies, nodes are reclaimed, a site in the middle is away."""
import random
import time

from figures_stage import Stage, row, until

TERM = 30
SLEEP = ("sleep", "3600")
DEAF = ("sh", "-c", 'trap "" TERM; while :; do sleep 1; done')  # only SIGKILL ends it


def borrowing(sites, leases):
    """An owner, and borrowing sites with one node each."""
    owner = {"name": "owner", "clusters": [{"name": "nodes", "nodes": sites * leases}]}
    return [owner] + [{"name": f"b{i}", "clusters": [{"name": "nodes", "nodes": 1}], "users": ["u0"],
                       "siblings": ["owner"]} for i in range(sites)]


def homecomings(stage, began):
    """Waits until each lease's node is clean and home at the owner; returns the times from the instants in `began`."""
    def all_home():
        home = {event["lease"]: event["at"] for event in stage.events("sitemgr owner", "clean")}
        return home if set(began) <= set(home) else None
    home = until(all_home, "all nodes at their owner", 4 * TERM)
    return {lease: home[lease] - at for lease, at in began.items()}


def lend(stage, sites, commands):
    """Makes leases of the owner, by borrower; each runs one of the commands, in their order."""
    stage.make_loud("sitemgr owner")
    for site in sites:
        stage.submit(site, SLEEP)  # on its own node
    for site in sites:
        until(lambda site=site: len(stage.events(f"resmgr {site}/nodes", "started")) == 1, f"the job of {site} itself")
        stage.submit(site, *commands)
    stage.until_started("resmgr owner/nodes", len(sites) * len(commands))
    leases = {site: [] for site in sites}
    for event in stage.events("sitemgr owner", "grant"):
        leases[event["to"]].append((int(event["request"].split("/")[2]), event["lease"]))
    return {site: [lease for _, lease in sorted(found)] for site, found in leases.items()}


def kill_borrowers(count, leases_each):
    """The homecoming of each lease of sites that die one after another."""
    with Stage(*borrowing(count, leases_each)) as stage:
        sites = [f"b{i}" for i in range(count)]
        leases = lend(stage, sites, [SLEEP] * leases_each)
        began = {}
        for site in sites:
            time.sleep(random.uniform(0, 0.6))  # at any phase of beats and renewals
            managers = (f"sitemgr {site}", f"jobmgr {site}/u0", f"resmgr {site}/nodes")
            dead = stage.kill(*(stage.daemons[one]["pid"] for one in managers), stage.keeper(managers[2]))
            began.update(dict.fromkeys(leases[site], dead))
        return list(homecomings(stage, began).values())


def measure_borrower(quick):
    seconds = []
    for _ in range(1 if quick else 3):
        seconds += kill_borrowers(4 if quick else 20, 5)
    return [row("a dead borrower's node is home", seconds, TERM + 5)]


def measure_reclaim(quick):
    """Half of the jobs end at SIGTERM, the others at SIGKILL after the grace. Two borrowers lose their leases one by
    one, the other two lose all at once."""
    grace, each = 5, 6 if quick else 60
    with Stage(*borrowing(4, each)) as stage:
        leases = lend(stage, ["b0", "b1", "b2", "b3"], [SLEEP, DEAF] * (each // 2))
        began = {}
        for lease in leases["b0"] + leases["b1"]:
            began[lease] = time.time()
            stage.dmm("reclaim", lease, "--site", "owner", "--grace", grace)
            time.sleep(random.uniform(0, 0.1))
        for site in ("b2", "b3"):
            began.update(dict.fromkeys(leases[site], time.time()))
            stage.dmm("reclaim", site, "--site", "owner", "--grace", grace)
        home = homecomings(stage, began)
    kinds = [{lease for each in leases.values() for lease in each[kind::2]} for kind in (0, 1)]
    once = {lease for site in ("b2", "b3") for lease in leases[site]}
    rows = []
    for how, chosen in (("one by one", set(began) - once), ("all at once", once)):
        for heeds, kind in (("heeds SIGTERM", kinds[0]), ("ignores SIGTERM", kinds[1])):
            seconds = [home[lease] for lease in chosen & kind]
            rows.append(row(f"reclaimed {how}, grace {grace} s, a job that {heeds}", seconds, grace + 1))
    return rows


def measure_middle(quick):
    """The site between borrower and owner is killed, and starts again after two terms."""
    count = 20 if quick else 100
    sites = [{"name": "middle"},
             {"name": "owner", "parent": "middle", "clusters": [{"name": "nodes", "nodes": count}]},
             {"name": "borrower", "parent": "middle", "users": ["u0"], "clusters": [{"name": "nodes", "nodes": 1}]}]
    with Stage(*sites) as stage:
        stage.submit("borrower", SLEEP)
        stage.until_started("resmgr borrower/nodes", 1)
        away = 2 * TERM
        stage.submit("borrower", *[("sleep", str(away + 30))] * count)
        stage.until_started("resmgr owner/nodes", count)
        stage.stop("sitemgr middle")
        ended_before = len(stage.events("resmgr owner/nodes", "ended"))
        time.sleep(away)  # the measurement is that nothing happens meanwhile
        ended = len(stage.events("resmgr owner/nodes", "ended")) - ended_before
        running = sum(job["state"] == "running" for job in stage.jobs("borrower")) - 1
        stage.start("sitemgr middle")
        over = until(lambda: [job for job in stage.jobs("borrower") if job["state"] != "running"][count - 1:]
                     and stage.jobs("borrower"), "the end of all jobs")
        finished = sum(job["state"] == "finished" and job["reruns"] == 0 for job in over)
    return [{"what": f"a middle site away for {away} s: jobs that ran on, and finished in their first attempt",
             "n": count, "median": f"{running} ran", "p99": f"{ended} ended", "max": f"{finished} finished",
             "aim": count, "met": (running, ended, finished) == (count, 0, count)}]
