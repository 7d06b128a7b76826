"""The files of a tree, as the rules of scripts/tidy read them."""
import collections
import fnmatch
import os
import pathlib

from tidy_cpp import code_of

CPP = (".cpp", ".hpp")
TEXT = CPP + (".py", ".sh", ".txt", ".cmake", ".md", ".json", ".supp", ".yml", ".yaml")

Finding = collections.namedtuple("Finding", "path line rule text")


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


class Tree:
    """The files of the repository, with those texts that several rules read."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = dict(self._read())
        self.code = {path: code_of(text) for path, text in self.texts.items() if path.endswith(CPP)}

    def _read(self):
        for folder, folders, files in os.walk(self.root):
            top = pathlib.Path(folder) == self.root
            folders[:] = sorted(f for f in folders if not (top and f.startswith("build")) and f != "__pycache__"
                                and (not f.startswith(".") or f == ".ci"))
            for name in sorted(files):
                path = pathlib.Path(folder, name)
                if name == "compile_commands.json" or path.suffix not in TEXT + ("",) or not path.is_file():
                    continue
                try:
                    text = path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue
                if path.suffix or text.startswith("#!"):
                    yield path.relative_to(self.root).as_posix(), text

    def language(self, path):
        text = self.texts[path]
        if path.endswith(CPP):
            return "c++"
        if path.endswith(".py") or text.startswith("#!") and "python" in text.split("\n", 1)[0]:
            return "python"
        if path.endswith(".sh") or text.startswith("#!"):
            return "shell"
        if path.endswith((".cmake", "CMakeLists.txt")):
            return "cmake"
        return "markdown" if path.endswith(".md") else "data"
