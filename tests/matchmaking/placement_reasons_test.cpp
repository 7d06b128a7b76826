// Why a request was placed as it was, in words: what the policy chose, and what other policies would have chosen.
#include "matchmaking/placement_reasons.hpp"

#include <doctest/doctest.h>

#include "matchmaking/policy.hpp"

namespace dmm::placement_reasons_test {
namespace {

/// The idle processors of Sonmez et al. 2006, figures 2 and 4: 18, 15 and 12.
std::vector<ClusterView> three_clusters() {
  std::vector<ClusterView> clusters;
  for (const auto& [site, idle] : {std::pair("alpha", 18u), std::pair("beta", 15u), std::pair("gamma", 12u)})
    clusters.push_back({SiteName(site), ClusterName("c"), idle, idle});
  return clusters;
}

std::string reason(const ResourceNeed& need, const char* policy) {
  const PlacementPolicy chosen = find_placement(policy);
  const auto clusters = three_clusters();
  return reason_of(need, clusters, chosen, chosen(need, clusters).value());
}

}  // namespace

TEST_CASE("placement reasons: they name when input files would be there") {
  std::vector<ClusterView> clusters = three_clusters();
  clusters[0].staging = seconds(30);
  clusters[2].staging = milliseconds(4'020);
  ResourceNeed need;
  need.components = {{8, {}, {}}, {8, {}, {}}, {8, {}, {}}};
  const std::string text = reason_of(need, clusters, close_to_files, close_to_files(need, clusters).value());
  CHECK(text.starts_with("close_to_files chose 3 clusters: "));
  CHECK(text.find("8 on gamma/c (files in 4.0 s)") != std::string::npos);
  CHECK(text.find("; cm would take 2 clusters: 16 on alpha/c (files in 30.0 s), 8 on beta/c (files in 0.0 s)") !=
        std::string::npos);
}

TEST_CASE("placement reasons: what was chosen, and what other policies would have done") {
  ResourceNeed three;
  three.components = {{8, {}, {}}, {8, {}, {}}, {8, {}, {}}};
  CHECK(reason(three, "cm") ==
        "cm chose 2 clusters: 16 on alpha/c, 8 on beta/c; worst_fit would take 3 clusters: 8 on alpha/c, 8 on "
        "beta/c, "
        "8 on gamma/c; best_fit would take 3 clusters: 8 on gamma/c, 8 on beta/c, 8 on alpha/c");
  CHECK(reason(three, "worst_fit")
            .starts_with("worst_fit chose 3 clusters: 8 on alpha/c, 8 on beta/c, 8 on gamma/c; "
                         "cm would take 2 clusters: 16 on alpha/c, 8 on beta/c"));
}

TEST_CASE("placement reasons: a flexible request that only one policy cuts") {
  ResourceNeed flexible;
  flexible.kind = RequestKind::flexible;
  flexible.components = {{24, {}, {}}};
  CHECK(reason(flexible, "fcm")
            .starts_with(
                "fcm chose 2 clusters: 18 on alpha/c, 6 on beta/c; worst_fit finds none: it does not cut a "
                "flexible request: 24 "
                "processors have to fit one cluster, and the largest usable idle count is 18; cm finds none"));
}

TEST_CASE("placement reasons: what components name, and what fits where the policy finds nothing") {
  ResourceNeed fixed;
  fixed.kind = RequestKind::fixed;
  fixed.components = {{8, SiteName("beta"), {}}};
  CHECK(reason(fixed, "cm") == "cm chose 1 cluster: 8 on beta/c, as its components ask for it");
  ResourceNeed one;
  one.components = {{8, {}, {}}};
  const auto clusters = three_clusters();
  const Placement elsewhere{{0, 2, 8}};
  CHECK(reason_of(one, clusters, find_placement("cm"), elsewhere)
            .starts_with("the links chose 1 cluster: 8 on gamma/c; worst_fit would take"));
  ResourceNeed full;
  for (const std::uint32_t size : {12, 9, 9, 8, 7}) full.components.push_back({size, {}, {}});
  const auto fit = any_fit(full, clusters);
  REQUIRE(fit);
  CHECK(reason_of(full, clusters, find_placement("cm"), *fit)
            .starts_with("any fit, since cm finds none, chose 3 clusters: "));
}

TEST_CASE("placement reasons: the first place that components name and that is absent or too small") {
  const auto clusters = three_clusters();
  const auto why_not = [&](std::vector<Component> components) {
    ResourceNeed fixed;
    fixed.kind = RequestKind::fixed;
    fixed.components = std::move(components);
    return why_not_placed(fixed, clusters, find_placement("cm"));
  };
  CHECK(why_not({{8, SiteName("alpha"), {}}, {8, SiteName("delta"), {}}}) == "there is no delta");
  CHECK(why_not({{8, SiteName("alpha"), ClusterName("x")}}) == "there is no alpha/x");
  CHECK(why_not({{8, SiteName("beta"), {}}, {8, SiteName("alpha"), {}}, {8, SiteName("beta"), {}}}) ==
        "beta is asked for 16 processors in whole nodes, and 15 of its idle ones are usable");
  CHECK(why_not({{40, {}, ClusterName("c")}, {8, {}, ClusterName("c")}}) ==
        "c is asked for 48 processors in whole nodes, and 45 of its idle ones are usable");
}

}  // namespace dmm::placement_reasons_test
