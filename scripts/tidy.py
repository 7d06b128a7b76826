#!/usr/bin/env python3
"""Holds the tree to its own rules: who may include whom, what the deterministic folders must not use, lengths, form,
and that the protocol's text, its code and its tests agree. It reads text and compiles nothing, so some rules are
heuristics; tests/tidy_test.py shows for each what it catches and what it lets pass.

  scripts/tidy.py              every rule; exit code 1 if one is broken
  scripts/tidy.py --headers    also compiles every header by itself (slow)
  scripts/tidy.py --sentences  lists the SHALL sentences of docs/protocol.md that no test names as [S12]
"""
import argparse
import ast
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

from tidy_links import faults_of_links
from tidy_words import Finding, check_architecture, check_findings, check_prose, matches

# Who may include whom, beside the standard library. The first row whose pattern fits a file holds for it. A word is
#   a folder            its headers (protocol without codec.hpp, resmgr without backends/ and launcher/,
#                       batchmgr without runner/, jobmgr without files/)
#   codec, backends,    protocol/codec.hpp, resmgr/backends/,
#   launcher, runner, files   resmgr/launcher/, batchmgr/runner/, jobmgr/files/
#   settings            settings.hpp of the three managers
#   a library           see LIBRARIES; posix is what the operating system offers
INCLUDES = (
    ("protocol/codec.hpp", "protocol"),
    ("protocol/codec.cpp", "protocol codec msgpack msgpuck"),
    ("protocol/reader.hpp", "protocol codec msgpuck"),
    ("protocol/reader.cpp", "protocol"),
    ("protocol/few.hpp", "absl"),
    ("protocol/*", "protocol"),
    ("matchmaking/*", "matchmaking protocol"),
    ("manager/lookup.hpp", "manager protocol absl"),
    ("manager/dense.hpp", "absl"),
    ("manager/*", "manager protocol"),
    ("keys/key.cpp", "keys manager sodium"),
    ("keys/seals.cpp", "keys manager sodium"),
    ("keys/sha256.cpp", "keys manager openssl posix"),
    ("keys/*", "keys manager protocol nlohmann"),
    ("links/*", "links keys manager protocol codec"),
    ("sitemgr/main.cpp", "sitemgr keys views runtime topologies manager links protocol"),
    ("jobmgr/main.cpp", "jobmgr files keys views runtime topologies manager links protocol"),
    ("resmgr/main.cpp", "resmgr keys backends views runtime topologies manager links protocol"),
    ("resmgr/backends/*", "backends resmgr manager protocol posix"),
    ("resmgr/launcher/*", "launcher backends keys manager protocol posix"),
    ("batchmgr/main.cpp", "batchmgr runner views runtime topologies manager links protocol"),
    ("batchmgr/runner/*", "runner batchmgr manager protocol posix"),
    ("batchmgr/agent/*", "runner batchmgr cli11 posix"),
    ("batchmgr/guest_jobs.cpp", "batchmgr manager protocol nlohmann"),
    ("batchmgr/systems/*", "batchmgr keys manager protocol"),
    ("batchmgr/*", "batchmgr manager protocol"),
    ("sitemgr/*", "sitemgr manager matchmaking protocol"),
    ("jobmgr/home_files.cpp", "jobmgr keys manager protocol"),
    ("jobmgr/files/*", "files jobmgr keys runtime protocol posix openssl httplib"),
    ("jobmgr/*", "jobmgr manager protocol"),
    ("resmgr/*", "resmgr manager protocol"),
    ("topologies/*", "topologies settings batchmgr keys protocol nlohmann"),
    ("workloads/*", "workloads manager protocol zlib"),
    ("runtime/transport.cpp", "runtime keys links manager protocol codec nlohmann posix zmq"),
    ("runtime/zap.*", "runtime keys zmq"),
    ("runtime/incoming_watch.*", "runtime links manager protocol posix zmq"),
    ("runtime/log.cpp", "runtime keys links manager protocol codec nlohmann posix spdlog"),
    ("runtime/ledger*.cpp", "runtime manager protocol posix sqlite"),
    ("runtime/daemon_main.cpp", "runtime cli11"),
    ("runtime/sqlite.hpp", "sqlite"),
    ("runtime/*", "runtime keys links manager protocol codec nlohmann posix"),
    ("views/*", "views sitemgr jobmgr resmgr batchmgr manager matchmaking protocol nlohmann"),
    ("simulator/*", "simulator keys links manager matchmaking protocol codec sitemgr jobmgr resmgr topologies"
                    " workloads"),
    ("results/*", "results simulator workloads topologies protocol nlohmann"),
    ("cli/doctor_command.cpp", "cli batchmgr runner cli11 posix"),
    ("cli/slurm_command.cpp", "cli batchmgr runner runtime cli11 posix"),
    ("cli/examination.*", "cli batchmgr runtime nlohmann"),
    ("cli/batch_configuration.*", "cli batchmgr topologies manager protocol"),
    ("cli/*", "cli runtime keys links manager matchmaking protocol codec settings topologies workloads simulator"
              " results nlohmann cli11 posix"),
    ("bench/*", "anything"),
    ("tests/*", "anything"),
)

