"""Keys that change while daemons run. A new link key of any manager loses no job and needs no edited file. Revoking a
key also revokes its successors. Frames along a chain are sealed. No daemon with a secret leaves a core dump.
"""
import json
import os
import resource
import signal
import unittest

from changes_test import NODES, Daemon
from dmm_client import (JOB_MANAGER, Certified, Certify, Manager, Network, Person, job_manager, resource_manager,
                        site_manager)
from dmm_keys import Keys
from grid import BIN, LIMIT, GridTest, free_ports, until


class Grid(GridTest):
    """Two sites over tcp. Ann of alpha has a job manager; the nodes are beta's, with or without a port."""

    def setUp(self):
        super().setUp()
        ports = free_ports(3)
        self.place = {name: f"tcp://127.0.0.1:{port}" for name, port in zip(("alpha", "beta", "nodes"), ports)}
        self.keys = {site: self.site_keys(site, self.folder / site) for site in ("alpha", "beta")}
        self.network = Network()
        self.addCleanup(self.network.close)
        self.daemons = {}

    def end(self, daemon):
        daemon.process.terminate()
        daemon.process.wait()

    def begin(self, program, name, config):
        daemon = self.daemons[name] = Daemon(self, program, name, config)
        self.addCleanup(self.end, daemon)
        return daemon

    def begin_again(self, name):
        daemon = self.daemons[name]
        self.end(daemon)
        self.begin(daemon.name.split()[0], name, daemon.config)

    def at(self, site):
        return f"{self.place[site]}#{self.keys[site][0]}"

    def ipc(self, name):
        return f"ipc://{self.folder}/{name}.ipc"

    def begin_sites(self):
        self.begin("sitemgr", "beta", {
            "site": "beta", "listen": [self.place["beta"], self.ipc("beta")], "clusters": NODES,
            "directory": str(self.folder / "beta"),
            "links": [{"site": "alpha", "relation": "sibling", "key": self.keys["alpha"][1]}]})
        self.begin("sitemgr", "alpha", {
            "site": "alpha", "listen": [self.place["alpha"], self.ipc("alpha")], "pause_first_seconds": 0.1,
            "clusters": [], "directory": str(self.folder / "alpha"),
            "links": [{"site": "beta", "relation": "sibling", "connect": self.at("beta"),
                       "key": self.keys["beta"][1]}]})

    def begin_ann(self, site=None):
        self.begin("jobmgr", "ann", {
            "site": "alpha", "user": "ann", "site_endpoint": site or self.ipc("alpha"), "listen": [self.ipc("ann")],
            "directory": str(self.folder / "ann")})
        self.environment["DMM_JOBMGR"] = self.ipc("ann")

    def begin_nodes(self, site=None, **more):
        self.begin("resmgr", "nodes", {
            "site": "beta", "name": "nodes", "cluster": "nodes", "nodes": 4,
            "site_endpoint": site or self.ipc("beta"), "directory": str(self.folder / "nodes"), **more})

    def site_keys_heard(self, name):
        return [line["key"] for line in self.daemons[name].logged("site_key")]

    def key_of(self, name):
        return self.dmm("keys", self.folder / name, "--json").json["link_key"]

    def is_up(self, at, endpoint, **wanted):
        person = Person(self.network, at, endpoint)
        try:
            links = person.ask("links")["links"]
        finally:
            self.network.remove(person)
        return any(link["up"] and all(link[key] == value for key, value in wanted.items()) for link in links)

    def linked(self):
        return (self.is_up(site_manager("alpha"), self.ipc("alpha"), role="sitemgr", site="beta") and
                self.is_up(site_manager("beta"), self.ipc("beta"), role="sitemgr", site="alpha"))

    def run_one(self):
        done = self.run_job("-n", 1, "--", "true")
        self.assertEqual((done["state"], done["place"]["owner"]), ("finished", "beta"), done)

    def waiting_job(self):
        """Submits a job that runs until `go` exists; returns its name."""
        name = self.submit("--", "sh", "-c", f"while [ ! -e {self.folder}/go ]; do sleep 0.1; done")
        self.until_state(name, "running")
        return name

    def finish_job(self, name):
        (self.folder / "go").touch()
        self.assertEqual(self.until_state(name, "finished", "failed")["reruns"], 0)


class Sealed(Grid):
    def test_managers_without_a_port_meet_along_the_chain_under_seals(self):
        """Ann's job manager and beta's nodes speak only over ipc: their sites have their keys certified."""
        self.begin_sites()
        self.begin_nodes()
        self.begin_ann()
        for name in ("nodes", "ann"):
            self.daemons[name].until_logged("certificate")
        self.run_one()
        self.assertTrue(self.is_up(job_manager("alpha", "ann"), self.ipc("ann"), role="resmgr", relayed=True))
        self.assertEqual(self.dmm("keys", self.folder / "ann", "--json").json["holder"], "jobmgr alpha/ann")


