// The words for the reasons in protocol/reasons.hpp: the same in logs, in JSON and on a terminal.
#include "protocol/reasons.hpp"

#include <array>

namespace dmm {
namespace {

template <std::size_t size>
std::string_view word(const std::array<std::string_view, size>& words, std::uint8_t index) {
  return index < size ? words[index] : "unknown";
}

}  // namespace

std::string_view to_text(RejectReason value) {
  static constexpr std::array<std::string_view, 25> words{
      "no_capacity",
      "never_servable",
      "dttl_exhausted",
      "tries_exhausted",
      "already_seen",
      "in_chain",
      "no_answer",
      "link_down",
      "limit_reached",
      "not_lending",
      "malformed",
      "too_long",
      "not_in_turn",
      "drained",
      "no_nodes",
      "no_attribute",
      "too_little_memory",
      "too_wide",
      "over_quota",
      "apart",
      "nodes_down",
      "nodes_aside",
      "others_first",
      "nodes_missing",
      "kept_off",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(WaitReason value) {
  static constexpr std::array<std::string_view, 11> words{
      "none",
      "no_free_nodes",
      "behind_earlier",
      "asking_neighbour",
      "pausing",
      "window_full",
      "no_neighbour",
      "neighbours_unknown",
      "next_cycle",
      "drained",
      "awaiting_hint",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(RefusalReason value) {
  static constexpr std::array<std::string_view, 5> words{
      "too_large",
      "malformed",
      "limit_reached",
      "no_such_nodes",
      "too_long",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(LeaseEnd value) {
  static constexpr std::array<std::string_view, 11> words{
      "released",
      "expired",
      "reclaimed",
      "not_claimed",
      "node_lost",
      "owner_lost",
      "unknown",
      "idle",
      "node_removed",
      "at_longest",
      "link_removed",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(StartFault value) {
  static constexpr std::array<std::string_view, 8> words{
      "none", "no_lease", "nodes_busy", "executable_missing", "not_permitted", "no_directory", "resources", "hung",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

std::string_view to_text(EndKind value) {
  static constexpr std::array<std::string_view, 7> words{
      "exited", "signalled", "stopped", "lease_ended", "lost_contact", "start_failed", "lost",
  };
  return word(words, static_cast<std::uint8_t>(value));
}

}  // namespace dmm