LIBRARIES = (
    ("msgpack", ("msgpack.hpp", "msgpack.h", "msgpack/*")),
    ("msgpuck", ("msgpuck.h",)),
    ("zmq", ("zmq.hpp", "zmq.h", "zmq_addon.hpp")),
    ("spdlog", ("spdlog/*", "fmt/*")),
    ("nlohmann", ("nlohmann/*",)),
    ("cli11", ("CLI/*",)),
    ("sqlite", ("sqlite3.h",)),
    ("absl", ("absl/*",)),
    ("doctest", ("doctest/*", "doctest.h")),
    ("benchmark", ("benchmark/*",)),
    ("zlib", ("zlib.h", "zconf.h")),
    ("sodium", ("sodium.h",)),
    ("openssl", ("openssl/*",)),
    ("httplib", ("httplib.h",)),
    ("posix", ("sys/*", "netinet/*", "arpa/*", "linux/*", "*.h")),
)

# The deterministic folders: no clock, no chance, no threads, no files, no order that changes from run to run.
PURE = ("protocol/*", "matchmaking/*", "manager/*", "links/*", "sitemgr/*", "jobmgr/*", "resmgr/*", "batchmgr/*",
        "simulator/*")
IMPURE = ("sitemgr/main.cpp", "jobmgr/main.cpp", "jobmgr/files/*", "resmgr/main.cpp", "resmgr/backends/*",
          "resmgr/launcher/*", "batchmgr/main.cpp", "batchmgr/runner/*", "batchmgr/agent/*")

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
     "randomness comes from manager/random.hpp"),
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

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 600
LINE_COLUMNS_MAX = 120

# (file, rule) -> (lines allowed instead, why). Downward only; a row that is no longer needed is itself a finding.
LENGTH_EXCEPTIONS = {}

FORBIDDEN_PATHS = re.compile(r"""(?:^|(?<=[\s"'`(<\[=:,;]))/(?:work|farm)(?![\w-])""")

CPP = (".cpp", ".hpp")
TEXT = CPP + (".py", ".sh", ".txt", ".cmake", ".md", ".json", ".supp", ".yml", ".yaml")

Scope = collections.namedtuple("Scope", "kind start parentheses name first_line")


# ---- Reading C++ without a compiler

