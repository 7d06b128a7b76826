"""The results of the build: small programs, no tests for a run, and an installation that works in any place."""
import os
import pathlib
import re
import subprocess
import unittest

from grid import BIN, SOURCE, GridTest, processes_with

BUILD = BIN.parent
PROGRAMS = ("dmm", "sitemgr", "jobmgr", "resmgr", "keeper")
MEGABYTES_MAX = 12


def cached(name):
    return re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)[1]


class Build(unittest.TestCase):
    def test_programs_are_small(self):
        if cached("CMAKE_BUILD_TYPE") != "Release" or cached("DMM_DEBUG_INFO") == "ON":
            self.skipTest("only a release without debug information is small")
        for name in PROGRAMS:
            self.assertLess((BIN / name).stat().st_size, MEGABYTES_MAX * 1_000_000, name)

    def test_a_run_builds_no_test(self):
        """scripts/run builds what scripts/build builds without arguments, and that is the target `programs`."""
        text = {name: (SOURCE / "scripts" / name).read_text(encoding="utf-8") for name in ("run", "build")}
        self.assertEqual(re.findall(r"^.*/scripts/build.*$", text["run"], re.M), ['"$root/scripts/build"'])
        self.assertIn("targets=(programs)", text["build"])
        commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "programs"], capture_output=True, text=True,
                                  check=True).stdout.splitlines()
        compiled = [found[1] for line in commands if (found := re.search(r" -o (\S+\.o) -c ", line))]
        self.assertTrue([path for path in compiled if "dmm_sitemgr.dir" in path], compiled)
        self.assertEqual([path for path in compiled if path.startswith(("tests/", "bench/"))], [])
        self.assertEqual([line for line in commands if "doctest" in line or "benchmark" in line], [])


class Installed(GridTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "staged"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", "/opt/dmm"], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, DESTDIR=str(self.root)))
        self.prefix = self.root / "opt/dmm"

    def run_installed(self, *words):
        done = subprocess.run([self.prefix / "bin/dmm", *words], env=self.environment, cwd="/",
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_from_any_folder(self):
        """Below DESTDIR and from another working directory: dmm, the managers, the keeper, and the files that examples
        name."""
        self.run_installed("testbed", "up", "topologies/two-sites.json")
        try:
            self.run_installed("submit", "--site", "alpha", "--wait", "-n", "4", "--", "echo", "hello")
            self.assertEqual(self.run_installed("output", "alpha/u0/1"), "hello\n")
            programs = {os.readlink(f"/proc/{pid}/exe") for pid in processes_with(str(self.prefix / "bin"))}
            self.assertEqual({pathlib.Path(path).name for path in programs}, {"sitemgr", "jobmgr", "resmgr", "keeper"})
            self.assertEqual({str(pathlib.Path(path).parent) for path in programs}, {str(self.prefix / "bin")})
        finally:
            self.run_installed("testbed", "down", "two-sites")
        self.assertIn("jobs finished", self.run_installed("simulate", "--topology", "topologies/two-sites.json",
                                                          "--workload", "workloads/two-sites-morning.swf.gz"))

    def test_what_is_installed(self):
        for path in ("share/dmm/topologies/dual-grid.json", "share/dmm/workloads/dual-grid-day.swf.gz",
                     "share/doc/dmm/README.md", "share/doc/dmm/docs/operations.md"):
            self.assertTrue((self.prefix / path).is_file(), path)
        readme = self.prefix / "share/doc/dmm/README.md"
        for link in re.findall(r"\]\(([^)#]+)\)", readme.read_text(encoding="utf-8")):
            if "://" not in link:
                self.assertTrue((readme.parent / link).exists(), link)


if __name__ == "__main__":
    unittest.main(verbosity=1)
