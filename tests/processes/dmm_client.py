"""A client of DMM, written from docs/protocol.md alone and sharing no code with the managers: frames, sessions, and
parties that play a job manager, a resource manager, a site manager or a person. For tests.

Everything waits on sockets with a deadline; nothing sleeps and hopes. While one party waits for its message, all other
parties of the same Network are served too: they answer Hellos, acknowledge, beat, and obey their handlers.
"""
import collections
import json
import time

import msgpack
import zmq
from dmm_keys import key_of_endpoint

VERSION = 1
FRAME_BYTES_MAX = 262144
PART_BYTES = 98304
SITE_MANAGER, JOB_MANAGER, RESOURCE_MANAGER, CLIENT = range(4)
FIXED, NON_FIXED, FLEXIBLE = range(3)
OUTPUT, ERROR = range(2)
TOO_LARGE, MALFORMED, LIMIT_REACHED, NO_SUCH_NODES, TOO_LONG, OVER_LIMIT = range(6)
RELEASED, EXPIRED, RECLAIMED, NOT_CLAIMED, NODE_LOST, OWNER_LOST, UNKNOWN, IDLE, NODE_REMOVED = range(9)
NO_FAULT, NO_LEASE, NODES_BUSY, EXECUTABLE_MISSING, NOT_PERMITTED, NO_DIRECTORY, RESOURCES, HUNG = range(8)
SECOND = 1_000_000  # durations travel in microseconds

HELLO_FIRST, BEAT, CLOSING = 0.1, 1.0, 5.0  # seconds; section 11


class FrameError(ValueError):
    """Bytes that are no frame of this protocol."""


# ---- Structs and messages (sections 3, 4 and 8). A kind is "name", "text", "bytes", "uint", "int", "bool", "map", a
# struct, or a list of one kind for an array of it.

def struct(name, *fields, number=0):
    base = collections.namedtuple(name, [field for field, _, _ in fields], defaults=[value for _, _, value in fields])
    return type(name, (base,), {"KINDS": tuple(kind for _, kind, _ in fields), "NUMBER": number, "__slots__": ()})


Party = struct("Party", ("site", "name", ""), ("role", "uint", CLIENT), ("name", "text", ""))
RequestId = struct("RequestId", ("site", "name", ""), ("user", "text", ""), ("job", "uint", 0), ("attempt", "uint", 1))
Epoch = struct("Epoch", ("incarnation", "uint", 0), ("counter", "uint", 0))
LeaseId = struct("LeaseId", ("owner", "name", ""), ("epoch", Epoch, Epoch()))
NodeRange = struct("NodeRange", ("first", "uint", 0), ("last", "uint", 0))
Constraints = struct("Constraints", ("memory_bytes", "uint", 0), ("attributes", "map", {}))
Component = struct("Component", ("processors", "uint", 0), ("site", "name", ""), ("cluster", "name", ""))
Need = struct("Need", ("kind", "uint", NON_FIXED), ("components", [Component], ()),
              ("component_processors_min", "uint", 1), ("components_max", "uint", 0), ("splits", [["uint"]], ()),
              ("constraints", Constraints, Constraints()))
NodeGroup = struct("NodeGroup", ("resource_manager", Party, Party()), ("cluster", "name", ""),
                   ("nodes", [NodeRange], ()), ("processors_per_node", "uint", 1), ("endpoint", "text", ""),
                   ("component", "uint", 0))
HintEntry = struct("HintEntry", ("lendable", "uint", 0), ("largest", "uint", 0), ("complete", "bool", False),
                   ("queued", "uint", 0), ("width", "uint", 0), ("round_trip_milliseconds", "uint", 0))
NodeClass = struct("NodeClass", ("memory_bytes", "uint", 0), ("attributes", "map", {}), ("largest", "uint", 0),
                   ("together", "uint", 0), ("longest", "int", 0), ("limited", "bool", False), ("in_all", "uint", 0))