class Rotation(Grid):
    def test_another_key_of_each_manager(self):
        """With a job that runs all the time, and through restarts of managers that heard of the key."""
        self.begin_sites()
        self.certify(self.folder / "beta", "node", "nodes", self.folder / "nodes")
        self.certify(self.folder / "alpha", "user", "ann", self.folder / "ann")
        self.begin_nodes(self.at("beta"), listen=[self.place["nodes"]], endpoint=self.place["nodes"])
        self.begin_ann(self.at("alpha"))
        job = self.waiting_job()
        for name in ("ann", "nodes"):
            before = self.key_of(name)
            where = self.ipc("ann") if name == "ann" else f"{self.place['nodes']}#{before}"
            if name == "nodes":
                self.dmm("certify", "--by", self.folder / "beta", "--person", "ops", self.folder / "ops")
                self.environment["DMM_KEYS"] = str(self.folder / "ops")
            self.dmm("rotate", where)
            self.environment.pop("DMM_KEYS", None)
            self.daemons[name].until_logged("link_key")
            self.assertNotEqual(self.key_of(name), before)
            self.run_one()
        before = self.key_of("beta")
        self.dmm("rotate", self.ipc("beta"), "--overlap", 0)
        for name in ("alpha", "nodes"):
            self.daemons[name].until_logged("next_key")
        self.daemons["beta"].until_logged("link_key")
        self.assertNotEqual(self.key_of("beta"), before)
        self.run_one()
        # The configurations of alpha and the nodes still name the old key.
        for name in ("alpha", "nodes"):
            self.begin_again(name)
        until(self.linked, "the link of alpha and beta")
        self.run_one()
        self.finish_job(job)

    def test_another_key_of_a_site(self):
        """A job goes on, configurations keep the first key, and managers that were away come back."""
        self.begin_sites()
        self.certify(self.folder / "beta", "node", "nodes", self.folder / "nodes")
        self.certify(self.folder / "alpha", "user", "ann", self.folder / "ann")
        self.certify(self.folder / "beta", "person", "ops", self.folder / "ops")
        self.begin_nodes(self.at("beta"), listen=[self.place["nodes"]], endpoint=self.place["nodes"])
        self.begin_ann(self.at("alpha"))
        job = self.waiting_job()
        for site, manager in (("beta", "nodes"), ("alpha", "ann")):
            made = self.dmm("rotate", self.ipc(site), "--site-key", "--json").json["site_key"]
            self.assertNotEqual(made, self.keys[site][1])
            for heard in ("alpha", "beta", manager):
                if heard != site:
                    until(lambda: made in self.site_keys_heard(heard), f"the new key of {site} at {heard}")
            until(lambda: self.dmm("keys", self.folder / manager, "--json").json["site_key"] == made,
                  "a certificate of the new key")
            self.run_one()
        # Each configuration still names the first key of the other site, and people have certificates of it.
        for name in ("alpha", "beta"):
            self.begin_again(name)
            until(self.linked, "the link of alpha and beta")
        self.run_one()
        self.environment["DMM_KEYS"] = str(self.folder / "ops")
        self.dmm("sites", "--sitemgr", self.at("beta"))
        del self.environment["DMM_KEYS"]
        self.finish_job(job)
        for name in ("nodes", "alpha"):
            self.end(self.daemons[name])
        made = self.dmm("rotate", self.ipc("beta"), "--site-key", "--json").json["site_key"]
        for name in ("nodes", "alpha"):
            self.begin(self.daemons[name].name.split()[0], name, self.daemons[name].config)
            until(lambda: made in self.site_keys_heard(name), f"the third key of beta at {name}")
        self.run_one()

    def test_what_site_keys_do_not_take(self):
        self.begin_sites()
        self.begin_nodes()
        self.daemons["nodes"].until_logged("certificate")
        self.dmm("rotate", self.ipc("beta"))
        waits = self.dmm("rotate", self.ipc("beta"), "--site-key", code=1)
        self.assertIn("another link key takes its turn", waits.err)
        self.begin_ann()
        self.assertIn("only a site manager", self.dmm("rotate", self.ipc("ann"), "--site-key", code=1).err)
        both = self.dmm("rotate", self.ipc("alpha"), "--site-key", "--overlap", 1, code=2)
        self.assertIn("--overlap", both.err)
        person = Person(self.network, site_manager("alpha"), self.ipc("alpha"))
        for argument in ({"site_key": False}, {"site_key": 1}, {"site_key": True, "overlap_seconds": 1}):
            self.assertIn('expected "site_key": true', person.fault_of("rotate", argument))
        self.network.remove(person)

    def test_peers_follow_a_key_at_its_time(self):
        """Nothing is restarted, and a job goes on."""
        self.begin_sites()
        self.certify(self.folder / "beta", "node", "nodes", self.folder / "nodes")
        self.begin_nodes(self.at("beta"))
        self.begin_ann()
        job = self.waiting_job()
        before = self.key_of("beta")
        self.dmm("rotate", self.ipc("beta"), "--overlap", 0.001)  # some four seconds
        self.daemons["beta"].until_logged("link_key")
        self.assertNotEqual(self.key_of("beta"), before)
        until(self.linked, "the link of alpha and beta")
        until(lambda: self.is_up(site_manager("beta"), self.ipc("beta"), role="resmgr"), "the link of the nodes")
        self.run_one()
        self.finish_job(job)

    def test_a_key_to_come_is_told_and_outlives_restarts(self):
        self.begin_sites()
        until(self.linked, "the link")
        before = self.key_of("beta")
        self.dmm("rotate", self.ipc("beta"), "--overlap", 0.002)  # some seven seconds
        self.daemons["alpha"].until_logged("next_key")
        refused = self.dmm("rotate", self.ipc("beta"), code=1)
        self.assertIn("another key takes its turn already", refused.err)
        for name in ("alpha", "beta"):
            self.begin_again(name)
        until(lambda: self.key_of("beta") != before, "the new key")
        until(self.linked, "the link under the new key")

    def test_rights_to_rotate_and_grids_without_keys(self):
        self.begin_sites()
        self.certify(self.folder / "beta", "person", "looker", self.folder / "looker", "--right", "reader")
        self.environment["DMM_KEYS"] = str(self.folder / "looker")
        self.assertIn('"rotate" takes an administrator', self.dmm("rotate", self.at("beta"), code=1).err)
        del self.environment["DMM_KEYS"]
        self.begin("sitemgr", "plain", {"site": "plain", "listen": [self.ipc("plain")], "clusters": NODES,
                                        "directory": str(self.folder / "plain")})
        self.assertIn("no keys", self.dmm("rotate", self.ipc("plain"), code=1).err)
        person = Person(self.network, site_manager("beta"), self.ipc("beta"))
        for overlap in (-1, 10**9, "soon", None):
            self.assertIn("overlap_seconds", person.fault_of("rotate", {"overlap_seconds": overlap}))
        self.network.remove(person)


