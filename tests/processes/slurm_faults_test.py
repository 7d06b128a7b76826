# ctest: cost 120
# ctest: batch system
"""Each process of a site on Slurm is killed in turn while one of its nodes is lent. Nothing is left behind on either
side, nothing runs twice, and the job runs again or goes on.
"""
import os
import signal
import subprocess
import unittest

from grid import lives, processes_with
from slurm_stage import MINUTE, NODES, SlurmTest, until

MARK = "sleep 4321"


class Faults(SlurmTest):
    def setUp(self):
        super().setUp()
        for _ in range(NODES):
            self.a.until_job(self.a.submit("sleep", "1000"), "running")
        self.job = self.a.submit("sh", "-c", f"{MARK}; true")
        self.a.until_job(self.job, "running")
        [self.node] = self.b.leased()

    def kill(self, process):
        os.kill(process, signal.SIGKILL)
        until(lambda: not lives(process), f"the end of process {process}", MINUTE)

    def start(self, *words, folder):
        """As the host's init would: again, and for ever."""
        again = subprocess.Popen([str(word) for word in words], env=self.b.env, start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (folder / f"{words[0]}.pid").write_text(str(again.pid))
        self.restarted.append(again)

    def kill_daemon(self, program, folder):
        place = self.b.folder / folder
        self.kill(int((place / f"{program}.pid").read_text()))
        self.start(program, "--config", place / f"{program}.json", folder=place)

    def said(self):
        questions = (("dmm", "nodes"), ("dmm", "fsck", "--patience", "0"))
        return "\n".join([one.run(*words, code=None) for one in (self.a, self.b) for words in questions] +
                         [self.a.run("dmm", "why", self.job)])

    def check(self):
        """The job runs once, and all sides agree about all nodes."""
        def is_well():
            copies = [line for line in processes_with(MARK).values() if line.startswith("sh -c")]
            self.assertLessEqual(len(copies), 1, copies)
            if len(copies) != 1 or self.a.job(self.job)["state"] != "running":
                return False
            return all("no disagreement" in one.run("dmm", "fsck", "--patience", "0", code=None)
                       for one in (self.a, self.b)) and "down" not in self.b.states()
        until(is_well, self.said, 3 * MINUTE)

    def test_the_node_agent(self):
        self.kill(self.b.process("nodeagent", f"/nodes/{self.node} "))
        self.check()

    def test_the_resource_manager(self):
        self.kill(self.b.process("resmgr", f"/nodes/{self.node}/"))
        self.check()

    def test_slurms_step_of_the_pilot(self):
        pilot = self.b.nodes()[self.node]["pilot"]
        here = processes_with(str(self.b.folder))  # the other cluster's pilots have the same numbers
        [step] = [pid for pid, line in here.items() if f"slurmstepd: [{pilot}.batch]" in line]
        self.kill(step)
        self.check()

    def test_the_site_manager(self):
        self.kill_daemon("sitemgr", "site")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_the_batch_manager(self):
        self.kill_daemon("batchmgr", "batch")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_slurms_controller(self):
        self.kill(int((self.b.folder / "run/slurmctld.pid").read_text()))
        self.b.run("slurmctld")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_slurms_daemon_of_the_node(self):
        self.kill(int((self.b.folder / f"run/slurmd-{self.node}.pid").read_text()))
        self.b.run("slurmd", "-N", self.node)
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_munge(self):
        munge = self.b.folder / "munge"
        self.kill(int((munge / "munged.pid").read_text()))
        until(lambda: "can't be looked at" in self.b.run("dmm", "nodes"), lambda: self.b.run("dmm", "nodes"), MINUTE)
        self.b.run("setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups", "munged", "--force",
                   f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/munged.pid",
                   f"--log-file={munge}/log", f"--seed-file={munge}/seed", "--origin=127.0.0.1")
        self.check()
        self.assertEqual(self.a.job(self.job)["attempt"], 1)

    def test_the_link_between_the_sites(self):
        """For longer than it may be silent: a stopped site manager is cut off from all."""
        manager = int((self.a.folder / "site/sitemgr.pid").read_text())
        os.kill(manager, signal.SIGSTOP)
        self.addCleanup(os.kill, manager, signal.SIGCONT)
        until(lambda: "down" in self.b.run("dmm", "sites", code=None), lambda: self.b.run("dmm", "sites", code=None),
              MINUTE)
        os.kill(manager, signal.SIGCONT)
        self.check()


if __name__ == "__main__":
    unittest.main()
