"""Links and paths: each link of a document leads to a file of the tree, and each anchor to a heading of it. A path that
a document or a comment names is there. Addresses of other hosts aren't looked at."""
import posixpath
import re

from tidy_cpp import comments_of
from tidy_tree import CPP, Finding

LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchor_of(heading):
    """The anchor that GitHub makes of a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_code(text):
    """The text with blank lines in place of code blocks, so that lines keep their numbers."""
    return FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)


def faults_of_links(texts, is_there):
    """(document, line, what is wrong) for each link that leads nowhere; `is_there`: whether the tree has a path."""
    anchors = {path: {anchor_of(heading) for heading in HEADING.findall(without_code(text))}
               for path, text in texts.items() if path.endswith(".md")}
    for path in sorted(anchors):
        text = without_code(texts[path])
        for found in LINK.finditer(text):
            target, _, anchor = found[1].partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
            line = text.count("\n", 0, found.start()) + 1
            if not is_there(place):
                yield path, line, f"there is no {place}"
            elif anchor and place in anchors and anchor not in anchors[place]:
                yield path, line, f"{place} has no heading #{anchor}"


def check_links(tree):
    for path, line, text in faults_of_links(tree.texts, lambda place: (tree.root / place).exists()):
        yield Finding(path, line, "link", text)


# A daemon keeps its keys in files of its own folder.
OF_A_DAEMON = re.compile(r"keys/\w+\.json")


def check_paths(tree):
    """Paths below the top folders of the tree, in documents and comments. Capitals stand for a name: tests/FOLDER."""
    stems = {posixpath.splitext(path)[0] for path in tree.texts}
    tops = "|".join(sorted({path.split("/")[0] for path in tree.texts if "/" in path}))
    named = re.compile(rf"(?<![\w/.$}}~-])((?:{tops})/[\w/.-]*\w)(?![\w/*<{{(=])")
    for path, text in tree.texts.items():
        if path.endswith(CPP):
            prose = comments_of(text)
        elif path.endswith(".md") and path != "CHANGELOG.md":
            prose = enumerate(text.splitlines(), 1)
        else:
            continue
        for line, words in prose:
            for found in named.findall(words):
                is_there = found in stems or (tree.root / found).exists()
                if not (is_there or re.search("[A-Z]", found) or OF_A_DAEMON.fullmatch(found)):
                    yield Finding(path, line, "path", f"there is no {found}")
