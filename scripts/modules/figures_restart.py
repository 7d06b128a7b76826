"""How soon a site manager with many leases is back. The leases are real, each with a running job."""
import time

from dmm_client import site_manager
from figures_stage import Stage, row, until

LEASES = 10_000
AIM = 2
REPETITIONS = 5
SLEEP = ("sleep", "3600")


def restart(stage, site, manager):
    """Seconds from the start until the site manager is ready, until its first answer, and until its resource managers
    have registered."""
    before = len(stage.events(manager, "register"))
    stage.stop(manager)
    began = stage.start(manager)
    with stage.person(site_manager(site), manager) as person:
        leases = person.ask("leases", seconds=60)["total"]
    answered = time.time() - began
    registered = until(lambda: stage.events(manager, "register")[before:], f"{site}'s nodes")[-1]["at"] - began
    return answered, registered, leases


def measure_restart(quick):
    count = LEASES // 10 if quick else LEASES
    sites = [{"name": "owner", "clusters": [{"name": "nodes", "nodes": count}]},
             {"name": "borrower", "users": ["u0"], "clusters": [{"name": "nodes", "nodes": 1}], "siblings": ["owner"]}]
    with Stage(*sites) as stage:
        stage.submit("borrower", SLEEP)
        stage.until_started("resmgr borrower/nodes", 1)
        stage.submit("borrower", *[SLEEP] * count)
        stage.until_started("resmgr owner/nodes", count, 600)
        rows = []
        for site in ("owner", "borrower"):
            seen = [restart(stage, site, f"sitemgr {site}") for _ in range(REPETITIONS)]
            fewest = min(leases for _, _, leases in seen)
            what = f"site manager of the {site}, {fewest:,} leases, killed: from its start until "
            rows.append(row(what + "its first answer", [answered for answered, _, _ in seen], AIM))
            rows.append(row(what + "its nodes are registered", [registered for _, registered, _ in seen], AIM))
        wrong = stage.dmm("fsck")["disagreements"]
        if wrong:
            raise RuntimeError(f"dmm fsck after the restarts: {wrong[:5]}")
        jobs = stage.events("resmgr owner/nodes", "ended")
        if jobs:
            raise RuntimeError(f"{len(jobs)} jobs ended in the restarts: {jobs[0]}")
    return rows
