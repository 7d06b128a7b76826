"""Bad input of every kind: one clear message that names file, field and rule, the right exit code, and nothing started.
Also the worked examples of `dmm place`, which runs nothing.
"""
import gzip
import json
import socket
import subprocess
import unittest

from grid import BIN, SOURCE, GridTest, free_ports

TWO = SOURCE / "topologies/two-sites.json"
NO_KEY = "A" * 43  # a key that no party has
GOOD_LINE = "{job} {submit} -1 {run} {size} -1 -1 {size} 100 -1 1 1 1 1 1 {cluster} -1 -1\n"


class Topologies(GridTest):
    def bad(self, sites, *parts, **more):
        file = self.topology("bad", *sites, **more)
        for words in (("testbed", "up", file), ("run", file, "--workload", "none.swf")):
            done = self.refused(2, str(file), *parts, words=words)
            self.assertEqual(len(done.err.splitlines()), 1, done)

    def test_topologies(self):
        a, b = {"name": "a"}, {"name": "b"}
        self.bad([{**a, "parent": "b"}, {**b, "parent": "c"}, {"name": "c", "parent": "a"}],
                 "sites[0].parent", "loop of parents", "a -> b -> c -> a")
        self.bad([{**a, "parent": "a"}], "sites[0].parent", "loop of parents")
        self.bad([{**a, "siblings": ["bee"]}, {"name": "be"}], "sites[0].siblings[0]", "no site \"bee\"",
                 "did you mean \"be\"?")
        self.bad([a, {**b, "parent": "zz"}], "sites[1].parent", "no site \"zz\"")
        self.bad([a, a], "sites[1].name", "\"a\" is already sites[0]")
        self.bad([{**a, "siblings": ["b"]}, {**b, "parent": "c"}, {"name": "c"}], "sites[0].siblings[0]",
                 "siblings have the same parent")
        self.bad([{**a, "parent": "c"}, b, {"name": "c"}], "sibling_groups[0][1]", "siblings have the same parent",
                 sibling_groups=[["a", "b"]])
        self.bad([{**a, "clusers": []}], "sites[0].clusers", "unknown key", "did you mean \"clusters\"?")
        self.bad([{**a, "clusters": [{"name": "n", "nodes": "many"}]}], "sites[0].clusters[0].nodes",
                 "expected a whole number from 1 to 1000000", "the text \"many\"")
        self.bad([{**a, "clusters": [{"name": "n", "nodes": 0}]}], "sites[0].clusters[0].nodes", "from 1")
        self.bad([{**a, "clusters": {}}], "sites[0].clusters")
        self.bad([{**a, "clusters": [{"name": "n"}]}], "sites[0].clusters[0]", "nodes")
        self.bad([{"name": "A b"}], "sites[0].name", "is not a name")
        self.bad([{**a, "settings": {"policies": {"target": "hint"}}}], "sites[0].settings.policies.target",
                 "did you mean \"hints\"?")
        self.bad([{**a, "settings": {"delegation_threshold": "high"}}], "sites[0].settings.delegation_threshold")
        self.bad([{**a, "users": ["u", "u"]}], "sites[0].users[1]", "\"u\"")
        self.bad([], "sites", "at least one site")

    def test_roots_may_be_siblings(self):
        file = self.topology("roots", {"name": "a", "siblings": ["b"]}, {"name": "b"})
        self.up(file)
        self.down("roots")

    def test_files(self):
        file = self.folder / "broken.json"
        for text, part in (("{\"name\": \"x\", \"sites\": [", "line 1"), ("", "line 1"), ("[]", "object"),
                           ("{\"name\": \"x\", \"name\": \"y\", \"sites\": [{\"name\": \"a\"}]}", "twice"),
                           ("[" * 100000, str(file)), ("\xff", str(file))):
            file.write_text(text, encoding="latin1")
            self.refused(2, str(file), part, words=("testbed", "up", file))
        self.refused(2, "none.json", "no such file", words=("testbed", "up", "none.json"))
        self.refused(2, str(self.folder), words=("testbed", "up", self.folder))
        self.refused(2, "defaults.lent", "unknown key", "lend",
                     words=("testbed", "up", TWO, "--set", "defaults.lent=1"))
        self.refused(2, "--name", words=("testbed", "up", TWO, "--name", "../x"))


