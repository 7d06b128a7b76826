// The questions and orders of people to managers: a row for each, with the managers that answer it and the least right
// that it takes. The endpoint enforces the table before any handler. docs/protocol.md section 9 says what is in each
// answer.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "protocol/rights.hpp"
#include "protocol/verbs.hpp"

namespace dmm {

struct Question {
  std::string_view verb;
  Roles at;
  Right least;
};

namespace verbs {

constexpr std::array questions{
    Question{"status", manager, Right::reader},
    Question{"links", manager, Right::reader},
    Question{"messages", manager, Right::reader},
    Question{"requests", manager, Right::reader},
    Question{"stop", manager, Right::administrator},
    Question{"rotate", manager, Right::administrator},

    Question{"site", site, Right::reader},
    Question{"leases", site, Right::reader},
    Question{"nodes", site, Right::reader},
    Question{"usage", site, Right::reader},
    Question{"queue", site, Right::reader},
    Question{"why", site, Right::reader},
    Question{"holdings", site | resource, Right::reader},
    Question{"site_key", site, Right::reader},
    Question{"enrol", site, Right::none},  // a newcomer shows the code of a token
    Question{"invite", site, Right::administrator},
    Question{"link", site, Right::administrator},
    Question{"revoke", site, Right::administrator},
    Question{"reclaim", site, Right::administrator},
    Question{"drain", site, Right::administrator},
    Question{"resume", site, Right::administrator},
    Question{"forget", site, Right::administrator},
    Question{"expect", site, Right::administrator},

    Question{"resource", resource, Right::reader},
    Question{"batch", resource, Right::reader},  // a batch manager acts as a resource manager

    Question{"queue", job, Right::user},
    Question{"job", job, Right::user},
    Question{"counts", job, Right::user},
    Question{"cancel", job, Right::user},
    Question{"hold", job, Right::user},
    Question{"release", job, Right::user},
    Question{"alter", job, Right::user},
    Question{"output", job, Right::user},
    Question{"fetch_output", job, Right::user},
    Question{"holdings", job, Right::user},
};

}  // namespace verbs

/// The row of a question to a manager of role `at`; null if managers of that role don't know it.
constexpr const Question* find_question(std::string_view verb, Role at) {
  const auto found = std::ranges::find_if(verbs::questions,
                                          [&](const Question& row) { return row.verb == verb && row.at.has(at); });
  return found == verbs::questions.end() ? nullptr : &*found;
}

/// The right that it takes to send this to a manager of role `at`. A reader gets an answer even to an unknown question:
/// the answer lists the known ones.
constexpr Right least_right(const Message& message, Role at) {
  if (std::holds_alternative<Submit>(message)) return Right::user;
  const Ask* const ask = std::get_if<Ask>(&message);
  if (!ask) return Right::none;
  const Question* const row = find_question(ask->verb, at);
  return row ? row->least : Right::reader;
}

/// The questions that a manager of role `at` knows: "status, links, ...".
inline std::string questions_at(Role at) {
  std::string all;
  for (const Question& row : verbs::questions)
    if (row.at.has(at)) (all += all.empty() ? "" : ", ") += row.verb;
  return all;
}

}  // namespace dmm
