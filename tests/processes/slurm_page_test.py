# ctest: cost 60
# ctest: batch system
"""The commands of docs/slurm.md do what the page says."""
import subprocess
import unittest

from grid import SOURCE
from slurm_stage import MINUTE, SlurmTest, until


class ThePage(SlurmTest):
    """Section 1 of docs/slurm.md as it stands."""

    def test_its_lines_do_what_it_says(self):
        page = (SOURCE / "docs/slurm.md").read_text().split("## 2.")[0]
        start, lines, borrows = [block.strip() for block in page.split("```\n")[1::2]]
        self.assertEqual(start, "scripts/setup --slurm\nscripts/slurm-testbed up")
        self.type(lines)
        until(lambda: "reclaimed by b" in self.a.run("dmm", "why", "5"), lambda: self.a.run("dmm", "why", "5"), MINUTE)
        self.assertEqual(self.a.job("5")["reruns"], 0)
        self.type(borrows)
        until(lambda: "lent1" in self.a.run("squeue"), lambda: self.a.run("squeue"), MINUTE)

    def type(self, lines):
        done = subprocess.run(["bash", "-e", "-c", lines.replace("/tmp/dmm-slurm", str(self.folder))],
                              capture_output=True, text=True, timeout=MINUTE, cwd="/")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
