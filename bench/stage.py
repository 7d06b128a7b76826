"""The stage of a measurement: real daemons, and roles of the programs in bench/. They start in a folder of their own,
are pinned to processors if that matters, and are always ended when the measurement is over."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

BIN = pathlib.Path(os.environ.get("DMM_BIN", "build/bin")).resolve()
BENCH = pathlib.Path(os.environ.get("DMM_BENCH", "build/bench")).resolve()
MEMORY = pathlib.Path("/dev/shm")
PATIENCE = 60  # seconds that any wait for a process may take

CORES = sorted(os.sched_getaffinity(0))


class Trouble(Exception):
    """A measurement failed, with the reason."""


def core(number):
    """The set with this one of the available processors, to pin a process to; None: not pinned."""
    return None if number is None else {CORES[number % len(CORES)]}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Stage:
    """`with Stage() as stage:`; what was started is ended at the end."""

    def __init__(self, tcp=False, on_disk=False):
        """The folder is in memory, so that a busy disk isn't measured; or with the temporary files."""
        self.tcp = tcp
        in_memory = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and not on_disk
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dmm-bench-", dir=MEMORY if in_memory else None))
        self.processes = []
        self.keys = None  # the folder of a site manager with keys

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for stream in (process.stdin, process.stdout):
                if stream:
                    stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def endpoint(self, name):
        return f"tcp://127.0.0.1:{free_port()}" if self.tcp else f"ipc://{self.folder}/{name}.ipc"

    # ---- daemons
    def daemon(self, kind, name, config, on=None):
        """Starts sitemgr, jobmgr or resmgr; returns when it is ready."""
        program = BIN / kind
        if not program.exists():
            raise Trouble(f"{program} is not built")
        log = {"file": str(self.folder / f"{kind}-{name}.jsonl"), "level": "warn", "terminal": False}
        file = self.folder / f"{kind}-{name}.json"
        file.write_text(json.dumps({"log": log, **config}), encoding="utf-8")
        ready, told = os.pipe()
        try:
            process = self._spawn([program, "--config", file, "--die-with-parent"], on, pass_fds=(told,),
                                  env={**os.environ, "DMM_READY_FD": str(told)})
            os.close(told)
            if os.read(ready, 1) != b"r":
                raise Trouble(f"{kind} {name} does not start")
        finally:
            os.close(ready)
        return process

    def site(self, name, endpoint=None, on=None, **config):
        """Starts a site manager; (its process, its endpoint)."""
        endpoint = endpoint or self.endpoint(name)
        key = ""
        if endpoint.startswith("tcp://"):  # the site that was started last certifies all roles
            config = {"directory": str(self.folder / name), "ledger": "off", **config}
            made = subprocess.run([BIN / "dmm", "keygen", "--site", name, config["directory"], "--json"], check=True,
                                  capture_output=True, text=True)
            key = "#" + json.loads(made.stdout)["link_key"]
            self.keys = config["directory"]
        return self.daemon("sitemgr", name, {"site": name, "listen": [endpoint], **config}, on), endpoint + key

    # ---- roles of the programs in bench/
    def role(self, program, role, on=None, ready=False, **arguments):
        """Starts a role that plays until the end; waits for its line "ready" if it has one."""
        process = self._spawn(command(program, role, arguments), on, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True)
        if ready:
            expect_ready(process)
        return process

    def result(self, program, role, on=None, **arguments):
        """Plays a role to its end; returns what it measured."""
        return result_of(self._spawn(command(program, role, arguments), on, stdout=subprocess.PIPE, text=True))

    def _spawn(self, words, on, **options):
        pin = (lambda: os.sched_setaffinity(0, core(on))) if on is not None else None
        if self.keys:
            options["env"] = {**os.environ, **options.get("env", {}), "DMM_KEYS": self.keys}
        process = subprocess.Popen([str(word) for word in words], preexec_fn=pin, **options)
        self.processes.append(process)
        return process

    def end(self, *processes):
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(10)


def command(program, role, arguments):
    if not (BENCH / program).exists():
        raise Trouble(f"{BENCH / program} is not built")
    return [BENCH / program, role, *(f"{key}={value}" for key, value in arguments.items())]


def expect_ready(process):
    if process.stdout.readline() != "ready\n":
        raise Trouble(f"{process.args[0]} {process.args[1]} ended early")


def result_of(process):
    try:
        output, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Trouble(f"{process.args[0]} {process.args[1]} took more than {PATIENCE} s") from None
    if process.returncode != 0 or not output.strip():
        raise Trouble(f"{process.args[0]} {process.args[1]} failed")
    return json.loads(output.strip().splitlines()[-1])


def memory_kb(process):
    """(RssAnon, PSS) of a process."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    rollup = pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="utf-8")
    def value(text, key):
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith(key + ":")))
    return value(status, "RssAnon"), value(rollup, "Pss")
