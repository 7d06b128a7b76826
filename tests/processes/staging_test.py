"""Files at home: staged in from the folder of the submission, and staged out to it, by the job manager's own server.
Faults are reported; after a job is over none of its files is open any more.
"""
# ctest: cost 40
import json
import os
import pathlib
import re
import ssl
import subprocess
import unittest
import urllib.error
import urllib.request

from grid import GridTest, until

DATA = bytes(range(256)) * 4096


class Staging(GridTest):
    def setUp(self):
        super().setUp()
        self.testbed = self.up(self.topology(
            "staging", {"name": "alpha", "users": ["u0"], "clusters": [{"name": "nodes", "nodes": 2}]},
            {"name": "beta", "parent": "alpha", "users": [], "clusters": [{"name": "nodes", "nodes": 4}]}))
        self.work = self.folder / "work"
        self.work.mkdir()
        (self.work / "data").write_bytes(DATA)

    def run_here(self, *words, code=0):
        return self.dmm("submit", "--site", "alpha", "--wait", "--json", *words, code=code, cwd=self.work).json

    def errors(self, record):
        return self.dmm("output", "--error", record["job"]).out

    def nothing_in_part(self):
        until(lambda: not list(self.folder.glob("**/*.part")), lambda: list(self.folder.glob("**/*.part")))


class ThereAndBack(Staging):
    def test_files_travel_with_their_bytes_and_names(self):
        (self.work / "in").mkdir()
        (self.work / "in" / "empty").touch()
        self.run_here("--stage-in", "data", "--stage-in", "sub/none=in/empty", "--stage-out", "copy",
                      "--stage-out", "out/two=there/two", "--stage-out", "nothing", "--",
                      "sh", "-c", "cp data copy; mkdir out; wc -c < data > out/two; cp sub/none nothing")
        self.assertEqual((self.work / "copy").read_bytes(), DATA)
        self.assertEqual((self.work / "there" / "two").read_text(), f"{len(DATA)}\n")
        self.assertEqual((self.work / "nothing").read_bytes(), b"")
        self.nothing_in_part()

    def test_files_of_a_job_at_another_site(self):
        record = self.run_here("--components", "4@beta", "--stage-in", "data", "--stage-out", "copy", "--",
                               "cp", "data", "copy")
        self.assertIn("on nodes of beta", self.dmm("why", record["request"]).out)
        self.assertEqual((self.work / "copy").read_bytes(), DATA)

    def test_job_file_and_check(self):
        (self.work / "job.json").write_text(json.dumps({
            "command": ["cp", "in/x", "y"], "stage_in": [{"name": "in/x", "path": "data"}],
            "stage_out": [{"name": "y", "path": "results/%j.y"}]}))
        told = self.dmm("submit", "--check", "job.json", cwd=self.work).out
        self.assertIn(f"input file   in/x from {self.work}/data", told)
        self.assertIn(f"output file  y to {self.work}/results/%j.y", told)
        self.run_here("job.json")
        self.assertEqual((self.work / "results" / "1.y").read_bytes(), DATA)

    def test_elements_and_components_bring_their_own(self):
        self.run_here("--array", "1-3", "--stage-out", "x=x.%a", "--", "sh", "-c", "echo $DMM_ARRAY_INDEX > x")
        self.assertEqual([(self.work / f"x.{i}").read_text() for i in (1, 2, 3)], ["1\n", "2\n", "3\n"])
        self.run_here("--components", "2@alpha,4@beta", "--stage-out", "c=c.%r", "--stage-out", "c2", "--",
                      "sh", "-c", "echo $DMM_COMPONENT > c; cp c c2")
        self.assertEqual([(self.work / name).read_text() for name in ("c.0", "c.1", "c2")], ["0\n", "1\n", "0\n"])

    def test_output_files_of_a_program_that_fails_come_home_too(self):
        record = self.run_here("--stage-out", "log", "--", "sh", "-c", "echo why > log; exit 3", code=3)
        self.assertEqual(record["exit"]["code"], 3)
        self.assertEqual((self.work / "log").read_text(), "why\n")


