"""scripts/release in a repository of its own: its changes, its files, and its refusals."""
import hashlib
import subprocess
import tarfile
import tempfile
import pathlib
import unittest

from grid import SOURCE


class Release(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="dmm-release-")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "CMakeLists.txt").write_text("project(dmm VERSION 0.1.0 LANGUAGES CXX)\n")
        (self.folder / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n\n- Nodes are lent.\n")
        (self.folder / ".gitignore").write_text("dist/\n")
        self.git("init", "--quiet")
        self.git("config", "user.name", "a")
        self.git("config", "user.email", "a@example.org")
        self.commit()

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")

    def release(self, *words, code=0):
        done = subprocess.run([SOURCE / "scripts/release", *words], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_a_release_has_its_number_its_section_its_tag_and_its_archive(self):
        self.assertIn("would commit and tag v0.2.0", self.release("0.2.0", "--dry-run"))
        self.assertEqual(self.git("tag"), "")
        self.release("0.2.0")
        self.assertEqual(self.git("tag"), "v0.2.0\n")
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertIn("VERSION 0.2.0", (self.folder / "CMakeLists.txt").read_text())
        changes = (self.folder / "CHANGELOG.md").read_text()
        self.assertRegex(changes, r"## Unreleased\n\n## 0\.2\.0, \d{4}-\d\d-\d\d\n\n- Nodes are lent\.\n")
        file = self.folder / "dist/dmm-0.2.0.tar.gz"
        self.assertEqual((self.folder / "dist/SHA256SUMS").read_text(),
                         f"{hashlib.sha256(file.read_bytes()).hexdigest()}  dmm-0.2.0.tar.gz\n")
        with tarfile.open(file) as archive:
            self.assertIn("dmm-0.2.0/CHANGELOG.md", archive.getnames())

    def test_the_first_release_may_have_the_version_that_the_tree_has(self):
        self.release("0.1.0")
        self.assertEqual(self.git("tag"), "v0.1.0\n")
        (self.folder / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n\n- More.\n")
        self.commit()
        self.assertIn("0.1.0 was released", self.release("0.1.0", code=1))

    def test_what_is_no_release_is_refused_and_changes_nothing(self):
        self.assertIn("expected three numbers", self.release("next", code=2))
        self.assertIn("older than 0.1.0", self.release("0.0.9", code=1))
        (self.folder / "more").write_text("x")
        self.assertIn("not committed", self.release("0.2.0", code=1))
        self.commit()
        (self.folder / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n\n## 0.1.0, 2026-01-01\n\n- x\n")
        self.commit()
        self.assertIn("nothing is unreleased", self.release("0.2.0", code=1))
        self.assertEqual(self.git("tag"), "")
        self.assertIn("VERSION 0.1.0", (self.folder / "CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main()
