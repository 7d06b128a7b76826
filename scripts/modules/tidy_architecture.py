"""Rules of scripts/tidy about docs/architecture.md: it has the parts, the messages and the order of a step that the
managers have."""
import re

from tidy_tree import Finding

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
