"""Speaks to real managers in Python, with a client written from docs/protocol.md alone: what a stranger with only that
document could do. Plays job managers and resource managers against a real sitemgr, and sends all three daemons frames
that no honest party would send. Names of sentences, such as [S38], are those of the document.
"""
import pathlib
import unittest

from dmm_client import (
    CLIENT, ERROR, FLEXIBLE, HUNG, IDLE, MALFORMED, NO_SUCH_NODES, OUTPUT, SECOND, TOO_LARGE, Beat, Began, Cancel,
    Chunk, Claim, Clean, Component, Constraints, Ended, Epoch, Fetch, Forget, Go, Grant, Head, Hello, HintEntry,
    Inventory, JobDescription, LeaseEnded, LeaseId, Manager, Need, Part, Party, Person, Program, Refuse, Register,
    Relay, Relayed, Release, Request, RequestId, ResourceManager, Start, Started, Stop, Submit, Submitted, frame_of,
    job_manager, nodes_in, pack, processors_of, raw_frame, resource_manager, site_manager)
from python_stage import FIRST, NORTH, SITE, Processes, need, request


class Leases(Processes):
    def test_what_many_leases_need_is_registered_in_parts(self):  # [S123, S123a]
        """A part alone has no effect: only with the last part is the resource manager's state known."""
        self.start_site()
        leases = [LeaseId(SITE, Epoch(1, number)) for number in (1, 2)]
        offer = Register("c0", 4, 1, leases=(leases[0],), leased=(((0, 0),),), last=False)
        nodes = ResourceManager(self.network, resource_manager(SITE, "c0.0"), self.site, offer)
        nodes.barrier()
        self.assertEqual((self.person.ask("site")["processors"], nodes.unassigned), (0, []))
        nodes.send(Register("c0", 4, 1, leases=(leases[1],), leased=(((2, 3),),)))
        taken = [nodes.until_unassigned(lease) for lease in leases]
        self.assertEqual([nodes_in(one.nodes) for one in taken], [[0], [2, 3]])
        self.until_site(processors=4)

    def test_a_node_is_leased_given_back_and_leased_again(self):  # [S99, S100, S110, S112, S132, S10]
        self.start_site()
        nodes, alice = self.resources(4, 2, cleans=False), self.user()
        alice.send(request(1, 3))
        grant = alice.expect(Grant)
        self.assertEqual((grant.request, grant.lease.owner, grant.chain), (request(1, 3).id, SITE, (SITE,)))
        self.assertEqual((grant.origin, grant.tries), (0, 0))
        self.assertEqual({group.resource_manager for group in grant.nodes}, {nodes.party})
        self.assertEqual((processors_of(grant.nodes), grant.term), (4, 30 * SECOND))  # whole nodes
        assign = nodes.until_assigned(grant.lease)
        self.assertEqual((nodes_in(assign.nodes), assign.holder), (nodes_in(grant.nodes[0].nodes), SITE))
        alice.send(request(2, 8))
        alice.barrier()
        self.assertEqual(alice.received(Grant), [])
        alice.send(Release(grant.lease, grant.nodes))
        unassign = nodes.until_unassigned(grant.lease)
        self.assertEqual(nodes_in(unassign.nodes), nodes_in(assign.nodes))
        alice.barrier()
        self.assertEqual(alice.received(Grant), [])  # released, but no Clean has come
        self.assertEqual(self.person.ask("why", {"request": "home/alice/2"})["waits"], True)
        nodes.send(Clean(unassign.lease, unassign.nodes))
        again = alice.expect(Grant)
        self.assertGreater(again.lease.epoch, grant.lease.epoch)
        self.assertEqual(nodes_in(nodes.until_assigned(again.lease).nodes), [0, 1, 2, 3])
        nodes.cleans = True
        alice.send(Release(again.lease))  # names no nodes: all that are left
        self.until_site(processors=8, processors_busy=0, leases_own=0, requests_waiting=0)

    def test_a_lease_that_ends_with_its_job(self):  # [S127b, S131]
        self.start_site()
        nodes, alice, bob = self.resources(2, cleans=False), self.user(), self.user("bob")
        alice.send(request(1, 2))
        grant = alice.expect(Grant)
        self.assertEqual(nodes.until_assigned(grant.lease).once, True)
        bob.send(request(1, 2, "bob"))
        bob.barrier()
        nodes.send(Clean(grant.lease))  # unasked: the job has ended
        following = bob.expect(Grant)
        alice.barrier()
        self.assertEqual(alice.received(LeaseEnded), [])
        alice.send(Release(grant.lease, grant.nodes))  # as if it had not read Ended
        nodes.send(Clean(grant.lease))  # once more
        for party in (alice, nodes):
            party.barrier()
        self.assertEqual(nodes.unassigned, [])
        self.until_site(processors_busy=2, leases_own=1)
        nodes.send(Clean(following.lease))
        self.until_site(processors_busy=0, leases_own=0)

    def test_messages_that_change_nothing(self):  # [S84, S87, S113, S131]
        self.start_site()
        nodes, alice, bob = self.resources(2), self.user(), self.user("bob")
        alice.send(request(1, 2))
        grant = alice.expect(Grant)
        bob.send(request(1, 1, "bob"))
        bob.send(request(1, 1, "bob"))
        bob.send(Release(grant.lease, grant.nodes))  # of alice's nodes
        nodes.send(Clean(grant.lease, grant.nodes[0].nodes))  # before any order to clean
        alice.send(Cancel(RequestId(SITE, "bob", 1, 1)))
        alice.send(Release(LeaseId(SITE, Epoch(1, 99999)), grant.nodes))
        for party in (alice, bob, nodes):
            party.barrier()
        self.until_site(processors_busy=2, requests_waiting=1)
        alice.send(Release(grant.lease, grant.nodes))
        bob.expect(Grant)
        bob.barrier()
        self.assertEqual(bob.received(Grant), [])

    def test_what_is_refused(self):  # [S74, S82, S85, S79]
        self.start_site(clusters=[{"name": "c0", "nodes": 4, "processors_per_node": 2,
                                   "attributes": {"arch": "x86_64"}}])
        alice = self.user()
        alice.send(request(1, 9))  # no node is registered yet, but the configuration says what there can be
        refuse = alice.expect(Refuse)
        self.assertEqual((refuse.request.job, refuse.reason, refuse.largest), (1, TOO_LARGE, 8), refuse.text)
        alice.send(request(1, 2, need=need(2, constraints=Constraints(0, {"gpu": "a100"}))))
        self.assertEqual(alice.expect(Refuse).reason, NO_SUCH_NODES)
        self.resources(4, 2)
        for job, wrong in enumerate((need(), need(0), need(1, 0), Need(FLEXIBLE, (Component(4),), splits=((3,),))), 2):
            alice.send(request(job, 1, need=wrong))
            self.assertEqual(alice.expect(Refuse, where=lambda r, job=job: r.request.job == job).reason, MALFORMED)
        alice.send(request(7, 1, "bob"))
        self.assertEqual(alice.expect(Refuse).reason, MALFORMED)
        self.until_site(requests_waiting=0, processors_busy=0)

    def test_a_silent_job_manager(self):  # [S120]
        self.start_quick_site(term_seconds=0.5, absent_job_manager_seconds=1)
        nodes, alice, bob = self.resources(2), self.user(), self.user("bob")
        alice.send(request(1, 2))
        grant = alice.expect(Grant)
        bob.send(request(1, 2, "bob"))
        bob.barrier()
        alice.send(request(2, 2))
        beats = bob.beats
        self.network.until(lambda: bob.beats >= beats + 15, 5, "three terms to pass")
        self.assertEqual((nodes.unassigned, bob.received(Grant)), ([], []))  # Beats suffice
        alice.beating = False
        theirs = bob.expect(Grant)
        self.until_site(requests_waiting=0)
        alice.beating = True
        self.assertEqual(alice.expect(Inventory).lent, ())  # of its first session
        self.assertEqual(alice.expect(Inventory).lent, ())  # a new session: what it had and asked for is gone
        self.assertEqual((grant.lease.owner, alice.received(LeaseEnded)), (SITE, []))
        alice.send(request(2, 2))
        self.until_site(requests_waiting=1)
        bob.send(Release(theirs.lease))
        self.assertEqual(alice.expect(Grant).request.job, 2)


