"""Faults of single managers for scripts/chaos: kill, stop, a full disk, a disk that fails to sync. Also keeps the list
of all faults: which manager is in trouble, until when, and what mends it. A manager has one trouble at a time.
"""
import contextlib
import json
import os
import pathlib
import signal
import time

HALTED = "ledger_lost"  # the log event of a manager that gives up because its disk failed


def last_event(daemon):
    """The name of the last event in its log, by whole lines; empty if there is none."""
    lines = pathlib.Path(daemon["log"]).read_bytes().rpartition(b"\n")[0].splitlines()
    return json.loads(lines[-1])["event"] if lines else ""


class Faults:
    kinds = ("kill", "pause", "full_disk", "failing_sync")

    def __init__(self, folder, failing, others, grid):
        self.failing = failing  # managers whose disk fails to sync have a file there (tests/processes/failing_sync.cpp)
        self.folder, self.others, self.grid = folder, others, grid  # others: faults that aren't made here
        self.troubled = {}  # a daemon's name -> until when, and what mends it
        self.halted = 0     # managers that ended because their disk didn't sync
        self.wrong = []     # forbidden acts of managers

    def begin(self, kind, daemon, length):
        doer = next(one for one in (self, *self.others) if kind in one.kinds)
        mend = getattr(doer, kind)(daemon)
        if mend:
            self.troubled[daemon["name"]] = (time.monotonic() + length, mend)

    def mend(self, everything=False):
        """Ends the faults with a time that is over. A fault that can't be mended yet is tried again later."""
        for name, (until, mend) in list(self.troubled.items()):
            if everything or time.monotonic() >= until:
                del self.troubled[name]
                if mend() is False:
                    self.troubled[name] = (time.monotonic() + 1, mend)

    def kill(self, daemon):
        os.kill(self.grid.pid(daemon), signal.SIGKILL)
        return lambda: self.grid.start(daemon)

    def pause(self, daemon):
        pid = self.grid.pid(daemon)
        os.kill(pid, signal.SIGSTOP)
        return lambda: os.kill(pid, signal.SIGCONT)

    def full_disk(self, _):
        ballast = self.folder / "ballast"
        with open(ballast, "wb") as file:
            room = os.statvfs(self.folder)
            with contextlib.suppress(OSError):  # another process was quicker to take the last of it
                os.posix_fallocate(file.fileno(), 0, max(1, room.f_bavail) * room.f_bsize)
        return lambda: ballast.unlink(missing_ok=True)

    def failing_sync(self, daemon):
        """Each fsync and fdatasync of a manager fails, as on a broken disk. The manager has to halt and to say why."""
        pid = self.grid.pid(daemon)
        (self.failing / str(pid)).touch()
        return lambda: self.end_failing_sync(daemon, pid)

    def end_failing_sync(self, daemon, pid):
        (self.failing / str(pid)).unlink()
        ended, status = os.waitpid(pid, os.WNOHANG)  # its parent has ended, so this process inherited it
        if not ended:
            return True  # it had nothing to sync meanwhile
        code, said = os.waitstatus_to_exitcode(status), last_event(daemon)
        if (code, said) != (1, HALTED):
            self.wrong.append(f"{daemon['name']} ended with {code} and {said} where its disk failed")
        self.halted += 1
        mend = lambda: self.grid.start(daemon)  # noqa: E731
        if mend() is False:
            self.troubled[daemon["name"]] = (time.monotonic() + 1, mend)
        return True