ReachEntry = struct("ReachEntry", ("complete", "bool", False), ("classes", [NodeClass], ()))
SiteAnswer = struct("SiteAnswer", ("site", "name", ""), ("reason", "uint", 0), ("most", "uint", 0))
LeaseTerm = struct("LeaseTerm", ("lease", LeaseId, LeaseId()), ("left", "int", 0))
Limits = struct("Limits", ("cpu_seconds", "uint", 0), ("memory_bytes", "uint", 0), ("open_files", "uint", 0),
                ("file_bytes", "uint", 0), ("wall_seconds", "uint", 0))
Program = struct("Program", ("arguments", ["text"], ()), ("working_directory", "text", ""),
                 ("environment", ["text"], ()), ("limits", Limits, Limits()), ("script", "bytes", b""),
                 ("input", "bytes", b""), ("runner", "uint", 0), ("awaits_go", "bool", False))

Hello = struct("Hello", ("received", "uint", 0), ("answer", "bool", False), ("software", "text", ""),
               ("ancestors", ["name"], ()), ("instance", "uint", 0), ("stamp", "uint", 0), ("echo", "uint", 0),
               ("certificate", "text", ""), number=1)
Beat = struct("Beat", ("resend", "bool", False), ("last", "uint", 0), ("dormant", "bool", False), ("stamp", "uint", 0),
              ("echo", "uint", 0), ("in_passing", "bool", False), number=2)
Fault = struct("Fault", ("about", "uint", 0), ("text", "text", ""), number=3)
Relay = struct("Relay", ("sender", Party, Party()), ("receiver", Party, Party()), ("path", ["name"], ()),
               ("position", "uint", 0), ("payload", "bytes", b""), number=4)
Fragment = struct("Fragment", ("index", "uint", 0), ("last", "bool", False), ("data", "bytes", b""), number=5)
SiteVouch = struct("SiteVouch", ("site", "name", ""), ("key", "text", ""))
Vouch = struct("Vouch", ("sites", [SiteVouch], ()), ("revoked", [SiteVouch], ()), number=6)
Request = struct("Request", ("id", RequestId, RequestId()), ("need", Need, Need()), ("dttl", "uint", 5),
                 ("priority", "int", 0), ("waited", "int", 0), ("origin_user", "text", ""), ("length", "int", 0),
                 number=10)
Cancel = struct("Cancel", ("request", RequestId, RequestId()), number=11)
Refuse = struct("Refuse", ("request", RequestId, RequestId()), ("reason", "uint", 0), ("largest", "uint", 0),
                ("text", "text", ""), number=12)
Delegate = struct("Delegate", ("request", Request, Request()), ("part", "uint", 0), ("round", "uint", 0),
                  ("dttl", "uint", 0), ("tries_left", "uint", 0), ("answer_within", "int", 0),
                  ("chain", ["name"], ()), ("round_trip", "int", 0), ("stay", "uint", 0), number=13)
Reject = struct("Reject", ("request", RequestId, RequestId()), ("part", "uint", 0), ("round", "uint", 0),
                ("reason", "uint", 0), ("tries_left", "uint", 0), ("asked", [SiteAnswer], ()), number=14)
Withdraw = struct("Withdraw", ("request", RequestId, RequestId()), ("part", "uint", 0), ("round", "uint", 0),
                  number=15)
Reach = struct("Reach", ("entries", [ReachEntry], ()), number=16)
ClusterReport = struct("ClusterReport", ("site", "name", ""), ("cluster", "name", ""), ("idle", "uint", 0),
                       ("total", "uint", 0), ("processors_per_node", "uint", 1), ("memory_bytes", "uint", 0),
                       ("attributes", "map", {}), ("hops", "uint", 0), ("round_trip", "int", 0), ("age", "int", 0),
                       ("held", "uint", 0), ("bandwidth", "uint", 0))
