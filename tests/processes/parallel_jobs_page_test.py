"""Runs the commands of docs/parallel-jobs.md in their order, as a user of sbatch and mpirun would type them."""
import re
import subprocess
import unittest

from grid import SOURCE, GridTest

PAGE = (SOURCE / "docs/parallel-jobs.md").read_text(encoding="utf-8")


class Page(GridTest):
    def test_its_commands_do_what_it_says(self):
        commands = [line for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
                    for line in block.splitlines() if line]
        self.assertGreater(len(commands), 8, commands)
        said = {}
        for line in commands:
            line = line.replace("/tmp/dmm-", f"{self.folder}/")
            done = subprocess.run(["sh", "-c", line], env=self.environment, cwd=SOURCE, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=300, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}\n{done.stderr}")
            said[line] = done.stdout
        queue = next(text for line, text in said.items() if line.startswith("dmm queue"))
        self.assertEqual(queue.count(" finished "), 6, queue)
        why = next(text for line, text in said.items() if line.startswith("dmm why"))
        self.assertIn("Component 1: beta, under lease", why)


if __name__ == "__main__":
    unittest.main(verbosity=1)
