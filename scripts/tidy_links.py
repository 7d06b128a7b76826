"""Links of documents: each leads to a file of the tree, and each anchor to a heading of it. Addresses of other hosts
aren't looked at."""
import posixpath
import re

LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchor_of(heading):
    """As GitHub makes it of a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_code(text):
    """Blocks of code are blank lines, so that lines keep their numbers."""
    return FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)


def faults_of_links(texts, is_there):
    """(document, line, what is wrong) of each link that leads nowhere; `is_there`: whether the tree has a path."""
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
