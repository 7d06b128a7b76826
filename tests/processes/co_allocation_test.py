"""One job over several sites, with real daemons: the worked examples of Sonmez et al. 2006, figures 2 and 4, and a
job that is cancelled.
"""
import unittest

from grid import GridTest, until


def site(name, processors, **more):
    return {"name": name, "clusters": [{"name": "nodes", "nodes": processors}], "users": ["u0"], **more}


class ThreeSites(GridTest):
    """Three sites with 18, 15 and 12 idle processors, each linked with each other."""
    ALPHA = ("--site", "alpha")

    def three(self, **defaults):
        sites = [site("alpha", 18, siblings=["beta", "gamma"]), site("beta", 15, siblings=["gamma"]), site("gamma", 12)]
        return self.up(self.topology("three", *sites, defaults=defaults))

    def places(self, record):
        """By owner: the components that run there."""
        return {place["owner"]: place["components"] for place in record["places"]}

    def test_worst_fit_spreads_and_cluster_minimisation_does_not(self):
        for policy, sites in (("wf", 3), ("cm", 2)):
            self.three(policies={"placement": policy})
            out = self.folder / f"{policy}.out"
            record = self.run_job(*self.ALPHA, "--components", "8,8,8", "--output-file", out, "--", "sh", "-c",
                                  "echo $DMM_COMPONENT of $DMM_COMPONENTS on $DMM_PROCESSORS")
            self.assertEqual(record["state"], "finished", record)
            self.assertEqual(len(record["places"]), sites, record)
            self.assertEqual(sorted(sum(self.places(record).values(), [])), [0, 1, 2])
            self.assertEqual(out.read_text(), "0 of 3 on 24\n")
            self.assertEqual((self.folder / f"{policy}.out.2").read_text(), "2 of 3 on 24\n")
            self.until_home()
            self.down("three")

    def test_a_flexible_request_is_divided_where_fixed_components_find_no_place(self):
        self.three(policies={"placement": "cm", "flexible_placement": "fcm"})
        record = self.run_job(*self.ALPHA, "--flexible", 24, "--", "true")
        self.assertEqual((record["state"], self.places(record)), ("finished", {"alpha": [0], "beta": [1]}), record)
        refused = self.dmm("submit", *self.ALPHA, "--components", "18,15,12,4", "--", "true", code=1).err
        self.assertIn("needs 49 processors, and all clusters within its reach have 45 that would do", refused)
        sleeper = self.submit(*self.ALPHA, "--", "sleep", 600)
        self.until_state(sleeper, "running")
        waiting = self.submit(*self.ALPHA, "--components", "18,15,12", "--", "true")
        answer = until(lambda: (told := self.dmm("why", waiting, "--json").json)["why"].get("gathered", 0) > 1 and
                       told,
                       "several tries to gather 45 processors of 44")
        self.assertIn("too little is free: alpha/nodes 17 of 18", answer["why"]["gathering_failed"])
        self.assertIn("to get all components at once failed", self.dmm("why", waiting).out)
        self.dmm("cancel", waiting)
        self.dmm("cancel", sleeper)
        self.until_home()

    def test_a_job_of_high_priority_ends_one_of_low_priority_which_runs_again(self):
        self.three(preempt=True, preempt_grace_seconds=1)
        first = self.submit(*self.ALPHA, "--components", "18,15", "--", "sleep", 600)
        last = self.submit(*self.ALPHA, "--processors", 12, "--name", "last", "--", "sh", "-c",
                           "case $DMM_JOB in *.2) ;; *) sleep 600;; esac")
        for job in (first, last):
            self.until_state(job, "running")
        high = self.run_job(*self.ALPHA, "--components", "6,5", "--priority", 1, "--", "true")
        self.assertEqual(high["state"], "finished", high)
        record = self.until_state(last, "finished")
        self.assertEqual((record["reruns"], record["interruptions"]), (0, 1), record)
        self.assertIn("preempted by a job of high priority at alpha (1)", self.dmm("why", last).out)
        self.assertEqual(self.until_state(first, "running")["interruptions"], 0)
        self.dmm("cancel", first, "--yes")
        self.until_home()

    def test_what_a_job_sends_is_told_with_its_placement(self):
        """By Jones et al. 2004, equation 1. The rates of the links vary here, and so do the chosen sites."""
        self.three(policies={"placement": "wf"})
        record = self.run_job(*self.ALPHA, "--components", "8,8,8", "--", "true")
        self.assertEqual(len(record["places"]), 3, record)
        self.assertNotIn("Mbit/s", record["placement"])
        record = self.run_job(*self.ALPHA, "--components", "8,8,8", "--communication", 1000, "--", "true")
        for owner, components in self.places(record).items():
            here = 8 * len(components)
            asked = (24 - here) / 23 * 1000 * here
            self.assertIn(f"{asked:.1f} Mbit/s of {owner}/nodes (carries ", record["placement"])
        self.assertIn(" % of that", record["placement"])
        self.until_home()

    def test_a_cancelled_job_leaves_nothing_held_and_nothing_running(self):
        self.three(policies={"placement": "wf"})
        job = self.submit(*self.ALPHA, "--components", "8,8,8", "--", "sh", "-c",
                          "trap '' TERM; while :; do sleep 1; done")
        self.until_state(job, "running")
        self.dmm("cancel", job)
        self.assertEqual(len(self.until_state(job, "cancelled")["places"]), 3)
        self.until_home()


if __name__ == "__main__":
    unittest.main()
