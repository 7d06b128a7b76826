#!/usr/bin/env python3
"""How long it takes after a restart of a site manager until all its peers have a session again, over tcp with keys. The
peers are job managers of its site, each with a connection, a key and a certificate of its own; one process plays them
all.

    bench/rejoin.py                1,000 peers, five restarts
    bench/rejoin.py --peers 200
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

import zmq

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SOURCE / "tests/processes")]
from dmm_client import VERSION, Head, Hello, frame_of, job_manager, parse, site_manager  # noqa: E402
from dmm_keys import Keys, key_of_endpoint  # noqa: E402
from stage import BIN, PATIENCE, Stage, Trouble, free_port  # noqa: E402

GREETS_AGAIN = 0.2  # seconds


class Peer:
    """Says Hello until the present start of the site manager has answered."""

    def __init__(self, context, name, folder, endpoint):
        keys, place = Keys.read(folder), key_of_endpoint(endpoint)
        self.socket = context.socket(zmq.DEALER)
        self.socket.linger, self.socket.reconnect_ivl, self.socket.immediate = 0, 50, True
        keys.prove(self.socket, place[1])
        self.socket.connect(place[0])
        head = Head(VERSION, Hello.NUMBER, job_manager("alpha", name), site_manager("alpha"), time.time_ns() // 1000)
        self.greeting = frame_of(head, Hello(software="bench", certificate=keys.certificate))
        self.greeted, self.knows = 0.0, 0

    def is_back(self, now, before):
        """Whether a start after `before` has answered."""
        try:
            head, message = parse(self.socket.recv(zmq.DONTWAIT))
            if isinstance(message, Hello):
                self.knows = head.incarnation
        except zmq.Again:
            pass
        if self.knows == before and now - self.greeted > GREETS_AGAIN:
            try:
                self.socket.send(self.greeting, zmq.DONTWAIT)
                self.greeted = now
            except zmq.Again:
                pass  # not connected yet
        return self.knows != before


def until_all_are_back(peers, began, before):
    """Seconds until the last peer has an answer."""
    waiting = peers
    while waiting:
        now = time.monotonic()
        if now - began > PATIENCE:
            raise Trouble(f"{len(waiting)} of {len(peers)} peers aren't back after {PATIENCE} s")
        waiting = [peer for peer in waiting if not peer.is_back(now, before.get(peer, 0))]
    return time.monotonic() - began


def dmm(*words):
    subprocess.run([BIN / "dmm", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--peers", type=int, default=1_000)
    options.add_argument("--restarts", type=int, default=5)
    given = options.parse_args()
    with Stage(tcp=True) as stage:
        site = stage.folder / "alpha"
        dmm("keygen", "--site", "alpha", site)
        names = [f"u{number}" for number in range(given.peers)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda name: dmm("certify", "--by", site, "--user", name, stage.folder / name), names))
        place = f"tcp://127.0.0.1:{free_port()}"
        config = {"site": "alpha", "listen": [place], "directory": str(site), "clusters": []}
        manager = stage.daemon("sitemgr", "alpha", config)
        context = zmq.Context(io_threads=1)
        context.max_sockets = given.peers + 10
        endpoint = f"{place}#{Keys.read(site).letters()}"
        peers = [Peer(context, name, stage.folder / name, endpoint) for name in names]
        print(f"first met: {until_all_are_back(peers, time.monotonic(), {}):.2f} s")
        took = []
        for _ in range(given.restarts):
            before = {peer: peer.knows for peer in peers}
            manager.kill()
            manager.wait()
            manager = stage.daemon("sitemgr", "alpha", config)
            took.append(until_all_are_back(peers, time.monotonic(), before))
        took.sort()
        print(f"{given.peers} peers back after a restart: median {took[len(took) // 2]:.2f} s, "
              f"from {took[0]:.2f} to {took[-1]:.2f} s")
        context.destroy(0)


if __name__ == "__main__":
    try:
        main()
    except (Trouble, subprocess.CalledProcessError) as fault:
        sys.exit(str(fault))