Survey = struct("Survey", ("hops", "uint", 1), number=17)
Clusters = struct("Clusters", ("clusters", [ClusterReport], ()), number=18)
Probe = struct("Probe", ("number", "uint", 0), ("filler", "bytes", b""), number=19)
Probed = struct("Probed", ("number", "uint", 0), number=29)
Grant = struct("Grant", ("request", RequestId, RequestId()), ("part", "uint", 0), ("round", "uint", 0),
               ("lease", LeaseId, LeaseId()), ("nodes", [NodeGroup], ()), ("term", "int", 0), ("chain", ["name"], ()),
               ("owner_ancestors", ["name"], ()), ("blocks", ["bytes"], ()), ("origin", "uint", 0),
               ("tries", "uint", 0), ("grace", "int", 0), ("length", "int", 0), ("round_trip", "int", 0), number=20)
GrantSet = struct("GrantSet", ("request", RequestId, RequestId()), ("grants", [Grant], ()),
                  ("placement", "text", ""), number=27)
Claim = struct("Claim", ("lease", LeaseId, LeaseId()), ("request", RequestId, RequestId()), ("proof", "bytes", b""),
               number=21)
Claimed = struct("Claimed", ("lease", LeaseId, LeaseId()), ("request", RequestId, RequestId()), number=28)
Release = struct("Release", ("lease", LeaseId, LeaseId()), ("nodes", [NodeGroup], ()), ("silent", "bool", False),
                 ("failed", "bool", False), number=22)
LeaseEnded = struct("LeaseEnded", ("lease", LeaseId, LeaseId()), ("nodes", [NodeGroup], ()),
                    ("reason", "uint", EXPIRED), ("confirmed", "bool", False), ("grace", "int", 0), number=23)
Renew = struct("Renew", ("leases", "uint", 0), number=24)
Renewed = struct("Renewed", ("term", "int", 0), ("terms", [LeaseTerm], ()), ("wanted", [LeaseId], ()),
                 ("settled", "bool", False), number=25)
Holding = struct("Holding", ("lease", LeaseId, LeaseId()), ("request", RequestId, RequestId()),
                 ("nodes", [NodeGroup], ()), ("chain", ["name"], ()), ("owner_ancestors", ["name"], ()),
                 ("blocks", ["bytes"], ()), ("left", "int", 0), ("grace", "int", 0), ("length", "int", 0),
                 ("round_trip", "int", 0))
Inventory = struct("Inventory", ("lent", [Holding], ()), ("borrowed", [Holding], ()), ("last", "bool", True), number=26)
Register = struct("Register", ("cluster", "name", ""), ("nodes", "uint", 0), ("processors_per_node", "uint", 1),
                  ("memory_bytes", "uint", 0), ("attributes", "map", {}), ("endpoint", "text", ""),
                  ("leases", [LeaseId], ()), ("leased", [[NodeRange]], ()), ("dirty", [NodeRange], ()),
                  ("last", "bool", True), ("absent", [NodeRange], ()), number=30)
Assign = struct("Assign", ("lease", LeaseId, LeaseId()), ("nodes", [NodeRange], ()), ("holder", "name", ""),
                ("alone", "bool", False), ("once", "bool", False), ("user", "text", ""), ("patience", "int", 0),
                number=31)
Unassign = struct("Unassign", ("lease", LeaseId, LeaseId()), ("nodes", [NodeRange], ()), ("grace", "int", 0),
                  ("detached", "int", 0), number=32)
Clean = struct("Clean", ("lease", LeaseId, LeaseId()), ("nodes", [NodeRange], ()), number=33)
SetAside = struct("SetAside", ("nodes", [NodeRange], ()), ("back", "bool", False), ("text", "text", ""), number=34)
Start = struct("Start", ("lease", LeaseId, LeaseId()), ("request", RequestId, RequestId()), ("component", "uint", 0),
               ("nodes", [NodeRange], ()), ("program", Program, Program()), ("proof", "bytes", b""),
               ("streams", "bool", False), number=40)
