// A file that is being fetched is called SHA.BYTES.part, and the process that fetches it has a lock on it. So its room
// is counted before its bytes are there, and files of dead processes are recognised.
#include "resmgr/staging/kept_files.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keys/sha256.hpp"
#include "protocol/numbers.hpp"
#include "resmgr/staging/replicas.hpp"

namespace dmm::staging {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t sum_length = 64;
constexpr std::string_view part_mark = ".part";
constexpr Duration look_again = milliseconds(100);

/// An open file, closed.
class Opened {
 public:
  explicit Opened(int descriptor) : descriptor_(descriptor) {}
  ~Opened() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

struct Entry {
  std::string path;
  std::uint64_t bytes = 0;  ///< of a file that is being fetched: its final size
  bool is_part = false;
  time_t used = 0;
};

bool is_regular(const struct stat& facts) { return S_ISREG(facts.st_mode); }

/// Files with such names: others are neither counted nor removed.
std::vector<Entry> entries_in(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (const fs::directory_entry& one : fs::directory_iterator(folder, error)) {
    const std::string name = one.path().filename();
    struct stat facts {};
    if (name.size() < sum_length || lstat(one.path().c_str(), &facts) != 0 || !is_regular(facts)) continue;
    Entry entry{one.path(), static_cast<std::uint64_t>(facts.st_size), name.ends_with(part_mark), facts.st_mtime};
    const std::string_view rest = std::string_view(name).substr(sum_length);
    if (entry.is_part && rest.size() > part_mark.size() + 1)
      parse_number(rest.substr(1, rest.size() - part_mark.size() - 1), entry.bytes);
    if (entry.is_part || rest.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

bool is_abandoned(const std::string& part) {
  const Opened file(open(part.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  return file.get() >= 0 && flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

/// Whether the open file still has that name.
bool has_name(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

bool copy_all(int from, int to, std::uint64_t bytes) {
  for (std::uint64_t copied = 0; copied < bytes;) {
    const ssize_t count = copy_file_range(from, nullptr, to, nullptr, bytes - copied, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    copied += static_cast<std::uint64_t>(count);
  }
  return true;
}

/// The visible progress of a process that fetches.
std::pair<off_t, time_t> progress_of(const std::string& part) {
  struct stat facts {};
  if (lstat(part.c_str(), &facts) != 0) return {};
  return {facts.st_size, facts.st_mtime};
}

}  // namespace

KeptFiles::KeptFiles(KeptFilesRules rules) : rules_(std::move(rules)) {
  if (!rules_.folder.empty()) folder_ = rules_.folder + '/' + std::to_string(geteuid());
}

bool KeptFiles::is_for(const InputFile& file) const {
  return !folder_.empty() && file.sha256.view().size() == sum_length && file.bytes > 0 &&
         file.bytes <= rules_.bytes_max;
}

std::string KeptFiles::path_of(const InputFile& file) const { return folder_ + '/' + std::string(file.sha256); }

/// Removes files that are too old, and then those that were used longest ago. False: files that other processes fetch
/// now leave too little room.
bool KeptFiles::make_room(std::uint64_t bytes) const {
  std::vector<Entry> entries = entries_in(folder_);
  const time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::ranges::sort(entries, {}, &Entry::used);
  std::uint64_t used = 0;
  for (const Entry& entry : entries) used += entry.bytes;
  for (const Entry& entry : entries) {
    const bool is_old = static_cast<double>(now - entry.used) > rules_.life.in_seconds();
    const bool is_wanted = entry.is_part ? !is_abandoned(entry.path) : !is_old && used + bytes <= rules_.bytes_max;
    if (is_wanted || unlink(entry.path.c_str()) != 0) continue;
    used -= entry.bytes;
  }
  return used + bytes <= rules_.bytes_max;
}

/// Opens the file for the bytes, locked; -1 with errno. EWOULDBLOCK: another process has it.
int KeptFiles::reserve(const std::string& part, std::uint64_t bytes) const {
  const Opened whole(open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (whole.get() < 0 || flock(whole.get(), LOCK_EX) != 0) return -1;
  const int early = open(part.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  const bool is_taken = early >= 0 && flock(early, LOCK_EX | LOCK_NB) != 0;
  if (early >= 0) close(early);
  if (is_taken) return errno = EWOULDBLOCK, -1;
  if (!make_room(bytes)) return errno = EDQUOT, -1;
  const int descriptor = open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor >= 0) flock(descriptor, LOCK_EX | LOCK_NB);
  return descriptor;
}

TransferFault KeptFiles::fetch(const InputFile& file, const TransferLimits& limits) const {
  const std::string path = path_of(file), part = path + '.' + std::to_string(file.bytes) + std::string(part_mark);
  const auto fault = [&] { return TransferFault{StartFault::resources, part + ": " + std::strerror(errno)}; };
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return fault();
  std::pair<off_t, time_t> seen;
  Duration silent;
  for (;;) {
    if (struct stat facts{}; lstat(path.c_str(), &facts) == 0) {
      utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
      return {};
    }
    const Opened taker(reserve(part, file.bytes));
    if (taker.get() >= 0) {
      TransferFault brought = bring(file, taker.get(), limits);
      const bool is_kept = brought.fault == StartFault::none && has_name(taker.get(), part) &&
                           rename(part.c_str(), path.c_str()) == 0;
      if (!is_kept) unlink(part.c_str());
      return brought.fault == StartFault::none && !is_kept ? fault() : brought;
    }
    if (errno != EWOULDBLOCK) return fault();
    const auto now_seen = progress_of(part);
    silent = now_seen == seen ? silent + look_again : Duration{};
    seen = now_seen;
    if (silent > limits.stall) return {StartFault::resources, part + ": the process that fetches it is silent"};
    sleep_for(look_again);
  }
}

bool KeptFiles::copy(const InputFile& file, int descriptor) const {
  const std::string path = path_of(file);
  const Opened kept(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (kept.get() < 0 || fstat(kept.get(), &facts) != 0 || !is_regular(facts)) return false;
  const bool is_whole = static_cast<std::uint64_t>(facts.st_size) == file.bytes;
  if (is_whole && !copy_all(kept.get(), descriptor, file.bytes)) return false;
  if (is_whole && sha256_of(descriptor) == file.sha256.view()) return true;
  unlink(path.c_str());
  return false;
}

}  // namespace dmm::staging
