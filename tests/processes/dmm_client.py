"""A client of DMM for tests, written from docs/protocol.md alone, without any code of the managers: sessions, and
parties that play a job manager, a resource manager, a site manager or a person.

Every wait is on sockets with a deadline; there are no plain sleeps. While one party waits for a message, all other
parties of the same Network are served too: they answer Hellos, acknowledge, beat, and call their handlers.
"""
import collections
import json
import time

import zmq
from dmm_keys import key_of_endpoint
from dmm_messages import *  # gives tests the names of both modules

HELLO_FIRST, BEAT, CLOSING = 0.1, 1.0, 5.0  # seconds; section 11


# ---- Parties

Received = collections.namedtuple("Received", "head message")


class Network:
    """All parties of a test: whichever waits, all are served."""

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
        """Serves all parties until done() returns a true value; fails, naming `what`, if that takes too long."""
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
        """Takes frames that arrive within the time, with at most one look at each socket, and does what is due by
        time."""
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
        self.stamp = (0, 0.0)  # the latest stamp that came, and when
        self.answers = self.beats = self.duplicates = self.resend_requests = 0
        self.hint = ()
        self.parts = []
        self.sent = self.hello_at = 0.0
        self.hello_pause = HELLO_FIRST
        self.beating = True
        self.endpoint = endpoint
        self.connect()

    def connect(self):
        """Makes a connection; after close() a new one for the same session."""
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
        """Sends bytes, or a list of the parts of one message, unchanged over the connection."""
        self.socket.send_multipart(data if isinstance(data, list) else [data])
        self.sent = time.monotonic()

    def send(self, message, trace=RequestId(), hint=()):
        """Sends a message. If its type is numbered, it is kept until it is acknowledged. Returns its number."""
        if message.NUMBER in UNNUMBERED:
            self.put(frame_of(self.head(message.NUMBER, 0, trace, hint), message))
            return 0
        whole = frame_of(self.head(message.NUMBER, 0, trace, hint), message)
        if len(whole) > FRAME_BYTES_MAX:
            return self.send_parts(whole, trace)
        sequence = self.next_sequence
        self.next_sequence += 1
        self.unacknowledged.append((sequence, message, trace))
        if self.peer_incarnation:  # otherwise it is sent once the peer has named its incarnation
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
        """Vouches for what this party lends: echoes the latest stamp that came, plus the time that it was held here."""
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
            return None  # from or to an earlier incarnation; the Hellos sort it out
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
        """Returns when the peer has handled all that was sent before. Sends two Hellos: the first is answered after the
        peer has read the frames before it, the second after it has sent its reactions."""
        for _ in range(2):
            before = self.answers
            self.say_hello()
            self.network.until(lambda: self.answers > before, seconds, f"{self.peer} to answer Hello")

    def expect(self, message_type, seconds=CLOSING, where=lambda message: True):
        """The next message of this type that meets the condition; earlier messages stay in the inbox."""
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
        self.socket = self  # the network's key for this party
        self.network.parties[self] = self

    def put(self, data):
        self.carrier.send(Relay(self.party, self.peer, self.path, 0, data))
        self.sent = time.monotonic()

    def take_relay(self, relay):
        assert relay.receiver == self.party and relay.path[relay.position] == self.party.site, relay
        self.path = tuple(reversed(relay.path))
        self.take(*parse(relay.payload))


class ResourceManager(Manager):
    """Offers nodes and obeys: stores orders, and says Clean if configured so."""

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

    def __init__(self, network, peer, endpoint, name="person", keys=None):
        super().__init__(network, Party(peer.site, CLIENT, name), peer, endpoint, keys=keys)

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
