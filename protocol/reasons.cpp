// The words for the reasons in protocol/reasons.hpp: the same in logs, in JSON and on a terminal.
#include "protocol/reasons.hpp"

#include <algorithm>
#include <array>

namespace dmm {
namespace {

template <std::size_t size>
std::string_view word(const std::array<std::string_view, size>& words, std::uint8_t index) {
  return index < size ? words[index] : "unknown";
}

struct StartFaultText {
  std::string_view name, words;
};

constexpr std::array<StartFaultText, start_fault_count> start_faults{{
    {"none", ""},
    {"no_lease", "its lease wasn't there any more"},
    {"nodes_busy", "another job ran on its nodes"},
    {"executable_missing", "its program was not found"},
    {"not_permitted", "its program or its working directory may not, or can't, be used"},
    {"no_directory", "its working directory was not found"},
    {"resources", "the host was out of processes, memory or disk"},
    {"hung", "it hung while it was started"},
    {"staging", "an input file couldn't be brought to it"},
}};

}  // namespace

RejectReason whole_reason(RejectReason exact) {
  const bool is_limit = exact == RejectReason::leases_limit || exact == RejectReason::processors_limit ||
                        exact == RejectReason::delegations_limit;
  return is_limit ? RejectReason::limit_reached : exact;
}

std::string_view to_text(RejectReason value) {
  static constexpr std::array<std::string_view, 28> words{
      "no_capacity",  "never_servable",    "dttl_exhausted",    "tries_exhausted", "already_seen",
      "in_chain",     "no_answer",         "link_down",         "limit_reached",   "not_lending",
      "malformed",    "too_long",          "not_in_turn",       "drained",         "no_nodes",
      "no_attribute", "too_little_memory", "too_wide",          "over_quota",      "apart",
      "nodes_down",   "nodes_aside",       "others_first",      "nodes_missing",   "kept_off",
      "leases_limit", "processors_limit",  "delegations_limit",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(WaitReason value) {
  static constexpr std::array<std::string_view, 13> words{
      "none",          "no_free_nodes", "behind_earlier",     "asking_neighbour", "pausing",
      "window_full",   "no_neighbour",  "neighbours_unknown", "next_cycle",       "drained",
      "awaiting_hint", "gathering",     "awaiting_files",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(RefusalReason value) {
  static constexpr std::array<std::string_view, 8> words{
      "too_large", "malformed",  "limit_reached",      "no_such_nodes",
      "too_long",  "over_limit", "too_large_together", "no_place",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view words_for(RefusalReason value) {
  static constexpr std::array<std::string_view, 8> words{
      "too large for every cluster that can be reached",
      "the request makes no sense",
      "a limit of the site is reached",
      "no nodes that can be reached have what it asks for",
      "no owner that can be reached lends for so long",
      "a limit on the way to its nodes allows less at once",
      "too large for all clusters that can be reached together",
      "no place was found for it in as many tries as its site makes",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(LeaseEnd value) {
  static constexpr std::array<std::string_view, 13> words{
      "released", "expired",      "reclaimed",  "not_claimed",  "node_lost", "owner_lost", "unknown",
      "idle",     "node_removed", "at_longest", "link_removed", "outranked", "preempted",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(StartFault value) {
  const auto index = static_cast<std::size_t>(value);
  return index < start_faults.size() ? start_faults[index].name : "unknown";
}

std::string_view words_for(StartFault value) {
  const auto index = static_cast<std::size_t>(value);
  return index < start_faults.size() ? start_faults[index].words : "it could not be started";
}

std::string_view words_for_start_fault(std::string_view name) {
  const auto found = std::ranges::find(start_faults, name, &StartFaultText::name);
  return found == start_faults.end() ? std::string_view() : found->words;
}

std::string_view to_text(EndKind value) {
  static constexpr std::array<std::string_view, 7> words{
      "exited", "signalled", "stopped", "lease_ended", "lost_contact", "start_failed", "lost",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

}  // namespace dmm