class WrongKeys(Grid):
    def test_an_endpoint_with_a_wrong_key_is_told(self):
        """The listener can't report anything: it shares no key with the dialler."""
        self.keys["beta"] = (Keys().letters(), self.keys["beta"][1])
        self.begin_sites()
        told = []

        def is_told():
            told[:] = [" ".join(self.dmm("sites", "--sitemgr", self.ipc("alpha"), code=None).out.split())]
            return "does its endpoint name the link key that it has?" in told[0]
        until(is_told, lambda: told)


class Successors(Grid):
    def test_revoking_a_key_revokes_what_its_holder_had_certified(self):
        self.begin_sites()
        folder, ann = self.folder / "ann", job_manager("alpha", "ann")
        self.certify(self.folder / "alpha", "user", "ann", folder)
        stolen, second, third = Keys.read(folder), Keys(), Keys()
        for before, after in ((stolen, second), (second, third)):
            caller = self.call(ann, before)
            after.certificate = self.certified(caller, after)
            self.network.remove(caller)
        caller = self.call(ann, third)
        self.dmm("revoke", stolen.letters(), "--sitemgr", self.ipc("alpha"))
        for keys in (stolen, second, third):
            refused = self.call(ann, keys, greeted=False)
            self.network.until(lambda c=refused: c.faults, LIMIT, "the refusal")
            self.assertIn("is revoked", refused.faults[0].text)
            self.network.remove(refused)
        self.network.remove(caller)

    def test_a_name_stands_for_all_keys_that_the_site_certified(self):
        """Also keys that `dmm certify` made, and that no link shows."""
        self.begin_sites()
        folder, ops = self.folder / "ann", self.folder / "ops"
        self.certify(self.folder / "alpha", "user", "ann", folder)
        self.certify(self.folder / "alpha", "person", "ops", ops)
        other = self.dmm("certify", "--by", self.folder / "alpha", "--node", "nodes", folder, code=1)
        self.assertIn("the key is certified for jobmgr alpha/ann", other.err)
        self.certify(self.folder / "alpha", "user", "ann", folder)  # once more is no matter
        self.environment["DMM_KEYS"] = str(ops)
        self.dmm("sites", "--sitemgr", self.at("alpha"))
        del self.environment["DMM_KEYS"]
        for kind, name, party in (("user", "ann", "jobmgr alpha/ann"), ("person", "ops", "client alpha/ops")):
            told = self.dmm("revoke", f"--{kind}", name, "--sitemgr", self.ipc("alpha"))
            self.assertEqual(told.out, f"the key of {party} is revoked\n")
        refused = self.call(job_manager("alpha", "ann"), Keys.read(folder), greeted=False)
        self.network.until(lambda: refused.faults, LIMIT, "the refusal")
        self.assertIn("is revoked", refused.faults[0].text)
        self.network.remove(refused)
        self.environment["DMM_KEYS"] = str(ops)
        self.assertIn("is revoked", self.dmm("sites", "--sitemgr", self.at("alpha"), code=None).err)

    def test_a_site_certifies_its_own_managers_alone(self):
        self.begin_sites()
        for party in (resource_manager("alpha", "nodes"), job_manager("alpha", "ann")):
            folder = self.folder / f"keys-{party.name}"
            self.certify(self.folder / "alpha", "node" if party.name == "nodes" else "user", party.name, folder)
            caller = self.call(party, Keys.read(folder))
            other = Keys()
            caller.send(Certify("no key"))
            self.network.until(lambda c=caller: c.faults, LIMIT, "the refusal of what is no key")
            # A key that the party doesn't have, or that another party has, isn't certified.
            for wrong in (Certify(other.letters()), self.wish(party, other, "jobmgr alpha/bob"),
                          Certify(self.keys["alpha"][0], self.wish(party, other).possession)):
                self.until_not_certified(caller, wrong)
            self.assertFalse(caller.received(Certified))
            other = Keys()
            other.certificate = self.certified(caller, other)
            self.network.remove(caller)
            self.network.remove(self.call(party, other))  # this party's, and no other's
            wrong = self.call(job_manager("alpha", "bob"), other, greeted=False)
            self.network.until(lambda c=wrong: c.faults, LIMIT, "the refusal of another name")
            self.network.remove(wrong)

    def certified(self, caller, keys):
        """The certificate that the site makes; the site accepts at most one wish a second."""
        for _ in range(LIMIT):
            caller.send(self.wish(caller.party, keys))
            self.network.serve(0.5)
            if caller.received(Certified):
                return caller.received(Certified)[0].certificate
        return self.fail("no certificate came")

    def until_not_certified(self, caller, wish):
        before = len(self.daemons["alpha"].logged("not_certified"))

        def is_refused():
            caller.send(wish)  # the site accepts at most one a second
            self.network.serve(0.3)
            return len(self.daemons["alpha"].logged("not_certified")) > before
        until(is_refused, "the refusal")

    def wish(self, party, keys, name=None):
        role = "jobmgr" if party.role == JOB_MANAGER else "resmgr"
        name = name or f"{role} {party.site}/{party.name}"
        return Certify(keys.letters(), keys.possession(name, self.keys["alpha"][1]))

    def call(self, party, keys, greeted=True):
        caller = Manager(self.network, party, site_manager("alpha"), self.at("alpha"), keys=keys)
        if greeted:
            self.network.until(lambda: caller.peer_incarnation, LIMIT, f"the session of {party}")
        return caller


