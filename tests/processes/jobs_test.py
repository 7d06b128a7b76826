"""Jobs as people write them: scripts that travel with their directives and arguments, standard input, files of several
jobs, requests in RSL, and the output of --check. With real daemons.
"""
# ctest: cost 25
import os
import random
import subprocess
import unittest

from grid import GridTest


class Jobs(GridTest):
    """A testbed of one site with a cluster of four nodes."""

    def setUp(self):
        super().setUp()
        self.testbed = self.up(self.topology("jobs", {"name": "only", "users": ["u0"],
                                                      "clusters": [{"name": "nodes", "nodes": 4}]}))

    def file(self, name, text):
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8")
        return path

    def output(self, name, *options):
        return self.dmm("output", name, *options).out

    def stop(self):
        """Takes the testbed down: the following commands must not need it."""
        self.down("jobs")


class Scripts(Jobs):
    def test_script_with_arguments_and_an_exit_status(self):
        self.file("job.sh", '#!/bin/sh\necho "${0##*/}|$1|$2|$3|$#"\npwd\nexit 7\n')
        record = self.run_job("-n", "2", "--directory", "/usr", "job.sh", "-n", "two words", "--wait", code=7)
        self.assertEqual((record["name"], record["processors"], record["exit_code"]), ("job.sh", 2, 7))
        self.assertEqual(self.output("1"), "job.sh|-n|two words|--wait|3\n/usr\n")
        self.assertIn("files don't travel: where the job runs, job.sh must be",
                      self.dmm("submit", "--wait", "--", "job.sh", code=1).err)

    def test_script_without_its_interpreter(self):
        self.file("job.sh", "#!/no/such/shell -x\ntrue\n")
        record = self.run_job("job.sh", code=1)
        self.assertEqual(record["exit"]["fault"], "executable_missing")
        self.assertIn("can't run job.sh with the interpreter /no/such/shell: No such file or directory",
                      record["text"])

    def test_largest_script(self):
        head = "#!/bin/sh\nwc -c < $0\nexit\n"
        script = self.file("job.sh", head + "#" * (131_072 - len(head)))
        self.run_job(script)
        self.assertEqual(self.output("1"), "131072\n")
        self.file("job.sh", script.read_text() + "#")
        self.stop()
        self.refused(2, "job.sh has 131,073 bytes; a script may have at most 131,072 bytes", words=("submit", script))
        self.file("job.sh", "#!sh\n")
        self.refused(2, "job.sh line 1: expected the absolute path of an interpreter", words=("submit", script))
        self.file("job.sh", "#!/bin/sh\r\ntrue\r\n")
        self.refused(2, "job.sh line 1: it ends with a carriage return", words=("submit", script))

    def test_directives(self):
        self.file("job.sh", "#!/bin/sh\n#SBATCH -n 3 -t 10 --partition=long\n#SBATCH --output=out-%j.txt\n"
                            "#DMM --name night --environment COLOUR=green\necho $COLOUR $DMM_PROCESSORS\n"
                            "echo problem >&2\n#DMM --name late\n")
        planned = self.dmm("submit", "--check", "--json", "job.sh").json["jobs"][0]
        self.assertEqual(planned["limits"]["wall_seconds"], 600)
        done = self.dmm("submit", "--wait", "--json", "--environment", "COLOUR=red", "job.sh")
        self.assertEqual((done.json["name"], done.json["processors"]), ("night", 3))
        self.assertEqual((self.folder / "out-1.txt").read_text(), "red 3\nproblem\n")
        told = "dmm submit: job.sh line 2: #SBATCH --partition is unknown to DMM and left out\n"
        self.assertEqual(done.err, told)
        self.stop()
        self.file("job.sh", "#!/bin/sh\n\n#SBATCH --time=soon\n")
        self.refused(2, "job.sh line 3: #SBATCH --time: expected a length of time", words=("submit", "job.sh"))

    def test_waiting_script_outlives_its_job_manager(self):
        go = self.folder / "go"
        self.addCleanup(go.touch)
        self.submit("-n", "4", "--", "sh", "-c", f"until [ -e {go} ]; do sleep 0.05; done")
        self.until_state("only/u0/1", "running")
        random_bytes = random.Random(7).randbytes(30_000)
        self.file("in", random_bytes)
        self.file("job.sh", "#!/bin/sh\ncat; echo $1\n")
        name = self.submit("-n", "4", "--input", "in", "job.sh", "end")
        self.dmm("testbed", "restart", "jobs", "--which", "jobmgr only/u0", "--kill")
        self.assertEqual(self.job(name)["state"], "waiting")
        go.touch()
        self.until_state(name, "finished")
        path = self.dmm("output", name, "--json").json["streams"][0]["path"]
        with open(path, "rb") as file:
            self.assertEqual(file.read(), random_bytes + b"end\n")


