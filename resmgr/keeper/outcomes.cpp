#include "resmgr/keeper/outcomes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dmm::keeper {
namespace {

constexpr Clock keep_pause = 500'000;  // until an outcome is written again after the disk had no room
constexpr std::uint64_t inline_max = 4 * 1024;

}  // namespace

std::uint64_t Outcomes::load(JobFolder& folder, bool fresh) {
  std::uint64_t last_serial = 0;
  for (const auto& [directory, bytes] : folder.outcomes()) {
    Outcome outcome;
    std::string_view rest = bytes;
    if (!unpack_value(rest, outcome) || !rest.empty() || outcome.version != outcome_version) continue;
    last_serial = std::max(last_serial, outcome.job.serial);
    outcomes_.emplace(directory, std::move(outcome));
  }
  if (fresh) folder.put_away_old([&](const std::string& name) { return outcomes_.contains(name); });
  return last_serial;
}

void Outcomes::add(const std::string& directory, Outcome outcome, const JobFolder& folder) {
  outcomes_.insert_or_assign(directory, std::move(outcome));
  unkept_.insert(directory);
  keep_again_ = 0;
  keep_unkept(folder);
}

void Outcomes::remove(const std::string& directory, const JobFolder& folder) {
  unkept_.erase(directory);
  if (outcomes_.erase(directory)) folder.remove_outcome(directory);
}

void Outcomes::keep_unkept(const JobFolder& folder) {
  if (unkept_.empty() || now() < keep_again_) return;
  std::erase_if(unkept_, [&](const std::string& directory) {
    std::string bytes;
    pack_value(bytes, outcomes_.at(directory));
    return folder.keep_outcome(directory, bytes);
  });
  keep_again_ = now() + keep_pause;
}

JobEnded with_streams(JobEnded end, const std::string& directory, const JobFolder& folder) {
  FilePart output = folder.read(directory, Stream::output, 0, inline_max);
  FilePart error = folder.read(directory, Stream::error, 0, inline_max);
  end.output_bytes = output.size;
  end.error_bytes = error.size;
  if (output.size + error.size <= inline_max) {
    end.output = std::move(output.data);
    end.error = std::move(error.data);
  }
  return end;
}

}  // namespace dmm::keeper
