"""Keys over tcp, tried by a client in another language that has its own keys and lies about everything else. Messages
without proof are never delivered, orders need an administrator, and revoked or foreign keys are refused.
"""
import unittest

from changes_test import NODES, Daemon
from dmm_client import (NON_FIXED, Component, Manager, Need, Network, Person, Request, RequestId, job_manager,
                        resource_manager, site_manager)
from dmm_keys import Keys
from grid import LIMIT, GridTest, free_ports


class Stage(GridTest):
    """Site alpha, which listens over tcp and has a neighbour beta that doesn't run."""

    def setUp(self):
        super().setUp()
        self.folder_of = {site: self.folder / f"site-{site}" for site in ("alpha", "beta", "gamma")}
        keys = {site: self.site_keys(site, folder) for site, folder in self.folder_of.items()}
        self.place = f"tcp://127.0.0.1:{free_ports(1)[0]}"
        self.endpoint = f"{self.place}#{keys['alpha'][0]}"
        self.site = Daemon(self, "sitemgr", "alpha", {
            "site": "alpha", "listen": [self.place, f"ipc://{self.folder}/alpha.ipc"], "clusters": NODES,
            "directory": str(self.folder_of["alpha"]),
            "links": [{"site": "beta", "relation": "sibling", "key": keys["beta"][1]}]})
        self.addCleanup(self.end, self.site.process)
        self.network = Network()
        self.addCleanup(self.network.close)
        self.serial = 0

    def end(self, process):
        process.terminate()
        process.wait()

    def keys_for(self, by, kind, name, *more):
        """Keys that a site certified."""
        self.serial += 1
        folder = self.folder / f"keys-{self.serial}"
        self.certify(self.folder_of[by], kind, name, folder, *more)
        return Keys.read(folder)

    def call(self, party, keys, peer=site_manager("alpha"), endpoint=None):
        return Manager(self.network, party, peer, endpoint or self.endpoint, keys=keys)

    def admitted(self, party, keys, *at):
        caller = self.call(party, keys, *at)
        self.network.until(lambda: caller.peer_incarnation or caller.faults, LIMIT, "an answer")
        told = caller.faults[0].text if caller.faults else ""
        self.network.remove(caller)
        return told

    def request_of(self, caller):
        caller.send(Request(RequestId("alpha", caller.party.name, 1, 1), Need(NON_FIXED, (Component(1),))))


