"""Rule of scripts/tidy about the titles of C++ tests: the subject first, and no word that docs/writing.md rules out."""
import re

from tidy_cpp import line_of
from tidy_prose import words_against
from tidy_tree import Finding

CASE = re.compile(r'^[ \t]*(TEST_CASE|SUBCASE)\w*\(\s*(?:[\w:]+,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)', re.M)
SUBJECT = re.compile(r"[a-z0-9][a-z0-9 _-]*: \S")
LENGTH_MAX = 110


def titles_in(text):
    """The cases and subcases of a file: (line, whether it is a case, title). A title may be several literals."""
    for match in CASE.finditer(text):
        title = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[2])).replace('\\"', '"')
        yield line_of(text, match.start()), match[1] == "TEST_CASE", title


def faults_of(title, is_case):
    if is_case and not SUBJECT.match(title):
        yield "it doesn't begin with its subject in lower-case letters and a colon, as in \"ledger: a byte ...\""
    if is_case and len(title) > LENGTH_MAX:
        yield f"it has {len(title)} characters; at most {LENGTH_MAX}"
    yield from words_against(title)


def check_titles(tree):
    first = {}  # place of each title of a folder
    for path, text in tree.texts.items():
        if not (path.startswith("tests/") and path.endswith(".cpp")):
            continue
        for line, is_case, title in titles_in(text):
            for fault in faults_of(title, is_case):
                yield Finding(path, line, "title", f"\"{title}\": {fault}")
            if is_case and first.setdefault((path.split("/")[1], title), (path, line)) != (path, line):
                yield Finding(path, line, "title", f"\"{title}\": another case of the folder has this title")
