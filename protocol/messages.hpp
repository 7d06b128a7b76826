// What managers say to one another: one struct a message, replies that differ are different types. Each is a plain
// value whose `fields` are its elements on the wire, in order; a message grows only at its end. The meaning, who may
// send it when, and what happens when it is lost or doubled is in docs/protocol.md, which has a section for each.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "protocol/few.hpp"
#include "protocol/ids.hpp"
#include "protocol/interruptions.hpp"
#include "protocol/job_messages.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/origin.hpp"
#include "protocol/reasons.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// A moment by the sender's own clock, that only it can read: milliseconds that come round after some 49 days. Echoed,
/// it tells how long a message and its answer took.
using Stamp = std::uint32_t;
constexpr Stamp no_stamp = 0;

// ---- links ---------------------------------------------------------------------------------------------------------

/// Opens or resumes a session; answered by one Hello that isn't itself an answer.
struct Hello {
  std::uint64_t received = 0;  ///< the highest sequence number delivered from the receiver's present incarnation
  bool answer = false;         ///< this Hello answers one
  std::string software;        ///< version of the sender's program, for people
  SiteNames ancestors;         ///< of the sender's site: its parent, that one's parent, ..., its root
  std::uint64_t instance = 0;  ///< tells the sender from another process of its name; the same after a restart
  Stamp stamp = no_stamp;      ///< when it was sent, by the sender's clock
  Stamp echo = no_stamp;       ///< in an answer: the stamp of the Hello that it answers
  std::string certificate;     ///< of the sender's link key (keys/certificate.hpp); empty where none is needed
  DMM_MESSAGE(1, self.received, self.answer, self.software, self.ancestors, self.instance, self.stamp, self.echo,
              self.certificate)
};

/// Says that the sender lives; carries an acknowledgement and perhaps a hint in its envelope. One that echoes a stamp
/// also vouches: all that the sender lent over this link stands, but for what the messages up to `last` say.
struct Beat {
  bool resend = false;      ///< a message is missing: send again all that isn't acknowledged
  std::uint64_t last = 0;   ///< the highest sequence number that the sender has used
  bool dormant = false;     ///< nothing is under way between the two: until the next message neither need beat
  Stamp stamp = no_stamp;   ///< when it was sent
  Stamp echo = no_stamp;    ///< the latest stamp that came, and as much later as it was held here
  bool in_passing = false;  ///< sent before its sender had looked at all its links: it vouches for nothing
  DMM_MESSAGE(2, self.resend, self.last, self.dormant, self.stamp, self.echo, self.in_passing)
};

/// Answers what was not understood or not allowed. Never answered itself.
struct Fault {
  std::uint16_t about = 0;  ///< type of the message that is faulted
  std::string text;
  DMM_MESSAGE(3, self.about, self.text)
};

/// An end-to-end frame between a job manager and a resource manager, carried along the delegation chain.
struct Relay {
  Party from;
  Party to;
  SiteNames path;              ///< sites from the sender's to the receiver's
  std::uint32_t position = 0;  ///< index in `path` of the site that receives this message
  std::string payload;         ///< one frame, opaque to the sites
  DMM_MESSAGE(4, self.from, self.to, self.path, self.position, self.payload)
};

/// A piece of a message that is too long for one frame. Pieces follow one another; together they are the frame that
/// the message would have been.
struct Fragment {
  std::uint32_t index = 0;  ///< from 0
  bool last = false;
  std::string bytes;
  DMM_MESSAGE(5, self.index, self.last, self.bytes)
};

/// The key of a site, as letters.
struct SiteVouch {
  SiteName site;
  std::string key;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.key);
  }
};

/// A link key of a site's manager or person that is believed no more, as letters.
struct RevokedKey {
  SiteName site;
  std::string link;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.link);
  }
};

/// A site manager vouches for the keys of sites, its own among them, so that the receiver knows managers of sites
/// that are farther away; and tells which of their managers' keys are believed no more.
struct Vouch {
  std::vector<SiteVouch> sites;
  std::vector<RevokedKey> revoked;
  /// A certificate: from its `from` on the sender listens with this link key. Empty: with the present one.
  std::string next;
  DMM_MESSAGE(6, self.sites, self.revoked, self.next)
};

