# ctest: cost 60
"""DMM on top of two real Slurm clusters (scripts/slurm-testbed): idle nodes are lent, go back when Slurm's own users
want them, and nothing is left behind by a process that is killed. Skipped where Slurm isn't installed.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

from grid import SOURCE, lives, processes_with, until

NODES = 4
MINUTE = 60


def slurm_is_there():
    return os.geteuid() == 0 and all(shutil.which(program) for program in ("slurmctld", "slurmd", "munged", "sbatch"))


class Cluster:
    """A cluster of the testbed: what its operators and users type."""

    def __init__(self, folder, name):
        self.folder, self.name = folder / name, name
        lines = (self.folder / "env").read_text().splitlines()
        set_here = dict(line.removeprefix("export ").split("=", 1) for line in lines)
        path = set_here.pop("PATH").replace("$PATH", os.environ["PATH"])
        self.env = {**os.environ, **set_here, "PATH": path}

    def run(self, *words, code=0, user=None, **options):
        done = subprocess.run([str(word) for word in words], env=self.env, capture_output=True, text=True,
                              timeout=MINUTE, cwd="/", user=user, **options)
        if code is not None and done.returncode != code:
            raise AssertionError(f"{words}: {done.returncode}, {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def nodes(self):
        """Each node of the batch system by name."""
        said = json.loads(self.run("dmm", "nodes", "--json"))
        return {node["node"]: node for node in said["batch"]["nodes"]}

    def states(self):
        return [node["state"] for _, node in sorted(self.nodes().items())]

    def leased(self):
        """Names of nodes under a lease."""
        said = json.loads(self.run("dmm", "nodes", "--json"))
        return sorted(node["resource_manager"] for node in said["nodes"] if node["state"] == "leased")

    def until_held(self, count=NODES):
        """Waits until so many pilots run, and their nodes are the site's."""
        def ready():
            said = json.loads(self.run("dmm", "nodes", "--json"))
            return sum(node["state"] in ("free", "leased") for node in said["nodes"]) == count
        until(ready, lambda: self.run("dmm", "nodes"), MINUTE)

    def submit(self, *words, processors=2):
        return self.run("dmm", "submit", "--processors", processors, "--", *words).split("/")[-1]

    def job(self, number):
        return json.loads(self.run("dmm", "why", number, "--json"))["job"]

    def until_job(self, number, *states):
        until(lambda: self.job(number)["state"] in states, lambda: self.job(number), MINUTE)
        return self.job(number)

    def sbatch(self, *words):
        """A plain user's job; its number."""
        return self.run("sbatch", "--parsable", "--output=/dev/null", *words, user="nobody")

    def state_of(self, number):
        return self.run("squeue", "--noheader", f"--jobs={number}", "--states=all", "--format=%T")

    def until_slurm(self, number, *states):
        until(lambda: self.state_of(number) in states, lambda: self.run("squeue"), MINUTE)

    def process(self, program, text=""):
        """The one that isn't a child of another such."""
        found = [pid for pid, line in processes_with(str(self.folder)).items()
                 if pathlib.Path(line.split(" ")[0]).name == program and text in line]
        return min(found)

    def log(self, daemon, program):
        return [json.loads(line) for line in (self.folder / daemon / f"{program}.jsonl").read_text().splitlines()]


@unittest.skipUnless(slurm_is_there(), "Slurm isn't installed (scripts/setup --slurm), or this isn't root")
class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="dmm-slurm-"))
        cls.place.chmod(0o755)
        cls.folder = cls.place / "testbed"
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        cls.restarted = []  # processes that are waited for once the testbed has ended them
        cls.addClassCleanup(lambda: [one.wait() for one in cls.restarted])
        cls.addClassCleanup(cls.bed, "down")
        cls.bed("up", "--idle-for", "1")
        cls.a, cls.b = Cluster(cls.folder, "a"), Cluster(cls.folder, "b")

    @classmethod
    def bed(cls, *words):
        done = subprocess.run([SOURCE / "scripts/slurm-testbed", *words, "--directory", cls.folder, "--programs",
                               os.environ["DMM_BIN"]], capture_output=True, text=True, timeout=2 * MINUTE)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)

    def setUp(self):
        self.a.until_held()
        self.b.until_held()


class ThePage(SlurmTest):
    """Section 1 of docs/slurm.md as it stands."""

    def test_its_lines_do_what_it_says(self):
        page = (SOURCE / "docs/slurm.md").read_text().split("## 2.")[0]
        start, lines = [block.split("```")[0].strip() for block in page.split("```\n")[1::2]]
        self.assertEqual(start, "scripts/setup --slurm\nscripts/slurm-testbed up")
        lines = lines.replace("/tmp/dmm-slurm", str(self.folder))
        done = subprocess.run(["bash", "-e", "-c", lines], capture_output=True, text=True, timeout=MINUTE, cwd="/")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        until(lambda: "reclaimed by b" in self.a.run("dmm", "why", "5"), lambda: self.a.run("dmm", "why", "5"), MINUTE)
        self.assertEqual(self.a.job("5")["reruns"], 0)


