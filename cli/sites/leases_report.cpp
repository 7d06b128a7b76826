#include "cli/sites/leases_report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// The name of the element of an array, or else of the request.
std::string request_in(const Json& row) {
  const std::string element = text_in(row, "element");
  return element.empty() ? text_in(row, "request") : element;
}

std::vector<std::string> users_of(const Json& lease) {
  std::vector<std::string> users;
  for (const Json& one : rows_in(lease, "handed_out")) users.push_back(request_in(one));
  return users;
}

/// Visits each object with a request: the leases, and what they are handed out to.
template <class Site, class Visit>
void each_request(Site& site, Visit visit) {
  const auto leases = site.find("leases");
  if (leases == site.end() || !leases->is_array()) return;
  for (auto& lease : *leases) {
    if (!lease.is_object()) continue;
    visit(lease);
    const auto users = lease.find("handed_out");
    if (users == lease.end() || !users->is_array()) continue;
    for (auto& user : *users)
      if (user.is_object()) visit(user);
  }
}

std::string user_of(const RequestId& id) { return id.site.text + "/" + std::string(id.user.view()); }

/// The requests that use each lease now, as its sink says.
std::map<std::string, std::vector<std::string>> users_by_lease(const std::vector<Json>& sites) {
  std::map<std::string, std::vector<std::string>> users;
  for (const Json& site : sites)
    for (const Json& lease : rows_in(site, "leases"))
      if (text_in(lease, "to").empty()) users[text_in(lease, "lease")] = users_of(lease);
  return users;
}

/// What a lease serves now: the request that uses it, or, while it is held, the request that it was granted for. Empty
/// if it waits idle for the next request, or serves several.
std::string purpose_of(const Json& lease) {
  const std::vector<std::string> users = users_of(lease);
  if (users.empty()) return number_in<std::uint64_t>(lease, "jobs") > 0 ? std::string() : request_in(lease);
  return users.size() == 1 ? users.front() : std::string();
}

/// "alpha#4, 16 processors in use".
std::string part_text(const Json& lease) {
  const bool is_used = !rows_in(lease, "handed_out").empty();
  std::string text = shown(lease, "lease") + ", " +
                     count_text(number_in<std::uint64_t>(lease, "processors"), "processor") +
                     (is_used ? " in use" : " held");
  const std::string left = seconds_in(lease, "from_seconds_left");
  return left.empty() ? text : text + ", for " + left + " more if not renewed";
}

/// A line for each job with several leases, then a line for each lease, as the home site has them.
std::string jobs_with_several(const std::vector<Json>& sites) {
  std::map<std::string, std::vector<const Json*>> by_job;
  for (const Json& site : sites)
    if (const auto leases = site.find("leases"); leases != site.end() && leases->is_array())
      for (const Json& lease : *leases)
        if (const std::string job = purpose_of(lease); text_in(lease, "to").empty() && !job.empty())
          by_job[job].push_back(&lease);
  std::string text;
  for (const auto& [job, leases] : by_job) {
    if (leases.size() < 2) continue;
    std::uint64_t processors = 0;
    for (const Json* lease : leases) processors += number_in<std::uint64_t>(*lease, "processors");
    text += harmless(job) + " has " + count_text(leases.size(), "lease") + " with " +
            count_text(processors, "processor") + ":\n";
    for (const Json* lease : leases) text += "  " + part_text(*lease) + "\n";
  }
  return text;
}

}  // namespace

JobsOfUsers jobs_of_leases(const std::vector<Json>& sites, std::size_t most) {
  JobsOfUsers jobs;
  for (const Json& site : sites)
    each_request(site, [&](const Json& row) {
      const auto id = parse_request_id(text_in(row, "request"));
      if (!id) return;
      std::set<std::uint64_t>& of_user = jobs[user_of(*id)];
      if (of_user.size() < most) of_user.insert(id->job);
    });
  return jobs;
}

void name_elements(std::vector<Json>& sites, const ElementNames& names) {
  for (Json& site : sites)
    each_request(site, [&](Json& row) {
      const auto id = parse_request_id(text_in(row, "request"));
      if (!id) return;
      const auto name = names.find(user_of(*id) + "/" + std::to_string(id->job));
      if (name != names.end()) row["element"] = name->second;
    });
}

std::string render_leases(const std::vector<Json>& sites, const Style& style) {
  Table table({{"site"},
               {"lease"},
               {"state"},
               {"from"},
               {"to"},
               {"processors", true},
               {"left", true},
               {"likely free for", true},
               {"granted for", false, true},
               {"used by", false, true},
               {"chain", false, true}});
  const auto users = users_by_lease(sites);
  for (const Json& site : sites)
    for (const Json& lease : rows_in(site, "leases")) {
      const bool lasts_by_source = has_number(lease, "from_seconds_left");
      const auto used = users.find(text_in(lease, "lease"));
      table.add({shown(site, "site"), shown(lease, "lease"),
                 shown(lease, "state") + (flag_in(lease, "wanted") ? ", wanted back" : ""), shown(lease, "from"),
                 shown(lease, "to"), count_in(lease, "processors"),
                 seconds_in(lease, lasts_by_source ? "from_seconds_left" : "to_seconds_left"),
                 seconds_in(lease, "expected_seconds_left"), harmless(request_in(lease)),
                 used == users.end() ? std::string() : joined(used->second, ", "),
                 joined(texts_in(lease, "chain"), style.pick(" → ", " > "))});
    }
  std::string text = table.empty() ? "no leases\n" : table.text(style);
  if (const std::string jobs = jobs_with_several(sites); !jobs.empty()) text += "\n" + jobs;
  for (const Json& site : sites) {
    const std::size_t total = number_in<std::size_t>(site, "total"), listed = rows_in(site, "leases").size();
    if (listed < total)
      text += shown(site, "site") + ": " + grouped(total - listed) + " more leases aren't shown\n";
  }
  return text;
}

