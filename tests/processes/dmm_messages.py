"""The messages between parties of DMM, written from docs/protocol.md alone: structs, messages, and their frames
(sections 3, 4 and 8).
"""
import collections

import msgpack

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
Replica = struct("Replica", ("url", "text", ""), ("site", "name", ""))
InputFile = struct("InputFile", ("name", "text", ""), ("replicas", [Replica], ()), ("bytes", "uint", 0),
                   ("sha256", "text", ""))
Program = struct("Program", ("arguments", ["text"], ()), ("working_directory", "text", ""),
                 ("environment", ["text"], ()), ("limits", Limits, Limits()), ("script", "bytes", b""),
                 ("input", "bytes", b""), ("runner", "uint", 0), ("awaits_go", "bool", False),
                 ("inputs", [InputFile], ()))

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
Vouch = struct("Vouch", ("sites", [SiteVouch], ()), ("revoked", [SiteVouch], ()), ("next", "text", ""), number=6)
Certify = struct("Certify", ("link", "text", ""), ("possession", "bytes", b""), number=7)
Certified = struct("Certified", ("certificate", "text", ""), number=8)
Request = struct("Request", ("id", RequestId, RequestId()), ("need", Need, Need()), ("dttl", "uint", 5),
                 ("priority", "int", 0), ("waited", "int", 0), ("origin_user", "text", ""), ("length", "int", 0),
                 number=10)
Cancel = struct("Cancel", ("request", RequestId, RequestId()), number=11)
Staged = struct("Staged", ("request", RequestId, RequestId()), ("source", "name", ""), ("to", "name", ""),
                ("bytes", "uint", 0), ("took", "int", 0), ("lease", LeaseId, LeaseId()), ("component", "uint", 0),
                ("files", ["text"], ()), number=9)
Refuse = struct("Refuse", ("request", RequestId, RequestId()), ("reason", "uint", 0), ("largest", "uint", 0),
                ("text", "text", ""), number=12)
Delegate = struct("Delegate", ("request", Request, Request()), ("part", "uint", 0), ("round", "uint", 0),
                  ("dttl", "uint", 0), ("tries_left", "uint", 0), ("answer_within", "int", 0),
                  ("chain", ["name"], ()), ("round_trip", "int", 0), ("stay", "uint", 0), ("gives_up", [LeaseId], ()),
                  ("gives_up_grace", "int", 0), number=13)
Reject = struct("Reject", ("request", RequestId, RequestId()), ("part", "uint", 0), ("round", "uint", 0),
                ("reason", "uint", 0), ("tries_left", "uint", 0), ("asked", [SiteAnswer], ()), number=14)
Withdraw = struct("Withdraw", ("request", RequestId, RequestId()), ("part", "uint", 0), ("round", "uint", 0),
                  number=15)
Reach = struct("Reach", ("entries", [ReachEntry], ()), number=16)
ClusterReport = struct("ClusterReport", ("site", "name", ""), ("cluster", "name", ""), ("idle", "uint", 0),
                       ("total", "uint", 0), ("processors_per_node", "uint", 1), ("memory_bytes", "uint", 0),
                       ("attributes", "map", {}), ("hops", "uint", 0), ("round_trip", "int", 0), ("age", "int", 0),
                       ("held", "uint", 0), ("bandwidth", "uint", 0))
PlannedPlace = struct("PlannedPlace", ("site", "name", ""), ("cluster", "name", ""))
Planned = struct("Planned", ("request", RequestId, RequestId()), ("places", [PlannedPlace], ()),
                 ("claims_in", "int", 0), ("starts_in", "int", 0), number=35)
Prefetch = struct("Prefetch", ("request", RequestId, RequestId()), ("site", "name", ""), ("cluster", "name", ""),
                  ("path", ["name"], ()), ("files", [InputFile], ()), number=36)
Prefetched = struct("Prefetched", ("request", RequestId, RequestId()), ("site", "name", ""), ("cluster", "name", ""),
                    ("path", ["name"], ()), ("text", "text", ""), number=37)
