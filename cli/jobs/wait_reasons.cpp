#include "cli/jobs/wait_reasons.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"

namespace dmm {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

template <std::size_t size>
std::string_view find_words(const std::array<Words, size>& table, std::string_view word) {
  const auto found = std::ranges::find(table, word, &Words::first);
  return found == table.end() ? std::string_view() : found->second;
}

std::string processors_text(const Json& json, const char* key) {
  return count_text(number_in<std::uint64_t>(json, key), "processor");
}

std::string unknown_reason(const std::string& reason) {
  return "gives a reason that this program doesn't know: " + harmless(reason);
}

// ---- at home -------------------------------------------------------------------------------------------------------

/// What keeps the request from its own site's nodes; empty for a site of a version that doesn't say.
std::string here_sentence(const Json& answer) {
  const Json here = object_in(answer, "here");
  const std::string reason = text_in(here, "reason"), what = shown(here, "what"), site = shown(answer, "site");
  const std::string widest = processors_text(answer, "widest");
  if (reason.empty()) return {};
  if (reason == "drained") return site + " is drained: nothing new starts on its nodes.";
  if (reason == "no_nodes") return site + " has no nodes of its own.";
  if (reason == "no_attribute") return "Too few nodes of " + site + ", or none, have " + what + ".";
  if (reason == "too_little_memory") {
    const double bytes = number_in<double>(answer, "memory_bytes");
    return "Too few nodes of " + site + ", or none, have " + decimal(bytes / 1e6, 0) + " MB of memory.";
  }
  if (reason == "too_wide") return "No cluster of " + site + " has " + widest + ": " + what + ".";
  if (reason == "over_quota")
    return "A quota of " + site + " leaves no room for " + widest + ", and whole nodes are leased: " + what + ".";
  if (reason == "apart")
    return "Its components fit into the clusters of " + site + " one by one, but not together.";
  if (reason == "nodes_down")
    return "Too few nodes of " + site + " are there, since resource managers are down: " + what + ".";
  if (reason == "nodes_missing")
    return "The resource managers of " + site + " offer fewer nodes than its configuration says: " + what + ".";
  if (reason == "nodes_aside")
    return "Too few nodes of " + site + " may be used, since other nodes are set aside: " + what + ".";
  const auto idle = number_in<std::uint64_t>(answer, "idle");
  return idle < number_in<std::uint64_t>(answer, "widest")
             ? "The nodes of " + site + " that it could use are in use: " + count_text(idle, "processor") +
                   (idle == 1 ? " is" : " are") + " idle in one cluster at most."
             : std::string();
}

/// Which requests and borrowers have the nodes that the job waits for, and for how long yet.
void add_holders(std::vector<std::string>& lines, const Json& answer) {
  const std::vector<Json> holders = rows_in(answer, "holders");
  const std::string reason = text_in(object_in(answer, "here"), "reason");
  // If the job can never run here, the holders' nodes would be of no use to it.
  const bool is_of_no_use = reason == "too_wide" || reason == "over_quota" || reason == "apart" ||
                            reason == "no_attribute" || reason == "too_little_memory";
  if (holders.empty() || is_of_no_use) return;
  lines.push_back("These have nodes of " + shown(answer, "site") + " that it could use:");
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < holders.size() && i < most; ++i) {
    const Json& one = holders[i];
    const std::string request = shown(one, "request"), to = shown(one, "to");
    std::string holder = request.empty() ? "lease " + shown(one, "lease") : request;
    if (!to.empty()) holder = to + " (lease " + shown(one, "lease") + ", for " + holder + ")";
    std::string line = "  " + holder + ": " + processors_text(one, "processors") + " for " +
                       length_text(number_in<double>(one, "held_seconds"));
    if (flag_in(one, "cleaning"))
      line += "; it is over, and the nodes are being cleaned";
    else if (has_number(one, "seconds_left"))
      line += ", and for " + length_text(number_in<double>(one, "seconds_left")) + " more at most";
    else
      line += ", until it ends";
    lines.push_back(std::move(line));
  }
  const std::size_t more = (holders.size() > most ? holders.size() - most : 0) +
                           number_in<std::size_t>(object_in(answer, "left_out"), "holders");
  if (more > 0)
    lines.push_back("  and " + grouped(more) + " more (`dmm leases --site " + shown(answer, "site") + "`)");
}

