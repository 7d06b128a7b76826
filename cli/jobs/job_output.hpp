// The output of a job as its job manager knows it: where its streams are, and whether they are complete.
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
  std::optional<bool> unwritten;  ///< writing failed, and the stream is still where the job ran; none: not known
};

struct JobOutput {
  std::string state;       ///< "pending", "complete", "cut", "unfetched", "unwritten", "lost", "discarded"
  std::string reason;      ///< why output is missing
  bool at_lender = false;  ///< missing output can still be fetched
  bool over = false;       ///< the job has ended
  std::uint32_t attempt = 1;
  JobOutputFile output, error;

  /// Whether output is missing and won't come by itself.
  bool is_short() const {
    return state == "cut" || state == "unfetched" || state == "unwritten" || state == "lost";
  }
};

/// Reads a job manager's answer to "output".
JobOutput output_from_json(const nlohmann::ordered_json& json);

/// Asks the job manager. Without an answer, all fields are unknown.
JobOutput ask_output(const Manager& job_manager, std::uint64_t job);

/// Why a job's output is incomplete, and what its user can do: one or two sentences.
std::string output_complaint(const JobOutput& output, const std::string& job);

/// The last lines of a file, at most a few hundred characters, without control characters. Empty if it can't be read.
std::string last_lines(const std::string& path);

}  // namespace dmm
