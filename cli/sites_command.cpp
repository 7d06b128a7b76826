// `dmm sites`: the state of every site and of every link, each as that site sees it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/figures.hpp"
#include "cli/questions.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

struct SitesOptions {
  ManagerOptions manager;
  bool json = false;
};

std::uint64_t number_in(const Json& json, const char* key) { return json.value(key, std::uint64_t{0}); }
std::string text_in(const Json& json, const char* key) { return harmless(json.value(key, std::string())); }
std::string count_in(const Json& json, const char* key) { return grouped(number_in(json, key)); }

/// The session with a neighbouring site, by the site's name; null if there is none.
Json session_with(const Json& links, const std::string& site) {
  for (const Json& link : links.value("links", Json::array()))
    if (link.value("role", "") == "sitemgr" && link.value("site", "") == site) return link;
  return nullptr;
}

/// One object a site: the answer to "site", its links completed with what the sessions know.
Json merged(const Answered& site, const Answered& links) {
  if (const std::string& fault = site.fault.empty() ? links.fault : site.fault; !fault.empty())
    return {{"site", site.manager.party.site.text}, {"up", false}, {"fault", fault}};
  Json json = site.json;
  json["up"] = true;
  for (Json& link : json["links"]) {
    const Json session = session_with(links.json, link.value("site", ""));
    for (const char* key : {"software", "heard_seconds_ago", "unacknowledged", "kept_bytes", "given_up", "last_error"})
      link[key] = session.is_object() ? session.value(key, Json()) : Json();
  }
  for (const char* key : {"strangers", "refused", "kept_bytes"}) json[key] = links.json.value(key, Json());
  return json;
}

/// Nothing where there are no processors to be loaded.
std::string load_in(const Json& site) {
  const auto load = site.find("load");
  return load != site.end() && load->is_number() ? decimal(load->get<double>(), 2) : "-";
}

void add_site(Table& table, const Json& site, const Style& style) {
  if (!site.value("up", false)) {
    table.add({text_in(site, "site"), style.paint(Ink::red, "down")});
    return;
  }
  const Json ancestors = site.value("ancestors", Json::array());
  table.add({text_in(site, "site"), style.paint(Ink::green, "up"),
             ancestors.empty() ? "" : harmless(ancestors[0].get<std::string>()), count_in(site, "processors"),
             count_in(site, "processors_busy"), count_in(site, "processors_lent"),
             count_in(site, "processors_borrowed"), load_in(site),
             count_in(site, "requests_waiting"), count_in(site, "requests_out"), count_in(site, "leases_in"),
             count_in(site, "leases_out")});
}

std::string heard_text(const Json& link) {
  const auto heard = link.find("heard_seconds_ago");
  return heard != link.end() && heard->is_number() ? length_text(heard->get<double>()) + " ago" : "never";
}

void add_links(Table& table, const Json& site, const Style& style) {
  for (const Json& link : site.value("links", Json::array())) {
    const bool up = link.value("up", false);
    const Json software = link.value("software", Json());
    const Json error = link.value("last_error", Json());
    table.add({text_in(site, "site"), text_in(link, "site"), text_in(link, "relation"),
               up ? style.paint(Ink::green, "up") : style.paint(Ink::red, "down"), count_in(link, "leases_in"),
               count_in(link, "leases_out"), count_in(link, "delegations_sent"), count_in(link, "grants_received"),
               count_in(link, "rejects_received"), count_in(link, "outstanding") + "/" + count_in(link, "window"),
               software.is_string() ? harmless(software.get<std::string>()) : "", heard_text(link),
               error.is_string() ? harmless(error.get<std::string>()) : ""});
  }
}

/// Who has borrowed of the site, or would like to.
void add_borrowers(Table& table, const Json& site) {
  for (const Json& link : site.value("links", Json::array())) {
    const Json borrower = link.value("borrower", Json::object());
    const bool is_silent = number_in(borrower, "processors") == 0 && number_in(borrower, "wants") == 0 &&
                           borrower.value("served_processor_seconds", 0.0) == 0;
    if (is_silent) continue;
    const double kept_off = borrower.value("kept_off_seconds", 0.0);
    const bool has_turn = site.value("turn", Json()) == link.value("site", Json());
    table.add({text_in(site, "site"), text_in(link, "site"), decimal(borrower.value("weight", 1.0), 2),
               count_in(borrower, "processors"), count_in(borrower, "wants"),
               decimal(borrower.value("served_processor_seconds", 0.0), 0),
               kept_off > 0 ? "lent nothing for " + length_text(kept_off) : has_turn ? "is next" : ""});
  }
}

/// What was refused, by what it was: "12 relays, 1 grant".
std::string counts_text(const Json& counts) {
  std::string text;
  for (const auto& [what, count] : counts.items())
    text += (text.empty() ? "" : ", ") + grouped(count.get<std::uint64_t>()) + " " + harmless(what);
  return text;
}