// ---- elsewhere -----------------------------------------------------------------------------------------------------

/// Whether only its DTTL keeps the request from neighbours. A site without neighbours asks none anyway.
bool may_not_travel(const Json& answer) {
  return has_number(answer, "dttl") && number_in<std::uint64_t>(answer, "dttl") == 0 &&
         !rows_in(answer, "neighbours").empty();
}

std::string sentence_for(const std::string& reason, const Json& answer) {
  const std::string threshold = decimal(number_in<double>(answer, "threshold"), 2);
  const std::string load = decimal(number_in<double>(answer, "load"), 2);
  if (reason == "no_free_nodes")
    return "No other site is asked, since the load of its site (" + load +
           ") is not above the delegation threshold (" + threshold + ").";
  if (reason == "behind_earlier") {
    const std::string behind = shown(answer, "behind");
    return "An earlier request has nodes reserved, or blocks the queue" +
           (behind.empty() ? "." : ": " + behind + ".");
  }
  if (reason == "asking_neighbour") {
    const std::string asking = shown(answer, "asking");
    return "Its site has asked a neighbour" + (asking.empty() ? "" : ", " + asking + ",") +
           " and waits for the answer.";
  }
  if (reason == "pausing")
    return "No site could serve it in the last round, by answer or by hint; a new round starts when a hint shows "
           "capacity, or in " +
           length_text(number_in<double>(answer, "pause_left_seconds")) + ".";
  if (reason == "no_neighbour") {
    return may_not_travel(answer) ? "No other site is asked, since the request may not travel (DTTL 0)."
                                  : "There is no site to ask: its own has no neighbour, or doesn't delegate.";
  }
  static constexpr std::array<Words, 9> table{{
      {"awaiting_files",
       "It is placed where its files go first; its nodes are claimed when these are nearly there."},
      {"gathering", "Its parts are being gathered at several sites; it starts when all are held and claimed."},
      {"none", "It doesn't wait: it has nodes, or will have them at once."},
      {"window_full", "The windows of all neighbours that may serve it are full of delegations under way."},
      {"neighbours_unknown",
       "No known site could ever serve it, but not all neighbours have told yet what nodes they have."},
      {"drained",
       "Its site is drained, so nothing new starts on its nodes, and no other site within reach has room."},
      {"awaiting_hint",
       "No site within reach has room for it, by their hints; the first that has is asked at once."},
      {"next_cycle", "It waits for the next matchmaking or delegation cycle of its site."},
      {"", "Its site gives no reason."},
  }};
  const std::string_view words = find_words(table, reason);
  return words.empty() ? "Its site " + unknown_reason(reason) + "." : std::string(words);
}

/// The limit of a neighbour for its borrower, with the name of the setting.
std::string limit_text(const std::string& borrower, std::uint64_t most) {
  return "lends " + harmless(borrower) + " at most " + count_text(most, "processor") +
         " at once (\"processors\" in its \"limits\")";
}

/// The limit of a link that forbids lending `processors` more to `asker`; empty if none does.
std::string limit_reached_of(const Json& link, const std::string& asker, std::uint64_t processors) {
  const Json borrower = object_in(link, "borrower");
  const auto leases_max = number_in<std::uint64_t>(borrower, "leases_max");
  if (leases_max > 0 && number_in<std::uint64_t>(link, "leases_out") >= leases_max)
    return "it lends " + harmless(asker) + " at most " + count_text(leases_max, "lease") +
           " at a time (\"leases\" in its \"limits\"), and has lent that many";
  const auto most = number_in<std::uint64_t>(borrower, "processors_max");
  const auto has = number_in<std::uint64_t>(borrower, "processors");
  if (most == 0 || has + processors <= most) return {};
  return "it " + limit_text(asker, most) + ", and " + harmless(asker) + " has " + grouped(has);
}

