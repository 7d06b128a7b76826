#!/usr/bin/env python3
"""Tests of scripts/tidy: small trees, each with what a rule must catch, or with what it must let pass."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = SOURCE / "scripts/tidy"
sys.path.insert(0, str(SOURCE / "scripts/modules"))
import tidy_code  # noqa: E402 pylint: disable=wrong-import-position
import tidy_findings  # noqa: E402 pylint: disable=wrong-import-position
import tidy_protocol  # noqa: E402 pylint: disable=wrong-import-position
import tidy_rules  # noqa: E402 pylint: disable=wrong-import-position

TOP = "// What this file is.\n"
HEADER = TOP + "#pragma once\n"
BLANK = " "
EVERYTHING = ("protocol/ids.hpp", "protocol/codec/codec.hpp", "matchmaking/load.hpp", "manager/timers.hpp",
              "links/link.hpp", "sitemgr/settings.hpp", "sitemgr/site_manager.hpp", "jobmgr/settings.hpp",
              "jobmgr/job_manager.hpp", "resmgr/settings.hpp", "resmgr/resource_manager.hpp",
              "resmgr/backends/process/backend.hpp", "resmgr/keeper/loop.hpp", "topologies/topology.hpp",
              "workloads/swf.hpp", "runtime/clock.hpp", "daemons/daemon_main.hpp", "simulator/world/world.hpp",
              "simulator/faults/dice.hpp", "cli/terminal/style.hpp", "cli/jobs/rsl.hpp")
LIBRARY_HEADERS = {"msgpack": "msgpack.hpp", "zmq": "zmq.hpp", "spdlog": "spdlog/spdlog.h", "zlib": "zlib.h",
                   "nlohmann": "nlohmann/json.hpp", "cli11": "CLI/CLI.hpp", "sqlite": "sqlite3.h",
                   "doctest": "doctest/doctest.h", "benchmark": "benchmark/benchmark.h", "posix": "sys/socket.h",
                   "fmt": "fmt/format.h"}

# file -> the headers of EVERYTHING it may include (by first folder or full path), the libraries it may include.
TABLE = {
    "protocol/text.cpp": ("protocol/ids.hpp", ""),
    "protocol/codec/codec.cpp": ("protocol", "msgpack"),
    "matchmaking/placement/worst_fit.cpp": ("protocol/ids.hpp matchmaking", ""),
    "manager/leases.cpp": ("protocol/ids.hpp manager", ""),
    "links/session.cpp": ("protocol manager links", ""),
    "sitemgr/pool.cpp": ("protocol/ids.hpp manager matchmaking sitemgr", ""),
    "jobmgr/life.cpp": ("protocol/ids.hpp manager jobmgr", ""),
    "resmgr/claims.cpp": ("protocol/ids.hpp manager resmgr/settings.hpp resmgr/resource_manager.hpp", ""),
    "resmgr/keeper/door.cpp": ("protocol/ids.hpp resmgr/keeper/loop.hpp", "posix"),
    "resmgr/backends/process/start_order.cpp": ("protocol/ids.hpp manager resmgr", "posix"),
    "daemons/keeper.cpp": ("resmgr/keeper/loop.hpp", "posix"),
    "daemons/sitemgr.cpp": ("protocol/ids.hpp manager matchmaking links topologies runtime daemons sitemgr", ""),
    "daemons/jobmgr.cpp": ("protocol/ids.hpp manager matchmaking links topologies runtime daemons jobmgr", ""),
    "daemons/resmgr.cpp": ("protocol/ids.hpp manager matchmaking links topologies runtime daemons resmgr/settings.hpp"
                           " resmgr/resource_manager.hpp resmgr/backends/process/backend.hpp", ""),
    "daemons/daemon_main.cpp": ("daemons runtime", "cli11"),
    "topologies/load.cpp": ("protocol/ids.hpp topologies sitemgr/settings.hpp jobmgr/settings.hpp resmgr/settings.hpp",
                            "nlohmann"),
    "workloads/read.cpp": ("protocol/ids.hpp manager workloads", "zlib"),
    "runtime/reactor.cpp": ("protocol manager links runtime", "nlohmann posix"),
    "runtime/transport.cpp": ("protocol manager links runtime", "nlohmann posix zmq"),
    "runtime/log.cpp": ("protocol manager links runtime", "nlohmann posix spdlog fmt"),
    "simulator/world/network.cpp": ("protocol manager matchmaking links sitemgr jobmgr resmgr/settings.hpp"
                                    " resmgr/resource_manager.hpp topologies workloads simulator/world/world.hpp", ""),
    "simulator/faults/liar.cpp": ("protocol manager matchmaking links sitemgr jobmgr resmgr/settings.hpp"
                                  " resmgr/resource_manager.hpp topologies workloads simulator", ""),
    "cli/terminal/style.cpp": ("protocol/ids.hpp cli/terminal/style.hpp", "nlohmann posix"),
    "cli/jobs/queue.cpp": ("protocol/ids.hpp manager matchmaking topologies runtime cli", "nlohmann cli11 posix"),
    "bench/codec_bench.cpp": (" ".join(EVERYTHING), " ".join(LIBRARY_HEADERS)),
    "tests/protocol/codec_test.cpp": (" ".join(EVERYTHING), " ".join(LIBRARY_HEADERS)),
}


def findings(files, only=None):
    """What tidy finds in a tree of these files, as (path, line, rule)."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        _, found = tidy_rules.check(folder)
    return [(f.path, f.line, f.rule) for f in found if only is None or f.rule == only]