class OnSlurm(SlurmTest):
    def tearDown(self):
        for cluster in (self.a, self.b):
            cluster.run("dmm", "cancel", "--all", "--yes")
            cluster.run("scancel", "--partition=main", code=None)
        until(lambda: not self.a.leased() and not self.b.leased(), "the end of all leases", MINUTE)

    def fill(self, cluster):
        """A job on each node of the cluster."""
        jobs = [cluster.submit("sleep", "1000") for _ in range(NODES)]
        for job in jobs:
            cluster.until_job(job, "running")

    def test_a_full_site_borrows_idle_nodes_of_the_other_cluster(self):
        self.fill(self.a)
        job = self.a.submit("sh", "-c", "echo $DMM_NODES")
        self.a.until_job(job, "finished", "failed")
        self.assertEqual(self.a.job(job)["exit"]["code"], 0)
        chain = self.a.run("dmm", "why", job)
        self.assertIn("lent by way of b > a", chain)
        # The lease has a record at the owner, and the node is free again.
        until(lambda: not self.b.leased(), "the node's return")
        self.assertIn("a", self.b.run("dmm", "usage"))

    def test_local_users_get_their_nodes_back_and_no_job_is_charged(self):
        self.fill(self.a)
        job = self.a.submit("sleep", "1000")
        self.a.until_job(job, "running")
        local = self.b.sbatch(f"--nodes={NODES}", "--wrap=sleep 2")
        self.b.until_slurm(local, "RUNNING", "COMPLETING", "COMPLETED")
        until(lambda: self.a.job(job)["interruptions"] == 1, lambda: self.a.job(job))
        self.assertEqual(self.a.job(job)["reruns"], 0)
        self.assertIn("reclaimed by b", self.a.run("dmm", "why", job))
        # It runs again once the nodes are idle.
        self.b.until_slurm(local, "COMPLETED")
        self.a.until_job(job, "running")
        self.assertEqual(self.b.states().count("local job"), 0)

    def test_nothing_is_left_of_an_agent_that_is_killed(self):
        self.fill(self.a)
        job = self.a.submit("sh", "-c", "setsid sleep 4321 & trap '' TERM; sleep 4321")
        self.a.until_job(job, "running")
        [node] = self.b.leased()
        os.kill(self.b.process("nodeagent", f"/nodes/{node} "), signal.SIGKILL)
        until(lambda: not processes_with(f"/nodes/{node}/"), lambda: processes_with(f"/nodes/{node}/"), MINUTE)
        self.b.until_held()
        self.a.until_job(job, "running", "waiting")

    def test_pilots_outlive_the_batch_manager_and_the_controller(self):
        pilots = {name: node["pilot"] for name, node in self.b.nodes().items()}
        batch = self.b.folder / "batch"
        os.kill(int((batch / "batchmgr.pid").read_text()), signal.SIGKILL)
        again = subprocess.Popen(["batchmgr", "--config", batch / "batchmgr.json"], env=self.b.env,
                                 start_new_session=True, stderr=subprocess.DEVNULL)
        (batch / "batchmgr.pid").write_text(str(again.pid))
        self.restarted.append(again)
        until(lambda: self.b.run("dmm", "nodes", "--json", code=None) and self.b.states() == ["held"] * NODES,
              lambda: self.b.run("dmm", "nodes", code=None), MINUTE)
        self.assertEqual({name: node["pilot"] for name, node in self.b.nodes().items()}, pilots)
        # Without its controller the batch system is a state that people see.
        controller = int((self.b.folder / "run/slurmctld.pid").read_text())
        os.kill(controller, signal.SIGTERM)
        until(lambda: not lives(controller), "the controller's end")
        until(lambda: "can't be looked at" in self.b.run("dmm", "nodes"), lambda: self.b.run("dmm", "nodes"), MINUTE)
        self.b.run("slurmctld")
        until(lambda: "can't be looked at" not in self.b.run("dmm", "nodes"), "a batch system that answers", MINUTE)
        self.assertEqual({name: node["pilot"] for name, node in self.b.nodes().items()}, pilots)

    def test_a_drained_node_is_given_back_and_says_why(self):
        self.b.run("scontrol", "update", "nodename=b1", "state=drain", "reason=a loud fan")
        self.addCleanup(self.b.run, "scontrol", "update", "nodename=b1", "state=resume")
        until(lambda: self.b.nodes()["b1"]["state"] == "drained", lambda: self.b.run("dmm", "nodes"), MINUTE)
        self.assertEqual(self.b.nodes()["b1"]["why"], "a loud fan")
        self.b.until_held(NODES - 1)

    def test_a_cancelled_pilot_gives_its_node_back(self):
        self.fill(self.a)
        job = self.a.submit("sleep", "1000")
        self.a.until_job(job, "running")
        [node] = self.b.leased()
        self.b.run("scancel", self.b.nodes()[node]["pilot"])
        until(lambda: self.a.job(job)["interruptions"] == 1, lambda: self.a.job(job), MINUTE)
        self.assertEqual(self.a.job(job)["reruns"], 0)
        self.a.until_job(job, "running")


if __name__ == "__main__":
    unittest.main()