Survey = struct("Survey", ("hops", "uint", 1), number=17)
Clusters = struct("Clusters", ("clusters", [ClusterReport], ()), number=18)
Probe = struct("Probe", ("number", "uint", 0), ("filler", "bytes", b""), number=19)
Probed = struct("Probed", ("number", "uint", 0), number=29)
Grant = struct("Grant", ("request", RequestId, RequestId()), ("part", "uint", 0), ("round", "uint", 0),
               ("lease", LeaseId, LeaseId()), ("nodes", [NodeGroup], ()), ("term", "int", 0), ("chain", ["name"], ()),
               ("owner_ancestors", ["name"], ()), ("blocks", ["bytes"], ()), ("origin", "uint", 0),
               ("tries", "uint", 0), ("grace", "int", 0), ("length", "int", 0), ("round_trip", "int", 0),
               ("expected", "int", 0), number=20)
GrantSet = struct("GrantSet", ("request", RequestId, RequestId()), ("grants", [Grant], ()),
                  ("placement", "text", ""), number=27)
Claim = struct("Claim", ("lease", LeaseId, LeaseId()), ("request", RequestId, RequestId()), ("proof", "bytes", b""),
               number=21)
Claimed = struct("Claimed", ("lease", LeaseId, LeaseId()), ("request", RequestId, RequestId()), number=28)
Release = struct("Release", ("lease", LeaseId, LeaseId()), ("nodes", [NodeGroup], ()), ("silent", "bool", False),
                 ("failed", "bool", False), ("host_failed", "bool", False), number=22)
LeaseEnded = struct("LeaseEnded", ("lease", LeaseId, LeaseId()), ("nodes", [NodeGroup], ()),
                    ("reason", "uint", EXPIRED), ("confirmed", "bool", False), ("grace", "int", 0), number=23)
Renew = struct("Renew", ("leases", "uint", 0), number=24)
Renewed = struct("Renewed", ("term", "int", 0), ("terms", [LeaseTerm], ()), ("wanted", [LeaseId], ()),
                 ("settled", "bool", False), number=25)
Holding = struct("Holding", ("lease", LeaseId, LeaseId()), ("request", RequestId, RequestId()),
                 ("nodes", [NodeGroup], ()), ("chain", ["name"], ()), ("owner_ancestors", ["name"], ()),
                 ("blocks", ["bytes"], ()), ("left", "int", 0), ("grace", "int", 0), ("length", "int", 0),
                 ("round_trip", "int", 0), ("offered", "bool", False))
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
    Hello, Beat, Fault, Relay, Fragment, Vouch, Certify, Certified, Staged, Request, Cancel, Refuse, Delegate, Reject,
    Withdraw, Reach, Survey, Clusters, Probe, Probed, Planned, Prefetch, Prefetched, Grant, GrantSet, Claim, Claimed,
    Release, LeaseEnded, Renew, Renewed, Inventory, Register, Assign, Unassign, Clean, SetAside, Start, Started, Go,
    Began, Ended, Stop, Fetch, Chunk, Piece, Grown, Forget, Submit, Submitted, Ask, Answer)}
UNNUMBERED = (Hello.NUMBER, Beat.NUMBER, Fault.NUMBER, Relay.NUMBER, Piece.NUMBER)

Head = struct("Head", ("version", "uint", VERSION), ("type", "uint", 0), ("sender", Party, Party()),
              ("receiver", Party, Party()), ("incarnation", "uint", 0), ("peer", "uint", 0), ("sequence", "uint", 0),
              ("acknowledged", "uint", 0), ("trace", RequestId, RequestId()), ("hint", [HintEntry], ()))


def plain(kind, value):
    """A value as MessagePack should write it."""
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
    """The reverse. Elements that are missing at the end of an array take their defaults; additional ones are
    ignored."""
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
    """The frame of an envelope with any value as its body, for messages that this library would not make."""
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