TOKENS = re.compile(
    r'(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)'
    r'|(?P<raw>(?:u8|[uUL])?\bR"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")'
    r'|(?P<number>\b\d[\w\']*)'
    r'|(?P<string>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    return TOKENS.sub(lambda m: blank(m[0]) if m["comment"] else m[0], text)


def code_of(text):
    """The text with comments and the insides of strings blanked; every line and column stays where it is."""
    def replace(m):
        if m["comment"]:
            return blank(m[0])
        if m["raw"] or m["string"]:
            return m[0][0] + blank(m[0][1:-1]) + m[0][-1]
        return m[0]
    return TOKENS.sub(replace, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def strip_balanced(text, opening, closing):
    """The text without anything inside a pair of brackets, and without the brackets."""
    kept, depth = [], 0
    for character in text:
        if character == opening:
            depth += 1
        elif character == closing and depth:
            depth -= 1
        elif not depth:
            kept.append(character)
    return "".join(kept)


ACCESS = re.compile(r"^(?:\s*(?:public|private|protected)\s*:(?!:))*\s*")
OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|[^\s\w(]+)")


def without_templates(header):
    while match := re.search(r"\btemplate\s*<", header):
        depth, end = 1, match.end()
        while depth and end < len(header):
            depth += {"<": 1, ">": -1}.get(header[end], 0)
            end += 1
        header = header[:match.start()] + header[end:]
    return header


def kind_of_scope(header, parentheses, enclosing):
    """What a brace opens: namespace, type, function, or other (initialisers, and all that is inside functions)."""
    if parentheses or enclosing not in ("namespace", "type"):
        return "other"
    header = without_templates(OPERATOR.sub("operator_", header))
    flat = strip_balanced(header, "(", ")")
    if re.search(r"\bnamespace\b", flat) or re.search(r'\bextern\s*"[^"]*"\s*$', header):
        return "namespace"
    function_end = re.search(r"\)\s*(?:const|noexcept|override|final|\s)*$", header)
    if re.match(r"\s*(?:\w+\s+)*?(?:class|struct|union|enum)\b", flat) and not function_end:
        return "type"
    if ")" in header and (not re.search(r"(?<![<>=!])=", flat) or re.search(r"=\s*\[", flat)):
        return "function"
    return "other"


NOT_A_VARIABLE = re.compile(r"\b(?:const|constexpr|using|typedef|namespace|class|struct|enum|union|friend|template"
                            r"|concept|return|requires|operator|static_assert|goto)\b")
VARIABLE = re.compile(r"^(?:(?:inline|static|extern|thread_local|constinit)\s+)*(?:unsigned\s+|long\s+)*"
                      r"[\w:]+(?:\s+|\s*[*&]+\s*)\w+(?:\[[^\]]*\])?$")


def is_mutable_global(statement):
    declared = strip_balanced(re.split(r"(?<![<>=!])=(?!=)", statement)[0], "<", ">").strip()
    return bool(VARIABLE.match(declared)) and not NOT_A_VARIABLE.search(declared)


def scan(code):
    """(functions, globals) of a C++ file: (name, first line, last line) and the lines of mutable globals."""
    code = DIRECTIVE.sub(lambda m: blank(m[0]), code)
    functions, variables, stack = [], [], []
    start = parentheses = 0
    for match in re.finditer(r"[{}();]", code):
        position, mark = match.start(), match[0]
        if mark in "()":
            parentheses = max(0, parentheses + (1 if mark == "(" else -1))
            continue
        begin = start + len(ACCESS.match(code[start:position])[0])
        header = code[begin:position]
        at_namespace = all(scope.kind == "namespace" for scope in stack)
        if mark == ";" and not parentheses:
            if at_namespace and is_mutable_global(header):
                variables.append(line_of(code, begin))
            start = position + 1
        elif mark == "{":
            kind = kind_of_scope(header, parentheses, stack[-1].kind if stack else "namespace")
            if at_namespace and kind == "other" and is_mutable_global(header):
                variables.append(line_of(code, begin))
            name = re.search(r"([\w:~]+|\boperator\W+)\s*\(", header)
            stack.append(Scope(kind, start, parentheses, name[1] if name else "?", line_of(code, begin)))
            start, parentheses = position + 1, 0
        elif mark == "}" and stack:
            scope = stack.pop()
            parentheses = scope.parentheses
            if scope.kind == "function":
                functions.append((scope.name, scope.first_line, line_of(code, position)))
            continues = parentheses or re.match(r"\s*[,{]", code[position + 1:position + 200])
            start = scope.start if continues and scope.kind in ("function", "other") else position + 1
    return functions, variables


def mutable_statics(code):
    """Lines with `static` or `thread_local` variables that are not constant; static functions pass."""
    for match in re.finditer(r"\b(?:static|thread_local)\b", code):
        before = re.split(r"[;{}\n]", code[:match.start()][-200:])[-1]
        after = strip_balanced(code[match.end():match.end() + 400], "<", ">")
        end = re.search(r"[;{=(]", after)
        declared = before + (after[:end.start()] if end else after)
        is_function = bool(end) and end[0] == "("
        is_constant = re.search(r"\bconstexpr\b", declared) or re.search(r"\bconst\b[^*]*$", declared)
        if not is_function and not is_constant and "operator" not in declared:
            yield line_of(code, match.start())


# ---- The rules; each yields findings

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


def unit_of(include):
    """Which word of INCLUDES stands for a header of this tree."""
    if include == "protocol/codec.hpp":
        return "codec"
    for folder in ("resmgr/backends", "resmgr/launcher", "batchmgr/runner", "jobmgr/files"):
        if include.startswith(f"{folder}/"):
            return folder.split("/")[1]
    return include.split("/", 1)[0]


def check_includes(tree):
    for path in tree.code:
        row = next((words for pattern, words in INCLUDES if fnmatch.fnmatchcase(path, pattern)), None)
        if row is None:
            yield Finding(path, 1, "includes", "this folder has no row in the include table of scripts/tidy.py")
            continue
        for match in INCLUDE.finditer(without_comments(tree.texts[path])):
            fault = fault_of_include(tree, path, set(row.split()), match[1], match[2])
            if fault:
                yield Finding(path, line_of(tree.texts[path], match.start(1)), "includes", fault)


def fault_of_include(tree, path, allowed, quote, name):
    library = next((word for word, patterns in LIBRARIES if matches(name, patterns)), None)
    if quote == '"' and not (library and library != "posix"):
        if name not in tree.texts:
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if beside in tree.texts and "anything" in allowed:
                return None
            return f"there is no {name}; our own headers are named from the root of the tree"
        unit = unit_of(name)
        settings = matches(name, ("sitemgr/settings.hpp", "jobmgr/settings.hpp", "resmgr/settings.hpp"))
        if "anything" in allowed or unit in allowed or settings and "settings" in allowed:
            return None
        return f"may not include {name} (allowed: {' '.join(sorted(allowed))})"
    if quote == "<" and name in tree.texts:
        return f"our own header {name} belongs in quotation marks"
    if library is None and re.fullmatch(r"\w+", name) or "anything" in allowed or library in allowed:
        return None
    return f"may not include <{name}> ({library or 'unknown library'})"


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
        measured = [("file-length", 1, len(lines), FILE_LINES_MAX, "the file")]
        measured += [("line-length", number, len(line), LINE_COLUMNS_MAX, "the line")
                     for number, line in enumerate(lines, 1)]
        functions = ()
        if language == "c++":
            functions = scan(tree.code[path])[0]
        elif language == "python":
            functions = python_functions(text)
        measured += [("function-length", first, last - first + 1, FUNCTION_LINES_MAX, name)
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


SENTENCE = re.compile(r"\*\*(S\d+[a-z]?)\.?\*\*|^\s*(?:[-*]\s+)?(S\d+[a-z]?)\. ", re.MULTILINE)
SENTENCE_OF_TEST = re.compile(r"\[(S\d+[a-z]?(?:[,\s]+S\d+[a-z]?)*)\]")
PROTOCOL, MESSAGES = "docs/protocol.md", "protocol/messages.hpp"


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
        if path.startswith("tests/") and path != "tests/tidy_test.py" and tree.language(path) != "markdown":
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


def check_headers(tree):
    """Compiles every header of the tree alone: it must include all that it uses."""
    def compile_alone(path):
        command = ["g++", "-std=c++20", "-fsyntax-only", "-I", str(tree.root), "-x", "c++", "-"]
        result = subprocess.run(command, input=f'#include "{path}"\n', capture_output=True, text=True, check=False)
        return path, result.returncode, result.stderr
    headers = [path for path in tree.code if path.endswith(".hpp")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, code, errors in pool.map(compile_alone, headers):
            if code:
                first = next((line for line in errors.splitlines() if "error:" in line), "does not compile")
                yield Finding(path, 1, "self-contained", first)


MUTANTS, MUTANTS_TOLD = "scripts/mutants_list.py", "docs/reliability.md"


def row_of(mutant):
    """Of the table in docs/reliability.md."""
    return f"| mutant {mutant['name']} | `{mutant['file']}` | {mutant['what']} | {mutant['found_by']} |"


def test_named(tree, found_by):
    """Whether there is the test that a mutant names: "<folder>: <case>" or "processes.<script>: <class>.<method>"."""
    place, _, name = found_by.partition(": ")
    if not place.startswith("processes."):
        return any(f'TEST_CASE("{name}")' in text for path, text in tree.texts.items()
                   if path.startswith(f"tests/{place}/"))
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


def check_links(tree):
    for path, line, text in faults_of_links(tree.texts, lambda place: (tree.root / place).exists()):
        yield Finding(path, line, "link", text)


RULES = (check_includes, check_determinism, check_lengths, check_form, check_prose, check_architecture, check_protocol,
         check_mutants, check_findings, check_links)


def check(root, rules=RULES):
    tree = Tree(root)
    return tree, sorted({finding for rule in rules for finding in rule(tree)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headers", action="store_true", help="also compile every header by itself")
    parser.add_argument("--sentences", action="store_true", help="list the sentences without a test, and nothing else")
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent, help="another tree")
    options = parser.parse_args()

    if options.sentences:
        tree = Tree(options.root)
        tested = {number for number, _, _ in tested_sentences(tree)}
        untested = [(number, line) for number, line in sentences_of(tree) if number not in tested]
        for number, line in untested:
            print(f"{PROTOCOL}:{line}: {number} has no test")
        print(f"tidy: {len(untested)} of {len(sentences_of(tree))} sentences without a test")
        return 0
    tree, findings = check(options.root, RULES + (check_headers,) * options.headers)
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.rule}: {finding.text}")
    print(f"tidy: {len(tree.texts)} files, {len(findings) or 'no'} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
