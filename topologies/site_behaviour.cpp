// Presets and explicit keys. The paper only says that a delegation cycle is shorter than the matchmaking cycle: half of
// it is our choice. Nor does the paper bound the search; a million tries are practically no bound.
#include "topologies/site_behaviour.hpp"

#include "topologies/settings_fields.hpp"

namespace dmm {

void apply_paper_preset(SiteSettings& settings) {
  settings.dispatching_policy = "fcfs";
  settings.delegation_policy = "fcfs";
  settings.target_policy = "configured";
  settings.delegation_threshold = 1.0;
  settings.matchmaking_cycle = seconds(300);
  settings.delegation_cycle = seconds(150);
  settings.owner_first = false;
  settings.keep_local = false;
  settings.use_hints = false;
  settings.lease_ends_with_job = false;
  settings.seen_counts_dttl = false;
  settings.tries_per_round = 1'000'000;
  settings.reuse_jobs_max = 1;
  settings.reclaim_after = {};
  settings.protected_max = {};
  settings.turn_limit = {};
}

void read_site_behaviour(JsonReader& reader, SiteSettings& settings, const PolicyNames& policies) {
  std::string preset;
  reader.choice("preset", preset, {"paper"});
  if (preset == "paper") apply_paper_preset(settings);
  visit_site_behaviour(settings, reader, policies);
  if (settings.pause_first > settings.pause_last)
    reader.refuse(reader.has("pause_first_seconds") ? "pause_first_seconds" : "pause_last_seconds",
                  "the first pause is longer than the last; expected pause_first_seconds <= pause_last_seconds");
  if (settings.window_first > settings.window_max)
    reader.refuse(reader.has("window_first") ? "window_first" : "window_max",
                  "the first window is larger than the largest; expected window_first <= window_max");
}

}  // namespace dmm
