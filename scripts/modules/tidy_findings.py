"""Rules of scripts/tidy about docs/reliability.md: the tests that its findings name are there."""
import re

from tidy_titles import titles_in
from tidy_tree import Finding

# The findings of docs/reliability.md: rows of three cells, of which the last names what notices the finding now. In it
#   "a case", "how cases begin ..."        are cases or subcases of C++
#   `Class`, `Class.test_it`, `test_it`    are of Python
#   x_test.cpp, tests/a/x_test.py, x.txt   are files; in parentheses the place of the tests since the last semicolon
FINDINGS, FINDINGS_HEADING = "docs/reliability.md", "## What was found, and what notices it now"
FINDING_TOKEN = re.compile(r'"(?P<case>[^"]+)"|`(?P<code>[^`]*)`|\((?P<place>tests/[\w/.]*\w|\w+_test\.\w+)'
                           r"|(?P<file>[\w/]*\w_test\.(?:cpp|py)|[\w/]*\w\.txt)|(?P<end>;)")
PYTHON_TEST = re.compile(r"[A-Z]\w*(?:\.test_\w+)?|test_\w+")


def tests_in(path, text):
    """Names of the tests of a file: cases, or classes, their tests, and these with their class."""
    if path.endswith(".cpp"):
        return {title for _, _, title in titles_in(text)}
    names, current = set(), ""
    for kind, name in re.findall(r"^(class|    def) (\w+)", text, re.M):
        current = name if kind == "class" else current
        names |= {current} if kind == "class" else {name, f"{current}.{name}"}
    return names


def is_at(path, place):
    """Whether a file is what a document calls by its name, the end of its path, or its folder."""
    return f"/{path}".endswith(f"/{place}") or path.startswith(f"{place}/")


def faults_of_finding(cell, tests):
    """What the last cell of a finding names that isn't there; `tests` has the names of tests by file."""
    open_names, unplaced = [], []
    for token in FINDING_TOKEN.finditer(cell):
        place = token["place"] or token["file"]
        if place and not any(is_at(path, place) for path in tests):
            yield f"there is no {place} in tests/"
        elif token["place"]:
            for name in open_names:
                if not any(has_test(tests[path], name) for path in tests if is_at(path, place)):
                    yield f"there is no test \"{name}\" in {place}"
            open_names = []
        if token["end"]:
            unplaced, open_names = unplaced + open_names, []
        elif token["case"] or PYTHON_TEST.fullmatch(token["code"] or ""):
            open_names.append(token["case"] or token["code"])
    for name in unplaced + open_names:
        if not any(has_test(names, name) for names in tests.values()):
            yield f"there is no test \"{name}\""


def has_test(names, name):
    return any(one.startswith(name[:-4]) for one in names) if name.endswith(" ...") else name in names


def check_findings(tree):
    before, heading, table = tree.texts.get(FINDINGS, "").partition(FINDINGS_HEADING)
    tests = {path: tests_in(path, text) for path, text in tree.texts.items() if path.startswith("tests/")}
    for number, row in enumerate(table.splitlines() if heading else [], before.count("\n") + 1):
        cells = re.split(r"(?<!\\)\|", row)[1:-1]
        if cells and len(cells) != 3:
            yield Finding(FINDINGS, number, "finding", f"a row of {len(cells)} cells among the findings; they have 3")
        elif cells:
            for fault in faults_of_finding(cells[2], tests):
                yield Finding(FINDINGS, number, "finding", fault)
