#include "runtime/successors.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"
#include "runtime/json_list.hpp"
#include "runtime/json_words.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

/// Later keys of one party that are kept at most, within the life of a certificate.
constexpr std::ptrdiff_t keys_max = 16;

std::string successors_file(const std::string& folder) { return folder + "/keys/successors.json"; }

/// Keeps the daemon and `dmm certify` from writing at the same time. No process waits long: the other one may be
/// stopped.
class WritingLock {
 public:
  explicit WritingLock(const std::string& folder)
      : descriptor_(::open((folder + "/keys").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int tries = 20;
    for (int i = 0; i < tries && !is_held_; ++i) {
      is_held_ =
          descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;  // without a folder, writing tells
      if (!is_held_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~WritingLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  WritingLock(const WritingLock&) = delete;
  WritingLock& operator=(const WritingLock&) = delete;
  bool is_held() const { return is_held_; }

 private:
  int descriptor_;
  bool is_held_ = false;
};

bool is_past(const Json& row, WallSeconds now) {
  const auto until = row.find("until");
  return until == row.end() || !until->is_number_integer() || until->get<WallSeconds>() <= now;
}

}  // namespace

WhyNot note_certified(const std::string& folder, const Certification& certified) {
  const WritingLock lock(folder);
  if (!lock.is_held()) return "another process is writing " + successors_file(folder) + "; try again";
  auto read = read_json_list(successors_file(folder));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  Json& list = std::get<Json>(read);
  const std::size_t before = list.size();
  const WallSeconds now = wall_seconds();
  list.erase(std::remove_if(list.begin(), list.end(), [&](const Json& row) { return is_past(row, now); }),
             list.end());
  const std::string link = to_text(certified.link), party = to_text(certified.party);
  const std::string of = certified.by && *certified.by != certified.link ? to_text(*certified.by) : std::string();
  bool is_changed = list.size() != before, is_known = of.empty() && !certified.by_site;
  for (Json& row : list) {
    if (word_in(row, "link") != link) continue;
    if (word_in(row, "party") != party) return "the key is certified for " + word_in(row, "party");
    row["until"] = certified.until;
    is_changed = true;
    is_known = is_known || certified.by_site || word_in(row, "of") == of;
  }
  if (!is_known) {
    const auto own = std::ranges::count_if(list, [&](const Json& row) { return word_in(row, "party") == party; });
    if (own >= keys_max && !certified.by_site) return "too many keys were certified for it of late";
    list.push_back({{"party", party}, {"link", link}, {"of", of}, {"until", certified.until}});
  }
  if (!is_changed && is_known) return {};
  return replace_private_file(successors_file(folder), list.dump(2) + "\n");
}

OrFault<std::vector<std::string>> keys_of(const std::string& folder, const std::string& party) {
  const auto read = read_json_list(successors_file(folder));
  if (const auto* fault = std::get_if<std::string>(&read)) return *fault;
  std::vector<std::string> keys;
  for (const Json& row : std::get<Json>(read))
    if (word_in(row, "party") == party) keys.push_back(word_in(row, "link"));
  return keys;
}

OrFault<std::vector<std::string>> successors_of(const std::string& folder, const std::string& key) {
  const auto read = read_json_list(successors_file(folder));
  if (const auto* fault = std::get_if<std::string>(&read)) return *fault;
  std::set<std::string> found{key};
  std::vector<std::string> order, open{key};
  while (!open.empty()) {
    const std::string of = std::move(open.back());
    open.pop_back();
    for (const Json& row : std::get<Json>(read)) {
      std::string link = word_in(row, "link");
      if (word_in(row, "of") != of || !found.insert(link).second) continue;
      order.push_back(link);
      open.push_back(std::move(link));
    }
  }
  return order;
}

}  // namespace dmm
