"""Input files of jobs: fetched from real HTTP servers and from paths of the host, also from faulty servers. Faults are
reported, and leave nothing behind.
"""
# ctest: cost 40
import hashlib
import json
import subprocess
import unittest

from file_server import DATA, LARGE, FileServer
from grid import GridTest, until

SUM = hashlib.sha256(DATA).hexdigest()


class Files(GridTest):
    """A testbed of two sites, and a server."""

    def setUp(self):
        super().setUp()
        self.server = FileServer()
        self.addCleanup(self.server.stop)
        self.testbed = self.up(self.topology(
            "files", {"name": "alpha", "users": ["u0"], "clusters": [{"name": "nodes", "nodes": 2}]},
            {"name": "beta", "parent": "alpha", "users": [], "clusters": [{"name": "nodes", "nodes": 4}]}))

    def run_with(self, files, *words, code=0, **more):
        """Runs a job with these input files; returns its record."""
        file = self.folder / "job.json"
        file.write_text(json.dumps({"command": list(words or ("sha256sum", files[0]["name"])), "stage_in": files,
                                    **more}), encoding="utf-8")
        return self.dmm("submit", "--site", "alpha", "--wait", "--json", file, code=code).json

    def output(self, record):
        return self.dmm("output", record["job"]).out

    def of_server(self, path, **more):
        return {"name": "data", "url": self.server.url(path), **more}

    def refused_staging(self, file, *parts):
        """The job fails because of its input file, with this text, and leaves nothing behind."""
        record = self.run_with([file], code=1)
        self.assertEqual(record["exit"]["fault"], "staging", record)
        for part in parts:
            self.assertIn(part, record["text"])
        self.assertIn("an input file couldn't be brought to it", self.dmm("why", record["job"]).out)
        self.nothing_left()

    def nothing_left(self):
        until(lambda: not list(self.home.glob("**/data*")), lambda: list(self.home.glob("**/data*")))


class GoodServers(Files):
    def test_files_of_a_server_and_of_the_host(self):
        local = self.folder / "local.txt"
        local.write_text("of the host\n")
        record = self.run_with([self.of_server("data", bytes=len(DATA), sha256=SUM),
                                {"name": "in/local", "url": f"file://{local}"}],
                               "sh", "-c", "sha256sum < data; cat in/local; ls -a . in")
        listed = ".:\n.\n..\n.dmm\ndata\nin\n\nin:\n.\n..\nlocal\n"
        self.assertEqual(self.output(record), f"{SUM}  -\nof the host\n{listed}")
        self.nothing_left()

    def test_option_and_directive(self):
        (self.folder / "job.sh").write_text(f"#!/bin/sh\n#DMM --stage-in {self.server.url('data')}\nsha256sum data\n")
        told = self.dmm("submit", "--check", "job.sh", cwd=self.folder).out
        self.assertIn(f"input file      data from {self.server.url('data')}", told)
        self.assertIn("stages_files=yes", told)
        record = self.run_job("--site", "alpha", "job.sh", "--wait")
        self.assertEqual(self.output(record), f"{SUM}  data\n")
        self.refused_option("../x=http://h/x", "--stage-in: expected a name below the working directory")
        self.refused_option("ftp://h/x", "--stage-in: expected a file here, or a URL that begins with")

    def refused_option(self, text, words):
        self.assertIn(words, self.dmm("submit", "--stage-in", text, "--", "true", code=2).err)

    def test_each_component_has_its_files_before_any_begins(self):
        record = self.run_with([self.of_server("data")], "sh", "-c", "wc -c < data",
                               output_file=str(self.folder / "out"),
                               components=[{"processors": 2, "site": "alpha"}, {"processors": 4, "site": "beta"}])
        self.assertEqual(record["state"], "finished")
        for name in ("out", "out.1"):
            self.assertEqual((self.folder / name).read_text(), f"{len(DATA)}\n")
        self.assertEqual(len(self.server.asked), 2)

    def test_arguments_environment_and_exit_status_are_as_without(self):
        record = self.run_with([self.of_server("data")], "sh", "-c", 'echo "$1|$COLOUR|$DMM_JOB_ID"; exit 7', "x",
                               "two words", environment={"COLOUR": "red"}, code=7)
        self.assertEqual(self.output(record), "two words|red|1\n")