/// A manager asks its site to certify that a link key is the manager's: before its certificate ends, or for a new
/// key.
struct Certify {
  std::string link;        ///< as letters
  std::string possession;  ///< shows that the manager has its secret (keys/seals.hpp)
  DMM_MESSAGE(7, self.link, self.possession)
};

/// The site's answer: a certificate, as letters.
struct Certified {
  std::string certificate;
  DMM_MESSAGE(8, self.certificate)
};

// ---- asking --------------------------------------------------------------------------------------------------------

/// A job manager asks its site for nodes. Sent again, with how long it has waited, in every new session.
struct Request {
  RequestId id;
  ResourceNeed need;
  std::uint32_t dttl = 5;     ///< hops that the request may travel
  std::int32_t priority = 0;  ///< greater is more urgent; only the `priority` policies look at it
  Duration waited;            ///< how long it has waited already
  ShortText origin_user;      ///< whom the use is charged to
  Duration length;            ///< how long it runs at most, as its user says; 0 if nothing is said
  Interruptions past = {};
  FileNeeds files = {};             ///< that are brought to each component before it starts
  std::uint32_t communication = 0;  ///< kilobits a second that each processor sends to the others; 0: not said
  DMM_MESSAGE(10, self.id, self.need, self.dttl, self.priority, self.waited, self.origin_user, self.length,
              self.past, self.files, self.communication)
};

/// How long input files of a task of a job were under way, and which may be kept there since; the home site
/// estimates later transfers by that. Needs no answer.
struct Staged {
  RequestId request;
  SiteName from;            ///< where they lay; empty: not known, or at several sites
  SiteName to;              ///< where the task runs
  std::uint64_t bytes = 0;  ///< of all of them
  Duration took;            ///< from the Start until the task was ready
  LeaseId lease = {};       ///< under which it runs
  std::uint32_t component = 0;
  std::vector<ShortText> files = {};  ///< the SHA-256 of those that a cluster can keep
  DMM_MESSAGE(9, self.request, self.from, self.to, self.bytes, self.took, self.lease, self.component, self.files)
};

/// A job manager takes its request back. Needs no answer.
struct Cancel {
  RequestId request;
  DMM_MESSAGE(11, self.request)
};

/// A site tells a job manager that a request will never be served.
struct Refuse {
  RequestId request;
  RefusalReason reason = RefusalReason::too_large;
  std::uint32_t largest = 0;  ///< processors of the largest cluster that can be reached
  std::string text;
  DMM_MESSAGE(12, self.request, self.reason, self.largest, self.text)
};

/// A site hands a request to a neighbour; answered by exactly one Grant or Reject.
struct Delegate {
  Request request;
  std::uint32_t part = 0;        ///< 0: the whole request; else the number of a part of a co-allocated one, from 1
  std::uint32_t round = 0;       ///< the home site's count of search rounds
  std::uint32_t dttl = 0;        ///< hops left after this one
  std::uint32_t tries_left = 0;  ///< what is left of the round's search budget, this delegation already paid
  Duration answer_within;        ///< after this the sender counts silence as a Reject
  SiteNames chain;               ///< the sites that hold the request, home first, the sender last
  Duration round_trip;           ///< from the home site to the receiver and back, by the links that it came over
  std::uint64_t stay = 0;  ///< names this stay of the request at its home site: rounds are counted anew in another
  /// Leases of the owner that the home site gives up for the part where it has no room otherwise, the first before
  /// the others; what runs there has the grace to end.
  std::vector<LeaseId> gives_up = {};
  Duration gives_up_grace = {};
  DMM_MESSAGE(13, self.request, self.part, self.round, self.dttl, self.tries_left, self.answer_within, self.chain,
              self.round_trip, self.stay, self.gives_up, self.gives_up_grace)
};

/// One site that was asked, and what it answered.
struct SiteAnswer {
  SiteName site;
  RejectReason reason = RejectReason::no_capacity;
  std::uint32_t most = 0;  ///< where a limit is the reason: what it allows; else 0
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.reason, self.most);
  }
};

