// The messages of managers: one struct for each message; replies that differ are different types. Each is a plain value
// that lists its elements on the wire, in order, as `fields`; a message grows only at its end. docs/protocol.md has a
// section for each message: its meaning, its senders, and what happens when it is lost or doubled.
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

/// A moment by the sender's own clock, that only the sender can read: milliseconds, which wrap around after some 49
/// days. An echoed stamp tells how long a message and its answer took.
using Stamp = std::uint32_t;
constexpr Stamp no_stamp = 0;

// ---- links ---------------------------------------------------------------------------------------------------------

/// Opens or resumes a session. Unless it is an answer itself, it is answered by one Hello.
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

/// Shows that the sender lives; its envelope has an acknowledgement and perhaps a hint. A Beat that echoes a stamp also
/// vouches: all that the sender lent over this link stands, except as the messages up to `last` say.
struct Beat {
  bool resend = false;      ///< a message is missing: send again all that isn't acknowledged
  std::uint64_t last = 0;   ///< the highest sequence number that the sender has used
  bool dormant = false;     ///< nothing is under way between the two: neither need beat until the next message
  Stamp stamp = no_stamp;   ///< when it was sent
  Stamp echo = no_stamp;    ///< the latest stamp that came, plus the time for which it was held here
  bool in_passing = false;  ///< sent before its sender had looked at all its links: it doesn't vouch
  DMM_MESSAGE(2, self.resend, self.last, self.dormant, self.stamp, self.echo, self.in_passing)
};

/// Answers a message that was not understood or not allowed. Never answered itself.
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

/// A piece of a message that is too long for one frame. Pieces follow one another; together they are the frame of the
/// message.
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

/// A revoked link key of a site's manager or person, as letters.
struct RevokedKey {
  SiteName site;
  std::string link;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.link);
  }
};

/// A site manager vouches for the keys of sites, its own among them, so that the receiver knows managers of sites that
/// are farther away. It also tells which of their managers' keys are revoked.
struct Vouch {
  std::vector<SiteVouch> sites;
  std::vector<RevokedKey> revoked;
  /// A certificate: from its `from` on, the sender listens with this link key. Empty: with the present one.
  std::string next;
  DMM_MESSAGE(6, self.sites, self.revoked, self.next)
};

/// A manager asks its site to certify that a link key is the manager's: before its certificate ends, or for a new
/// key.
struct Certify {
  std::string link;        ///< the key, as letters
  std::string possession;  ///< shows that the manager has its secret (keys/seals.hpp)
  DMM_MESSAGE(7, self.link, self.possession)
};

/// The site's answer: a certificate, as letters.
struct Certified {
  std::string certificate;
  DMM_MESSAGE(8, self.certificate)
};

// ---- asking --------------------------------------------------------------------------------------------------------

/// A job manager asks its site for nodes. Sent again in every new session, with how long it has waited.
struct Request {
  RequestId id;
  ResourceNeed need;
  std::uint32_t dttl = 5;     ///< hops that the request may travel
  std::int32_t priority = 0;  ///< greater is more urgent; only the `priority` policies look at it
  Duration waited;            ///< how long the request has waited already
  ShortText origin_user;      ///< the user that the use is charged to
  Duration length;            ///< how long it runs at most, as its user says; 0 if not said
  Interruptions past = {};
  FileNeeds files = {};             ///< files that are brought to each component before it starts
  std::uint32_t communication = 0;  ///< kilobits a second that each processor sends to the others; 0: not said
  DMM_MESSAGE(10, self.id, self.need, self.dttl, self.priority, self.waited, self.origin_user, self.length,
              self.past, self.files, self.communication)
};

/// How long the input files of a task took to arrive, and which of them the cluster may keep since then. The home site
/// estimates later transfers from that. Needs no answer.
struct Staged {
  RequestId request;
  SiteName from;            ///< the site that they came from; empty: not known, or several sites
  SiteName to;              ///< where the task runs
  std::uint64_t bytes = 0;  ///< of all of them
  Duration took;            ///< from the Start until the task was ready
  LeaseId lease = {};       ///< the lease that the task runs under
  std::uint32_t component = 0;
  std::vector<ShortText> files = {};  ///< the SHA-256 of those that a cluster can keep
  DMM_MESSAGE(9, self.request, self.from, self.to, self.bytes, self.took, self.lease, self.component, self.files)
};

