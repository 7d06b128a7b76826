// See wait_reasons.hpp.
#include "cli/wait_reasons.hpp"

#include <nlohmann/json.hpp>

#include "cli/figures.hpp"
#include "cli/json_text.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
T number_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<T>() : T{};
}

std::string sentence_for(const std::string& reason, const Json& answer) {
  const std::string threshold = decimal(number_in<double>(answer, "threshold"), 2);
  const std::string load = decimal(number_in<double>(answer, "load"), 2);
  if (reason == "none") return "It doesn't wait: it has nodes, or will have them at once.";
  if (reason == "no_free_nodes")
    return "The nodes of its site are busy, and the site's load (" + load +
           ") is not above the delegation threshold (" + threshold + "), so nobody else is asked.";
  if (reason == "behind_earlier") {
    const std::string behind = text_in(answer, "behind");
    return "An earlier request gathers nodes or blocks the queue" + (behind.empty() ? "." : ": " + behind + ".");
  }
  if (reason == "asking_neighbour") {
    const std::string asking = text_in(answer, "asking");
    return "Its site has asked a neighbour" + (asking.empty() ? "" : ", " + asking + ",") +
           " and waits for the answer.";
  }
  if (reason == "pausing")
    return "Nobody could serve it in the last round, by answer or by hint; a new round starts when a hint shows "
           "capacity, or in " +
           length_text(number_in<double>(answer, "pause_left_seconds")) + ".";
  if (reason == "window_full")
    return "Every neighbour that may serve it has as many delegations under way as its window allows.";
  if (reason == "no_neighbour")
    return "There is nobody to ask: no neighbour, or the request may not travel (DTTL 0).";
  if (reason == "neighbours_unknown")
    return "It is wider than every cluster that is known, but not all neighbours have reported theirs yet.";
  if (reason == "drained")
    return "Its site is drained, so nothing new starts on its nodes, and nobody else within reach has room.";
  if (reason == "awaiting_hint")
    return "Nobody within reach has room for it, by what they told; whoever has is asked at once.";
  if (reason == "next_cycle") return "It waits for the next matchmaking or delegation cycle of its site.";
  return "Its site gives a reason that this program doesn't know: " + harmless(reason) + ".";
}

}  // namespace

std::string reject_sentence(const std::string& site, const std::string& reason) {
  std::string text = "gives a reason that this program doesn't know: " + harmless(reason);
  if (reason == "no_capacity") text = "has too few free nodes, and nobody beyond it had them";
  if (reason == "never_servable")
    text = "has no cluster that is large enough or meets the constraints, nor has anybody beyond it";
  if (reason == "dttl_exhausted") text = "has too few free nodes, and the request may travel no further";
  if (reason == "tries_exhausted") text = "has too few free nodes, and the search budget of the round is spent";
  if (reason == "already_seen") text = "was asked for this request before";
  if (reason == "in_chain") text = "is in the request's chain already";
  if (reason == "no_answer") text = "didn't answer in time";
  if (reason == "link_down") text = "can't be reached";
  if (reason == "limit_reached") text = "takes no more requests from this neighbour for now";
  if (reason == "not_lending") text = "keeps its free nodes for its own users";
  if (reason == "malformed") text = "says that the request makes no sense";
  if (reason == "too_long") text = "lends for less time than the job may run";
  if (reason == "not_in_turn") text = "keeps its free nodes for a borrower that has had less";
  return harmless(site) + ": " + text;
}

std::vector<std::string> wait_sentences(const Json& answer) {
  std::vector<std::string> lines;
  lines.push_back(sentence_for(text_in(answer, "reason"), answer));
  lines.push_back("It asks for " + count_text(number_in<std::uint64_t>(answer, "processors"), "processor") +
                  ", its widest component for " + grouped(number_in<std::uint64_t>(answer, "widest")) +
                  "; the most idle in one cluster here are " + grouped(number_in<std::uint64_t>(answer, "idle")) +
                  ".");
  const auto tries = number_in<std::uint64_t>(answer, "tries");
  lines.push_back("It has waited " + length_text(number_in<double>(answer, "waited_seconds")) + "; " +
                  count_text(number_in<std::uint64_t>(answer, "round"), "round") + " of search, " +
                  count_text(tries, "delegation") + ".");
  const auto answers = answer.find("answers");
  if (answers == answer.end() || !answers->is_array() || answers->empty()) return lines;
  lines.emplace_back("Who was asked in the last round, and why they didn't serve it:");
  for (const Json& one : *answers)
    lines.push_back("  " + reject_sentence(text_in(one, "site"), text_in(one, "reason")));
  return lines;
}

}  // namespace dmm
