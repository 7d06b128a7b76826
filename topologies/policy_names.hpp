// The policy names that a configuration may use. This folder doesn't see matchmaking/, which has the policies
// themselves. So the list is an argument, and a test compares the default one with matchmaking's table.
#pragma once

#include <string>
#include <vector>

namespace dmm {

/// Known names, by the policy that they are for.
struct PolicyNames {
  std::vector<std::string> dispatching;
  std::vector<std::string> delegation;
  std::vector<std::string> target;
  std::vector<std::string> placement;  ///< both for flexible and for other requests
};

/// The names that this version of DMM knows.
inline PolicyNames known_policies() {
  return {.dispatching = {"fcfs", "fcfs_scan", "smallest_first", "largest_first", "priority"},
          .delegation = {"fcfs", "largest_first", "smallest_first", "latest_first"},
          .target = {"hints", "best_fit", "bf", "round_robin", "configured", "fcfs"},
          .placement = {"worst_fit", "wf", "cm", "cluster_minimization", "fcm", "flexible_cluster_minimization",
                        "best_fit", "bf", "bfff", "close_to_files", "cf"}};
}

}  // namespace dmm
