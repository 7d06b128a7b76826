// What a site manager finds again after a restart. Its queue isn't here: each job manager offers its open requests
// again. Renewals write nothing: a site that restarts asks before it promises more. Columns are only added: a ledger
// that an earlier version wrote lacks some, which then have their defaults.
#pragma once

#include <array>

#include "manager/ledger.hpp"
#include "protocol/messages.hpp"
#include "protocol/text.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/usage.hpp"

namespace dmm {

/// Nodes of a lease in the hands of one request of the sink's own users.
struct HandedOutRecord {
  RequestId request;
  ShortText user;
  std::vector<NodeGroup> nodes;
  bool operator==(const HandedOutRecord&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.request, self.user, self.nodes);
  }
};

/// One hop of a lease.
struct LeaseRecord {
  LeaseId id;
  RequestId request;
  std::uint32_t part = 0;
  std::uint32_t round = 0;
  LeaseState state = LeaseState::offered;
  SiteName upstream;    ///< the neighbour towards the owner; empty: this site owns the nodes
  SiteName downstream;  ///< the neighbour towards the sink; empty: this site is the sink
  std::vector<NodeGroup> nodes;
  std::vector<NodeGroup> cleaning;
  SiteNames chain;
  SiteNames owner_ancestors;
  std::vector<std::string> blocks;
  Instant granted{};
  std::vector<HandedOutRecord> handed_out;
  std::uint32_t processors = 0;
  std::uint64_t processor_microseconds = 0;
  Duration grace;
  bool wanted = false;    ///< owner: it is to come back when its present job has ended
  bool detached = false;  ///< owner: what runs on the nodes being cleaned may go on
  Duration term;
  Duration length;
  Duration round_trip;
  std::uint32_t jobs = 0;
  Instant protected_until{};

  static constexpr std::string_view table = "leases";
  static constexpr std::array<std::string_view, 24> columns{"lease",
                                                            "request",
                                                            "part",
                                                            "round",
                                                            "state",
                                                            "upstream",
                                                            "downstream",
                                                            "nodes",
                                                            "cleaning",
                                                            "chain",
                                                            "owner_ancestors",
                                                            "blocks",
                                                            "granted",
                                                            "handed_out",
                                                            "processors",
                                                            "processor_microseconds",
                                                            "grace",
                                                            "wanted",
                                                            "detached",
                                                            "term",
                                                            "length",
                                                            "round_trip",
                                                            "jobs",
                                                            "protected_until"};
  std::string key() const { return to_text(id) + "@" + std::to_string(id.epoch.incarnation); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.id, self.request, self.part, self.round, self.state, self.upstream, self.downstream,
                    self.nodes, self.cleaning, self.chain, self.owner_ancestors, self.blocks, self.granted,
                    self.handed_out, self.processors, self.processor_microseconds, self.grace, self.wanted,
                    self.detached, self.term, self.length, self.round_trip, self.jobs, self.protected_until);
  }
};

/// Use that has ended, in order of its number.
struct UsageRow {
  std::uint64_t number = 0;
  UsageRecord use;

  static constexpr std::string_view table = "usage";
  static constexpr std::array<std::string_view, 9> columns{"number",  "lease",     "request",
                                                           "peer",    "direction", "processors",
                                                           "granted", "ended",     "processor_microseconds"};
  std::string key() const { return std::to_string(number); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.number, self.use.lease, self.use.request, self.use.peer, self.use.direction,
                    self.use.processors, self.use.granted, self.use.ended, self.use.processor_microseconds);
  }
};

/// All use that has ever ended, of one direction and with one neighbour: what is charged by, however few of the single
/// records are kept.
struct UsageTotalRow {
  SiteName peer;  ///< empty for own use
  UsageRecord::Direction direction = UsageRecord::Direction::own;
  UsageTotal total;

  static constexpr std::string_view table = "usage_totals";
  static constexpr std::array<std::string_view, 4> columns{"peer", "direction", "leases",
                                                           "processor_microseconds"};
  std::string key() const { return std::to_string(static_cast<int>(direction)) + " " + peer.text; }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.peer, self.direction, self.total.leases, self.total.processor_microseconds);
  }
};

/// A drained site: a borrower's site, which is lent nothing more, or this site itself, where no new work starts.
struct DrainRecord {
  SiteName site;

  static constexpr std::string_view table = "drained";
  static constexpr std::array<std::string_view, 1> columns{"site"};
  std::string key() const { return site.text; }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site);
  }
};

/// What a resource manager offered the last time.
struct OfferRecord {
  NodeOffer offer;

  static constexpr std::string_view table = "offers";
  static constexpr std::array<std::string_view, 7> columns{
      "manager", "cluster", "nodes", "processors_per_node", "memory_bytes", "attributes", "absent"};
  std::string key() const { return offer.manager.name; }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.offer.manager, self.offer.cluster, self.offer.nodes, self.offer.processors_per_node,
                    self.offer.properties.memory_bytes, self.offer.properties.attributes, self.offer.absent);
  }
};

/// What a neighbour said can be had beyond it.
struct ReachRecord {
  SiteName site;
  std::vector<ReachEntry> entries;

  static constexpr std::string_view table = "reaches";
  static constexpr std::array<std::string_view, 2> columns{"site", "entries"};
  std::string key() const { return site.text; }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.entries);
  }
};

/// The sink of a lease, and a resource manager that has nodes of it.
struct RelayPair {
  SiteName sink;
  Party manager;
  auto operator<=>(const RelayPair&) const = default;
};

/// A pair that may speak through this site along a chain.
struct RelayRecord {
  RelayPair pair;

  static constexpr std::string_view table = "relays";
  static constexpr std::array<std::string_view, 2> columns{"sink", "manager"};
  std::string key() const { return pair.sink.text + " " + to_text(pair.manager); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.pair.sink, self.pair.manager);
  }
};

using SiteRecord =
    std::variant<LeaseRecord, UsageRow, DrainRecord, UsageTotalRow, OfferRecord, ReachRecord, RelayRecord>;

}  // namespace dmm