class TestIncludes(unittest.TestCase):
    def test_table(self):
        tree = {path: HEADER for path in EVERYTHING}
        for path, (folders, libraries) in TABLE.items():
            own = [f'#include "{header}"' for header in EVERYTHING]
            foreign = [f"#include <{header}>" for header in LIBRARY_HEADERS.values()]
            expected = [(path, line, "includes") for line, header in enumerate(EVERYTHING, 2)
                        if header not in folders.split() and header.split("/")[0] not in folders.split()]
            expected += [(path, line, "includes") for line, library in enumerate(LIBRARY_HEADERS, 2 + len(EVERYTHING))
                         if library not in libraries.split()]
            text = TOP + "\n".join(own + foreign) + "\n#include <vector>\n"
            with self.subTest(path):
                self.assertEqual(findings({**tree, path: text}, "includes"), expected)

    def test_third_party_in_quotation_marks_is_still_third_party(self):
        self.assertEqual(findings({"manager/a.cpp": TOP + '#include "zmq.hpp"\n'}), [("manager/a.cpp", 2, "includes")])

    def test_unknown_library(self):
        self.assertEqual(findings({"runtime/a.cpp": TOP + "#include <boost/asio.hpp>\n"}),
                         [("runtime/a.cpp", 2, "includes")])

    def test_own_headers_are_named_from_the_root(self):
        tree = {"manager/timers.hpp": HEADER, "manager/a.cpp": TOP + '#include "timers.hpp"\n',
                "manager/b.cpp": TOP + "#include <manager/timers.hpp>\n"}
        self.assertEqual(findings(tree), [("manager/a.cpp", 2, "includes"), ("manager/b.cpp", 2, "includes")])

    def test_helper_beside_a_test(self):
        self.assertEqual(findings({"tests/unit/a.hpp": HEADER, "tests/unit/b.cpp": TOP + '#include "a.hpp"\n'}), [])

    def test_include_in_a_comment_passes(self):
        self.assertEqual(findings({"manager/a.cpp": TOP + "// #include <zmq.hpp>\n/*\n#include <zmq.hpp>\n*/\n"}), [])

    def test_folders_include_one_another_one_way(self):
        tree = {"batchmgr/a.hpp": HEADER + '#include "batchmgr/systems/b.hpp"\n', "batchmgr/systems/b.hpp": HEADER}
        self.assertEqual(findings(tree), [])
        tree["batchmgr/systems/c.hpp"] = HEADER + '#include "batchmgr/d.hpp"\n'
        tree["batchmgr/d.hpp"] = HEADER
        self.assertEqual(findings(tree), [("batchmgr", 1, "circle")])

    def test_folder_without_a_row(self):
        self.assertEqual(findings({"utils/a.hpp": HEADER}), [("utils/a.hpp", 1, "includes")])