/// Answers a Delegate: not served here or beyond.
struct Reject {
  RequestId request;
  std::uint32_t part = 0;
  std::uint32_t round = 0;
  RejectReason reason = RejectReason::no_capacity;  ///< of the sender itself
  std::uint32_t tries_left = 0;                     ///< what is left of the search budget
  std::vector<SiteAnswer> asked;                    ///< everybody asked on the way, the sender last; at most 64
  DMM_MESSAGE(14, self.request, self.part, self.round, self.reason, self.tries_left, self.asked)
};

/// Takes a delegation back; follows its path and needs no answer. Who has granted already ignores it.
struct Withdraw {
  RequestId request;
  std::uint32_t part = 0;
  std::uint32_t round = 0;
  DMM_MESSAGE(15, self.request, self.part, self.round)
};

/// Nodes of one kind at the sites of one distance: the most that one of them could serve if all were idle and up.
struct NodeClass {
  std::uint64_t memory_bytes = 0;  ///< per node
  Attributes attributes;
  std::uint32_t largest = 0;   ///< processors of such nodes in one cluster, within its quota
  std::uint32_t together = 0;  ///< the same in all clusters of one site
  Duration longest;            ///< no lease of them is longer; 0: of any length
  bool limited = false;        ///< a site there has more: a limit of its link on this way leaves no more at once
  /// Processors of such nodes at all these sites, each counted on every way to it: never too few. 0: not told.
  std::uint64_t in_all = 0;
  auto operator<=>(const NodeClass&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.memory_bytes, self.attributes, self.largest, self.together, self.longest, self.limited,
                    self.in_all);
  }
};

/// What the sites at one distance have.
struct ReachEntry {
  bool complete = false;  ///< every site at this distance is known, and no class is left out
  std::vector<NodeClass> classes;
  auto operator<=>(const ReachEntry&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.complete, self.classes);
  }
};

/// What can be had beyond the sender by configuration, whoever is up, busy or drained now: entry d of sites d hops
/// beyond the sender, entry 0 of the sender itself.
struct Reach {
  std::vector<ReachEntry> entries;
  DMM_MESSAGE(16, self.entries)
};

/// Asks a neighbour which clusters it knows, to place a co-allocated request; answered by one Clusters.
struct Survey {
  std::uint32_t hops =
      1;  ///< clusters of sites up to this many hops beyond the asking site; 1: the receiver's own
  DMM_MESSAGE(17, self.hops)
};

/// Nodes of one kind in one cluster, as its owner, or a site on the way to it, last told of them.
struct ClusterReport {
  SiteName site;
  ClusterName cluster;
  std::uint32_t idle = 0;   ///< processors of such nodes that the asking site could have at that moment
  std::uint32_t total = 0;  ///< processors of all such nodes, idle or not
  std::uint32_t processors_per_node = 1;
  std::uint64_t memory_bytes = 0;  ///< per node
  Attributes attributes;
  std::uint32_t hops = 0;  ///< from the sender to the site: 0 for the sender's own
  Duration round_trip;     ///< from the sender to the site and back
  Duration age;            ///< how long ago its owner said so, as far as the sender knows
  std::uint32_t held = 0;  ///< processors beside the idle ones that are held for parts of co-allocated requests
  std::uint64_t bandwidth = 0;  ///< bytes a second of the slowest link from the sender to the site; 0: not known
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.cluster, self.idle, self.total, self.processors_per_node, self.memory_bytes,
                    self.attributes, self.hops, self.round_trip, self.age, self.held, self.bandwidth);
  }
};

/// Answers a Survey: the nearest clusters that the sender knows, at most 64, its own first.
struct Clusters {
  std::vector<ClusterReport> clusters;
  DMM_MESSAGE(18, self.clusters)
};

struct PlannedPlace {
  SiteName site;
  ClusterName cluster;
  bool operator==(const PlannedPlace&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.cluster);
  }
};

/// A site has placed a request of a job manager and claims its nodes later: input files may go ahead. Needs no
/// answer.
struct Planned {
  RequestId request;
  std::vector<PlannedPlace> places;  ///< that lack files of the job
  Duration claims_in;                ///< until the site tries to claim the nodes
  Duration starts_in;                ///< until the files are expected there
  DMM_MESSAGE(35, self.request, self.places, self.claims_in, self.starts_in)
};

