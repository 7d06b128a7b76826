"""Commands and their managers: through restarts, pauses and kills; with managers that are dead, that the file system
forbids, or that aren't those that were meant; and what is listed, counted and cancelled.
"""
# ctest: cost 25
import fcntl
import json
import os
import pathlib
import pty
import pwd
import re
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import unittest

import zmq

from dmm_client import VERSION, Head, Hello, RequestId, Submit, frame_of, job_manager, parse
from grid import BIN, GridTest, lives, read, until

ALPHA = ("--site", "alpha")
MANAGER = "jobmgr alpha/u0"


class Managers(GridTest):
    """A testbed of two sites; the commands ask alpha, which has three nodes."""

    def setUp(self):
        super().setUp()
        self.go = self.folder / "go"
        sites = [{"name": name, "clusters": [{"name": "nodes", "nodes": nodes}], "users": ["u0"], "siblings": [other]}
                 for name, nodes, other in (("alpha", 3, "beta"), ("beta", 2, "alpha"))]
        self.testbed = self.up(self.topology("pair", *sites))
        self.addCleanup(self.go.touch)

    def restart(self, *options, which=MANAGER):
        self.dmm("testbed", "restart", "pair", "--which", which, *options)

    def pid(self, name=MANAGER):
        return self.daemon(self.dmm("testbed", "status", "pair", "--json").json, name)

    def endpoint(self, name=MANAGER):
        site, role = name.split()[1].split("/")[0], name.split()[0]
        testbed = json.loads((self.home / "testbeds/pair/testbed.json").read_text())
        return next(one["endpoint"] for one in testbed["daemons"] if (one["program"], one["site"]) == (role, site))

    def pause(self, pid):
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(lambda: lives(pid) and os.kill(pid, signal.SIGCONT))

    def until_go(self, code=0):
        return ("sh", "-c", f"until [ -e {self.go} ]; do sleep 0.05; done; exit {code}")

    def begin(self, *words):
        """Starts a command; its standard error goes into a file."""
        self.said = self.folder / f"said-{len(list(self.folder.glob('said-*')))}"
        with self.said.open("wb") as said:
            return self.start(BIN / "dmm", *words, stdout=subprocess.PIPE, stderr=said, text=True)

    def until_said(self, text):
        until(lambda: text in self.said.read_text(), lambda: f"{text!r} in {self.said.read_text()!r}")

    def jobs(self, *options):
        return self.dmm("queue", *ALPHA, "--json", *options).json["jobs"]


class Patience(Managers):
    def test_wait_goes_on_over_restarts_kills_and_pauses(self):
        waits = self.begin("submit", *ALPHA, "--wait", "--", *self.until_go(4))
        self.until_state("alpha/u0/1", "running")
        self.restart()
        self.restart("--kill")
        pid = self.pid()
        self.pause(pid)
        self.until_said("jobmgr alpha/u0 has said nothing since ")
        os.kill(pid, signal.SIGCONT)
        self.until_said("jobmgr alpha/u0 answers again")
        self.kill(self.pid())  # and it stays down until the job has ended
        until(lambda: self.said.read_text().count("has said nothing since") == 2, self.said.read_text)
        self.go.touch()
        self.restart()
        out, _ = waits.communicate(timeout=60)
        self.assertEqual(waits.returncode, 4, out + self.said.read_text())
        self.assertIn("alpha/u0/1 failed, exit status 4", out)

    def test_wait_ends_with_its_testbed(self):
        waits = self.begin("submit", *ALPHA, "--wait", "--", *self.until_go())
        self.until_state("alpha/u0/1", "running")
        self.down("pair")
        self.assertEqual(waits.wait(60), 1)
        self.assertIn("testbed pair was taken down", self.said.read_text())

    def test_the_queue_waits_for_silent_managers(self):
        self.submit(*ALPHA, "--", *self.until_go())
        pid = self.pid()
        self.pause(pid)
        asks = self.begin("queue", *ALPHA)
        self.until_said("jobmgr alpha/u0 has said nothing since ")
        os.kill(pid, signal.SIGCONT)
        out, _ = asks.communicate(timeout=60)
        self.assertEqual(asks.returncode, 0, self.said.read_text())
        self.assertIn("1 job: 0 waiting, 0 starting, 1 running, 0 ended", out)

    def test_a_submission_is_one_job_however_often_it_is_said(self):
        pid = self.pid()
        self.pause(pid)
        again = self.begin("submit", *ALPHA, "--submission", "night-17", "--", "true")
        self.until_said("jobmgr alpha/u0 has said nothing since ")
        again.send_signal(signal.SIGINT)
        self.assertEqual(again.wait(60), 130)
        os.kill(pid, signal.SIGCONT)
        for _ in range(2):
            self.assertEqual(self.submit(*ALPHA, "--submission", "night-17", "--", "true"), "alpha/u0/1")
        self.restart("--kill")
        self.assertEqual(self.submit(*ALPHA, "--submission", "night-17", "--", "true"), "alpha/u0/1")
        other = self.dmm("submit", *ALPHA, "--submission", "night-17", "--", "false", code=1)
        self.assertIn("for other jobs", other.err)
        self.assertIn("expected 1 to 60", self.dmm("submit", "--submission", "a b", "--", "true", code=2).err)
        self.assertEqual(len(self.jobs("--all")), 1)


