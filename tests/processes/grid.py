"""What tests of whole grids share: `dmm` with a folder of its own as DMM_HOME, waits for events with deadlines, and
checks for remains. Limits are generous, since sanitizers slow everything down; nothing here measures time.
"""
import fcntl
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("DMM_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BIN = pathlib.Path(os.environ.get("DMM_BIN", SOURCE / "build/bin")).resolve()
LIMIT = 60  # seconds, for anything that is sure to come
OVER = ("finished", "failed", "cancelled", "lost")


class Done:
    """A command that has ended."""

    def __init__(self, words, code, out, err):
        self.words, self.code, self.out, self.err = words, code, out, err

    def __repr__(self):
        return f"{' '.join(map(str, self.words))}\nexit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"

    @property
    def json(self):
        return json.loads(self.out)


def until(event, what, seconds=LIMIT, pause=0.02):
    """Waits until `event()` is true, and returns what it returned."""
    end = time.monotonic() + seconds
    while not (result := event()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(pause)  # between looks, not instead of one
    return result


def read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return b""


def lives(pid):
    """Whether the process exists and isn't a zombie; a thread of it may still hold a file or a lock."""
    stat = read(f"/proc/{pid}/stat")
    if not stat or stat[stat.rindex(b")") + 2:][:1] not in (b"Z", b"X"):
        return bool(stat)
    try:
        return len(os.listdir(f"/proc/{pid}/task")) > 1  # its first thread may end before the others
    except FileNotFoundError:
        return False


def parent_of(pid):
    """The process id of its parent; None if it is gone."""
    lines = read(pathlib.Path(f"/proc/{pid}/status")).decode(errors="replace").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("PPid:")), None)


def number_outside(inside, text):
    """The process id here of the job's process that has this id in its own pid namespace, or the same id if it has none
    there. None if no such process has `text` in its environment."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and text.encode() in read(entry / "environ"):
            status = read(entry / "status").decode(errors="replace").splitlines()
            if any(line.startswith("NSpid:") and line.split()[-1] == str(inside) for line in status):
                return int(entry.name)
    return None


def processes_with(text):
    """Process ids and command lines of those whose command line, environment or working directory has `text`."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            folder = os.readlink(entry / "cwd")
        except OSError:
            folder = ""
        line = read(entry / "cmdline")
        if text in folder or text.encode() in line + b"\0" + read(entry / "environ"):
            if lives(int(entry.name)):
                found[int(entry.name)] = line.replace(b"\0", b" ").decode(errors="replace")
    return found


def sockets_with(texts):
    lines = read("/proc/net/unix").decode(errors="replace").splitlines()
    return [line for line in lines if any(text in line for text in texts)]


def free_ports(count):
    """Ports of 127.0.0.1 that no process listens on now."""
    with_ports = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in with_ports]
    for one in with_ports:
        one.close()
    return ports