Started = struct("Started", ("request", RequestId, RequestId()), ("component", "uint", 0), ("process", "int", 0),
                 ("isolation", "text", ""), ("contact", "text", ""), number=41)
Part = struct("Part", ("component", "uint", 0), ("nodes", "uint", 0), ("processors", "uint", 0),
              ("contact", "text", ""))
Go = struct("Go", ("request", RequestId, RequestId()), ("component", "uint", 0), ("parts", [Part], ()), number=49)
Began = struct("Began", ("request", RequestId, RequestId()), ("component", "uint", 0), number=50)
Ended = struct("Ended", ("request", RequestId, RequestId()), ("component", "uint", 0), ("kind", "uint", 0),
               ("code", "int", 0), ("fault", "uint", 0), ("text", "text", ""), ("wall", "int", 0), ("cpu", "int", 0),
               ("output_bytes", "uint", 0), ("error_bytes", "uint", 0), ("output", "bytes", b""),
               ("error", "bytes", b""), ("gave_back", "bool", False),
               ("keeper_died", "bool", False), number=42)
Stop = struct("Stop", ("request", RequestId, RequestId()), ("grace", "int", 0), number=43)
Fetch = struct("Fetch", ("request", RequestId, RequestId()), ("component", "uint", 0), ("stream", "uint", OUTPUT),
               ("offset", "uint", 0), ("unkept", "bool", False), number=44)
Chunk = struct("Chunk", ("request", RequestId, RequestId()), ("component", "uint", 0), ("stream", "uint", OUTPUT),
               ("offset", "uint", 0), ("data", "bytes", b""), ("last", "bool", False), ("cut", "bool", False),
               number=45)
Piece = struct("Piece", ("request", RequestId, RequestId()), ("component", "uint", 0), ("stream", "uint", OUTPUT),
               ("offset", "uint", 0), ("data", "bytes", b""), ("last", "bool", False), ("size", "uint", 0), number=47)
Grown = struct("Grown", ("request", RequestId, RequestId()), ("component", "uint", 0), ("output_bytes", "uint", 0),
               ("error_bytes", "uint", 0), number=48)
Forget = struct("Forget", ("request", RequestId, RequestId()), number=46)
Dependency = struct("Dependency", ("kind", "uint", 0), ("job", "uint", 0), ("of_element", "bool", False),
                    ("index", "uint", 0))
IndexRange = struct("IndexRange", ("first", "uint", 0), ("last", "uint", 0), ("step", "uint", 1))
ArrayIndices = struct("ArrayIndices", ("ranges", [IndexRange], ()), ("at_once", "uint", 0))
JobDescription = struct("JobDescription", ("name", "text", ""), ("program", Program, Program()), ("need", Need, Need()),
                        ("dttl", "uint", 5), ("priority", "int", 0), ("reruns_max", "uint", 3),
                        ("output_path", "text", ""), ("error_path", "text", ""), ("keep_output", "bool", True),
                        ("append", "bool", False), ("hold", "bool", False), ("begin_seconds", "uint", 0),
                        ("dependencies", [Dependency], ()), ("array", ArrayIndices, ArrayIndices()),
                        ("goes_on", "bool", False))
Submit = struct("Submit", ("token", "uint", 0), ("jobs", [JobDescription], ()), number=60)
Submitted = struct("Submitted", ("token", "uint", 0), ("first_job", "uint", 0), ("jobs", "uint", 0),
                   ("fault", "text", ""), number=61)
Ask = struct("Ask", ("token", "uint", 0), ("verb", "text", ""), ("argument", "text", ""), number=62)
Answer = struct("Answer", ("token", "uint", 0), ("fault", "text", ""), ("text", "text", ""), number=63)

MESSAGES = {message.NUMBER: message for message in (
    Hello, Beat, Fault, Relay, Fragment, Vouch, Request, Cancel, Refuse, Delegate, Reject, Withdraw, Reach, Survey,
    Clusters, Probe, Probed, Grant, GrantSet, Claim, Claimed, Release, LeaseEnded, Renew, Renewed, Inventory,
    Register, Assign, Unassign, Clean, SetAside, Start, Started, Go, Began, Ended, Stop, Fetch, Chunk, Piece, Grown,
    Forget, Submit, Submitted, Ask, Answer)}