std::string render_usage(const std::vector<Json>& sites, bool records, const Style& style) {
  Table sums({{"site"}, {"direction"}, {"with"}, {"ended", true}, {"running", true}, {"processor-hours", true}});
  Table list({{"site"},
              {"lease"},
              {"direction"},
              {"with"},
              {"processors", true},
              {"processor-seconds", true},
              {"request", false, true}});
  for (const Json& site : sites) {
    for (const Json& sum : rows_in(site, "sums")) {
      const double processor_seconds =
          number_in<double>(sum, "processor_seconds") + number_in<double>(sum, "running_processor_seconds");
      sums.add({shown(site, "site"), shown(sum, "direction"), shown(sum, "site"), count_in(sum, "records"),
                count_in(sum, "running"), decimal(processor_seconds / 3600, 3)});
    }
    for (const Json& record : rows_in(site, "records"))
      list.add({shown(site, "site"), shown(record, "lease"), shown(record, "direction"), shown(record, "site"),
                count_in(record, "processors"), decimal(number_in<double>(record, "processor_seconds"), 1),
                shown(record, "request")});
  }
  const Table& table = records ? list : sums;
  return table.empty() ? "no use on record\n" : table.text(style);
}

std::vector<Json> nodes_that_pass(const std::vector<Json>& sites, const NodeFilter& filter) {
  std::vector<Json> rows;
  for (const Json& site : sites)
    for (Json row : rows_in(site, "nodes")) {
      const bool has_state = filter.states.empty() || std::ranges::count(filter.states, text_in(row, "state")) > 0;
      const auto is = [&](const char* key, const std::string& wanted) {
        return wanted.empty() || text_in(row, key) == wanted;
      };
      const bool fits = is("resource_manager", filter.resource_manager) && is("cluster", filter.cluster);
      if (!has_state || !fits) continue;
      Json whole{{"site", text_in(site, "site")}};
      whole.update(row);
      rows.push_back(std::move(whole));
    }
  return rows;
}

/// A line for each site at which jobs of different sites run under one account. Older managers don't say that.
static std::string shared_accounts(const std::vector<Json>& rows, const Style& style) {
  constexpr std::size_t names_max = 8;
  std::map<std::string, std::set<std::string>> managers;
  for (const Json& row : rows)
    if (row.value("users_apart", Json()) == Json(false))
      managers[shown(row, "site")].insert(shown(row, "resource_manager"));
  std::string text;
  for (const auto& [site, names] : managers) {
    const std::size_t told = std::min(names.size(), names_max);
    const std::vector<std::string> first(names.begin(),
                                         std::next(names.begin(), static_cast<std::ptrdiff_t>(told)));
    std::string line =
        site + ": jobs of all sites run under one account, without separation, at " + joined(first, ", ");
    if (told < names.size()) line += " and " + std::to_string(names.size() - told) + " more resource managers";
    for (const std::string& part : folded(line, style.columns)) text += part + '\n';
  }
  return text;
}

std::vector<std::string> clusters_aside_in(const Json& site) {
  std::vector<std::string> lines;
  for (const Json& one : rows_in(site, "clusters_aside"))
    lines.push_back("places no jobs on cluster " + shown(one, "site") + "/" + shown(one, "cluster") + " for " +
                    length_text(number_in<double>(one, "seconds_left")) + ", since its hosts failed " +
                    count_text(number_in<std::uint64_t>(one, "failures"), "job") + " in a row");
  return lines;
}

std::string render_clusters_aside(const std::vector<Json>& sites, const Style& style) {
  std::string text;
  for (const Json& site : sites)
    for (const std::string& line : clusters_aside_in(site))
      for (const std::string& part : folded(shown(site, "site") + ": " + line, style.columns)) text += part + '\n';
  return text;
}

std::string render_nodes(const std::vector<Json>& rows, const Style& style, const char* none) {
  Table table({{"site"},
               {"resource manager", false, true},
               {"cluster"},
               {"nodes", false, true},
               {"state"},
               {"processors", true},
               {"lease"},
               {"lent to"},
               {"used by", false, true},
               {"reason", false, true}});
  const auto ink_of = [](const std::string& state) {
    if (state == "down" || state == "set_aside") return Ink::red;
    return state == "free" ? Ink::green : Ink::plain;
  };
  for (const Json& row : rows) {
    const std::string state = text_in(row, "state");
    table.add({shown(row, "site"), shown(row, "resource_manager"), shown(row, "cluster"), shown(row, "nodes"),
               style.paint(ink_of(state), harmless(words_of(state))), count_in(row, "processors"),
               shown(row, "lease"), shown(row, "to"), joined(texts_in(row, "requests"), ", "),
               shown(row, "reason")});
  }
  return table.empty() ? none : table.text(style) + shared_accounts(rows, style);
}

}  // namespace dmm