class Sessions(Processes):
    def test_a_copy_is_dropped(self):  # [S38]
        self.start_site()
        self.resources(4)
        alice = self.user()
        sequence = alice.send(request(1, 1))
        copy = frame_of(alice.head(Request.NUMBER, sequence), request(1, 1))
        alice.put(copy)
        alice.put(copy)
        alice.expect(Grant)
        alice.barrier()
        self.assertEqual(alice.received(Grant), [])
        self.assertGreaterEqual(self.person.ask("messages")["duplicates"], 2)

    def test_a_gap_is_filled(self):  # [S37, S39, S40, S42]
        self.start_site()
        self.resources(4)
        alice = self.user()
        alice.next_sequence += 1
        alice.send(request(2, 1))  # number 2 overtakes number 1
        alice.unacknowledged.appendleft((1, request(1, 1), RequestId()))
        self.assertEqual([alice.expect(Grant).request.job, alice.expect(Grant).request.job], [1, 2])
        self.assertGreaterEqual(alice.resend_requests, 1)
        self.assertEqual(len(alice.unacknowledged), 0)

    def test_a_beat_tells_what_was_lost(self):  # [S41]
        self.start_site()
        self.resources(4)
        alice = self.user()
        alice.unacknowledged.append((1, request(1, 1), RequestId()))
        alice.next_sequence += 1
        alice.send(Beat(False, 1))  # number 1 never arrived
        self.assertEqual(alice.expect(Grant).request.job, 1)

    def test_a_cut_connection_loses_and_doubles_nothing(self):  # [S33, S34, S8]
        self.start_site()
        self.resources(4)
        alice = self.user()
        alice.send(request(1, 1))
        alice.close()  # before any answer
        alice.connect()
        alice.open()
        self.assertEqual(alice.expect(Grant).request.job, 1)
        alice.send(request(2, 1))
        self.assertEqual(alice.expect(Grant).request.job, 2)
        alice.barrier()
        self.assertEqual(alice.received(Grant), [])
        self.until_site(grants_local=2)

    def test_a_new_incarnation_takes_over(self):  # [S33, S35, S78]
        self.start_site()
        nodes, old = self.resources(4), self.user()
        old.send(request(1, 4))
        grant = old.expect(Grant)
        old.send(request(2, 1))
        old.barrier()
        old.beating = False
        new = self.user(incarnation=FIRST + 1)
        new.handlers[Grant] = lambda new, it: new.send(Release(it.lease, it.nodes))  # it has asked for nothing yet
        held = new.expect(Inventory).lent  # [S78a]
        self.assertEqual([(one.lease, one.request) for one in held], [(grant.lease, grant.request)])
        new.send(Inventory())  # it remembers nothing  [S122e]
        self.assertEqual(nodes.until_unassigned(grant.lease).lease, grant.lease)
        self.until_site(requests_waiting=0, processors_busy=0)
        before = self.refused().get("other_incarnation", 0)
        answers = old.answers
        old.send(request(3, 1))
        old.say_hello()
        del new.handlers[Grant]
        new.send(request(1, 1, need=need(4)))
        self.assertEqual(new.expect(Grant).chain, (SITE,))  # numbered from 1 again
        self.network.until(lambda: self.refused()["other_incarnation"] == before + 2, 5, "two refusals")
        new.barrier()
        self.assertEqual((old.answers, new.received(Grant)), (answers, []))

    def test_beats_and_silence(self):  # [S45, S46]
        self.start_quick_site()
        alice = self.user()
        self.network.until(lambda: alice.beats >= 3, 5, "three Beats")

        def link():
            return next(one for one in self.person.ask("links")["links"] if one["name"] == "alice")
        self.assertEqual((link()["up"], link()["software"]), (True, "python"))
        alice.beating = False
        self.network.until(lambda: not link()["up"], 5, "the link to go down")
        alice.beating = True
        self.network.until(lambda: link()["up"], 5, "the link to come up")

    def test_what_isnt_understood_holds_nothing_up(self):  # [S44, S47, S14]
        self.start_site()
        self.resources(4)
        alice = self.user()
        wrong = ((999, ["later"], "unknown_type"), (Request.NUMBER, ["no request"], "malformed"),
                 (Claim.NUMBER, [], "not_allowed"))
        for number, body, reason in wrong:
            with self.subTest(reason):
                alice.put(raw_frame(alice.head(number, alice.next_sequence), body))
                alice.next_sequence += 1
                self.assertNotEqual(alice.expect_fault(number).text, "")
                self.assertEqual(self.refused().get(reason), 1)
                job = alice.next_sequence
                alice.send(request(job, 1))
                self.assertEqual(alice.expect(Grant).request.job, job)

    def test_relay_through_one_site(self):  # [S53, S80]
        self.start_site()
        nodes, alice = self.resources(1), self.user()
        there = Relay(alice.party, nodes.party, (SITE,), 0, b"\x00 opaque \xff")
        for wrong in (there._replace(path=(NORTH,)), there._replace(path=()), there._replace(position=1),
                      there._replace(path=(SITE, NORTH)), there._replace(receiver=site_manager(SITE)),
                      there._replace(receiver=job_manager(SITE, "ghost"))):
            alice.send(wrong)
        alice.send(there)
        self.assertEqual(nodes.expect(Relay), there)
        nodes.send(Relay(nodes.party, alice.party, (SITE,), 0, b"back"))
        self.assertEqual(alice.expect(Relay).payload, b"back")
        for party in (alice, nodes):
            party.barrier()
            self.assertEqual(party.received(Relay), [])
        links = self.person.ask("links")["links"]
        self.assertEqual(sorted(one["name"] for one in links), ["alice", "c0.0"])  # nothing waits for the ghost