class WhatGoesWrong(Staging):
    def refused(self, words, *parts):
        self.assertIn(parts[0], self.dmm("submit", *words, "--", "true", code=2, cwd=self.work).err)

    def test_what_can_not_be_meant_is_refused_at_once(self):
        self.refused(["--stage-in", "nothing"], f"--stage-in: '{self.work}/nothing' is not a file here")
        self.refused(["--stage-in", "../work"], "is not a file here")
        self.refused(["--stage-out", "/etc/x"], "--stage-out: expected NAME or NAME=PATH")
        self.refused(["--stage-out", "x", "--stage-out", "x=y"], "have one name or one place")

    def test_input_file_that_is_gone_when_the_job_starts(self):
        name = self.dmm("submit", "--site", "alpha", "--json", "--hold", "--stage-in", "data", "--", "true",
                        cwd=self.work).json["request"]
        (self.work / "data").unlink()
        self.dmm("release", name)
        self.assertEqual(self.until_state(name, "failed")["exit"]["fault"], "staging")
        self.assertIn(f"{self.work}/data can't be read at home: No such file", self.dmm("why", name).out)

    def test_output_file_that_is_not_there(self):
        record = self.run_here("--stage-out", "x", "--stage-out", "y", "--", "touch", "y", code=74)
        self.assertEqual(self.errors(record), "dmm: output file 'x': No such file or directory\n")
        self.assertTrue((self.work / "y").exists())
        self.assertFalse((self.work / "x").exists())

    def test_place_that_can_not_be_written(self):
        record = self.run_here("--stage-out", "x=data/x", "--", "touch", "x", code=74)
        self.assertRegex(self.errors(record), r"dmm: output file 'x' to home \(127\.0\.0\.1:\d+\): .*work/data")

    def test_place_that_is_no_file(self):
        (self.work / "pipe").symlink_to("/dev/null")
        record = self.run_here("--stage-out", "x=pipe", "--", "touch", "x", code=74)
        self.assertIn(f"{self.work}/pipe at home is no regular file", self.errors(record))
        self.assertTrue((self.work / "pipe").is_symlink())

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a small disk")
    def test_disk_at_home_is_full(self):
        small = self.work / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=False).returncode != 0:
            self.skipTest("no disk can be mounted")
        self.addCleanup(subprocess.run, ["umount", small], check=True)
        record = self.run_here("--stage-out", "x=small/x", "--", "sh", "-c", "head -c 1000000 /dev/zero > x", code=74)
        self.assertIn(f"{small}/x can't be written at home: No space left on device", self.errors(record))
        until(lambda: not list(small.iterdir()), lambda: list(small.iterdir()))


class RestartsAndStrangers(Staging):
    def held_open(self, *words):
        """Submits a job that runs until `go` exists."""
        name = self.dmm("submit", "--site", "alpha", "--json", *words, "--", "sh", "-c",
                        f"echo done > x; while [ ! -e {self.work}/go ]; do sleep 0.05; done; touch {self.work}/ended",
                        cwd=self.work).json["request"]
        self.until_state(name, "running")
        return name

    def test_output_file_waits_for_a_job_manager_that_is_down(self):
        name = self.held_open("--stage-out", "x")
        self.kill(self.daemon(self.testbed, "jobmgr alpha/u0"))
        (self.work / "go").touch()
        until((self.work / "ended").exists, "the end of the program")
        self.dmm("testbed", "restart", "staging", "--which", "jobmgr alpha/u0")
        self.until_state(name, "finished")
        self.assertEqual((self.work / "x").read_text(), "done\n")

    def url_of_data(self):
        """The ticket of the one job that reads `data`, as its launcher has it."""
        environments = [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/environ") if readable(path)]
        urls = {url for text in environments
                for url in re.findall(rb"https://127\.0\.0\.1:\d+/[0-9a-f]{64}/in/0#pin=[^\0\n]+", text)}
        self.assertEqual(len(urls), 1)
        return urls.pop().decode()

    def test_no_other_server_is_taken_for_that_of_the_home(self):
        self.held_open("--stage-in", "data", "--stage-out", "x")
        url = self.url_of_data()
        self.run_here("--stage-in", f"copy={url}", "--", "test", "-s", "copy")
        record = self.run_here("--stage-in", f"copy={url.split('#')[0]}#pin={'A' * 43}=", "--", "true", code=1)
        self.assertIn("does not match pinned public key", record["text"])

    def test_ticket_opens_one_job_while_it_runs_and_is_seen_by_no_other_account(self):
        name = self.held_open("--stage-in", "data", "--stage-out", "x")
        url = self.url_of_data().split("#")[0]
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            self.assertNotIn(url.split("/")[3].encode(), path.read_bytes() if readable(path) else b"")
        self.assertEqual(fetch(url), DATA)
        ticket = url.split("/")[3]
        for wrong in (url.replace(ticket, "0" * 64), url.replace("/in/0", "/in/1"), url.replace("/in/0", "/in/../../x"),
                      url.replace("/in/0", "/out/1"), url.replace(f"/{ticket}/in/0", "/")):
            self.assertEqual(fetch(wrong), 404, wrong)
        (self.work / "go").touch()
        self.until_state(name, "finished")
        self.assertEqual(fetch(url), 404)


def readable(path):
    try:
        path.read_bytes()
        return True
    except OSError:
        return False


def fetch(url):
    """The bytes, or the HTTP status."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(url, context=context, timeout=30) as answer:
            return answer.read()
    except urllib.error.HTTPError as fault:
        return fault.code


if __name__ == "__main__":
    unittest.main()
