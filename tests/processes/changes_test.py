"""Changes while daemons run (docs/operations.md, sections 6 and 8): neighbours that come and go, files with errors,
nodes that come and go, second processes of one name, unconfigured neighbours that knock, and silent connections. Each
daemon is started by hand, changed by its file and SIGHUP, and must live to the end.
"""
import json
import signal
import socket
import unittest

from dmm_client import Network, Person, site_manager
from grid import BIN, LIMIT, GridTest, free_ports, until

QUICK = {"beat_seconds": 0.2, "silence_seconds": 1.5}
NODES = [{"name": "nodes", "nodes": 4}]


class Daemon:
    """A process, the file it was started with, and its log."""

    def __init__(self, test, program, called, config, quick=QUICK):
        self.file, self.log = (test.folder / f"{program}-{called}.{kind}" for kind in ("json", "jsonl"))
        self.config = {**config, **quick, "log": {"file": str(self.log), "terminal": False}}
        self.name = f"{program} {called}"
        self.write()
        self.process = test.start(BIN / program, "--config", self.file)
        self.until_logged("ready")

    def write(self):
        self.file.write_text(json.dumps(self.config), encoding="utf-8")

    def logged(self, event):
        """The whole log lines with this event; each appears within about a second."""
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        lines = [json.loads(line) for line in text.split("\n")[:-1]]
        return [line for line in lines if line["event"] == event]

    def until_logged(self, event, count=1):
        """The last of them."""
        def there():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.name} has ended, with {self.process.returncode}")
            return len(self.logged(event)) >= count
        until(there, lambda: f"{count} times {event} of {self.name}: {self.log.read_text()[-2000:]}")
        return self.logged(event)[-1]

    def reread(self, event="configuration_taken"):
        """Makes it read its file again; returns its log event about that."""
        count = len(self.logged(event))  # no event is on its way: each call waits for its own
        self.process.send_signal(signal.SIGHUP)
        return self.until_logged(event, count + 1)

    def change(self, **keys):
        """Changes keys of its file, and checks that the change takes effect at once."""
        self.config.update(keys)
        self.write()
        taken = self.reread()
        if taken["after_restart"] != "nothing" or not set(keys) <= set(taken["changed"].split(", ")):
            raise AssertionError(f"{self.name} took {list(keys)} with {taken}")