UNNUMBERED = (Hello.NUMBER, Beat.NUMBER, Fault.NUMBER, Relay.NUMBER, Piece.NUMBER)

Head = struct("Head", ("version", "uint", VERSION), ("type", "uint", 0), ("sender", Party, Party()),
              ("receiver", Party, Party()), ("incarnation", "uint", 0), ("peer", "uint", 0), ("sequence", "uint", 0),
              ("acknowledged", "uint", 0), ("trace", RequestId, RequestId()), ("hint", [HintEntry], ()))


def plain(kind, value):
    """A value as what MessagePack is to write."""
    if isinstance(kind, list):
        return [plain(kind[0], item) for item in value]
    if isinstance(kind, type):
        return [plain(each, item) for each, item in zip(kind.KINDS, value)]
    if kind == "text":
        return value.encode("utf-8", "surrogateescape")
    if kind == "map":
        return {plain("text", key): plain("text", text) for key, text in value.items()}
    return value


def typed(kind, raw):
    """The reverse; elements that are missing at the end of an array take their defaults, later ones are ignored."""
    if isinstance(kind, list):
        return tuple(typed(kind[0], item) for item in checked(raw, list))
    if isinstance(kind, type):
        return kind(*(typed(each, item) for each, item in zip(kind.KINDS, checked(raw, list))))
    if kind in ("name", "text", "bytes"):
        raw = raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else checked(raw, bytes)
        return raw if kind == "bytes" else raw.decode("utf-8", "surrogateescape")
    if kind == "map":
        return {typed("text", key): typed("text", value) for key, value in checked(raw, dict).items()}
    if kind == "bool":
        return checked(raw, bool)
    if isinstance(raw, bool) or not isinstance(raw, int) or (kind == "uint" and raw < 0):
        raise FrameError(f"{raw!r} is no {kind}")
    return raw


def checked(raw, wanted):
    if not isinstance(raw, wanted):
        raise FrameError(f"{raw!r} is no {wanted.__name__}")
    return raw


def pack(value):
    return msgpack.packb(value, use_bin_type=True, unicode_errors="surrogateescape")


def unpack(data):
    return msgpack.unpackb(data, raw=False, strict_map_key=False, unicode_errors="surrogateescape")


def frame_of(head, message):
    """The frame of an envelope."""
    return pack([pack(plain(Head, head) + [plain(type(message), message)]), b""])


def raw_frame(head, body):
    """The frame of an envelope whose body is any value, for messages that this library would not make."""
    return pack([pack(plain(Head, head) + [body]), b""])


def parse(frame):
    """The envelope's head and message of a frame."""
    envelope, signature = checked(unpack(frame), list)[:2]
    checked(signature, bytes)
    elements = checked(unpack(envelope), list)
    if len(elements) <= len(Head.KINDS) or elements[0] != VERSION:
        raise FrameError("not an envelope of version 1")
    head = typed(Head, elements)
    if head.type not in MESSAGES:
        raise FrameError(f"unknown message type {head.type}")
    return head, typed(MESSAGES[head.type], elements[len(Head.KINDS)])


# ---- Parties

Received = collections.namedtuple("Received", "head message")


