"""Rules of scripts/tidy about code: what deterministic folders must not use, lengths, and the form of files."""
import ast
import re

from tidy_cpp import INCLUDE, line_of, mutable_statics, scan
from tidy_tree import Finding, matches

# The deterministic folders: no clock, no chance, no threads, no files, no order that changes from run to run.
PURE = ("protocol/*", "matchmaking/*", "manager/*", "links/*", "sitemgr/*", "jobmgr/*", "resmgr/*", "batchmgr/*",
        "simulator/*")
IMPURE = ("jobmgr/files/*", "resmgr/backends/*", "resmgr/keeper/*", "resmgr/launcher/*", "resmgr/staging/*",
          "batchmgr/runner/*", "simulator/results/*")

BANNED_HEADERS = ("chrono ctime random thread mutex shared_mutex atomic condition_variable future semaphore latch"
                  " barrier stop_token iostream fstream locale clocale codecvt").split()
FREE = r"(?<![\w.>:])(?:std::|::)?"  # what follows is a free function, not a member
BANS = tuple((re.compile(pattern), why) for pattern, why in (
    (r"\b(?:system_clock|steady_clock|high_resolution_clock)\b", "time comes in as an argument"),
    (r"\b(?:gettimeofday|clock_gettime|localtime|gmtime|strftime)\b", "time comes in as an argument"),
    (FREE + r"time\s*\(", "time comes in as an argument"),
    (r"\brandom_device\b", "randomness comes in as a seed"),
    (FREE + r"(?:rand|srand|random|drand48)\s*\(", "randomness comes in as a seed"),
    (r"\bstd::(?:mt19937\w*|minstd_rand0?|default_random_engine|\w+_distribution|shuffle)\b",
     "randomness comes from workloads/random.hpp"),
    (r"\bstd::(?:j?thread|async|this_thread|promise|(?:shared_)?future|(?:\w+_)?mutex|atomic\w*|condition_variable)\b",
     "there are no threads here"),
    (r"\bgetenv\b", "settings come in as arguments"),
    (r"\bstd::(?:cout|cin|cerr|clog)\b|\bstdout\b|" + FREE + r"(?:printf|puts|putchar)\s*\(", "effects are data"),
    (r"\bstd::(?:[io]?fstream|filebuf)\b|" + FREE + r"fopen\s*\(", "there are no files here"),
    (r"\bstd::locale\b|\b(?:setlocale|imbue)\b", "text is the same everywhere"),
    (r"\b\w*(?:[Mm]ap|[Ss]et|Lookup)<\s*(?:const\s+)?(?:[\w:]+(?:<[^<>]*>)?(?:\s*const)?\s*\*\s*(?:const\s*)?[,>]"
     r"|(?:std::)?(?:shared|unique|weak)_ptr\s*<)", "a pointer as key orders differently from run to run"),
))
UNORDERED = re.compile(r"\bunordered_(?:multi)?(?:map|set)\b")
UNORDERED_HOME = "manager/lookup.hpp"

FUNCTION_LINES_MAX, FILE_LINES_MAX = 60, 400
FUNCTION_LINES_OF_TESTS, FILE_LINES_OF_TESTS = 70, 600
LINE_COLUMNS_MAX = 120

# (file, rule) -> (lines allowed instead, why). Downward only; a row that is no longer needed is itself a finding.
LENGTH_EXCEPTIONS = {}

FORBIDDEN_PATHS = re.compile(r"""(?:^|(?<=[\s"'`(<\[=:,;]))/(?:work|farm)(?![\w-])""")


def check_determinism(tree):
    for path, code in tree.code.items():
        if not matches(path, PURE) or matches(path, IMPURE):
            continue
        for match in INCLUDE.finditer(code):
            if match[2] in BANNED_HEADERS:
                yield Finding(path, line_of(code, match.start(1)), "determinism", f"<{match[2]}> has no place here")
        for pattern, why in BANS:
            for match in pattern.finditer(code):
                yield Finding(path, line_of(code, match.start()), "determinism", f"'{match[0].strip()}': {why}")
        if path != UNORDERED_HOME:
            for match in UNORDERED.finditer(code):
                yield Finding(path, line_of(code, match.start()), "determinism",
                              f"'{match[0]}': its order differs; use an ordered map or {UNORDERED_HOME}")
        for line in sorted(set(mutable_statics(code)) | set(scan(code)[1])):
            yield Finding(path, line, "static-state", "a variable that outlives its machine; no mutable global state")


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


def check_lengths(tree):
    needed = set()
    for path, text in tree.texts.items():
        language = tree.language(path)
        if language in ("markdown", "data"):
            continue
        lines = text.splitlines()
        of_test = path.startswith("tests/")
        file_lines = FILE_LINES_OF_TESTS if of_test else FILE_LINES_MAX
        function_lines = FUNCTION_LINES_OF_TESTS if of_test else FUNCTION_LINES_MAX
        measured = [("file-length", 1, len(lines), file_lines, "the file")]
        measured += [("line-length", number, len(line), LINE_COLUMNS_MAX, "the line")
                     for number, line in enumerate(lines, 1)]
        functions = ()
        if language == "c++":
            functions = scan(tree.code[path])[0]
        elif language == "python":
            functions = python_functions(text)
        measured += [("function-length", first, last - first + 1, function_lines, name)
                     for name, first, last in functions]
        for rule, line, length, most, what in measured:
            if length > most:
                needed.add((path, rule))
                most = LENGTH_EXCEPTIONS.get((path, rule), (most, ""))[0]
            if length > most:
                yield Finding(path, line, rule, f"{what} has {length}; at most {most}")
    for path, rule in LENGTH_EXCEPTIONS:
        if (path, rule) not in needed:
            yield Finding(path, 1, rule, "its row in LENGTH_EXCEPTIONS is no longer needed")


def check_form(tree):
    openings = {"c++": ("//", "/*"), "python": ('"""', "#"), "shell": ("#",), "cmake": ("#",)}
    for path, text in tree.texts.items():
        language = tree.language(path)
        for number, line in enumerate(text.split("\n"), 1):
            if FORBIDDEN_PATHS.search(line):
                yield Finding(path, number, "forbidden-path", "names a folder of the machine it was written on")
            if language != "data" and "\t" in line:
                yield Finding(path, number, "tab", "blanks, no tabs")
            if language != "data" and line != line.rstrip():
                yield Finding(path, number, "trailing-blank", "blanks at the end of the line")
        first = text.split("\n", 1)[1].lstrip("\n") if text.startswith("#!") else text
        has_header = path.endswith(".cpp") and path[:-4] + ".hpp" in tree.texts
        if language in openings and not first.startswith(openings[language]) and not has_header:
            yield Finding(path, 1, "opening-comment", "open with a paragraph: what it is, what it is not")
        if first.startswith("// See "):
            yield Finding(path, 1, "opening-comment", "say what this file alone has; its header says the rest")
        if path.endswith(".hpp") and not re.search(r"^#pragma once$", text, re.MULTILINE):
            yield Finding(path, 1, "pragma-once", "no #pragma once")
