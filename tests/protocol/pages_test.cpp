// What is too large for a frame travels in pages or in fragments, and is complete again at the other end.
#include <doctest/doctest.h>

#include "protocol/codec/codec.hpp"
#include "protocol/inventory.hpp"

namespace pages_test {

using namespace dmm;

namespace {

/// The Register of a resource manager with every second node under a lease of its own, and a quarter of the nodes
/// dirty.
Register offer_of(std::uint32_t nodes) {
  Register offer;
  offer.cluster = ClusterName("nodes");
  offer.nodes = nodes;
  offer.endpoint = "tcp://10.0.0.1:7700";
  for (std::uint32_t node = 0; node < nodes; node += 4) {
    offer.leases.push_back({SiteName("a-site-with-a-long-name"), {1'795'323'467'126, node}});
    offer.leased.push_back({{node, node + 1}});
    offer.dirty.push_back({node + 2, node + 2});
  }
  return offer;
}

std::size_t bytes_of(const Register& part) {
  Codec codec;
  Envelope envelope;
  envelope.from = resource_manager_of(SiteName("a-site-with-a-long-name"), "nodes");
  envelope.to = site_manager_of(SiteName("a-site-with-a-long-name"));
  envelope.message = part;
  return codec.encode(envelope).size();
}

}  // namespace

TEST_CASE("pages: what a resource manager with many leases registers fits into frames, and is whole again") {
  for (const std::uint32_t nodes : {0U, 40U, 100'000U}) {
    const Register whole = offer_of(nodes);
    std::vector<Register> pages = pages_of(whole);
    CHECK((pages.size() > 1) == (nodes == 100'000));
    Register so_far;
    for (Register& page : pages) {
      CHECK(bytes_of(page) <= frame_bytes_max);
      CHECK(page.last == (&page == &pages.back()));
      CHECK(assemble(so_far, page) == page.last);
    }
    const Register& got = pages.back();
    CHECK(got.cluster == whole.cluster);
    CHECK(got.nodes == whole.nodes);
    CHECK(got.endpoint == whole.endpoint);
    CHECK(got.leases == whole.leases);
    CHECK(got.leased == whole.leased);
    CHECK(got.dirty == whole.dirty);
  }
}

}  // namespace pages_test
