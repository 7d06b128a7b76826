"""Runs the commands that the README tells a new user to type, in their order, so that they stay right."""
import re
import subprocess
import unittest

from grid import SOURCE, GridTest, until

TEXT = (SOURCE / "README.md").read_text(encoding="utf-8")


class Readme(GridTest):
    def test_use_it(self):
        section = re.search(r"^## Use it$(.*?)^## ", TEXT, re.M | re.S)[1]
        commands = [line for block in re.findall(r"^```sh\n(.*?)^```$", section, re.M | re.S)
                    for line in block.replace("\\\n", " ").splitlines() if line]
        self.assertTrue(any(line.startswith("dmm testbed up") for line in commands), commands)
        for line in commands:
            if line.startswith("export PATH"):
                continue  # the tests' own programs
            done = subprocess.run(["sh", "-c", line], env=self.environment, cwd=SOURCE, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=900, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}\n{done.stderr}")
            self.assertTrue(done.stdout, line)
        self.assertEqual(self.names_up(), [])
        until(self.nothing_runs, "the end of all")

    def nothing_runs(self):
        return self.dmm("testbed", "status").out == "no testbed is up\n"

    def test_inline_commands(self):
        """Commands in the running text are right, too: those that need nothing else are run."""
        for command in re.findall(r"`dmm (place [^`]+)`", TEXT):
            self.dmm(*command.split())

    def test_what_it_names_is_there(self):
        for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
            if "://" not in link:
                self.assertTrue((SOURCE / link).exists(), link)


if __name__ == "__main__":
    unittest.main(verbosity=1)