/// What the site itself says. Its hint only says that there is no room for the asking site.
std::string seen_of(const Json& site, const std::string& asker, std::uint64_t processors) {
  const std::vector<std::string> drained = texts_in(site, "drained");
  if (std::ranges::count(drained, text_in(site, "site")) > 0) return "it is drained";
  if (std::ranges::count(drained, asker) > 0) return "it is drained for " + harmless(asker);
  for (const Json& link : rows_in(site, "links")) {
    if (text_in(link, "site") != asker) continue;
    if (const double left = number_in<double>(object_in(link, "borrower"), "kept_off_seconds"); left > 0)
      return "it lends " + harmless(asker) + " nothing for " + length_text(left) +
             " more, since it took nodes back, or since offers lapsed";
    if (std::string limit = limit_reached_of(link, asker, processors); !limit.empty()) return limit;
  }
  std::string down;
  for (const Json& manager : rows_in(site, "resource_managers"))
    if (!flag_in(manager, "up", true)) down += (down.empty() ? "" : ", ") + shown(manager, "name");
  if (!down.empty()) return "its resource managers that are down: " + down;
  return grouped(number_in<std::uint64_t>(site, "processors_busy")) + " of its " +
         processors_text(site, "processors") + " are in use, " +
         grouped(number_in<std::uint64_t>(site, "processors_lent")) + " of them lent";
}

/// About a neighbour that can never serve the request: the limit of a link that lets too few processors pass.
std::string limit_beyond(const Json& asked, const Json& answer) {
  const auto hops = number_in<std::uint64_t>(asked, "limit_hops");
  if (hops <= 1) return "it " + limit_text(text_in(answer, "site"), number_in<std::uint64_t>(asked, "limit"));
  return "a site " + grouped(hops) +
         " hops away, beyond it, lends less over its link than it has (\"processors\" in \"limits\" there)";
}

/// Why a neighbour has not been asked in this round; empty if it was asked and has answered.
std::string not_asked_sentence(const Json& asked, const Json& answer, const KnownSites& others) {
  const std::string stage = text_in(asked, "stage"), site = text_in(asked, "site");
  if (stage == "cannot") {
    const std::string clause = text_in(asked, "clause");
    const std::string needs = processors_text(answer, "widest");
    if (clause == "processors_limit") return limit_beyond(asked, answer);
    if (clause == "too_wide") return "neither it nor any site beyond it has " + needs + " in one cluster";
    if (clause == "too_long") return "neither it nor any site beyond it lends for as long as it runs";
    std::string what;
    const Json attributes = object_in(answer, "attributes");
    for (const auto& [name, value] : attributes.items())
      if (value.is_string()) what += (what.empty() ? "" : " and ") + name + "=" + value.get<std::string>();
    if (const double bytes = number_in<double>(answer, "memory_bytes"); bytes > 0)
      what += (what.empty() ? "" : " and ") + decimal(bytes / 1e6, 0) + " MB of memory";
    return "neither it nor any site beyond it has " + needs + " of nodes with " + harmless(what);
  }
  if (stage == "no_room") {
    const auto known = others.find(site);
    std::string seen;
    if (known != others.end())
      seen =
          "; " + seen_of(known->second, text_in(answer, "site"), number_in<std::uint64_t>(answer, "processors"));
    else if (const auto most = number_in<std::uint64_t>(asked, "limit"); most > 0)
      seen = "; it " + limit_text(text_in(answer, "site"), most);
    return "not asked: of " + grouped(number_in<std::uint64_t>(asked, "largest")) +
           " processors in its largest cluster, or in one beyond it, it would lend " +
           grouped(number_in<std::uint64_t>(asked, "lendable")) + " now" + seen;
  }
  static constexpr std::array<Words, 6> table{{
      {"out", "asked, and yet to answer"},
      {"link_down", "can't be reached: the link is down"},
      {"congested", "not asked: too many messages to it wait to be acknowledged"},
      {"resting", "not asked for now: it hasn't answered lately"},
      {"window_full", "not asked yet: its window is full of delegations under way"},
      {"next", "not asked yet"},
  }};
  return std::string(find_words(table, stage));
}

