#include "simulator/faults/interruption_watch.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "simulator/faults/program_ends.hpp"

namespace dmm {
namespace {

/// An act has effects for this long: terms, links that are given up, and rounds of a search.
constexpr Duration felt_for = seconds(150);

bool is_trouble(Act::Kind kind) {
  using Kind = Act::Kind;
  switch (kind) {
    case Kind::submit:
    case Kind::cancel:
    case Kind::heal:
    case Kind::drain:
    case Kind::end_drains:
    case Kind::link: return false;
    default: return true;
  }
}

}  // namespace

InterruptionWatch::InterruptionWatch(const RandomRun& run) : trouble_(run.trouble), felt_(felt_for) {
  if (run.stretch > 1)
    for (const TopologySite& site : run.topology.sites)
      felt_ = std::max(felt_, felt_for + site.settings.detached_max);
}

void InterruptionWatch::note(const Act& act, Instant now) {
  if (is_trouble(act.kind)) last_trouble_ = now;
}

std::string InterruptionWatch::note(const World& world, const Happening& happening, bool has_chances) {
  const LogEvent& event = happening.event;
  if (happening.party.role == Role::resource_manager && event.name == "started") note_started(world, happening);
  if (happening.party.role == Role::job_manager && event.name == "rerun")
    return check_rerun(world, happening, has_chances);
  if (happening.party.role == Role::site_manager) note_leases(world, happening);
  return {};
}

void InterruptionWatch::note_started(const World& world, const Happening& started) {
  for (const auto& program : world.performer(started.party).running())
    if (program->id.request == started.event.trace) started_.insert(program->id.request);
}

void InterruptionWatch::note_leases(const World& world, const Happening& happening) {
  const LogEvent& event = happening.event;
  const bool may_be_interrupted = trouble_ == Trouble::harsh || trouble_ == Trouble::life;
  if (event.name == "reclaim" ||
      (event.name == "lease_ended" && may_be_interrupted && is_trouble_felt(world.now())))
    explained_.insert(std::get<std::string>(event.fields.front().value));
  if (event.name == "hand_out")
    for (const LogField& field : event.fields)
      if (field.key == "lease") handed_out_[event.trace].push_back(std::get<std::string>(field.value));
}

std::string InterruptionWatch::check_rerun(const World& world, const Happening& rerun, bool has_chances) {
  const bool started = started_.erase(rerun.event.trace) > 0;
  const auto handed = handed_out_.extract(rerun.event.trace);
  if (!started || attempts_that_died_with_a_keeper(world).contains(rerun.event.trace)) return {};
  const auto is_explained = [&](const std::string& lease) { return explained_.contains(lease); };
  if (!handed.empty() && std::ranges::any_of(handed.mapped(), is_explained)) return {};
  if (trouble_ == Trouble::gentle || trouble_ == Trouble::none)
    return to_text(rerun.event.trace) + " was interrupted needlessly";
  if (has_chances) return {};
  if (is_trouble_felt(world.now())) return {};
  return to_text(rerun.event.trace) + " was interrupted, and nothing had gone wrong for " +
         std::to_string((world.now() - last_trouble_).microseconds / 1'000'000) + " s";
}

}  // namespace dmm
