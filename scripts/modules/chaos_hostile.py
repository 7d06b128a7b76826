"""The careless and the hostile among the jobs of scripts/chaos, and what must become of each: what it did itself, and
nothing of anybody else. All are safe on a shared machine: what they fork is counted, what they fill is small or goes
again, and they kill nobody but within the namespaces that scripts/chaos entered first.
"""
import ctypes
import json
import os

# Each is a script of bash with the folder of all jobs as its first argument, the states that it may come to, and the
# code that it exits with, if it comes that far.
KINDS = {
    # Its parent is what watches it: the job goes with it, and nobody else's does.
    "parent": ("kill -9 $PPID; sleep 5; exit 9", ("failed", "lost"), None),
    # What has left its session, its parents and its environment is ended with it all the same.
    "forks": ("for i in {1..40}; do env -i setsid bash -c 'sleep 600; : \"$0\"' \"$1/forked\" & done; exit 0",
              ("finished",), 0),
    # Where it writes, its managers write too. It cleans up, since nothing bounds yet what a job writes.
    "disk": ("cat /dev/zero > fill; rm fill; exit 3", ("failed",), 3),
    # No system takes an argument of more than 128 KiB: it is refused, or can't be started.
    "arguments": (None, ("failed",), None),
    # A directory whose file system never answers: only who enters it waits.
    "directory": (":", ("failed", "lost"), None),
}
SHARE = 0.1  # of all jobs
HUGE = "x" * 131_072


class StuckDirectory:
    """A file system that never answers: FUSE, of which nobody serves the descriptor."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        self.server = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.server},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"stuck", str(path).encode(), b"fuse", 0, options.encode()) != 0:
            error = ctypes.get_errno()
            os.close(self.server)
            raise OSError(error, os.strerror(error))

    def let_go(self):
        """Whoever waits there fails at once."""
        os.close(self.server)


class Hostile:
    """Chooses hostile jobs, and says what is wrong with their ends."""
    prefix = "hostile-"

    def __init__(self, kinds, folder, chance):
        self.kinds, self.random, self.folder = list(kinds), chance, folder
        self.stuck = StuckDirectory(folder / "stuck") if "directory" in self.kinds else None

    def words(self):
        """What to submit, beside where."""
        kind = self.random.choice(self.kinds)
        if kind == "arguments":  # a command line that long can't be had, but by a file it can be asked for
            file = self.folder / "arguments.json"
            file.write_text(json.dumps({"command": ["/bin/true", HUGE], "name": self.prefix + kind, "reruns_max": 2}))
            return [file]
        options = ["--name", self.prefix + kind, "--reruns", 2]
        if kind == "directory":
            options += ["--directory", self.stuck.path]
        return [*options, "--", "/bin/bash", "-c", KINDS[kind][0], "job", self.folder]

    def end(self):
        if self.stuck:
            self.stuck.let_go()

    def is_one(self, job):
        return job["name"].startswith(self.prefix)

    def is_next(self):
        return bool(self.kinds) and self.random.random() < SHARE

    def fault_of(self, job):
        """What is wrong with the outcome of a hostile job; empty if nothing is."""
        _, states, code = KINDS[job["name"].removeprefix(self.prefix)]
        exited = job["exit"] and job["exit"]["kind"] == "exited"
        if job["state"] in states and (code is None or not exited or job["exit"]["code"] == code):
            return ""
        return f"{job['request']} ({job['name']}) is {job['state']}, {job['exit']}"