/// A job manager cancels its request. Needs no answer.
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
  std::uint32_t tries_left = 0;  ///< the rest of the round's search budget; this delegation is paid already
  Duration answer_within;        ///< after this the sender counts silence as a Reject
  SiteNames chain;               ///< the sites that hold the request, home first, the sender last
  Duration round_trip;           ///< from the home site to the receiver and back, by the links that it came over
  std::uint64_t stay = 0;  ///< names this stay of the request at its home site: each stay counts its own rounds
  /// Leases of the owner that the home site gives up for the part if it has no room otherwise. Earlier ones go first;
  /// what runs there has the grace to end.
  std::vector<LeaseId> gives_up = {};
  Duration gives_up_grace = {};
  DMM_MESSAGE(13, self.request, self.part, self.round, self.dttl, self.tries_left, self.answer_within, self.chain,
              self.round_trip, self.stay, self.gives_up, self.gives_up_grace)
};

/// One site that was asked, and its answer.
struct SiteAnswer {
  SiteName site;
  RejectReason reason = RejectReason::no_capacity;
  std::uint32_t most = 0;  ///< the value of the limit, where a limit is the reason; else 0
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
  std::uint32_t tries_left = 0;                     ///< the rest of the search budget
  std::vector<SiteAnswer> asked;  ///< all sites that were asked on the way, the sender last; at most 64
  DMM_MESSAGE(14, self.request, self.part, self.round, self.reason, self.tries_left, self.asked)
};

/// Takes a delegation back; follows its path and needs no answer. A site that has granted already ignores it.
struct Withdraw {
  RequestId request;
  std::uint32_t part = 0;
  std::uint32_t round = 0;
  DMM_MESSAGE(15, self.request, self.part, self.round)
};

/// Nodes of one kind at the sites of one distance: the most that one such site could serve if all were idle and up.
struct NodeClass {
  std::uint64_t memory_bytes = 0;  ///< per node
  Attributes attributes;
  std::uint32_t largest = 0;   ///< processors of such nodes in one cluster, within its quota
  std::uint32_t together = 0;  ///< the same in all clusters of one site
  Duration longest;            ///< the longest lease of them; 0: of any length
  bool limited = false;        ///< a site there has more: a limit of a link on this way leaves no more at once
  /// Processors of such nodes at all these sites, each counted on every way to it: never too few. 0: not told.
  std::uint64_t in_all = 0;
  auto operator<=>(const NodeClass&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.memory_bytes, self.attributes, self.largest, self.together, self.longest, self.limited,
                    self.in_all);
  }
};

/// The nodes of the sites at one distance.
struct ReachEntry {
  bool complete = false;  ///< every site at this distance is known, and no class is left out
  std::vector<NodeClass> classes;
  auto operator<=>(const ReachEntry&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.complete, self.classes);
  }
};

/// What can be had beyond the sender by configuration, whether sites are up, busy or drained: entry d is of sites d
/// hops beyond the sender, entry 0 of the sender itself.
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

