"""The encoding of docs/protocol.md as read by a client in another language, without any daemon. Names of sentences,
such as [S26], are those of the document.
"""
import os
import pathlib
import re
import unittest

from dmm_client import (
    FLEXIBLE, MESSAGES, SECOND, ArrayIndices, Beat, Chunk, Component, Constraints, Delegate, Ended, Epoch, Grant, Head,
    Hello, HintEntry, IndexRange, JobDescription, LeaseEnded, LeaseId, Limits, Need, NodeGroup, NodeRange, Program,
    Reject, Request, RequestId, SiteAnswer, Start, Submit, frame_of, job_manager, parse, raw_frame, resource_manager,
    site_manager)

SOURCE = pathlib.Path(os.environ.get("DMM_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
SITE, NORTH = "home", "north"


class Encoding(unittest.TestCase):
    """Without any daemon: this client reads its own frames, and the document's example."""

    def test_every_message_comes_back(self):
        lease = LeaseId("north", Epoch(7, 41))
        asked = Request(RequestId(SITE, "alice", 3), Need(components=(Component(8),)), 4, waited=SECOND)
        ranges = (NodeRange(0, 3), NodeRange(7, 7))
        group = NodeGroup(resource_manager("north", "n"), "c", ranges, 2, "tcp://n:1", 0)
        program = Program(("sh", "-c", "true"), "", ("A=\udcff",), Limits(wall_seconds=9), b"#!/bin/sh\n", b"\x00\xff")
        array = ArrayIndices((IndexRange(0, 9, 3),), 2)
        flexible = Need(FLEXIBLE, (Component(8),), 2, 3, ((4, 4), (8,)), Constraints(1 << 40, {"arch": "x86_64"}))
        for message in (asked, Delegate(asked, 0, 1, 3, 14, 10 * SECOND, ("home",)),
                        Reject(asked.id, 0, 1, 2, 13, (SiteAnswer("north", 2),)),
                        Grant(asked.id, 0, 1, lease, (group,), SECOND, ("north", "home"), ("top",), (b"\xff",), 3, 2),
                        LeaseEnded(lease, (group,), 4, True), Start(lease, asked.id, 0, ranges, program),
                        Ended(asked.id, 0, 1, 9, wall=5, output=b"\x00\xff"), Chunk(asked.id, data=b"x" * 49152),
                        Submit(9, (JobDescription("j", program, flexible, array=array),))):
            head = Head(type=message.NUMBER, sender=site_manager(SITE), receiver=site_manager(NORTH), sequence=70000,
                        incarnation=1 << 63, trace=asked.id, hint=(HintEntry(5, 64, True),))
            with self.subTest(type(message).__name__):
                self.assertEqual(parse(frame_of(head, message)), (head, message))

    def test_growth(self):  # [S26, S27]
        head = Head(type=Beat.NUMBER, sender=site_manager(SITE), receiver=site_manager(NORTH), incarnation=1)
        self.assertEqual(parse(raw_frame(head, []))[1], Beat(False, 0))
        self.assertEqual(parse(raw_frame(head, [True, 5, False, 0, 0, False, "later", [1, {}]]))[1], Beat(True, 5))
        asked = Head(type=Request.NUMBER, sender=job_manager(SITE, "a"), receiver=site_manager(SITE), incarnation=1)
        self.assertEqual(parse(raw_frame(asked, [["home", b"a", 1]]))[1], Request(RequestId("home", "a", 1, 1), dttl=5))

    def test_the_example_of_the_document(self):
        text = (SOURCE / "docs/protocol.md").read_text(encoding="utf-8")
        listing = re.search(r"A worked example.*?```\n(.*?)```", text, re.S)[1]
        rows = re.findall(r"^ *((?:[0-9a-f]{2} )*[0-9a-f]{2})  ", listing, re.M)
        frame = bytes.fromhex("".join(rows))
        head = Head(type=Hello.NUMBER, sender=job_manager("das-0", "alice"), receiver=site_manager("das-0"),
                    incarnation=1000000)
        self.assertEqual(len(frame), 67)
        self.assertEqual(parse(frame), (head, Hello(0, False, "mine 1", ("das",))))
        self.assertEqual(raw_frame(head, [0, False, b"mine 1", ["das"]]), b"\x92\xc4" + frame[5:])

    def test_every_message_is_in_the_document(self):
        text = (SOURCE / "docs/protocol.md").read_text(encoding="utf-8")
        found = {int(number): name for name, number in re.findall(r"^### 8\.\d+[a-z]? (\w+) \((\d+)\)$", text, re.M)}
        self.assertEqual(found, {number: message.__name__ for number, message in MESSAGES.items()})


if __name__ == "__main__":
    unittest.main(verbosity=1)