class TestDeterminism(unittest.TestCase):
    BAD = (
        "auto t = std::chrono::steady_clock::now();", "using C = std::chrono::system_clock;",
        "using C = high_resolution_clock;", "#include <chrono>", "auto t = time(nullptr);", "auto t = std::time(&x);",
        "f(::time(0));", "gettimeofday(&tv, nullptr);", "std::random_device seed;", "int i = rand();",
        "int f() { return std::rand(); }", "#include <random>", "std::mt19937 engine(1);", "#include <thread>",
        "#include <mutex>", "#include <atomic>", "#include <condition_variable>", "void f() { std::thread t(g); }",
        "auto f = std::async(g);", "auto h = getenv(name);", "#include <iostream>", "void f() { std::printf(text); }",
        "void f() { printf(text); }", "void f() { fprintf(stdout, text); }", "#include <fstream>", "#include <locale>",
        "std::unordered_map<int, int> f();", "#include <unordered_set>", "std::map<const Job*, int> f();",
        "std::set<Job *> f();", "std::map<std::shared_ptr<Job>, int> f();", "FlatMap<Job*, int> f();",
    )
    GOOD = (
        "// steady_clock, rand(), std::thread, static int x;", "/* getenv\n   printf( */", 'auto s = "time(nullptr)";',
        'auto s = R"(rand() std::thread)";', "Instant t = response_time(x);", "auto t = request.time();",
        "auto n = snprintf(buffer, 9, format);", "auto n = strand(x);", "std::map<int, Job*> f();",
        "bool f(int offset) { return offset < a * b; }", "fprintf(stderr, text);", "int big = 1'000'000; f('\"');",
    )

    def test_catches(self):
        for folder in ("protocol", "matchmaking", "manager", "links", "sitemgr", "jobmgr", "resmgr", "simulator/world"):
            for line in self.BAD:
                with self.subTest(folder=folder, line=line):
                    found = findings({f"{folder}/a.cpp": f"{TOP}{line}\n"}, "determinism")
                    self.assertIn((f"{folder}/a.cpp", 2, "determinism"), found)

    def test_lets_pass(self):
        for line in self.GOOD:
            with self.subTest(line):
                self.assertEqual(findings({"manager/a.cpp": f"{TOP}{line}\n"}, "determinism"), [])

    def test_shells_may(self):
        for path in ("runtime/clock.cpp", "daemons/sitemgr.cpp", "daemons/jobmgr.cpp", "daemons/resmgr.cpp",
                     "resmgr/backends/a.cpp", "cli/jobs/a.cpp", "tests/unit/a.cpp"):
            text = TOP + "#include <chrono>\n#include <thread>\nstatic int state = 0;\n"
            self.assertEqual(findings({path: text}), [], path)

    def test_unordered_map_has_one_home(self):
        self.assertEqual(findings({"manager/lookup.hpp": HEADER + "#include <unordered_map>\n"}), [])


class TestStaticState(unittest.TestCase):
    BAD = (
        "static int count = 0;", "void f() { static std::vector<int> cache; }",
        "int f() { static int calls{0}; return 0; }",
        "thread_local int depth;", "class A { static std::map<int, int> all_; };", "static const char* name = nullptr;",
        "static std::function<void(int)> hook;", "int count = 0;", "namespace a {\nstd::vector<int> cache;\n}",
        "inline Registry* registry{nullptr};", "std::map<int, std::vector<int>> cache = {};",
    )
    GOOD = (
        "static int f(int x) { return x; }", "static constexpr int max = 3;", "void f() { static const int x = 1; }",
        "struct A { template <class S> static auto fields(S& s) { return s; } };", "constexpr Instant never{1};",
        "static_assert(sizeof(int) == 4);", "void f() { auto x = static_cast<int>(y); }", "const int x = 1;",
        "struct A { int x = 0; };", "enum class E : int { a, b };", "void f() { int x = 0; g(x); }", "class A;",
        "using A = std::map<int, int>;", "int f(int x = 1);", "struct A { static bool operator<(int a); };",
        "static const std::map<int, const char*> names = {{1, x}};", "extern template class A<int>;",
        "const auto table = make({1, 2}, [](int a) { int b = a; return b; });", "A::A(int x) : x_{x}, y_(x) {}",
    )

    def test_catches(self):
        for line in self.BAD:
            with self.subTest(line):
                self.assertEqual(len(findings({"manager/a.cpp": f"{TOP}{line}\n"}, "static-state")), 1)

    def test_lets_pass(self):
        for line in self.GOOD:
            with self.subTest(line):
                self.assertEqual(findings({"manager/a.cpp": f"{TOP}{line}\n"}, "static-state"), [])


