#include "simulator/faults/run_story.hpp"

#include <algorithm>

#include "simulator/checkers/timeline.hpp"

namespace dmm {
namespace {

constexpr std::size_t happenings_kept = 4000, lines_told = 60;

std::string mentioned(const std::string& fault) {
  const std::size_t slash = fault.find('/');
  if (slash == std::string::npos) return {};
  const std::size_t begin = fault.find_last_of(" :", slash) + 1;
  return fault.substr(begin, fault.find_first_of(" :", begin) - begin);
}

}  // namespace

void RunStory::add(std::string line) {
  if (trace_) trace_(line);
  acts_.push_back(std::move(line));
}

void RunStory::add(Happening happening) {
  if (trace_) trace_(line_of(happening));
  past_.push_back(std::move(happening));
  if (past_.size() > happenings_kept) past_.pop_front();
}

std::vector<std::string> RunStory::told(const std::string& fault) const {
  std::vector<std::string> all(acts_.begin(), acts_.end());
  for (const Happening& happening : past_) all.push_back(line_of(happening));
  const auto stamp_of = [](const std::string& line) { return line.substr(0, line.find(']')); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const std::string& a, const std::string& b) { return stamp_of(a) < stamp_of(b); });
  const std::string about = mentioned(fault);
  std::vector<std::string> told;
  if (!about.empty())
    for (const std::string& line : all)
      if (line.find(about) != std::string::npos) told.push_back(line);
  if (told.size() > lines_told) told.erase(told.begin(), told.end() - lines_told);
  told.push_back("...");
  const std::size_t last = std::min(all.size(), lines_told);
  told.insert(told.end(), all.end() - static_cast<std::ptrdiff_t>(last), all.end());
  return told;
}

}  // namespace dmm