void add_neighbours(std::vector<std::string>& lines, const Json& answer, const KnownSites& others) {
  if (may_not_travel(answer)) return;
  std::vector<std::string> told;
  std::vector<std::string> answered;
  for (const Json& one : rows_in(answer, "answers")) {
    answered.push_back(text_in(one, "site"));
    told.push_back(
        "  " + reject_sentence(answered.back(), text_in(one, "reason"), number_in<std::uint64_t>(one, "most")));
  }
  for (const Json& one : rows_in(answer, "neighbours")) {
    if (std::ranges::count(answered, text_in(one, "site")) > 0) continue;
    const std::string text = not_asked_sentence(one, answer, others);
    if (!text.empty()) told.push_back("  " + shown(one, "site") + ": " + text);
  }
  if (told.empty()) return;
  lines.emplace_back("Its neighbours, and which were asked in the last round:");
  lines.insert(lines.end(), told.begin(), told.end());
}

/// How often claiming the nodes of a planned request has failed.
std::string tried_text(const Json& planned) {
  const auto tries = number_in<std::uint64_t>(planned, "tries");
  return tries == 0 ? "" : ", after " + count_text(tries, "claim") + " in vain";
}

/// About a co-allocated request: its parts under way, or why the last attempt to gather all of them failed.
void add_parts(std::vector<std::string>& lines, const Json& answer) {
  for (const Json& part : rows_in(answer, "parts"))
    lines.push_back("  " + shown(part, "site") + ": " + processors_text(part, "processors") + " in " +
                    count_text(number_in<std::uint64_t>(part, "components"), "component") + ", " +
                    shown(part, "state"));
  if (const Json planned = object_in(answer, "planned"); !planned.empty())
    lines.push_back("Its place: " + shown(planned, "text") + ". Its files take " +
                    length_text(number_in<double>(planned, "files_left_seconds")) +
                    " yet, and its nodes are claimed in " +
                    length_text(number_in<double>(planned, "claimed_in_seconds")) + tried_text(planned) + ".");
  const auto tries = number_in<std::uint64_t>(answer, "gathered");
  if (const std::string failed = shown(answer, "gathering_failed"); tries > 0 && !failed.empty())
    lines.push_back((tries == 1 ? "1 try" : grouped(tries) + " tries") +
                    " to get all components at once failed; the last time: " + failed + ".");
}

// ---- what helps ----------------------------------------------------------------------------------------------------

std::string remedy_of(const Json& answer) {
  const std::string here = text_in(object_in(answer, "here"), "reason"), site = shown(answer, "site");
  const std::string reason = text_in(answer, "reason");
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  if (here == "drained") add("`dmm resume " + site + "` lets it start at " + site);
  if (here == "nodes_down") add("a start of those resource managers that are down");
  if (here == "nodes_missing") add("resource managers that offer the rest of what \"nodes\" of " + site + " says");
  if (here == "over_quota") add("a greater \"quota\" in the configuration of " + site);
  if (here == "nodes_aside") add("nodes that are set aside no longer (`dmm nodes --state set_aside`)");
  if (has_number(answer, "reclaimed_in_seconds"))
    add("lent nodes, which " + site + " takes back for it in " +
        length_text(number_in<double>(answer, "reclaimed_in_seconds")));
  if (here == "no_capacity" && !rows_in(answer, "holders").empty())
    add("the end of enough jobs and leases on nodes of " + site);
  if (reason == "no_free_nodes") add("a load above the threshold, or a lower \"delegation_threshold\"");
  if (has_number(answer, "dttl_to_more")) {
    const auto dttl = number_in<std::uint64_t>(answer, "dttl_to_more");
    add("`--dttl " + grouped(dttl) + "` or more, which lets " +
        (dttl == 1 ? "a neighbour" : "a site " + grouped(dttl) + " hops away") + " be asked that could serve it");
  }
  if (reason == "pausing" || reason == "awaiting_hint" || reason == "drained")
    add("room at any of its neighbours");
  return text.empty() ? text : "What would start it: " + text + ".";
}

}  // namespace