class TestLengths(unittest.TestCase):
    HEADS = (
        "int f(int x) {", "A::A(int x)\n    : a_{x}, b_{x} {", "template <class T>\nvoid f(const T& x) {",
        'TEST_CASE("a } in a { string") {', "auto f = [](int x) {", "bool A::operator()(int a) const {",
        "std::vector<int> f(std::map<int, int> m = {}) {", "struct A f(int x) {", "A& A::operator=(const A& b) {",
    )

    def test_functions(self):
        for head in self.HEADS:
            for inside in ("", "namespace a {\nclass B {\n public:\n"):
                body = 59 - head.count("\n") - 1
                for extra, expected in ((0, 0), (1, 1)):
                    lines = "  if (x) { g({1, 2}); }  // }\n" * (body + extra)
                    text = f"{TOP}{inside}{head}\n{lines}}};\n" + ("};\n}\n" if inside else "")
                    with self.subTest(head=head, inside=inside, extra=extra):
                        self.assertEqual(len(findings({"cli/jobs/a.cpp": text}, "function-length")), expected)

    def test_types_and_tables_may_be_long(self):
        for head in ("struct A {", "class A final : public B<C(int)> {", "enum class E : int {", "const T t = {",
                     "namespace a {", "struct alignas(8) A {"):
            text = TOP + head + "\n" + "\n" * 80 + "};\n"
            self.assertEqual(findings({"cli/jobs/a.cpp": text}, "function-length"), [], head)

    def test_python_functions(self):
        text = '"""What."""\ndef f():\n' + "    pass\n" * 60
        self.assertEqual(findings({"scripts/a.py": text}), [("scripts/a.py", 2, "function-length")])

    def test_files_and_lines(self):
        self.assertEqual(findings({"cli/jobs/a.cpp": TOP + "\n" * 400}), [("cli/jobs/a.cpp", 1, "file-length")])
        self.assertEqual(findings({"cli/jobs/a.cpp": TOP + "//" + "x" * 119 + "\n"}),
                         [("cli/jobs/a.cpp", 2, "line-length")])
        self.assertEqual(findings({"cli/jobs/a.cpp": TOP + "//" + "x" * 118 + "\n" * 399}), [])

    def test_exceptions(self):
        self.addCleanup(tidy_code.LENGTH_EXCEPTIONS.clear)
        tidy_code.LENGTH_EXCEPTIONS[("cli/jobs/a.cpp", "file-length")] = (410, "one table")
        self.assertEqual(findings({"cli/jobs/a.cpp": TOP + "\n" * 409}), [])
        self.assertEqual(findings({"cli/jobs/a.cpp": TOP + "\n" * 410}), [("cli/jobs/a.cpp", 1, "file-length")])
        self.assertEqual(findings({"cli/jobs/a.cpp": TOP}), [("cli/jobs/a.cpp", 1, "file-length")], "no longer needed")


class TestForm(unittest.TestCase):
    def test_pragma_once(self):
        self.assertEqual(findings({"cli/jobs/a.hpp": TOP}), [("cli/jobs/a.hpp", 1, "pragma-once")])

    def test_blanks(self):
        tree = {"cli/jobs/a.cpp": TOP + "int\tx;\nint y;" + BLANK + "\n", "docs/a.md": "# A" + BLANK + "\n",
                "scripts/run": "#!/bin/bash\n# What.\n\tls\n"}
        self.assertEqual(findings(tree), [("cli/jobs/a.cpp", 2, "tab"), ("cli/jobs/a.cpp", 3, "trailing-blank"),
                                          ("docs/a.md", 1, "trailing-blank"), ("scripts/run", 3, "tab")])

    def test_opening_comment(self):
        tree = {"cli/jobs/a.cpp": "int f();\n", "scripts/a.py": "import os\n", "scripts/b": "#!/bin/bash\nset -e\n",
                "tests/CMakeLists.txt": "project(a)\n", "scripts/c": "#!/bin/bash\n\n# What.\n", "docs/a.md": "Text.\n",
                "topologies/a.json": "{}\n", "LICENSE": "Text.\n"}
        self.assertEqual([f[0] for f in findings(tree, "opening-comment")],
                         ["cli/jobs/a.cpp", "scripts/a.py", "scripts/b", "tests/CMakeLists.txt"])

    def test_a_header_opens_for_its_source_file(self):
        tree = {"cli/jobs/a.hpp": HEADER, "cli/jobs/a.cpp": "int f();\n", "cli/jobs/b.hpp": HEADER,
                "cli/jobs/b.cpp": "// See b.hpp.\n"}
        self.assertEqual(findings(tree, "opening-comment"), [("cli/jobs/b.cpp", 1, "opening-comment")])

    def test_paths(self):
        for folder in ("wo" + "rk", "fa" + "rm"):
            for line in (f"see /{folder}/x", f'"/{folder}"', f"(/{folder})", f"A=/{folder}/x"):
                self.assertEqual(findings({"docs/a.md": line + "\n"}), [("docs/a.md", 1, "forbidden-path")], line)
            for line in (f"build/{folder}/x", f"/{folder}loads", f"jobs/{folder}"):
                self.assertEqual(findings({"docs/a.md": line + "\n"}), [], line)

    def test_build_folders_and_hidden_ones_are_not_read(self):
        bad = "int\tx;\n"
        self.assertEqual(findings({"build/a.cpp": bad, "build-asan/a.cpp": bad, ".git/a.cpp": bad}), [])
        self.assertEqual(len(findings({".ci/run": "#!/bin/bash\nls\n"})), 1)


class TestLinks(unittest.TestCase):
    def test_what_leads_nowhere(self):
        text = ("# Sites\n\n[a](b.md), [c](../README.md#two-words),\n[d](c.md), [e](#sites), [f](#lost),\n"
                "[g](b.md#x), [h](https://h/x.md#y)\n```\n[i](z.md)\n```\n")
        tree = {"docs/a.md": text, "docs/b.md": "# B\n", "README.md": "# R\n\n## Two `words`\n"}
        self.assertEqual(findings(tree), [("docs/a.md", 4, "link"), ("docs/a.md", 4, "link"), ("docs/a.md", 5, "link")])


