"""The output of jobs: fetched whole while they run and afterwards, into one file if both streams go there. If it can't
be written, that is reported, and it can be fetched again. It is kept when a testbed is removed. All through the command
line.
"""
import pathlib
import shutil
import stat
import subprocess
import unittest

from grid import BIN, LIMIT, GridTest, read, until


class Output(GridTest):
    def setUp(self):
        super().setUp()
        self.up(self.topology("out", {"name": "only", "users": ["u0"], "clusters": [{"name": "nodes", "nodes": 4}]}))

    def shell(self, script, *options, code=0):
        return self.run_job(*options, "--", "sh", "-c", script, code=code)

    def test_whole_and_together(self):  # [S144c]
        out = self.folder / "big"
        record = self.run_job("--output-file", out, "--", "head", "-c", 50_000_000, "/dev/zero")
        self.assertEqual((record["output"]["state"], out.stat().st_size), ("complete", 50_000_000))
        self.assertEqual(stat.S_IMODE(out.stat().st_mode), 0o600)
        out.unlink()

        both = self.folder / "both"
        lines = 'i=0; while [ $i -lt 3000 ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); done'
        self.shell(lines, "--output-file", both, "--error-file", both)
        found = both.read_text().splitlines()
        for stream in ("out", "err"):
            self.assertEqual([line for line in found if line.startswith(stream)],
                             [f"{stream} {i}" for i in range(3000)])

    def test_while_it_runs(self):  # [S143a, S144a]
        go = self.folder / "go"
        name = self.submit("--", "sh", "-c", f"echo first; while [ ! -e {go} ]; do sleep 0.05; done; echo second; "
                                             "echo problem >&2; exit 3")
        follower = self.start(BIN / "dmm", "output", name, "--follow", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(follower.stdout.readline(), b"first\n")  # before the job can go on
        self.assertEqual(self.dmm("output", name).out, "first\n")
        self.assertEqual(self.job(name)["output"]["state"], "pending")
        self.assertIn("has no component 5; its last one is 0", self.dmm("output", name, "--component", "5", code=1).err)
        go.touch()
        rest, complaint = follower.communicate(timeout=LIMIT)
        self.assertEqual((rest, complaint, follower.returncode), (b"second\n", b"", 0))
        self.assertEqual(self.dmm("output", name, "--error").out, "problem\n")
        own = pathlib.Path(self.dmm("output", name, "--json").json["streams"][0]["path"])
        self.assertEqual((own.name, stat.S_IMODE(own.stat().st_mode), stat.S_IMODE(own.parent.stat().st_mode)),
                         ("1.out", 0o600, 0o700))
        told = self.dmm("submit", "--wait", "--", "sh", "-c", "echo why >&2; exit 3", code=3)
        self.assertIn("errors: ", told.out)
        self.assertIn("  why\n", told.err)

    def test_what_cannot_be_written(self):  # [S144b]
        nowhere = self.folder / "no/such/out"
        told = self.dmm("submit", "--wait", "--output-file", nowhere, "--", "head", "-c", 20_000, "/dev/zero", code=1)
        self.assertIn("only/u0/1 finished, exit status 0", told.out)
        self.assertIn(f"unwritten: standard output could not be written: cannot write {nowhere}: No such", told.err)
        record = self.job("only/u0/1")
        self.assertEqual((record["output"]["state"], record["output"]["at_lender"]), ("unwritten", True))
        self.assertIn("could not be written", self.dmm("why", "only/u0/1").out)
        self.assertIn("--fetch", self.dmm("output", "only/u0/1", code=1).err)
        self.assertEqual(self.dmm("output", "only/u0/1", "--fetch").out, "\0" * 20_000)
        told = [line for line in self.dmm("why", "only/u0/1").out.split("\n") if "Its output: " in line]
        self.assertEqual(pathlib.Path(told[0].split("Its output: ")[1]).stat().st_size, 20_000)
        self.assertEqual(self.job("only/u0/1")["output"],
                         {"state": "complete", "reason": "", "at_lender": False, "waits_seconds": None})
        self.assertIn("nothing of its output is kept", self.dmm("output", "only/u0/1", "--fetch", code=1).err)

        link = self.folder / "link"
        link.symlink_to(self.folder / "precious")
        self.assertEqual(self.shell("echo x", "--output-file", link, code=1)["output"]["state"], "unwritten")
        self.assertFalse((self.folder / "precious").exists())
        self.assertIn("--discard-output",
                      self.dmm("output", self.run_job("--discard-output", "--", "echo", "x")["request"], code=1).err)
        self.assertEqual(self.dmm("output", self.run_job("--", "true")["request"]).out, "")

    def test_files_that_are_taken_or_go_away(self):  # [S146b]
        go, out = self.folder / "go", self.folder / "out"
        name = self.submit("--output-file", out, "--", "sh", "-c",
                           f"echo first; while [ ! -e {go} ]; do sleep 0.05; done; echo second")
        until(lambda: read(out) == b"first\n", "the first line")
        told = self.dmm("submit", "--output-file", out, "--", "true", code=1)
        self.assertIn("job 1, which isn't over, writes to", told.err)
        out.unlink()
        own = pathlib.Path(self.dmm("output", self.submit("--", "true"), "--json").json["streams"][0]["path"])
        shutil.rmtree(own.parent)
        go.touch()
        self.assertEqual(self.until_state(name, "finished", "failed")["output"]["state"], "complete")
        self.assertEqual(out.read_text(), "first\nsecond\n")
        record = self.shell("echo here")
        self.assertEqual((record["output"]["state"], self.dmm("output", record["request"]).out), ("complete", "here\n"))
        for word in ("one", "two"):
            self.shell(f"echo {word}", "--append", "--output-file", self.folder / "log")
        self.assertEqual((self.folder / "log").read_text(), "one\ntwo\n")
        record = self.shell("echo numbered", "--output-file", self.folder / "%j.txt")
        self.assertEqual((self.folder / f"{record['job']}.txt").read_text(), "numbered\n")

    def test_what_goes_with_a_testbed(self):
        self.shell("echo kept; echo problem >&2")
        down = self.down("out")
        kept = pathlib.Path(down["outputs"]) / "jobs-only-u0"
        self.assertEqual({file.name: file.read_text() for file in kept.iterdir()},
                         {"1.out": "kept\n", "1.err": "problem\n"})
        self.up(self.folder / "out.json")
        self.shell("echo gone")
        self.assertEqual(self.down("out", "--delete-outputs")["outputs"], "")
        self.up(self.folder / "out.json")
        self.assertEqual(self.down("out")["outputs"], "")  # there was none
        self.assertEqual(len(list((self.home / "outputs").iterdir())), 1)

    def test_over_a_restart(self):
        go = self.folder / "go"
        name = self.submit("--", "sh", "-c", f"echo first; while [ ! -e {go} ]; do sleep 0.05; done; echo second")
        path = self.dmm("output", name, "--json").json["streams"][0]["path"]
        until(lambda: read(path) == b"first\n", "the first line")
        for kill in ((), ("--kill",)):
            self.dmm("testbed", "restart", "out", "--which", "jobmgr", *kill)
            self.dmm("testbed", "restart", "out", "--which", "resmgr", *kill)
        go.touch()
        self.assertEqual(self.until_state(name, "finished")["output"]["state"], "complete")
        self.assertEqual(read(path), b"first\nsecond\n")


if __name__ == "__main__":
    unittest.main()
