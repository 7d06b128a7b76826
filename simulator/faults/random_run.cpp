#include "simulator/faults/random_run.hpp"

namespace dmm {

std::string_view to_text(Act::Kind kind) {
  static constexpr std::string_view words[] = {
      "submit",      "cancel",      "cut",           "cut-one-way",     "heal",     "reset",
      "crash",       "crash-host",  "restart",       "pause",           "freeze",   "resume",
      "unreachable", "drift",       "jump",          "slow-disk",       "reclaim",  "drain",
      "end-drains",  "isolate",     "rejoin",        "crash-in-commit", "resize",   "part",
      "link",        "report-late", "lose-programs", "rotate-key",      "take-key", "revoke-key",
      "impersonate", "clone",       "hand-back",     "rotate-site-key"};
  return words[static_cast<std::size_t>(kind)];
}

std::string_view to_text(Trouble trouble) {
  static constexpr std::string_view words[] = {"none", "life", "crowd", "forgetful", "gentle", "harsh"};
  return words[static_cast<std::size_t>(trouble)];
}

}  // namespace dmm
