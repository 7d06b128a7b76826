"""A flood against managers that listen over tcp, and honest parties that ask meanwhile. Each kind is a process of its
own: it runs until its input ends, and then prints its counts as JSON.

        flood.py silent PORT COUNT            silent connections; closed ones are opened again
        flood.py handshakes PORT RATE         bad handshakes a second: garbage, other mechanisms, half a greeting
        flood.py unknown ENDPOINT RATE        complete handshakes a second with keys that no site certified
        flood.py garbage ENDPOINT RATE SITE PEER KEYS   messages a second from a known neighbour
        flood.py parts ENDPOINT BYTES KEYS    messages of many parts, one after another, each on a connection of its own
        flood.py ask ENDPOINT RATE PEER NAME KEYS       questions a second over one connection
        flood.py call ENDPOINT RATE PEER NAME KEYS      questions a second, each over a connection of its own
        flood.py ... KEYS COUNT                         the same, ended after COUNT questions
"""
import collections
import json
import os
import pathlib
import resource
import select
import socket
import struct
import subprocess
import sys
import time

import zmq
from dmm_client import CLIENT, Answer, Ask, Manager, Network, Party, Register, frame_of, raw_frame
from dmm_keys import Keys, key_of_endpoint

OPENED_EACH_SECOND = 500  # silent connections, at most
PATIENCE = 1.0  # seconds that a bad handshake waits for the end of its connection
ANSWERED = 10.0  # seconds; a slower answer doesn't count
RESET = struct.pack("ii", 1, 0)
GREETING = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0"


def greeting(mechanism):
    return GREETING + mechanism.ljust(20, b"\0") + b"\0" * 32


BAD = (b"GET / HTTP/1.0\r\n\r\n", os.urandom(200), greeting(b"NULL") + b"\x04\x19\x05READY" + b"\0" * 19,
       greeting(b"PLAIN"), greeting(b"CURVE"), greeting(b"CURVE") + b"\x04\xc8\x05HELLO" + os.urandom(194),
       GREETING[:10])


class Pace:
    """How many events are due by now at this rate, at most `burst` at once."""

    def __init__(self, rate, burst):
        self.rate, self.burst, self.at = rate, burst, time.monotonic()

    def due(self):
        now = time.monotonic()
        count = min(int((now - self.at) * self.rate), self.burst)
        if count:
            self.at = max(self.at + count / self.rate, now - self.burst / self.rate)
        return count


    def wait(self):
        """Seconds until the next event is due."""
        return max(0.0, self.at + 1 / self.rate - time.monotonic())


class Ending:
    """Whether the input has ended: then the process counts and ends."""

    def __init__(self):
        self.poll = select.poll()
        self.poll.register(0, select.POLLIN | select.POLLHUP)

    def __call__(self):
        return bool(self.poll.poll(0))


class Sockets:
    """Many connections to one port, from changing addresses of the loopback."""

    def __init__(self, port):
        self.port, self.open, self.epoll, self.counts = port, {}, select.epoll(), collections.Counter()

    def begin(self, events):
        one = socket.socket()
        one.setblocking(False)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)  # leaves nothing behind in the kernel
        one.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
        one.bind((f"127.0.{self.counts['opened'] % 50 + 1}.1", 0))
        one.connect_ex(("127.0.0.1", self.port))
        self.open[one.fileno()] = one
        self.epoll.register(one, events | select.EPOLLRDHUP)
        self.counts["opened"] += 1
        self.counts["most"] = max(self.counts["most"], len(self.open))
        return one

    def end(self, number, why):
        self.counts[why] += 1
        self.epoll.unregister(number)
        self.open.pop(number).close()


def silent(ending, port, count):
    sockets, pace = Sockets(int(port)), Pace(OPENED_EACH_SECOND, 100)
    while not ending():
        for _ in range(min(pace.due(), int(count) - len(sockets.open))):
            sockets.begin(0)
        for number, _ in sockets.epoll.poll(0.02):
            sockets.end(number, "closed")
    return sockets.counts


def handshakes(ending, port, rate):
    sockets, pace, ages = Sockets(int(port)), Pace(float(rate), 50), collections.deque()
    while not ending():
        for _ in range(pace.due()):
            one = sockets.begin(select.EPOLLOUT)
            ages.append((time.monotonic() + PATIENCE, one.fileno(), one))
        for number, events in sockets.epoll.poll(0.01):
            if events & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR):
                sockets.end(number, "closed")
            elif events & select.EPOLLOUT:
                sockets.open[number].send(BAD[sockets.counts["sent"] % len(BAD)])
                sockets.counts["sent"] += 1
                sockets.epoll.modify(number, select.EPOLLRDHUP)
        while ages and ages[0][0] < time.monotonic():
            _, number, one = ages.popleft()
            if sockets.open.get(number) is one:
                sockets.end(number, "given_up")
    return sockets.counts


def dealer(context, endpoint, keys, source="127.0.0.1"):
    one = context.socket(zmq.DEALER)
    one.setsockopt(zmq.LINGER, 0)
    one.setsockopt(zmq.RECONNECT_IVL, 100)
    place, key = key_of_endpoint(endpoint)
    keys.prove(one, key)
    one.connect(place.replace("tcp://", f"tcp://{source}:0;"))
    return one