/// What was said to the site that it doesn't believe, and who would like to speak with it.
void print_refusals(const Json& site) {
  const std::string name = text_in(site, "site");
  for (const Json& link : site.value("links", Json::array()))
    if (const Json refused = link.value("refused", Json::object()); !refused.empty())
      std::printf("%s: refused of what %s said: %s\n", name.c_str(), text_in(link, "site").c_str(),
                  counts_text(refused).c_str());
  if (const Json refused = site.value("refused", Json::object()); refused.is_object() && !refused.empty())
    std::printf("%s: refused frames: %s\n", name.c_str(), counts_text(refused).c_str());
  for (const Json& stranger : site.value("strangers", Json::array()))
    std::printf("%s: %s knocks and isn't let in, the last time %s ago; its configuration says who is\n", name.c_str(),
                text_in(stranger, "peer").c_str(), length_text(stranger.value("last_seconds_ago", 0.0)).c_str());
}

/// How many rows of its lists a site left out, since its answer would have been too long.
void print_left_out(const Json& site) {
  for (const auto& [list, count] : site.value("left_out", Json::object()).items()) {
    std::string what = harmless(list);
    std::ranges::replace(what, '_', ' ');
    std::printf("%s: %s more %s aren't shown\n", text_in(site, "site").c_str(),
                grouped(count.get<std::uint64_t>()).c_str(), what.c_str());
  }
}

/// What keeps nodes from being used, a line each.
void print_notices(const Json& site) {
  for (const Json& cluster : site.value("unknown_clusters", Json::array()))
    std::printf("%s: how large cluster %s is isn't known: give its \"nodes\" in the site's configuration\n",
                text_in(site, "site").c_str(), harmless(cluster.get<std::string>()).c_str());
  for (const Json& manager : site.value("resource_managers", Json::array()))
    if (const std::string nodes = text_in(manager, "set_aside"); !nodes.empty())
      std::printf("%s/%s: nodes %s are set aside: %s\n", text_in(site, "site").c_str(),
                  text_in(manager, "name").c_str(), nodes.c_str(), text_in(manager, "set_aside_why").c_str());
  for (const Json& drained : site.value("drained", Json::array())) {
    const std::string name = harmless(drained.get<std::string>());
    const bool self = name == text_in(site, "site");
    std::printf("%s: %s; `dmm resume %s --site %s` ends that\n", text_in(site, "site").c_str(),
                self ? "drained, nothing new starts on its nodes" : ("lends nothing more to " + name).c_str(),
                name.c_str(), text_in(site, "site").c_str());
  }
}

int run(const SitesOptions& options) {
  auto chosen = choose_managers(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("sites", *fault);
  const auto& managers = std::get<std::vector<Manager>>(chosen);
  const auto answers = ask_all(managers, std::vector<std::string>{"site", "links"});
  const std::vector<Answered>&sites = answers[0], &links = answers[1];
  Json list = Json::array();
  for (std::size_t i = 0; i < managers.size(); ++i) list.push_back(merged(sites[i], links[i]));
  int code = 0;
  for (const Json& site : list)
    if (!site.value("up", false)) code = 1;
  if (options.json) return print_json({{"sites", std::move(list)}}), code;
  const Style style = style_of(STDOUT_FILENO);
  Table site_table({{"site"},
                    {"state"},
                    {"parent"},
                    {"processors", true},
                    {"busy", true},
                    {"lent", true},
                    {"borrowed", true},
                    {"load", true},
                    {"waiting", true},
                    {"delegated", true},
                    {"leases in", true},
                    {"out", true}});
  Table link_table({{"link of"},
                    {"to"},
                    {"relation"},
                    {"state"},
                    {"leases in", true},
                    {"out", true},
                    {"asked", true},
                    {"granted", true},
                    {"rejected", true},
                    {"window", true},
                    {"version"},
                    {"heard", true},
                    {"last error"}});
  Table borrower_table({{"owner"},
                        {"borrower"},
                        {"weight", true},
                        {"has", true},
                        {"wants", true},
                        {"processor s / weight", true},
                        {""}});
  for (const Json& site : list) {
    add_site(site_table, site, style);
    add_links(link_table, site, style);
    add_borrowers(borrower_table, site);
  }
  std::printf("%s", site_table.text(style).c_str());
  if (!link_table.empty()) std::printf("\n%s", link_table.text(style).c_str());
  if (!borrower_table.empty()) std::printf("\n%s", borrower_table.text(style).c_str());
  for (const Json& site : list) print_notices(site), print_refusals(site), print_left_out(site);
  for (const Answered& site : sites)
    if (!site.fault.empty()) fail("sites", {site.fault, 1});
  return code;
}

}  // namespace

CLI::App* add_sites_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("sites", "Show the state of every site and link");
  auto options = std::make_shared<SitesOptions>();
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "A link is shown from both ends. \"leases in\" came over it, \"out\" went over it; \"window\" is how\n"
      "many delegations are under way on it, of how many may be. Borrowers with less \"processor s / weight\"\n"
      "are served first where there isn't enough for all.\n"
      "\n"
      "Examples:\n"
      "  dmm sites\n"
      "  dmm sites --site das-0\n"
      "  dmm sites --sitemgr tcp://head.example.org:7700 --as-site das-0 --json\n");
  command->callback([options, &exit_code] { exit_code = run(*options); });
  return command;
}

}  // namespace dmm
