"""Crashes and cut links: whatever is killed, no process outlives its lease, nodes go home, and interrupted jobs run
again. Behind a link that was cut and has healed, every job has exactly one outcome.
"""
# ctest: cost 120
import collections
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import threading
import unittest

from dmm_client import Component, JobDescription, Need, Network, Person, Program, Submit, Submitted, job_manager
from grid import BIN, GridTest, free_ports, lives, number_outside, read, until

TERM = 4  # seconds; the term after which leases without renewal end
FOREVER = "while :; do sleep 1; done"


class Proxy:
    """Passes the bytes of one TCP endpoint to another until it is cut."""

    def __init__(self, port, to):
        self.port, self.to = port, to
        self.lock, self.server, self.pairs, self.accepted = threading.Lock(), None, [], 0
        self.heal()

    def heal(self):
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", self.port))
        server.listen()
        self.server = server
        threading.Thread(target=self.accept, args=(server,), daemon=True).start()

    def cut(self):
        """Drops the connections with everything on its way in them; refuses new ones."""
        with self.lock:
            server, self.server, pairs, self.pairs = self.server, None, self.pairs, []
        if server:
            server.shutdown(socket.SHUT_RDWR)
            server.close()
        for end in (end for pair in pairs for end in pair):
            try:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset, don't deliver
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def accept(self, server):
        while True:
            try:
                here, _ = server.accept()
            except OSError:
                return  # cut
            try:
                there = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                here.close()  # nothing listens there yet
                continue
            with self.lock:
                if self.server is not server:
                    return here.close(), there.close()
                self.pairs.append((here, there))
                self.accepted += 1
            for pair in ((here, there), (there, here)):
                threading.Thread(target=self.copy, args=pair, daemon=True).start()

    @staticmethod
    def copy(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Crashes(GridTest):
    """Two sites; alpha has one node, so wider jobs run at beta."""

    def setUp(self):
        super().setUp()
        sites = [{"name": "alpha", "clusters": [{"name": "nodes", "nodes": 1}], "users": ["u0"], "siblings": ["beta"]},
                 {"name": "beta", "clusters": [{"name": "nodes", "nodes": 4}]}]
        self.testbed = self.up(self.topology("pair", *sites, defaults={"term_seconds": TERM}))
        self.pids, self.go = self.folder / "pids", self.folder / "go"
        self.outside = []  # pids from the jobs' notes, in this process namespace

    def stubborn(self):
        """The command of a job with descendants of all kinds that note their ids; it ends when `go` exists."""
        note = f"echo $$ >>{self.pids}"
        return ("sh", "-c", f"""{note}
            setsid sh -c '{note}; trap "" TERM; cd /; {FOREVER}' </dev/null >/dev/null 2>&1 &
            (setsid sh -c '{note}; {FOREVER}' &)
            sh -c '{note}; {FOREVER}' &
            while [ ! -e {self.go} ]; do sleep 0.05; done""")

    def descendants(self, count):
        def noted():
            inside = self.pids.read_text().split() if self.pids.exists() else []
            for number in inside[len(self.outside):]:
                if (outside := number_outside(number, str(self.home))) is None:
                    return None
                self.outside.append(outside)
            return self.outside if len(self.outside) == count else None
        return until(noted, f"{count} processes")

    def restart(self, name, **variables):
        """Starts a killed daemon again with the same configuration; it ends before the testbed."""
        config = next(one["config"] for one in self.testbed["daemons"] if one["daemon"] == name)
        process = self.start("env", *(f"{key}={value}" for key, value in variables.items()),
                             BIN / name.split()[0], "--config", config, stderr=subprocess.DEVNULL)

        def end():
            if process.poll() not in (1, -signal.SIGKILL):  # unless it halted, or the test killed it
                process.terminate()
                self.assertEqual(process.wait(60), 0, name)
        self.addCleanup(end)
        return process

    def start_borrowed(self, *options, processors=3):
        job = self.submit("--site", "alpha", "-n", processors, *options, "--", *self.stubborn())
        record = self.until_state(job, "running")
        self.assertEqual(record["place"]["owner"], "beta")
        return job, self.descendants(4)

    def expect_ended(self, pids):
        until(lambda: not any(map(lives, pids)), lambda: f"the end of {[pid for pid in pids if lives(pid)]}")

    def expect_unharmed(self, job, pids):
        """The job goes on unchanged, and finishes in its first attempt."""
        self.assertEqual([pid for pid in pids if not lives(pid)], [])
        record = self.until_state(job, "running")
        self.assertEqual((record["attempt"], record["reruns"]), (1, 0), record)
        self.go.touch()
        record = self.until_state(job, "finished", "lost", "failed")
        self.assertEqual((record["state"], record["reruns"]), ("finished", 0), record)
        self.expect_ended(pids)
        self.until_home()
        self.assertEqual(self.fsck(), [])

    def fsck(self):
        return self.dmm("fsck", "--json").json["disagreements"]

    def test_resource_manager(self):
        """Its jobs go on without it, and a new one finds them."""
        job, pids = self.start_borrowed()
        self.kill(self.daemon(self.testbed, "resmgr beta/nodes"))
        self.restart("resmgr beta/nodes")
        self.expect_unharmed(job, pids)

    def test_a_job_ends_while_its_resource_manager_is_away(self):
        job, pids = self.start_borrowed()
        self.kill(self.daemon(self.testbed, "resmgr beta/nodes"))
        self.go.touch()
        self.expect_ended(pids)
        self.restart("resmgr beta/nodes")
        record = self.until_state(job, "finished", "lost", "failed")
        self.assertEqual((record["state"], record["reruns"]), ("finished", 0), record)
        self.until_home()

    def test_a_resource_manager_that_stays_away(self):
        """Its jobs are ended at the end of the lease, and rerun up to their limit."""
        job, pids = self.start_borrowed("--reruns", 1)
        self.kill(self.daemon(self.testbed, "resmgr beta/nodes"))
        self.expect_ended(pids)
        again = self.restart("resmgr beta/nodes")
        self.descendants(8)  # it runs again
        again.kill()
        again.wait()
        self.expect_ended(self.descendants(8))
        self.restart("resmgr beta/nodes")
        record = self.until_state(job, "lost", "failed", "finished")
        self.assertEqual((record["state"], record["reruns"]), ("lost", 1), record)
        self.until_home()

    def test_job_manager(self):
        job, pids = self.start_borrowed()
        self.kill(self.daemon(self.testbed, "jobmgr alpha/u0"))
        self.restart("jobmgr alpha/u0")
        self.expect_unharmed(job, pids)
        record = self.run_job("--site", "alpha", "-n", 4, "--", "true")
        self.assertEqual((record["state"], record["job"] > 1), ("finished", True))  # no number twice

    def test_borrowing_site(self):
        """Its users' job managers are still in contact: their jobs go on, also after the end of the lease."""
        job, pids = self.start_borrowed()
        self.kill(self.daemon(self.testbed, "sitemgr alpha"))
        until(lambda: self.sites("--site", "beta")["beta"]["leases_out"] == 0 or
              not self.sites("--site", "beta")["beta"]["processors_lent"], "the end of the lease")
        self.restart("sitemgr alpha")
        self.expect_unharmed(job, pids)

    def test_a_dead_borrower(self):
        """No manager of the site is in contact: the nodes go home after a lease term, and the jobs run again when it is
        back."""
        job, pids = self.start_borrowed()
        self.kill(self.daemon(self.testbed, "sitemgr alpha"), self.daemon(self.testbed, "jobmgr alpha/u0"))
        self.expect_ended(pids)
        until(lambda: self.sites("--site", "beta")["beta"]["processors_busy"] == 0, "the nodes at their owner")
        self.go.touch()
        self.restart("sitemgr alpha")
        self.restart("jobmgr alpha/u0")
        record = self.until_state(job, "finished", "lost", "failed")
        self.assertEqual((record["state"], record["reruns"]), ("finished", 1), record)
        self.until_home()

    def test_owning_site(self):
        job, pids = self.start_borrowed()
        self.kill(self.daemon(self.testbed, "sitemgr beta"))
        self.restart("sitemgr beta")
        self.expect_unharmed(job, pids)

    def test_every_manager_one_after_the_other(self):
        job, pids = self.start_borrowed()
        self.dmm("testbed", "restart", "pair")
        self.dmm("testbed", "restart", "pair", "--kill")
        self.expect_unharmed(job, pids)

    def test_reclaim(self):
        """The owner takes its nodes back: the job is told to end, is killed after the grace, and runs again."""
        job, pids = self.start_borrowed()
        self.dmm("drain", "alpha", "--site", "beta")
        self.dmm("reclaim", "alpha", "--site", "beta", "--grace", 1)
        self.expect_ended(pids)
        until(lambda: self.sites("--site", "beta")["beta"]["processors_busy"] == 0, "the nodes at their owner")
        self.until_state(job, "waiting")
        self.assertEqual(self.sites("--site", "beta")["beta"]["drained"], ["alpha"])
        self.dmm("resume", "alpha", "--site", "beta")
        self.go.touch()
        record = self.until_state(job, "finished", "lost", "failed")
        self.assertEqual((record["state"], record["reruns"]), ("finished", 0), record)
        self.assertEqual((record["interruptions"], record["interrupted_by"]), (1, ["beta"]), record)
        self.assertEqual(record["interruption_causes"], [{"owner": "beta", "cause": "reclaimed", "times": 1}])
        self.assertIn("1 time: reclaimed by beta (1); that doesn't count as a rerun.",
                      " ".join(self.dmm("why", job).out.split()))

    def test_a_neighbour_taken_out_of_links(self):
        """Its jobs on borrowed nodes go on detached, as after a silence."""
        job, pids = self.start_borrowed("--reruns", 0)
        beta = next(one for one in self.testbed["daemons"] if one["daemon"] == "sitemgr beta")
        config = pathlib.Path(beta["config"])
        settings = json.loads(config.read_text())
        config.write_text(json.dumps(settings | {"links": []}))
        os.kill(beta["pid"], signal.SIGHUP)
        for name, event in (("sitemgr beta", "neighbour_removed"), ("resmgr beta/nodes", "detach")):
            until(lambda name=name, event=event: f'"event":"{event}"' in self.log_of(self.testbed, name), event)
        self.assertEqual([pid for pid in pids if not lives(pid)], [])
        self.go.touch()
        record = self.until_state(job, "finished", "lost", "failed")
        self.assertEqual((record["state"], record["attempt"]), ("finished", 1), record)

    def test_a_disk_that_fails_to_sync(self):
        """A manager halts and says why; nothing that it said is lost, and its jobs go on."""
        failing = self.folder / "failing"
        failing.mkdir()
        job, pids = self.start_borrowed()
        home = self.submit("--site", "alpha", "--", "sh", "-c", f"while [ ! -e {self.go} ]; do sleep 0.05; done")
        self.until_state(home, "running")  # so that the next goes to beta
        for name in ("resmgr beta/nodes", "jobmgr alpha/u0"):
            self.kill(self.daemon(self.testbed, name))
            halting = self.restart(name, LD_PRELOAD=BIN / "libfailing_sync.so", DMM_FAILING_SYNC=failing,
                                   ASAN_OPTIONS="verify_asan_link_order=0")
            until(lambda name=name: self.log_of(self.testbed, name).count('"ready"') == 2, f"{name} again")
            (failing / str(halting.pid)).touch()
            self.dmm("submit", "--site", "alpha", "--", "true", code=None)
            self.assertEqual(halting.wait(60), 1)
            self.assertIn("ledger_lost", self.log_of(self.testbed, name))
            self.restart(name)
        self.expect_unharmed(job, pids)

    def test_a_start_that_fails(self):
        """A resource manager that finds its jobs and then can't go on leaves them to its next start."""
        job, pids = self.start_borrowed()
        name = "resmgr beta/nodes"
        in_the_way = self.home / "testbeds/pair/run-beta-nodes/incarnation.new"
        in_the_way.mkdir()
        self.kill(self.daemon(self.testbed, name))
        self.assertEqual(self.restart(name).wait(60), 1)
        in_the_way.rmdir()
        self.restart(name)
        self.expect_unharmed(job, pids)

    def test_keeper(self):
        """The keeper, which is the parent of the jobs, is killed: the job ends, and no process of it goes on."""
        job, pids = self.start_borrowed("--reruns", 0)
        folder = self.home / "testbeds/pair/run-beta-nodes/keeper.lock"
        self.kill(int(folder.read_text()))
        record = self.until_state(job, "lost", "failed")
        self.assertIn(record["state"], ("lost", "failed"))
        self.expect_ended(pids)
        self.until_home()
        self.assertEqual(self.run_job("--site", "alpha", "-n", 4, "--", "true")["state"], "finished")

    def test_replaced(self):
        """A process of this account that isn't a job takes the jobs over: the resource manager ends and says why."""
        folder = self.home / "testbeds/pair/run-beta-nodes"
        process = self.daemon(self.testbed, "resmgr beta/nodes")
        secret = (folder / "keeper.secret").read_bytes()
        hello = bytes([7]) + struct.pack("<I", len(secret)) + secret + struct.pack("<BIqQQQ", 1, 0, 60000000, 0, 0, 0)
        hello += bytes(16)  # no account
        with socket.socket(socket.AF_UNIX) as manager:
            manager.connect(f"{folder}/keeper.socket")
            manager.sendall(struct.pack("<I", len(hello)) + hello)
            until(lambda: not lives(process), "the end of the resource manager")
        self.assertIn('"event":"replaced"', self.log_of(self.testbed, "resmgr beta/nodes"))
        self.restart("resmgr beta/nodes")
        job = self.submit("--site", "alpha", "-n", 4, "--", "true")
        self.until_state(job, "finished")

    def test_stopped_keeper(self):
        """A live manager notices that its keeper is stopped, logs it, and makes the keeper go on."""
        keeper = int((self.home / "testbeds/pair/run-beta-nodes/keeper.lock").read_text())
        os.kill(keeper, signal.SIGSTOP)
        until(lambda: '"event":"keeper_heard"' in self.log_of(self.testbed, "resmgr beta/nodes"), "the keeper")
        self.assertIn('"event":"keeper_silent"', self.log_of(self.testbed, "resmgr beta/nodes"))
        self.assertEqual(self.run_job("--site", "alpha", "-n", 4, "--", "true")["state"], "finished")

    def test_a_keeper_that_dies(self):
        """No job is charged for that, but a job that was present three times fails, also if the manager died with the
        keeper."""
        jobs = next(one for one in self.testbed["daemons"] if one["daemon"] == "jobmgr alpha/u0")
        config = pathlib.Path(jobs["config"])
        config.write_text(json.dumps(json.loads(config.read_text()) | {"rerun_pause_seconds": 0.1}))
        os.kill(jobs["pid"], signal.SIGHUP)
        until(lambda: "configuration_taken" in self.log_of(self.testbed, "jobmgr alpha/u0"), "the new configuration")
        job, pids = self.start_borrowed("--reruns", 1)
        keeper = self.home / "testbeds/pair/run-beta-nodes/keeper.lock"
        self.kill(int(keeper.read_text()))
        self.expect_ended(pids)
        pids = self.descendants(8)  # it runs again
        record = self.until_state(job, "running")
        self.assertEqual((record["reruns"], record["keeper_deaths"]), (0, 1), record)
        self.kill(self.daemon(self.testbed, "resmgr beta/nodes"), int(keeper.read_text()))
        self.restart("resmgr beta/nodes")
        self.expect_ended(pids)
        pids = self.descendants(12)
        record = self.until_state(job, "running")
        self.assertEqual((record["reruns"], record["keeper_deaths"]), (0, 2), record)
        self.kill(int(keeper.read_text()))
        record = self.until_state(job, "failed", "lost", "finished")
        self.assertEqual((record["state"], record["reruns"], record["keeper_deaths"]), ("failed", 0, 3), record)
        self.assertIn("it may be the cause, and isn't run again", record["text"])
        self.expect_ended(pids)
        self.until_home()


class Alone(GridTest):
    """A job manager that keeps no ledger and has no contact with its site: it has only its files."""

    def begin(self):
        """Paths are relative to the test's folder, but the job manager works in its own folder."""
        (self.folder / "user.json").write_text(json.dumps(
            {"site": "alpha", "user": "u", "site_endpoint": "ipc://alpha.sock", "listen": ["ipc://user.sock"],
             "directory": "jobs", "ledger": "off", "log": {"file": "user.jsonl", "terminal": False}}))
        process = self.start(BIN / "jobmgr", "--config", "user.json", stderr=subprocess.DEVNULL)
        until(lambda: b'"ready"' in read(self.folder / "user.jsonl"), "a job manager")
        self.assertEqual(os.readlink(f"/proc/{process.pid}/cwd"), str(self.folder / "jobs"))
        return process

    def first_of(self, jobs):
        """Submits this number of jobs; returns the number of the first."""
        network = Network()
        try:
            person = Person(network, job_manager("alpha", "u"), f"ipc://{self.folder}/user.sock").open()
            job = JobDescription("", Program(("true",)), Need(components=(Component(1),)))
            person.send(Submit(1, (job,) * jobs))
            return person.expect(Submitted).first_job
        finally:
            network.close()

    def test_numbers(self):
        """No number is used twice, also those of forgotten jobs; at most one block of numbers is skipped."""
        process = self.begin()
        jobs = 250  # more than a block that is reserved at the start
        first = self.first_of(jobs)
        process.kill()
        process.wait()
        (self.folder / "user.jsonl").unlink()
        process = self.begin()
        second = self.first_of(1)
        self.assertGreaterEqual(second, first + jobs)
        self.assertLessEqual(second, first + jobs + 100)
        process.send_signal(signal.SIGHUP)  # it finds its file again from its present working directory
        until(lambda: b'"configuration_taken"' in read(self.folder / "user.jsonl"), "its configuration read again")
        self.assertIn(b'"after_restart":"nothing"', read(self.folder / "user.jsonl"))
        process.terminate()
        self.assertEqual(process.wait(60), 0)


class CutLink(GridTest):
    """alpha and beta, started by hand; beta dials alpha through a proxy, and has nearly all nodes."""
    direct = False
    jobs = 60

    def setUp(self):
        super().setUp()
        ports = free_ports(5)
        self.proxy = Proxy(ports[1], ports[0])
        self.addCleanup(self.proxy.cut)
        self.tcp = [f"tcp://127.0.0.1:{port}" for port in ports]
        quick = {"beat_seconds": 0.2, "silence_seconds": 1.5}
        self.daemons = []
        folders = {site: str(self.folder / f"site-{site}") for site in ("alpha", "beta")}
        keys = {site: self.site_keys(site, folder) for site, folder in folders.items()}
        link_of = {site: f"#{link}" for site, (link, _) in keys.items()}
        forgetful = {"ledger": "off", "clusters": [{"name": "nodes"}], **quick}
        self.daemon_of("sitemgr", "alpha", site="alpha", listen=[self.tcp[0], self.ipc("alpha")],
                       directory=folders["alpha"], pause_first_seconds=0.1, **forgetful,
                       links=[{"site": "beta", "relation": "sibling", "key": keys["beta"][1]}])
        self.daemon_of("sitemgr", "beta", site="beta", listen=[self.tcp[2], self.ipc("beta")],
                       directory=folders["beta"], **forgetful,
                       links=[{"site": "alpha", "relation": "sibling", "key": keys["alpha"][1],
                               "connect": self.tcp[1] + link_of["alpha"]}])
        beta = {"endpoint": self.tcp[4]} if self.direct else {}
        for site, nodes, endpoint, more in (("alpha", 1, self.tcp[0], {}), ("beta", 4, self.tcp[2], beta)):
            listen = [self.tcp[4]] if site == "beta" else []
            folder = str(self.folder / f"run-{site}")
            self.certify(folders[site], "node", "nodes", folder)
            self.daemon_of("resmgr", site, site=site, name="nodes", cluster="nodes", nodes=nodes,
                           site_endpoint=endpoint + link_of[site], listen=listen, directory=folder, **more, **quick)
        self.certify(folders["alpha"], "user", "u", self.folder / "jobs")
        self.daemon_of("jobmgr", "u", site="alpha", user="u", site_endpoint=self.tcp[0] + link_of["alpha"],
                       listen=[self.ipc("u")], directory=str(self.folder / "jobs"), **quick)
        self.manager = ("--jobmgr", self.ipc("u"), "--as-site", "alpha", "--as-user", "u")
        self.until_linked(True)
        self.addCleanup(self.stop)

    def ipc(self, name):
        return f"ipc://{self.folder}/{name}.ipc"

    def daemon_of(self, program, called, **config):
        file = self.folder / f"{program}-{called}.json"
        log = {"file": str(self.folder / f"{program}-{called}.jsonl"), "terminal": False}
        file.write_text(json.dumps({**config, "log": log}), encoding="utf-8")
        self.daemons.append(self.start(BIN / program, "--config", file))

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(60), 0)

    def site(self, name):
        options = ("--sitemgr", self.ipc(name), "--as-site", name, "--json")
        done = self.dmm("sites", *options, code=None)
        return done.json["sites"][0] if done.code in (0, 3) else None

    def until_linked(self, wanted):
        def agrees():
            sites = [self.site(name) for name in ("alpha", "beta")]
            return all(site and site["links"][0]["up"] == wanted and site["processors"] for site in sites)
        until(agrees, lambda: f"both ends of the link {'up' if wanted else 'down'}; {self.site('alpha')}")

    def ran(self, marks):
        return marks.read_text().split() if marks.exists() else []

    def test_a_stream_of_jobs(self):
        marks = self.folder / "marks"
        file = self.folder / "job.json"
        file.write_text(json.dumps({"command": ["sh", "-c", f"echo $DMM_JOB >>{marks}; sleep 0.1; echo out $DMM_JOB"],
                                    "processors": 1}), encoding="utf-8")
        # However slowly jobs come, some overflow: alpha's only node is taken until several have run.
        self.submit(*self.manager, "-n", "1", "--", "sh", "-c",
                    f"until [ $(cat {marks} 2>/dev/null | wc -l) -ge 12 ]; do sleep 0.05; done; "
                    f"echo $DMM_JOB >>{marks}; echo out $DMM_JOB")
        feeding = threading.Thread(target=lambda: [self.submit(*self.manager, file) for _ in range(self.jobs - 1)])
        feeding.start()
        for turn, at in enumerate((8, 20, 35)):
            until(lambda at=at: len(self.ran(marks)) >= at, f"{at} jobs")
            accepted = self.proxy.accepted
            self.proxy.cut()
            if turn != 1:  # the second time the link heals before either side notices
                self.until_linked(False)
            self.proxy.heal()
            until(lambda accepted=accepted: self.proxy.accepted > accepted, "a new connection")
        feeding.join()
        self.until_linked(True)

        def over():
            self.records = self.dmm("queue", "--all", "--json", *self.manager).json["jobs"]
            return len(self.records) == self.jobs and all(job["state"] == "finished" for job in self.records)
        until(over, lambda: [(job["job"], job["state"], job["text"]) for job in self.records
                             if job["state"] != "finished"])
        counts = collections.Counter(self.ran(marks))
        wanted = {f"alpha/u/{number}": 1 for number in range(1, self.jobs + 1)}
        reruns = {job["request"]: job["reruns"] for job in self.records if job["reruns"]}
        self.assertEqual((dict(counts), reruns), (wanted, {}))
        self.assertTrue([job for job in self.records if job["place"]["owner"] == "beta"])
        for job in self.records:  # output comes home, too
            output = (self.folder / f"jobs/outputs/{job['job']}.out").read_text()
            self.assertEqual(output, f"out {job['request']}\n")
        self.until_quiet()

    def until_quiet(self):
        keys = ("processors_busy", "processors_lent", "processors_borrowed", "leases_in", "leases_out", "leases_own",
                "requests_waiting", "requests_out", "foreign_waiting")
        last = {}

        def quiet():
            last.update({name: {key: site[key] for key in keys}
                         for name in ("alpha", "beta") if (site := self.site(name))})
            return not any(value for site in last.values() for value in site.values())
        until(quiet, lambda: f"quiet sites: {last}")


class CutLinkDirect(CutLink):
    """The same, but the job manager reaches beta's resource manager directly."""
    direct = True


if __name__ == "__main__":
    unittest.main(verbosity=1)
