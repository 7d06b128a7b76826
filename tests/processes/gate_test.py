"""The gates of real site, job and resource managers over tcp. At a site manager each role sends each message; those
that the table of docs/protocol.md section 3.3 doesn't allow are refused. At all three a party without proof sends each
message, and none is delivered: with an unknown, copied, revoked or expired key, of another role, or without CURVE.
"""
import collections
import unittest

import zmq
from changes_test import Daemon
from dmm_client import (MESSAGES, Ask, Hello, Manager, Person, Release, Stop, Survey, job_manager, resource_manager,
                        site_manager)
from dmm_keys import Keys, Signer
from dmm_messages import CLIENT, Clean, Party
from grid import LIMIT, SOURCE, free_ports, until
from keys_test import Stage

SAID_TO_ASK = {"hello", "beat", "fault", "ask"}  # the messages of the test's own questions
ALPHA, BETA, COMMAND = site_manager("alpha"), site_manager("beta"), Party("client", CLIENT, "1")
ANN, NODES, OPS = job_manager("alpha", "ann"), resource_manager("alpha", "nodes"), Party("alpha", CLIENT, "ops")
CARL, HOSTS = job_manager("alpha", "carl"), resource_manager("alpha", "hosts")  # they run

# A party that speaks with a listener, the holder of its certificate, that one's right, and a message that it may send.
Speaker = collections.namedtuple("Speaker", "party holder right message")
SPEAKERS = {
    ALPHA: [Speaker(ANN, ANN, "none", Release()), Speaker(NODES, NODES, "none", Clean()),
            Speaker(BETA, BETA, "none", Survey()), Speaker(COMMAND, OPS, "administrator", Ask(1, "site", ""))],
    HOSTS: [Speaker(ANN, ANN, "none", Stop()), Speaker(COMMAND, OPS, "administrator", Ask(1, "links", ""))],
    CARL: [Speaker(COMMAND, CARL, "none", Ask(1, "links", ""))]}


