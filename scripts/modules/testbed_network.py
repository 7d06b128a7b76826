"""Hosts of a testbed. Each is a network namespace with a name and an address of its own if this machine permits that;
otherwise all of them are this host.
"""
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys

from testbed_sites import Trouble, run


def add_bridge(name, address):
    """Adds a bridge with an address of this host, as in "10.77.255.254/16"."""
    run("ip", "link", "add", name, "type", "bridge")
    run("ip", "address", "add", address, "dev", name)
    run("ip", "link", "set", name, "up")


def add_host(namespace, cable, bridge, address):
    """A new network namespace whose eth0 has this address; its other end is `cable`, a port of the bridge."""
    run("ip", "netns", "add", namespace)
    run("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", namespace)
    run("ip", "link", "set", cable, "master", bridge, "up")
    run("ip", "-netns", namespace, "address", "add", address, "dev", "eth0")
    for device in ("lo", "eth0"):
        run("ip", "-netns", namespace, "link", "set", device, "up")


class Loopback:
    """All hosts are this one."""
    has_namespaces = False
    enter = 'exec "$@"'

    def __init__(self, _folder, _hosts):
        pass

    def name(self, _host):
        return socket.gethostname()

    def address(self, _host):
        return "127.0.0.1"


class Namespaces:
    """Hosts on a bridge of this host, which reaches all of them."""
    has_namespaces = True

    def __init__(self, folder, hosts):
        used = {int(number) for number in re.findall(r"\b10\.(\d+)\.", run("ip", "route"))}
        number = random.choice([number for number in range(64, 128) if number not in used])
        self.bridge = f"dmm{number}"
        (folder / "bridge").write_text(self.bridge)
        add_bridge(self.bridge, f"10.{number}.255.254/16")
        self.addresses = {host: f"10.{number}.0.{place}" for place, host in enumerate(hosts, 1)}
        for host, address in self.addresses.items():
            add_host(f"{self.bridge}-{host}", f"{self.bridge}{host}", self.bridge, f"{address}/16")
        names = "".join(f"{address} {host}\n" for host, address in self.addresses.items())
        (folder / "hosts").write_text(f"127.0.0.1 localhost\n{names}")
        inside = f'hostname "$0" && mount --bind {folder}/hosts /etc/hosts && exec "$@"'
        self.enter = (f"exec nsenter --net=/run/netns/{self.bridge}-\"$host\" unshare --uts --mount "
                      f"sh -c '{inside}' \"$host\" \"$@\"")

    def name(self, host):
        return host

    def address(self, host):
        return self.addresses[host]


def enter_namespaces(marker):
    """Restarts the program, once, as root in namespaces of its own (processes, network, files). There it may cut, shape
    and kill without any effect outside. `marker`: the environment variable that says that it was restarted."""
    if os.environ.get(marker):
        return
    words = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork",
             "--mount-proc", "--kill-child", sys.executable, *sys.argv]
    allowed = subprocess.run([*words[:words.index("--fork") + 1], "true"], capture_output=True, text=True)
    if allowed.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {allowed.stderr.strip()}\nIt needs namespaces of its own: run it "
                 "as root, or allow them to users (sysctl kernel.unprivileged_userns_clone=1, "
                 "user.max_user_namespaces above 0)")
    os.environ[marker] = "1"
    os.execvp(words[0], words)


def permits_namespaces():
    """Whether this machine permits what `Namespaces` needs: tried, since it can't be asked."""
    if not shutil.which("ip"):
        return False
    name = f"dmmtry{random.randrange(10**4)}"
    try:
        add_bridge(name, "169.254.77.1/32")
        add_host(f"{name}-a", f"{name}a", name, "169.254.77.2/32")
        run("nsenter", f"--net=/run/netns/{name}-a", "unshare", "--uts", "--mount", "sh", "-c",
            "hostname a && mount --bind /etc/hosts /etc/hosts")
        return True
    except Trouble:
        return False
    finally:
        remove(name)


def make_network(kind, folder, hosts):
    """`kind`: "namespaces", "loopback" or "auto". Writes FOLDER/at, which runs a command on a host."""
    if kind == "namespaces" and not permits_namespaces():
        raise Trouble("this machine permits no network namespaces with a bridge: try --network loopback")
    has_namespaces = kind == "namespaces" or (kind == "auto" and permits_namespaces())
    network = (Namespaces if has_namespaces else Loopback)(folder, hosts)
    at = folder / "at"
    at.write_text(f"#!/bin/sh\n# at HOST COMMAND...: runs a command on a host of this testbed\nhost=$1\nshift\n"
                  f"{network.enter}\n")
    at.chmod(0o755)
    return network


def remove(bridge):
    """Removes a bridge and its namespaces, if they exist."""
    for path in pathlib.Path("/run/netns").glob(f"{bridge}-*"):
        subprocess.run(["ip", "netns", "delete", path.name], capture_output=True)
    subprocess.run(["ip", "link", "delete", bridge], capture_output=True)


def remove_network(folder):
    """Call it once nothing runs on its hosts any more."""
    file = folder / "bridge"
    if file.exists():
        remove(file.read_text())
