"""The configurations in the documents: each passes --check as it stands, without a warning. The site of
docs/operations.md starts as written, runs a job on its own node, and keeps its leases after a kill -9.
"""
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import unittest

from grid import BIN, SOURCE, GridTest, free_ports, lives, until

BLOCK = re.compile(r"```json\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
NAMED = re.compile(r"^`([\w-]+\.json)`.*?\n\n```json\n(.*?)```", re.DOTALL | re.MULTILINE)


def commands_in(block):
    """The words behind `dmm` of each command in a block of sh."""
    for line in block.replace("\\\n", " ").splitlines():
        for command in re.split(r"\s(?:\||&&|;)\s", line):
            try:
                words = shlex.split(command, comments=True)
            except ValueError:
                continue  # a part of a longer quoted text
            if words[:1] == ["dmm"]:
                yield words[1:]


def program_for(config):
    """The daemon that a configuration belongs to."""
    return "jobmgr" if "user" in config else "resmgr" if "cluster" in config else "sitemgr"


class Documents(GridTest):
    def check(self, program, file):
        run = subprocess.run([BIN / program, "--config", file, "--check"], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout, run.stderr

    def test_every_configuration_is_sound(self):
        seen = []
        for name in ("docs/operations.md", "topologies/README.md", "README.md"):
            for number, block in enumerate(BLOCK.findall((SOURCE / name).read_text(encoding="utf-8"))):
                config = json.loads(block)
                if "site" not in config:
                    continue  # an answer or a job
                file = self.folder / f"{number}.json"
                file.write_text(block, encoding="utf-8")
                program = program_for(config)
                seen.append(program)
                code, out, err = self.check(program, file)
                self.assertEqual((code, err), (0, ""), (name, block, out))
        self.assertGreaterEqual(seen.count("sitemgr"), 2)
        self.assertIn("resmgr", seen)
        self.assertIn("jobmgr", seen)

    def test_every_command_has_the_options_that_are_shown(self):
        """In commands of `dmm` in blocks of sh, each word that begins with -- is in the help of its subcommand."""
        helps, seen = {}, 0
        for document in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]:
            for block in SHELL.findall(document.read_text(encoding="utf-8")):
                for words in commands_in(block):
                    verbs = tuple(itertools.takewhile(lambda word: re.fullmatch("[a-z][a-z-]*", word), words))[:2]
                    help_text = self.help_of(verbs, helps)
                    for word in itertools.takewhile(lambda word: word != "--", words):
                        if word.startswith("--"):
                            seen += 1
                            self.assertIn(word.split("=")[0], help_text, f"{document.name}: dmm {' '.join(words)}")
        self.assertGreater(seen, 100)

    def help_of(self, verbs, helps):
        """The help text of `dmm sites`, or of `dmm testbed up`."""
        if verbs not in helps:
            helps[verbs] = "".join(
                subprocess.run([BIN / "dmm", *verbs[:count], "--help"], capture_output=True, text=True,
                               check=False).stdout for count in (1, 2))
        return helps[verbs]

    def test_what_is_hardly_meant_is_warned_of(self):
        """The errors that the document once had."""
        site = {"site": "alpha", "listen": [f"ipc://{self.folder}/none/alpha.ipc"],
                "clusters": [{"name": "nodes", "nodes": 1, "processors_per_node": 32, "quota": 0.9}]}
        file = self.folder / "alpha.json"
        file.write_text(json.dumps(site), encoding="utf-8")
        code, out, err = self.check("sitemgr", file)
        self.assertEqual(code, 0, err)
        self.assertIn("ok", out)
        for part in ("warning: directory: it is missing",
                     "clusters[0].quota: 0.9 of 32 processors leaves no whole node",
                     "clusters[0].nodes: whole nodes are leased", f"there is no folder {self.folder}/none"):
            self.assertIn(part, err)
        self.assertEqual(len(err.splitlines()), 4, err)

    def start_site(self):
        """The three daemons of the document with other hosts, ports and folders. Returns the names of their files, the
        site's endpoint, the job manager's endpoint, and the processes."""
        ports = free_ports(2)
        text = (SOURCE / "docs/operations.md").read_text(encoding="utf-8")
        files, processes = {}, {}
        folders = {"alpha": self.folder / "var/lib/dmm/alpha", "nodes": self.folder / "var/lib/dmm/node01",
                   "ann": self.folder / "ann/.dmm"}
        link, _ = self.site_keys("alpha", folders["alpha"])
        self.certify(folders["alpha"], "node", "node01", folders["nodes"])
        self.certify(folders["alpha"], "user", "ann", folders["ann"])
        self.environment["DMM_KEYS"] = str(folders["alpha"])  # of the administrator that asks the site over tcp
        for name, block in NAMED.findall(text):
            block = re.sub(r"(?<=alpha-head:7700#)[\w-]{43}", link, block)
            for old, new in (("alpha-head", "127.0.0.1"), ("node01.example.org", "127.0.0.1"),
                             ("/var/", f"{self.folder}/var/"),
                             ("/home/ann", f"{self.folder}/ann"), (":7700", f":{ports[0]}"), (":7701", f":{ports[1]}"),
                             ("campus.example.org", "127.0.0.1")):
                block = block.replace(old, new)
            files[name] = self.folder / name
            files[name].write_text(block, encoding="utf-8")
        self.assertEqual(list(files), ["alpha.json", "alpha-node01.json", "ann.json"])
        for name, file in files.items():
            processes[name] = self.start_daemon(file)
        jobs = f"ipc://{self.folder}/ann/.dmm/jobmgr.ipc"
        return files, f"tcp://127.0.0.1:{ports[0]}#{link}", jobs, processes

    def start_daemon(self, file):
        read_end, write_end = os.pipe()
        program = program_for(json.loads(file.read_text(encoding="utf-8")))
        self.environment["DMM_READY_FD"] = str(write_end)
        try:
            process = self.start(BIN / program, "--config", file, "--set", "log.terminal=false", pass_fds=[write_end])
        finally:
            del self.environment["DMM_READY_FD"]
            os.close(write_end)
        with os.fdopen(read_end, "rb") as ready:
            self.assertEqual(ready.read(1), b"r", f"{file} doesn't start")
        return process

    def test_the_site_of_the_document(self):
        files, site, jobs, processes = self.start_site()
        user = ("--jobmgr", jobs, "--as-site", "alpha", "--as-user", "ann")
        owner = ("--sitemgr", site, "--as-site", "alpha")
        done = self.dmm("submit", *user, "--dttl", 0, "--wait", "--json", "--", "hostname").json
        self.assertEqual((done["state"], done["place"]["owner"]), ("finished", "alpha"))
        go = self.folder / "go"
        job = self.submit(*user, "--dttl", 0, "-n", 2, "--", "sh", "-c", f"while [ ! -e {go} ]; do sleep 0.05; done")
        self.until_state(job, "running", options=user)
        leased = [row for row in self.dmm("nodes", *owner, "--json").json["nodes"] if row["state"] == "leased"]
        self.assertEqual([(row["count"], row["requests"]) for row in leased], [(2, [job])])
        processes["alpha.json"].send_signal(signal.SIGKILL)
        until(lambda: not lives(processes["alpha.json"].pid), "its end")
        self.start_daemon(files["alpha.json"])

        def leases():
            rows = self.dmm("nodes", *owner, "--state", "leased", "--json", code=None)
            return rows.json["nodes"] if rows.code == 0 else None
        until(lambda: leases() == leased, lambda: f"{leased} after the restart; {leases()}")
        go.touch()
        self.assertEqual(self.until_state(job, "finished", "failed", "lost", options=user)["state"], "finished")
        for process in processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait()


if __name__ == "__main__":
    unittest.main(verbosity=1)