def table():
    """By column, such as "J→S": the numbers of the messages that it allows."""
    text = (SOURCE / "docs/protocol.md").read_text(encoding="utf-8")
    section = text[text.index("### 3.3 "):]
    section = section[:section.index("\n## ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()
            if line.startswith("| ")]
    columns = rows[0][2:]
    allowed = {column: set() for column in columns}
    for row in rows[1:]:
        for column, cell in zip(columns, row[2:]):
            if cell == "✓":
                allowed[column] |= {int(number) for number in row[1].split(",")}
    return allowed


class Listener:
    """A real manager with a port, and what it says of the messages that came."""

    def __init__(self, network, party, place, endpoint, local):
        self.network, self.party, self.place, self.endpoint = network, party, place, endpoint
        self.person = Person(network, party, local)

    def refused(self, reason):
        return self.person.ask("messages")["refused"].get(reason, 0)

    def received(self):
        """How many messages of each type were delivered, without those of the questions for these numbers."""
        counts = self.person.ask("messages")["received"]
        return {name: count for name, count in counts.items() if name not in SAID_TO_ASK}


class Gate(Stage):
    def setUp(self):
        super().setUp()
        self.signers = {site: Signer(folder) for site, folder in self.folder_of.items()}
        local = f"ipc://{self.folder}/alpha.ipc"
        self.listeners = [Listener(self.network, ALPHA, self.place, self.endpoint, local)]

    def begin_others(self):
        """Carl's job manager and a resource manager, each with a port."""
        for program, party, kind, config in (
                ("jobmgr", CARL, "user", {"user": "carl"}),
                ("resmgr", HOSTS, "node", {"name": "hosts", "cluster": "nodes", "nodes": 4})):
            folder, place = self.folder / party.name, f"tcp://127.0.0.1:{free_ports(1)[0]}"
            local = f"ipc://{self.folder}/{party.name}.ipc"
            self.certify(self.folder_of["alpha"], kind, party.name, folder)
            daemon = Daemon(self, program, party.name, {
                "site": "alpha", "site_endpoint": self.endpoint, "listen": [place, local], "directory": str(folder),
                **config})
            self.addCleanup(self.end, daemon.process)
            endpoint = f"{place}#{Keys.read(folder).letters()}"
            self.listeners.append(Listener(self.network, party, place, endpoint, local))

    def speak(self, listener, party, keys):
        return Manager(self.network, party, listener.party, listener.endpoint, keys=keys)

    def right_keys(self, speaker, **times):
        return self.signers[speaker.holder.site].certify(Keys(), speaker.holder, speaker.right, **times)

    def test_each_role_may_say_what_the_table_allows(self):
        allowed, (site,) = table(), self.listeners
        self.assertGreater(len(allowed["J→S"]), 5)
        for column, speaker in zip(("J→S", "R→S", "S→S", "C→any"), SPEAKERS[ALPHA]):
            caller = self.speak(site, speaker.party, self.right_keys(speaker._replace(
                right="reader" if speaker.party == COMMAND else "none")))
            self.network.until(lambda c=caller: c.peer_incarnation, LIMIT, f"the session of {speaker.party}")
            for number, message in MESSAGES.items():
                if message is Hello:
                    continue
                with self.subTest(column=column, message=message.__name__):
                    before = site.refused("not_allowed")
                    caller.send(message())
                    caller.barrier(LIMIT)
                    self.assertEqual(site.refused("not_allowed") - before, 0 if number in allowed[column] else 1)
            self.network.remove(caller)

    def test_nothing_of_what_is_not_proved_is_delivered(self):
        self.begin_others()
        lost = {speaker: self.right_keys(speaker) for speakers in SPEAKERS.values() for speaker in speakers}
        self.site.change(revoked=[keys.letters() for keys in lost.values()])
        for listener in self.listeners:
            for speaker in SPEAKERS[listener.party]:
                real = self.speak(listener, speaker.party, self.right_keys(speaker))
                self.network.until(lambda r=real: r.peer_incarnation, LIMIT, f"the session of {speaker.party}")
                for why, party, keys in self.thieves(listener, speaker, lost[speaker]):
                    with self.subTest(listener=listener.party, speaker=speaker.party, party=party, why=why):
                        self.expect_refusal(listener, party, keys, why, real)
                self.network.remove(real)

    def thieves(self, listener, speaker, lost):
        """Why each is refused, which party it claims to be, and its keys."""
        site, party, holder = self.signers[speaker.holder.site], speaker.party, speaker.holder
        right = self.right_keys(speaker)
        foreign = holder._replace(site="gamma")
        yield "isn't known here", party, self.signers["gamma"].certify(Keys(), foreign, speaker.right)
        yield "isn't signed", party, self.signers["gamma"].certify(Keys(), holder, speaker.right)
        yield "was copied", party, Keys(certificate=right.certificate)
        yield "is revoked", party, lost
        yield "has expired", party, site.certify(Keys(), holder, speaker.right, -7200, -1)
        yield "isn't valid yet", party, site.certify(Keys(), holder, speaker.right, 7200, 7300)
        others = {ALPHA: [ANN, job_manager("alpha", "bob"), NODES, BETA], CARL: [ALPHA], HOSTS: [ALPHA, ANN, CARL]}
        for other in others[listener.party]:
            if other != party:
                yield "may not speak for", other, right
        if party != COMMAND:  # a client without a certificate may show a token
            yield "no certificate", party, Keys()
        elif listener.party != ALPHA:
            yield "no certificate", ALPHA, Keys()
            yield "has expired", ALPHA, self.signers["alpha"].certify(Keys(), ALPHA, "none", -7200, -1)

    def expect_refusal(self, listener, party, keys, why, real):
        """The Hello and each message are refused; the thief knows the session of the real one."""
        thief = self.speak(listener, party, keys)
        # What is revoked at the site is so at its managers a moment later.
        self.network.until(lambda: [fault for fault in thief.faults if why in fault.text] or
                           thief.peer_incarnation and self.greet_again(thief), LIMIT, lambda: thief.faults)
        thief.peer_incarnation, thief.incarnation = real.peer_incarnation, real.incarnation
        self.expect_nothing_delivered(listener, thief)
        self.network.remove(thief)

    def greet_again(self, thief):
        thief.peer_incarnation = 0
        thief.say_hello()

    def expect_nothing_delivered(self, listener, thief):
        """Sends each message. All are answered by Faults, and no other message was received."""
        thief.beating = False
        before, refused, told = listener.received(), listener.refused("not_proved"), len(thief.faults)
        said = [message for message in MESSAGES.values() if message is not Hello]
        for message in said:
            thief.send(message())
        answered = len(said) - 1  # a Fault isn't answered
        self.network.until(lambda: len(thief.faults) >= told + answered, LIMIT, "the refusal of all")
        self.assertEqual(listener.received(), before)
        self.assertGreaterEqual(listener.refused("not_proved"), refused + answered)

    def test_nothing_is_delivered_once_a_certificate_has_expired(self):
        """It expires while the link is up; another one goes on in the same session."""
        self.begin_others()
        for listener in self.listeners:
            for speaker in SPEAKERS[listener.party]:
                with self.subTest(listener=listener.party, speaker=speaker.party):
                    caller = self.believed(listener, speaker)
                    self.network.until(lambda c=caller: self.is_told_of_expiry(c), LIMIT, "its end")
                    session = caller.peer_incarnation
                    self.expect_nothing_delivered(listener, caller)
                    self.signers[speaker.holder.site].certify(caller.keys, speaker.holder, speaker.right)
                    caller.beating = True
                    caller.barrier(LIMIT)
                    self.network.until(lambda c=caller: not c.unacknowledged, LIMIT, "what was kept")
                    self.assertEqual(caller.peer_incarnation, session)
                    self.network.remove(caller)

    def believed(self, listener, speaker):
        """A session of a certificate that expires soon, in which a message was delivered."""
        for life in (2, 4, 8, 16, 32):  # the machine may be too slow for a short one
            caller = self.speak(listener, speaker.party, self.right_keys(speaker, end=life))
            caller.send(speaker.message)
            self.network.until(lambda c=caller: not c.unacknowledged or self.has_expired(c), LIMIT, "an answer")
            if not caller.unacknowledged:
                return caller
            self.network.remove(caller)
        return self.fail("no certificate was believed")

    def is_told_of_expiry(self, caller):
        caller.say_hello()
        return self.has_expired(caller)

    def has_expired(self, caller):
        return [fault for fault in caller.faults if "has expired" in fault.text]

    def test_nothing_without_curve_is_delivered(self):
        self.begin_others()
        for listener in self.listeners:
            before = listener.received()
            for mechanism in ("null", "plain", "raw"):
                with self.subTest(listener=listener.party, mechanism=mechanism):
                    self.knock(listener, mechanism)
                    # A later message over another connection is heard: nothing of the first was.
                    caller = self.speak(listener, BETA, Keys())
                    self.network.until(lambda c=caller: c.faults, LIMIT, "the answer to one with CURVE")
                    self.network.remove(caller)
                    self.assertEqual(listener.received(), before)

    def knock(self, listener, mechanism):
        """Sends bytes over a connection without CURVE."""
        socket = self.network.context.socket(zmq.STREAM if mechanism == "raw" else zmq.DEALER)
        self.addCleanup(socket.close)
        socket.setsockopt(zmq.LINGER, 0)
        if mechanism == "plain":
            socket.plain_username, socket.plain_password = b"ann", b"ann"
        socket.connect(listener.place)
        if mechanism == "raw":
            until(lambda: socket.poll(100), "the connection")
            identity = socket.recv_multipart()[0]
            socket.send_multipart([identity, b"\xff\0\0\0\0\0\0\0\x01\x7f" + b"garbage" * 20])
            return
        for _ in range(3):
            try:
                socket.send(b"frame", zmq.DONTWAIT)
            except zmq.Again:
                pass


if __name__ == "__main__":
    unittest.main()