class Catalogue(Files):
    """Logical names and their replicas."""

    def add(self, *words, code=0):
        return self.dmm("files", "add", *words, code=code)

    def test_a_job_takes_the_replica_of_its_own_site(self):
        self.add("sets/data", self.server.url("data?beta"), "--site", "beta", "--bytes", len(DATA), "--sha256", SUM)
        self.add("sets/data", self.server.url("data?alpha"), "--site", "alpha")
        for site, processors in (("alpha", 2), ("beta", 4)):
            record = self.run_job("--site", "alpha", "--components", f"{processors}@{site}", "--stage-in",
                                  "lfn:sets/data", "--", "sha256sum", "data")
            self.assertEqual(self.output(record), f"{SUM}  data\n")
        self.assertEqual([path for path, _ in self.server.asked], ["/data?alpha", "/data?beta"])

    def test_a_path_is_for_the_hosts_of_its_site(self):
        here = self.folder / "data"
        here.write_bytes(DATA)
        self.add("data", here, "--site", "alpha")
        self.add("data", self.server.url("data"))
        for site, asked in (("alpha", 0), ("beta", 1)):
            self.run_job("--site", "alpha", "--components", f"1@{site}", "--stage-in", "lfn:data", "--", "true")
            self.assertEqual(len(self.server.asked), asked)

    def test_another_replica_is_taken_where_one_is_bad(self):
        self.add("data", self.server.url("gone"), "--site", "alpha", "--sha256", SUM)
        self.add("data", self.server.url("longer"), "--site", "beta")
        self.add("data", self.server.url("data"))
        self.assertEqual(self.output(self.run_with([{"name": "data", "url": "lfn:data"}])), f"{SUM}  data\n")

    def test_what_is_added_and_removed(self):
        here = self.folder / "here"
        here.write_bytes(DATA)
        self.add("data", here, "--site", "alpha")
        self.add("data", self.server.url("data"))
        [entry] = self.dmm("files", "list", "--json").json["files"]
        self.assertEqual((entry["bytes"], entry["sha256"]), (len(DATA), SUM))
        self.assertEqual(entry["replicas"], [{"url": f"file://{here}", "site": "alpha"},
                                             {"url": self.server.url("data"), "site": ""}])
        here.write_bytes(b"other")
        self.assertIn("data has bytes 1048576 in the catalogue, and 5 here", self.add("data", here, code=1).err)
        self.assertIn("expected a URL that begins with", self.add("data", "ftp://h/x", code=2).err)
        self.assertIn("NAME: expected a logical name", self.add("../x", here, code=2).err)
        self.assertIn("can't read the file /no/such", self.add("x", "/no/such", code=2).err)
        self.dmm("files", "remove", "data", f"file://{here}")
        self.dmm("files", "remove", "data")
        self.assertIn("there is no file data in", self.dmm("files", "remove", "data", code=1).err)
        self.assertIn("there is no file data in the catalogue",
                      self.dmm("submit", "--stage-in", "lfn:data", "--", "true", code=2).err)

    def test_bad_catalogue_is_named_and_stays_as_it_is(self):
        file = self.folder / "bad.json"
        self.environment["DMM_CATALOGUE"] = str(file)
        nameless = ('{"files": {"../x": {"replicas": []}}}', "files.../x: expected a logical")
        nowhere = ('{"files": {"x": {"replicas": [{"url": "x"}]}}}', "files.x.replicas[0].url: expected a URL")
        for text, words in (("{", "bad.json"), nameless, nowhere):
            file.write_text(text)
            self.assertIn(words, self.dmm("files", "list", code=1).err)
            self.assertIn(words, self.add("y", "http://h/y", code=1).err)
            self.assertEqual(file.read_text(), text)

    def test_many_add_at_once(self):
        adding = [self.start("dmm", "files", "add", f"data{number}", f"http://h/{number}", stdout=subprocess.DEVNULL)
                  for number in range(20)]
        for process in adding:
            self.assertEqual(process.wait(), 0)
        self.assertEqual(len(self.dmm("files", "list", "--json").json["files"]), 20)