class Claims(Stage):
    def test_each_certificate_speaks_for_its_holder(self):
        ann, bob = job_manager("alpha", "ann"), job_manager("alpha", "bob")
        nodes = resource_manager("alpha", "nodes")
        of_ann, of_nodes = self.keys_for("alpha", "user", "ann"), self.keys_for("alpha", "node", "nodes")
        of_beta = Keys.read(self.folder_of["beta"])
        self.assertEqual(self.admitted(ann, of_ann), "")
        self.assertEqual(self.admitted(nodes, of_nodes), "")
        self.assertEqual(self.admitted(site_manager("beta"), of_beta), "")
        for party, keys in ((bob, of_ann), (nodes, of_ann), (site_manager("beta"), of_ann), (ann, of_nodes),
                            (ann, of_beta), (bob, of_beta)):
            with self.subTest(party=party):
                self.assertIn("may not speak for", self.admitted(party, keys))
        self.assertIn("no certificate", self.admitted(ann, Keys()))
        copied = Keys(certificate=of_ann.certificate)
        self.assertIn("it was copied", self.admitted(ann, copied))
        self.assertIn("isn't known here", self.admitted(ann, Keys.read(self.folder_of["gamma"])))
        foreign = self.keys_for("gamma", "user", "ann")
        self.assertIn("isn't known here", self.admitted(ann, foreign))
        told = [line["text"] for line in self.site.logged("stranger")]
        self.assertTrue([text for text in told if "may not speak for" in text], told)

    def test_a_revoked_key_is_believed_no_more(self):
        ann, keys = job_manager("alpha", "ann"), self.keys_for("alpha", "user", "ann")
        caller = self.call(ann, keys)
        self.network.until(lambda: caller.peer_incarnation, LIMIT, "the session")
        self.site.change(revoked=[keys.letters()])
        self.request_of(caller)
        self.network.until(lambda: caller.faults, LIMIT, "the refusal")
        self.assertIn("is revoked", self.admitted(ann, keys))
        self.assertEqual(self.site.logged("request"), [])
        self.site.change(revoked=[])
        self.network.until(lambda: self.site.logged("request"), LIMIT, "the request")

    def test_a_key_is_revoked_by_an_order(self):
        """The revocation takes effect at once, for good, and also at the site's resource managers."""
        ann, keys = job_manager("alpha", "ann"), self.keys_for("alpha", "user", "ann")
        nodes, there = self.begin_nodes()
        at_nodes = Manager(self.network, ann, resource_manager("alpha", "nodes"), there, keys=keys)
        caller = self.call(ann, keys)
        self.network.until(lambda: caller.peer_incarnation and at_nodes.peer_incarnation, LIMIT, "both sessions")
        self.dmm("revoke", keys.letters(), "--sitemgr", f"ipc://{self.folder}/alpha.ipc")
        self.network.until(lambda: caller.faults and at_nodes.faults, LIMIT, "both refusals")
        nodes.until_logged("revocation")
        for party in (caller, at_nodes):
            self.network.remove(party)
        for daemon in (self.site, nodes):
            self.end(daemon.process)
        # The nodes remember it also where no site manager tells them again.
        again = Daemon(self, "resmgr", "nodes", nodes.config)
        self.addCleanup(self.end, again.process)
        self.assertIn("is revoked", self.admitted(ann, keys, resource_manager("alpha", "nodes"), there))
        self.site = Daemon(self, "sitemgr", "alpha", self.site.config)
        self.addCleanup(self.end, self.site.process)
        self.assertIn("is revoked", self.admitted(ann, keys))

    def test_a_key_that_begins_with_a_hyphen_is_no_option(self):
        """One key of 64 does."""
        key = "-" + 42 * "A"
        order = ("revoke", key, "--sitemgr", f"ipc://{self.folder}/alpha.ipc")
        for words in (order, (order[0], *order[2:], key)):
            self.assertEqual(self.dmm(*words).out, f"{key} is revoked\n")
        self.assertIn("-TOSQ", self.dmm("revoke", "-TOSQ", code=2).err)  # no key

    def begin_nodes(self):
        """A resource manager of alpha that listens over tcp; also its endpoint."""
        of_nodes, place = self.folder / "nodes", f"tcp://127.0.0.1:{free_ports(1)[0]}"
        self.certify(self.folder_of["alpha"], "node", "nodes", of_nodes)
        nodes = Daemon(self, "resmgr", "nodes", {
            "site": "alpha", "name": "nodes", "cluster": "nodes", "nodes": 4, "site_endpoint": self.endpoint,
            "listen": [place], "directory": str(of_nodes)})
        self.addCleanup(self.end, nodes.process)
        return nodes, f"{place}#{self.dmm('keys', of_nodes, '--json').json['link_key']}"

    def test_a_stranger_does_not_displace_the_session_of_a_person(self):
        """The stranger has a key of its own and no certificate, and says that it was started later."""
        ops = self.keys_for("alpha", "person", "ops")
        person = Person(self.network, site_manager("alpha"), self.endpoint, keys=ops)
        self.assertEqual(person.ask("links")["refused"].get("not_proved", 0), 0)
        stranger = Person(self.network, site_manager("alpha"), self.endpoint, keys=Keys())
        self.network.until(lambda: stranger.peer_incarnation or stranger.faults, LIMIT, "an answer to the stranger")
        self.assertGreater(stranger.incarnation, person.incarnation)
        self.assertIn("another client speaks as", [fault.text for fault in stranger.faults][0])
        self.network.remove(stranger)
        self.assertGreater(person.ask("links")["refused"]["not_proved"], 0)

    def test_what_expires_soon_is_shown(self):
        keys = self.keys_for("alpha", "node", "nodes", "--days", 5)
        caller = self.call(resource_manager("alpha", "nodes"), keys)
        self.network.until(lambda: caller.peer_incarnation, LIMIT, "the session")
        shown = self.dmm("sites", "--sitemgr", f"ipc://{self.folder}/alpha.ipc", code=None).out
        self.assertIn("the certificate of resmgr alpha/nodes expires in", " ".join(shown.split()))

    def test_a_session_is_not_taken_over(self):
        ann = job_manager("alpha", "ann")
        real = self.call(ann, self.keys_for("alpha", "user", "ann"))
        self.network.until(lambda: real.peer_incarnation, LIMIT, "the session")
        thief = self.call(ann, self.keys_for("alpha", "user", "mallory"))
        thief.peer_incarnation = real.peer_incarnation
        thief.incarnation = real.incarnation
        self.request_of(thief)
        self.network.until(lambda: thief.faults, LIMIT, "the thief's refusal")
        self.assertEqual(self.site.logged("request"), [])
        self.request_of(real)
        self.network.until(lambda: self.site.logged("request"), LIMIT, "the request of the real one")


class Orders(Stage):
    def dmm_as(self, folder, *words, code):
        self.environment["DMM_KEYS"] = str(folder)
        try:
            return self.dmm(*words, "--sitemgr", self.endpoint, code=code)
        finally:
            del self.environment["DMM_KEYS"]

    def person(self, name, right):
        folder = self.folder / name
        self.dmm("certify", "--by", self.folder_of["alpha"], "--person", name, "--right", right, folder)
        return folder

    def test_orders_take_an_administrator(self):
        ops, looker = self.person("ops", "administrator"), self.person("looker", "reader")
        user = self.folder / "ann"
        self.certify(self.folder_of["alpha"], "user", "ann", user)
        foreign = self.folder / "foreign"
        self.dmm("certify", "--by", self.folder_of["beta"], "--person", "ops", foreign)
        for folder in (ops, looker, user):
            self.assertIn("no leases", self.dmm_as(folder, "leases", code=0).out)
        for folder in (looker, user):
            self.assertIn('"drain" takes an administrator', self.dmm_as(folder, "drain", "alpha", code=1).err)
        self.assertIn("takes", self.dmm_as(foreign, "drain", "alpha", code=1).err)
        self.dmm_as(ops, "drain", "alpha", code=0)
        self.dmm_as(self.folder_of["alpha"], "resume", "alpha", code=0)  # by the site manager's own keys
        shown = self.dmm("keys", ops, "--json").json
        self.assertEqual(shown["holder"], "client alpha/ops")

    def test_without_keys_the_command_says_what_to_do(self):
        done = self.dmm("leases", "--sitemgr", self.endpoint, code=None)
        self.assertNotEqual(done.code, 0, done)
        self.assertIn("DMM_KEYS", done.err)


if __name__ == "__main__":
    unittest.main()
