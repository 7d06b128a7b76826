"""Rules of scripts/tidy.py about words: comments and documents keep to docs/writing.md, docs/architecture.md has the
parts, the messages and the order of a step that the managers have, and the tests that docs/reliability.md names exist.
"""
import collections
import fnmatch
import re

Finding = collections.namedtuple("Finding", "path line rule text")


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


# Comments and documents keep to docs/writing.md. These folders and documents are still to come; add none.
PROSE_LATER = ("resmgr/backends/*", "protocol/*", "matchmaking/*", "runtime/*", "topologies/*", "views/*",
               "workloads/*", "simulator/*", "results/*", "cli/*", "bench/*", "tests/*", "scripts/*", "models/*",
               "README.md", "docs/operations.md", "docs/performance.md", "docs/protocol.md", "docs/reliability.md",
               "docs/reproduction.md", "docs/simulation.md")
PROSE_ALREADY = ("protocol/verbs.hpp",)  # of these folders
SENTENCE_WORDS_MAX = 35
CELL_WORDS_MAX = 40
# Owner, borrower, home site, user: a manager or a site is never one of these words.
PRONOUNS = re.compile(r"\b(?:who|whoever|whom|whose|nobody|somebody|anybody|everybody)\b", re.I)
PHRASES = re.compile(r"\b(?:anew|so many|of which|one an?|what bec[ao]mes? of)\b", re.I)
BAD_EXAMPLES = "| instead of | write |"  # a table of docs/writing.md: its first column is there to be read and not done


def comments_of(text):
    """Blocks of comments as running text, each with the number of its first line."""
    block, first = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        found = re.search(r"(?:^|\s)//[/<]*(?!/) ?(.*)$", line)
        alone = found and line.lstrip().startswith("//")
        if block and (not alone or re.match(r"\s*(?:-|\d+\.)\s", found[1])):
            yield first, " ".join(block)
            block = []
        if found and not set(found[1]) <= {"-", " "}:
            if not alone or found[1].startswith("--"):  # beside code, or the title of a section
                yield number, found[1]
                continue
            first = first if block else number
            block.append(found[1])


def blocks_of(document):
    """Paragraphs, list items and cells of tables as running text: (first line, text, whether it is a cell). Without
    code blocks, headings, and the column of bad examples."""
    block, first, is_code, is_bad = [], 0, False, False
    for number, line in enumerate(document.splitlines() + [""], 1):
        line = line.strip()
        is_fence = line.startswith("```")
        is_row = line.startswith("|")
        ends = not line or is_row or is_fence or line.startswith("#") or re.match(r"(?:[-*]|\d+\.)\s", line)
        if block and (ends or is_code):
            yield first, " ".join(block), False
            block = []
        is_code ^= is_fence
        is_bad = is_row and (is_bad or line == BAD_EXAMPLES)
        if is_code or is_fence or line.startswith("#"):
            continue
        if is_row:
            for cell in re.split(r"(?<!\\)\|", line)[1 + is_bad:-1]:
                yield number, cell.strip(), True
        elif line:
            first = first if block else number
            block.append(re.sub(r"^(?:[-*]|\d+\.)\s+", "", line))


def faults_of(text, is_cell=False):
    """What docs/writing.md has against a comment, a paragraph or a cell. Code between backticks is no prose."""
    text = re.sub(r"\[([^\]]*)\]\([^)\s]*\)", r"\1", re.sub(r"`[^`]*`", "x", text))
    for match in PRONOUNS.finditer(text):
        yield f"'{match[0]}': name the actor, as docs/writing.md says"
    for match in PHRASES.finditer(text):
        yield f"'{match[0]}': docs/writing.md wants a plainer phrase"
    for sentence in re.split(r"[.!?][\"')*]*(?:\s|$)", text):
        if len(words := sentence.split()) > SENTENCE_WORDS_MAX:
            yield f"a sentence of {len(words)} words; at most {SENTENCE_WORDS_MAX}"
    if is_cell and len(words := text.split()) > CELL_WORDS_MAX:
        yield f"a cell of {len(words)} words; at most {CELL_WORDS_MAX}"


def check_prose(tree):
    for path, text in tree.texts.items():
        is_later = matches(path, PROSE_LATER) and not matches(path, PROSE_ALREADY)
        if is_later or not path.endswith((".cpp", ".hpp", ".md")):
            continue
        is_document = path.endswith(".md")
        for line, block, *is_cell in blocks_of(text) if is_document else comments_of(text):
            for fault in faults_of(block, *is_cell):
                yield Finding(path, line, "prose", fault)