class Jobs(Processes):
    def start_site_with_nodes(self):
        self.start_site()
        folder = pathlib.Path(self.folder.name)
        return self.start("resmgr", "nodes", {
            "site": SITE, "name": "c0.0", "cluster": "c0", "nodes": 2, "site_endpoint": self.site,
            "directory": str(folder / "nodes"), "endpoint": f"ipc://{folder}/nodes.sock", "park_seconds": 0.3})

    def test_a_program_runs_on_a_real_resource_manager(self):  # [S133, S135, S138, S140, S143, S145, S15]
        there = self.start_site_with_nodes()
        alice = self.user()
        alice.send(request(1, 1))
        grant = alice.expect(Grant)
        group = grant.nodes[0]
        self.assertEqual(group.endpoint, there)
        nodes = Manager(self.network, alice.party, group.resource_manager, there, FIRST).open()
        program = Program(("sh", "-c", "echo $WORD; exit 3"), "", ("WORD=hello",))
        start = Start(grant.lease, grant.request, 0, group.nodes, program)
        nodes.send(start)
        self.assertGreater(nodes.expect(Started).process, 0)
        ended = nodes.expect(Ended)
        self.assertEqual((ended.request, ended.kind, ended.code, ended.output), (grant.request, 0, 3, b"hello\n"))
        nodes.send(start)
        self.assertEqual(nodes.expect(Ended), ended)
        nodes.send(Fetch(grant.request, 0, OUTPUT, 1))
        self.assertEqual(nodes.expect(Chunk), Chunk(grant.request, 0, OUTPUT, 1, b"ello\n", True, False))
        nodes.send(Fetch(grant.request, 0, 7, 0))  # no such stream
        self.assertEqual(nodes.expect(Chunk), Chunk(grant.request, 0, 7, 0, b"", True, False))
        nodes.send(Forget(grant.request))
        nodes.send(Stop(grant.request))
        self.assertEqual(nodes.expect(Ended).kind, 2)
        stranger = grant.request._replace(user="bob")
        nodes.send(start._replace(request=stranger))
        nodes.expect_fault(Start.NUMBER)
        nodes.send(start._replace(lease=LeaseId(SITE, Epoch(1 << 62, 1)), request=grant.request._replace(job=2)))
        self.assertEqual((lambda e: (e.kind, e.fault))(nodes.expect(Ended)), (5, 1))
        alice.send(Release(grant.lease, grant.nodes))
        self.until_site(processors=2, processors_busy=0)

    def test_a_task_that_awaits_its_go_begins_with_it(self):  # [S132f, S137b, S137c]
        there = self.start_site_with_nodes()
        alice = self.user()
        alice.send(request(1, 1))
        grant = alice.expect(Grant)
        group = grant.nodes[0]
        nodes = Manager(self.network, alice.party, group.resource_manager, there, FIRST).open()
        program = Program(("sh", "-c", "echo $DMM_RANK of $DMM_RANKS"), runner=2, awaits_go=True)
        nodes.send(Go(grant.request, 0, (Part(0, 1, 1, "here"),)))  # of no task
        nodes.send(Start(grant.lease, grant.request, 0, group.nodes, program))
        ready = nodes.expect(Started)
        self.assertTrue(ready.contact)
        nodes.send(Go(grant.request, 0, (Part(0, 1, 2, ready.contact), Part(1, 1, 1, "elsewhere"))))
        self.assertEqual(nodes.expect(Began), Began(grant.request, 0))
        ended = nodes.expect(Ended)
        self.assertEqual((ended.kind, ended.code), (0, 0))
        self.assertEqual(sorted(ended.output.split(b"\n")), [b"", b"0 of 3", b"1 of 3"])
        nodes.send(Forget(grant.request))
        alice.send(Release(grant.lease, grant.nodes))
        self.until_site(processors=2, processors_busy=0)

    def test_an_unused_lease_goes_home(self):  # [S127a, S128, S114, S133]
        self.start_site()
        folder = pathlib.Path(self.folder.name)
        there = self.start("resmgr", "nodes", {
            "site": SITE, "name": "c0.0", "cluster": "c0", "nodes": 2, "site_endpoint": self.site,
            "directory": str(folder / "nodes"), "endpoint": f"ipc://{folder}/nodes.sock",
            "idle_lease_max_seconds": 0.3})
        alice = self.user()
        alice.send(request(1, 1))
        grant = alice.expect(Grant)
        self.assertEqual(alice.expect(LeaseEnded)[:4], (grant.lease, grant.nodes, IDLE, True))
        nodes = Manager(self.network, alice.party, grant.nodes[0].resource_manager, there, FIRST).open()
        nodes.send(Start(grant.lease, grant.request, 0, grant.nodes[0].nodes, Program(("true",))))
        self.assertEqual((lambda e: (e.kind, e.fault))(nodes.expect(Ended)), (5, 1))
        self.until_site(processors=2, processors_busy=0)

    def test_a_real_job_manager_over_the_relay(self):  # [S50, S52, S80, S81, S28, S104, S110, S142, S144]
        self.start_site()
        nodes = self.resources(2)  # names no endpoint
        peer, endpoint = self.start_job_manager()
        relayed = Relayed(nodes, peer)
        person = Person(self.network, peer, endpoint).open()
        person.send(Submit(1, (JobDescription("j", Program(("x",)), need(2)),)))
        self.assertEqual(person.expect(Submitted).fault, "")
        start = relayed.expect(Start)
        self.assertEqual((nodes_in(start.nodes), start.request), ([0, 1], RequestId(SITE, "alice", 1, 1)))
        relayed.send(Started(start.request, 0, 77, "a jail of its own"))
        relayed.send(Ended(start.request, 0, output_bytes=5000))
        nodes.until_unassigned(start.lease)  # before any output is fetched
        self.assertEqual(relayed.expect(Fetch), Fetch(start.request, 0, OUTPUT, 0, True))
        for wrong in ({"stream": 7}, {"stream": ERROR}, {"offset": 1}, {"component": 1}):
            relayed.send(Chunk(start.request, data=b"no")._replace(**wrong))
        relayed.send(Chunk(start.request, data=b"x" * 4000))
        self.assertEqual(relayed.expect(Fetch).offset, 4000)
        relayed.send(Chunk(start.request, 0, OUTPUT, 4000, b"y" * 1000, True))
        relayed.expect(Forget)
        told = person.ask("job", {"job": 1})
        self.assertEqual((told["state"], told["isolation"]), ("finished", ["a jail of its own"]))
        output = pathlib.Path(self.folder.name, "alice/outputs/1.out").read_bytes()
        self.assertEqual(output, b"x" * 4000 + b"y" * 1000)
        person.send(Submit(2, (JobDescription("j", Program(("x",)), need(2)),)))
        hung = relayed.expect(Start)
        relayed.send(Ended(hung.request, 0, 5, 0, HUNG))
        relayed.expect(Forget)
        told = person.ask("job", {"job": 2})
        self.assertEqual((told["state"], told["exit"]["fault"], told["text"]),
                         ("failed", "hung", "it hung while it was started"))