/// Input files that a cluster is to fetch and keep for a job that is planned there: from the job manager to its
/// site, from site to site, and to a resource manager of the cluster. What isn't there when the job starts is
/// fetched then.
struct Prefetch {
  RequestId request;
  SiteName site;
  ClusterName cluster;
  std::vector<SiteName> path;  ///< the sites that had it, home first, the sender last
  InputFiles files;            ///< with size and SHA-256
  DMM_MESSAGE(36, self.request, self.site, self.cluster, self.path, self.files)
};

/// The files of a Prefetch are there. From the resource manager, back along its path. Needs no answer.
struct Prefetched {
  RequestId request;
  SiteName site;
  ClusterName cluster;
  std::vector<SiteName> path;  ///< the sites that it is yet to go through, home first, the receiver last
  DMM_MESSAGE(37, self.request, self.site, self.cluster, self.path)
};

/// A timed frame: how long it and its answer take tells the bandwidth of a link.
struct Probe {
  std::uint32_t number = 0;  ///< from 1 in each probing
  std::string filler;        ///< bytes without a meaning, at most `probe_bytes_max`
  DMM_MESSAGE(19, self.number, self.filler)
};
/// Of `Probe::filler`.
constexpr std::size_t probe_bytes_max = 240'000;

/// Answers a Probe at once.
struct Probed {
  std::uint32_t number = 0;  ///< of the Probe
  DMM_MESSAGE(29, self.number)
};

// ---- leases --------------------------------------------------------------------------------------------------------

/// Nodes for a request: from the owner along the chain to the home site, and from there to the job manager.
struct Grant {
  RequestId request;
  std::uint32_t part = 0;
  std::uint32_t round = 0;
  LeaseId lease;
  std::vector<NodeGroup> nodes;
  Duration term;                    ///< the receiver may use the nodes this long from when it asked
  SiteNames chain;                  ///< the delegation chain: the owner (source) first, the home site (sink) last
  SiteNames owner_ancestors;        ///< the owner's parent, ..., its root
  std::vector<std::string> blocks;  ///< one opaque byte string a hop, forwarded as received
  Origin origin = Origin::local;    ///< set by the home site
  std::uint32_t tries = 0;          ///< delegations sent for the request, set by the home site
  Duration grace;                   ///< what the owner gives before it takes nodes back; `end_of_job` for no end
  Duration length;  ///< the owner lets the lease last no longer than this from now; 0: as long as it is renewed
  Duration round_trip;  ///< from the home site to the owner and back; from the job manager, to a job manager
  Duration expected;  ///< the owner expects to want the nodes back no sooner than this from now; 0: it can't tell
  DMM_MESSAGE(20, self.request, self.part, self.round, self.lease, self.nodes, self.term, self.chain,
              self.owner_ancestors, self.blocks, self.origin, self.tries, self.grace, self.length, self.round_trip,
              self.expected)
};

/// All leases of a co-allocated request, from the home site to the job manager: each serves some of its
/// components.
struct GrantSet {
  RequestId request;
  std::vector<Grant> grants;  ///< each of this request; their nodes have the numbers of the request's components
  ShortText placement = {};   ///< for people: why the components were placed so, and not otherwise
  DMM_MESSAGE(27, self.request, self.grants, self.placement)
};

/// A grace class without a length: the owner takes the nodes back when their present job has ended.
constexpr Duration end_of_job{-1};

/// The sink accepts an offered lease; travels from the sink to the owner.
struct Claim {
  LeaseId lease;
  RequestId request;
  std::string proof;  ///< reserved: proof of the right to claim
  DMM_MESSAGE(21, self.lease, self.request, self.proof)
};

/// The owner acknowledges the Claim of a part of a co-allocated request; travels from the owner to the sink.
struct Claimed {
  LeaseId lease;
  RequestId request;
  DMM_MESSAGE(28, self.lease, self.request)
};

