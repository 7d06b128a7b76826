"""Testbeds of real processes, through the command line alone: up, down and status, also after crashes; jobs with their
output, exit status and environment, at home and at a lender; and commands that show them.
"""
# ctest: cost 50
import json
import os
import signal
import subprocess
import unittest

from grid import BIN, OVER, SOURCE, GridTest, free_ports, lives, number_outside, processes_with, read, until

TWO = SOURCE / "topologies/two-sites.json"


def site(name, nodes=0, users=("u0",), **more):
    clusters = [{"name": "nodes", "nodes": nodes}] if nodes else []
    return {"name": name, "clusters": clusters, "users": list(users), **more}


class Testbeds(GridTest):
    def test_up_status_down(self):
        self.assertEqual(self.dmm("testbed", "status", "--json").json, {"testbeds": []})
        up = self.up(TWO)
        self.assertEqual((up["name"], up["state"], up["sites"], up["processes"], up["processes_alive"]),
                         ("two-sites", "up", 2, 6, 6))
        self.assertEqual({one["daemon"] for one in up["daemons"]}, {
            "sitemgr alpha", "sitemgr beta", "resmgr alpha/nodes", "resmgr beta/nodes", "jobmgr alpha/u0",
            "jobmgr beta/u0"})
        status = self.dmm("testbed", "status", "two-sites", "--json").json
        self.assertEqual({one["pid"] for one in status["daemons"]}, {one["pid"] for one in up["daemons"]})
        self.assertIn("two-sites", self.dmm("testbed", "status").out)
        down = self.down("two-sites")
        self.assertEqual((down["ended"], down["killed"], down["left"], down["fault"]), (6, 0, 0, ""))
        self.assertFalse(any(lives(one["pid"]) for one in up["daemons"]))
        self.assertEqual(processes_with(str(self.home)), {})
        self.expect_no_files()
        for words in (("down", "two-sites"), ("status", "two-sites")):
            self.assertIn("no testbed \"two-sites\"", self.dmm("testbed", *words, code=1).err)

    def test_two_at_once(self):
        small = self.topology("small", site("only", 2))
        first = self.up(small)
        again = self.dmm("testbed", "up", small, code=1)
        self.assertIn("is up already", again.err)
        second = self.up(small, "--name", "second")
        pids = [{one["pid"] for one in up["daemons"]} for up in (first, second)]
        self.assertFalse(pids[0] & pids[1])
        self.assertEqual(self.names_up(), ["second", "small"])
        for name in ("small", "second"):
            output = self.folder / f"{name}.out"
            self.run_job("--testbed", name, "--output-file", output, "--", "sh", "-c", "echo $DMM_JOB; pwd -P")
            job, folder = output.read_text().split()
            self.assertEqual(job, "only/u0/1")  # each has job numbers of its own
            self.assertIn(f"/testbeds/{name}/", folder)
        several = self.dmm("queue", code=2)
        self.assertIn("--testbed", several.err)
        self.down("small")
        daemons = self.dmm("testbed", "status", "--json").json["testbeds"][0]["daemons"]
        self.assertEqual({one["alive"] for one in daemons},
                         {True})
        self.assertEqual(self.run_job("--", "true")["state"], "finished")  # the remaining testbed
        self.down("second")

    def test_down_after_a_crash(self):
        up = self.up(TWO)
        mark = self.folder / "job.pid"
        job = self.submit("--site", "alpha", "-n", 12, "--", "sh", "-c", f"echo $$ >{mark}; exec sleep 600")
        until(lambda: mark.exists() and mark.read_text().endswith("\n"), "the start of the job")
        process = number_outside(mark.read_text().strip(), str(self.home))
        self.kill(self.daemon(up, "sitemgr alpha"), self.daemon(up, "resmgr beta/nodes"),
                  self.daemon(up, "jobmgr beta/u0"))
        until(lambda: not lives(process), f"the end of {job}, whose resource manager was killed")
        status = self.dmm("testbed", "status", "two-sites", "--json", code=1).json
        self.assertEqual((status["state"], status["processes_alive"]), ("damaged", 3))
        refused = self.dmm("testbed", "up", TWO, code=1)
        self.assertIn("is up already", refused.err)
        self.assertEqual(self.down("two-sites")["fault"], "")
        self.assertEqual(processes_with(str(self.home)), {})
        self.expect_no_files()

    def test_orphans_of_jobs(self):
        """Keeper and resource manager are killed together: `down` finds what a job hid, if it has no namespace."""
        clusters = [{"name": "nodes", "nodes": 2, "isolate_jobs": False}]
        up = self.up(self.topology("small", {**site("only", 2), "clusters": clusters}))
        mark = self.folder / "hidden.pid"
        hide = f"import os; open({str(mark)!r}, 'w').write(str(os.getpid()) + chr(10)); os.chdir('/'); " \
               "os.execve('/bin/sleep', ['sleep', '600'], {'DMM_DIRECTORY': '/elsewhere'})"
        self.submit("--", "sh", "-c", f"setsid python3 -c \"{hide}\" </dev/null >/dev/null 2>&1 & exec sleep 600")
        until(lambda: mark.exists() and mark.read_text().endswith("\n"), "the start of the job")
        hidden = int(mark.read_text())
        until(lambda: b"sleep" in read(f"/proc/{hidden}/cmdline"), "its last program")
        keeper = int((self.home / "testbeds/small/run-only-nodes/keeper.lock").read_text())
        resmgr = self.daemon(up, "resmgr only/nodes")
        os.kill(resmgr, signal.SIGSTOP)  # so that it starts no other keeper
        self.kill(keeper, resmgr)
        self.assertTrue(lives(hidden))
        self.down("small")
        self.assertFalse(lives(hidden))

    def test_all_daemons_killed(self):
        up = self.up(self.topology("small", site("only", 2)))
        self.submit("-n", 2, "--", "sleep", 600)
        self.kill(*(one["pid"] for one in up["daemons"]))
        self.assertEqual(self.dmm("testbed", "status", "small", "--json", code=1).json["state"], "dead")
        again = self.up(self.folder / "small.json")  # the remains of the dead one are no obstacle
        self.assertEqual(self.run_job("--", "true")["request"], "only/u0/1")
        self.assertEqual(again["state"], "up")
        self.down("small")

    def test_killed_while_coming_up(self):
        for count in (0, 1, 4):  # recorded daemons at that moment
            record = self.home / "testbeds/two-sites/processes"
            start = self.start(BIN / "dmm", "testbed", "up", TWO, stdout=subprocess.DEVNULL)
            until(lambda count=count, start=start: start.poll() is not None
                  or (record.exists() and len(record.read_text().splitlines()) >= count), "daemons")
            start.kill()
            start.wait()
            with self.subTest(count):
                self.down("two-sites")
                until(lambda: not processes_with(str(self.home)), "the end of all")
                self.expect_no_files()

    def test_interrupted_while_coming_up(self):
        start = self.start(BIN / "dmm", "testbed", "up", TWO, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until(lambda: start.poll() is not None or (self.home / "testbeds/two-sites").exists(), "its folder")
        start.send_signal(signal.SIGINT)
        out, err = start.communicate(timeout=60)
        self.assertIn(start.returncode, (0, 130), (out, err))
        if start.returncode == 0:  # it was up before the signal arrived
            self.down("two-sites")
        self.expect_no_files()

    def test_tcp(self):
        """Managers speak over tcp, each with a key of its own; a job of one site runs at the other."""
        first = min(free_ports(8))
        self.up(SOURCE / "topologies/two-sites.json", "--tcp", first)
        self.run_job("--site", "alpha", "-n", 12, "--", "true")
        logs = (self.home / "testbeds/two-sites/logs").glob("*.jsonl")
        self.assertEqual([log for log in logs if '"event":"keys"' not in log.read_text()], [])

    def test_keep_logs(self):
        self.up(self.topology("small", site("only", 2)))
        self.run_job("--", "true")
        logs = self.folder / "kept"
        self.down("small", "--keep-logs", logs)
        self.assertTrue((logs / "sitemgr-only.jsonl").stat().st_size)
        for line in (logs / "sitemgr-only.jsonl").read_text().splitlines():
            self.assertIn("event", json.loads(line))


class BorrowedJobs(GridTest):
    """Two sites: beta has the nodes that alpha lacks."""
    direct = True

    def setUp(self):
        super().setUp()
        sites = [site("alpha", 2, siblings=["beta"]), site("beta", 8, direct_routes=self.direct)]
        self.up(self.topology("pair", *sites))
        self.alpha = ("--site", "alpha")

    def output_of(self, *words, code=0):
        """Runs a job of alpha; returns its record and its output."""
        out, err = self.folder / "out", self.folder / "err"
        record = self.run_job(*self.alpha, "--output-file", out, "--error-file", err, *words, code=code)
        return record, out.read_bytes() if out.exists() else b"", err.read_bytes() if err.exists() else b""

    def test_exit_status(self):
        for processors in (1, 5):
            for command, code, state in (("exit 0", 0, "finished"), ("exit 3", 3, "failed"),
                                         ("kill -TERM $$", 128 + 15, "failed")):
                record = self.run_job(*self.alpha, "-n", processors, "--", "sh", "-c", command, code=code)
                self.assertEqual((record["state"], record["exit_code"]), (state, code))
                self.assertEqual(record["place"]["chain"], ["alpha"] if processors == 1 else ["beta", "alpha"])
        missing = self.run_job(*self.alpha, "-n", 5, "--", "/no/such/program", code=1)
        self.assertEqual((missing["state"], missing["exit"]["fault"]), ("failed", "executable_missing"))
        self.assertIn("/no/such/program", missing["text"])
        plain = self.dmm("submit", *self.alpha, "--wait", "--", "/no/such/program", code=1)
        self.assertIn("No such file", plain.out)
        nowhere = self.run_job(*self.alpha, "--directory", "/no/such/folder", "--", "true", code=1)
        self.assertIn("/no/such/folder", nowhere["text"])
        large = self.run_job(*self.alpha, "-n", 9, "--", "true", code=1)
        self.assertEqual((large["state"], large["place"]), ("failed", None))
        self.assertIn("the largest has 8 processors", large["text"])
        self.until_home()

    def test_output(self):
        for processors in (1, 5):
            record, out, err = self.output_of(
                "-n", processors, "--environment", "WORD=a b", "--directory", "/usr", "--",
                "sh", "-c", "echo \"$WORD\"; pwd; echo $DMM_JOB $DMM_PROCESSORS $DMM_NODES; echo trouble >&2")
            lines = out.decode().splitlines()
            self.assertEqual(lines[:2], ["a b", "/usr"])
            self.assertEqual(lines[2].split()[:2], [record["request"], str(processors)])
            self.assertTrue(lines[2].split()[2].startswith(f"{'alpha' if processors == 1 else 'beta'}/nodes/nodes:"))
            self.assertEqual(err, b"trouble\n")

    def test_much_output(self):
        count = "import sys; [sys.stdout.buffer.write(b'%011d\\n' % i) for i in range(300000)]; sys.exit(7)"
        record, out, _ = self.output_of("-n", 5, "--", "/usr/bin/python3", "-c", count, code=7)
        self.assertEqual(record["place"]["owner"], "beta")
        self.assertEqual(out, b"".join(b"%011d\n" % i for i in range(300000)))
        self.until_home()


class Jobs(BorrowedJobs):
    test_exit_status = test_output = test_much_output = None  # once is enough

    def test_output_without_a_name(self):
        record = self.run_job(*self.alpha, "--", "echo", "hello")
        with open(record["output_path"], "rb") as file:
            self.assertEqual(file.read(), b"hello\n")
        self.assertEqual(self.run_job(*self.alpha, "--discard-output", "--", "echo", "hello")["output_path"], "")

    def test_limits(self):
        record = self.run_job(*self.alpha, "--limit-wall", 1, "--", "sleep", 600, code=None)
        self.assertEqual(record["state"], "failed", record)
        self.assertNotEqual(record["exit_code"], 0, record)
        _, out, _ = self.output_of("--limit-files", 17, "--", "sh", "-c", "ulimit -n")
        self.assertEqual(out, b"17\n")

    def test_job_file(self):
        file, out = self.folder / "job.json", self.folder / "out"
        file.write_text(json.dumps({
            "name": "filed", "command": ["sh", "-c", "echo \"$WORD\" $DMM_PROCESSORS; pwd"], "processors": 5,
            "environment": {"WORD": "x=y"}, "working_directory": "/usr", "output_file": "out"}), encoding="utf-8")
        record = self.run_job(*self.alpha, file)
        self.assertEqual((record["name"], record["processors"], record["place"]["owner"]), ("filed", 5, "beta"))
        self.assertEqual(out.read_text(), "x=y 5\n/usr\n")  # the output's path is the submitter's

    def test_waiting_running_cancelled(self):
        running = self.submit(*self.alpha, "-n", 8, "--", "sh", "-c", "trap '' TERM; while :; do sleep 1; done")
        self.until_state(running, "running")
        home = self.submit(*self.alpha, "-n", 2, "--", "sleep", 600)
        self.until_state(home, "running")
        waiting = self.submit(*self.alpha, "-n", 8, "--", "true")
        why = until(lambda: (self.dmm("why", waiting, "--json").json["why"] or {}), "a reason")
        self.assertTrue(why["waits"])
        self.assertIn(why["reason"], ("asking_neighbour", "pausing", "no_free_nodes", "window_full", "awaiting_hint"))
        text = self.dmm("why", waiting).out
        self.assertIn("It asks for 8 processors", text)
        self.assertIn(f"{running} is running", self.dmm("why", running).out)
        queue = {job["request"]: job["state"] for job in self.dmm("queue", *self.alpha, "--json").json["jobs"]}
        self.assertEqual(queue, {running: "running", home: "running", waiting: "waiting"})
        leases = {one["site"]: one["leases"] for one in self.dmm("leases", "--json").json["sites"]}
        self.assertEqual({(lease["request"], lease["processors"]) for lease in leases["alpha"]},
                         {(running, 8), (home, 2)})
        lent = leases["beta"][0]
        self.assertEqual((lent["request"], lent["to"], lent["chain"]), (running, "alpha", ["beta", "alpha"]))
        sites = self.sites()
        self.assertEqual((sites["alpha"]["processors_borrowed"], sites["beta"]["processors_lent"]), (8, 8))
        self.assertTrue(all(link["up"] for one in sites.values() for link in one["links"]))
        self.dmm("cancel", waiting)
        self.until_state(waiting, "cancelled")
        self.dmm("cancel", running, "--grace", 0)
        self.until_state(running, "cancelled")
        self.dmm("cancel", home.rsplit("/", 1)[1], *self.alpha)
        self.until_state(home, "cancelled")
        self.until_home()
        usage = {one["site"]: one["sums"] for one in self.dmm("usage", "--json").json["sites"]}
        self.assertEqual({(one["site"], one["direction"]) for one in usage["beta"]}, {("alpha", "lent")})
        self.assertGreater(usage["beta"][0]["processor_seconds"], 0)  # cancelled, and charged nevertheless
        records = self.dmm("usage", "--records", "--site", "beta", "--json").json["sites"][0]["records"]
        self.assertEqual([one["request"] for one in records], [running])
        for words in (("cancel", "alpha/u0/99"), ("why", "alpha/u0/99"), ("chain", "alpha/u0/99")):
            self.dmm(*words, code=1)

    def test_the_job_manager_outlives_the_command(self):
        go, out = self.folder / "go", self.folder / "out"
        command = self.start(BIN / "dmm", "submit", *self.alpha, "--wait", "--output-file", out, "-n", 5, "--", "sh",
                             "-c", f"while [ ! -e {go} ]; do sleep 0.05; done; echo done", stderr=subprocess.PIPE)
        self.until_state("alpha/u0/1", "running")
        command.send_signal(signal.SIGINT)
        self.assertIn(b"the job goes on", command.communicate(timeout=60)[1])
        self.assertEqual(command.returncode, 130)
        go.touch()
        self.until_state("alpha/u0/1", *OVER)
        self.assertEqual(out.read_text(), "done\n")


class RelayedJobs(BorrowedJobs):
    """The same, but beta's resource manager is reached only along the chain."""
    direct = False


class Grids(GridTest):
    def test_relay_over_two_hops_and_chain(self):
        sites = [site("low", 1, parent="middle"), site("middle", users=(), parent="high"),
                 site("high", 4, users=(), direct_routes=False)]
        self.up(self.topology("row", *sites))
        out = self.folder / "out"
        record = self.run_job("-n", 3, "--output-file", out, "--", "sh", "-c", "head -c 2000000 /dev/zero; exit 4",
                              code=4)
        self.assertEqual((record["place"]["chain"], record["hops"]), (["high", "middle", "low"], 2))
        self.assertEqual(out.read_bytes(), bytes(2000000))
        logs = self.folder / "logs"
        self.until_home()
        drawn = self.chain_of("low/u0/1")
        self.down("row", "--keep-logs", logs)
        self.assertEqual(self.chain_of("low/u0/1", "--logs", logs), drawn)  # only the logs are left

    def chain_of(self, name, *options):
        drawn = self.until_chain(name, "recorded the outcome", "lease back", "program end", options=options)
        for part in ("chain of 3 sites", "middle", "granted", "high (source)", "low (sink)"):
            self.assertIn(part, drawn)
        asked = self.dmm("chain", name, *options, "--json").json
        self.assertEqual(len(asked["attempts"]), 1)
        return [line for line in drawn.splitlines() if "└─▶" in line]

    def test_components_over_clusters(self):
        clusters = [{"name": "left", "nodes": 3}, {"name": "right", "nodes": 3}]
        owner = {"name": "owner", "clusters": clusters, "siblings": ["home"]}
        self.up(self.topology("wide", site("home", 1), owner))
        out = self.folder / "out"
        record = self.run_job("--components", "3,2", "--output-file", out, "--", "sh", "-c",
                              "echo $DMM_COMPONENT/$DMM_COMPONENTS $DMM_NODES")
        self.assertEqual((record["state"], record["place"]["owner"]), ("finished", "owner"))
        self.assertEqual(sorted(record["place"]["clusters"]), ["left", "right"])
        self.assertIn("left", out.read_text())
        self.assertIn("right", out.read_text())
        flexible = self.run_job("--flexible", 6, "--", "true")
        self.assertEqual((flexible["processors"], sorted(flexible["place"]["clusters"])), (6, ["left", "right"]))
        self.until_home()

    def test_reject_then_next(self):
        """The nearer neighbour is full: it rejects, and the farther one is asked."""
        sites = [site("home", 1, siblings=["near", "far"], settings={"use_hints": False, "policies": {
            "target": "configured"}}), site("near", 4), site("far", 4, users=())]
        self.up(self.topology("star", *sites))
        filler = self.submit("--site", "near", "-n", 4, "--", "sleep", 600)
        self.until_state(filler, "running")
        record = self.run_job("--site", "home", "-n", 4, "--", "true")
        self.assertEqual((record["place"]["owner"], record["tries"]), ("far", 2))
        self.until_chain("home/u0/1", "near  ✗ no capacity", "far   ✓ granted")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    unittest.main(verbosity=1)