class TestPaths(unittest.TestCase):
    def test_what_prose_names_is_there(self):
        tree = {"docs/a.md": "`keys/b.hpp`, keys/b, keys/, keys/lost.hpp, tests/FOLDER,\nkeys/site.json, x/keys/lost\n",
                "keys/b.hpp": HEADER, "keys/c.cpp": TOP + "int d;  // as in keys/away.cpp\n",
                "tests/e.py": '"""E."""\n'}
        self.assertEqual(findings(tree), [("docs/a.md", 1, "path"), ("keys/c.cpp", 2, "path")])


class TestTables(unittest.TestCase):
    def test_ledgers(self):
        tree = {"resmgr/records.hpp": HEADER + 'constexpr std::string_view table = "fences";\n',
                "docs/operations.md": "# A\n\n| manager | in it |\n|---|---|\n| resource manager | `fences` (x) |\n"}
        self.assertEqual(findings(tree, "table"), [])
        tree["docs/operations.md"] = tree["docs/operations.md"].replace("`fences`", "`fence`")
        self.assertEqual(findings(tree, "table"), [("docs/operations.md", 5, "table")])

    def test_folders(self):
        tree = {"links/a.cpp": TOP, "links/b/c.cpp": TOP, "docs/architecture.md": "# A\n\n- **`links/`** A.\n"}
        self.assertEqual(findings(tree, "folder"), [("docs/architecture.md", 1, "folder")])
        tree["docs/architecture.md"] += "- **`links/b/`** B.\n- **`links/d/`** D.\n"
        self.assertEqual(findings(tree, "folder"), [("docs/architecture.md", 5, "folder")])


class TestDead(unittest.TestCase):
    def test_what_nothing_uses(self):
        header = (HEADER + "struct A {\n  int used = 0, b = 0;\n  int lost = 0;\n  void f() const;\n"
                  "  static bool g(int a);\n  std::vector<int> list() const { return list_; }\n"
                  "  std::vector<int> list_;\n};\n")
        code = "void A::f() const {}\nbool A::g(int a) { return g(a - used); }\n"
        tree = {"links/a.hpp": header, "links/a.cpp": code, "tests/links/a_test.cpp": TOP + "auto x = a.list();\n"}
        self.assertEqual(findings(tree, "dead"), [("links/a.hpp", line, "dead") for line in (5, 6)])


class TestProtocol(unittest.TestCase):
    MESSAGES = HEADER + "struct Ask {\n};\nstruct Grant {\n};\nstruct Detail {\n};\n"
    VARIANT = "using Message = std::variant<Ask,\n    Grant>;\n"

    def test_sections(self):
        tree = {"protocol/messages.hpp": self.MESSAGES + self.VARIANT, "docs/protocol.md": "## 7.1 `Ask`\nGrant\n"}
        self.assertEqual(findings(tree), [("protocol/messages.hpp", 9, "protocol-section")])
        tree["docs/protocol.md"] += "### Grant\n"
        self.assertEqual(findings(tree), [])

    def test_sections_without_a_variant(self):
        self.assertEqual(findings({"protocol/messages.hpp": self.MESSAGES, "docs/protocol.md": "## Ask, Grant\n"}),
                         [("protocol/messages.hpp", 7, "protocol-section")])

    def test_no_protocol_at_all(self):
        self.assertEqual(len(findings({"protocol/messages.hpp": self.MESSAGES + self.VARIANT})), 2)

    def test_sentences_are_unique(self):
        text = "**S1** A SHALL b.\n\n- S2. A SHALL c, as after S1.\n- **S3.** A SHALL d.\n"
        self.assertEqual(findings({"docs/protocol.md": text}), [])
        self.assertEqual(findings({"docs/protocol.md": text + "S1. Again.\n**S3** Again.\n"}),
                         [("docs/protocol.md", 5, "sentence"), ("docs/protocol.md", 6, "sentence")])

    def test_tests_name_sentences_that_exist(self):
        tree = {"docs/protocol.md": "**S1** A SHALL b.\n",
                "tests/unit/a.cpp": TOP + 'TEST_CASE("a: b [S1]") {}\nTEST_CASE("a: c [S1, S9]") {}\n'}
        self.assertEqual(findings(tree), [("tests/unit/a.cpp", 3, "sentence")])


