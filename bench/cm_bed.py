"""The testbed of Sonmez et al. 2006 on this machine: each of the five clusters is a site with real daemons in a network
namespace, with links of the paper's ratio. bench/cm.py and bench/cm_workloads.py run their programs there.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("DMM_BIN", SOURCE / "build/bin"))
sys.path.insert(0, str(SOURCE / "scripts/modules"))
from chaos_networks import Namespaces
from testbed_network import enter_namespaces

# Nodes that worked during the paper's experiments (table 1), of two processors.
WORKING_NODES = {"vu": 67, "amsterdam": 20, "delft": 26, "utrecht": 28, "leiden": 19}
OPEN_MPI = ("OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=10.77.0.0/16",
            "OMPI_MCA_oob_tcp_if_include=10.77.0.0/16", "OMPI_MCA_mpi_yield_when_idle=1",
            "OMPI_MCA_hwloc_base_binding_policy=none", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
MPI_ENVIRONMENT = tuple(word for variable in OPEN_MPI for word in ("--environment", variable))


def owner(name, nodes, processors_per_node):
    """A site with a user and one cluster."""
    return {"name": name, "users": ["u0"], "clusters": [
        {"name": "nodes", "nodes": nodes, "processors_per_node": processors_per_node, "isolate_jobs": False}]}


def begin(variable):
    """Puts this process into namespaces of its own, in which a bed may be made."""
    if missing := [tool for tool in ("ip", "tc", "nsenter", "mpicc.openmpi") if not shutil.which(tool)]:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: missing: {' '.join(missing)}; run scripts/setup and "
                 "scripts/setup --chaos")
    enter_namespaces(variable)


class Bed:
    """The sites, up, all siblings of each other. `between` and `inside` are megabits a second: what the link of each
    site carries, and what a site carries inside."""

    def __init__(self, folder, sites, between, inside, burst="256kb"):
        self.folder = folder
        file = folder / "das2.json"
        file.write_text(json.dumps({"name": "das2", "sites": sites,
                                    "sibling_groups": [[site["name"] for site in sites]]}))
        self.network = Namespaces(BIN, folder, file, random.Random(1))
        for site, host in self.network.hosts.items():
            shape = ("root", "tbf", "burst", burst, "latency", "50ms", "rate")
            within = ("nsenter", f"--net=/run/netns/{host}")
            self.run(*within, "ip", "link", "set", "lo", "mtu", 1500)  # tbf drops what is larger than its burst
            self.run(*within, "tc", "qdisc", "add", "dev", "eth0", *shape, f"{between}mbit")
            self.run(*within, "tc", "qdisc", "add", "dev", "lo", *shape, f"{inside}mbit")
            self.run("tc", "qdisc", "add", "dev", self.network.ports[site], *shape, f"{between}mbit")
        self.environment = dict(os.environ, DMM_HOME=str(folder / "home"), TMPDIR=str(folder))
        self.dmm("testbed", "up", file, *self.network.options())

    def run(self, *words):
        done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False,
                              env=getattr(self, "environment", None))
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def dmm(self, *words):
        return self.run(self.network.binaries / "dmm", *words)

    def build(self, name):
        program = self.folder / name
        self.run("mpicc.openmpi", "-O2", "-o", program, SOURCE / f"bench/mpi/{name}.c", "-lm")
        return program

    def close(self):
        """Ends all other processes in this process namespace; they all belong to the testbed."""
        os.kill(-1, signal.SIGKILL)
        self.run("umount", self.network.binaries / "dmm")
