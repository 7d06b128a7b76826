"""What operators do in scripts/chaos: take lent nodes back, drain a site, take a neighbour out of `links` and put it
back, and set limits of a link; both of the latter with SIGHUP. All of that is a site's right, so no job may be lost by
it. Each act is done to a site manager that is in no trouble at its beginning.
"""
import json
import os
import pathlib
import signal


class Operators:
    kinds = ("reclaim", "drain", "unlink", "limit")

    def __init__(self, grid):
        self.grid = grid

    def neighbours(self, manager):
        return [link["site"] for link in json.loads(pathlib.Path(manager["config"]).read_text())["links"]]

    def order(self, *words):
        """Whether the site took the order; a site in trouble doesn't answer, which is no fault."""
        return bool(self.grid.dmm(*words, check=False))

    def reclaim(self, manager):
        for neighbour in self.neighbours(manager):
            self.order("reclaim", neighbour, "--site", manager["site"], "--grace", 1)

    def drain(self, manager):
        site = manager["site"]
        if self.order("drain", site, "--site", site):
            return lambda: self.order("resume", site, "--site", site)
        return None

    def change(self, manager, change):
        """Writes another configuration and has the site read it; returns what restores the first one."""
        file = pathlib.Path(manager["config"])
        before = file.read_text()
        config = json.loads(before)
        change(config["links"])
        self.write(manager, file, json.dumps(config))
        return lambda: self.write(manager, file, before)

    def write(self, manager, file, text):
        new = file.with_suffix(".new")
        try:
            new.write_text(text)
        except OSError:  # the disk is full now
            return False
        new.rename(file)
        if pid := self.grid.pid(manager):
            try:
                os.kill(pid, signal.SIGHUP)
            except ProcessLookupError:
                pass  # it reads the file when it starts
        return True

    def unlink(self, manager):
        if not self.neighbours(manager):
            return None
        return self.change(manager, lambda links: links.pop(self.grid.random.randrange(len(links))))

    def limit(self, manager):
        processors, leases = self.grid.random.choice(((0, 1), (1, 0), (2, 0), (3, 2)))

        def set_limits(links):
            for link in links:
                link["processors"], link["leases"] = processors, leases
        return self.change(manager, set_limits)
