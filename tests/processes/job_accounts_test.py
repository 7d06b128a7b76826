"""Isolated users: a resource manager that runs as root runs borrowed jobs under an account for each borrowing site, and
says so if it can't. Needs root, since only root can start processes of several accounts; without root the test says so
and checks nothing.
"""
import os
import shutil
import unittest

from changes_test import Daemon
from grid import BIN, GridTest, read, until

OTHER = "games"  # an account that every Debian has
FIRST = 70001


@unittest.skipUnless(os.geteuid() == 0, "only root can start processes of several accounts")
class JobAccounts(GridTest):
    """A site alpha that has nodes, and beta and gamma that borrow them."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)  # the accounts of jobs pass through it
        self.programs = self.folder / "bin"  # other accounts may be unable to read a checkout
        self.programs.mkdir()
        for program in ("resmgr", "keeper", "launcher", "stager"):
            shutil.copy(BIN / program, self.programs)
        before = os.umask(0)  # every account may connect to the daemons' sockets
        self.addCleanup(os.umask, before)
        self.begin("sitemgr", "alpha", {
            "clusters": [{"name": "nodes", "nodes": 4}], "resource_manager_accounts": [OTHER],
            "links": [{"site": other, "relation": "sibling"} for other in ("beta", "gamma")]})
        for site in ("beta", "gamma"):
            self.begin("sitemgr", site, {
                "links": [{"site": "alpha", "relation": "sibling", "connect": self.socket_of("alpha")}]})
        for site in ("alpha", "beta", "gamma"):
            self.begin("jobmgr", f"{site}-u", {
                "site": site, "user": "u", "site_endpoint": self.socket_of(site)})

    def socket_of(self, called):
        return f"ipc://{self.folder}/{called}.sock"

    def begin(self, program, called, config):
        whole = {"site": called, "listen": [self.socket_of(called)], "directory": str(self.folder / f"in-{called}"),
                 **config}
        daemon = Daemon(self, program, called, whole)
        self.addCleanup(self.end, daemon)
        return daemon

    def begin_nodes(self, **more):
        """The resource manager of alpha."""
        return self.begin("resmgr", "alpha-nodes", {
            "site": "alpha", "name": "nodes", "cluster": "nodes", "nodes": 4,
            "site_endpoint": self.socket_of("alpha"), **more})

    def end(self, daemon):
        if daemon.process.poll() is None:
            daemon.process.terminate()
        self.assertEqual(daemon.process.wait(60), 0, daemon.name)

    def user(self, site):
        return "--jobmgr", self.socket_of(f"{site}-u"), "--as-site", site, "--as-user", "u"

    def output_of(self, site, script):
        """The output of a job of this site."""
        file = self.folder / f"out-{site}"
        self.run_job(*self.user(site), "--output-file", file, "--", "sh", "-c", script)
        return read(file).decode()

    def nodes(self):
        return self.dmm("nodes", "--sitemgr", self.socket_of("alpha"))

    def test_input_files_are_read_by_the_account_of_the_job(self):
        self.certify_nodes(self.folder / "in-alpha-nodes")
        self.begin_nodes(accounts={"first_uid": FIRST, "last_uid": FIRST + 2, "required": True})
        for name, mode in (("open", 0o644), ("private", 0o600)):
            (self.folder / name).write_text(f"{name}\n")
            (self.folder / name).chmod(mode)
        user, script = self.user("beta"), "cat open; stat -c %u open; id -u"
        file = self.folder / "out"
        self.run_job(*user, "--output-file", file, "--stage-in", f"file://{self.folder}/open", "--", "sh", "-c", script)
        said, owner, account = read(file).decode().split()
        self.assertEqual((said, owner), ("open", account))
        self.assertGreaterEqual(int(account), FIRST)
        record = self.run_job(*user, "--stage-in", f"file://{self.folder}/private", "--", "true", code=1)
        self.assertIn("input file 'private' from file:///", record["text"])

    def test_borrowers_are_apart(self):
        manager = self.folder / "in-alpha-nodes"
        self.certify_nodes(manager)
        daemon = self.begin_nodes(accounts={"first_uid": FIRST, "last_uid": FIRST + 2, "required": True})
        self.assertEqual(daemon.until_logged("accounts")["text"],
                         f"accounts {FIRST} to {FIRST + 2}, one for each site")
        self.assertEqual(daemon.logged("exposed"), [])
        numbers = {site: self.output_of(site, "id -u").strip() for site in ("beta", "gamma", "alpha")}
        self.assertEqual(sorted(numbers.values()), [str(FIRST + i) for i in range(3)])
        self.assertNotIn("account", self.nodes().out)

        stays = self.submit(*self.user("beta"), "--", "sh", "-c",
                            "echo private > mine; echo $DMM_DIRECTORY > place; exec sleep 1000")
        self.until_state(stays, "running", options=self.user("beta"))
        place = until(lambda: next(manager.glob("jobs/beta*/*/mine"), None), "the file of beta's job").parent
        told = self.dmm("why", stays, *self.user("beta")).out
        self.assertIn(f"account {numbers['beta']}, ", told)
        reached = self.output_of("gamma", f"cat {place}/mine {manager}/keys/link.json {manager}/ledger.sqlite "
                                          f"{manager}/accounts {manager}/keeper.secret; ls {manager} {place}; "
                                          "pkill sleep; echo over")
        self.assertEqual(reached, "over\n")
        self.assertEqual(read(place / "mine"), b"private\n")
        self.assertEqual(self.job(stays, *self.user("beta"))["state"], "running")
        self.dmm("cancel", stays, *self.user("beta"))
        self.until_state(stays, "cancelled", options=self.user("beta"))

        daemon.process.terminate()
        daemon.process.wait()
        daemon = self.begin_nodes(accounts={"first_uid": FIRST, "last_uid": FIRST + 2, "required": True})
        for site in ("gamma", "beta"):
            self.assertEqual(self.output_of(site, "id -u").strip(), numbers[site])

    def certify_nodes(self, folder):
        """Keys as a resource manager over tcp has them."""
        head = self.folder / "head"
        self.site_keys("alpha", head)
        self.certify(head, "node", "nodes", folder)
        self.assertEqual((folder / "keys/link.json").stat().st_mode & 0o777, 0o600)

    def test_without_the_privilege_borrowed_jobs_are_refused(self):
        folder = self.folder / "in-alpha-nodes"
        folder.mkdir()
        shutil.chown(folder, OTHER)
        setpriv = ("setpriv", f"--reuid={OTHER}", "--clear-groups", "--")
        start = self.start
        self.start = lambda program, *words: start(*setpriv, self.programs / program.name, *words)
        log = self.folder / "resmgr-alpha-nodes.jsonl"
        log.touch()
        log.chmod(0o666)
        daemon = self.begin_nodes(listen=[f"ipc://{folder}/listen.sock"],
                                  accounts={"first_uid": FIRST, "last_uid": FIRST, "required": True})
        text = daemon.until_logged("accounts")["text"]
        self.assertIn("no job of another site runs here: ", text)
        self.assertIn("CAP_SETUID", text)
        self.assertEqual(self.output_of("alpha", "id -un").strip(), OTHER)
        self.assertIn("alpha: jobs of all sites run under one account", self.nodes().out)
        refused = self.submit(*self.user("beta"), "--", "true")
        told = until(lambda: "account" in (said := self.job(refused, *self.user("beta"))["text"] or "") and said,
                     lambda: self.job(refused, *self.user("beta")))
        self.assertIn("jobs of other sites need an account of their own here", told)
        self.dmm("cancel", refused, *self.user("beta"))


if __name__ == "__main__":
    unittest.main()
