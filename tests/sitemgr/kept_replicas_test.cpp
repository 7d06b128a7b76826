// Files that clusters keep, as this site knows them.
#include "sitemgr/kept_replicas.hpp"

#include <doctest/doctest.h>

#include <string>

namespace dmm::kept_replicas_test {
namespace {

constexpr Instant start{1'000'000'000};
const SiteName a("a"), b("b");
const ClusterName nodes("nodes"), others("others");
const ShortText mesh(std::string(64, '1')), other(std::string(64, '2'));

TEST_CASE("kept replicas: a file is at the cluster where a task had it, and nowhere else [S88b]") {
  KeptReplicas kept;
  kept.heard(start, mesh, a, nodes);
  CHECK(kept.has(start, mesh, a, nodes));
  CHECK_FALSE(kept.has(start, mesh, a, others));
  CHECK_FALSE(kept.has(start, mesh, b, nodes));
  CHECK_FALSE(kept.has(start, other, a, nodes));
}

TEST_CASE("kept replicas: a file is remembered for six hours after a task last had it") {
  KeptReplicas kept;
  kept.heard(start, mesh, a, nodes);
  CHECK(kept.has(start + KeptReplicas::remembered, mesh, a, nodes));
  CHECK_FALSE(kept.has(start + KeptReplicas::remembered + seconds(1), mesh, a, nodes));
  kept.heard(start + seconds(100), mesh, a, nodes);
  CHECK(kept.has(start + KeptReplicas::remembered + seconds(1), mesh, a, nodes));
}

TEST_CASE("kept replicas: a file without a checksum is none") {
  KeptReplicas kept;
  kept.heard(start, {}, a, nodes);
  CHECK(kept.size() == 0);
  CHECK_FALSE(kept.has(start, {}, a, nodes));
}

TEST_CASE("kept replicas: the one that was used longest ago makes room") {
  KeptReplicas kept;
  const auto number = [](std::size_t i) { return ShortText("file" + std::to_string(i)); };
  for (std::size_t i = 0; i <= KeptReplicas::files_max; ++i)
    kept.heard(start + seconds(static_cast<std::int64_t>(i == 0 ? 100'000 : i)), number(i), a, nodes);
  CHECK(kept.size() == KeptReplicas::files_max);
  CHECK(kept.has(start + seconds(10), number(0), a, nodes));
  CHECK_FALSE(kept.has(start + seconds(10), number(1), a, nodes));
}

}  // namespace
}  // namespace dmm::kept_replicas_test
