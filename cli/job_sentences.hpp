// What a job does, or how it ended, as sentences, from what its job manager knows. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/questions.hpp"

namespace dmm {

/// Where a job's output is, as far as it can be told.
struct OutputPlaces {
  std::string output, error;
};

/// Lines for a job that doesn't wait, at the moment `now` (seconds since 1970): where it runs and for how long, or how
/// it ended, where, after how long, and where its output is.
std::vector<std::string> job_sentences(const ToldJob& job, const OutputPlaces& output, double now);

/// Lines for a job whose site can't be asked, from what its job manager knows; `fault`: why the site gave no answer.
std::vector<std::string> unasked_sentences(const ToldJob& job, bool site_is_up, const std::string& fault,
                                           double now);

}  // namespace dmm