class Input(Jobs):
    def shell(self, script):
        subprocess.run(["sh", "-c", script], env=self.environment, cwd=self.folder, check=True, timeout=120,
                       stdout=subprocess.DEVNULL)

    def test_file_comes_byte_for_byte(self):
        random_bytes = random.Random(1).randbytes(60_000)
        path = self.file("in", random_bytes)
        with path.open("rb") as file:
            self.dmm("submit", "--wait", "--output-file", "out", "--", "cat", stdin=file)
        self.assertEqual((self.folder / "out").read_bytes(), random_bytes)

    def test_loop_keeps_its_list(self):
        self.file("list", "one\ntwo\nthree\n")
        script = "while read line; do dmm submit --wait --output-file $line.txt -- cat; done < list"
        self.shell(script)
        self.assertEqual([(self.folder / f"{line}.txt").read_bytes() for line in ("one", "two", "three")], [b""] * 3)

    def test_pipe_is_taken_when_asked_for(self):
        script = "echo piped | dmm submit --wait --output-file out %s -- cat"
        for option, expected in (("", ""), ("--input -", "piped\n")):
            self.shell(script % option)
            self.assertEqual((self.folder / "out").read_text(), expected)

    def test_too_much(self):
        self.stop()
        path = self.file("in", b"i" * 65_537)
        with path.open("rb") as file:
            done = self.dmm("submit", "--", "cat", stdin=file, code=2)
        self.assertIn("standard input has 65,537 bytes; the input of a job may have at most 65,536 bytes", done.err)
        with open("/dev/zero", "rb") as endless:
            self.assertIn("more than 65,536 bytes", self.dmm("submit", "--input", "-", "--", "cat", stdin=endless,
                                                             code=2).err)
        self.refused(2, "in has 65,537 bytes", words=("submit", "--input", "in", "--", "cat"))
        self.refused(2, "can't read none: No such file", words=("submit", "--input", "none", "--", "cat"))
        terminal, other = os.openpty()
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.close, other)
        self.assertIn("standard input is a terminal", self.dmm("submit", "--input", "-", "--", "cat", stdin=other,
                                                               code=2).err)