class GridTest(unittest.TestCase):
    """A home folder for dmm; at the end nothing in it may be left."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dmmtest-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.home = self.folder / "home"
        self.short_paths = set()
        self.environment = {**os.environ, "DMM_HOME": str(self.home), "PATH": f"{BIN}:{os.environ['PATH']}"}
        self.environment.pop("DMM_READY_FD", None)
        self.addCleanup(self.expect_nothing_left)
        self.addCleanup(self.all_down)

    # ---- commands ----

    def dmm(self, *words, code=0, seconds=2 * LIMIT, stdin=subprocess.DEVNULL, cwd=None):
        """Runs dmm; a code of None takes any."""
        words = ("dmm", *map(str, words))
        try:
            run = subprocess.run(words, env=self.environment, stdin=stdin, capture_output=True, timeout=seconds,
                                 cwd=cwd or self.folder, errors="replace", check=False)
        except subprocess.TimeoutExpired as fault:
            raise AssertionError(f"{' '.join(words)} goes on after {seconds} s; {fault.stdout} "
                                 f"{fault.stderr}") from None
        done = Done(words, run.returncode, run.stdout, run.stderr)
        if code is not None:
            self.assertEqual(done.code, code, done)
        return done

    def site_keys(self, site, folder):
        """Makes the keys of a site whose manager works in a folder: its link key and its site key."""
        keys = self.dmm("keygen", "--site", site, folder, "--json").json
        return keys["link_key"], keys["site_key"]

    def certify(self, by, kind, name, folder, *more):
        """Makes the keys of a site's user, node or person; the site manager works in the folder `by`."""
        self.dmm("certify", "--by", by, f"--{kind}", name, *more, folder)

    def start(self, *words, **more):
        """Starts a program; it is killed at the end if it still runs."""
        process = subprocess.Popen([str(word) for word in words], env=self.environment, cwd=self.folder,
                                   stdin=subprocess.DEVNULL, **more)

        def finish():
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe:
                    pipe.close()
        self.addCleanup(finish)
        return process

    def refused(self, code, *parts, words, cwd=None):
        """Runs a command that must end with this code and a message with all these parts, and must start nothing."""
        done = self.dmm(*words, code=code, cwd=cwd)
        for part in parts:
            self.assertIn(part, done.err, done)
        self.assertLessEqual(len(done.err.splitlines()), 3, done)
        self.assertEqual(self.names_up(), [], done)
        return done

    # ---- testbeds ----

    def topology(self, name, *sites, **more):
        """Writes a topology; returns its path."""
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps({"name": name, "sites": list(sites), **more}), encoding="utf-8")
        return file

    def up(self, topology, *options):
        done = self.dmm("testbed", "up", topology, *options, "--json").json
        self.short_paths.add(str(pathlib.Path(done["daemons"][0]["config"]).parents[1]))
        return done

    def down(self, name, *options, code=0):
        done = self.dmm("testbed", "down", name, *options, "--json", code=code)
        self.assertNotIn(name, self.names_up())
        return done.json

    def names_up(self):
        return [one["name"] for one in self.dmm("testbed", "status", "--json").json["testbeds"]]

    def daemon(self, testbed, name):
        """The process id of a daemon such as "sitemgr alpha"."""
        return next(one["pid"] for one in testbed["daemons"] if one["daemon"] == name)

    def log_of(self, testbed, name):
        """What a daemon such as "sitemgr alpha" has logged so far."""
        return pathlib.Path(next(one["log"] for one in testbed["daemons"] if one["daemon"] == name)).read_text()

    def kill(self, *pids, number=signal.SIGKILL):
        for pid in pids:
            os.kill(pid, number)
        until(lambda: not any(map(lives, pids)), f"the end of {pids}")

    # ---- jobs ----

    def submit(self, *words):
        """Submits, and returns the job's name, such as alpha/u0/1."""
        return self.dmm("submit", "--json", *words).json["request"]

    def run_job(self, *words, code=0):
        return self.dmm("submit", "--wait", "--json", *words, code=code).json

    def job(self, name, *options):
        return self.dmm("why", name, "--json", *options).json["job"]

    def until_state(self, name, *states, options=()):
        last = {}

        def there():
            done = self.dmm("why", name, "--json", *options, code=None)  # perhaps it isn't submitted yet
            last.update(done.json["job"] if done.code == 0 else {"state": done.err})
            return last["state"] in states
        until(there, lambda: f"{name} {states}; it is {last}")
        return last

    def until_chain(self, name, *parts, options=()):
        """The chain of a request, once all these parts are in the logs; daemons write these each second."""
        done = []

        def complete():
            done[:] = [self.dmm("chain", name, *options, code=None)]
            return all(part in done[0].out for part in parts)
        until(complete, lambda: f"{parts} in {done}")
        return done[0].out

    def sites(self, *options):
        return {site["site"]: site for site in self.dmm("sites", "--json", *options, code=None).json["sites"]}

    def until_home(self, *options):
        """Waits until no site has a lease or a busy processor."""
        last = {}
        keys = ("processors_busy", "leases_in", "leases_out", "leases_own", "requests_waiting")

        def home():
            last.update(self.sites(*options))
            return not any(site[key] for site in last.values() for key in keys)
        until(home, lambda: f"every node home; {json.dumps(last, indent=1)}")

    # ---- the end ----

    def all_down(self):
        for name in self.names_up():
            self.dmm("testbed", "down", name, code=None)

    def expect_nothing_left(self):
        left = {}

        def gone():
            left.clear()
            left.update(processes_with(str(self.folder)))
            return not left
        try:
            until(gone, "", 10)
        except AssertionError:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            self.fail(f"processes are left: {left}")
        self.expect_no_files()

    def expect_no_files(self):
        """No socket, held lock or folder of a testbed is left, and no link to one."""
        self.assertEqual(sockets_with([str(self.folder), *self.short_paths]), [])
        for path in self.short_paths:
            self.assertFalse(os.path.lexists(path), path)
        testbeds = self.home / "testbeds"
        self.assertEqual(list(testbeds.iterdir()) if testbeds.exists() else [], [])
        for path in self.folder.rglob("*"):
            self.assertFalse(path.is_socket(), path)
            if path.name.endswith(".lock"):  # the file may stay, but no process holds it
                with path.open() as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder = pathlib.Path(f"/tmp/dmm-{os.getuid()}")
        for link in folder.iterdir() if folder.exists() else []:
            self.assertFalse(os.path.realpath(link).startswith(str(self.folder)), link)
