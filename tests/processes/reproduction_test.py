"""The tables of docs/reproduction.md can be made again. Each of its commands runs as it stands there, but at small
size, and prints the rows, the columns and the kinds of numbers of the tables beside it. The numbers differ: these runs
take hours instead of days. The logs of the archive aren't in the repository, so one of ours stands in for each. Test
programs use the real ones if DMM_TRACES names their folder.

A table belongs to the commands before it. It has one of two forms:
  long   as printed: a row for each row of the output
  wide   the heading of its second column is empty: that column has the metrics, the others are a label each
Tables with a column "held" judge claims of a paper; no command prints them. A column "reference" or "in the paper" was
added by the document.
"""
import gzip
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest

from grid import BIN, SOURCE

TEXT = (SOURCE / "docs/reproduction.md").read_text(encoding="utf-8")
LABELS = ("load", "threshold", "workload", "architecture", "clusters", "curve", "against", "local load", "nodes",
          "task [min]", "#", "claim", "parameter", "policy", "hosts", "processors", "components", "priority")
ADDED = ("reference", "in the paper")
NUMBER = re.compile(r"-?[0-9][0-9,]*")
# The document shows only some rows and columns of these.
CHOSEN = ("mini-grid", "mini-grid-managers", "idle-nodes", "experiment cm", "experiment koala")
SWEEP = "--experiment sensitivity"


def blocks():
    """The document as (commands, tables) in its order."""
    found = []
    for sh, table in re.findall(r"^```sh\n((?:.*\n)*?)^```$|((?:^\|.*\n)+)", TEXT, re.M):
        if sh:
            found.append((commands_of(sh), []))
        elif found:
            found[-1][1].append([cells(line) for line in table.splitlines() if not re.fullmatch(r"[|:\- ]+", line)])
    return found


def commands_of(sh):
    """A command of several lines is one command, and so is a loop."""
    sh = re.sub(r"  +# .*", "", sh)
    lines = [line.rstrip() for line in sh.replace("\\\n", " ").replace("|\n", "| ").splitlines()]
    return re.findall(r"^for (?:.*\n)*?done$|^.+$", "\n".join(filter(None, lines)), re.M)


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def filled_down(rows, columns):
    """A label stands only in the first row that it applies to."""
    before = [""] * columns
    for row in rows:
        row[:columns] = before = [now or then for now, then in zip(row[:columns], before)]
    return rows


def printed_tables(out):
    """Tables are paragraphs whose columns are two blanks apart."""
    found = []
    for paragraph in out.split("\n\n"):
        lines = [line for line in paragraph.splitlines() if not line.startswith("replaced at")]
        while lines and re.match(r"\d+ repetitions? from|\S.*: .*|Architectures compared$", lines[0]):
            lines.pop(0)
        if len(lines) < 2:
            continue
        width = max(map(len, lines))
        lines = [line.ljust(width) for line in lines]
        text = "".join(" " if all(line[i] == " " for line in lines) else "." for i in range(width))
        spans = [match.span() for match in re.finditer(r"\.(?: ?\.)*", text)]
        rows = [[line[a:b].strip() for a, b in spans] for line in lines]
        found.append([rows[0], *filled_down(rows[1:], 1)])
    return found


def shape(cell):
    """The form of a cell: how many numbers it has, their digits after the point, and its words."""
    if cell == "none":  # no crossing
        return "N.000"
    if cell and not cell.strip("+~-"):
        return len(cell)  # judgements
    parts = []
    for piece in re.split(r"(-?[0-9][0-9,]*(?:\.[0-9]+)?)", cell):
        whole, point, digits = piece.partition(".")
        parts.append("N" + point + "0" * len(digits) if NUMBER.fullmatch(whole) else piece)
    return "".join(parts)


