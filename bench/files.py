#!/usr/bin/env python3
"""How fast an input file comes to a job, beside `curl` from the same server in the same run: megabytes a second until
it is whole on disk; with its SHA-256 compared, and without.

    bench/files.py                     1,000 MB, three times each
    bench/files.py --megabytes 100
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
PIECE = 1 << 20


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

    def __init__(self, folder, megabytes):
        self.folder, self.bytes, checksum = folder, megabytes * 1_000_000, hashlib.sha256()
        with open(folder / "file", "wb") as file:
            for _ in range(0, self.bytes, PIECE):
                piece = os.urandom(PIECE)[:self.bytes - file.tell()]
                file.write(piece)
                checksum.update(piece)
        self.sha256 = checksum.hexdigest()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.file = folder / "file"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/file"
        self.environment = {**os.environ, "DMM_HOME": str(folder / "home"), "PATH": f"{BIN}:{os.environ['PATH']}"}
        topology = {"name": "files", "sites": [{"name": "alpha", "users": ["u0"],
                                                "clusters": [{"name": "nodes", "nodes": 1}]}]}
        (folder / "files.json").write_text(json.dumps(topology))
        self.dmm("testbed", "up", folder / "files.json")

    def dmm(self, *words):
        subprocess.run(["dmm", *map(str, words)], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def curl(self):
        began = time.monotonic()
        subprocess.run(["curl", "--silent", "--fail", "--output", self.folder / "copy", self.url], check=True)
        took = time.monotonic() - began
        (self.folder / "copy").unlink()
        return took

    def job(self, files):
        """Seconds from submission to the end of a job that does nothing with these files."""
        (self.folder / "job.json").write_text(json.dumps({"command": ["true"], "stage_in": files}))
        began = time.monotonic()
        self.dmm("submit", "--wait", self.folder / "job.json")
        return time.monotonic() - began

    def close(self):
        self.dmm("testbed", "down", "files")
        self.server.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dmm-bench-") as folder:
        bed = Bed(pathlib.Path(folder), given.megabytes)
        one = {"name": "file", "url": bed.url}
        (bed.folder / "small").write_text("x")
        small = {"name": "small", "url": f"file://{bed.folder}/small"}
        ways = {"curl": bed.curl, "a job's input file": lambda: bed.job([one]),
                "the same, its SHA-256 compared": lambda: bed.job([{**one, "sha256": bed.sha256}])}
        try:
            idle = statistics.median(bed.job([small]) for _ in range(5))
            seconds = {name: [] for name in ways}
            for _ in range(given.times):
                for name, way in ways.items():
                    seconds[name].append(way() - (0 if name == "curl" else idle))
        finally:
            bed.close()
        print(f"| {given.megabytes} MB over one TCP connection | MB/s | of curl |\n|---|--:|--:|")
        base = statistics.median(seconds["curl"])
        for name, some in seconds.items():
            took = statistics.median(some)
            print(f"| {name} | {given.megabytes / took:.0f} | {base / took:.2f} |")
        print(f"\nWithout a file to wait for, a job takes {idle * 1000:.0f} ms.")


if __name__ == "__main__":
    main()
