#include "cli/sites/examination.hpp"

#include <algorithm>

#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "runtime/unreachable.hpp"

namespace dmm {
namespace {

const char* word_of(FindingKind kind) {
  return kind == FindingKind::ok ? "ok" : kind == FindingKind::look ? "look" : "change";
}

Finding ok(std::string subject, std::string found) {
  return {FindingKind::ok, std::move(subject), std::move(found)};
}

/// The cluster of the site that the nodes of pilots join.
Finding examine_cluster(const Json& site, const BatchSettings& settings) {
  const std::string name(settings.cluster.text);
  for (const Json& cluster : rows_in(site, "clusters"))
    if (text_in(cluster, "cluster") == name) return ok("cluster of pilots' nodes", name);
  return {FindingKind::change, "cluster of pilots' nodes", "the site has none called " + name,
          "add it to `clusters` of the site manager's configuration, or name another one: cluster"};
}

/// Nodes are borrowed from these owners, so the site has to know and reach them.
Finding examine_owner(const Json& site, const std::string& place) {
  const std::string name = place.substr(0, place.find('/'));
  const std::string subject = "owner " + name;
  for (const Json& link : rows_in(site, "links")) {
    if (text_in(link, "site") != name) continue;
    if (flag_in(link, "up")) return ok(subject, "a neighbour, and its link is up");
    return {FindingKind::change, subject, "its link is down", "`dmm sites` says since when, and why"};
  }
  return {FindingKind::look, subject, "no neighbour of this site", "it can be reached through neighbours only"};
}

Finding examine_manager(const std::string& subject, const std::string& endpoint, Json& answer) {
  const auto manager = manager_at(endpoint);
  std::string fault;
  if (const auto* unknown = std::get_if<CommandFault>(&manager)) {
    fault = unknown->text;
  } else {
    Answered answered = ask_one(std::get<Manager>(manager), "site");
    fault = answered.fault;
    answer = std::move(answered.json);
  }
  if (fault.empty()) return ok(subject, endpoint);
  return {FindingKind::change, subject, fault,
          "start it; or mend the endpoint in the batch manager's configuration"};
}

}  // namespace

std::vector<Finding> examine_managers(const BatchSettings& settings) {
  Json site;
  std::vector<Finding> all{examine_manager("site manager", settings.sitemgr, site)};
  if (all.front().kind == FindingKind::ok) all.push_back(examine_cluster(site, settings));
  if (const auto why = why_unreachable(settings.node_endpoint))
    all.push_back({FindingKind::change, "endpoint for nodes", why->text,
                   "the site manager's `listen` has to have the place that node_endpoint names"});
  else
    all.push_back(ok("endpoint for nodes", settings.node_endpoint));
  if (!settings.borrow.is_on()) return all;
  if (const auto why = why_unreachable(settings.borrow.jobmgr))
    all.push_back({FindingKind::change, "job manager for nodes", why->text, "start it; or mend borrow.jobmgr"});
  else
    all.push_back(ok("job manager for nodes", settings.borrow.jobmgr));
  if (all.front().kind == FindingKind::ok)
    for (const std::string& place : settings.borrow.from) all.push_back(examine_owner(site, place));
  all.push_back({FindingKind::look, "users of both sites", "their uids can't be compared from here",
                 "a user's job runs at the owner under the same uid: `getent passwd` has to agree"});
  return all;
}

std::size_t changes_in(const std::vector<Examined>& all) {
  std::size_t changes = 0;
  for (const Examined& part : all)
    changes += static_cast<std::size_t>(std::ranges::count(part.findings, FindingKind::change, &Finding::kind));
  return changes;
}

std::string render_examination(const std::vector<Examined>& all, const Style& style) {
  std::size_t width = 0;
  for (const Examined& part : all)
    for (const Finding& one : part.findings) width = std::max(width, columns_of(one.subject));
  std::string text;
  for (const Examined& part : all) {
    text += (text.empty() ? "" : "\n") + style.paint(Ink::bold, part.title) + "\n";
    for (const Finding& one : part.findings) {
      const Ink ink = one.kind == FindingKind::ok     ? Ink::green
                      : one.kind == FindingKind::look ? Ink::yellow
                                                      : Ink::red;
      const std::string verdict = pad_right(word_of(one.kind), 6);
      text += "  " + style.paint(ink, verdict) + "  " + pad_right(harmless(one.subject), width) + "  " +
              harmless(one.found) + "\n";
      if (one.change.empty()) continue;
      const std::size_t indent = 2 + verdict.size() + 2 + width + 2;
      const std::size_t columns = style.columns > indent + 20 ? style.columns - indent : 0;
      for (const std::string& line : folded(harmless(one.change), columns, 0))
        text += std::string(indent, ' ') + line + "\n";
    }
  }
  return text;
}

Json examination_json(const std::vector<Examined>& all) {
  Json findings = Json::array();
  for (const Examined& part : all)
    for (const Finding& one : part.findings)
      findings.push_back({{"part", part.title},
                          {"kind", word_of(one.kind)},
                          {"subject", one.subject},
                          {"found", one.found},
                          {"change", one.change}});
  return {{"findings", findings}, {"changes", changes_in(all)}};
}

}  // namespace dmm
