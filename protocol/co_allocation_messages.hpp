// Messages by which a home site looks for clusters for a request at several sites: a Survey of what neighbours know,
// and the bandwidth of links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/reasons.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"

namespace dmm {

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
  /// Why nothing of it is idle, if not that its nodes are in use: for people. Else `no_capacity`.
  RejectReason why_none = RejectReason::no_capacity;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.cluster, self.idle, self.total, self.processors_per_node, self.memory_bytes,
                    self.attributes, self.hops, self.round_trip, self.age, self.held, self.bandwidth,
                    self.why_none);
  }
};

/// Answers a Survey: the nearest clusters that the sender knows, at most 64, its own first.
struct Clusters {
  std::vector<ClusterReport> clusters;
  DMM_MESSAGE(18, self.clusters)
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

}  // namespace dmm
