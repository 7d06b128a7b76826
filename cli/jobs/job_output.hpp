// The output of a job, as its job manager tells of it: where its streams are, and whether all of them is there.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/managers/questions.hpp"

namespace dmm {

/// One stream of a component.
struct JobOutputFile {
  std::string path;               ///< on the job manager's machine
  bool began = false;             ///< something was written to it, or may have been
  std::optional<bool> unwritten;  ///< it could not be written, and is still where the job ran; none: not known
};

struct JobOutput {
  std::string state;       ///< "pending", "complete", "cut", "unfetched", "unwritten", "lost", "discarded"
  std::string reason;      ///< why it isn't all there
  bool at_lender = false;  ///< what isn't there can still be fetched
  bool over = false;       ///< so is the job
  std::uint32_t attempt = 1;
  JobOutputFile output, error;

  /// It neither is all there nor will come by itself.
  bool is_short() const {
    return state == "cut" || state == "unfetched" || state == "unwritten" || state == "lost";
  }
};

/// What a job manager answers to "output".
JobOutput output_from_json(const nlohmann::ordered_json& json);

/// Asks the job manager; without an answer nothing is known of it.
JobOutput ask_output(const Manager& job_manager, std::uint64_t job);

/// Why the output of a job isn't all there, and what its user can do: one sentence or two.
std::string output_complaint(const JobOutput& output, const std::string& job);

/// The last lines of a file, a few hundred characters at most, without what a terminal would obey; empty if it can't be
/// read.
std::string last_lines(const std::string& path);

}  // namespace dmm