# The tables of parts and the orders of a step in docs/architecture.md: the struct of a manager's parts, its role in
# protocol/verbs.hpp, and the class whose `settle` the order is of, with its file.
ARCHITECTURE, VERBS = "docs/architecture.md", "protocol/verbs.hpp"
PARTS = (("sitemgr/site_step.hpp", "SiteParts", "site"), ("jobmgr/job_step.hpp", "JobParts", "job"),
         ("resmgr/resource_step.hpp", "ResourceParts", "resource"))
ORDERS = (("sitemgr/site_manager.cpp", "SiteManager"), ("jobmgr/job_manager.cpp", "JobManager"),
          ("resmgr/resource_manager.cpp", "ResourceManager"))
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


def calls_of(code, manager):
    """What `settle` of this manager calls, in order: (name, whether the document must tell it). Free functions, and
    what is called of a part as a statement of its own, are steps; what is asked of a part on the way needs no word."""
    start = re.search(rf"\bvoid {manager}::settle\([^)]*\) \{{", code)
    if not start:
        return []
    body = code[start.end():start.end() + code[start.end():].index("\n}")]
    calls = []
    for match in re.finditer(r"(?<![\w.:>])(?:parts_?\.(\w+)\.)?(\w+)\s*\(", body):
        if match[2] not in ("if", "while", "for", "switch", "return"):
            is_step = not match[1] or body[:match.start()].rstrip().endswith((";", "{", "}", ")"))
            calls.append((f"{match[1]}.{match[2]}" if match[1] else match[2], is_step))
    return calls


def fault_of_order(told, calls):
    """Why the names that a document tells aren't the calls in their order; None if they are."""
    left = iter(calls)
    for name in told:
        for call, is_step in left:
            if call == name:
                break
            if is_step:
                return f"`{call}` comes where the document has `{name}`"
        else:
            return f"`{name}` isn't called there, or comes earlier"
    return next((f"`{call}` isn't told" for call, is_step in left if is_step), None)


def check_orders(tree, document):
    for path, manager in ORDERS:
        if path not in tree.code:
            continue
        start = document.find(f"`{manager}::settle` ")
        steps = re.match(r"[^\n]*\n\n((?:(?:\d+\.| ) [^\n]*\n)+)", document[max(start, 0):])
        told = re.findall(r"`([\w.]+)`", steps[1]) if start >= 0 and steps else []
        if fault := fault_of_order(told, calls_of(tree.code[path], manager)):
            yield Finding(ARCHITECTURE, document.count("\n", 0, max(start, 0)) + 1, "architecture",
                          f"the order of {manager}::settle: {fault}")


def check_architecture(tree):
    document = tree.texts.get(ARCHITECTURE)
    if document is None or VERBS not in tree.code:
        return
    yield from check_orders(tree, document)
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


# The findings of docs/reliability.md: rows of three cells, of which the last names what notices the finding now. In it
#   "a case", "how cases begin ..."        are cases or subcases of C++
#   `Class`, `Class.test_it`, `test_it`    are of Python
#   x_test.cpp, tests/a/x_test.py, x.txt   are files; in parentheses the place of the tests since the last semicolon
FINDINGS, FINDINGS_HEADING = "docs/reliability.md", "## What was found, and what notices it now"
FINDING_TOKEN = re.compile(r'"(?P<case>[^"]+)"|`(?P<code>[^`]*)`|\((?P<place>tests/[\w/.]*\w|\w+_test\.\w+)'
                           r"|(?P<file>[\w/]*\w_test\.(?:cpp|py)|[\w/]*\w\.txt)|(?P<end>;)")
PYTHON_TEST = re.compile(r"[A-Z]\w*(?:\.test_\w+)?|test_\w+")
CASE = re.compile(r'^\s*(?:TEST_CASE|SUBCASE)\w*\(\s*(?:[\w:]+,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)', re.M)


def tests_in(path, text):
    """Names of the tests of a file: cases, or classes, their tests, and these with their class."""
    if path.endswith(".cpp"):
        literals = CASE.findall(text)
        return {"".join(re.findall(r'"((?:[^"\\]|\\.)*)"', one)).replace('\\"', '"') for one in literals}
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