class DeafManager:
    """A job manager that greets every client, stores messages, and answers nothing."""

    def __init__(self, file, party):
        self.file, self.party, self.submitted, self.ends = file, party, [], threading.Event()
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.bind(f"ipc://{file}")
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while not self.ends.is_set():
            if not self.socket.poll(50):
                continue
            head, message = parse(self.socket.recv())
            if isinstance(message, Hello) and not message.answer:
                answer = Head(VERSION, Hello.NUMBER, self.party, head.sender, 1, head.incarnation, 0, 0, RequestId(),
                              ())
                self.socket.send(frame_of(answer, Hello(0, True, "deaf", ())))
            elif isinstance(message, Submit):
                self.submitted.append((head.sender.name, message.token))

    def close(self):
        self.ends.set()
        self.thread.join()
        self.context.destroy(linger=0)
        self.file.unlink()


class Submissions(GridTest):
    def test_a_client_that_gives_up_is_told_how_to_repeat(self):
        manager = DeafManager(self.folder / "jobs.ipc", job_manager("alpha", "u0"))
        self.addCleanup(manager.close)
        for words in ((), ("--wait",), ("--submission", "night-17")):
            del manager.submitted[:]
            command = self.start(BIN / "dmm", "submit", "--jobmgr", f"ipc://{manager.file}", "--as-site", "alpha",
                                 "--as-user", "u0", *words, "--", "true", stderr=subprocess.PIPE, text=True)
            until(lambda: manager.submitted, "the job")
            command.send_signal(signal.SIGINT)
            said = command.communicate(timeout=60)[1]
            self.assertEqual(command.returncode, 130)
            name = re.search("only once, repeat the command with --submission (\\S+)", said)[1]
            self.assertEqual(set(manager.submitted), {(name, 1)})
        self.assertEqual(name, "night-17")


