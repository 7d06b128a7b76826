"""`dmm simulate`, `dmm compare` and `dmm whatif` as programs: their output, the folder of results as other tools read
it, equal bytes for equal seeds, and one clear message for bad input.
"""
import csv
import json
import unittest
import xml.etree.ElementTree

from grid import SOURCE, GridTest

DUAL = SOURCE / "topologies/dual-grid.json"
TWO = SOURCE / "topologies/two-sites.json"
MORNING = SOURCE / "workloads/two-sites-morning.swf.gz"
FILES = {"jobs.csv", "outcome.swf", "clusters.csv", "links.csv", "schedule.json", "summary.json", "summary.txt",
         "utilisation.svg", "waiting.svg", "waits.svg", "goodput.svg", "gantt.svg"}
MODEL = ("--model", "lublin-feitelson", "--correction", "none")
SWF_LINE = "{job} {submit} -1 {run} {size} -1 -1 {size} 100 -1 1 1 1 1 1 {cluster} -1 -1\n"


def numbers_of(intervals):
    """The members of an interval set such as "0-3 7"."""
    members = []
    for word in intervals.split():
        first, _, last = word.partition("-")
        members += range(int(first), int(last or first) + 1)
    return members


class Simulate(GridTest):
    def output(self, name, *words):
        folder = self.folder / name
        done = self.dmm("simulate", *words, "--output", folder)
        self.assertEqual({path.name for path in folder.iterdir()}, FILES)
        return folder, done

    def rows(self, folder):
        with open(folder / "jobs.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def check_schedule(self, folder, processors):
        """As evalys would check it: every row is consistent, and no processor has two jobs at a time."""
        rows = self.rows(folder)
        busy = {}
        for row in rows:
            if row["final_state"] == "REJECTED":
                self.assertEqual((row["starting_time"], row["allocated_resources"]), ("", ""))
                continue
            submit, start, end = (float(row[key]) for key in ("submission_time", "starting_time", "finish_time"))
            self.assertAlmostEqual(float(row["waiting_time"]), start - submit, places=3)
            self.assertAlmostEqual(float(row["execution_time"]), end - start, places=3)
            self.assertAlmostEqual(float(row["turnaround_time"]), end - submit, places=3)
            members = numbers_of(row["allocated_resources"])
            self.assertEqual(len(members), int(row["requested_number_of_resources"]), row)
            for member in members:
                self.assertLess(member, processors)
                busy.setdefault(member, []).append((start, end))
        for stays in busy.values():
            stays.sort()
            for (_, end), (start, _) in zip(stays, stays[1:]):
                self.assertLessEqual(end, start + 1e-6)
        return rows

    def test_one_cluster(self):
        words = ("--processors", 64, *MODEL, "--days", 2, "--architecture", "easy")
        folder, done = self.output("first", *words)
        again, _ = self.output("second", *words)
        for name in FILES:
            self.assertEqual((folder / name).read_bytes(), (again / name).read_bytes(), name)
        other, _ = self.output("third", *words, "--seed", 2)
        self.assertNotEqual((folder / "jobs.csv").read_bytes(), (other / "jobs.csv").read_bytes())
        rows = self.check_schedule(folder, 64)
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual(len(rows), summary["jobs_submitted"])
        self.assertEqual({row["final_state"] for row in rows}, {"COMPLETED_SUCCESSFULLY"})
        waits = [float(row["waiting_time"]) for row in rows]
        self.assertAlmostEqual(sum(waits) / len(waits), summary["average_wait_seconds"], places=3)
        schedule = json.loads((folder / "schedule.json").read_text(encoding="utf-8"))
        self.assertEqual(schedule["nb_jobs_success"], len(rows))
        self.assertAlmostEqual(schedule["max_waiting_time"], max(waits), places=3)
        self.assertEqual(done.out, (folder / "summary.txt").read_text(encoding="utf-8"))
        for name in FILES:
            if name.endswith(".svg"):
                xml.etree.ElementTree.parse(folder / name)

    def test_the_real_managers(self):
        words = ("--topology", TWO, "--workload", MORNING)
        folder, _ = self.output("managers", *words)
        rows = self.check_schedule(folder, 24)
        self.assertEqual({row["final_state"] for row in rows}, {"COMPLETED_SUCCESSFULLY"})
        self.assertTrue(any("ran=beta" in row["metadata"] and "home=alpha" in row["metadata"] for row in rows))
        self.assertTrue((folder / "links.csv").read_text(encoding="utf-8").count("\n") > 10)
        first, second = (self.dmm("simulate", *words, "--json").out for _ in range(2))
        self.assertEqual(first, second)
        report = json.loads(first)
        self.assertEqual(report["jobs_finished"], len(rows))
        self.assertTrue(report["ok"])
        self.assertEqual(report["nodes_not_home"], 0)
        self.assertEqual(report["jobs_rerun"], 0)
        self.assertGreater(report["messages"]["dmm"], 0)

    def test_settings_of_a_live_site(self):
        words = ("simulate", "--topology", TWO, "--workload", MORNING, "--json")
        live = self.folder / "alpha.json"
        live.write_text(json.dumps({"site": "alpha", "listen": ["ipc:///tmp/alpha.ipc"], "delegate": False}),
                        encoding="utf-8")
        self.assertLess(self.dmm(*words).json["goodput"]["local"], 1)
        alone = self.dmm(*words, "--settings-of", live).json
        self.assertEqual(alone["goodput"]["local"], 1)
        self.assertEqual([one["by"] for one in alone["replaced"]], ["simulation"])
        live.write_text('{"site": "alpha", "delegates": false}', encoding="utf-8")
        self.refused(2, "alpha.json", "delegates", "did you mean \"delegate\"?", words=(*words, "--settings-of", live))

    def test_without_cool_down(self):
        folder, _ = self.output("stopped", "--processors", 16, *MODEL, "--load", 2, "--no-cool-down",
                                "--architecture", "fcfs")
        states = {row["final_state"] for row in self.check_schedule(folder, 16)}
        self.assertIn("REJECTED", states)
        self.assertIn("COMPLETED_SUCCESSFULLY", states)

    def test_what_comes_out_goes_in_again(self):
        folder, _ = self.output("once", "--topology", TWO, "--workload", MORNING, "--architecture", "sep-c")
        report = self.dmm("simulate", "--topology", TWO, "--workload", folder / "outcome.swf", "--architecture",
                          "sep-c", "--json").json
        before = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual(report["jobs_submitted"], before["jobs_finished"])
        self.assertAlmostEqual(report["average_wait_seconds"], before["average_wait_seconds"], delta=1)

    def test_schedulers_change(self):
        words = ("--processors", 64, *MODEL, "--days", 3, "--load", 1.1, "--json", "--architecture")
        fcfs, easy = (self.dmm("simulate", *words, name).json["average_wait_seconds"] for name in ("fcfs", "easy"))
        both = self.dmm("simulate", *words, "fcfs", "--change", "86400=easy").json["average_wait_seconds"]
        self.assertTrue(easy < both < fcfs, (easy, both, fcfs))

    def test_logs_by_cluster(self):
        logs = []
        for cluster in range(2):
            log = self.folder / f"log{cluster}.swf"
            log.write_text("".join(SWF_LINE.format(job=job, submit=10 * job, run=100, size=2 + cluster, cluster=7)
                                   for job in range(1, 6)), encoding="utf-8")
            logs.append(log)
        words = ("simulate", "--topology", TWO, "--architecture", "sep-c", "--json")
        report = self.dmm(*words, "--workload", f"beta={logs[0]}", "--workload", f"alpha={logs[1]}").json
        homes = {home["cluster"]: home["jobs_submitted"] for home in report["homes"]}
        self.assertEqual(homes, {"alpha": 5, "beta": 5})
        goodput = {home["cluster"]: home["goodput_processor_seconds"]["local"] for home in report["homes"]}
        self.assertEqual(goodput, {"alpha": 1500, "beta": 1000})

    def bad(self, *words, parts, code=2):
        done = self.refused(code, *parts, words=("simulate", *words))
        self.assertEqual(done.out, "")

    def test_bad_input(self):
        one = ("--processors", 8)
        self.bad(parts=("--topology FILE or --processors P",))
        self.bad(*one, parts=("--workload FILE, --model",))
        self.bad(*one, *MODEL, "--workload", MORNING, parts=("choose one workload",))
        self.bad(*one, "--model", "lublin", parts=("--model", "lublin-feitelson"))
        self.bad(*one, *MODEL, "--architecture", "esy", parts=("no architecture \"esy\"", "did you mean \"easy\"?"))
        self.bad(*one, *MODEL, "--change", "easy", parts=("--change", "3600=easy"))
        self.bad(*one, *MODEL, "--change", "10=easy", parts=("--change", "dmm is the real managers"))
        self.bad(*one, *MODEL, "--load", "0.5,0.6", parts=("--model",))
        self.bad(*one, *MODEL, "--target", "hint", parts=("--target", "did you mean \"hints\"?"))
        self.bad(*one, *MODEL, "--set", "defaults.lent=1", parts=("defaults.lent",))
        self.bad("--topology", "none.json", *MODEL, parts=("none.json", "no such file"))
        self.bad(*one, "--workload", "none.swf", parts=("none.swf",))
        broken = self.folder / "broken.swf"
        broken.write_text("1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 0 -1 -1\n1 2 three\n", encoding="utf-8")
        self.bad(*one, "--architecture", "fcfs", "--workload", broken, parts=("broken.swf:2",))
        kept = self.dmm("simulate", *one, "--architecture", "fcfs", "--workload", broken, "--skip-bad-lines", "--json")
        self.assertEqual(kept.json["jobs_finished"], 1)
        self.assertEqual(self.dmm("simulate", *one, *MODEL, "--architecture", "fcfs", "--output", "/dev/null/x",
                                  code=1).err.count("/dev/null/x"), 1)


class Compare(GridTest):
    WORDS = ("compare", "--processors", 32, *MODEL, "--days", 2, "--architectures", "fcfs,easy", "--loads", "0.5,0.9",
             "--repetitions", 3)

    def test_tables_and_figures(self):
        folder = self.folder / "out"
        done = self.dmm(*self.WORDS, "--output", folder, "--jobs-at-once", 3)
        self.assertEqual({path.name for path in folder.iterdir()},
                         {"comparison" + end for end in (".csv", "-runs.csv", ".json", ".txt", ".svg")})
        self.assertIn("goodput [h]", done.out)
        self.assertIn(" ± ", done.out)
        with open(folder / "comparison-runs.csv", newline="", encoding="utf-8") as file:
            runs = list(csv.DictReader(file))
        self.assertEqual(len(runs), 2 * 2 * 3)
        self.assertEqual({row["seed"] for row in runs}, {"1", "2", "3"})
        xml.etree.ElementTree.parse(folder / "comparison.svg")
        one = self.dmm(*self.WORDS, "--json", "--jobs-at-once", 1)
        self.assertEqual(json.loads((folder / "comparison.json").read_text(encoding="utf-8")), one.json)
        wait = one.json["points"][1]["variants"][0]["metrics"]["average_wait_seconds"]
        self.assertAlmostEqual(wait["mean"], sum(wait["values"]) / 3)
        simulated = self.dmm("simulate", "--processors", 32, *MODEL, "--days", 2, "--architecture", "fcfs", "--load",
                             0.9, "--seed", 2, "--json").json
        self.assertAlmostEqual(wait["values"][1], simulated["average_wait_seconds"])

    def test_an_experiment(self):
        folder = self.folder / "figure"
        done = self.dmm("compare", "--experiment", "figure8", "--topology", TWO, "--architectures", "sep-c,dmm",
                        "--loads", "0.6,1.2", "--repetitions", 1, "--correction", "none", "--output", folder, "--csv")
        self.assertIn("60 % / 120 %", done.out)
        self.assertTrue((folder / "figure9-goodput.svg").is_file())

    def test_bad_input(self):
        for words, part in ((("--architectures", "dmn"), "--architectures: there is no architecture \"dmn\""),
                            (("--experiment", "figure70"), "did you mean \"figure7\"?"),
                            (("--metrics", "goodput"), "--metrics"),
                            (("--repetitions", 0), "--repetitions"),
                            ((), "--topology FILE or --processors P")):
            self.refused(2, part, words=("compare", *words))


class WhatIf(GridTest):
    LARGER = "twice beta: sites.beta.clusters.nodes.nodes=32"

    def test_the_recording_of_a_live_grid(self):
        folder = self.folder / "run"
        self.dmm("run", TWO, "--workload", MORNING, "--speedup", 7200, "--jobs", 20, "--output", folder)
        runs = self.dmm("whatif", TWO, "--recording", folder, "--recorded-speedup", 7200, "--try", self.LARGER,
                        "--site", "alpha", "--json").json["runs"]
        self.assertEqual([run["name"] for run in runs], ["as it is", "twice beta"])
        self.assertEqual([run["jobs_finished"] for run in runs], [20, 20])
        self.assertEqual(runs[0]["site"]["jobs_finished"], runs[1]["site"]["jobs_finished"])

    def test_a_trace(self):
        words = ("whatif", TWO, "--workload", MORNING, "--try", self.LARGER, "--try", "sites.alpha.settings.lend=false")
        told = self.dmm(*words, "--json").json
        as_it_is, larger, _ = told["runs"]
        self.assertEqual([one["by"] for one in told["replaced"]], ["simulation"])
        self.assertIn("replaced: usage_records_max", self.dmm(*words).out)
        self.assertLess(larger["average_wait_seconds"], as_it_is["average_wait_seconds"] / 2)
        self.assertRegex(self.dmm(*words).out, r"twice beta .* -\d\d %")
        self.assertEqual(self.dmm(*words).out, self.dmm(*words).out)

    def test_bad_input(self):
        for words, part in (((), "--try is required"),
                            (("--try", "beta"), "--try \"beta\": --set beta: expected key=value"),
                            (("--try", "x: sites.beta.nods=3"), "--try \"x\": "),
                            (("--try", "defaults.lend=false", "--site", "gamma"), "has no site \"gamma\"")):
            self.refused(2, part, words=("whatif", TWO, "--workload", MORNING, *words))
        self.refused(2, "no logs (*.jsonl)", words=("whatif", TWO, "--recording", self.folder, "--try", "name=a"))


if __name__ == "__main__":
    unittest.main()
