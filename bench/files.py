#!/usr/bin/env python3
"""How fast files reach a job and come home from it, compared with `curl` from a server in the same run: megabytes a
second until they are whole. Input files come from that server, with and without a check of their SHA-256, and from the
job manager's own server, which also takes output files. These are safe on the disk at the end, so they are compared
with `curl` and `sync`, too.

    bench/files.py                     1,000 MB, three times each, in turn
    bench/files.py --megabytes 100
    bench/files.py --delay 50          over a relay that adds 50 ms to each way there and back
"""
import argparse
import hashlib
import http.server
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("DMM_BIN", SOURCE / "build/bin")).resolve()
BENCH = pathlib.Path(os.environ.get("DMM_BENCH", BIN.parent / "bench")).resolve()
PIECE = 1 << 20
PAUSE = 3  # seconds, after which a virtual machine has given back freed memory: the same state for each measurement


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends the file by the kernel alone."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):  # noqa: N802
        with open(self.server.file, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.flush()
            self.connection.sendfile(file)
        self.close_connection = True


class Bed:
    """A server and a testbed of one site."""

    def __init__(self, folder, megabytes, delay):
        self.folder, self.bytes = folder, megabytes * 1_000_000
        self.relays = []
        with open(folder / "file", "wb") as file:
            for at in range(0, self.bytes, PIECE):
                file.write(os.urandom(min(PIECE, self.bytes - at)))
        self.sha256 = self.sha256_of(folder / "file")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.file = folder / "file"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.relayed(self.server.server_address[1], delay)}/file"
        self.environment = {**os.environ, "DMM_HOME": str(folder / "home"), "PATH": f"{BIN}:{os.environ['PATH']}"}
        topology = {"name": "files", "sites": [{"name": "alpha", "users": ["u0"],
                                                "clusters": [{"name": "nodes", "nodes": 1}]}]}
        (folder / "files.json").write_text(json.dumps(topology))
        self.dmm("testbed", "up", folder / "files.json")
        if delay > 0:
            self.delay_home(delay)

    @staticmethod
    def sha256_of(path):
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def relayed(self, port, delay):
        if delay == 0:
            return port
        self.relays.append(subprocess.Popen([BENCH / "delay_relay", str(port), str(delay // 2)], text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return int(self.relays[-1].stdout.readline())

    def delay_home(self, delay):
        """The job manager's server stays where it is; nodes are sent to the relay in front of it."""
        beds = json.loads(self.dmm("testbed", "status", "--json"))["testbeds"]
        file = next(pathlib.Path(one["config"]) for one in beds[0]["daemons"]
                    if one["daemon"] == "jobmgr alpha/u0")
        config = json.loads(file.read_text())
        port = int((pathlib.Path(config["directory"]) / "files-port").read_text())
        config |= {"files_listen": f"127.0.0.1:{port}", "files_host": f"127.0.0.1:{self.relayed(port, delay)}"}
        file.write_text(json.dumps(config))
        self.dmm("testbed", "restart", "files", "--which", "jobmgr alpha/u0")

    def dmm(self, *words):
        return subprocess.run(["dmm", *map(str, words)], env=self.environment, check=True, capture_output=True).stdout

    def curl(self, is_synced=False):
        began = time.monotonic()
        subprocess.run(["curl", "--silent", "--fail", "--output", self.folder / "copy", self.url], check=True)
        if is_synced:
            subprocess.run(["sync", "--data", self.folder / "copy"], check=True)
        took = time.monotonic() - began
        (self.folder / "copy").unlink()
        return took

    def job(self, files, command="true", **more):
        """The record of a job with these files once it is over."""
        (self.folder / "job.json").write_text(json.dumps({"command": ["sh", "-c", command], "stage_in": files, **more}))
        return json.loads(self.dmm("submit", "--wait", "--json", self.folder / "job.json"))

    def input(self, file):
        """Seconds of a job beyond its run time: until its file is there."""
        return self.job([file])["overhead_seconds"]

    def output(self):
        """Seconds from the end of a job's program until its output file is safe, and the job over, as its record says:
        the command that waits for it looks twice a second. The program's own writing is over by then: at home the disk
        of another host would be busy with it."""
        stamp, brought = self.folder / "stamp", self.folder / "brought"
        record = self.job([], f"cp {self.folder}/file file && sync --data file && date +%s.%N > {stamp}",
                          stage_out=[{"name": "file", "path": str(brought)}])
        assert self.sha256_of(brought) == self.sha256
        brought.unlink()
        return record["ended"] - float(stamp.read_text())

    def close(self):
        self.dmm("testbed", "down", "files")
        self.server.shutdown()
        for relay in self.relays:
            relay.stdin.close()
            relay.wait()
            relay.stdout.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--delay", type=int, default=0, metavar="MS")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dmm-bench-") as folder:
        bed = Bed(pathlib.Path(folder), given.megabytes, given.delay)
        one = {"name": "file", "url": bed.url}
        (bed.folder / "small").write_text("x")
        small = {"name": "small", "url": f"file://{bed.folder}/small"}
        ways = {"curl": bed.curl, "a job's input file": lambda: bed.input(one),
                "the same input file, its SHA-256 compared": lambda: bed.input({**one, "sha256": bed.sha256}),
                "an input file from home": lambda: bed.input({"name": "file", "path": str(bed.folder / "file")}),
                "`curl`, then `sync`": lambda: bed.curl(is_synced=True), "an output file": bed.output}
        try:
            idle = statistics.median(bed.input(small) for _ in range(5))
            seconds = {name: [] for name in ways}
            for _ in range(given.times):
                for name, way in ways.items():
                    time.sleep(PAUSE)
                    seconds[name].append(way() - (idle if "input" in name else 0))
                    print(f"{name}: {seconds[name][-1]:.2f} s", flush=True)
        finally:
            bed.close()
        print(f"| {given.megabytes} MB over one TCP connection | MB/s | of curl |\n|---|--:|--:|")
        base = statistics.median(seconds["curl"])
        for name, some in seconds.items():
            took = statistics.median(some)
            print(f"| {name} | {given.megabytes / took:.0f} | {base / took:.2f} |")
        print(f"\nWithout a file to wait for, a job begins after {idle * 1000:.0f} ms.")


if __name__ == "__main__":
    main()
