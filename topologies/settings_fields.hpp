// The keys of the three managers' settings, each with its range. Reading and writing use one list, so that written
// settings read back equal. Internal to topologies/. A visitor is a JsonReader or a JsonWriter.
#pragma once

#include "jobmgr/settings.hpp"
#include "protocol/hints.hpp"
#include "resmgr/settings.hpp"
#include "sitemgr/settings.hpp"
#include "topologies/policy_names.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {

/// The longest duration that a file may set: ten years, in seconds.
constexpr double seconds_max = 10.0 * 366 * 24 * 3600;
/// The shortest duration where 0 would make no sense.
constexpr double seconds_min = 0.001;
constexpr std::uint32_t nodes_max = 1'000'000;
/// At its end, a daemon waits at most for `Reactor::stop_limit`.
constexpr double hand_back_grace_max = 8;
/// System calls use the numbers beyond for "no account".
constexpr std::uint32_t uid_max = 4'294'967'293;

/// The limits of a neighbour.
template <class Limits, class Visitor>
void visit_limits(Limits& l, Visitor& v) {
  v.number("weight", l.weight, 0.001, 1000);
  v.integer("leases", l.leases, 0);
  v.integer("processors", l.processors, 0);
  v.duration("lease_length_seconds", l.lease_length, 0, seconds_max);
}

/// The properties of a cluster's nodes, except their number.
template <class Cluster, class Visitor>
void visit_nodes(Cluster& c, Visitor& v) {
  v.integer("processors_per_node", c.processors_per_node, 1, processors_per_node_max);
  v.integer("memory_bytes", c.memory_bytes, 0);
  v.text_map("attributes", c.attributes);
}

/// How a daemon keeps its ledger. "graded": each change is written before any later decision leaves, and synced if no
/// other manager could tell it again. "full": each change is synced. "off": nothing is kept.
inline const std::vector<std::string>& ledger_modes() {
  static const std::vector<std::string> words = {"graded", "full", "off"};
  return words;
}

template <class Settings, class Visitor>
void visit_policies(Settings& s, Visitor& v, const PolicyNames& policies) {
  v.object("policies", [&](auto& p) {
    p.choice("dispatching", s.dispatching_policy, policies.dispatching);
    p.choice("delegation", s.delegation_policy, policies.delegation);
    p.choice("target", s.target_policy, policies.target);
    p.choice("placement", s.placement_policy, policies.placement);
    p.choice("flexible_placement", s.flexible_policy, policies.placement);
  });
}

/// A site's behaviour: all of SiteSettings except its name, neighbours and clusters.
template <class Settings, class Visitor>
void visit_site_behaviour(Settings& s, Visitor& v, const PolicyNames& policies) {
  visit_policies(s, v, policies);
  v.number("delegation_threshold", s.delegation_threshold, 0, 1e6);
  v.duration("matchmaking_cycle_seconds", s.matchmaking_cycle, 0, seconds_max);
  v.duration("delegation_cycle_seconds", s.delegation_cycle, 0, seconds_max);
  v.boolean("delegate", s.delegate);
  v.boolean("lend", s.lend);
  v.boolean("owner_first", s.owner_first);
  v.boolean("keep_local", s.keep_local);
  v.boolean("co_allocate", s.co_allocate);
  v.integer("high_scans", s.high_scans, 1);
  v.integer("placement_tries_max", s.placement_tries_max, 0);
  v.number("claiming_threshold", s.claiming_threshold, 0, 1);
  v.number("claiming_wait", s.claiming_wait, 0, 0.99);
  v.number("claiming_wait_step", s.claiming_wait_step, 0, 1);
  v.number("claiming_wait_min", s.claiming_wait_min, 0.01, 1);
  v.boolean("preempt", s.preempt);
  v.duration("preempt_grace_seconds", s.preempt_grace, 0, seconds_max);
  v.integer("cluster_errors_max", s.cluster_errors_max, 0);
  v.duration("cluster_aside_first_seconds", s.cluster_aside_first, seconds_min, seconds_max);
  v.boolean("use_hints", s.use_hints);
  v.boolean("lease_ends_with_job", s.lease_ends_with_job);
  v.duration("overtaken_limit_seconds", s.overtaken_limit, 0, seconds_max);
  v.integer("tries_per_round", s.tries_per_round, 1);
  v.integer("dttl_limit", s.dttl_limit, 0, dttl_max);
  v.duration("answer_limit_seconds", s.answer_limit, seconds_min, seconds_max);
  v.duration("pause_first_seconds", s.pause_first, seconds_min, seconds_max);
  v.duration("pause_last_seconds", s.pause_last, seconds_min, seconds_max);
  v.integer("window_first", s.window_first, 1);
  v.integer("window_max", s.window_max, 1);
  v.integer("hint_distance", s.hint_distance, 1, dttl_max);
  v.duration("hint_interval_seconds", s.hint_interval, 0, seconds_max);
  v.duration("hint_small_interval_seconds", s.hint_small_interval, seconds_min, seconds_max);
  v.duration("seen_memory_seconds", s.seen_memory, 0, seconds_max);
  v.integer("seen_max", s.seen_max, 1);
  v.boolean("seen_counts_dttl", s.seen_counts_dttl);
  v.duration("term_seconds", s.term, seconds_min, term_max.in_seconds());
  v.duration("offer_seconds", s.offer, seconds_min, seconds_max);
  v.duration("lease_length_max_seconds", s.lease_length_max, seconds_min, seconds_max);
  v.duration("detached_max_seconds", s.detached_max, 0, seconds_max);
  v.duration("absent_job_manager_seconds", s.absent_job_manager, seconds_min, seconds_max);
  v.duration("adopt_within_seconds", s.adopt_within, 0, seconds_max);
  v.duration("reclaim_grace_seconds", s.reclaim_grace, 0, seconds_max);
  v.boolean("reclaim_at_job_end", s.reclaim_at_job_end);
  v.duration("reclaim_after_seconds", s.reclaim_after, 0, seconds_max);
  v.duration("reclaimed_rest_seconds", s.reclaimed_rest, 0, seconds_max);
  v.duration("protected_first_seconds", s.protected_first, 0, seconds_max);
  v.duration("protected_max_seconds", s.protected_max, 0, seconds_max);
  v.integer("reuse_jobs_max", s.reuse_jobs_max, 1);
  v.duration("reuse_length_max_seconds", s.reuse_length_max, 0, seconds_max);
  v.duration("turn_limit_seconds", s.turn_limit, 0, seconds_max);
  v.duration("gather_max_seconds", s.gather_max, 0, seconds_max);
  v.integer("requests_per_user_max", s.requests_per_user_max, 1);
  v.integer("requests_max", s.requests_max, 1);
  v.integer("delegations_per_link_max", s.delegations_per_link_max, 1);
  v.integer("leases_per_link_max", s.leases_per_link_max, 1);
  v.integer("usage_records_max", s.usage_records_max, 1);
}