std::string reject_sentence(const std::string& site, const std::string& reason, std::uint64_t most) {
  static constexpr std::array<Words, 28> table{{
      {"no_capacity", "has too few free nodes, and so had each site beyond it"},
      {"never_servable",
       "has no cluster that is large enough or meets the constraints, nor has any site beyond it"},
      {"dttl_exhausted", "has too few free nodes, and the request may travel no further"},
      {"tries_exhausted", "has too few free nodes, and the search budget of the round is spent"},
      {"already_seen", "was asked for this request before"},
      {"in_chain", "is in the request's chain already"},
      {"no_answer", "didn't answer in time"},
      {"link_down", "can't be reached"},
      {"limit_reached", "lends this neighbour no more: a limit of the link is reached"},
      {"not_lending", "keeps its free nodes for its own users"},
      {"malformed", "says that the request makes no sense"},
      {"too_long", "lends for less time than the job may run"},
      {"not_in_turn", "keeps its free nodes for a borrower that was served less"},
      {"drained", "is drained, or lends nothing more to the site that asked it"},
      {"no_nodes", "has no nodes of its own, and no site beyond it had room"},
      {"no_attribute", "has too few nodes with the attributes that are demanded, or none"},
      {"too_little_memory", "has too few nodes with the memory that is demanded, or none"},
      {"too_wide", "has no cluster that is as large as the widest component"},
      {"over_quota", "would have a cluster that is large enough, but for its quota"},
      {"apart", "has room for each component, but not for all together"},
      {"nodes_down", "has too few nodes that are there: resource managers are down"},
      {"nodes_aside", "has too few nodes that may be used: other nodes are set aside"},
      {"nodes_missing", "has fewer nodes than its configuration says"},
      {"kept_off", "lends the asking site nothing for a while, since it took nodes back, or since offers lapsed"},
      {"leases_limit",
       "has reached its limit of leases to the site that asked it (\"leases\" in its \"limits\", else "
       "\"leases_per_link_max\")"},
      {"processors_limit",
       "lends the site that asked it fewer processors at once than that site would have with this "
       "request (\"processors\" in its \"limits\")"},
      {"delegations_limit", "has reached its limit of unanswered delegations (\"delegations_per_link_max\")"},
      {"others_first",
       "ended the job once by its right, or lends for too short a time: other sites are asked first"},
  }};
  const std::string_view words = find_words(table, reason);
  return harmless(site) + ": " + (words.empty() ? unknown_reason(reason) : std::string(words)) +
         (most > 0 ? ": at most " + grouped(most) : "");
}

std::vector<std::string> wait_sentences(const Json& answer, const KnownSites& others,
                                        std::optional<double> waited_seconds) {
  std::vector<std::string> lines;
  std::string asks = "It asks for " + processors_text(answer, "processors") + ", its widest component for " +
                     grouped(number_in<std::uint64_t>(answer, "widest"));
  const Json attributes = object_in(answer, "attributes");
  for (const auto& [name, value] : attributes.items())
    if (value.is_string()) asks += ", " + harmless(name + "=" + value.get<std::string>());
  if (const double bytes = number_in<double>(answer, "memory_bytes"); bytes > 0)
    asks += ", " + decimal(bytes / 1e6, 0) + " MB of memory";
  const double waited = waited_seconds.value_or(number_in<double>(answer, "waited_seconds"));
  lines.push_back(asks + ". It has waited " + length_text(waited) + "; " +
                  count_text(number_in<std::uint64_t>(answer, "round"), "round") + " of search, " +
                  count_text(number_in<std::uint64_t>(answer, "tries"), "delegation") + ".");
  if (std::string here = here_sentence(answer); !here.empty()) lines.push_back(std::move(here));
  add_holders(lines, answer);
  lines.push_back(sentence_for(text_in(answer, "reason"), answer));
  add_parts(lines, answer);
  add_neighbours(lines, answer, others);
  if (std::string remedy = remedy_of(answer); !remedy.empty()) lines.push_back(std::move(remedy));
  return lines;
}

}  // namespace dmm
