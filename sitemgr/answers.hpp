// What is remembered of everybody who was asked for a request.
#pragma once

#include <algorithm>
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

/// What is left of a search budget after an answer. Each site that was asked is named, so no more was spent of it than
/// there are names.
inline std::uint32_t tries_after(const Reject& answer, std::uint32_t before) {
  const auto spent = static_cast<std::uint32_t>(std::min<std::size_t>(answer.asked.size(), before));
  return std::clamp(answer.tries_left, before - spent, before);
}

}  // namespace dmm