class Files(Jobs):
    def test_several_jobs_in_one_file(self):
        self.file("jobs.json", '{"output_file": "out-%j.txt", "jobs": [{"command": ["sh", "-c", "echo a; exit 3"]},'
                               ' {"command": ["echo", "b"], "processors": 2},'
                               ' {"command": ["cat"], "input_file": "jobs.json", "name": "third"}]}')
        done = self.dmm("submit", "jobs.json")
        self.assertEqual(done.out, "only/u0/1\nonly/u0/2\nonly/u0/3\n")
        done = self.dmm("submit", "--wait", "--json", "jobs.json", code=3).json["jobs"]
        self.assertEqual([(job["job"], job["name"], job["processors"], job["exit_code"]) for job in done],
                         [(4, "sh", 1, 3), (5, "echo", 2, 0), (6, "third", 1, 0)])
        self.assertEqual((self.folder / "out-5.txt").read_text(), "b\n")
        self.assertEqual((self.folder / "out-6.txt").read_text(), (self.folder / "jobs.json").read_text())
        self.file("jobs.json", '{"jobs": [{"command": ["true"]}, {"comand": ["true"]}]}')
        self.stop()
        self.refused(2, "jobs.json: jobs[1].comand", "did you mean \"command\"", words=("submit", "jobs.json"))

    def test_rsl_multi_request(self):
        program = '(executable=/bin/sh)(arguments=-c "echo $DMM_COMPONENT of $DMM_COMPONENTS")'
        self.file("job.rsl", f"+(&(count=2){program}\n   (resourceManagerContact=only/nodes)(label=a))\n"
                             f" (&(count=1){program}\n   (resourceManagerContact='nodes:2119/jobmanager')(label=b))\n")
        done = self.dmm("submit", "--wait", "--json", "job.rsl")
        self.assertEqual((done.json["name"], done.json["processors"], done.json["state"]), ("sh", 3, "finished"))
        self.assertEqual(done.err, "dmm submit: job.rsl line 2: label is unknown to DMM and left out\n")
        self.assertEqual(sorted(self.output("1", "--component", str(i)) for i in range(2)), ["0 of 2\n", "1 of 2\n"])
        self.stop()
        self.file("job.rsl", "&(executable=a)\n(count=many)")
        self.refused(2, "job.rsl line 2, column 2: count: expected a whole number", words=("submit", "job.rsl"))
        self.refused(2, "--name: a job file says this itself", words=("submit", "--name", "x", "job.rsl"))

    def test_check_submits_nothing(self):
        self.file("job.sh", "#!/bin/sh\n#SBATCH -n 3 --exclusive\n#DMM --limit-wall 60\n")
        done = self.dmm("submit", "--check", "job.sh", "two words")
        self.assertEqual(done.out, "job 1  job.sh\n  script             job.sh 'two words'\n"
                                   "  size               3 processors\n  script carried     56 bytes\n"
                                   "  limit of run time  60 s\n1 job would be submitted; nothing was\n")
        self.assertIn("job.sh line 2: #SBATCH --exclusive", done.err)
        self.file("jobs.json", '{"processors": 2, "jobs": [{"command": ["a"]},'
                               ' {"command": ["b"], "components": [1, 2]}]}')
        jobs = self.dmm("submit", "--check", "--json", "jobs.json").json["jobs"]
        self.assertEqual([job["components"] for job in jobs],
                         [[{"processors": 2}], [{"processors": 1}, {"processors": 2}]])
        self.assertIn("job 2  b\n  command  b\n  size     3 processors in 1 + 2\n",
                      self.dmm("submit", "--check", "jobs.json").out)
        said = ("submit", "--check", "--hold", "--begin", "now+1hour", "--dependency", "afterok:12:13", "--", "true")
        self.assertIn("  held        until `dmm release`\n  begins in   1 h 00 min\n"
                      "  depends on  afterok job 12\n  depends on  afterok job 13\n", self.dmm(*said).out)
        job = self.dmm("submit", "--json", *said[1:]).json["jobs"][0]
        self.assertEqual((job["hold"], job["begin_seconds"]), (True, 3600))
        self.assertEqual(job["dependencies"], [{"kind": "afterok", "job": job, "index": None} for job in (12, 13)])
        self.dmm("submit", "--check", "--", "true")
        self.assertEqual(self.dmm("queue", "--all", "--json").json["jobs"], [])
        self.stop()
        self.dmm("submit", "--check", "jobs.json")  # no manager is asked
        self.file("jobs.json", '{"jobs": [{}]}')
        self.refused(2, 'jobs[0]: the key "command" is missing', words=("submit", "--check", "jobs.json"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
