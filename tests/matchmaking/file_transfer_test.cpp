// How long files take to reach a site: each from its fastest source, one after another.
#include "matchmaking/file_transfer.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "matchmaking/policy.hpp"
#include "tests/matchmaking/placement_clusters.hpp"

namespace file_transfer_test {

using namespace dmm;

namespace {

const SiteName home("home"), far("far"), near("near"), odd("odd");
const std::vector<WayToSite> ways{
    {far, milliseconds(100), 1'000'000}, {near, milliseconds(2), 10'000'000}, {odd, {}, 0}};

double seconds_to(const SiteName& site, const std::vector<FileNeed>& files) {
  return transfer_time(files, site, home, ways).in_seconds();
}

}  // namespace

TEST_CASE("files: a file costs nothing where it lies, and elsewhere its bytes over the slower half of the way") {
  CHECK(seconds_to(far, {{50'000'000, {far}}}) == 0.0);
  CHECK(seconds_to(home, {{50'000'000, {far}}}) == doctest::Approx(50.1));
  CHECK(seconds_to(far, {{50'000'000, {home}}}) == doctest::Approx(50.1));
  CHECK(seconds_to(near, {{50'000'000, {far}}}) == doctest::Approx(50.102));
  CHECK(seconds_to(near, {{50'000'000, {home}}}) == doctest::Approx(5.002));
}

TEST_CASE("files: the quickest replica counts, and several files come one after the other") {
  CHECK(seconds_to(home, {{50'000'000, {far, near}}}) == doctest::Approx(5.002));
  CHECK(seconds_to(far, {{50'000'000, {near, far}}}) == 0.0);
  CHECK(seconds_to(far, {{50'000'000, {far, near}}}) == 0.0);
  CHECK(seconds_to(home, {{50'000'000, {near}}, {1'000'000, {far}}}) == doctest::Approx(6.102));
  CHECK(seconds_to(home, {}) == 0.0);
}

TEST_CASE("files: an unknown way carries 100 Mbit/s, and a file of unknown size takes the way alone") {
  CHECK(seconds_to(home, {{25'000'000, {SiteName("elsewhere")}}}) == doctest::Approx(2.0));
  CHECK(seconds_to(odd, {{25'000'000, {home}}}) == doctest::Approx(2.0));
  CHECK(seconds_to(home, {{0, {far}}}) == doctest::Approx(0.1));
  CHECK(seconds_to(home, {{UINT64_MAX, {far}}}) > 1e8);
}

TEST_CASE("files: what transfers between two sites took counts for these two, in this direction") {
  const std::vector<MeasuredTransfer> measured{{far, far, 1}, {far, near, 50'000'000}, {far, odd, 1}};
  const std::vector<FileNeed> files{{50'000'000, {far}}};
  CHECK(transfer_time(files, near, home, ways, measured).in_seconds() == doctest::Approx(1.102));
  CHECK(transfer_time(files, home, home, ways, measured).in_seconds() == doctest::Approx(50.1));
  const std::vector<FileNeed> back{{50'000'000, {near}}};
  CHECK(transfer_time(back, far, home, ways, measured).in_seconds() == doctest::Approx(50.102));
}

TEST_CASE("close to files: each component where the files are soonest") {
  struct Row {
    std::vector<std::int64_t> staging;
    std::vector<std::uint32_t> sizes;
    std::vector<std::size_t> clusters;  // by component
  };
  for (const Row& row :
       {Row{{30, 0, 4}, {8, 8}, {1, 2}}, Row{{0, 0, 0}, {8, 8}, {0, 1}}, Row{{9, 4, 4}, {15}, {1}},
        Row{{9, 4, 4}, {16}, {0}}, Row{{0, 5, 1}, {4, 8, 6}, {0, 0, 0}}, Row{{0, 5, 1}, {4, 9, 6}, {2, 0, 0}}}) {
    std::vector<ClusterView> clusters = clusters_with({18, 15, 12});
    for (std::size_t i = 0; i < clusters.size(); ++i) clusters[i].staging = seconds(row.staging[i]);
    ResourceNeed need;
    for (const std::uint32_t size : row.sizes) need.components.push_back({size, {}, {}});
    const auto placement = close_to_files(need, clusters);
    REQUIRE(placement);
    for (std::size_t i = 0; i < row.clusters.size(); ++i) CHECK((*placement)[i].cluster == row.clusters[i]);
  }
  CHECK((find_placement("cf") == close_to_files));
}

}  // namespace file_transfer_test
