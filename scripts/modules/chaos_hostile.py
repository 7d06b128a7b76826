"""The careless and hostile jobs of scripts/chaos, and the ends that each may have: those of its own acts, without
effect on other jobs. All are safe on a shared machine: they fork a limited number of processes, fill little disk or
clean up, and kill only within the namespaces that scripts/chaos entered first.
"""
import ctypes
import json
import os

# Each has a bash script, with the folder of all jobs as its first argument; the states that it may end in; and its exit
# code, if it comes that far.
KINDS = {
    # Kills its parent, which watches it: the job ends with it, and no other job does.
    "parent": ("kill -9 $PPID; sleep 5; exit 9", ("failed", "lost"), None),
    # Processes that left their session, parents and environment are nevertheless ended with the job.
    "forks": ("for i in {1..40}; do env -i setsid bash -c 'sleep 600; : \"$0\"' \"$1/forked\" & done; exit 0",
              ("finished",), 0),
    # Managers write to the same disk. The job cleans up, since nothing limits yet how much a job writes.
    "disk": ("cat /dev/zero > fill; rm fill; exit 3", ("failed",), 3),
    # No system takes an argument of more than 128 KiB: the job is refused, or can't be started.
    "arguments": (None, ("failed",), None),
    # A directory with a file system that never answers: only a process that enters it waits.
    "directory": (":", ("failed", "lost"), None),
}
SHARE = 0.1  # of all jobs
HUGE = "x" * 131_072


class StuckDirectory:
    """A file system that never answers: FUSE, with a descriptor that no process serves."""

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
        """Processes that wait there fail at once."""
        os.close(self.server)


class Hostile:
    """Chooses hostile jobs, and reports unexpected ends."""
    prefix = "hostile-"

    def __init__(self, kinds, folder, chance):
        self.kinds, self.random, self.folder = list(kinds), chance, folder
        self.stuck = StuckDirectory(folder / "stuck") if "directory" in self.kinds else None

    def words(self):
        """The arguments of the submission, after the place."""
        kind = self.random.choice(self.kinds)
        if kind == "arguments":  # a command line can't be that long, but a job file can ask for it
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
        """Why the outcome of a hostile job is wrong; empty if it isn't."""
        _, states, code = KINDS[job["name"].removeprefix(self.prefix)]
        exited = job["exit"] and job["exit"]["kind"] == "exited"
        if job["state"] in states and (code is None or not exited or job["exit"]["code"] == code):
            return ""
        return f"{job['request']} ({job['name']}) is {job['state']}, {job['exit']}"