class Changes(GridTest):
    """What the tests share: daemons that must live, and the views of sites."""

    def setUp(self):
        super().setUp()
        self.daemons, self.go = [], self.folder / "go"
        self.addCleanup(self.go.touch)

    def begin(self, program, called, quick=QUICK, **config):
        daemon = Daemon(self, program, called, config, quick)
        self.daemons.append(daemon)
        self.addCleanup(self.end, daemon)  # before it is killed, the latest first
        return daemon

    def end(self, daemon):
        """It must have lived until now, and must end in order."""
        if daemon not in self.daemons:
            return  # it has ended already
        self.daemons.remove(daemon)
        lived = daemon.process.poll() is None
        daemon.process.terminate()
        self.assertEqual((lived, daemon.process.wait(LIMIT)), (True, 0), daemon.name)

    def socket_of(self, called):
        return f"ipc://{self.folder}/{called}.sock"

    def begin_site(self, name, links=(), called="", **more):
        called = called or name
        listen = [self.socket_of(called), *more.pop("listen_too", [])]
        return self.begin("sitemgr", called, site=name, listen=listen, links=list(links), clusters=NODES,
                          directory=str(self.folder / f"site-{called}"), pause_first_seconds=0.1, **more)

    def begin_nodes(self, site, nodes):
        return self.begin("resmgr", site, site=site, name="nodes", cluster="nodes", nodes=nodes,
                          site_endpoint=self.socket_of(site), directory=str(self.folder / f"run-{site}"))

    def begin_user(self, site):
        self.user_options = ("--jobmgr", self.socket_of("user"), "--as-site", site, "--as-user", "u")
        self.begin("jobmgr", "user", site=site, user="u", site_endpoint=self.socket_of(site),
                   listen=[self.socket_of("user")], directory=str(self.folder / "jobs"))

    def link(self, site, dials=False):
        return {"site": site, "relation": "sibling", **({"connect": self.socket_of(site)} if dials else {})}

    # ---- looking ----

    def at(self, site, called=""):
        return "--sitemgr", self.socket_of(called or site), "--as-site", site

    def view(self, site, called=""):
        return self.dmm("sites", "--json", *self.at(site, called), code=None).json["sites"][0]

    def link_of(self, site, neighbour, called=""):
        return next((link for link in self.view(site, called)["links"] if link["site"] == neighbour), None)

    def until_view(self, site, **wanted):
        last = {}

        def agrees():
            view = self.view(site)
            last.update({key: view[key] for key in wanted})
            return last == wanted
        until(agrees, lambda: f"{site} with {wanted}; it has {last}")

    def until_up(self, *pairs):
        """Waits until each of these sites says that its link with the other is up."""
        until(lambda: all((link := self.link_of(*pair)) and link["up"] for pair in pairs),
              lambda: f"the links {pairs} up: {[self.link_of(*pair) for pair in pairs]}")

    def links_answer(self, site):
        """What the site manager answers to the question `links`."""
        network = Network()
        try:
            return Person(network, site_manager(site), self.socket_of(site)).open().ask("links")
        finally:
            network.close()

    # ---- jobs ----

    def begin_job(self, *command, processors=1):
        return self.submit(*self.user_options, "-n", processors, "--", *command)

    def begin_waiting_job(self):
        """Submits a job that ends when `go` exists."""
        return self.begin_job("sh", "-c", f"until [ -e {self.go} ]; do sleep 0.05; done")

    def until_job(self, site, name, *states):
        return self.until_state(name, *states, options=(*self.user_options, "--sitemgr", self.socket_of(site)))

    def expect_finished_at(self, owner, name):
        record = self.until_job("alpha", name, "finished", "failed", "lost")
        self.assertEqual((record["state"], record["place"]["owner"], record["reruns"]), ("finished", owner, 0), record)

    def expect_waiting(self, site, name):
        """The job waits in its site's queue: nothing may serve it, and it isn't over."""
        self.until_view(site, requests_waiting=1)
        self.until_job(site, name, "waiting")


class Neighbours(Changes):
    """alpha has users and no nodes; beta has nodes."""

    def setUp(self):
        super().setUp()
        self.alpha, self.beta = self.begin_site("alpha"), self.begin_site("beta")
        self.begin_nodes("beta", 4)
        self.begin_user("alpha")
        self.until_view("beta", processors=4)

    def join(self):
        self.alpha.change(links=[self.link("beta", dials=True)])
        self.beta.change(links=[self.link("alpha")])
        self.until_up(("alpha", "beta"), ("beta", "alpha"))

    def part(self):
        """As in operations.md: drain both ways, wait until nothing is lent, remove it on both sides."""
        self.dmm("drain", "beta", *self.at("alpha"))
        self.dmm("drain", "alpha", *self.at("beta"))
        for site in ("alpha", "beta"):
            self.until_view(site, leases_in=0, leases_out=0)
        for daemon in (self.alpha, self.beta):
            daemon.change(links=[])

    def expect_unlinked(self):
        for site in ("alpha", "beta"):
            self.assertEqual(self.view(site)["links"], [])
            sessions = [link for link in self.links_answer(site)["links"] if link["role"] == "sitemgr"]
            self.assertEqual(sessions, [])

    def test_a_neighbour_comes_goes_and_comes_back(self):
        self.expect_unlinked()
        early = self.begin_job("true", processors=2)
        self.expect_waiting("alpha", early)
        self.join()
        self.expect_finished_at("beta", early)
        self.expect_finished_at("beta", self.begin_job("true", processors=4))
        self.part()
        self.expect_unlinked()
        late = self.begin_job("true")
        self.expect_waiting("alpha", late)
        self.join()
        self.assertEqual(self.view("beta")["drained"], ["alpha"])  # still
        self.expect_waiting("alpha", late)
        self.dmm("resume", "alpha", *self.at("beta"))
        self.expect_finished_at("beta", late)

    def test_a_file_with_an_error(self):
        """A bad file changes nothing, whether it is unreadable, malformed or contradictory."""
        self.join()
        good = dict(self.alpha.config)
        for text, part in (("{\"site\": ", "line 1"),
                           (json.dumps({**good, "lincs": []}), "lincs"),
                           (json.dumps({**good, "links": [{"site": "beta", "relation": "cousin"}]}), "relation"),
                           (json.dumps({**good, "links": [], "ancestors": ["top"]}), "ancestors")):
            self.alpha.file.write_text(text, encoding="utf-8")
            said = self.alpha.reread("configuration_refused")
            self.assertIn(part, said["reason"])
            self.assertTrue(self.link_of("alpha", "beta")["up"])
        self.alpha.file.unlink()
        self.assertIn("no such file", self.alpha.reread("configuration_refused")["reason"])
        self.expect_finished_at("beta", self.begin_job("true"))
        self.assertEqual(len(self.alpha.logged("configuration_taken")), 1)
        self.part()  # and then it takes a good one
        self.expect_unlinked()


