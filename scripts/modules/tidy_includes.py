"""What each folder may include: the table, and the rules of scripts/tidy that hold the tree to it."""
import collections
import concurrent.futures
import fnmatch
import os
import re
import subprocess

from tidy_cpp import INCLUDE, line_of, without_comments
from tidy_tree import Finding, matches

# What each file may include, beside the standard library. The first row with a pattern that fits a file holds for it.
# A word is
#   a folder            its headers, without those of its rooms
#   a room              a folder of ROOMS: its headers
#   settings            settings.hpp of the managers
#   a library           see LIBRARIES; posix is what the operating system offers
ROOMS = ("protocol/codec", "resmgr/backends", "resmgr/keeper", "resmgr/launcher", "resmgr/staging",
         "batchmgr/runner", "jobmgr/files", "daemons/answers", "cli/*", "simulator/*")
MANAGERS = " manager matchmaking protocol keys links"  # what the managers stand on, with their sessions
SIMULATED = MANAGERS + " protocol/codec sitemgr jobmgr resmgr topologies workloads"
SHELL = MANAGERS + " runtime topologies daemons daemons/answers"
COMMAND = " cli/terminal cli/managers runtime manager protocol nlohmann cli11 posix"
INCLUDES = (
    ("protocol/codec/codec.cpp", "protocol protocol/codec msgpack msgpuck"),
    ("protocol/codec/reader.hpp", "protocol protocol/codec msgpuck"),
    ("protocol/codec/*", "protocol protocol/codec"),
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
    ("links/*", "links keys manager protocol protocol/codec"),
    ("sitemgr/*", "sitemgr manager matchmaking protocol"),
    ("jobmgr/home_files.cpp", "jobmgr keys manager protocol"),
    ("jobmgr/files/*", "jobmgr/files jobmgr keys runtime protocol posix openssl httplib"),
    ("jobmgr/*", "jobmgr manager protocol"),
    ("resmgr/keeper/*", "resmgr/keeper protocol posix"),
    ("resmgr/backends/*", "resmgr/backends resmgr/keeper resmgr manager protocol posix"),
    ("resmgr/launcher/*", "resmgr/launcher resmgr/backends resmgr/keeper manager protocol posix"),
    ("resmgr/staging/*", "resmgr/staging resmgr/backends keys manager protocol posix"),
    ("resmgr/*", "resmgr manager protocol"),
    ("batchmgr/runner/*", "batchmgr/runner batchmgr manager protocol posix"),
    ("batchmgr/guest_jobs.cpp", "batchmgr manager protocol nlohmann"),
    ("batchmgr/systems/*", "batchmgr keys manager protocol"),
    ("batchmgr/*", "batchmgr manager protocol"),
    ("topologies/*", "topologies settings batchmgr keys protocol nlohmann"),
    ("workloads/*", "workloads manager protocol zlib"),
    ("runtime/transport*.cpp", "runtime keys links manager protocol protocol/codec nlohmann posix zmq"),
    ("runtime/transport_socket.hpp", "keys links protocol zmq"),
    ("runtime/zap.*", "runtime keys zmq"),
    ("runtime/incoming_watch.*", "runtime links manager protocol posix zmq"),
    ("runtime/log.cpp", "runtime keys links manager protocol protocol/codec nlohmann posix spdlog"),
    ("runtime/ledger*.cpp", "runtime manager protocol posix sqlite"),
    ("runtime/sqlite.hpp", "sqlite"),
    ("runtime/*", "runtime keys links manager protocol protocol/codec nlohmann posix"),
    ("daemons/answers/*", "daemons/answers sitemgr jobmgr resmgr batchmgr manager matchmaking protocol nlohmann"),
    ("daemons/sitemgr.cpp", "sitemgr" + SHELL),
    ("daemons/jobmgr.cpp", "jobmgr jobmgr/files" + SHELL),
    ("daemons/resmgr.cpp", "resmgr resmgr/backends" + SHELL),
    ("daemons/batchmgr.cpp", "batchmgr batchmgr/runner" + SHELL),
    ("daemons/keeper.cpp", "resmgr/keeper posix"),
    ("daemons/launcher.cpp", "resmgr/launcher resmgr/backends resmgr/keeper manager protocol posix"),
    ("daemons/stager.cpp", "resmgr/staging resmgr/backends resmgr/keeper protocol posix"),
    ("daemons/nodeagent.cpp", "batchmgr/runner batchmgr cli11 posix"),
    ("daemons/running_config.hpp", "runtime topologies"),
    ("daemons/*", "daemons runtime cli11"),
    ("simulator/world/*", "simulator/world" + SIMULATED),
    ("simulator/checkers/*", "simulator/checkers simulator/world" + SIMULATED),
    ("simulator/faults/*", "simulator/faults simulator/checkers simulator/world" + SIMULATED),
    ("simulator/intercluster/*", "simulator/intercluster matchmaking manager protocol"),
    ("simulator/architectures/*", "simulator/architectures simulator/intercluster simulator/world" + SIMULATED),
    ("simulator/idle_nodes/*", "simulator/idle_nodes simulator/architectures manager protocol workloads"),
    ("simulator/experiments/*", "simulator/experiments simulator/idle_nodes simulator/architectures"
                                " simulator/intercluster simulator/world" + SIMULATED),
    ("simulator/results/*", "simulator/results simulator/architectures simulator/intercluster workloads topologies"
                            " protocol nlohmann"),
    ("cli/terminal/report_lines.*", "cli/terminal workloads nlohmann"),
    ("cli/terminal/*", "cli/terminal protocol nlohmann posix"),
    ("cli/managers/*", "cli/managers cli/terminal runtime links manager protocol nlohmann cli11 posix"),
    ("cli/logs/*", "cli/logs simulator/results topologies" + COMMAND),
    ("cli/sites/doctor_command.cpp", "cli/sites batchmgr batchmgr/runner" + COMMAND),
    ("cli/sites/slurm_command.cpp", "cli/sites batchmgr batchmgr/runner" + COMMAND),
    ("cli/sites/examination.*", "cli/sites batchmgr" + COMMAND),
    ("cli/sites/batch_configuration.*", "cli/sites batchmgr topologies" + COMMAND),
    ("cli/sites/*", "cli/sites keys topologies" + COMMAND),
    ("cli/jobs/*", "cli/jobs cli/sites keys matchmaking topologies" + COMMAND),
    ("cli/testbed/*", "cli/testbed cli/logs topologies workloads" + COMMAND),
    ("cli/simulate/*", "cli/simulate cli/logs links matchmaking settings topologies workloads simulator/architectures"
                       " simulator/faults simulator/checkers simulator/world simulator/intercluster simulator/results"
                       + COMMAND),
    ("cli/experiments/*", "cli/experiments cli/simulate links matchmaking settings topologies workloads"
                          " simulator/architectures simulator/experiments simulator/idle_nodes simulator/intercluster"
                          " simulator/world simulator/results" + COMMAND),
    ("cli/main.cpp", "cli/terminal cli/managers cli/logs cli/sites cli/jobs cli/testbed cli/simulate cli/experiments"
                     " topologies cli11 posix"),
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


def unit_of(include):
    """Which word of INCLUDES stands for a header of this tree: its room, or its top folder."""
    parts = include.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 and matches("/".join(parts[:2]), ROOMS) else parts[0]


def check_includes(tree):
    for path in tree.code:
        row = next((words for pattern, words in INCLUDES if fnmatch.fnmatchcase(path, pattern)), None)
        if row is None:
            yield Finding(path, 1, "includes", "this folder has no row in the include table of scripts/tidy")
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


def product_of(tree):
    """All C++ but tests and benchmarks."""
    return {path: code for path, code in tree.code.items() if not path.startswith(("tests/", "bench/"))}


def includes_of(tree, product):
    """Pairs (including unit, included unit); a header and its source file are one unit."""
    for path in product:
        for match in INCLUDE.finditer(tree.texts[path]):
            one, other = os.path.splitext(path)[0], os.path.splitext(match[2])[0]
            if match[1] == '"' and one != other:
                yield one, other


def circles(pairs):
    """Pairs of nodes that reach each other by an arrow and, in any number of steps, back."""
    after = collections.defaultdict(set)
    for one, other in pairs:
        after[one].add(other)
    reached = {}
    for start in list(after):
        seen, open_nodes = set(), [start]
        while open_nodes:
            for node in after.get(open_nodes.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    open_nodes.append(node)
        reached[start] = seen
    return {frozenset((one, other)) for one in after for other in after[one] if one in reached.get(other, ())}


def folder_circles(pairs_of_units):
    """Pairs of folders that include each other, directly or through others."""
    folders = {(os.path.dirname(one), os.path.dirname(other)) for one, other in pairs_of_units}
    return circles({pair for pair in folders if pair[0] != pair[1]})


def check_circles(tree):
    for circle in folder_circles(includes_of(tree, product_of(tree))):
        one, other = sorted(circle)
        yield Finding(one, 1, "circle", f"{one}/ and {other}/ include each other")


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
