"""Plays a neighbouring site in Python against a real sitemgr, with a client written from docs/protocol.md alone. Names
of sentences, such as [S38], are those of the document.
"""
import time
import unittest

from dmm_client import (
    SECOND, UNKNOWN, Beat, Cancel, Claim, Clean, Delegate, Epoch, Grant, HintEntry, Holding, Inventory,
    LeaseEnded, LeaseId, NodeGroup, NodeRange, Probe, Probed, Reject, Release, Renew, Renewed,
    Request, RequestId, SiteAnswer, Survey, Withdraw, processors_of, resource_manager)
from python_stage import FIRST, NORTH, SITE, Processes, need, request


class Neighbours(Processes):
    LINK = {"links": [{"site": NORTH, "relation": "sibling"}]}

    def delegate(self, job, processors, dttl=0, round_=1, home=NORTH, **more):
        asked = Request(RequestId(home, "nora", job, 1), more.pop("need", need(processors)))
        return Delegate(asked, 0, round_, dttl, 15, 10 * SECOND, **{"chain": (NORTH,), **more})

    def lend(self, **more):
        """Lends half of eight nodes to the neighbour."""
        self.start_site(**self.LINK, **more)
        nodes, north = self.resources(8), self.neighbour()
        north.send(self.delegate(1, 4))
        return nodes, north, north.expect(Grant)

    def test_leases_that_need_a_release(self):  # [S127b, S131]
        nodes, _, grant = self.lend()
        self.assertEqual(nodes.until_assigned(grant.lease).once, False)
        nodes.send(Clean(grant.lease))  # a neighbour has the lease, so another job may come
        nodes.barrier()
        self.until_site(processors_lent=4)
        alice = self.user()
        alice.send(request(1, 0, need=need(1, 1)))
        self.assertEqual(nodes.until_assigned(alice.expect(Grant).lease).once, False)

    def test_a_link_is_timed_by_frames_while_a_request_of_several_components_waits(self):  # [S76a, S98b, S98e, S98f]
        self.start_site(clusters=[{"name": "c0", "nodes": 4}], **self.LINK)
        self.resources(4)
        north = self.neighbour()
        north.send(Probe(7, bytes(240_000)))
        self.assertEqual(north.expect(Probed), Probed(7))
        alice = self.user()
        alice.send(request(1, 5, need=need(4, 4)))
        while not north.received(Survey):
            whole = north.expect(Delegate)
            north.send(Reject(whole.request.id, 0, whole.round, 2))
            self.network.until(lambda: north.received(Survey) or north.received(Delegate), 30, "a Survey")
        self.assertEqual(north.expect(Probe), Probe(1, b""))
        north.send(Probed(1))
        second = north.expect(Probe)
        self.assertEqual((second.number, len(second.filler)), (2, 15_000))
        self.assertIsNone(self.person.ask("site")["links"][0]["bytes_per_second"])
        time.sleep(0.03)  # so that the link seems slow enough to be timed well
        north.send(Probed(2))
        self.network.until(lambda: self.person.ask("site")["links"][0]["bytes_per_second"], 5, "a bandwidth")

    def test_lending(self):  # [S90, S91, S92, S93, S99, S107, S108, S118, S60, S63]
        self.start_site(clusters=[{"name": "c0", "nodes": 4}], **self.LINK)
        nodes, north = self.resources(4), self.neighbour()
        self.network.until(lambda: north.hint and north.hint[0] == HintEntry(4, 4, True), 5, "a hint")
        north.send(self.delegate(1, 3))
        grant = north.expect(Grant)
        self.assertEqual((grant.request.site, grant.round, grant.chain, processors_of(grant.nodes)),
                         (NORTH, 1, (SITE, NORTH), 3))
        self.assertEqual(nodes.until_assigned(grant.lease).holder, NORTH)
        north.send(Claim(grant.lease, grant.request))
        north.send(Renew(1))
        self.assertEqual(north.expect(Renewed), Renewed(30 * SECOND, (), (), True))
        self.network.until(lambda: north.hint[0].lendable == 1, 5, "a hint")
        asked = (self.delegate(1, 3), self.delegate(2, 3), self.delegate(3, 5), self.delegate(6, 0),
                 self.delegate(4, 1, home="west", chain=("west", SITE, NORTH)),
                 self.delegate(5, 1, chain=("west",)), self.delegate(7, 1, chain=("west", NORTH)),
                 self.delegate(8, 1, chain=(NORTH, NORTH)), self.delegate(9, 1, home="west", chain=("west", "", NORTH)))
        for delegate in asked:
            north.send(delegate)
        rejects = {reject.request.job: reject for reject in [north.expect(Reject) for _ in asked]}
        reasons = {job: reject.reason for job, reject in rejects.items()}
        self.assertEqual(reasons, {1: 4, 2: 2, 3: 2, 4: 5, **dict.fromkeys((5, 6, 7, 8, 9), 10)})
        self.assertEqual((rejects[2].asked, rejects[2].tries_left), ((SiteAnswer(SITE, 2),), 15))
        north.send(Claim(LeaseId(SITE, Epoch(1, 7)), grant.request))
        self.assertEqual(north.expect(LeaseEnded).reason, UNKNOWN)
        north.send(Release(grant.lease))
        nodes.until_unassigned(grant.lease)
        self.until_site(processors_lent=0, processors_busy=0, leases_out=0)
        self.assertEqual(self.person.ask("usage")["sums"][0]["direction"], "lent")

    def test_borrowing(self):  # [S68, S69, S90, S97, S98, S102, S111, S65]
        self.start_site(pause_first_seconds=0.1, **self.LINK)
        self.resources(2)
        north, alice = self.neighbour(), self.user()
        north.send(Beat(), hint=(HintEntry(8, 8, True),))
        alice.send(request(1, 6))
        first = north.expect(Delegate)
        self.assertEqual((first.request.id.user, first.round, first.dttl, first.tries_left, first.chain),
                         ("alice", 1, 4, 15, (SITE,)))
        north.send(Reject(first.request.id, 0, 9, 0, 15))  # of another round
        north.send(Reject(first.request.id, 0, 1, 0, 15, (SiteAnswer(NORTH, 0),)))
        second = north.expect(Delegate)
        self.assertEqual(second.round, 2)
        lease = LeaseId(NORTH, Epoch(1, 1))
        group = NodeGroup(resource_manager(NORTH, "n"), "n", (NodeRange(10, 15),), 1, "", 0)
        north.send(Grant(second.request.id, 0, 2, lease, (group,), 30 * SECOND, (NORTH, SITE), ()))
        self.assertEqual(north.expect(Claim).lease, lease)
        grant = alice.expect(Grant)
        self.assertEqual((grant.lease, grant.nodes, grant.chain, grant.origin, grant.tries),
                         (lease, (group,), (NORTH, SITE), 3, 2))
        alice.send(Release(lease, grant.nodes))
        self.assertEqual(north.expect(Release), Release(lease, ()))
        alice.send(request(2, 6))
        third = north.expect(Delegate)
        alice.send(Cancel(third.request.id))
        self.assertEqual(north.expect(Withdraw), Withdraw(third.request.id, 0, 1))
        late = LeaseId(NORTH, Epoch(1, 2))  # the grant had already left
        north.send(Grant(third.request.id, 0, 1, late, (group,), 30 * SECOND, (NORTH, SITE), ()))
        self.assertEqual(north.expect(Release).lease, late)
        self.until_site(leases_in=0, requests_waiting=0)

    def test_an_offer_runs_out(self):  # [S109]
        nodes, north, grant = self.lend(offer_seconds=0.3)
        self.assertEqual((north.expect(LeaseEnded).reason, nodes.until_unassigned(grant.lease).grace), (3, 0))
        self.until_site(processors_busy=0)

    def test_a_restarted_neighbour(self):  # [S78]
        nodes, north, grant = self.lend()
        north.send(Claim(grant.lease, grant.request))
        north.barrier()
        north.close()
        north = self.neighbour(FIRST + 1)
        lent = north.expect(Inventory).lent  # [S78a]
        self.assertEqual([(one.lease, one.nodes) for one in lent], [(grant.lease, grant.nodes)])
        north.send(Inventory(borrowed=(Holding(grant.lease, grant.request, grant.nodes, grant.chain),)))
        north.barrier()
        self.assertEqual(nodes.unassigned, [])  # it goes on
        gone = LeaseId(SITE, Epoch(1, 999))
        north.close()
        north = self.neighbour(FIRST + 2)
        north.send(Inventory(borrowed=(Holding(gone, grant.request, grant.nodes, grant.chain),)))
        ended = north.expect(LeaseEnded)
        self.assertEqual((ended.lease, ended.reason), (gone, UNKNOWN))  # [S122b]
        north.send(Release(grant.lease, (), True))  # returns what it doesn't know itself  [S122c]
        self.assertGreater(nodes.until_unassigned(grant.lease).detached, 0)
        self.until_site(processors_busy=0, leases_out=0)

    def test_impossible_nodes(self):  # [S79a]
        nodes, north, grant = self.lend()
        alice = self.user()
        north.send(Claim(grant.lease, grant.request))
        alice.send(request(1, 4))
        own = alice.expect(Grant)
        for ranges in (((3, 1),), ((2, 3), (0, 1)), ((0, 1), (1, 2)), ((0, 1), (0, 1)), ((0, 4294967295),)):
            broken = tuple(NodeRange(*pair) for pair in ranges)
            for party, lease, group in ((north, grant.lease, grant.nodes[0]), (alice, own.lease, own.nodes[0])):
                party.send(Release(lease, (group._replace(nodes=broken),)))
            nodes.send(Clean(grant.lease, broken))
        for party in (nodes, north, alice):
            party.barrier()
        self.until_site(processors_busy=8, processors_lent=4)
        alice.send(request(2, 9))  # and in what would come to 2**33 - 2 processors  [S106a]
        huge = NodeGroup(resource_manager(NORTH, "n"), "n", (NodeRange(0, 1),), (1 << 32) - 1, "", 0)
        late = RequestId(SITE, "alice", 9)
        north.send(Grant(late, 0, 1, LeaseId(NORTH, Epoch(1, 1)), (huge,), 30 * SECOND, (NORTH, SITE)))
        north.barrier()
        self.until_site(leases_in=0, processors_busy=8)
        north.send(Release(grant.lease))
        alice.send(Release(own.lease))
        self.until_site(processors_busy=0, processors_lent=0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
