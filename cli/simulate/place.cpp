// Converts options to a need and clusters, and the policy's answer to words.
#include "cli/simulate/place.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>

#include "cli/simulate/place_explanation.hpp"
#include "cli/simulate/place_report.hpp"
#include "matchmaking/policy.hpp"

namespace dmm {
namespace {

/// The value for cluster `i`: the option has one value for all clusters, or one for each.
template <class Value>
Value value_for(const std::vector<Value>& values, std::size_t i) {
  return values.size() == 1 ? values[0] : values[i];
}

bool is_one_or(std::size_t count, std::size_t clusters) { return count == 1 || count == clusters; }

std::uint64_t sum(const std::vector<std::uint32_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

/// What is wrong with the options that describe clusters; empty if nothing is.
std::string clusters_fault(const PlaceOptions& options) {
  const std::size_t count = options.idle.size();
  const std::string each = "one for each of the " + std::to_string(count) + " clusters of --idle";
  if (count == 0) return "--idle: expected the idle processors of each cluster, as in --idle 18,15,12";
  if (!options.clusters_total.empty()) {
    if (options.clusters_total.size() != count) return "--clusters-total: expected " + each;
    for (std::size_t i = 0; i < count; ++i)
      if (options.clusters_total[i] < options.idle[i])
        return "--clusters-total: expected at least the " + std::to_string(options.idle[i]) +
               " idle processors of c" + std::to_string(i + 1);
  }
  if (!is_one_or(options.quota.size(), count)) return "--quota: expected one number for all clusters, or " + each;
  if (!std::all_of(options.quota.begin(), options.quota.end(), [](double q) { return q >= 0.0 && q <= 1.0; }))
    return "--quota: expected numbers from 0 to 1";
  if (!is_one_or(options.processors_per_node.size(), count))
    return "--processors-per-node: expected one number for all clusters, or " + each;
  if (!options.staging.empty() && options.staging.size() != count) return "--staging: expected seconds, " + each;
  if (std::ranges::any_of(options.staging, [](double s) { return !(s >= 0.0 && s <= 1e6); }))
    return "--staging: expected seconds from 0 to 1000000";
  if (options.links.per_processor > 0 && options.links.capacity.size() != count)
    return "--links: expected Mbit/s, " + each;
  if (!options.links.carried.empty() && options.links.carried.size() != count)
    return "--carried: expected Mbit/s, " + each;
  if (std::count(options.processors_per_node.begin(), options.processors_per_node.end(), 0U) > 0)
    return "--processors-per-node: expected at least 1";
  return {};
}

/// What is wrong with the options that describe the request; empty if nothing is.
std::string request_fault(const PlaceOptions& options) {
  const bool flexible = options.total > 0 || !options.splits.empty();
  if (flexible == !options.components.empty())
    return flexible ? "--components: expected either it or --total and --split, not both"
                    : "--total: expected it (a flexible request) or --components (sizes), as in --total 24";
  if (!flexible && (options.min_component != 1 || options.max_components != 0))
    return "--min-component, --max-components: expected only with --total";
  if (flexible && !options.fixed.empty()) return "--fixed: expected only with --components";
  for (const auto& split : options.splits) {
    const std::uint64_t total = options.total > 0 ? options.total : sum(options.splits[0]);
    if (sum(split) != total)
      return "--split: expected sizes that add up to " + std::to_string(total) + ", got " +
             std::to_string(sum(split));
  }
  if (options.fixed.empty()) return {};
  if (options.fixed.size() != options.components.size())
    return "--fixed: expected one cluster for each of the " + std::to_string(options.components.size()) +
           " components";
  return {};
}

std::vector<ClusterView> clusters_of(const PlaceOptions& options) {
  std::vector<ClusterView> clusters;
  for (std::size_t i = 0; i < options.idle.size(); ++i) {
    ClusterView cluster;
    cluster.name = ClusterName("c" + std::to_string(i + 1));
    cluster.idle_processors = options.idle[i];
    cluster.total_processors = options.clusters_total.empty() ? options.idle[i] : options.clusters_total[i];
    cluster.quota = value_for(options.quota, i);
    cluster.processors_per_node = value_for(options.processors_per_node, i);
    if (!options.staging.empty()) cluster.staging = from_seconds(options.staging[i]);
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

ResourceNeed need_of(const PlaceOptions& options) {
  ResourceNeed need;
  if (options.components.empty()) {
    need.kind = RequestKind::flexible;
    const std::uint64_t total = options.total > 0 ? options.total : sum(options.splits[0]);
    need.components = {{static_cast<std::uint32_t>(std::min<std::uint64_t>(total, UINT32_MAX)), {}, {}}};
    need.component_processors_min = options.min_component;
    need.components_max = options.max_components;
    need.splits = options.splits;
    return need;
  }
  need.kind = options.fixed.empty() ? RequestKind::non_fixed : RequestKind::fixed;
  for (std::size_t i = 0; i < options.components.size(); ++i)
    need.components.push_back(
        {options.components[i], {}, ClusterName(options.fixed.empty() ? "" : options.fixed[i])});
  return need;
}

/// A name in --fixed that isn't a cluster; empty if all are.
std::string unknown_cluster(const PlaceOptions& options, const std::vector<ClusterView>& clusters) {
  for (const auto& name : options.fixed) {
    const auto is_it = [&name](const ClusterView& cluster) { return cluster.name.text == name; };
    if (std::none_of(clusters.begin(), clusters.end(), is_it)) return name.empty() ? "''" : name;
  }
  return {};
}

}  // namespace

int run_place(const PlaceOptions& options, std::ostream& out, std::ostream& err) {
  const auto refuse = [&err](const std::string& fault) {
    err << "dmm place: " << fault << '\n';
    return 2;
  };
  const PlacementPolicy policy = find_placement(options.policy);
  if (!policy) return refuse("--policy: expected one of " + placement_names() + ", got '" + options.policy + "'");
  if (const auto fault = clusters_fault(options); !fault.empty()) return refuse(fault);
  if (const auto fault = request_fault(options); !fault.empty()) return refuse(fault);
  const auto clusters = clusters_of(options);
  if (const auto name = unknown_cluster(options, clusters); !name.empty())
    return refuse("--fixed: expected names from c1 to c" + std::to_string(clusters.size()) + ", got " + name);
  const auto need = need_of(options);
  if (const auto fault = fault_of(need); !fault.empty())
    return refuse(std::string(options.components.empty() ? "--total" : "--components") + ": " + fault);

  PlaceReport report{name_of(policy), need, clusters, policy(need, clusters), {}, {}, {}};
  if (!report.placement) report.why_not = why_not_placed(need, clusters, policy);
  if (options.explain) report.alternatives = alternatives_for(need, clusters);
  if (report.placement && options.links.per_processor > 0)
    report.links = link_uses(*report.placement, options.links);
  options.json ? print_json(report, out) : print_text(report, out);
  if (report.links && !options.json) print_links(*report.links, clusters, options.links, out);
  if (options.explain && !options.json) print_alternatives(report, out);
  return report.placement ? 0 : 1;
}

}  // namespace dmm