class Network:
    """All parties of a test: whoever waits, all of them are served."""

    def __init__(self):
        self.context = zmq.Context()
        self.poller = zmq.Poller()
        self.parties = {}
        self.beat = BEAT

    def add(self, party):
        self.parties[party.socket] = party
        self.poller.register(party.socket, zmq.POLLIN)

    def remove(self, party):
        if self.parties.pop(party.socket, None) and party.socket is not party:
            self.poller.unregister(party.socket)
            party.socket.close(linger=0)

    def close(self):
        for party in list(self.parties.values()):
            self.remove(party)
        self.context.term()

    def until(self, done, seconds, what):
        """Serves everybody until done() gives something; fails, naming `what`, if it doesn't in time."""
        deadline = time.monotonic() + seconds
        while True:
            result = done()
            if result:
                return result
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"waited {seconds} s for {what() if callable(what) else what}")
            self.serve(min(left, HELLO_FIRST / 2))

    def serve(self, seconds):
        """Takes in what comes within the time, at most one look at each socket, and does what time calls for."""
        for socket, _ in self.poller.poll(max(1, int(seconds * 1000))):
            party = self.parties.get(socket)
            if party:
                party.read()
        now = time.monotonic()
        for party in list(self.parties.values()):
            party.tick(now)


class Manager:
    """One party and its session with the one manager that it dials (section 4)."""

    def __init__(self, network, party, peer, endpoint, incarnation=None, ancestors=(), keys=None):
        self.keys = keys
        self.network, self.party, self.peer, self.ancestors = network, party, peer, tuple(ancestors)
        self.incarnation = incarnation or time.time_ns() // 1000
        self.peer_incarnation = 0
        self.next_sequence, self.delivered, self.unacknowledged = 1, 0, collections.deque()
        self.inbox = collections.deque()
        self.handlers = {}  # message type -> called with (self, message) at delivery
        self.faults, self.strays = [], []
        self.stamp = (0, 0.0)  # the latest that came, and when
        self.answers = self.beats = self.duplicates = self.resend_requests = 0
        self.hint = ()
        self.parts = []
        self.sent = self.hello_at = 0.0
        self.hello_pause = HELLO_FIRST
        self.beating = True
        self.endpoint = endpoint
        self.connect()

    def connect(self):
        """A connection; after close() a new one for the same session."""
        self.socket = self.network.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        place, key = key_of_endpoint(self.endpoint)
        if self.keys:
            self.keys.prove(self.socket, key)
        self.socket.connect(place)
        self.network.add(self)

    # ---- sending
    def head(self, number, sequence=0, trace=RequestId(), hint=()):
        return Head(VERSION, number, self.party, self.peer, self.incarnation, self.peer_incarnation, sequence,
                    self.delivered, trace, tuple(hint))

    def put(self, data):
        """Bytes, or a list of the parts of one message, on the connection as they are."""
        self.socket.send_multipart(data if isinstance(data, list) else [data])
        self.sent = time.monotonic()

    def send(self, message, trace=RequestId(), hint=()):
        """Sends a message, numbered and kept until it is acknowledged if its type is. Returns its number."""
        if message.NUMBER in UNNUMBERED:
            self.put(frame_of(self.head(message.NUMBER, 0, trace, hint), message))
            return 0
        whole = frame_of(self.head(message.NUMBER, 0, trace, hint), message)
        if len(whole) > FRAME_BYTES_MAX:
            return self.send_parts(whole, trace)
        sequence = self.next_sequence
        self.next_sequence += 1
        self.unacknowledged.append((sequence, message, trace))
        if self.peer_incarnation:  # else it is sent when the peer has said which start of it this is
            self.put(frame_of(self.head(message.NUMBER, sequence, trace, hint), message))
        return sequence

    def send_parts(self, whole, trace):
        pieces = [whole[at:at + PART_BYTES] for at in range(0, len(whole), PART_BYTES)]
        for index, piece in enumerate(pieces):
            sequence = self.send(Fragment(index, index + 1 == len(pieces), piece), trace)
        return sequence

    def resend(self):
        for sequence, message, trace in self.unacknowledged:
            self.put(frame_of(self.head(message.NUMBER, sequence, trace), message))

    def beat(self):
        """Vouches for what we lend: it echoes the latest stamp that came, and as much later as it was held here."""
        stamp, came = self.stamp
        return Beat(False, self.next_sequence - 1, False, 0,
                    stamp and stamp + int((time.monotonic() - came) * 1000))

    def say_hello(self, answer=False):
        self.send(Hello(self.delivered, answer, "python", self.ancestors,
                        certificate=self.keys.certificate if self.keys else ""))

    # ---- receiving
    def read(self):
        while True:
            try:
                parts = self.socket.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                return
            assert len(parts) == 1, "a frame is one part"
            self.take(*parse(parts[0]))

    def take(self, head, message):
        if head.receiver != self.party or head.sender != self.peer:
            return self.strays.append((head, message))
        if isinstance(message, Hello):
            return self.on_hello(head, message)
        if isinstance(message, Fault):
            return self.faults.append(message)
        if head.incarnation != self.peer_incarnation or head.peer not in (0, self.incarnation):
            return None  # of or to a former self; the Hellos sort it out
        if head.peer == self.incarnation:
            self.acknowledge(head.acknowledged)
        self.hint = head.hint or self.hint
        if isinstance(message, Beat):
            return self.on_beat(message)
        if isinstance(message, (Relay, Piece)):
            return self.deliver(head, message)
        if head.sequence <= self.delivered:
            self.duplicates += 1
            return None
        if head.sequence > self.delivered + 1:
            return self.send(Beat(True, self.next_sequence - 1))
        self.delivered = head.sequence
        if isinstance(message, Fragment):
            self.parts = self.parts + [message.data] if message.index else [message.data]
            if not message.last:
                return None
            head, message = parse(b"".join(self.parts))
        return self.deliver(head, message)

    def deliver(self, head, message):
        handler = self.handlers.get(type(message))
        if handler:
            return handler(self, message)
        return self.inbox.append(Received(head, message))

    def on_hello(self, head, hello):
        if head.incarnation < self.peer_incarnation:
            return
        if head.incarnation > self.peer_incarnation:
            restarted = self.peer_incarnation != 0
            self.peer_incarnation, self.delivered = head.incarnation, 0
            if restarted:
                self.unacknowledged.clear()
                self.next_sequence = 1
        self.stamp = (hello.stamp, time.monotonic())
        knows_me = head.peer == self.incarnation
        if knows_me:
            self.acknowledge(max(hello.received, head.acknowledged))
        if hello.answer:
            self.answers += 1
        else:
            self.say_hello(answer=True)
        if hello.answer or knows_me:
            self.hello_at = float("inf")
        self.resend()

    def on_beat(self, beat):
        self.beats += 1
        self.stamp = (beat.stamp, time.monotonic())
        if beat.resend:
            self.resend_requests += 1
            self.resend()
        if beat.last > self.delivered:
            self.send(Beat(True, self.next_sequence - 1))

    def acknowledge(self, sequence):
        while self.unacknowledged and self.unacknowledged[0][0] <= sequence:
            self.unacknowledged.popleft()

    def tick(self, now):
        if not self.beating:
            return
        if now >= self.hello_at:
            self.say_hello()
            self.hello_at = now + self.hello_pause
            self.hello_pause = min(2 * self.hello_pause, self.network.beat)
        elif self.peer_incarnation and now - self.sent >= self.network.beat:
            self.send(self.beat())

    # ---- waiting
    def open(self, seconds=CLOSING):
        """Says Hello until it is answered."""
        before = self.answers
        self.hello_at, self.hello_pause = 0.0, HELLO_FIRST
        self.network.until(lambda: self.answers > before, seconds, f"{self.peer} to answer Hello")
        return self

    def barrier(self, seconds=CLOSING):
        """Returns when the peer has dealt with all that was sent before: two Hellos, each answered after the frames
        before it were read, the second after what they led to was sent."""
        for _ in range(2):
            before = self.answers
            self.say_hello()
            self.network.until(lambda: self.answers > before, seconds, f"{self.peer} to answer Hello")

    def expect(self, message_type, seconds=CLOSING, where=lambda message: True):
        """The next message of this type that fulfils the condition; what came before it stays in the inbox."""
        def find():
            for received in self.inbox:
                if isinstance(received.message, message_type) and where(received.message):
                    self.inbox.remove(received)
                    return received.message
            return None
        return self.network.until(find, seconds, lambda: f"{message_type.__name__} from {self.peer}; came: "
                                  f"{[received.message for received in self.inbox]}, faults: {self.faults}")

    def expect_fault(self, about, seconds=CLOSING):
        """The next Fault about a message type."""
        def find():
            fault = next((fault for fault in self.faults if fault.about == about), None)
            if fault:
                self.faults.remove(fault)
            return fault
        return self.network.until(find, seconds, f"a fault about {about}")

    def received(self, message_type):
        return [received.message for received in self.inbox if isinstance(received.message, message_type)]

    def close(self):
        self.network.remove(self)


