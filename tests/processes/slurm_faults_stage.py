"""A job of one cluster runs on a node lent by the other, and a process is killed: nothing is left behind on either
side, nothing runs twice, and the job is rerun or goes on.
"""
from grid import processes_with
from slurm_stage import MINUTE, SlurmTest, until

MARK = "sleep 4321"


class FaultsTest(SlurmTest):
    def setUp(self):
        super().setUp()
        self.a.fill()
        self.job = self.a.submit("sh", "-c", f"{MARK}; true")
        self.a.until_job(self.job, "running")
        [self.node] = self.b.leased()

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