class Assault(Processes):
    """Frames that no honest party sends are counted, answered or dropped, and all other parties are served."""

    def frames(self, party, peer):
        """Frames, and the name under which each is counted."""
        def head(number, **more):
            return Head(type=number, sender=party, receiver=peer, incarnation=FIRST)._replace(**more)
        good = frame_of(head(Hello.NUMBER), Hello())
        deep = pack([b"\x93\x01\x01" + b"\x91" * 30 + b"\xc0", b""])
        twice = raw_frame(head(Register.NUMBER), ["c", 1, 1, 0, {"ab": "", "ac": ""}]).replace(b"\xa2ac", b"\xa2ab")
        return [
            *((frame, "not_messagepack") for frame in (
                b"", b"\xff" * 100, bytes(range(256)) * 9, b"GET / HTTP/1.1\r\n\r\n", good[:-1], good[:20],
                good + b"\xc0", b"\xc1", pack([frame_body(good) + b"\x00", b""]))),
            *((frame, "over_limit") for frame in (
                b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", deep, b"\x91" * 10000 + b"\xc0",
                b"\x92" * 25 + b"\xc0" * 26)),
            *((pack(value), "not_a_frame") for value in (
                {}, [1, 2], [b"\x90", b""], [frame_body(good)], [frame_body(good).decode("latin1"), b""])),
            (frame_of(head(Hello.NUMBER, version=2), Hello()), "wrong_version"),
            (frame_of(head(Hello.NUMBER, receiver=site_manager("nowhere")), Hello()), "wrong_receiver"),
            (frame_of(head(Hello.NUMBER, sender=Party("nowhere", 0, "")), Hello()), "not_admitted"),
            (raw_frame(head(Hello.NUMBER, sender=Party(peer.site, 9, "")), []), "malformed"),
            (raw_frame(head(Hello.NUMBER), "Hello"), "malformed"), (raw_frame(head(Hello.NUMBER), [-1]), "malformed"),
            (raw_frame(head(Hello.NUMBER, hint=(HintEntry(),) * 17), []), "malformed"), (twice, "malformed"),
            (raw_frame(head(4711), []), "unknown_type"), ([b"two", b"parts"], "multipart"),
            ([good, good], "multipart"), ([b"x" * 1000] * 300, "multipart"),
        ]

    def assault(self, peer, endpoint):
        person = Person(self.network, peer, endpoint, "watcher").open()
        rogue = Manager(self.network, Party(peer.site, CLIENT, "rogue"), peer, endpoint, FIRST).open()
        before = self.refused(person)
        expected = dict(before)
        for frame, reason in self.frames(rogue.party, peer):
            rogue.put(frame)
            expected[reason] = expected.get(reason, 0) + 1
        rogue.network.until(lambda: sum(self.refused(person).values()) >= sum(expected.values()), 10,
                            lambda: f"{expected}; counted {self.refused(person)}")
        self.assertEqual(self.refused(person), expected)
        rogue.expect_fault(4711)
        rogue.barrier()
        for size in (262145, 10_000_000):  # the transport ends the connection, and makes another  [S7]
            rogue.put(b"\xc4" * size)
            rogue.open(20)
        self.assertEqual(person.ask("status")["site"], SITE)
        self.assertIn("no such question", person.fault_of("sing"))
        self.assertIn("JSON", person.fault_of("requests", [1]))

    def test_site_manager(self):  # [S5, S7, S13, S12, S20, S21, S22, S29, S47, S48, S62, S148]
        self.start_site()
        self.assault(site_manager(SITE), self.site)
        self.resources(1)
        alice = self.user()
        alice.send(request(1, 1))
        alice.expect(Grant)

    def test_job_manager(self):  # [S5, S7, S20, S22, S47, S146, S147]
        self.start_site()
        peer, endpoint = self.start_job_manager()
        self.assault(peer, endpoint)
        person = Person(self.network, peer, endpoint).open()
        job = JobDescription("j", Program(("true",)), need(1))
        for _ in range(2):
            person.send(Submit(7, (job, job)))
            answer = person.expect(Submitted)
            self.assertEqual((answer.token, answer.first_job, answer.jobs, answer.fault), (7, 1, 2, ""))
        person.send(Submit(8, (job, job._replace(need=need()))))
        self.assertEqual((lambda s: (s.jobs, s.fault != ""))(person.expect(Submitted)), (0, True))
        self.assertEqual(person.ask("cancel", {"jobs": [1, 2]})["cancelled"], [1, 2])

    def test_resource_manager(self):  # [S5, S7, S20, S22, S47]
        self.start_site()
        peer = resource_manager(SITE, "c0.0")
        endpoint = self.start("resmgr", "nodes", {
            "site": SITE, "name": "c0.0", "cluster": "c0", "nodes": 2, "site_endpoint": self.site,
            "directory": f"{self.folder.name}/nodes"})
        self.assault(peer, endpoint)
        self.until_site(processors=2)


def frame_body(frame):
    """The envelope's bytes in a frame of less than 256."""
    return frame[3:3 + frame[2]]


if __name__ == "__main__":
    unittest.main(verbosity=1)
