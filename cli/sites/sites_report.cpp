#include "cli/sites/sites_report.hpp"

#include <algorithm>

#include "cli/sites/leases_report.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "protocol/given_back.hpp"
#include "protocol/session_messages.hpp"

namespace dmm {
namespace {

/// Empty if the site has no processors.
std::string load_in(const Json& site) {
  const bool is_known = has_number(site, "load") && number_in<std::uint64_t>(site, "processors") > 0;
  return is_known ? decimal(number_in<double>(site, "load"), 2) : "-";
}

void add_site(Table& table, const Json& site, const Style& style) {
  if (!flag_in(site, "up")) return table.add({shown(site, "site"), style.paint(Ink::red, "down")});
  const std::vector<std::string> ancestors = texts_in(site, "ancestors");
  table.add({shown(site, "site"), style.paint(Ink::green, "up"),
             ancestors.empty() ? "" : harmless(ancestors.front()), count_in(site, "processors"),
             count_in(site, "processors_busy"), count_in(site, "processors_lent"),
             count_in(site, "processors_borrowed"), load_in(site), count_in(site, "requests_waiting"),
             count_in(site, "requests_out")});
}

std::string heard_text(const Json& link) {
  const bool was_heard = has_number(link, "heard_seconds_ago");
  return was_heard ? length_text(number_in<double>(link, "heard_seconds_ago")) + " ago" : "never";
}

void add_links(Table& table, const Json& site, const Style& style) {
  for (const Json& link : rows_in(site, "links"))
    table.add({shown(site, "site"), shown(link, "site"), shown(link, "relation"),
               flag_in(link, "up") ? style.paint(Ink::green, "up") : style.paint(Ink::red, "down"),
               count_in(link, "leases_in"), count_in(link, "leases_out"), count_in(link, "delegations_sent"),
               count_in(link, "grants_received"), count_in(link, "rejects_received"),
               count_in(link, "outstanding") + "/" + count_in(link, "window"), shown(link, "software"),
               heard_text(link), shown(link, "last_error")});
}

/// Adds the neighbours that have borrowed from the site, or want to.
void add_borrowers(Table& table, const Json& site) {
  for (const Json& link : rows_in(site, "links")) {
    const Json borrower = object_in(link, "borrower");
    const double served = number_in<double>(borrower, "served_processor_seconds");
    const bool is_silent = number_in<std::uint64_t>(borrower, "processors") == 0 &&
                           number_in<std::uint64_t>(borrower, "wants") == 0 && served == 0;
    if (is_silent) continue;
    const double kept_off = number_in<double>(borrower, "kept_off_seconds");
    const bool has_turn = !text_in(link, "site").empty() && text_in(site, "turn") == text_in(link, "site");
    table.add({shown(site, "site"), shown(link, "site"), decimal(number_in<double>(borrower, "weight", 1.0), 2),
               count_in(borrower, "processors"), count_in(borrower, "wants"), decimal(served, 0),
               kept_off > 0 ? "lent nothing for " + length_text(kept_off)
               : has_turn   ? "is next"
                            : ""});
  }
}

/// Frames that are refused in a healthy grid, too: those of clients that left or asked for a name, and of links that
/// went down.
bool is_harmless(const std::string& what) {
  return what == "undeliverable" || what == "wrong_receiver" || what == "relay_dropped";
}

/// Refused frames by kind: "12 relays, 1 grant".
std::string counts_text(const Json& counts) {
  std::string text;
  for (const auto& [what, count] : counts.items())
    if (count.is_number() && !is_harmless(what))
      text += (text.empty() ? "" : ", ") + grouped(count.get<std::uint64_t>()) + " " + harmless(what);
  return text;
}

/// Lines that say what is wrong, one below the other.
class Notices {
 public:
  Notices(std::string site, std::size_t columns) : site_(std::move(site)), columns_(columns) {}

