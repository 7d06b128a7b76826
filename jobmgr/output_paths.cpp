// See output_paths.hpp.
#include "jobmgr/output_paths.hpp"

#include <array>
#include <utility>
#include <vector>

#include "manager/assert.hpp"

namespace dmm {
namespace {

struct Wanted {
  const char* field;
  std::string path;
};

/// Each file once.
std::vector<Wanted> files_of(std::uint64_t job, const JobDescription& description) {
  std::vector<Wanted> files;
  const auto add = [&](const char* field, const ShortText& path) {
    if (path.empty() || path == "/dev/null") return;
    std::string file = expanded(path, job);
    if (files.empty() || files.front().path != file) files.push_back({field, std::move(file)});
  };
  if (!description.keep_output) return files;
  add("output_file", description.output_path);
  add("error_file", description.error_path);
  DMM_ASSERT(files.size() < 2 || files.front().path != files.back().path);
  return files;
}

}  // namespace

std::string expanded(std::string_view path, std::uint64_t job) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char next = i + 1 < path.size() ? path[i + 1] : '\0';
    const bool is_known = path[i] == '%' && (next == 'j' || next == '%');
    if (!is_known)
      text += path[i];
    else
      text += path[++i] == 'j' ? std::to_string(job) : "%";
  }
  return text;
}

WhyNot OutputPaths::take(std::uint64_t job, const JobDescription& description) {
  for (const Wanted& wanted : files_of(job, description)) {
    const auto file = files_.find(wanted.path);
    if (file == files_.end() || (file->second.appends && description.append)) continue;
    DMM_ASSERT(!file->second.jobs.empty() && !file->second.jobs.contains(job));
    const std::string other = std::to_string(*file->second.jobs.begin());
    return std::string(wanted.field) + ": job " + other + ", which isn't over, writes to " + wanted.path +
           "; expected another file (%j in its name becomes the job's number), or --append for both jobs";
  }
  restore(job, description);
  return {};
}

void OutputPaths::restore(std::uint64_t job, const JobDescription& description) {
  for (Wanted& wanted : files_of(job, description)) {
    const auto [file, is_new] = files_.try_emplace(std::move(wanted.path), File{{}, description.append});
    const bool is_first = file->second.jobs.insert(job).second;
    DMM_ASSERT(is_first);
    DMM_ASSERT(is_new == (file->second.jobs.size() == 1));  // no file is listed that no job writes to
    file->second.appends = file->second.appends && description.append;
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
