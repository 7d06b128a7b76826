#include "jobmgr/output_paths.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "manager/assert.hpp"
#include "protocol/home_paths.hpp"

namespace dmm {
namespace {

struct Wanted {
  const char* field;
  std::string path;
  bool appends = false;
};

/// An output file of its folder: no other file is added to it.
bool is_staged(const Wanted& wanted) { return std::string_view(wanted.field) == "stage_out"; }

/// Each file once; of an array the pattern that all its elements fill.
std::vector<Wanted> files_of(std::uint64_t job, const JobDescription& description) {
  std::vector<Wanted> files;
  OutputNames names{job, job, 0};
  if (!description.array.empty()) names.job = names.index = std::nullopt;
  const auto add = [&](const char* field, std::string_view path, bool appends) {
    if (path.empty() || path == "/dev/null") return;
    std::string file = expanded(path, names);
    const auto is_same = [&](const Wanted& wanted) { return wanted.path == file; };
    if (std::ranges::none_of(files, is_same)) files.push_back({field, std::move(file), appends});
  };
  for (const OutputFile& file : description.program.outputs) add("stage_out", home_path(file.to), false);
  if (!description.keep_output) return files;
  add("output_file", description.output_path, description.append);
  add("error_file", description.error_path, description.append);
  return files;
}

/// The letter behind the '%' at this place; 0 if there is none.
char letter_at(std::string_view path, std::size_t place) {
  return path[place] == '%' && place + 1 < path.size() ? path[place + 1] : '\0';
}

/// Calls `found` for the letter behind each '%', until it says that this is enough.
bool any_letter(std::string_view path, auto found) {
  for (std::size_t i = 0; i < path.size(); ++i)
    if (const char letter = letter_at(path, i); letter != '\0') {
      if (found(letter)) return true;
      ++i;
    }
  return false;
}

std::optional<std::uint64_t> value_of(char letter, const OutputNames& names) {
  switch (letter) {
    case 'j': return names.job;
    case 'A': return names.array;
    case 'a': return names.index;
    case 'r': return names.task;
    default: return std::nullopt;
  }
}

}  // namespace

std::string expanded(std::string_view path, const OutputNames& names) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char letter = letter_at(path, i);
    const auto value = value_of(letter, names);
    if (value || (letter == '%' && names.job)) ++i;
    if (value)
      text += std::to_string(*value);
    else
      text += path[i];
  }
  return text;
}

bool names_task(std::string_view path) {
  return any_letter(path, [](char letter) { return letter == 'r'; });
}

WhyNot OutputPaths::take(std::uint64_t job, const JobDescription& description) {
  const auto names_element = [](char letter) { return letter == 'a' || letter == 'j'; };
  for (const Wanted& wanted : files_of(job, description))
    if (!description.array.empty() && !wanted.appends && !any_letter(wanted.path, names_element))
      return std::string(wanted.field) + ": all elements of the array would write to " + wanted.path +
             "; expected %a in its name, which becomes the index" + (is_staged(wanted) ? "" : ", or --append");
  for (const Wanted& wanted : files_of(job, description)) {
    const auto file = files_.find(wanted.path);
    if (file == files_.end() || (file->second.appends && wanted.appends)) continue;
    DMM_ASSERT(!file->second.jobs.empty() && !file->second.jobs.contains(job));
    const std::string other = std::to_string(*file->second.jobs.begin());
    return std::string(wanted.field) + ": job " + other + ", which isn't over, writes to " + wanted.path +
           "; expected another file (%j in its name becomes the job's number)" +
           (is_staged(wanted) ? "" : ", or --append for both jobs");
  }
  restore(job, description);
  return {};
}

void OutputPaths::restore(std::uint64_t job, const JobDescription& description) {
  for (Wanted& wanted : files_of(job, description)) {
    const auto [file, is_new] = files_.try_emplace(std::move(wanted.path), File{{}, wanted.appends});
    const bool is_first = file->second.jobs.insert(job).second;
    DMM_ASSERT(is_first);
    DMM_ASSERT(is_new == (file->second.jobs.size() == 1));  // no file is listed that no job writes to
    file->second.appends = file->second.appends && wanted.appends;
  }
}

void OutputPaths::give_back(std::uint64_t job, const JobDescription& description) {
  for (const Wanted& wanted : files_of(job, description))
    if (const auto file = files_.find(wanted.path); file != files_.end()) {
      const bool was_there = file->second.jobs.erase(job) == 1;
      DMM_ASSERT(was_there);
      if (file->second.jobs.empty()) files_.erase(file);
    }
}

}  // namespace dmm