class TestMutants(unittest.TestCase):
    def test_what_no_longer_applies(self):
        listed = [{"name": name, "what": "", "file": "cli/jobs/a.cpp", "old": old, "new": "", "found_by": test}
                  for name, old, test in (("A", "once", "unit: a: b"), ("B", "twice", "processes.c: D.test_e"),
                                          ("C", "never", "unit: a: b"), ("D", "once", "unit: none"))]
        listed.append({**listed[0], "name": "E"})
        listed.append(listed[0])  # a name twice
        tree = {"scripts/modules/mutants_list.py": '"""What."""\nMUTANTS = [' + ",\n".join(map(repr, listed)) + "]\n",
                "docs/reliability.md": "\n".join(map(tidy_protocol.row_of, listed[:4])),
                "cli/jobs/a.cpp": TOP + "int once, twice, twice_;\n",
                "tests/unit/b.cpp": TOP + 'TEST_CASE(\n    "a: "\n    "b") {}\n',
                "tests/processes/c_test.py": '"""What."""\ndef test_e(self):\n    pass\n'}
        self.assertEqual(findings(tree),
                         [("scripts/modules/mutants_list.py", line, "mutant") for line in (3, 4, 5, 6, 7)])


class TestProse(unittest.TestCase):
    def lines(self, text):
        return [line for _, line, _ in findings({"sitemgr/a.cpp": f"{TOP}int b;\n{text}"}, "prose")]

    def test_actors_are_named(self):
        for comment in ("// Who waits is served.", "/// Nobody holds these nodes.", "int a = 1;  ///< of somebody"):
            with self.subTest(comment):
                self.assertEqual(self.lines(f"{comment}\n"), [3])

    def test_sentences_are_short(self):
        words = "// " + "word " * 20 + "\n// " + "word " * 16 + "end.\n"
        self.assertEqual(self.lines(words), [3])
        self.assertEqual(self.lines(words.replace("\n// ", ". Then\n// ")), [])

    def test_code_is_left_alone(self):
        self.assertEqual(findings({"sitemgr/a.cpp": f"{TOP}int nobody = 1;  // free\n"}, "prose"), [])

    def test_documents(self):
        long = "word " * 36 + "end"
        document = (f"# Who\n\nWho waits; {long}.\n\n```\nnobody\n```\n\n| a |\n|---|\n| {'word. ' * 41}|\n\n"
                    "`who` is code.\n")
        self.assertEqual(findings({"docs/architecture.md": document}, "prose"),
                         [("docs/architecture.md", line, "prose") for line in (3, 3, 11)])

    def test_bad_examples_may_stand(self):
        table = "# A\n\n| instead of | write |\n|---|---|\n| Who waits. | The borrower waits. |\n| a | Nobody. |\n"
        self.assertEqual(findings({"docs/writing.md": table}, "prose"), [("docs/writing.md", 6, "prose")])

    def test_texts_for_people(self):
        for text in ('"nobody listens"', '" who"', '"a line" "\\nWhose\\n"', '"at most "  // so\n  "so" " many"',
                     'R"(one of\n  which)"', "'\"', \"anew as\"", 'f("a b", "which are begun anew")'):
            with self.subTest(text):
                tree = {"cli/a.cpp": f"{TOP}auto a = {text};\n"}
                self.assertEqual(findings(tree, "text"), [("cli/a.cpp", 2, "text")])
        texts = 'auto a = {"whose", "so" "-many", \'w\'};\nf("so ", "many", 7, "a " + b + "new", "no one");  // free\n'
        self.assertEqual(findings({"cli/a.cpp": f"{TOP}{texts}", "simulator/faults/sometimes.cpp":
                                   f'{TOP}auto a = "nobody waits";\n', "tests/unit/a_test.cpp":
                                   f'{TOP}auto a = "nobody waits";\n'}, "text"), [])


class TestFindings(unittest.TestCase):
    TREE = {"tests/unit/a_test.cpp": TOP + 'TEST_CASE("one: does b; and c \\"d\\" "\n          "[S1]") {\n'
                                           '  SUBCASE("a part") {}\n}\nTEST_CASE(\n    "two") {}\n',
            "tests/unit/b_test.cpp": TOP + 'TEST_CASE("three") {}\n', "tests/scenarios/far.txt": "run-until 1\n",
            "tests/processes/c_test.py": '"""What."""\n\n\nclass Crashes:\n    def test_it(self):\n        pass\n\n\n'
                                         'class Other:\n    def test_more(self):\n        pass\n',
            "docs/protocol.md": "**S1** A SHALL b.\n"}

    def found(self, *cells):
        rows = "".join(f"| K1 | what `x` did | {cell} |\n" for cell in cells)
        document = ("# R\n\n| mutant K1 | `a` | \"none\" | unit: none |\n\n" + tidy_findings.FINDINGS_HEADING +
                    "\n\n| finding | what | noticed by |\n|---|---|---|\n" + rows)
        return [line - 8 for _, line, _ in findings({**self.TREE, "docs/reliability.md": document}, "finding")]

    def test_what_is_there(self):
        self.assertEqual(self.found(
            '"two" and the one after it (a_test.cpp); tests/scenarios/far.txt and far.txt',
            '"one: does b; ..." and "a part" (tests/unit/a_test.cpp: seed 7), "three" (tests/unit)',
            '`Crashes` (tests/processes); `Crashes.test_it`, `Other.test_more` (c_test.py); `test_it` (c_test.py)',
            '"two"; as for 6: "three"', 'b_test.cpp, and the planted bug `some_bug`', "no test: it takes `signal_if`"),
            [])

    def test_what_is_not(self):
        cells = ('"four" (a_test.cpp)', '"three" (a_test.cpp)', '"two" (d_test.cpp)', '"four"; `Crashes`', "d_test.cpp",
                 "tests/scenarios/near.txt", "`Crashes.test_more` (c_test.py)", "`Alone` (tests/processes)",
                 '"one: does c ..."', '"one" (a_test.cpp)', "`test_less`", "cli/a_test.cpp")
        self.assertEqual(self.found(*cells), list(range(1, len(cells) + 1)))

    def test_a_row_of_mutants_among_them(self):
        self.assertEqual(self.found('"two"', "b | unit: two"), [2])


