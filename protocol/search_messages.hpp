// Messages of the search for nodes: a site hands a request to a neighbour, which answers or passes it on. By Reach, a
// neighbour tells what can be had beyond it at all.
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/reasons.hpp"
#include "protocol/request_messages.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"

namespace dmm {

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

/// What one site has of a kind of nodes.
struct ReachSite {
  SiteName site;
  std::uint32_t processors = 0;  ///< as far as a limit of its link on this way allows
  bool limited = false;          ///< it has more
  auto operator<=>(const ReachSite&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.processors, self.limited);
  }
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
  /// The sites with such nodes, so that each counts once on whatever ways it is reached. Empty: too many, or not told.
  std::vector<ReachSite> sites = {};
  auto operator<=>(const NodeClass&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.memory_bytes, self.attributes, self.largest, self.together, self.longest, self.limited,
                    self.in_all, self.sites);
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

}  // namespace dmm
