// See job_sentences.hpp.
#include "cli/job_sentences.hpp"

#include <algorithm>
#include <optional>

#include "cli/figures.hpp"

namespace dmm {
namespace {

std::string where_text(const ToldJob& job) {
  std::string text = job.nodes.empty() ? "nodes of " + harmless(job.owner) : harmless(job.nodes);
  if (job.chain.size() > 1) {
    text += ", lent by way of ";
    for (std::size_t i = 0; i < job.chain.size(); ++i) text += (i == 0 ? "" : " > ") + harmless(job.chain[i]);
  }
  return text;
}

void add_output(std::vector<std::string>& lines, const ToldJob& job, const OutputPlaces& output) {
  if (!job.keep_output) return lines.push_back("Its output was discarded, as its user asked.");
  if (!output.output.empty()) lines.push_back("Its output: " + harmless(output.output));
  if (!output.error.empty()) lines.push_back("Its error output: " + harmless(output.error));
}

std::string ending_of(const ToldJob& job) {
  if (job.exit_kind == "exited") return "It ended with exit status " + std::to_string(job.exit_code);
  if (job.exit_kind == "signalled") return "It was ended by signal " + std::to_string(job.exit_code);
  if (job.exit_kind == "start_failed") return "It could not be started: " + words_of(job.exit_fault);
  if (!job.exit_kind.empty()) return "It ended: " + words_of(job.exit_kind);
  return "It never ran";
}

/// Attempts that cost the job nothing.
void add_false_starts(std::vector<std::string>& lines, const ToldJob& job) {
  if (job.false_starts > 0)
    lines.push_back("Its nodes were gone before it ran, " + count_text(job.false_starts, "time") +
                    ". That counts as no rerun.");
}

}  // namespace

std::vector<std::string> job_sentences(const ToldJob& job, const OutputPlaces& output, double now) {
  std::vector<std::string> lines;
  const auto since = [&](std::optional<double> date) { return length_text(std::max(0.0, now - date.value_or(now))); };
  if (!job.over()) {
    lines.push_back("It doesn't wait: it is " + job.state + " on " + where_text(job) + ".");
    if (job.started) {
      std::string text = "It has run for " + since(job.started);
      if (job.limit_wall_seconds > 0)
        text += ", and is ended after " + length_text(job.limit_wall_seconds) + " by its own limit";
      lines.push_back(text + ".");
    }
    add_false_starts(lines, job);
    add_output(lines, job, output);
    return lines;
  }
  std::string text = ending_of(job);
  if (!job.exit_kind.empty() && !job.owner.empty()) text += ", on " + where_text(job);
  if (job.wall_seconds > 0) text += ", after " + length_text(job.wall_seconds);
  if (job.ended) text += ", " + since(job.ended) + " ago";
  lines.push_back(text + ".");
  add_false_starts(lines, job);
  if (!job.text.empty()) lines.push_back("What is on record of it: " + harmless(job.text) + ".");
  if (!job.exit_kind.empty()) add_output(lines, job, output);
  return lines;
}

std::vector<std::string> unasked_sentences(const ToldJob& job, bool site_is_up, const std::string& fault,
                                           double now) {
  std::vector<std::string> lines;
  lines.push_back("It asks for " + count_text(job.processors, "processor") + ", and has waited " +
                  length_text(std::max(0.0, now - job.submitted)) + ".");
  if (job.reruns > 0)
    lines.push_back("It ran before, and is to be run again: " + count_text(job.reruns, "rerun") + ".");
  add_false_starts(lines, job);
  lines.push_back(site_is_up ? "Its job manager has asked its site for nodes; what the site says can't be told here."
                             : "Its job manager doesn't reach its site manager: nothing is granted until it does. It "
                               "asks again by itself.");
  if (!fault.empty()) lines.push_back("The site: " + harmless(fault));
  return lines;
}

}  // namespace dmm