def unknown(ending, endpoint, rate):
    context, pace, held, counts = zmq.Context(), Pace(float(rate), 20), collections.deque(), collections.Counter()
    while not ending():
        for _ in range(pace.due()):
            one = dealer(context, endpoint, Keys(), "127.0.60.1")
            one.send(os.urandom(100))
            held.append(one)
            counts["opened"] += 1
        while len(held) > 200:
            held.popleft().close()
        time.sleep(0.005)  # between looks
    return counts


def garbage_of(party, peer, incarnation):
    """Messages of a known peer that must be refused, each in another way."""
    session = Manager.__new__(Manager)
    session.party, session.peer, session.incarnation = party, peer, incarnation
    session.peer_incarnation, session.delivered = 1, 0
    return [[os.urandom(300)], [b"\xdd\xff\0\0\0"], [raw_frame(session.head(10, 7), "a text")],
            [raw_frame(session.head(999, 8), [1, 2, 3])], [b"one part", b"and another"], [b""],
            [frame_of(session.head(Register.NUMBER, 9), Register("nodes", 4))], [b"\x91" * 5_000]]


def party_of(text):
    """The party that "2/alpha/nodes" names: role, site and name."""
    role, site, name = text.split("/", 2)
    return Party(site, int(role), name)


def garbage(ending, endpoint, rate, party, peer, folder):
    network, pace, counts = Network(), Pace(float(rate), 200), collections.Counter()
    keys = Keys.read(folder)
    known = Manager(network, party_of(party), party_of(peer), endpoint, keys=keys).open(60)
    print("open", flush=True)
    messages = garbage_of(known.party, known.peer, known.incarnation)
    while not ending():
        for _ in range(pace.due()):
            try:
                known.socket.send_multipart(messages[counts["sent"] % len(messages)], zmq.DONTWAIT)
                counts["sent"] += 1
            except zmq.Again:
                counts["held"] += 1
        network.serve(0.005)
        counts["told"] += len(known.faults)
        known.faults.clear()
        known.inbox.clear()
    return counts


def parts(ending, endpoint, size, folder):
    """Each message is dropped where it is refused: the connection is opened again for the next one."""
    context, counts, keys = zmq.Context(), collections.Counter(), Keys.read(folder)
    count = int(size) // 60_000
    while not ending():
        one = dealer(context, endpoint, keys)
        watch = one.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        one.send_multipart([b"x" * 60_000] * count)
        counts["sent"] += 1
        end = time.monotonic() + 5
        while not ending() and time.monotonic() < end:
            if watch.poll(50):
                counts["cut"] += 1
                break
        one.disable_monitor()
        one.close()
    return counts


class Asker(Manager):
    tokens = iter(range(1, 1 << 62))

    def ask(self, seconds):
        token = next(self.tokens)
        self.send(Ask(token, "status", ""))
        self.expect(Answer, seconds, lambda answer: answer.token == token)


def ask(ending, endpoint, rate, peer, name, folder, count="1e9", each_by_itself=False):
    network, pace, keys = Network(), Pace(float(rate), 1), Keys.read(folder)
    peer = party_of(peer)
    me = Party(peer.site, CLIENT, name)
    asker = None if each_by_itself else Asker(network, me, peer, endpoint, keys=keys).open(60)
    print("open", flush=True)
    took, missed, began = [], 0, time.monotonic()
    while not ending() and len(took) + missed < float(count):
        if not pace.due():
            network.serve(max(pace.wait(), 0.001))
            continue
        before = time.monotonic()
        try:
            if each_by_itself:
                asker = Asker(network, me._replace(name=f"{name}{len(took)}"), peer, endpoint, keys=keys)
                asker.hello_at = 0.0
            asker.ask(ANSWERED)
            took.append(time.monotonic() - before)
        except AssertionError as fault:
            missed += 1
            print(fault, file=sys.stderr)
        if each_by_itself and asker:
            asker.close()
    return {"asked": len(took) + missed, "answered": len(took), "seconds": time.monotonic() - began,
            "took": [round(one * 1e6) for one in took]}


def call(ending, *words):
    return ask(ending, *words, each_by_itself=True)


class Crowd:
    """A kind of flood, or an honest party, as a process."""

    def __init__(self, *words, nice=0):
        self.words = words
        self.process = subprocess.Popen([sys.executable, __file__, *map(str, words)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.nice(nice))
        self.begun = words[0] not in ("garbage", "ask", "call")

    def until_open(self):
        if not self.begun and self.process.stdout.readline() != "open\n":
            raise AssertionError(f"{self.words} could not begin")
        self.begun = True
        return self

    def end(self):
        """What it counted."""
        self.process.stdin.close()
        lines = self.process.stdout.read().splitlines()
        self.process.stdout.close()
        if self.process.wait(60) != 0:
            raise AssertionError(f"{self.words} ended with {self.process.returncode}")
        return json.loads(lines[-1])

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def seen_of(pid):
    """Descriptors, memory in bytes and processor seconds of a process."""
    of = pathlib.Path(f"/proc/{pid}")
    fields = (of / "stat").read_text().rsplit(")", 1)[1].split()
    pages = int((of / "statm").read_text().split()[1])
    ticks = int(fields[11]) + int(fields[12])
    return {"descriptors": len(os.listdir(of / "fd")), "bytes": pages * resource.getpagesize(),
            "seconds": ticks / os.sysconf("SC_CLK_TCK")}


KINDS = {one.__name__: one for one in (silent, handshakes, unknown, garbage, parts, ask, call)}


def main(kind, *words):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(json.dumps(KINDS[kind](Ending(), *words)))


if __name__ == "__main__":
    main(*sys.argv[1:])