/// Nodes of one kind in one cluster, as last reported by its owner or a site on the way to it.
struct ClusterReport {
  SiteName site;
  ClusterName cluster;
  std::uint32_t idle = 0;   ///< processors of such nodes that the asking site could have had then
  std::uint32_t total = 0;  ///< processors of all such nodes, idle or not
  std::uint32_t processors_per_node = 1;
  std::uint64_t memory_bytes = 0;  ///< per node
  Attributes attributes;
  std::uint32_t hops = 0;       ///< from the sender to the site: 0 for the sender's own
  Duration round_trip;          ///< from the sender to the site and back
  Duration age;                 ///< how long ago its owner reported it, as far as the sender knows
  std::uint32_t held = 0;       ///< further processors that are held for parts of co-allocated requests
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

/// A site has placed a request of a job manager and claims its nodes later. Input files may be sent ahead. Needs no
/// answer.
struct Planned {
  RequestId request;
  std::vector<PlannedPlace> places;  ///< clusters that lack files of the job
  Duration claims_in;                ///< until the site tries to claim the nodes
  Duration starts_in;                ///< until the files are expected there
  DMM_MESSAGE(35, self.request, self.places, self.claims_in, self.starts_in)
};

/// Input files that a cluster is to fetch and keep for a job that is planned there. It goes from the job manager to its
/// site, from site to site, and to a resource manager of the cluster. A file that isn't there when the job starts is
/// fetched then.
struct Prefetch {
  RequestId request;
  SiteName site;
  ClusterName cluster;
  std::vector<SiteName> path;  ///< the sites that had it, home first, the sender last
  InputFiles files;            ///< with size and SHA-256
  DMM_MESSAGE(36, self.request, self.site, self.cluster, self.path, self.files)
};

/// The files of a Prefetch have arrived. From the resource manager, back along its path. Needs no answer.
struct Prefetched {
  RequestId request;
  SiteName site;
  ClusterName cluster;
  std::vector<SiteName> path;  ///< the sites that it must still pass, home first, the receiver last
  DMM_MESSAGE(37, self.request, self.site, self.cluster, self.path)
};

/// A timed frame: the time that it and its answer take tells the bandwidth of a link.
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
  std::vector<std::string> blocks;  ///< one opaque byte string for each hop, forwarded as received
  Origin origin = Origin::local;    ///< set by the home site
  std::uint32_t tries = 0;          ///< delegations sent for the request, set by the home site
  Duration grace;       ///< the time that a job gets to end at a reclaim; `end_of_job`: until it has ended
  Duration length;      ///< the owner lets the lease last at most this long from now; 0: as long as it is renewed
  Duration round_trip;  ///< from the home site to the owner and back; from the job manager, to a job manager
  Duration expected;    ///< the owner expects to need the nodes no sooner than this from now; 0: not known
  DMM_MESSAGE(20, self.request, self.part, self.round, self.lease, self.nodes, self.term, self.chain,
              self.owner_ancestors, self.blocks, self.origin, self.tries, self.grace, self.length, self.round_trip,
              self.expected)
};

/// All leases of a co-allocated request, from the home site to the job manager: each serves some of its components.
struct GrantSet {
  RequestId request;
  std::vector<Grant> grants;  ///< each of this request; their nodes have the numbers of the request's components
  ShortText placement = {};   ///< for people: why the components were placed in this way
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
  std::vector<NodeGroup> nodes;  ///< empty for all that are left, which ends the lease
  bool silent = false;           ///< the holder fell silent: what runs may go on, see Unassign::detached
  bool failed = false;           ///< nothing could be started on the nodes
  bool host_failed = false;      ///< to the home site: a host failed a task that was to start there, or lost it
  DMM_MESSAGE(22, self.lease, self.nodes, self.silent, self.failed, self.host_failed)
};

/// The lease, or some nodes of it, may no longer be used; travels from the owner to the holder.
struct LeaseEnded {
  LeaseId lease;
  std::vector<NodeGroup> nodes;  ///< empty for all
  LeaseEnd reason = LeaseEnd::expired;
  bool confirmed = false;  ///< nothing runs on the nodes any more: their resource manager confirmed it
  Duration grace;          ///< reclaimed: what runs has this long to end by itself
  DMM_MESSAGE(23, self.lease, self.nodes, self.reason, self.confirmed, self.grace)
};

/// "I hold all leases that this link carries, as of this message." Beats renew them all. By a Renew, the two sides
/// notice now and then if their beliefs differ.
struct Renew {
  std::uint32_t leases = 0;  ///< how many leases the sender holds over this link, for the comparison
  DMM_MESSAGE(24, self.leases)
};

/// The promise of Beats for one lease from now on.
struct LeaseTerm {
  LeaseId lease;
  Duration left;  ///< the lease is good for this long from when the sender sent its latest Beat; or `not_known`
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.left);
  }
};