class Users(Changes):
    def test_user_taken_out(self):
        """A user taken out of `users` is told so, and messages from the site don't let her in again. After she is added
        again, everything runs."""
        site = self.begin_site("alpha", users=["u"])
        self.begin_nodes("alpha", 1)
        self.begin_user("alpha")
        self.until_view("alpha", processors=1)
        jobs = [self.begin_waiting_job(), self.begin_job("true")]
        self.until_job("alpha", jobs[0], "running")
        self.until_view("alpha", requests_waiting=1)
        site.change(users=["v"])

        def why():
            told = self.dmm("why", jobs[1], *self.user_options, "--sitemgr", self.socket_of("alpha")).out
            return " ".join(told.split())
        until(lambda: "not admitted here" in why(), why)
        self.assertIn("doesn't reach its site manager", why())
        self.go.touch()  # the site has nodes for the next job now, and tells so
        site.until_logged("release")
        until(lambda: self.view("alpha")["strangers"], "the job manager, knocking")
        self.assertIn("doesn't reach its site manager", why())
        site.change(users=["u"])
        for job in jobs:
            self.assertEqual(self.until_job("alpha", job, "finished", "failed", "lost")["state"], "finished")


class Nodes(Changes):
    def setUp(self):
        super().setUp()
        self.begin_site("alpha")
        self.nodes = self.begin_nodes("alpha", 4)
        self.begin_user("alpha")
        self.until_view("alpha", processors=4)

    def test_nodes_go_and_come(self):
        """Jobs on nodes that stay go on; the jobs of removed nodes wait, and run again on new nodes."""
        jobs = [self.begin_waiting_job() for _ in range(4)]
        for job in jobs:
            self.until_job("alpha", job, "running")
        self.nodes.change(nodes=2)
        self.until_view("alpha", processors=2, requests_waiting=2)
        states = {job: self.until_job("alpha", job, "running", "waiting")["state"] for job in jobs}
        self.assertEqual(sorted(states.values()), ["running", "running", "waiting", "waiting"])
        self.nodes.change(nodes=6)
        self.until_view("alpha", processors=6, processors_busy=4, requests_waiting=0)
        for job in jobs:
            self.until_job("alpha", job, "running")
        self.go.touch()
        for job, state in states.items():
            record = self.until_job("alpha", job, "finished", "failed", "lost")
            end = record["state"], record["reruns"] + record["interruptions"], record["exit"]["code"]
            self.assertEqual(end, ("finished", 0 if state == "running" else 1, 0), record)
        self.until_view("alpha", processors_busy=0, leases_own=0)

    def test_a_file_with_an_error(self):
        job = self.begin_waiting_job()
        self.until_job("alpha", job, "running")
        for keys, part in (({"nodes": "many"}, "nodes"), ({"nodes": 0}, "nodes"), ({"name": "others"}, "name")):
            self.nodes.file.write_text(json.dumps({**self.nodes.config, **keys}), encoding="utf-8")
            self.assertIn(part, self.nodes.reread("configuration_refused")["reason"])
        self.assertEqual(self.view("alpha")["processors"], 4)
        self.go.touch()
        record = self.until_job("alpha", job, "finished", "failed", "lost")
        self.assertEqual((record["state"], record["reruns"]), ("finished", 0), record)


