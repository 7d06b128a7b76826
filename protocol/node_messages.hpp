// Messages of a resource manager and its site: which nodes there are, and under which lease each is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/reasons.hpp"
#include "protocol/resources.hpp"
#include "protocol/short_text.hpp"
#include "protocol/time.hpp"

namespace dmm {

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
  Duration patience = {};  ///< the round trip between holder and owner; of a part, plus how long it may be held
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

}  // namespace dmm
