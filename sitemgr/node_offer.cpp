#include "sitemgr/node_offer.hpp"

namespace dmm {
namespace {

/// Nodes from first to last, or none.
NodeSet all_below(std::uint32_t nodes) { return nodes == 0 ? NodeSet{} : NodeSet{{0, nodes - 1}}; }

}  // namespace

NodeOffer offer_of(const Party& manager, const Register& message) {
  return {manager,
          message.cluster,
          message.nodes,
          message.processors_per_node,
          {message.memory_bytes, message.attributes},
          message.absent};
}

NodeSet nodes_of(const NodeOffer& offer) { return subtract(all_below(offer.nodes), offer.absent); }

}  // namespace dmm