def places(table):
    """Row, column and key of each cell that a command prints. The key is the set of the cell's labels and heading,
    whether these are rows or columns."""
    header, *rows = table
    rows = filled_down([list(row) for row in rows], 1)
    if header[1] == "":
        for number, row in enumerate(rows, 1):
            for column in range(2, len(row)):
                yield number, column, frozenset((row[0], row[1], header[column]))
        return
    labels = [i for i, heading in enumerate(header) if heading in LABELS]
    for number, row in enumerate(rows, 1):
        names = [row[i] for i in labels]
        for column, heading in enumerate(header):
            if column not in labels and heading not in ADDED:
                yield number, column, frozenset((*names, heading))


def facts(table):
    """The cells by their keys."""
    found = {}
    for row, column, key in places(table):
        found.setdefault(key, table[row][column])
    return found


def ready_to_run(command):
    """The command with our programs; its files go into the folder that $FOLDER names."""
    line = re.sub(r"(?<![\w/$])metacentrum\.swf", "$FOLDER/metacentrum.swf", command)
    return line.replace("build/bin/", f"{shlex.quote(str(BIN))}/")


def differences(ours, theirs, chosen):
    """The differences in words, between the document and the program."""
    def named(keys):
        return "; ".join(sorted(" / ".join(sorted(key)) for key in keys)[:6])
    lacks, more = set(ours) - set(theirs), set(theirs) - set(ours)
    said = [f"only in the document: {named(lacks)}"] if lacks else []
    if more and not chosen:
        said.append(f"only in the output: {named(more)}")
    for key in ours.keys() & theirs.keys():
        if shape(ours[key]) != shape(theirs[key]):
            said.append(f"{named([key])}: {ours[key]!r} in the document, {theirs[key]!r} in the output")
    return said


def small(command):
    """The command with a short workload. If the model makes the workload, it has few sites, since each cluster is
    expensive."""
    if not command.startswith("dmm compare"):
        return command
    command = re.sub(r"--repetitions \d+", f"--repetitions {1 if SWEEP in command else 2}", command)
    command = re.sub(r"--(?:days|jobs-per-cluster) [\d.]+|--topology topologies/dual-grid\.json", "", command)
    if SWEEP in command:  # it changes clusters by their names
        return command + " --days 0.01 --correction none --workload $FOLDER/one-job.swf"
    if "mini-grid" in command:
        return command + " --jobs-per-cluster 100"
    if "idle-nodes" in command:
        return command + " --repetitions 1"
    if "--experiment cm" in command or "--experiment koala" in command:
        return command + " --jobs 60"
    if "--workload" in command:
        command += " --jobs 50 --run-cap 3600"
        return command if "--topology" in command else command + " --topology topologies/dual-grid.json"
    return command + " --topology $FOLDER/few-sites.json --days 0.02 --correction none"