class TestTitles(unittest.TestCase):
    def lines(self, *titles, file="tests/unit/a_test.cpp"):
        cases = "".join(f'TEST_CASE("{title}") {{}}\n' for title in titles)
        return [line - 1 for _, line, _ in findings({file: TOP + cases}, "title")]

    def test_the_subject_comes_first(self):
        bad = ("relays speak", "Relays: b", "relays, again: b", "relays:b", "relays: ", ": b", "[S1] relays: b")
        self.assertEqual(self.lines(*bad), list(range(1, len(bad) + 1)))
        self.assertEqual(self.lines("relays: b", "sep-c: b: c", "table 1: B", "end_points: b [S1]", 'a: \\"b\\"'), [])

    def test_words(self):
        bad = ("a: who waits", "a: Nobody waits", "a: so many b", "a: one a day", "a: what became of b", "a: b anew")
        self.assertEqual(self.lines(*bad), list(range(1, len(bad) + 1)))
        self.assertEqual(self.lines("a: the whole", "a: one attempt", "a: not the one and only"), [])

    def test_lengths_and_literals(self):
        self.assertEqual(self.lines("a: " + "b" * 107, "a: " + "c" * 108), [2])
        self.assertEqual(self.lines('a: one "\n    "a day'), [1])

    def test_titles_are_unique_in_a_folder(self):
        self.assertEqual(self.lines("a: b", "a: c", "a: b"), [3])
        text = TOP + 'TEST_CASE("a: b") {}\n'
        tree = {f"tests/{name}_test.cpp": text for name in ("unit/a", "unit/b", "other/a")}
        self.assertEqual(findings(tree), [("tests/unit/b_test.cpp", 2, "title")])

    def test_subcases_and_other_code(self):
        text = TOP + 'TEST_CASE_FIXTURE(Stage, "a b") {\n  SUBCASE("C d") {}\n  SUBCASE("whose") {}\n}\n'
        self.assertEqual(findings({"tests/unit/a_test.cpp": text}), [("tests/unit/a_test.cpp", line, "title")
                                                                     for line in (2, 4)])
        self.assertEqual(self.lines("B", file="cli/jobs/a.cpp"), [])


class TestArchitecture(unittest.TestCase):
    STEP = TOP + "#pragma once\nstruct JobParts {\n  JobManagerSettings settings;\n  JobTable jobs;\n};\n"
    VERBS = TOP + "#pragma once\n    Verb{Submit::type, client, job, handled, x},\n"

    def tables(self, part, message):
        return ("# A\n\n**Job manager** (`jobmgr/job_step.hpp`):\n\n| part | its state | messages |\n|---|---|---|\n"
                f"| {part} | all jobs | {message} |\n")

    def found(self, document):
        return findings({"jobmgr/job_step.hpp": self.STEP, "protocol/verbs.hpp": self.VERBS,
                         "docs/architecture.md": document}, "architecture")

    def test_a_table_that_agrees(self):
        self.assertEqual(self.found(self.tables("`jobs`: JobTable", "Submit")), [])

    def test_a_part_or_a_message_that_differs(self):
        self.assertEqual(len(self.found(self.tables("`jobs`: Jobs", "Submit"))), 1)
        self.assertEqual(len(self.found(self.tables("`jobs`: JobTable", ""))), 1)
        self.assertEqual(len(self.found("# A\n")), 2)

    def test_the_order_of_a_step(self):
        code = (TOP + "void JobManager::settle(Instant now, Effects& effects) {\n  JobStep s = begin(now, effects);\n"
                "  if (parts_.site.is_up()) ask(s);\n  parts_.due.end(now);\n}\n")
        told = (self.tables("`jobs`: JobTable", "Submit") +
                "\n`JobManager::settle` goes so:\n\n1. a (`begin`);\n2. b\n   {};\n3. c ({}).\n")
        for first, second, faults in (("`ask`", "`due.end`", 0), ("`site.is_up`, `ask`", "`due.end`", 0),
                                      ("`due.end`", "`ask`", 1), ("none", "`due.end`", 1), ("`ask`", "none", 1),
                                      ("`ask`, `site.is_up`", "`due.end`", 1)):
            with self.subTest(first=first, second=second):
                found = findings({"jobmgr/job_step.hpp": self.STEP, "protocol/verbs.hpp": self.VERBS,
                                  "jobmgr/job_manager.cpp": code,
                                  "docs/architecture.md": told.format(first, second)}, "architecture")
                self.assertEqual(len(found), faults)