class Relayed(Manager):
    """A session along the delegation chain, in the Relay messages of a party's session with its site (section 5)."""

    def __init__(self, carrier, peer, path=(), incarnation=None):
        self.carrier, self.path = carrier, tuple(path)
        carrier.handlers[Relay] = lambda _, relay: self.take_relay(relay)
        super().__init__(carrier.network, carrier.party, peer, None, incarnation)

    def connect(self):
        self.socket = self  # what the network knows it by
        self.network.parties[self] = self

    def put(self, data):
        self.carrier.send(Relay(self.party, self.peer, self.path, 0, data))
        self.sent = time.monotonic()

    def take_relay(self, relay):
        assert relay.receiver == self.party and relay.path[relay.position] == self.party.site, relay
        self.path = tuple(reversed(relay.path))
        self.take(*parse(relay.payload))


class ResourceManager(Manager):
    """Offers nodes and obeys: keeps what it is told, and says Clean if it is to."""

    def __init__(self, network, party, endpoint, offer, cleans=True):
        super().__init__(network, party, site_manager(party.site), endpoint)
        self.cleans, self.assigned, self.unassigned = cleans, [], []
        self.handlers = {Assign: lambda self, message: self.assigned.append(message), Unassign: ResourceManager.taken}
        self.open()
        self.send(offer)

    def taken(self, message):
        self.unassigned.append(message)
        if self.cleans:
            self.send(Clean(message.lease, message.nodes))

    def until_assigned(self, lease):
        return self.network.until(lambda: next((m for m in self.assigned if m.lease == lease), None), 5, "Assign")

    def until_unassigned(self, lease):
        return self.network.until(lambda: next((m for m in self.unassigned if m.lease == lease), None), 5, "Unassign")


