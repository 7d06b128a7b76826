"""What the testbeds on batch systems share: sites of DMM with their daemons, and ending everything that was started."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PATIENCE = 30  # seconds until something must run
SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Trouble(Exception):
    pass


def run(*words, env=None, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env, **options)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def until(what, ready):
    limit = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > limit:
            raise Trouble(f"{what}: not within {PATIENCE} s")
        time.sleep(0.05)


def free_ports(count):
    """Ports that nothing listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start_munge(folder):
    """MUNGE with a key of its own, in a new folder."""
    folder.mkdir(parents=True)
    (folder / "key").write_bytes(os.urandom(128))
    (folder / "key").chmod(0o600)
    run("chown", "-R", "munge:munge", folder)
    run("setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups", "munged", f"--key-file={folder}/key",
        f"--socket={folder}/socket", f"--pid-file={folder}/munged.pid", f"--log-file={folder}/log",
        f"--seed-file={folder}/seed", "--origin=127.0.0.1")


def processor_seconds(pid):
    """Processor time of a process and of all children that it has waited for."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


class Site:
    """A site of DMM, with its files in a folder of its own. `env` is the environment of its people."""

    def __init__(self, folder, name, programs):
        self.name, self.folder, self.programs = name, folder, programs
        self.address, self.enter = "127.0.0.1", ()  # of its head, and the words that run a command there
        self.env = {**os.environ, "DMM_SITEMGR": f"ipc://{self.folder}/site/sitemgr.ipc",
                    "DMM_JOBMGR": f"ipc://{self.folder}/ann/jobmgr.ipc"}

    def process_ids(self):
        """Process ids of all that was started here, from their files."""
        for file in [*self.folder.glob("*.pid"), *self.folder.glob("*/*.pid")]:
            text = file.read_text().strip()
            if text.isdigit():
                yield int(text)

    def dmm(self, *words):
        return run(self.programs / "dmm", *words, env=self.env).strip()

    def daemon(self, program, folder, **config):
        """Starts a daemon, and waits until it is ready."""
        place = self.folder / folder
        place.mkdir(exist_ok=True, mode=0o700)
        log = {"file": str(place / f"{program}.jsonl"), "terminal": False}
        file = place / f"{program}.json"
        file.write_text(json.dumps({**config, "directory": str(place), "log": log}, indent=2))
        ready, tell = os.pipe()
        with open(place / f"{program}.out", "wb") as output:
            process = subprocess.Popen([*self.enter, self.programs / program, "--config", file], pass_fds=[tell],
                                       env={**self.env, "DMM_READY_FD": str(tell)}, stdout=output, stderr=output,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
        os.close(tell)
        (place / f"{program}.pid").write_text(str(process.pid))
        if os.read(ready, 1) != b"r":
            raise Trouble(f"{program} doesn't start: {(place / f'{program}.out').read_text().strip()}")
        os.close(ready)

    def start_site(self, **clusters):
        """Clusters by name, each with its nodes and processors of a node."""
        [port] = free_ports(1)
        self.at = f"tcp://{self.address}:{port}"
        self.daemon("sitemgr", "site", site=self.name, listen=[self.at, self.env["DMM_SITEMGR"]],
                    clusters=[{"name": name, "nodes": nodes, "processors_per_node": processors}
                              for name, (nodes, processors) in clusters.items()])

    def start_job_manager(self, user, folder, at):
        self.daemon("jobmgr", folder, site=self.name, user=user, site_endpoint=self.env["DMM_SITEMGR"], listen=[at])

    def join(self, other):
        other.dmm("join", self.dmm("invite", other.name, "--at", self.at))

    def write_env(self, *names):
        """A file for shells with these variables and the path of DMM's programs."""
        lines = [f"export {name}={self.env[name]}" for name in names if name in self.env]
        (self.folder / "env").write_text("\n".join(lines) + f"\nexport PATH={self.programs}:$PATH\n")


def down(options, finish=lambda folder: None):
    """Ends first what starts processes, then all remaining processes of the folder, whatever started them. `finish` is
    called before the folder is removed.
    """
    if not options.directory.exists():
        print("nothing is up")
        return
    sites = [Site(path, path.name, options.programs) for path in options.directory.iterdir()]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for site in sites:
            for process in site.process_ids():
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass
        limit = time.monotonic() + 5
        while remaining(options.directory) and time.monotonic() < limit:
            time.sleep(0.05)
        if number == signal.SIGTERM:
            continue
        for process in remaining(options.directory):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
    until("the end of all processes", lambda: not remaining(options.directory))
    finish(options.directory)
    shutil.rmtree(options.directory)
    print("all of it is down")


def remaining(folder):
    """Processes with a path inside the folder in their command line or environment, without the testbed's script."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes() + b"\0" + (entry / "environ").read_bytes()
        except OSError:
            continue
        if f"{folder}/".encode() in words and b"-testbed\0" not in words:
            found.append(int(entry.name))
    return found
