"""Rules of scripts/tidy that hold documents, code and tests together: the sections and sentences of the protocol, and
the mutants of docs/reliability.md."""
import ast
import re

from tidy_cpp import line_of
from tidy_titles import titles_in
from tidy_tree import Finding

SENTENCE = re.compile(r"\*\*(S\d+[a-z]?)\.?\*\*|^\s*(?:[-*]\s+)?(S\d+[a-z]?)\. ", re.MULTILINE)
SENTENCE_OF_TEST = re.compile(r"\[(S\d+[a-z]?(?:[,\s]+S\d+[a-z]?)*)\]")
PROTOCOL, MESSAGES = "docs/protocol.md", "protocol/messages.hpp"  # which has the list of all messages


def messages_of(code):
    """The members of `using AnyMessage = std::variant<...>`, or every struct if there is no such line."""
    variant = re.search(r"\busing\s+(?:Any)?Message\s*=\s*std::variant\s*<([^;]*)>\s*;", code)
    if variant:
        return [(name, line_of(code, variant.start())) for name in re.findall(r"\w+", variant[1]) if name != "std"]
    return [(match[1], line_of(code, match.start())) for match in re.finditer(r"^struct\s+(\w+)[^;]*?\{", code, re.M)]


def sentences_of(tree):
    text = tree.texts.get(PROTOCOL, "")
    return [(match[1] or match[2], line_of(text, match.start(match.lastindex))) for match in SENTENCE.finditer(text)]


def tested_sentences(tree):
    for path, text in tree.texts.items():
        if path.startswith("tests/") and path != "tests/scripts/tidy_test.py" and tree.language(path) != "markdown":
            for match in SENTENCE_OF_TEST.finditer(text):
                for number in re.findall(r"S\d+[a-z]?", match[1]):
                    yield number, path, line_of(text, match.start())


def check_protocol(tree):
    if MESSAGES in tree.code:
        headings = "\n".join(re.findall(r"^#+ .*$", tree.texts.get(PROTOCOL, ""), re.MULTILINE))
        for name, line in messages_of(tree.code[MESSAGES]):
            if not re.search(rf"\b{name}\b", headings):
                yield Finding(MESSAGES, line, "protocol-section", f"{name} has no section in {PROTOCOL}")
    known = {}
    for number, line in sentences_of(tree):
        if number in known:
            yield Finding(PROTOCOL, line, "sentence", f"{number} is already in line {known[number]}")
        known.setdefault(number, line)
    for number, path, line in tested_sentences(tree):
        if known and number not in known:
            yield Finding(path, line, "sentence", f"there is no {number} in {PROTOCOL}")


MUTANTS, MUTANTS_TOLD = "scripts/modules/mutants_list.py", "docs/reliability.md"


def row_of(mutant):
    """Of the table in docs/reliability.md."""
    return f"| mutant {mutant['name']} | `{mutant['file']}` | {mutant['what']} | {mutant['found_by']} |"


def test_named(tree, found_by):
    """Whether there is the test that a mutant names: "<folder>: <case>" or "processes.<script>: <class>.<method>"."""
    place, _, name = found_by.partition(": ")
    if not place.startswith("processes."):
        return any([True, name] == case for path, text in tree.texts.items() if path.startswith(f"tests/{place}/")
                   for _, *case in titles_in(text))
    method = name.rpartition(".")[2]
    return f"def {method}(self" in tree.texts.get(f"tests/processes/{place.removeprefix('processes.')}_test.py", "")


def check_mutants(tree):
    """The changes that scripts/mutants makes still apply, are told, and the tests that have to find them are there."""
    text = tree.texts.get(MUTANTS)
    if text is None:
        return
    listed = next(node.value for node in ast.parse(text).body if isinstance(node, ast.Assign))
    names = set()
    for mutant, node in zip(ast.literal_eval(listed), listed.elts):
        if mutant["name"] in names:
            yield Finding(MUTANTS, node.lineno, "mutant", f"{mutant['name']}: another one has this name")
        names.add(mutant["name"])
        times = tree.texts.get(mutant["file"], "").count(mutant["old"])
        if times != 1:
            yield Finding(MUTANTS, node.lineno, "mutant", f"{mutant['name']}: its old text is {times} times in "
                                                          f"{mutant['file']}, not once")
        if not test_named(tree, mutant["found_by"]):
            yield Finding(MUTANTS, node.lineno, "mutant", f"{mutant['name']}: there is no test {mutant['found_by']}")
        if row_of(mutant) not in tree.texts.get(MUTANTS_TOLD, ""):
            yield Finding(MUTANTS, node.lineno, "mutant", f"{mutant['name']} isn't in {MUTANTS_TOLD} as "
                                                          "scripts/mutants --table prints it")
