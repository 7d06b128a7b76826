"""The output of commands: if it can't be written, or a folder can't be used, the command says so."""
import os
import pathlib
import subprocess
import unittest

from grid import BIN, SOURCE, GridTest


class Output(GridTest):
    def full(self, *words, output="/dev/full"):
        with open(output, "w", encoding="utf-8") as full:
            return subprocess.run([BIN / "dmm", *words], env=self.environment, stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=120, check=False, cwd=self.folder)

    def test_what_cannot_be_written_is_said(self):
        simulate = ("simulate", "--topology", SOURCE / "topologies/two-sites.json", "--workload",
                    SOURCE / "workloads/two-sites-morning.swf.gz")
        for words in (("--help",), ("queue", "--help"), ("help",), ("--version",), ("testbed", "status"),
                      ("testbed", "status", "--json"), ("place", "--policy", "fcm", "--idle", "18", "--total", "4"),
                      simulate, (*simulate, "--json")):
            with self.subTest(words):
                done = self.full(*words)
                self.assertEqual(done.returncode, 1, done)
                self.assertIn("cannot write standard output", done.stderr)
        self.assertEqual(self.full("testbed", "status", "none").returncode, 1)
        self.assertEqual(self.full("--nope").returncode, 2)  # there was nothing to write
        closed = subprocess.run(["sh", "-c", f"exec {BIN}/dmm testbed status >&-"], env=self.environment, timeout=60,
                                capture_output=True, text=True, check=False)
        self.assertEqual((closed.returncode, "cannot write" in closed.stderr), (1, True), closed)

    def test_a_run_looks_at_its_folder_first(self):
        (self.folder / "file").write_text("")
        for folder in (self.folder / "file", "/proc/dmm"):
            self.refused(1, "--output", str(folder), words=(
                "run", SOURCE / "topologies/two-sites.json", "--workload",
                SOURCE / "workloads/two-sites-morning.swf.gz", "--output", folder))

    def test_a_folder_in_tmp_that_others_may_read_is_not_used(self):
        folder = pathlib.Path(f"/tmp/dmm-state-{os.getuid()}")
        if not folder.exists():
            folder.mkdir(0o700)
            self.addCleanup(folder.rmdir)
        before = folder.stat().st_mode & 0o777
        self.addCleanup(folder.chmod, before)
        folder.chmod(0o755)
        self.addCleanup(self.environment.update, dict(self.environment))
        for name in ("DMM_HOME", "XDG_STATE_HOME", "HOME"):
            self.environment.pop(name, None)
        for words in (("testbed", "status"), ("queue",), ("testbed", "down", "x")):
            self.assertIn("belongs to you alone", self.dmm(*words, code=1).err)


if __name__ == "__main__":
    unittest.main(verbosity=1)