/// The holder gives nodes back; travels to the owner, hop by hop.
struct Release {
  LeaseId lease;
  std::vector<NodeGroup> nodes;  ///< which; empty for all that are left, and the end of the lease
  bool silent = false;           ///< the holder fell silent: what runs may go on, see Unassign::detached
  bool failed = false;           ///< nothing could be started on the nodes
  bool host_failed = false;      ///< to the home site: a host failed what was to start there, or lost it
  DMM_MESSAGE(22, self.lease, self.nodes, self.silent, self.failed, self.host_failed)
};

/// The lease, or some nodes of it, may not be used any more; travels from the owner to the holder.
struct LeaseEnded {
  LeaseId lease;
  std::vector<NodeGroup> nodes;  ///< which; empty for all
  LeaseEnd reason = LeaseEnd::expired;
  bool confirmed = false;  ///< nothing runs on the nodes any more: their resource manager said so
  Duration grace;          ///< reclaimed: what runs has this long to end by itself
  DMM_MESSAGE(23, self.lease, self.nodes, self.reason, self.confirmed, self.grace)
};

/// "I hold all leases that this link carries, as of this message." Beats renew them all; this is how the two sides
/// notice, now and then, that they believe different things.
struct Renew {
  std::uint32_t leases = 0;  ///< how many the sender holds over this link, to notice a disagreement
  DMM_MESSAGE(24, self.leases)
};

/// What Beats promise for one lease from now on.
struct LeaseTerm {
  LeaseId lease;
  Duration left;  ///< it is good for so long from when the sender sent its latest Beat; or `not_known`
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.left);
  }
};

/// The sender doesn't hear at present whether the lease stands: its Beats don't speak for it, until it says more. What
/// they promised before still holds.
constexpr Duration not_known{-1};

/// What the lender's Beats promise, wherever that changes; and the answer to a Renew.
struct Renewed {
  Duration term;  ///< of leases with no promise of their own, where this answers a Renew; else 0
  std::vector<LeaseTerm>
      terms;                    ///< those whose promise is another than was said before; in an answer, than `term`
  std::vector<LeaseId> wanted;  ///< all leases on which no further job may be put: the owner has demand
  bool settled = false;         ///< the two agree, and Beats renew: the next Renew may come late
  DMM_MESSAGE(25, self.term, self.terms, self.wanted, self.settled)
};

/// One lease, as one side of a link believes it to be.
struct Holding {
  LeaseId lease;
  RequestId request;  ///< the one that the nodes serve; several where a sink's users share the lease
  std::vector<NodeGroup> nodes;
  SiteNames chain;  ///< the owner first, the home site last
  SiteNames owner_ancestors;
  std::vector<std::string> blocks;
  Duration
      left;  ///< for lent ones: how long from now new work may be started; 0 where the sender doesn't know yet
  Duration grace;
  Duration length;      ///< as in the Grant, from now
  Duration round_trip;  ///< as in the Grant
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.request, self.nodes, self.chain, self.owner_ancestors, self.blocks, self.left,
                    self.grace, self.length, self.round_trip);
  }
};

/// What the sender believes of all leases between the two, as the first message of a session that is new to either
/// side: what was lost with the old session is put right from it (docs/protocol.md section 7). May be said in several
/// messages; the last one says so.
struct Inventory {
  std::vector<Holding> lent;      ///< by the sender to the receiver
  std::vector<Holding> borrowed;  ///< by the sender from the receiver
  bool last = true;
  DMM_MESSAGE(26, self.lent, self.borrowed, self.last)
};

// ---- resource managers ---------------------------------------------------------------------------------------------

/// A resource manager offers its nodes to its site; sent at the start of every session.
struct Register {
  ClusterName cluster;
  std::uint32_t nodes = 0;  ///< numbered from 0
  std::uint32_t processors_per_node = 1;
  std::uint64_t memory_bytes = 0;  ///< per node
  Attributes attributes;
  std::string endpoint;         ///< where job managers can reach it directly; empty if they can't
  std::vector<LeaseId> leases;  ///< leases that are assigned to it
  std::vector<NodeSet> leased;  ///< for each of them, its nodes
  NodeSet dirty;                ///< nodes under no lease on which something still runs
  bool last = true;             ///< no further part follows
  NodeSet absent;               ///< numbers below `nodes` that are no nodes of it any more
  DMM_MESSAGE(30, self.cluster, self.nodes, self.processors_per_node, self.memory_bytes, self.attributes,
              self.endpoint, self.leases, self.leased, self.dirty, self.last, self.absent)
};

