"""Floods of strangers, and of garbage and endless messages from a known neighbour, against real managers over tcp with
few descriptors. Known peers are answered, newcomers are admitted, and descriptors and memory stay bounded.
"""
# ctest: cost 60
import json
import unittest

from flood import Crowd, seen_of
from grid import BIN, LIMIT, GridTest, free_ports, until

DESCRIPTORS = 1024
STRANGERS = DESCRIPTORS // 8  # docs/security.md section 5
MEMORY = 512 << 20
ROLES = {"site": "0/alpha/", "user": "1/alpha/ann", "nodes": "2/alpha/nodes"}
QUESTIONS = 200


class Managers(GridTest):
    """Site alpha with its user ann and its resource manager, and the keys of a neighbour beta that floods."""

    def setUp(self):
        super().setUp()
        self.keys = {name: self.folder / name for name in ("site", "beta", "user", "nodes", "ops")}
        self.link, _ = self.site_keys("alpha", self.keys["site"])
        _, beta = self.site_keys("beta", self.keys["beta"])
        for kind, name, folder in (("user", "ann", "user"), ("node", "nodes", "nodes"), ("person", "ops", "ops")):
            self.certify(self.keys["site"], kind, name, self.keys[folder])
        self.ports = dict(zip(ROLES, free_ports(3)))
        self.endpoints = {name: f"tcp://127.0.0.1:{self.ports[name]}#{self.link_of(name)}" for name in ROLES}
        at_site = {"site": "alpha", "site_endpoint": self.endpoints["site"]}
        self.daemons = {
            "site": self.begin("sitemgr", "site", site="alpha", clusters=[{"name": "nodes", "nodes": 4}],
                               links=[{"site": "beta", "relation": "sibling", "key": beta}]),
            "nodes": self.begin("resmgr", "nodes", **at_site, name="nodes", cluster="nodes", nodes=4),
            "user": self.begin("jobmgr", "user", **at_site, user="ann")}
        self.environment["DMM_KEYS"] = str(self.keys["user"])
        self.run_a_job()
        self.most = {name: {"descriptors": 0, "bytes": 0} for name in ROLES}

    def link_of(self, name):
        return self.link if name == "site" else self.dmm("keys", self.keys[name], "--json").json["link_key"]

    def begin(self, program, called, **config):
        file = self.folder / f"{called}.json"
        file.write_text(json.dumps({**config, "listen": [f"tcp://127.0.0.1:{self.ports[called]}"],
                                    "directory": str(self.keys[called]),
                                    "log": {"file": str(self.folder / f"{called}.log"), "terminal": False}}))
        process = self.start("prlimit", f"--nofile={DESCRIPTORS}:{DESCRIPTORS}", BIN / program, "--config", file)
        self.addCleanup(lambda: (process.terminate(), self.assertEqual(process.wait(LIMIT), 0, called)))
        until(lambda: self.logged(called, "ready"), called)
        return process

    def logged(self, called, event):
        file = self.folder / f"{called}.log"
        lines = file.read_text().split("\n")[:-1] if file.exists() else []
        return [line for line in map(json.loads, lines) if line["event"] == event]

    def run_a_job(self):
        self.dmm("submit", "--wait", "--jobmgr", self.endpoints["user"], "--", "true")

    def crowd(self, *words):
        crowd = Crowd(*words)
        self.addCleanup(crowd.kill)
        return crowd.until_open()

    def party(self, kind, name, rate, count):
        """An honest party; its session exists by now, if it keeps one."""
        keys = self.keys["user" if name == "user" else "ops"]
        return self.crowd(kind, self.endpoints[name], rate, ROLES[name], f"{kind}-{name}", keys, count)

    def look(self):
        for name, daemon in self.daemons.items():
            self.assertIsNone(daemon.poll(), f"{name} has ended")
            seen = seen_of(daemon.pid)
            for key, most in self.most[name].items():
                self.most[name][key] = max(most, seen[key])

    def watched(self, parties):
        """The counts of parties that end by themselves; meanwhile all managers are watched."""
        until(lambda: self.look() or all(party.process.poll() is not None for party in parties),
              "the end of all questions", 3 * LIMIT)
        return [party.end() for party in parties]

    def expect_answered(self, counts):
        for counted in counts:
            self.assertGreaterEqual(counted["answered"], 0.999 * counted["asked"], counted)

    def expect_links_up(self):
        for name in ROLES:
            self.assertEqual(self.logged(name, "link_down"), [], name)
        self.assertEqual(len(self.logged("site", "register")), 1)


class Floods(Managers):
    def test_strangers_take_no_place_of_known_peers(self):
        quiet = {name: seen_of(daemon.pid)["descriptors"] for name, daemon in self.daemons.items()}
        asking = [self.party("ask", name, 50, QUESTIONS) for name in ROLES]
        floods = [self.crowd("silent", port, 1_700) for port in self.ports.values()]
        floods += [self.crowd("handshakes", port, 200) for port in self.ports.values()]
        floods += [self.crowd("unknown", self.endpoints[name], 10) for name in ROLES]
        floods += [self.crowd("garbage", self.endpoints["site"], 1_000, "0/beta/", ROLES["site"], self.keys["beta"])]
        calling = [self.party("call", name, 10, 5) for name in ROLES]
        counted = self.watched(asking + calling)
        self.run_a_job()
        flooded = [flood.end() for flood in floods]
        self.expect_answered(counted)
        self.expect_links_up()
        for name, most in self.most.items():
            # Strangers, and connections that came before the guard could check.
            self.assertLess(most["descriptors"], quiet[name] + 6 * STRANGERS, (name, flooded))
            self.assertLess(most["bytes"], MEMORY, name)
            self.assertLess(len(self.logged(name, "connections_cut")), 20)
            self.assertLess((self.folder / f"{name}.log").stat().st_size, 200_000)
            until(lambda of=name: seen_of(self.daemons[of].pid)["descriptors"] <= quiet[of] + 4, f"{name} is quiet")

    def test_endless_messages_are_cut_and_no_other_connection(self):
        floods = [self.crowd("parts", self.endpoints["site"], 300_000_000, self.keys[keys]) for keys in ("beta", "ops")]
        until(lambda: self.look() or self.logged("site", "connections_cut"), "the first cut")
        counted = self.watched([self.party("ask", name, 50, QUESTIONS) for name in ROLES])
        self.run_a_job()
        self.assertGreater(sum(flood.end()["cut"] for flood in floods), 0)
        self.expect_answered(counted)
        self.expect_links_up()
        self.assertLess(self.most["site"]["bytes"], MEMORY)


if __name__ == "__main__":
    unittest.main(verbosity=1)