class Base(unittest.TestCase):
    """The document's commands and what they print."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="dmmtest-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "TRACES": str(cls.folder),
                           "FOLDER": str(cls.folder)}
        cls.write_stand_ins()
        cls.write_few_sites()

    @classmethod
    def write_stand_ins(cls):
        """Two hours of two clusters as each log of the archive, where the document looks for it."""
        (cls.folder / "pwa").mkdir()
        with gzip.open(SOURCE / "workloads/two-sites-morning.swf.gz", "rt", encoding="utf-8") as log:
            jobs = [line.split() for line in log if not line.startswith(";")]
        (cls.folder / "one-job.swf").write_text(" ".join(jobs[0]) + "\n", encoding="utf-8")
        for name in set(re.findall(r"[\w.-]+-\d{4}-\d[\w.-]*", " ".join(sum((block for block, _ in blocks()), [])))):
            name = name.removesuffix(".swf.gz")
            first, number = (60 * 86400, 1) if name.startswith("METACENTRUM") else (0, 0)
            with gzip.open(cls.folder / f"pwa/{name}.swf.gz", "wt", encoding="utf-8") as log:
                for job in jobs:
                    moved = [job[0], str(int(job[1]) + first), *job[2:15], str(int(job[15]) + number), *job[16:]]
                    print(*moved, file=log)
            print(f"two hours of workloads/two-sites-morning.swf.gz stand in for {name}")

    @classmethod
    def write_few_sites(cls):
        """Both grids of the paper, with two clusters each."""
        sites = [{"name": "das"}, {"name": "g5k"}]
        for name in ("das-0", "das-1", "g5k-5", "g5k-6"):
            sites.append({"name": name, "parent": name.partition("-")[0], "users": ["u0"],
                          "clusters": [{"name": "nodes", "nodes": 100}]})
        grid = {"name": "few-sites", "sites": sites, "sibling_groups": [["das", "g5k"]]}
        (cls.folder / "few-sites.json").write_text(json.dumps(grid), encoding="utf-8")

    def run_one(self, command, more=None):
        """Its output, with additional environment variables."""
        line = ready_to_run(small(command))
        began = time.monotonic()
        environment = self.environment | (more or {})
        done = subprocess.run(["bash", "-ec", "set -o pipefail; " + line], env=environment, cwd=SOURCE, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}\n{done.stderr}")
        print(f"{time.monotonic() - began:5.1f} s  {command.splitlines()[0][:100]}", flush=True)
        return done.stdout

    def expect_begin(self, command):
        """The sweep takes long even with small runs, so it is started and interrupted. Its tables are checked by
        reproduction_sweep_test.py."""
        with subprocess.Popen(["bash", "-ec", "exec " + ready_to_run(command)], env=self.environment, cwd=SOURCE,
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            said = process.stderr.readline()
            process.send_signal(signal.SIGINT)
            self.assertIn("runs done", said)
            self.assertEqual(process.wait(), 130)
        print(f"begun: {command}")

    def expect_table(self, table, out, chosen):
        """One of the tables in the output has its shape."""
        for row in table[1:]:
            self.assertEqual(len(row), len(table[0]), row)
        ours = facts(table)
        self.assertTrue(ours, table[0])
        printed = printed_tables(out)
        self.assertTrue(printed, out)
        said = [differences(ours, facts(one), chosen) for one in printed if len(one[0]) > 1]
        self.assertIn([], said, f"no table of the output is like that of the document\n{min(said, key=len)}\n{out}")


class Reproduction(Base):
    """All tables except those of the sweep."""

    def test_commands_and_their_tables(self):
        compared = 0
        for commands, tables in blocks():
            out = ""
            for command in commands:
                with self.subTest(command=command):
                    program = re.search(r"build/bin/(\w+)", command)
                    if program and not (BIN / program[1]).exists():
                        print(f"not run, since {program[1]} isn't built: {command}")
                        continue
                    if SWEEP in command:
                        self.expect_begin(command)
                        continue
                    text = self.run_one(command, {"TRACES": os.environ.get("DMM_TRACES", "")} if program else {})
                    if program:
                        self.assertRegex(text, r"test cases: +[1-9]\d* +\| +[1-9]\d* passed \| 0 failed")
                    out += text + "\n"
            if not any(command.startswith("dmm compare") for command in commands) or SWEEP in " ".join(commands):
                continue
            for table in tables:
                if "held" in table[0]:
                    continue
                with self.subTest(commands=commands, table=table[0]):
                    self.expect_table(table, out, any(name in " ".join(commands) for name in CHOSEN))
                    compared += 1
        print(f"{compared} tables compared")
        self.assertGreaterEqual(compared, 20)

    def test_golden_values(self):
        """Each log of the table is in its command, and each figure is a key of the command's JSON."""
        commands, tables = next(block for block in blocks() if "dmm simulate" in block[0][0])
        header, *rows = tables[0]
        for command in commands:
            architecture = re.search(r"--architecture (\w+)", command)[1]
            reports = json.loads("[" + self.run_one(command).replace("}\n{", "},\n{") + "]")
            self.assertEqual(len(reports), len(rows))
            for row, report in zip(rows, reports):
                self.assertIn(f"{row[0]}:{row[1]}", command.split(";")[0].split())
                self.assertEqual(report["architecture"], architecture)
                for heading in header:
                    if heading.startswith(f"{architecture} "):
                        self.assertIsInstance(report[heading.split()[1]], (int, float))


if __name__ == "__main__":
    unittest.main(verbosity=1)