  void say(const std::string& what) { say_of(site_, what); }
  void say_of(const std::string& subject, const std::string& what) {
    for (const std::string& line : folded(subject + ": " + what, columns_)) text_ += line + '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string site_;
  std::size_t columns_;
  std::string text_;
};

/// Whether the resource manager has left after it gave its nodes back to the users of their host.
bool has_given_back(const Json& manager) {
  return !flag_in(manager, "up", true) && text_in(manager, "set_aside_why") == given_back_text;
}

void say_dead_managers(Notices& notices, const Json& site) {
  for (const Json& manager : rows_in(site, "resource_managers")) {
    const std::string name = shown(site, "site") + "/" + shown(manager, "name");
    const std::string nodes = count_text(number_in<std::uint64_t>(manager, "nodes"), "node");
    if (!flag_in(manager, "up", true) && !has_given_back(manager))
      notices.say_of(name, "this resource manager is down" +
                               std::string(flag_in(manager, "registered", true)
                                               ? ""
                                               : ", and hasn't come since its site manager was started") +
                               ": nothing starts on its " + nodes + "; `dmm nodes --site " + shown(site, "site") +
                               "` shows them");
  }
}

/// Says what keeps nodes from being used.
void say_unused(Notices& notices, const Json& site) {
  const std::string name = shown(site, "site");
  for (const std::string& cluster : texts_in(site, "unknown_clusters"))
    notices.say("the size of cluster " + harmless(cluster) +
                " isn't known: give its \"nodes\" in the site's configuration");
  for (const Json& manager : rows_in(site, "resource_managers"))
    if (const std::string nodes = shown(manager, "set_aside"); !nodes.empty() && !has_given_back(manager))
      notices.say_of(name + "/" + shown(manager, "name"),
                     "nodes " + nodes + " are set aside: " + shown(manager, "set_aside_why"));
  for (const std::string& one : texts_in(site, "drained")) {
    const std::string drained = harmless(one);
    const bool is_neighbour = std::ranges::any_of(rows_in(site, "links"),
                                                  [&](const Json& link) { return text_in(link, "site") == one; });
    notices.say((drained == name
                     ? "drained, nothing new starts on its nodes"
                     : "lends nothing more to " + drained + (is_neighbour ? "" : ", which is no neighbour")) +
                "; `dmm resume " + drained + " --site " + name + "` ends that");
  }
}

/// Says on which clusters of other sites the site places no jobs of its users.
void say_clusters_aside(Notices& notices, const Json& site) {
  for (const std::string& line : clusters_aside_in(site)) notices.say(line);
}

/// Says what the site refused, and which strangers want to speak with it.
void say_refusals(Notices& notices, const Json& site) {
  for (const Json& link : rows_in(site, "links"))
    if (const std::string refused = counts_text(object_in(link, "refused")); !refused.empty())
      notices.say("refused messages of " + shown(link, "site") + ": " + refused);
  if (const std::string refused = counts_text(object_in(site, "refused")); !refused.empty())
    notices.say("refused frames: " + refused);
  for (const Json& stranger : rows_in(site, "strangers")) {
    const std::string why = shown(stranger, "why");
    const bool is_unknown = why.empty() || why == not_admitted;
    notices.say(shown(stranger, "peer") + " tries to connect and isn't admitted, the last time " +
                length_text(number_in<double>(stranger, "last_seconds_ago")) + " ago: " +
                (is_unknown ? "to admit it, add it to `links` or `users` of " + shown(site, "site") : why));
  }
}

/// Names certificates that expire within two weeks.
void say_expiring(Notices& notices, const Json& site) {
  for (const Json& link : rows_in(site, "expiring"))
    notices.say("the certificate of " + shown(link, "peer") + " expires in " +
                length_text(std::max(0.0, number_in<double>(link, "certificate_left_seconds"))) +
                ": `dmm certify` makes another one, which it shows once it is restarted");
}

std::string notices_of(const Json& site, const Style& style) {
  Notices notices(shown(site, "site"), style.columns);
  say_dead_managers(notices, site);
  say_unused(notices, site);
  say_clusters_aside(notices, site);
  say_refusals(notices, site);
  say_expiring(notices, site);
  const Json left_out = object_in(site, "left_out");
  for (const auto& [list, count] : left_out.items()) {
    std::string what = harmless(list);
    std::ranges::replace(what, '_', ' ');
    if (count.is_number()) notices.say(grouped(count.get<std::uint64_t>()) + " more " + what + " aren't shown");
  }
  return notices.take();
}

}  // namespace

Json session_with(const Json& links, const std::string& site) {
  for (const Json& link : rows_in(links, "links"))
    if (text_in(link, "role") == "sitemgr" && text_in(link, "site") == site) return link;
  return Json::object();
}

Json site_with_sessions(Json site, const Json& links) {
  site["up"] = true;
  if (const auto list = site.find("links"); list != site.end() && list->is_array())
    for (Json& link : *list) {
      if (!link.is_object()) continue;
      const Json session = session_with(links, text_in(link, "site"));
      for (const char* key :
           {"software", "heard_seconds_ago", "unacknowledged", "kept_bytes", "given_up", "last_error"})
        link[key] = session.value(key, Json());
    }
  for (const char* key : {"strangers", "refused", "kept_bytes"}) site[key] = links.value(key, Json());
  constexpr double two_weeks = 14 * 86'400.0;
  for (const Json& link : rows_in(links, "links"))
    if (number_in<double>(link, "certificate_left_seconds", two_weeks) < two_weeks)
      site["expiring"].push_back(
          {{"peer", text_in(link, "peer")}, {"certificate_left_seconds", link["certificate_left_seconds"]}});
  return site;
}

Json site_without_answer(const std::string& site, const std::string& fault) {
  return {{"site", site}, {"up", false}, {"fault", fault}};
}

bool is_anything_down(const std::vector<Json>& sites) {
  return std::ranges::any_of(sites, [](const Json& site) {
    const auto is_down = [](const Json& one) { return !flag_in(one, "up", true); };
    const auto is_lost = [&](const Json& one) { return is_down(one) && !has_given_back(one); };
    return is_down(site) || std::ranges::any_of(rows_in(site, "links"), is_down) ||
           std::ranges::any_of(rows_in(site, "resource_managers"), is_lost);
  });
}

std::string render_sites(const std::vector<Json>& sites, const Style& style) {
  Table site_table({{"site"},
                    {"state"},
                    {"parent"},
                    {"processors", true},
                    {"busy", true},
                    {"lent", true},
                    {"borrowed", true},
                    {"load", true},
                    {"waiting", true},
                    {"delegated", true}});
  Table link_table({{"link of"},
                    {"to"},
                    {"relation"},
                    {"state"},
                    {"leases in", true},
                    {"leases out", true},
                    {"asked", true},
                    {"granted", true},
                    {"rejected", true},
                    {"window", true},
                    {"version"},
                    {"heard", true},
                    {"last error", false, true}});
  Table borrower_table({{"owner"},
                        {"borrower"},
                        {"weight", true},
                        {"has", true},
                        {"wants", true},
                        {"processor s / weight", true},
                        {""}});
  std::string notices;
  for (const Json& site : sites) {
    add_site(site_table, site, style);
    add_links(link_table, site, style);
    add_borrowers(borrower_table, site);
    notices += notices_of(site, style);
  }
  std::string text = site_table.text(style);
  if (!link_table.empty()) text += "\n" + link_table.text(style);
  if (!borrower_table.empty()) text += "\n" + borrower_table.text(style);
  return text + (notices.empty() ? "" : "\n") + notices;
}

}  // namespace dmm
