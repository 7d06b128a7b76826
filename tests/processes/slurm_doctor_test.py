# ctest: cost 60
# ctest: batch system
"""`dmm doctor` reports what a real Slurm cluster lacks for lending and borrowing, and `dmm slurm configure` repairs
it."""
import json
import re
import signal
import unittest

from slurm_stage import MINUTE, SlurmTest, end, until

NEEDED = ("SelectType", "SelectTypeParameters", "TreeWidth", "MaxNodeCount", "PreemptType", "PreemptMode",
          "SlurmctldParameters", "PartitionName=lend")


class Doctor(SlurmTest):
    def restart_controller(self):
        end(self.a.pid_of("run/slurmctld"), signal.SIGTERM)
        self.a.at("a", "slurmctld")
        until(lambda: "UP" in self.a.run("scontrol", "ping", code=None), "a controller that answers", MINUTE)

    def found(self, code, *options):
        """The doctor's findings, by subject."""
        config = self.a.folder / "batch/batchmgr.json"
        said = self.a.at("a", "dmm", "doctor", "--config", config, "--json", *options, code=code)
        return {one["subject"]: one for one in json.loads(said)["findings"]}

    def to_change(self, *options):
        return {name for name, one in self.found(1, *options).items() if one["kind"] == "change"}

    def configure(self, *options):
        return self.a.run("dmm", "slurm", "configure", "--config", self.a.folder / "batch/batchmgr.json", *options)

    def tearDown(self):
        """The testbed isn't used again."""

    def test_a_cluster_that_lacks_all_is_told_so_and_mended(self):
        self.assertNotIn("change", [one["kind"] for one in self.found(0).values()])
        self.assertIn("has all that", self.configure())
        self.a.stop_lending()
        node = {name: one["kind"] for name, one in self.found(0, "--node", "a1").items() if name.startswith("a1: ")}
        self.assertEqual(node, {f"a1: {what}": "ok" for what in (
            "clock", "DMM's programs", "folder", "way to the head", "namespaces", "Slurm for borrowers", "cgroups")})

        file = self.a.folder / "slurm.conf"
        good = file.read_text()
        bare = "".join(line for line in good.splitlines(keepends=True) if not line.startswith(NEEDED))
        bare = bare.replace(",cred_expire=5", "").replace("=main Nodes=ALL", "=main Nodes=a[1-4]")
        bare = re.sub(r" PriorityTier=\d+ PreemptMode=\w+", "", bare)
        file.write_text(bare)
        self.restart_controller()
        # Slurm of Debian 12 may or may not select nodes as lending needs it: both are right.
        self.assertEqual(self.to_change() - {"nodes that come and go"}, {
            "preemption", "warning of preemption", "partition of pilots", "room for nodes",
            "jobs of returned nodes", "partition of borrowed nodes"})
        diff = self.configure()
        self.assertIn("+PreemptType=preempt/partition_prio", diff)
        self.assertIn("+PartitionName=lend Nodes=a[1-4]", diff)
        self.assertIn("Nothing is written", diff)
        self.assertEqual(file.read_text(), bare)
        self.assertIn("is written", self.configure("--write"))
        self.assertEqual((self.a.folder / "slurm.conf.before-dmm").read_text(), bare)
        self.restart_controller()
        self.assertNotIn("change", [one["kind"] for one in self.found(0).values()])

        # Managers that don't answer are findings, too.
        end(self.a.pid_of("site/sitemgr"))
        self.assertEqual(self.to_change(), {"site manager", "endpoint for nodes"})
        end(self.a.pid_of("run/slurmctld"))
        self.assertIn("Slurm", self.to_change())


if __name__ == "__main__":
    unittest.main()