class TestWords(unittest.TestCase):
    TABLE = "# Words\n\n| retired word | use instead |\n|---|---|\n| `who` | party |\n| `take_back` | reclaim |\n"

    def found(self, *lines, table=TABLE):
        tree = {"docs/glossary.md": table, "sitemgr/a.cpp": TOP + "".join(f"{line}\n" for line in lines)}
        return [(path, line - (path == "sitemgr/a.cpp")) for path, line, _ in findings(tree, "retired-word")]

    def test_names_with_a_retired_word(self):
        bad = ("int who;", "int who_;", "int who_2;", "int second_who;", "void who_is();", "f(a.who);", "int who2;",
               "enum { a_who_b };", "#define WHO_CAN 1", "struct WhoCould {};", "void take_back(int);",
               "int to_take_back_all;", "struct TakeBack {};", "int kWho;")
        self.assertEqual(self.found(*bad), [("sitemgr/a.cpp", line) for line in range(1, len(bad) + 1)])

    def test_names_without_one(self):
        self.assertEqual(self.found("int whole;", "int whose;", "int take;", "int back_take;", "int take_it_back;",
                                    "int mistake_back;", "int take_backs;", "struct Whole {};"), [])

    def test_texts_and_comments_may_have_them(self):
        self.assertEqual(self.found('f("who", R"(who)");', "int a;  // `who`", "/* who */", "f('w');"), [])

    def test_each_use_is_named(self):
        self.assertEqual(self.found("f(who, who_take_back);"), [("sitemgr/a.cpp", 1)] * 3)

    def test_the_table_decides(self):
        self.assertEqual(self.found("int who;", table="# Words\n\n| word | meaning |\n|---|---|\n| `who` | a |\n"), [])
        self.assertEqual(self.found("int who;", table=""), [])
        self.assertEqual(self.found("int who;", table=self.TABLE + "\n| `a` |\n"), [("sitemgr/a.cpp", 1)])

    def test_a_row_of_another_form(self):
        for row in ("| who | party |", "| `who`, `whom` | party |", "| `whom` | |", "| `whom` |"):
            with self.subTest(row):
                self.assertEqual(self.found(table=f"{self.TABLE}{row}\n"), [("docs/glossary.md", 7)])


class TestCommand(unittest.TestCase):
    def run_on(self, files, *options):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                pathlib.Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                pathlib.Path(folder, path).write_text(text, encoding="utf-8")
            command = [sys.executable, str(SCRIPT), "--root", folder, *options]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.returncode, result.stdout

    def test_exit_codes(self):
        self.assertEqual(self.run_on({"cli/jobs/a.hpp": HEADER}), (0, "tidy: 1 files, no findings\n"))
        code, output = self.run_on({"cli/jobs/a.hpp": TOP})
        self.assertEqual((code, output.splitlines()[0]), (1, "cli/jobs/a.hpp:1: pragma-once: no #pragma once"))

    def test_sentences(self):
        tree = {"docs/protocol.md": "**S1** A SHALL b.\n**S2** c\n**S3** d\n",
                "tests/unit/a.cpp": TOP + 'TEST_CASE("[S1] b") {}\nTEST_CASE("d [S3]") {}\n'}
        self.assertEqual(self.run_on(tree, "--sentences"), (0, "docs/protocol.md:2: S2 has no test\n"
                                                            "tidy: 1 of 3 sentences without a test\n"))

    def test_headers(self):
        tree = {"cli/jobs/a.hpp": HEADER + "#include <string>\nstd::string f();\n",
                "cli/jobs/b.hpp": HEADER + "std::string g();\n"}
        code, output = self.run_on(tree, "--headers")
        self.assertEqual(code, 1)
        self.assertIn("cli/jobs/b.hpp:1: self-contained:", output)
        self.assertNotIn("cli/jobs/a.hpp:1: self-contained", output)


if __name__ == "__main__":
    unittest.main()
