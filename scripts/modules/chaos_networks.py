"""How scripts/chaos cuts the network of a testbed. Either by port on the loopback device: every manager can be cut off
from all others. Or by a network namespace for each site, on a bridge: whole sites are cut off from each other, and
everything inside a site goes on. All this happens inside the namespaces that scripts/chaos entered first.

A network offers `kinds`, the names of its methods that begin a fault at a daemon; each returns what ends it, or None
if there is nothing to end.
"""
import json
import os
import pathlib
import random
import subprocess

from testbed_network import add_bridge, add_host

FIRST_PORT = 7700
BOTH = ("in", "out")
WITHIN = """#!/usr/bin/env python3
# Starts a daemon in the network namespace that is called like the address of its TCP endpoint.
import json, os, sys
tcp = next(place for place in json.load(open(sys.argv[2]))["listen"] if place.startswith("tcp:"))
host = tcp.split("/")[2].split(":")[0]
os.execvp("nsenter", ["nsenter", "--net=/run/netns/" + host, "{program}", *sys.argv[1:]])
"""


def run(*words, text=None, check=True):
    return subprocess.run([str(word) for word in words], input=text, text=True, check=check,
                          stdout=subprocess.DEVNULL, stderr=None if check else subprocess.DEVNULL)


class Loopback:
    """All parties are on 127.0.0.1; cuts are by the port that a manager listens on."""
    kinds = ("cut", "cut_in", "cut_out", "reset")

    def __init__(self, binaries, *_):
        self.binaries = binaries
        run("ip", "link", "set", "lo", "up")

    def options(self):
        return ["--tcp", FIRST_PORT]

    def drop(self, port, sides):
        table = f"inet cut_{port}"
        run("nft", "-f", "-", text=f"add table {table}\n"
            f"add chain {table} cut {{ type filter hook output priority 0; }}\n"
            + "".join(f"add rule {table} cut tcp {side} {port} drop\n" for side in sides))
        return lambda: run("nft", "delete", "table", *table.split())

    def cut(self, daemon):
        return self.drop(daemon["port"], ("dport", "sport"))

    def cut_in(self, daemon):
        return self.drop(daemon["port"], ("dport",))

    def cut_out(self, daemon):
        return self.drop(daemon["port"], ("sport",))

    def reset(self, daemon):
        for side in ("sport", "dport"):
            run("ss", "-K", side, "=", daemon["port"], check=False)


class Namespaces:
    """A namespace for each site, named like its address, with the port `site<n>` of a bridge. The clients that submit
    and look are at the bridge itself."""
    kinds = ("cut", "cut_in", "cut_out", "reset", "link_down", "part", "part_one_way")
    clients, first = "10.77.255.254", "10.77.0.1"

    def __init__(self, binaries, folder, topology, chance):
        self.binaries = folder / "bin"
        self.random = random.Random(chance.random())
        sites = [site["name"] for site in json.loads(pathlib.Path(topology).read_text())["sites"]]
        self.hosts = {site: f"10.77.{number >> 8}.{number & 255}" for number, site in enumerate(sites, 1)}
        self.ports = {site: f"site{number}" for number, site in enumerate(sites, 1)}
        self.cuts = 0
        self.make_programs(binaries)
        self.make_bridge()
        for site in sites:
            add_host(self.hosts[site], self.ports[site], "bridge0", f"{self.hosts[site]}/16")

    def make_programs(self, binaries):
        """Makes a folder in which dmm finds, in place of each manager, a program that starts the manager in its
        namespace."""
        self.binaries.mkdir()
        dmm = self.binaries / "dmm"
        dmm.touch()
        run("mount", "--bind", binaries / "dmm", dmm)  # dmm looks for the managers beside itself, whatever its name
        for name in ("sitemgr", "jobmgr", "resmgr"):
            script = self.binaries / name
            script.write_text(WITHIN.format(program=binaries / name))
            script.chmod(0o755)

    def make_bridge(self):
        os.makedirs("/run/netns", exist_ok=True)
        run("mount", "-t", "tmpfs", "netns", "/run/netns")
        run("ip", "link", "set", "lo", "up")
        add_bridge("bridge0", f"{self.clients}/16")

    def options(self):
        return ["--tcp", FIRST_PORT, "--hosts", self.first]

    def name(self):
        self.cuts += 1  # one site may have several cuts at once
        return f"cut_{self.cuts}"

    def inside(self, daemon, *words, **more):
        return run("nsenter", f"--net=/run/netns/{self.hosts[daemon['site']]}", *words, **more)

    def drop(self, daemon, sides):
        """Drops everything between the daemon's site and other sites; inside the site all goes on."""
        table = f"inet {self.name()}"
        chains = {"in": ("input", "iifname"), "out": ("output", "oifname")}
        self.inside(daemon, "nft", "-f", "-", text=f"add table {table}\n" + "".join(
            f"add chain {table} {side} {{ type filter hook {chains[side][0]} priority 0; }}\n"
            f"add rule {table} {side} {chains[side][1]} eth0 drop\n" for side in sides))
        return lambda: self.inside(daemon, "nft", "delete", "table", *table.split())

    def cut(self, daemon):
        return self.drop(daemon, BOTH)

    def cut_in(self, daemon):
        return self.drop(daemon, ("in",))

    def cut_out(self, daemon):
        return self.drop(daemon, ("out",))

    def reset(self, daemon):
        for side in ("sport", "dport"):
            self.inside(daemon, "ss", "-K", side, "=", daemon["port"], check=False)

    def link_down(self, daemon):
        port = self.ports[daemon["site"]]
        run("ip", "link", "set", port, "down")
        return lambda: run("ip", "link", "set", port, "up")

    def divide(self, daemon, ways):
        """Splits the sites in two parts, which don't hear each other: the bridge drops frames between them. The clients
        hear both."""
        others = [port for site, port in sorted(self.ports.items()) if site != daemon["site"]]
        far = self.random.sample(others, self.random.randint(1, len(others)))
        near = [port for port in self.ports.values() if port not in far]
        table = f"bridge {self.name()}"
        sets = ["{ " + ", ".join(f'"{port}"' for port in side) + " }" for side in (near, far)]
        run("nft", "-f", "-", text=f"add table {table}\n"
            f"add chain {table} part {{ type filter hook forward priority 0; }}\n" + "".join(
                f"add rule {table} part iifname {source} oifname {sink} drop\n"
                for source, sink in (sets, sets[::-1])[:ways]))
        return lambda: run("nft", "delete", "table", *table.split())

    def part(self, daemon):
        return self.divide(daemon, 2)

    def part_one_way(self, daemon):
        return self.divide(daemon, 1)
