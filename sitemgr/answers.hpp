// What is remembered of everybody who was asked for a request.
#pragma once

#include <utility>
#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

/// So many answers travel with a Reject, and are shown by `dmm why`.
constexpr std::size_t answers_max = 64;

inline void note_answers(std::vector<SiteAnswer>& known, std::vector<SiteAnswer>& more) {
  for (SiteAnswer& answer : more)
    if (known.size() < answers_max) known.push_back(std::move(answer));
}

}  // namespace dmm