class CoreDumps(Grid):
    def dumps_core(self, words):
        process = self.start(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)))
        return process

    def test_a_daemon_with_keys_leaves_none(self):
        sleeper = self.dumps_core(("sleep", "60"))
        os.kill(sleeper.pid, signal.SIGSEGV)
        if not os.WCOREDUMP(os.waitpid(sleeper.pid, 0)[1]):
            self.skipTest("this machine makes no core dumps")
        sleeper.returncode = -signal.SIGSEGV
        config = self.folder / "alpha.json"
        log = self.folder / "alpha.jsonl"
        config.write_text(json.dumps({"site": "alpha", "listen": [self.place["alpha"]], "clusters": NODES,
                                      "directory": str(self.folder / "alpha"),
                                      "log": {"file": str(log), "terminal": False}}), encoding="utf-8")
        daemon = self.dumps_core((BIN / "sitemgr", "--config", config))
        until(lambda: log.exists() and '"ready"' in log.read_text(), "the daemon")
        os.kill(daemon.pid, signal.SIGSEGV)
        status = os.waitpid(daemon.pid, 0)[1]
        daemon.returncode = -signal.SIGSEGV
        self.assertEqual(os.WTERMSIG(status), signal.SIGSEGV)
        self.assertFalse(os.WCOREDUMP(status))


if __name__ == "__main__":
    unittest.main()