/// The sender doesn't hear at present whether the lease stands. Its Beats don't cover the lease until a new LeaseTerm;
/// earlier promises still hold.
constexpr Duration not_known{-1};

/// The promises of the lender's Beats, sent whenever they change; and the answer to a Renew.
struct Renewed {
  Duration term;                 ///< in an answer to a Renew: of leases without a promise of their own; else 0
  std::vector<LeaseTerm> terms;  ///< leases with a changed promise; in an answer, with another promise than `term`
  std::vector<LeaseId> wanted;   ///< all leases that get no further job: the owner has demand
  bool settled = false;          ///< the two sides agree, and Beats renew: the next Renew may come late
  DMM_MESSAGE(25, self.term, self.terms, self.wanted, self.settled)
};

/// One lease, as one side of a link believes it to be.
struct Holding {
  LeaseId lease;
  RequestId request;  ///< the request that the nodes serve; several where a sink's users share the lease
  std::vector<NodeGroup> nodes;
  SiteNames chain;  ///< the owner first, the home site last
  SiteNames owner_ancestors;
  std::vector<std::string> blocks;
  Duration left;  ///< of a lent one: how long from now new work may be started; 0 if the sender doesn't know yet
  Duration grace;
  Duration length;      ///< as in the Grant, from now
  Duration round_trip;  ///< as in the Grant
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.request, self.nodes, self.chain, self.owner_ancestors, self.blocks, self.left,
                    self.grace, self.length, self.round_trip);
  }
};

/// All leases between the two, as the sender believes them to be. It is the first message of a session that is new to
/// either side, and repairs what was lost with the old session (docs/protocol.md section 7). It may come in several
/// messages, the last one marked.
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
  std::vector<NodeSet> leased;  ///< the nodes of each of them, in the same order
  NodeSet dirty;                ///< nodes without a lease on which something still runs
  bool last = true;             ///< no further page follows
  NodeSet absent;               ///< numbers below `nodes` that no longer are nodes of it
  DMM_MESSAGE(30, self.cluster, self.nodes, self.processors_per_node, self.memory_bytes, self.attributes,
              self.endpoint, self.leases, self.leased, self.dirty, self.last, self.absent)
};

/// Nodes are under this lease from now on.
struct Assign {
  LeaseId lease;
  NodeSet nodes;
  SiteName holder;         ///< the sink of the chain
  bool alone = false;      ///< no other resource manager has nodes of the lease: unused, these are an idle lease
  bool once = false;       ///< for one component of one job: the lease ends with it, without a request
  ShortText user = {};     ///< only this user of the holder may start jobs under it; empty: any
  Duration patience = {};  ///< the time from the holder to here: a job may come this much later
  DMM_MESSAGE(31, self.lease, self.nodes, self.holder, self.alone, self.once, self.user, self.patience)
};

/// Nodes are no longer under this lease: end what runs on them, then send Clean.
struct Unassign {
  LeaseId lease;
  NodeSet nodes;      ///< empty for all
  Duration grace;     ///< between SIGTERM and SIGKILL; 0 for SIGKILL at once
  Duration detached;  ///< not 0: what runs may go on for this long at most, while its job manager is heard
  LeaseEnd reason = LeaseEnd::released;
  DMM_MESSAGE(32, self.lease, self.nodes, self.grace, self.detached, self.reason)
};

/// Nothing runs on these nodes any more, and nothing will under this lease. Answers Unassign; or tells, without a
/// request, that the one component of a lease has ended.
struct Clean {
  LeaseId lease;
  NodeSet nodes;  ///< empty for all
  DMM_MESSAGE(33, self.lease, self.nodes)
};

/// Nodes that lost jobs, or couldn't start them, several times in a row. Nothing is placed on them until the resource
/// manager takes that back (Mohamed and Epema 2005, section 3.4).
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

/// One message of any type: a variant with copies, moves and an end that are compiled once (messages.cpp), not in each
/// file that has messages in a vector.
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

/// The kinds by which messages are counted: the five of Iosup et al. 2007, section 5.2.1, the use of nodes by jobs, and
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
