"""Every command that shows something, with and without --json, on a real grid: idle, loaded, drained, with dead
managers. tests/cli/views_test.cpp and why_test.cpp test in the simulated world what each shows in which state. This
tests that the commands put it together, end as documented, and never crash.
"""
import os
import unittest

from grid import SOURCE, GridTest, until

VIEWS = (("sites",), ("nodes",), ("nodes", "--state", "down"), ("leases",), ("usage",), ("usage", "--records"),
         ("queue",), ("queue", "--all"))


class Views(GridTest):
    def look(self, code=0, views=VIEWS):
        """All views, as text of at most 80 columns and as JSON."""
        self.environment["COLUMNS"] = "80"
        for words in views:
            with self.subTest(words):
                done = self.dmm(*words, code=code)
                self.assertTrue(done.out, done)
                for line in done.out.splitlines():
                    self.assertLessEqual(len(line), 80, done)
                self.assertNotIn("exception", done.err)
                self.assertIsInstance(self.dmm(*words, "--json", code=code).json, dict)

    def why(self, job, *parts, code=0):
        done = self.dmm("why", job, code=code)
        self.assertIsInstance(self.dmm("why", job, "--json", code=code).json, dict)
        text = " ".join(done.out.split())
        for part in parts:
            self.assertIn(part, text, done)

    def test_a_row_of_sites_of_which_most_have_no_nodes(self):
        up = self.up(SOURCE / "topologies/chain-of-six.json")
        name = up["name"]
        sites = self.sites()
        owner, home, user = "hop-5", "hop-0", "u0"
        processors = sites[owner]["processors"]
        self.look()
        self.dmm("fsck")
        running = self.submit("--site", home, "--user", user, "-n", processors, "--", "sleep", 600)
        self.until_state(running, "running")
        waiting = self.submit("--site", home, "--user", user, "-n", processors, "--", "sleep", 600)
        until(lambda: self.dmm("why", waiting, "--json").json["why"], "an answer of its site")
        self.look()
        self.why(running, "It is running on", "Its output goes to ")
        self.why(waiting, f"It asks for {processors} processors", f"No cluster of {home} has {processors}",
                 "What would start it")
        self.dmm("chain", running, "--json", code=None)
        self.dmm("drain", owner)
        self.look()
        self.assertIn("drained", self.dmm("sites").out)
        self.kill(self.daemon(up, f"resmgr {owner}/nodes"))
        until(lambda: self.dmm("nodes", "--state", "down", "--json").json["nodes"], "a resource manager that is down")
        self.look(views=VIEWS[1:])
        self.look(code=3, views=VIEWS[:1])
        self.assertIn("this resource manager is down", self.dmm("sites", code=3).out)
        self.kill(self.daemon(up, f"sitemgr {home}"))
        self.look(code=1, views=(("nodes",),))
        self.look(code=3, views=VIEWS[:1])
        self.assertIn(owner, self.dmm("sites", code=3).out)  # a site without an answer hides no other
        until(lambda: not self.dmm("why", waiting, "--json").json["site_up"], "its job manager noticing")
        self.assertIn("doesn't reach its site manager", self.dmm("why", waiting).out)
        self.kill(self.daemon(up, f"jobmgr {home}/{user}"))
        self.dmm("why", waiting, code=1)
        self.dmm("queue", code=1)
        self.down(name)

    def test_how_a_job_ended(self):
        self.up(self.topology("one", {"name": "only", "clusters": [{"name": "nodes", "nodes": 2}], "users": ["u"]}))
        self.run_job("--", "sh", "-c", "exit 3", code=3)
        self.run_job("--", "sh", "-c", "kill -9 $$", code=128 + 9)
        self.why("only/u/1", "only/u/1 is failed", "exit status 3, on nodes of only", "It wrote no output.",
                 "Its isolation from other jobs and the host: ")
        self.why("only/u/2", "It was ended by signal 9")
        for code, words in ((1, ("why", "only/u/99")), (2, ("why", "no such thing")), (1, ("chain", "only/u/99")),
                            (2, ("nodes", "--state", "odd")), (2, ("nodes", "--site", "nobody"))):
            self.dmm(*words, code=code)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    unittest.main(verbosity=1)
