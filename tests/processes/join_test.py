"""Two commands to join: a neighbour, a user and a node become known to a site by a token. From then on they prove
themselves over tcp, and run a job together. A token that doesn't fit is refused with a message.
"""
import os
import signal
import unittest

from changes_test import NODES, Daemon
from dmm_client import Network, Person, site_manager
from grid import GridTest, free_ports, lives, processes_with, until


class Joining(GridTest):
    def setUp(self):
        super().setUp()
        self.places = dict(zip(("alpha", "beta"), (f"tcp://127.0.0.1:{port}" for port in free_ports(2))))
        self.sites = {name: self.begin(name) for name in self.places}
        self.network = Network()
        self.addCleanup(self.network.close)

    def begin(self, name):
        site = Daemon(self, "sitemgr", name, {
            "site": name, "listen": [self.places[name], self.ipc(name)], "directory": str(self.folder / name),
            "clusters": NODES, "pause_first_seconds": 0.1})
        self.addCleanup(self.end_all)
        return site

    def ipc(self, name):
        return f"ipc://{self.folder}/{name}.ipc"

    def at(self, name):
        return ("--sitemgr", self.ipc(name))

    def end_all(self):
        """Also ends the daemons that `dmm` started."""
        for pid in processes_with(str(self.folder)):
            os.kill(pid, signal.SIGTERM)
        until(lambda: not processes_with(str(self.folder)), lambda: processes_with(str(self.folder)))

    def token(self, site, *words):
        return self.dmm(*words, "--at", self.places[site], *self.at(site), "--json").json["token"]

    def is_linked(self, one, other):
        person = Person(self.network, site_manager(one), self.ipc(one))
        try:
            links = person.ask("links")["links"]
        finally:
            self.network.remove(person)
        return any(link["role"] == "sitemgr" and link["site"] == other and link["up"] for link in links)

    def until_linked(self):
        until(lambda: self.is_linked("alpha", "beta") and self.is_linked("beta", "alpha"), "the link, at both ends")

    def test_a_neighbour_a_user_and_a_node_join(self):
        token = self.token("alpha", "invite", "beta")
        joined = self.dmm("join", token, *self.at("beta"))
        self.assertIn("beta is linked to alpha, its sibling", joined.out)
        self.until_linked()
        self.refused_token("used before", token, *self.at("beta"))
        # Joined parties survive restarts.
        for name, site in list(self.sites.items()):
            site.process.terminate()
            until(lambda pid=site.process.pid: not lives(pid), "its end")
            self.sites[name] = self.begin(name)
        self.until_linked()
        # A node of beta and a user of alpha: the job is delegated and runs there.
        node = self.token("beta", "node", "add", "node01")
        self.assertIn("runs with", self.dmm("join", node, "--directory", self.folder / "node", "--nodes", 4).out)
        login = self.token("alpha", "user", "add", "ann")
        told = self.dmm("login", login, "--directory", self.folder / "ann").out
        self.assertIn("export DMM_JOBMGR=ipc://", told)
        self.environment["DMM_JOBMGR"] = told.split("DMM_JOBMGR=")[1].split()[0]
        done = self.dmm("submit", "-n", 3, "--wait", "--json", "--", "sh", "-c", "echo here").json
        self.assertEqual((done["state"], done["place"]["owner"]), ("finished", "beta"), done)
        shown = self.dmm("keys", self.folder / "ann", "--json").json
        self.assertEqual(shown["holder"], "jobmgr alpha/ann")

    def test_a_user_with_a_revoked_key_is_told_so_and_joins_again(self):
        """The site knows the key of the token, and another one that is shown. Both ends say what is wrong."""
        home = self.folder / "ann"
        self.dmm("keys", home, code=1)
        self.dmm("login", self.token("alpha", "user", "add", "ann"), "--directory", home)
        self.environment["DMM_JOBMGR"] = f"ipc://{home}/jobmgr.ipc"
        unknown = self.dmm("revoke", "--user", "bob", *self.at("alpha"), code=1)
        self.assertIn("no link key of jobmgr alpha/bob", unknown.err)
        self.dmm("revoke", "--user", "ann", "--node", "n", *self.at("alpha"), code=2)
        job = self.submit("--", "true")
        revoked = self.dmm("revoke", "--user", "ann", *self.at("alpha"))
        self.assertIn("the key of jobmgr alpha/ann is revoked", revoked.out)
        part = "the link key of jobmgr alpha/ann is revoked: once its `keys` folder is moved away"
        for words in (("why", job), ("sites", *self.at("alpha"))):
            until(lambda w=words: part in " ".join(self.dmm(*w, code=None).out.split()), lambda w=words: self.dmm(*w))
        token = self.token("alpha", "user", "add", "ann")
        self.refused_token("is revoked", token, "--directory", home, command="login")
        (pid,) = [pid for pid, line in processes_with(str(home)).items() if "jobmgr" in line]
        os.kill(pid, signal.SIGTERM)
        until(lambda: not lives(pid), "its end")
        (home / "keys").rename(self.folder / "keys-before")
        self.dmm("login", token, "--directory", home)
        until(lambda: "doesn't reach its site manager" not in self.dmm("why", job).out, lambda: self.dmm("why", job))

    def refused_token(self, part, token, *options, command="join", code=1):
        done = self.dmm(command, token, *options, code=code)
        self.assertIn(part, done.err)

    def test_what_a_token_is_no_good_for(self):
        user, neighbour = self.token("alpha", "user", "add", "ann"), self.token("alpha", "invite", "gamma")
        self.refused_token("dmm login", user, code=2)
        self.refused_token("dmm join", neighbour, "--directory", self.folder / "x", command="login", code=2)
        self.refused_token("the token is for site gamma, and this is beta", neighbour, *self.at("beta"))
        self.refused_token("was all of it pasted?", user[:-7], "--directory", self.folder / "x", command="login",
                           code=2)
        changed = user[:20] + ("A" if user[20] != "A" else "B") + user[21:]
        done = self.dmm("login", changed, "--directory", self.folder / "x", code=None)
        self.assertNotEqual(done.code, 0)
        self.dmm("login", user, "--directory", self.folder / "ann", "--no-start")
        self.refused_token("used before", user, "--directory", self.folder / "other", command="login")

    def test_rights_to_invite(self):
        looker = self.folder / "looker"
        self.dmm("certify", "--by", self.folder / "alpha", "--person", "looker", "--right", "reader", looker)
        self.environment["DMM_KEYS"] = str(looker)
        key = self.dmm("keys", self.folder / "alpha", "--json").json["link_key"]
        refused = self.dmm("user", "add", "ann", "--at", self.places["alpha"], "--sitemgr",
                           f"{self.places['alpha']}#{key}", code=1)
        self.assertIn('"invite" takes an administrator', refused.err)


if __name__ == "__main__":
    unittest.main()