/// Nodes are under this lease from now on.
struct Assign {
  LeaseId lease;
  NodeSet nodes;
  SiteName holder;      ///< the sink of the chain
  bool alone = false;   ///< no other resource manager has nodes of the lease: if none of these is used, it isn't
  bool once = false;    ///< it is for one component of one job: when that has ended, so has the lease, unasked
  ShortText user = {};  ///< only this user of the holder may start jobs under it; empty: any
  Duration patience =
      {};  ///< what travels between the holder and here takes this long: so much later a job may come
  DMM_MESSAGE(31, self.lease, self.nodes, self.holder, self.alone, self.once, self.user, self.patience)
};

/// Nodes are no longer under this lease: end what runs on them, then say Clean.
struct Unassign {
  LeaseId lease;
  NodeSet nodes;      ///< empty for all
  Duration grace;     ///< between SIGTERM and SIGKILL; 0 for SIGKILL at once
  Duration detached;  ///< not 0: what runs may go on this long at most, as long as its job manager is heard
  LeaseEnd reason = LeaseEnd::released;
  DMM_MESSAGE(32, self.lease, self.nodes, self.grace, self.detached, self.reason)
};

/// Nothing runs on these nodes any more, and nothing will under this lease. Answers Unassign, or says unasked that the
/// one component of a lease has ended.
struct Clean {
  LeaseId lease;
  NodeSet nodes;  ///< empty for all
  DMM_MESSAGE(33, self.lease, self.nodes)
};

/// Nodes that lose jobs, or can't start them, several times in a row: nothing is to be placed on them until the
/// resource manager says otherwise (Mohamed and Epema 2005, section 3.4).
struct SetAside {
  NodeSet nodes;
  bool back = false;  ///< they may be tried again
  std::string text;   ///< for people: why
  DMM_MESSAGE(34, self.nodes, self.back, self.text)
};

using AnyMessage =
    std::variant<Hello, Beat, Fault, Relay, Fragment, Vouch, Certify, Certified, Request, Cancel, Staged, Refuse,
                 Delegate, Reject, Withdraw, Reach, Survey, Clusters, Probe, Probed, Grant, GrantSet, Claim,
                 Claimed, Release, LeaseEnded, Renew, Renewed, Inventory, Register, Assign, Unassign, Clean,
                 SetAside, Planned, Prefetch, Prefetched, Start, Started, Go, Began, Ended, Stop, Fetch, Chunk,
                 Piece, Grown, Forget, Submit, Submitted, Ask, Answer>;

/// One message of any type: a variant whose copies, moves and end are compiled once (messages.cpp), not in each file
/// that has one in a vector.
struct Message : AnyMessage {
  using AnyMessage::AnyMessage;
  using AnyMessage::operator=;
  Message();
  Message(const Message& other);
  Message(Message&& other) noexcept;
  Message& operator=(const Message& other);
  Message& operator=(Message&& other) noexcept;
  ~Message();
};

/// The number of a message's type on the wire.
std::uint16_t type_of(const Message& message);
/// "delegate", "lease_ended", ...: the name in logs and counters.
std::string_view name_of(std::uint16_t type);

/// The kinds in which messages are counted: the five of Iosup et al. 2007, section 5.2.1, the use of nodes by jobs, and
/// keep-alives.
enum class MessageKind : std::uint8_t {
  notify_broker,        ///< requests and registrations
  negotiate,            ///< refusals, questions and answers
  job_data_exchange,    ///< descriptions and output
  match_claim_release,  ///< inside a site: granting, assigning, starting, releasing
  dmm,                  ///< between sites: delegations, grants, claims, releases, relays
  keep_alive,           ///< Hello, Beat, Renew, Renewed
};
constexpr std::size_t message_kinds = 6;

std::string_view to_text(MessageKind kind);
std::string_view to_text(Role role);

}  // namespace dmm
