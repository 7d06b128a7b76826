// What a job does or how it ended, as sentences from its job manager's answer. Pure. `now` is in seconds since 1970.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/managers/questions.hpp"

namespace dmm {

/// Where a stream of a job's output goes or went; empty: not known.
struct OutputPlace {
  std::string path;
  bool began = false;             ///< something was written there, or should have been
  std::optional<bool> unwritten;  ///< writing failed, and the stream is still where the job ran; none: not known
};

struct OutputPlaces {
  OutputPlace output, error;
};

/// Lines for a job that doesn't wait. Before its end: where it starts, runs or ends, for how long, and which manager's
/// answer is awaited until when. After its end: how, where and after how long it ended, and where its output is.
std::vector<std::string> job_sentences(const ToldJob& job, const OutputPlaces& output, double now);

/// Lines about earlier attempts of a job: what ended them, what of that is charged to the job, and how long they ran.
/// For a waiting job also how long it has waited in all.
std::vector<std::string> earlier_sentences(const ToldJob& job, double now);

/// The owners of the job's nodes: "alpha", "alpha, beta and gamma"; empty if it has none.
std::string owners_text(const ToldJob& job);

/// For a cell of a table: how a job ended; what it awaits and for how long yet; or how often it was interrupted and why
/// the last time. Empty if there is nothing to say.
std::string outcome_text(const ToldJob& job, double now);

/// Whether a waiting job isn't eligible yet because an attempt of it was interrupted a moment ago.
bool pauses(const ToldJob& job, double now);
/// Lines for a job that pauses: for how long yet, and why.
std::vector<std::string> pause_sentences(const ToldJob& job, double now);

/// Lines for an array: the number of its elements, and which are in which state, or how it ended.
std::vector<std::string> array_sentences(const ToldJob& array, double now);
/// Whether the job is an array element that its job manager doesn't ask for yet.
bool is_unmade(const ToldJob& job);
std::vector<std::string> unmade_sentences(const ToldJob& element);

/// Lines for a waiting job that isn't eligible yet: what keeps it back, and for how long yet.
std::vector<std::string> kept_back_sentences(const ToldJob& job, double now);

/// Lines for a waiting job if its site can't be asked or doesn't have the request. `site_fault`: why its job manager
/// doesn't reach the site, if it says; `fault`: why the site gave no answer.
std::vector<std::string> unasked_sentences(const ToldJob& job, bool site_is_up, const std::string& site_fault,
                                           const std::string& fault, double now);

}  // namespace dmm