class KeptFiles(GridTest):
    """Two sites. beta keeps input files; the home site claims nodes when files are nearly there."""

    def setUp(self):
        super().setUp()
        self.server = FileServer()
        self.addCleanup(self.server.stop)
        policies = {"placement": "close_to_files"}
        self.testbed = self.up(self.topology(
            "kept",
            {"name": "alpha", "users": ["u0"], "clusters": [{"name": "nodes", "nodes": 2}],
             "settings": {"policies": policies, "claiming_wait": 0.75}},
            {"name": "beta", "parent": "alpha", "users": [],
             "clusters": [{"name": "nodes", "nodes": 4, "kept_files_bytes_max": 10 ** 9}]}))

    def start_with(self, data, path, site, sha256=None):
        file = self.folder / "job.json"
        self.dmm("files", "add", path, self.server.url(path), "--site", site, "--bytes", len(data), "--sha256",
                 sha256 or hashlib.sha256(data).hexdigest(), code=None)
        file.write_text(json.dumps({"command": ["sha256sum", "data"], "components": [{"processors": 4}],
                                    "stage_in": [{"name": "data", "url": f"lfn:{path}"}]}), encoding="utf-8")
        return self.submit("--site", "alpha", file)

    def finish(self, name, data):
        self.until_state(name, "finished")
        self.assertEqual(self.dmm("output", name).out, f"{hashlib.sha256(data).hexdigest()}  data\n")

    def events(self, daemon, event):
        lines = self.log_of(self.testbed, daemon).split("\n")[:-1]
        return [line for line in map(json.loads, lines) if line["event"] == event]

    def test_second_job_needs_no_transfer(self):
        for _ in range(2):
            self.finish(self.start_with(DATA, "data", "alpha"), DATA)
        self.assertEqual(len(self.server.asked), 1)
        kept = list(self.home.glob(f"**/kept/beta-nodes/*/{SUM}"))
        self.assertEqual(len(kept), 1)
        kept[0].write_bytes(b"x" * len(DATA))  # as a job may
        self.finish(self.start_with(DATA, "data", "alpha"), DATA)
        self.assertEqual(len(self.server.asked), 2)

    def test_file_goes_ahead_and_nodes_are_claimed_when_it_is_nearly_there(self):
        name = self.start_with(LARGE, "gated", "archive")  # a site of unknown speed: 100 Mbit/s
        why = until(lambda: (said := self.dmm("why", name).out).count("Its place: ") and said,
                    lambda: self.dmm("why", name).out)
        self.assertIn("on beta/nodes (files in 3.4 s)", why)
        self.assertIn("It is placed where its files go first", why)
        until(lambda: self.server.asked, "the first question of the server")
        self.server.gate.set()
        self.finish(name, LARGE)
        self.assertEqual(len(self.server.asked), 1)
        [planned] = self.events("sitemgr alpha", "planned")
        self.assertAlmostEqual(planned["files_in_seconds"], 3.36, delta=0.1)
        self.assertTrue(self.events("resmgr beta/nodes", "prefetched"))
        self.assertTrue(self.events("sitemgr alpha", "prefetched"))
        self.assertFalse(list(self.home.glob("**/*.4294967295")))  # the fetch leaves no folder


    def test_file_that_can_not_go_ahead(self):
        self.server.gate.set()
        name = self.start_with(LARGE, "gated", "archive", sha256="0" * 64)
        self.until_state(name, "failed")
        self.assertIn("expected 000", self.dmm("why", name).out)
        [failed] = self.events("sitemgr alpha", "prefetch_failed")
        self.assertIn("expected 000", failed["text"])
        self.assertEqual((failed["at"], failed["cluster"]), ("beta", "nodes"))


class ServersThatErr(Files):
    def test_what_passes_is_tried_again(self):
        for path in ("breaks", "breaks-once", "busy-once", "moved"):
            record = self.run_with([self.of_server(path, sha256=SUM)])
            self.assertEqual(self.output(record), f"{SUM}  data\n", path)
        self.assertEqual([said for path, said in self.server.asked if path == "/breaks"],
                         [None] + [f"bytes={len(DATA) // 4 * quarter}-" for quarter in (1, 2, 3)])

    def test_file_that_changes_on_the_way_is_fetched_as_a_whole(self):
        self.assertEqual(self.output(self.run_with([self.of_server("changes", sha256=SUM)])), f"{SUM}  data\n")

    def test_what_stays_wrong_fails_the_job(self):
        self.refused_staging(self.of_server("no-such-file"), "input file 'data' from http://127.0.0.1:", "404")
        self.refused_staging(self.of_server("data", sha256="0" * 64), f"its SHA-256 is {SUM} there; expected 000")
        self.refused_staging(self.of_server("longer", bytes=len(DATA)), "it is longer than the 1048576 bytes")
        self.refused_staging(self.of_server("shorter", bytes=len(DATA)), "it has 1048575 bytes there; expected 1048576")
        self.refused_staging(self.of_server("loops"), "redirects")
        self.refused_staging(self.of_server("to-file"), "file")
        self.refused_staging({"name": "data", "url": f"file://{self.folder}/nothing"}, "nothing")

    def test_server_that_promises_more_than_it_has(self):
        self.refused_staging(self.of_server("promises-more"), "input file 'data'")

    def test_file_above_the_limit_of_the_job(self):
        record = self.run_with([self.of_server("data")], code=1, limits={"file_bytes": 1000})
        self.assertIn("File too large", record["text"])

    def test_job_that_is_cancelled_while_a_file_comes(self):
        file = self.folder / "job.json"
        file.write_text(json.dumps({"command": ["true"], "stage_in": [self.of_server("trickles")]}))
        name = self.submit("--site", "alpha", file)
        until(lambda: self.server.asked, "the first question of the server")
        why = until(lambda: (said := self.dmm("why", name).out).count("brought there first") and said,
                    lambda: self.dmm("why", name).out)
        self.assertIn("It is starting", why)
        self.dmm("cancel", name, "--yes")
        self.until_state(name, "cancelled")
        self.nothing_left()


if __name__ == "__main__":
    unittest.main()
