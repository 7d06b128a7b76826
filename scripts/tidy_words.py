"""Rules of scripts/tidy.py about words: comments keep to docs/writing.md, and docs/architecture.md has the parts and
the messages that the managers have.
"""
import collections
import fnmatch
import re

Finding = collections.namedtuple("Finding", "path line rule text")


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


# Files whose comments keep to docs/writing.md. Folders that are still to be moved aren't here yet: protocol,
# matchmaking, resmgr/backends, runtime, views, simulator, workloads, results, topologies, cli, tests, bench and
# scripts.
PROSE = ("manager/*", "sitemgr/*", "jobmgr/*", "resmgr/[!b]*", "links/*")
SENTENCE_WORDS_MAX = 35
# Owner, borrower, home site, user: a manager or a site is never one of these words.
PRONOUNS = re.compile(r"\b(?:who|whoever|whom|whose|nobody|somebody|anybody|everybody)\b", re.I)
PHRASES = re.compile(r"\b(?:anew|what became of|of which so|so many of)\b", re.I)


def comments_of(text):
    """Blocks of comments as running text, each with the number of its first line."""
    block, first = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        found = re.search(r"(?:^|\s)//[/<]*(?!/) ?(.*)$", line)
        alone = found and line.lstrip().startswith("//")
        if block and not alone:
            yield first, " ".join(block)
            block = []
        if found and not set(found[1]) <= {"-", " "}:
            if not alone:
                yield number, found[1]
                continue
            first = first if block else number
            block.append(found[1])


def check_prose(tree):
    for path in tree.code:
        if not matches(path, PROSE):
            continue
        for line, text in comments_of(tree.texts[path]):
            for match in list(PRONOUNS.finditer(text)) + list(PHRASES.finditer(text)):
                yield Finding(path, line, "prose", f"'{match[0]}': name the actor, as docs/writing.md says")
            for sentence in re.split(r"[.;:!?](?:\s|$)", re.sub(r"`[^`]*`|\([^)]*\)", "x", text)):
                if len(words := sentence.split()) > SENTENCE_WORDS_MAX:
                    why = f"a sentence of {len(words)} words; at most {SENTENCE_WORDS_MAX}"
                    yield Finding(path, line, "prose", why)


# The tables of parts in docs/architecture.md: the struct of a manager's parts, and its role in protocol/verbs.hpp.
ARCHITECTURE, VERBS = "docs/architecture.md", "protocol/verbs.hpp"
PARTS = (("sitemgr/site_step.hpp", "SiteParts", "site"), ("jobmgr/job_step.hpp", "JobParts", "job"),
         ("resmgr/resource_step.hpp", "ResourceParts", "resource"))
PLAIN = r"(?:\w+Settings|Party|Placer|Ignored|TaskCounts|Lookup|Marks|Instant|Duration|bool|std::.*)"


def parts_of(code, struct):
    """Members of the struct that are parts: objects of a class, but for plain values."""
    body = re.search(r"^struct " + struct + r" \{(.*?)^\};", code, re.S | re.M)
    members = re.findall(r"^  ([A-Z]\w*) (\w+);", body[1], re.M) if body else []
    return {name: kind for kind, name in members if not re.fullmatch(PLAIN, kind)}


def handled_by(code, role):
    """Messages that a manager of this role handles, by the rows of the table of verbs."""
    sets = {"manager": "site job resource", "any": "site job resource client"}
    handled = set()
    for message, to in re.findall(r"Verb\{(\w+)::type, [^,]+, ([^,]+), handled", code):
        roles = " ".join(sets.get(word, word) for word in re.findall(r"\w+", to)).split()
        if role in roles:
            handled.add(message)
    return handled


def check_architecture(tree):
    document = tree.texts.get(ARCHITECTURE)
    if document is None or VERBS not in tree.code:
        return
    for path, struct, role in PARTS:
        if path not in tree.code:
            continue
        start = document.find(f"(`{path}`):")
        table = re.match(r".*?\n\n((?:\|[^\n]*\n)+)", document[start:], re.S) if start >= 0 else None
        rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table[1].splitlines()[2:]] if table else []
        told = dict(re.fullmatch(r"`(\w+)`: (\w+)", row[0]).groups() for row in rows)
        messages = {word for row in rows for word in re.findall(r"\w+", row[2])}
        line = document.count("\n", 0, max(start, 0)) + 1
        if told != (parts := parts_of(tree.code[path], struct)):
            odd = sorted(set(told.items()) ^ set(parts.items()))
            yield Finding(ARCHITECTURE, line, "architecture", f"the table of parts isn't {struct}: {odd}")
        if messages != (handled := handled_by(tree.code[VERBS], role)):
            yield Finding(ARCHITECTURE, line, "architecture",
                          f"the messages of {struct} aren't those of {VERBS}: {sorted(messages ^ handled)}")
