"""Accounts of one host: over a socket that every account may connect to, no account can act as another. Needs root,
since only root can start processes of several accounts; without root the test says so and checks nothing.
"""
import json
import os
import shutil
import subprocess
import unittest

from changes_test import QUICK, Daemon
from grid import BIN, GridTest, until

ANN, OTHER = "games", "man"  # accounts that every Debian has


@unittest.skipUnless(os.geteuid() == 0, "only root can start processes of several accounts")
class Accounts(GridTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.programs = self.folder / "bin"  # other accounts may be unable to read a checkout
        self.programs.mkdir()
        for program in ("dmm", "jobmgr", "sitemgr"):
            shutil.copy(BIN / program, self.programs)
        before = os.umask(0)  # every account may connect to the daemons' sockets
        self.addCleanup(os.umask, before)
        self.endpoint = f"ipc://{self.folder}/alpha.ipc"
        self.site = Daemon(self, "sitemgr", "alpha", {
            "site": "alpha", "listen": [self.endpoint], "directory": str(self.folder / "alpha"),
            "clusters": [{"name": "nodes", "nodes": 4}], "links": [{"site": "beta", "relation": "sibling"}]})
        self.addCleanup(self.end, self.site.process)

    def end(self, process):
        process.terminate()
        process.wait()

    def under(self, account, *words):
        return ("setpriv", f"--reuid={account}", "--clear-groups", "--", *words)

    def ask(self, account, *words, code):
        home = self.folder / f"home-{account}"
        home.mkdir(mode=0o777, exist_ok=True)
        words = ("env", f"DMM_HOME={home}", *self.under(account, self.programs / "dmm", *words))
        done = self.run_words(words)
        self.assertEqual(done.returncode, code, done)
        return done.stdout + done.stderr

    def run_words(self, words):
        return subprocess.run([str(word) for word in words], env=self.environment, capture_output=True, text=True,
                              timeout=60, cwd="/", check=False)

    def job_manager(self, account, user):
        """A job manager that runs under the account and says that it is the user's."""
        folder = self.folder / f"{account}-as-{user}"
        folder.mkdir(mode=0o777)
        log = folder / "log.jsonl"
        endpoint = f"ipc://{folder}/jobmgr.ipc"
        config = {"site": "alpha", "user": user, "site_endpoint": self.endpoint, "listen": [endpoint],
                  "directory": str(folder / "state"), **QUICK, "log": {"file": str(log), "terminal": False}}
        (folder / "config.json").write_text(json.dumps(config))
        process = self.start(*self.under(account, self.programs / "jobmgr", "--config", folder / "config.json"))
        self.addCleanup(self.end, process)
        until(lambda: log.exists() and '"ready"' in log.read_text(), f"{user}'s job manager is ready")
        return endpoint, log

    def test_orders_are_for_administrators(self):
        self.assertIn("no leases", self.ask(ANN, "leases", "--sitemgr", self.endpoint, code=0))
        refused = self.ask(ANN, "drain", "alpha", "--sitemgr", self.endpoint, code=1)
        self.assertIn('"drain" takes an administrator', refused)
        self.site.change(administrators=[ANN])
        self.ask(ANN, "drain", "alpha", "--sitemgr", self.endpoint, code=0)
        self.site.change(administrators=[])
        self.assertIn("takes an administrator", self.ask(ANN, "resume", "alpha", "--sitemgr", self.endpoint, code=1))
        self.dmm("resume", "alpha", "--sitemgr", self.endpoint)

    def test_a_user_is_the_account_of_that_name(self):
        endpoint, _ = self.job_manager(ANN, ANN)
        self.ask(ANN, "submit", "--jobmgr", endpoint, "--", "true", code=0)
        self.site.until_logged("request")
        _, impostor = self.job_manager(OTHER, "daemon")
        until(lambda: f"the account {OTHER}" in impostor.read_text(), lambda: impostor.read_text())
        told = self.site.until_logged("stranger")
        self.assertIn("may not speak for jobmgr alpha/daemon here", told["text"])
        self.ask(ANN, "queue", "--jobmgr", endpoint, code=0)
        self.assertIn('takes the user', self.ask(OTHER, "queue", "--jobmgr", endpoint, code=1))
        self.assertIn('to submit jobs takes the user',
                      self.ask(OTHER, "submit", "--jobmgr", endpoint, "--", "true", code=1))


if __name__ == "__main__":
    unittest.main()
