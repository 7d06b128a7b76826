// What a site remembers of the sites that were asked for a request: their answers, and what is left of the search
// budget.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

/// The most answers that travel with a Reject, and that `dmm why` shows.
constexpr std::size_t answers_max = 64;

inline void note_answers(std::vector<SiteAnswer>& known, std::vector<SiteAnswer>& more) {
  for (SiteAnswer& answer : more)
    if (known.size() < answers_max) known.push_back(std::move(answer));
}

/// What is left of a search budget after an answer. No more of it was spent than the answer has names, since it names
/// each site that was asked.
inline std::uint32_t tries_after(const Reject& answer, std::uint32_t before) {
  const auto spent = static_cast<std::uint32_t>(std::min<std::size_t>(answer.asked.size(), before));
  return std::clamp(answer.tries_left, before - spent, before);
}

}  // namespace dmm