class Strangers(Changes):
    def test_a_batch_manager_takes_its_file_again(self):
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("look", "hold", "recall", "withdraw"):
            (programs / name).write_text("#!/bin/sh\n", encoding="utf-8")
            (programs / name).chmod(0o755)
        self.begin_site("alpha")
        batch = self.begin("batchmgr", "batch", quick={}, site="alpha", name="batch", system="script", cluster="nodes",
                           programs=str(programs), sitemgr=self.socket_of("alpha"), node_endpoint="tcp://head:7700",
                           node_folder="/var/lib/dmm", listen=[self.socket_of("batch")],
                           directory=str(self.folder / "batch"))
        batch.change(reserve=1)
        batch.change(reserve=2, idle_for_seconds=5)

    def test_a_second_process_of_one_name(self):
        """The newcomer isn't heard while the first process lives, which goes on."""
        dials = [self.link("beta", dials=True)]
        beta = self.begin_site("beta", [self.link("alpha")])
        alpha = self.begin_site("alpha", dials)
        self.begin_nodes("beta", 4)
        self.begin_user("alpha")
        self.until_up(("alpha", "beta"), ("beta", "alpha"))
        first = self.begin_waiting_job()
        self.until_job("alpha", first, "running")
        self.begin_site("alpha", dials, called="twin")
        self.assertIn("another sitemgr alpha runs", beta.until_logged("twin_refused")["text"])
        self.assertFalse(self.link_of("alpha", "beta", "twin")["up"])
        until(lambda: "another sitemgr alpha runs" in (self.link_of("alpha", "beta", "twin")["last_error"] or ""),
              "the reason at the newcomer")
        self.expect_finished_at("beta", self.begin_job("true"))
        self.go.touch()
        self.expect_finished_at("beta", first)
        self.end(alpha)
        self.assertEqual(alpha.logged("link_down"), [])
        until(lambda: self.link_of("alpha", "beta", "twin")["up"], "the newcomer heard, when it is alone")

    def test_a_neighbour_that_is_not_named(self):
        beta = self.begin_site("beta")
        self.begin_nodes("beta", 1)
        self.until_view("beta", processors=1)
        self.begin_site("alpha", [self.link("beta", dials=True)])
        self.assertEqual(beta.until_logged("stranger")["peer"], "sitemgr alpha")
        self.assertFalse(self.link_of("alpha", "beta")["up"])
        until(lambda: "not admitted" in (self.link_of("alpha", "beta")["last_error"] or ""),
              "the reason at the one who knocks")
        answer = self.links_answer("beta")
        self.assertEqual([stranger["peer"] for stranger in answer["strangers"]], ["sitemgr alpha"])
        self.assertGreaterEqual(answer["strangers"][0]["knocks"], 1)
        self.assertEqual([link for link in answer["links"] if link["role"] == "sitemgr"], [])
        self.assertIn("sitemgr alpha tries to connect", self.dmm("sites", *self.at("beta"), code=None).out)
        beta.change(links=[self.link("alpha")])  # once its neighbour is configured, it is admitted
        self.until_up(("alpha", "beta"), ("beta", "alpha"))
        self.assertEqual(self.links_answer("beta")["strangers"], [])

    def test_silent_connections(self):
        """Silent connections are closed after a while; a link on the same port isn't."""
        port = free_ports(1)[0]
        there = f"tcp://127.0.0.1:{port}"
        (_, alpha_key), (beta_link, beta_key) = (self.site_keys(site, self.folder / f"site-{site}")
                                                 for site in ("alpha", "beta"))
        beta = self.begin_site("beta", [{**self.link("alpha"), "key": alpha_key}], listen_too=[there])
        self.begin_site("alpha", [{**self.link("beta"), "key": beta_key, "connect": f"{there}#{beta_link}"}])
        self.until_up(("alpha", "beta"), ("beta", "alpha"))
        silent = [socket.create_connection(("127.0.0.1", port), timeout=LIMIT) for _ in range(50)]
        for connection in silent:
            with connection:
                while connection.recv(4096):  # it greets, and is never answered
                    pass
        self.until_up(("alpha", "beta"), ("beta", "alpha"))
        self.end(beta)
        self.assertEqual(beta.logged("link_down"), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