class Person(Manager):
    """A client of any manager: asks questions."""

    tokens = iter(range(1, 1 << 62))

    def __init__(self, network, peer, endpoint, name="person"):
        super().__init__(network, Party(peer.site, CLIENT, name), peer, endpoint)

    def answer_to(self, verb, argument=None, seconds=CLOSING):
        token = next(self.tokens)
        self.send(Ask(token, verb, json.dumps(argument) if argument is not None else ""))
        return self.expect(Answer, seconds, lambda answer: answer.token == token)

    def ask(self, verb, argument=None, seconds=CLOSING):
        """The answer, from JSON; a fault as an AssertionError."""
        answer = self.answer_to(verb, argument, seconds)
        if answer.fault:
            raise AssertionError(f"{verb}: {answer.fault}")
        return json.loads(answer.text)

    def fault_of(self, verb, argument=None):
        """Why there is no answer; empty if there is one."""
        return self.answer_to(verb, argument).fault


def site_manager(site):
    return Party(site, SITE_MANAGER, "")


def job_manager(site, user):
    return Party(site, JOB_MANAGER, user)


def resource_manager(site, name):
    return Party(site, RESOURCE_MANAGER, name)


def nodes_in(ranges):
    """The node numbers of a node set."""
    return [node for first, last in ranges for node in range(first, last + 1)]


def processors_of(groups):
    return sum(len(nodes_in(group.nodes)) * group.processors_per_node for group in groups)
