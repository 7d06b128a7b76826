// Orders of the owner as JSON; see site_orders.hpp.
#include "daemons/answers/site_orders.hpp"

#include <algorithm>

#include "daemons/answers/json_answer.hpp"

namespace dmm {
namespace {

using views::Json;

constexpr double grace_seconds_max = 30.0 * 24 * 3600;
constexpr double expected_seconds_max = 365.0 * 24 * 3600;

/// `{"whose": LEASE or SITE, "grace_seconds": NUMBER}`, or "end_of_job": true in place of the grace. SITE is a
/// borrower's site.
/// site.
Answer reclaim(SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument,
               SiteManagerEffects& effects) {
  const SiteSettings& settings = site.settings();
  Duration grace = settings.reclaim_at_job_end ? end_of_job : settings.reclaim_grace;
  if (const auto given = argument.find("grace_seconds"); given != argument.end()) {
    if (!given->is_number() || given->get<double>() < 0 || given->get<double>() > grace_seconds_max)
      return views::fault(ask, "reclaim: grace_seconds is a number from 0 to 2592000");
    grace = from_seconds(given->get<double>());
  }
  if (const auto given = argument.find("end_of_job"); given != argument.end() && given->is_boolean() && *given)
    grace = end_of_job;
  const std::string lease_or_site = views::text_in(argument, "whose");
  const std::size_t leases = site.reclaim(time.now, lease_or_site, grace, effects);
  if (leases == 0 && !lease_or_site.empty())
    return views::fault(
        ask, settings.name.text + " has no lease, and has lent nothing to a site, named " + lease_or_site);
  return views::answer(ask, {{"leases", leases}});
}

/// {"site": name}: the borrower's site that gets no more leases, or this site itself, where nothing new then starts.
/// With "force", a site is drained even if its name is unknown.
Answer drain_or_resume(SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument,
                       SiteManagerEffects& effects) {
  const std::string name = views::text_in(argument, "site");
  if (name.empty()) return views::fault(ask, ask.verb + R"(: the argument is {"site": "name"})");
  const bool drains = ask.verb == "drain";
  const auto force = argument.find("force");
  const bool is_forced = force != argument.end() && force->is_boolean() && force->get<bool>();
  if (drains && !is_forced && !site.may_drain(SiteName(name)))
    return views::fault(ask, site.settings().name.text + " has no neighbour " + name +
                                 ", and has lent it nothing; to drain it all the same: --force");
  const bool changed =
      drains ? site.drain(time.now, SiteName(name), effects) : site.resume(time.now, SiteName(name), effects);
  Json drained = Json::array();
  for (const SiteName& one : site.drained()) drained.push_back(one.text);
  return views::answer(ask, {{"changed", changed}, {"drained", std::move(drained)}});
}

/// {"resource_manager": name}: a resource manager that is down and won't come back.
Answer forget(SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument,
              SiteManagerEffects& effects) {
  const std::string name = views::text_in(argument, "resource_manager");
  if (name.empty()) return views::fault(ask, R"(forget: the argument is {"resource_manager": "name"})");
  const std::string fault = site.forget(time.now, name, effects);
  if (!fault.empty()) return views::fault(ask, fault);
  return views::answer(ask, {{"forgotten", name}});
}

/// {"seconds": {resource manager: number, ...}}: how long from now the owner of the nodes probably doesn't need them;
/// null: not known.
Answer expect(SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
  const auto given = argument.find("seconds");
  const auto is_time = [](const Json& value) {
    return value.is_null() || (value.is_number() && value >= 0.0 && value <= expected_seconds_max);
  };
  if (given == argument.end() || !given->is_object() || !std::ranges::all_of(*given, is_time))
    return views::fault(ask,
                        R"(expect: the argument is {"seconds": {"resource manager": number from 0 to 31536000}})");
  std::size_t known = 0;
  for (const auto& [name, value] : given->items())
    known += site.expect(name, value.is_null() ? never : time.now + from_seconds(value.get<double>()));
  return views::answer(ask, {{"known", known}});
}

}  // namespace

std::optional<Answer> order_site(SiteManager& site, const ViewTime& time, const Ask& ask,
                                 SiteManagerEffects& effects) {
  const bool drains = ask.verb == "drain" || ask.verb == "resume";
  if (ask.verb != "reclaim" && ask.verb != "forget" && ask.verb != "expect" && !drains) return std::nullopt;
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, ask.verb + ": the argument is not a JSON object");
  if (ask.verb == "forget") return forget(site, time, ask, *argument, effects);
  if (ask.verb == "expect") return expect(site, time, ask, *argument);
  if (drains) return drain_or_resume(site, time, ask, *argument, effects);
  return reclaim(site, time, ask, *argument, effects);
}

}  // namespace dmm
