#!/usr/bin/env python3
"""Jobs of `true` a second: DMM's own dispatch compared with Slurm's on the same host, with equal slots, in one run.
Also the cost for a batch manager of watching a large Slurm cluster.

    bench/slurm_dispatch.py                        256 slots, 1,000 jobs each; 400 nodes watched for 20 s
    bench/slurm_dispatch.py --slots 64 --jobs 500

Slurm is tuned for throughput as its documentation says: batch_sched_delay=0, sched_min_interval=0, no accounting, no
prolog. Both get their jobs as one array, in a single request. Needs root and Slurm (scripts/setup --slurm).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SOURCE / "scripts/modules")]
from testbed_sites import Site, down, free_ports, processor_seconds, run, start_munge, until  # noqa: E402

WATCHED = 400
WATCH_SECONDS = 20
GIVEN_UP = "launch failed requeued held"

SLURM_CONF = """\
ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldDebug=error
SlurmdDebug=error
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
MaxArraySize=100001
MaxJobCount=200000
MinJobAge=2
MessageTimeout=100
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_max_job_start=0,default_queue_depth=10000,defer
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node} CPUs={slots} RealMemory=4000
{more}PartitionName=main Nodes=n1 Default=YES PriorityTier=10
"""


class Bench(Site):
    def __init__(self, folder, programs):
        super().__init__(folder, "bench", programs)
        self.env["SLURM_CONF"] = str(folder / "slurm.conf")

    def start_slurm(self, slots, more=""):
        for part in ("state", "spool/n1"):
            (self.folder / part).mkdir(parents=True)
        start_munge(self.folder / "munge")
        (self.folder / "cgroup.conf").touch()
        controller, node = free_ports(2)
        host = os.uname().nodename
        (self.folder / "slurm.conf").write_text(SLURM_CONF.format(
            folder=self.folder, host=host, controller=controller, node=node, slots=slots, more=more))
        run("slurmctld", env=self.env)
        run("slurmd", "-N", "n1", env=self.env)
        until("Slurm's node", lambda: "idle" in run("sinfo", "--noheader", "--nodes=n1", "--format=%T", env=self.env))

    def slurms_rate(self, jobs):
        began = time.monotonic()
        run("sbatch", f"--array=1-{jobs}", "--output=/dev/null", "--wrap=true", env=self.env, cwd="/")
        # Under load Slurm now and then abandons a launch and holds the job: it counts as done.
        while set(run("squeue", "--noheader", "--format=%r", env=self.env).splitlines()) - {GIVEN_UP}:
            time.sleep(0.1)
        rate = jobs / (time.monotonic() - began)
        run("scancel", "--user=root", env=self.env)
        return rate

    def start_dmm(self, slots):
        self.start_site(own=(slots, 1))
        self.daemon("resmgr", "own", site="bench", name="own", cluster="own", nodes=slots, processors_per_node=1,
                    site_endpoint=self.env["DMM_SITEMGR"], listen=[f"ipc://{self.folder}/own/resmgr.ipc"])
        self.start_job_manager("ann", "ann", self.env["DMM_JOBMGR"])

    def dmms_rate(self, jobs):
        began = time.monotonic()
        self.dmm("submit", "--array", f"1-{jobs}", "--discard-output", "--wait", "--", "true")
        return jobs / (time.monotonic() - began)

    def watching(self):
        """Processors that a batch manager uses at 400 nodes, with all its commands; no node is idle for long enough to
        lend."""
        self.daemon("batchmgr", "batch", site="bench", name="slurm", system="slurm", cluster="own",
                    sitemgr=self.env["DMM_SITEMGR"], node_endpoint=self.at, node_folder=str(self.folder / "nodes"),
                    idle_for_seconds=100_000, listen=[f"ipc://{self.folder}/batch/batchmgr.ipc"])
        pid = int((self.folder / "batch/batchmgr.pid").read_text())
        before, began = processor_seconds(pid), time.monotonic()
        time.sleep(WATCH_SECONDS)
        return (processor_seconds(pid) - before) / (time.monotonic() - began)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, default=256)
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument("--programs", type=pathlib.Path, default=SOURCE / "build/bin")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.directory = pathlib.Path(tempfile.mkdtemp(prefix="dmm-dispatch-"))
    options.directory.chmod(0o755)
    (options.directory / "bench").mkdir()
    bench = Bench(options.directory / "bench", options.programs.absolute())
    try:
        others = f"NodeName=w[1-{WATCHED}] NodeAddr=127.0.0.1 Port=1 CPUs=64 RealMemory=4000\n" \
                 f"PartitionName=lend Nodes=w[1-{WATCHED}] PriorityTier=1\n"
        bench.start_slurm(options.slots, others)
        bench.start_dmm(options.slots)
        rates = {"slurm": bench.slurms_rate(options.jobs), "dmm": bench.dmms_rate(options.jobs),
                 "watching": bench.watching()}
    finally:
        with open(os.devnull, "w") as nothing:
            sys.stdout, told = nothing, sys.stdout
            down(options)
            sys.stdout = told
    if options.json:
        print(json.dumps(rates))
        return
    print(f"{options.jobs} jobs of `true`, {options.slots} slots")
    print(f"  Slurm  {rates['slurm']:8.1f} a second")
    print(f"  DMM    {rates['dmm']:8.1f} a second, {rates['dmm'] / rates['slurm']:.1f} times as many")
    print(f"watching {WATCHED} nodes once a second: {rates['watching']:.3f} processors, commands included")


if __name__ == "__main__":
    main()
