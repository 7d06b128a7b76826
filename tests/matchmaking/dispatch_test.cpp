// The orders of dispatching and of delegation, and the names of all policies.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "matchmaking/delegation.hpp"
#include "matchmaking/dispatch.hpp"
#include "matchmaking/policy.hpp"

namespace dispatch_test {

using namespace dmm;

namespace {

RequestView request(std::uint64_t arrival, std::uint32_t processors, std::uint32_t widest, std::int32_t priority) {
  return {arrival, processors, widest, priority, 0};
}

/// The requests below by arrival, in the order of the policy's key.
std::string order_of(OrderKey (*key)(const RequestView&)) {
  std::vector<RequestView> requests = {
      request(4, 8, 8, 0), request(2, 8, 4, -3), request(1, 16, 16, 0), request(3, 1, 1, 5), request(5, 1, 1, 5),
  };
  std::sort(requests.begin(), requests.end(),
            [key](const RequestView& a, const RequestView& b) { return key(a) < key(b); });
  std::string text;
  for (const auto& each : requests) text += std::to_string(each.arrival);
  return text;
}

}  // namespace

TEST_CASE("dispatch policies: order and whether they scan") {
  struct Row {
    const char* name;
    const char* order;
    bool scan;
  };
  const Row rows[] = {
      {"fcfs", "12345", false},         {"fcfs_scan", "12345", true}, {"smallest_first", "35241", true},
      {"largest_first", "14235", true}, {"priority", "35142", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const DispatchPolicy* policy = find_dispatch(row.name);
    REQUIRE(policy != nullptr);
    CHECK(policy->name == row.name);
    CHECK(policy->scan == row.scan);
    CHECK(order_of(policy->key) == row.order);
  }
}

TEST_CASE("delegation policies: order") {
  const std::pair<const char*, const char*> rows[] = {
      {"fcfs", "12345"}, {"largest_first", "14235"}, {"smallest_first", "35241"}, {"latest_first", "54321"}};
  for (const auto& [name, order] : rows) {
    CAPTURE(name);
    const DelegationPolicy* policy = find_delegation(name);
    REQUIRE(policy != nullptr);
    CHECK(policy->name == name);
    CHECK(order_of(policy->key) == order);
  }
}

TEST_CASE("policies: keys hold at the ends of their ranges") {
  const auto lowest = request(1, UINT32_MAX, UINT32_MAX, INT32_MIN);
  const auto highest = request(2, 0, 0, INT32_MAX);
  CHECK(dispatch_priority.key(highest) < dispatch_priority.key(lowest));
  CHECK(dispatch_largest_first.key(lowest) < dispatch_largest_first.key(highest));
  CHECK(dispatch_smallest_first.key(highest) < dispatch_smallest_first.key(lowest));
}

TEST_CASE("policies: how long a request has waited changes no key, so a queue may keep them") {
  for (const auto* policy : {&dispatch_fcfs, &dispatch_fcfs_scan, &dispatch_smallest_first,
                             &dispatch_largest_first, &dispatch_priority}) {
    RequestView view = request(7, 3, 2, 1);
    const OrderKey before = policy->key(view);
    view.waited_microseconds = 1'000'000'000;
    CHECK(policy->key(view) == before);
  }
}

// Functions are compared in double parentheses, since doctest can't print them.
TEST_CASE("policies: names and aliases") {
  CHECK((find_placement("wf") == find_placement("worst_fit")));
  CHECK((find_placement("bf") == find_placement("best_fit")));
  CHECK((find_placement("cm") == cluster_minimization));
  CHECK((find_placement("fcm") == flexible_cluster_minimization));
  CHECK((find_targets("fcfs") == find_targets("configured")));
  CHECK(name_of(find_placement("wf")) == "worst_fit");
  CHECK(name_of(find_targets("fcfs")) == "configured");
  CHECK(name_of(PlacementPolicy{nullptr}).empty());
  for (const char* unknown : {"", "WF", "worst_fit ", "none"}) {
    CAPTURE(unknown);
    CHECK((find_placement(unknown) == nullptr));
    CHECK(find_dispatch(unknown) == nullptr);
    CHECK(find_delegation(unknown) == nullptr);
    CHECK((find_targets(unknown) == nullptr));
  }
  CHECK(dispatch_names() == "fcfs_scan, fcfs, smallest_first, largest_first, priority");
  CHECK(delegation_names() == "fcfs, largest_first, smallest_first, latest_first");
  CHECK(target_names() == "hints, best_fit (bf), round_robin, configured (fcfs)");
  CHECK(placement_names().starts_with("worst_fit (wf), cm "));
}

}  // namespace dispatch_test
