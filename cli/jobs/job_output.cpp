#include "cli/jobs/job_output.hpp"

#include <algorithm>
#include <fstream>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"

namespace dmm {
namespace {

constexpr std::streamoff tail_bytes = 600;
constexpr std::size_t tail_lines = 8;

}  // namespace

JobOutput output_from_json(const nlohmann::ordered_json& json) {
  JobOutput output;
  const Json state = json.value("output", Json::object());
  output.state = state.value("state", "");
  output.reason = state.value("reason", "");
  output.at_lender = state.value("at_lender", false);
  output.over = json.value("over", false);
  output.attempt = json.value("attempt", 1u);
  for (const Json& stream : json.value("streams", Json::array())) {
    JobOutputFile& file = stream.value("stream", "") == "error" ? output.error : output.output;
    file = {stream.value("path", ""), stream.value("began", false), {}};
    if (stream.contains("unwritten")) file.unwritten = flag_in(stream, "unwritten");
  }
  return output;
}

JobOutput ask_output(const Manager& job_manager, std::uint64_t job) {
  const Answered answered = ask_one(job_manager, "output", {{"job", job}});
  return answered.fault.empty() ? output_from_json(answered.json) : JobOutput{};
}

std::string output_complaint(const JobOutput& output, const std::string& job) {
  std::string text = "output of " + job + ": " + output.state;
  if (!output.reason.empty()) text += ": " + harmless(output.reason);
  if (output.at_lender) text += "; `dmm output --fetch " + job + "` brings it into the job manager's folder";
  return text;
}

std::string last_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  const std::streamoff begin = std::max<std::streamoff>(0, size - tail_bytes);
  file.seekg(begin);
  std::string text(static_cast<std::size_t>(size - begin), '\0');
  file.read(text.data(), size - begin);
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::size_t from = text.size();
  for (std::size_t lines = 0; lines < tail_lines && from != std::string::npos && from > 0; ++lines)
    from = text.rfind('\n', from - 1);
  if (from != std::string::npos && from > 0) text.erase(0, from + 1);
  std::string lines;
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += "  " + harmless(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return lines;
}

}  // namespace dmm