class Traces(GridTest):
    def bad(self, text, *parts, name="bad.swf", topology=TWO, lines=1):
        file = self.folder / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = self.refused(2, str(file), *parts, words=("run", topology, "--workload", file))
        self.assertEqual(len(done.err.splitlines()), lines, done)

    def line(self, job=1, submit=0, run=100, size=4, cluster=0):
        return GOOD_LINE.format(job=job, submit=submit, run=run, size=size, cluster=cluster)

    def test_lines(self):
        good = "; a header\n" + self.line()
        self.bad(good + "2 0 -1 100 4 -1 -1 4", ":3:", "8 columns; expected 18")
        self.bad(good + self.line(size="four"), ":3:", "column 5 (processors)", "\"four\"; expected a number")
        self.bad(good + self.line(submit=-5), ":3:", "column 2 (submit time)", "\"-5\"")
        self.bad(good + self.line(job="nan"), ":3:", "column 1 (job number)")
        self.bad(good + "x" * 100000 + "\n", ":3:")
        self.bad(good + self.line(cluster=7), "cluster 7", "clusters 0 to 1")
        self.bad(good + self.line(size=17), "17 processors", "largest of two-sites has 16")
        self.bad("; nothing\n", "no job that can be replayed")
        self.bad("", "no job that can be replayed")

    def test_files(self):
        whole = gzip.compress("".join(self.line(job, run=job) for job in range(1, 999)).encode())
        self.bad(whole[:len(whole) // 2], "truncated", name="half.swf.gz")
        self.bad(whole[:len(whole) // 2] + bytes(50) + whole[len(whole) // 2:], name="corrupt.swf.gz")
        self.refused(2, "none.swf", "No such file", words=("run", TWO, "--workload", "none.swf"))


class Commands(GridTest):
    def test_options(self):
        self.refused(2, "no command \"tesbed\"", "did you mean \"testbed\"?", words=("tesbed", "up"))
        for words in ((), ("--nope",), ("testbed",), ("testbed", "up"), ("testbed", "sideways"), ("submit", "--nope"),
                      ("run", TWO), ("run", TWO, "--workload", "x", "--speedup", "-1"), ("queue", "--state", "lazy"),
                      ("submit", "-n", "0", "--", "true"), ("submit", "-n", "2", "--components", "1", "--", "true"),
                      ("submit",), ("cancel", "x"), ("why", "alpha/u0"), ("chain", "3"), ("place",)):
            with self.subTest(words):
                done = self.dmm(*words, code=2)
                self.assertTrue(done.err.strip())
                self.assertEqual(done.out, "")
        self.refused(2, "there is no option --arrays", words=("submit", "--arrays", "1-3", "--", "true"))
        for words in (("queue",), ("sites",), ("submit", "--", "true"), ("testbed", "down", "nothing")):
            self.refused(1, "none is up" if words[0] == "testbed" else "no testbed is up", words=words)
        for words in (("help",), ("--help",), ("submit", "--help"), ("testbed", "up", "--help"), ("--version",)):
            self.assertTrue(self.dmm(*words).out)

    def test_job_files(self):
        for job, *parts in (({"command": []}, "command", "expected a program"), ({}, "command"),
                            ({"command": ["x"], "processors": -1}, "processors", "from 1"),
                            ({"command": ["x"], "procesors": 1}, "procesors", "did you mean \"processors\"?"),
                            ({"command": ["x"], "processors": 1, "components": [1]}, "not several"),
                            ({"command": ["x"], "components": [0]}, "components[0]"),
                            ({"command": ["x"], "environment": {"A": 1}}, "environment"),
                            ({"command": "x"}, "command"), ([], "object")):
            file = self.folder / "job.json"
            file.write_text(json.dumps(job), encoding="utf-8")
            self.refused(2, str(file), *parts, words=("submit", file))
        self.refused(2, "none.json", "no such file", words=("submit", "none.json"))
        self.refused(2, "--processors", "leave the option out", words=("submit", "-n", "2", self.folder / "job.json"))

    def test_too_large_everywhere(self):
        sites = [{"name": "a", "parent": "m", "clusters": [{"name": "n", "nodes": 2}], "users": ["u"]},
                 {"name": "m", "parent": "top"}, {"name": "top", "clusters": [{"name": "n", "nodes": 5}]}]
        self.up(self.topology("row", *sites))
        done = self.dmm("submit", "--wait", "-n", 6, "--", "true", code=1)
        self.assertIn("the largest has 5 processors", done.out)
        self.assertEqual(self.dmm("submit", "--wait", "-n", 5, "--", "true").code, 0)
        self.until_chain("a/u/1", "refused the request: too large")


class Daemons(GridTest):
    def run_daemon(self, program, config, code, *parts):
        file = self.folder / f"{program}.json"
        if config is not None:
            file.write_text(json.dumps(config), encoding="utf-8")
        else:
            file.unlink(missing_ok=True)
        done = subprocess.run([BIN / program, "--config", file], capture_output=True, timeout=60, check=False,
                              env=self.environment, text=True)
        self.assertEqual(done.returncode, code, done)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done)

    def configs(self, endpoint):
        common = {"site": "a", "listen": [endpoint], "site_endpoint": f"ipc://{self.folder}/none"}
        yield "sitemgr", {"site": "a", "listen": [endpoint]}
        yield "jobmgr", {**common, "user": "u", "directory": str(self.folder / "j")}
        yield "resmgr", {**common, "name": "n", "cluster": "n", "nodes": 1, "directory": str(self.folder / "r")}

    def test_configurations(self):
        for program, config in self.configs("tcp://127.0.0.1:1"):
            with self.subTest(program):
                file = str(self.folder / f"{program}.json")
                self.run_daemon(program, None, 2, file, "no such file")
                self.run_daemon(program, {**config, "logg": 1}, 2, file, "logg: unknown key", "did you mean \"log\"?")
                self.run_daemon(program, {**config, "site": 7}, 2, file, "site")
                self.run_daemon(program, {**config, "listen": ["udp://x"]}, 2, file, "listen[0]", "is not an endpoint")
                self.run_daemon(program, {"listen": config["listen"]}, 2, file, "site")
                done = subprocess.run([BIN / program], capture_output=True, timeout=60, check=False)
                self.assertEqual((done.returncode, b"--config FILE is missing; for example" in done.stderr), (2, True))

    def test_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            endpoint = f"tcp://127.0.0.1:{server.getsockname()[1]}"
            for program, config in self.configs(endpoint):
                with self.subTest(program):
                    if program != "sitemgr":  # which makes its own
                        self.run_daemon(program, {**config, "directory": str(self.folder / "no-keys")}, 1, "keys")
                    self.run_daemon(program, {**config, "directory": self.folder_with_keys(program)}, 1, endpoint,
                                    "port in use")

    def folder_with_keys(self, program):
        site = self.folder / "site-a"
        self.site_keys("a", site)
        if program == "sitemgr":
            return str(site)
        folder = self.folder / program
        self.certify(site, *{"jobmgr": ("user", "u"), "resmgr": ("node", "n")}[program], folder)
        return str(folder)

    def test_keys_that_others_may_read(self):
        folder = self.folder / "site-a"
        self.site_keys("a", folder)
        file = folder / "keys/site.json"
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        file.chmod(0o640)
        self.run_daemon("sitemgr", {"site": "a", "listen": [f"tcp://127.0.0.1:{free_ports(1)[0]}"],
                                    "directory": str(folder)}, 1, str(file), "chmod 600")

    def test_socket_in_use(self):
        endpoint = f"ipc://{self.folder}/one.sock"
        config = self.folder / "one.json"
        config.write_text(json.dumps({"site": "a", "listen": [endpoint], "log": {"terminal": False}}), encoding="utf-8")
        one = self.start(BIN / "sitemgr", "--config", config)
        ask = ("sites", "--sitemgr", endpoint, "--as-site", "a", "--json")
        self.assertEqual(self.dmm(*ask, code=None).code, 0)
        self.run_daemon("sitemgr", {"site": "b", "listen": [endpoint]}, 1, endpoint, "in use")
        self.assertTrue(self.dmm(*ask).json["sites"][0]["up"])  # the first one goes on
        one.terminate()
        self.assertEqual(one.wait(60), 0)

    def test_a_manager_that_isnt_there(self):
        port = free_ports(1)[0]
        done = self.dmm("sites", "--sitemgr", f"tcp://127.0.0.1:{port}#{NO_KEY}", "--as-site", "a", code=3)
        self.assertIn("a", done.err)


class Place(GridTest):
    def place(self, *words, code=0):
        done = self.dmm("place", *words, "--json", code=code).json
        return [(one["cluster"], one["processors"]) for one in done["components"]]

    def test_worked_examples(self):  # figures 2 and 4 of the paper on KOALA's placement: 18, 15 and 12 idle
        idle = ("--idle", "18,15,12")
        self.assertEqual(self.place("--policy", "wf", *idle, "--components", "8,8,8"),
                         [("c1", 8), ("c2", 8), ("c3", 8)])
        self.assertEqual(self.place("--policy", "cm", *idle, "--components", "8,8,8"),
                         [("c1", 8), ("c1", 8), ("c2", 8)])
        self.assertEqual(self.place("--policy", "fcm", *idle, "--total", "24"), [("c1", 18), ("c2", 6)])
        self.assertIn("placed on 2 clusters by fcm", self.dmm("place", "--policy", "fcm", *idle, "--total", "24").out)

    def test_not_placeable(self):
        done = self.dmm("place", "--policy", "cm", "--idle", "18,15,12", "--components", "19", code=1)
        self.assertIn("not placeable", done.out)
        self.assertEqual(self.place("--policy", "fcm", "--idle", "18,15,12", "--total", "46", code=1), [])

    def test_senseless(self):
        for words, part in ((("--policy", "nope", "--idle", "1", "--total", "1"), "nope"),
                            (("--idle", "1,x", "--total", "1"), "--idle"), (("--idle", "4"), "--"),
                            (("--idle", "4", "--total", "0"), "--total"),
                            (("--idle", "4", "--quota", "2", "--total", "1"), "quota")):
            self.assertIn(part, self.dmm("place", *words, code=2).err)


if __name__ == "__main__":
    unittest.main(verbosity=1)