template <class Settings, class Visitor>
void visit_job_manager(Settings& s, Visitor& v) {
  v.name("site", s.site);
  v.text("user", s.user, [](const std::string& name) { return fault_of_name(name); });
  v.integer("first_job", s.first_job, 1);
  v.duration("term_seconds", s.term, seconds_min, term_max.in_seconds());
  v.duration("relay_after_seconds", s.relay_after, seconds_min, seconds_max);
  v.duration("confirm_limit_seconds", s.confirm_limit, seconds_min, seconds_max);
  v.duration("start_limit_seconds", s.start_limit, seconds_min, seconds_max);
  v.duration("staging_limit_seconds", s.staging_limit, seconds_min, seconds_max);
  v.integer("jobs_max", s.jobs_max, 1);
  v.integer("submissions_remembered", s.submissions_remembered, 1);
  v.integer("starts_at_once", s.starts_at_once, 1);
  v.integer("fetch_bytes_max", s.fetch_bytes_max, 0);
  v.duration("keep_output_seconds", s.keep_output, 0, seconds_max);
  v.integer("keeper_deaths_max", s.keeper_deaths_max, 1);
  v.duration("rerun_pause_seconds", s.rerun_pause, 0, 3600);
}

/// The accounts of the host that jobs run under.
template <class Accounts, class Visitor>
void visit_accounts(Accounts& a, Visitor& v) {
  v.integer("first_uid", a.first, 0, uid_max);
  v.integer("last_uid", a.last, 0, uid_max);
  v.objects("map", a.map, [](auto& item, auto& mapped) {
    item.require({"site", "account"});
    item.text("site", mapped.site, [](const std::string& name) { return fault_of_name(name); });
    item.text("user", mapped.user,
              [](const std::string& name) { return name.empty() ? std::string() : fault_of_name(name); });
    item.text("account", mapped.account, fault_of_account);
    item.text("trust", mapped.trust, [](const std::string& word) {
      return word.empty() || word == "full" ? std::string()
                                            : "expected \"full\" or nothing, found \"" + word + '"';
    });
  });
  v.boolean("required", a.required);
}

template <class Settings, class Visitor>
void visit_resource_manager(Settings& s, Visitor& v) {
  v.name("site", s.site);
  v.text("name", s.name, [](const std::string& name) { return fault_of_name(name, manager_name_length_max); });
  v.name("cluster", s.cluster);
  v.integer("nodes", s.nodes, 1, nodes_per_manager_max);
  v.texts("node_names", s.node_names, fault_of_node_name);
  visit_nodes(s, v);
  v.text("endpoint", s.endpoint,
         [](const std::string& at) { return at.empty() ? std::string() : fault_of_place(at); });
  v.text("address", s.address, fault_of_address);
  v.duration("term_seconds", s.term, seconds_min, term_max.in_seconds());
  v.duration("park_seconds", s.park, 0, seconds_max);
  v.duration("idle_lease_max_seconds", s.idle_lease_max, 0, seconds_max);
  v.duration("keep_output_seconds", s.keep_output, 0, seconds_max);
  v.integer("outcomes_max", s.outcomes_max, 1);
  v.integer("parked_max", s.parked_max, 1);
  v.integer("parked_bytes_max", s.parked_bytes_max, 1);
  v.integer("set_aside_after", s.set_aside_after, 0);
  v.duration("hand_back_grace_seconds", s.hand_back_grace, 0, hand_back_grace_max);
  v.duration("set_aside_for_seconds", s.set_aside_for, seconds_min, seconds_max);
  v.boolean("isolate_jobs", s.jobs.isolate);
  v.text("job_cgroup", s.jobs.cgroup, fault_of_folder);
  v.duration("job_start_seconds", s.jobs.start_max, seconds_min, seconds_max);
  v.integer("job_processes_max", s.jobs.processes_max, 0);
  v.integer("job_file_bytes_max", s.jobs.file_bytes_max, 0);
  v.integer("job_disk_bytes_max", s.jobs.disk_bytes_max, 0);
  v.text("kept_files", s.jobs.kept_files.folder, fault_of_folder);
  v.integer("kept_files_bytes_max", s.jobs.kept_files.bytes_max, 1);
  v.duration("kept_files_seconds", s.jobs.kept_files.life, 0, seconds_max);
  v.object("accounts", [&](auto& accounts) { visit_accounts(s.jobs.accounts, accounts); });
}

}  // namespace dmm