class Unreachable(Managers):
    def test_dead_managers(self):
        self.kill(self.pid(), self.pid("sitemgr alpha"))
        remedy = "start it with `dmm testbed restart pair --which \"jobmgr alpha/u0\"`"
        for words in (("queue",), ("cancel", "1"), ("cancel", "--all", "--yes"), ("submit", "--", "true"),
                      ("submit", "--wait", "--", "true"), ("why", "1")):
            with self.subTest(words):
                done = self.dmm(words[0], *ALPHA, *words[1:], code=1)
                self.assertIn("no process listens at ipc://", done.err)
                self.assertIn(remedy, done.err)
                self.assertNotIn("--submission", done.err)  # it can't have been accepted
        self.assertIn("--which \"sitemgr alpha\"`", self.dmm("sites", *ALPHA, code=3).err)
        hand = self.dmm("queue", "--jobmgr", self.endpoint(), code=1).err
        self.assertIn("start it with `jobmgr --config FILE`", hand)
        self.restart("--kill", which="alpha")
        self.assertEqual(self.run_job(*ALPHA, "--", "true")["state"], "finished")

    def test_an_unknown_name_is_not_drained(self):
        done = self.dmm("drain", "nosuch", *ALPHA, code=1)
        self.assertIn("alpha has no neighbour nosuch", done.err)
        self.dmm("drain", "nosuch", "--force", *ALPHA)
        self.dmm("resume", "nosuch", *ALPHA)

    def test_managers_tell_their_names(self):
        jobs, site = self.endpoint(), self.endpoint("sitemgr alpha")
        self.assertEqual(self.dmm("submit", "--jobmgr", jobs, "--wait", "--", "true").code, 0)
        self.assertEqual(self.dmm("sites", "--sitemgr", site, "--json").json["sites"][0]["site"], "alpha")
        wrong = self.dmm("queue", "--jobmgr", jobs, "--as-site", "beta", "--as-user", "u0", code=1).err
        self.assertIn("is jobmgr alpha/u0, not jobmgr beta/u0", wrong)
        self.assertIn("leave out --site, --as-site and --as-user", wrong)
        self.assertIn("is sitemgr alpha, not a jobmgr", self.dmm("queue", "--jobmgr", site, code=2).err)
        self.environment.update(DMM_JOBMGR=jobs, DMM_SITEMGR=site)
        self.assertEqual(self.dmm("submit", "--wait", "--", "true").code, 0)
        self.assertEqual(self.dmm("why", "1", "--json").json["job"]["state"], "finished")
        self.assertEqual(len(self.dmm("sites", "--json").json["sites"]), 1)
        self.assertEqual(len(self.dmm("sites", "--testbed", "pair", "--json").json["sites"]), 2)
        self.assertEqual(self.dmm("drain", "beta").out, "alpha: beta is drained\n")  # at that site
        self.assertIn("is jobmgr alpha/u0, and not of beta/", self.dmm("queue", "--site", "beta", code=2).err)

    def test_a_testbed_is_not_asked_why_of_a_job_manager_that_is_named_by_its_endpoint(self):
        """The testbed has a site of that name, which may be a different site."""
        waiting = [self.submit(*ALPHA, "-n", "3", "--dttl", 0, "--", *self.until_go()) for _ in range(2)][1]
        number = waiting.rpartition("/")[2]
        until(lambda: (self.dmm("why", number, *ALPHA, "--json").json["why"] or {}).get("waits"), "what its site says")
        for options, variables in (((), {"DMM_JOBMGR": self.endpoint()}), (("--jobmgr", self.endpoint()), {})):
            with self.subTest(options):
                self.environment.update(variables)
                answer = self.dmm("why", number, *options, "--json").json
                self.environment.pop("DMM_JOBMGR", None)
                self.assertIsNone(answer["why"])
                self.assertIn("name its site manager with --sitemgr or DMM_SITEMGR", answer["fault"])
        both = ("--jobmgr", self.endpoint(), "--sitemgr", self.endpoint("sitemgr alpha"))
        self.assertTrue(self.dmm("why", number, *both, "--json").json["why"]["waits"])

    def test_no_permission(self):
        """If this is root, which has access to everything, runs as account `nobody`."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="dmmtest-", dir="/tmp"))
        self.addCleanup(folder.rmdir)
        self.addCleanup(folder.chmod, 0o700)
        folder.chmod(0o000)
        account = {"user": "nobody", "cwd": "/"} if os.getuid() == 0 else {}
        done = subprocess.run([BIN / "dmm", "queue", "--jobmgr", f"ipc://{folder}/jobs.ipc"], capture_output=True,
                              text=True, timeout=60, check=False, env={**self.environment, "HOME": "/"}, **account)
        owner = pwd.getpwuid(os.getuid()).pw_name
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(f"no permission to connect to ipc://{folder}/jobs.ipc: {folder} belongs to {owner} and has mode "
                      f"0000; run this command as {owner}", done.stderr)


class Selections(Managers):
    def on_terminal(self, *words, columns=40, types=""):
        """The output of a command on a terminal of this width, while this input is typed."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.write(ours, types.encode())
        process = subprocess.Popen([BIN / "dmm", *words], env=self.environment, stdin=theirs, stdout=theirs,
                                   stderr=subprocess.STDOUT)
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        return process.wait(60), re.sub("\x1b\\[[0-9;]*m", "", shown.decode()).splitlines()

    def test_queue_and_cancel(self):
        job = self.folder / "job.json"
        for number in range(6):  # three run here, two borrow, one waits
            job.write_text(json.dumps({"command": self.until_go(), "name": f"render-{number}"}))
            self.submit(*ALPHA, job)
        self.submit(*ALPHA, "--dttl", 0, "--name", "other", "--", "true")
        until(lambda: self.dmm("queue", "--json").json["totals"]["running"] == 5, "five that run")
        self.assertEqual({one["name"] for one in self.jobs("--state", "waiting")}, {"render-5", "other"})
        self.assertEqual(len(self.jobs("--name", "render-*", "--since", "1h")), 6)
        self.assertEqual(self.jobs("--until", "1h"), [])
        hidden = self.dmm("queue", *ALPHA, "--state", "ending").out
        self.assertIn("0 jobs shown. In all 2 waiting, 0 starting, 5 running, 0 ended", hidden)
        usage = self.dmm("usage", "--site", "beta", "--json").json["sites"][0]["sums"]
        self.assertEqual([(one["direction"], one["running"]) for one in usage], [("lent", 2)])

        self.assertIn("choose the jobs to cancel", self.dmm("cancel", *ALPHA, code=2).err)
        self.assertIn("not both", self.dmm("cancel", "1", "--all", code=2).err)
        code, lines = self.on_terminal("cancel", *ALPHA, "--state", "waiting", types="n\n", columns=80)
        self.assertEqual((code, lines[-1]), (1, "Cancel 2 jobs? [y/N] dmm cancel: nothing was cancelled"), lines)
        code, lines = self.on_terminal("queue", *ALPHA, columns=80)
        self.assertEqual((code, len(lines)), (0, 9), lines)
        code, lines = self.on_terminal("queue", *ALPHA)  # too narrow: rows are stacked, and never wrapped
        self.assertEqual(code, 0, lines)
        self.assertLessEqual(max(map(len, lines[:-1])), 40, lines)
        asked = self.dmm("cancel", *ALPHA, "--state", "waiting", code=2)
        self.assertIn("2 jobs would be cancelled; say --yes", asked.err)
        self.assertIn("1 job cancelled", self.dmm("cancel", *ALPHA, "--state", "waiting", "--name", "o*", "--yes").out)
        cancelled = self.dmm("cancel", "--all", "--yes", "--json").json
        self.assertEqual(cancelled, {"cancelled": 6, "refused": [], "faults": []})
        until(lambda: not self.jobs(), "the end of all")
        self.assertIn("no jobs wait or run; 7 ended", self.dmm("queue", *ALPHA).out)

    def test_the_wait_of_a_job_that_ended_while_its_manager_was_away(self):
        self.submit(*ALPHA, "--", *self.until_go())
        self.until_state("alpha/u0/1", "running")
        self.kill(self.pid())
        self.go.touch()
        logs = self.home / "testbeds/pair/logs"
        until(lambda: b'"event":"ended"' in b"".join(read(one) for one in logs.glob("*alpha*")), "the end of the job")
        self.restart()
        job = self.until_state("alpha/u0/1", "finished")
        number, unit = re.search(r"finished +1 +([0-9.]+) (m?s)", self.dmm("queue", *ALPHA, "--all").out).groups()
        waited = float(number) / (1000 if unit == "ms" else 1)
        self.assertAlmostEqual(waited, job["started"] - job["submitted"], delta=0.06)  # the figure is rounded

    def test_a_job_that_is_refused_at_once(self):
        done = self.dmm("submit", *ALPHA, "-n", 30, "--look", 60, "--", "true", code=1)
        self.assertEqual(done.out, "alpha/u0/1\n")
        self.assertIn("alpha/u0/1 was refused: ", done.err)
        said = self.dmm("submit", *ALPHA, "-n", 30, "--look", 60, "--json", "--", "true", code=1).json
        self.assertIn("processors", said["refused"])
        self.assertEqual(self.dmm("submit", *ALPHA, "--look", 60, "--", "true").err, "")


if __name__ == "__main__":
    unittest.main(verbosity=1)
