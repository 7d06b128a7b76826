// The limits of a need: each site that passes it on has room for it in a frame.
#include "protocol/resources.hpp"

#include <doctest/doctest.h>

#include "protocol/codec/codec.hpp"

namespace resources_test {

using namespace dmm;

namespace {

/// The longest name that is allowed.
const std::string long_name(64, 'n');

ResourceNeed fixed_need(std::size_t components) {
  ResourceNeed need;
  need.kind = RequestKind::fixed;
  need.components.assign(components, {100'000, SiteName(long_name), ClusterName(long_name)});
  return need;
}

ResourceNeed flexible_need(std::size_t splits, std::size_t pieces) {
  ResourceNeed need;
  need.kind = RequestKind::flexible;
  need.components = {{static_cast<std::uint32_t>(pieces) * 100'000, {}, {}}};
  need.splits.edit().assign(splits, std::vector<std::uint32_t>(pieces, 100'000));
  return need;
}

Attributes attributes(std::size_t many, std::size_t bytes) {
  Attributes all;
  for (std::size_t i = 0; i < many; ++i) {
    const std::string number = std::to_string(i);
    all[number + std::string(bytes - number.size(), 'a')] = std::string(bytes, 'v');
  }
  return all;
}

std::size_t bytes_of(const ResourceNeed& need) {
  Delegate asked;
  asked.request.id = {SiteName(long_name), ShortText(long_name), UINT64_MAX, UINT32_MAX};
  asked.request.need = need;
  asked.chain.assign(16, SiteName(long_name));
  Envelope envelope;
  envelope.from = envelope.to = site_manager_of(SiteName(long_name));
  envelope.trace = asked.request.id;
  envelope.message = std::move(asked);
  Codec codec;
  return codec.encode(envelope).size();
}

}  // namespace

TEST_CASE("resources: a need has at most 64 components, 64 splits and 64 pieces in each [S79]") {
  CHECK(fault_of(fixed_need(64)).empty());
  CHECK_FALSE(fault_of(fixed_need(65)).empty());
  CHECK(fault_of(flexible_need(64, 64)).empty());
  CHECK_FALSE(fault_of(flexible_need(65, 64)).empty());
  CHECK_FALSE(fault_of(flexible_need(64, 65)).empty());
}

TEST_CASE("resources: a need has at most 32 attributes, of 128 bytes each") {
  ResourceNeed need = flexible_need(1, 1);
  need.constraints.edit().attributes = attributes(32, 128);
  CHECK(fault_of(need).empty());
  need.constraints.edit().attributes = attributes(33, 128);
  CHECK_FALSE(fault_of(need).empty());
  need.constraints.edit().attributes = attributes(32, 129);
  CHECK_FALSE(fault_of(need).empty());
}

TEST_CASE("resources: whatever is asked for fits into a frame many times over") {
  for (ResourceNeed need : {fixed_need(64), flexible_need(64, 64)}) {
    need.constraints.edit().attributes = attributes(32, 128);
    REQUIRE(fault_of(need).empty());
    CHECK(bytes_of(need) * 4 < frame_bytes_max);
  }
}

}  // namespace resources_test
