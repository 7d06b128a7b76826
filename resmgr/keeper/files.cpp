// Directories of jobs. All names are relative to an open folder, and are opened with O_NOFOLLOW.
#include "resmgr/keeper/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resmgr/keeper/address.hpp"

namespace dmm::keeper {
namespace {

constexpr int as_folder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int depth_max = 64;  // of open descriptors while removing
constexpr std::size_t outcome_max = 64 * 1024;
constexpr const char* unfinished = ".unfinished";  // no job's name begins with a dot

int make_folder(int parent, const char* name) {
  if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST) return -1;
  return openat(parent, name, as_folder);
}

int make_file(int parent, const char* name) {
  return openat(parent, name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// 0 or an errno.
int make_script(int directory, const JobTexts& texts) {
  if (texts.script_name.empty()) return 0;
  const int file = make_file(directory, std::string(texts.script_name).c_str());
  if (file < 0) return errno;
  const int fault = write_all(file, texts.script) && fchmod(file, 0700) == 0 ? 0 : errno;
  close(file);
  return fault;
}

// Makes the input, open for reading alone and without a name; 0 or an errno.
int make_input(int directory, std::string_view text, int& input) {
  constexpr const char* name = "input";
  if (text.empty()) return 0;
  const int file = make_file(directory, name);
  if (file < 0) return errno;
  int fault = write_all(file, text) ? 0 : errno;
  close(file);
  if (fault == 0 && (input = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)) < 0) fault = errno;
  unlinkat(directory, name, 0);
  return fault;
}

// Opens a folder for emptying, even if the job took away its own right to.
int open_to_empty(int parent, const char* name) {
  int folder = openat(parent, name, as_folder);
  if (folder < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
    folder = openat(parent, name, as_folder);
  if (folder >= 0) fchmod(folder, 0700);
  return folder;
}

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

// Moves an entry to `top` under a name that isn't taken there.
bool move_to(int parent, const char* name, int top, std::uint64_t& counter) {
  char target[64];
  for (int tries = 0; tries < 1000; ++tries) {
    std::snprintf(target, sizeof target, "%ld-%llu", static_cast<long>(getpid()),
                  static_cast<unsigned long long>(++counter));
    if (renameat2(parent, name, top, target, RENAME_NOREPLACE) == 0) return true;
    // Some file systems don't know the flag.
    if (errno == EINVAL && renameat(parent, name, top, target) == 0) return true;
    if (errno != EEXIST && errno != ENOTEMPTY) return false;
  }
  return false;
}

// Removes the entries of a folder and closes it. Entries that lie too deep are moved to the top, for the next pass:
// then true.
bool empty_folder(int folder, int top, int depth, std::uint64_t& counter) {
  DIR* const listing = fdopendir(folder);
  if (!listing) return close(folder), false;
  bool again = false;
  while (const dirent* const entry = readdir(listing)) {
    if (is_dots(entry->d_name) || unlinkat(folder, entry->d_name, 0) == 0) continue;
    if (errno != EISDIR && errno != EPERM) continue;
    if (depth >= depth_max) {
      again = move_to(folder, entry->d_name, top, counter) || again;
      continue;
    }
    const int inner = open_to_empty(folder, entry->d_name);
    if (inner >= 0) again = empty_folder(inner, top, depth + 1, counter) || again;
    unlinkat(folder, entry->d_name, AT_REMOVEDIR);
  }
  closedir(listing);
  return again;
}

// The names in an open folder, which stays open.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  DIR* const listing = fdopendir(openat(folder, ".", as_folder));
  if (!listing) return names;
  while (const dirent* const entry = readdir(listing))
    if (!is_dots(entry->d_name)) names.emplace_back(entry->d_name);
  closedir(listing);
  return names;
}

// A job could have given the name to a file that it may not read itself.
bool have_one_owner(int one, int other) {
  struct stat first {
  }, second{};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_uid == second.st_uid;
}

int open_stream(int directory, Stream stream) {
  const char* const name = stream == Stream::output ? "output" : "error";
  return openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

// 0 or an errno. The directory is the last: until then it has nothing of the job's account.
int give_to(FileOwner owner, int directory, const JobTexts& texts, const JobFiles& files) {
  if (owner.uid == 0) return 0;
  for (const std::string& name : {std::string(work_name), std::string(texts.script_name)})
    if (!name.empty() && fchownat(directory, name.c_str(), owner.uid, owner.group, AT_SYMLINK_NOFOLLOW) != 0)
      return errno;
  for (const int file : {files.output, files.error, files.input, directory})
    if (file >= 0 && fchown(file, owner.uid, owner.group) != 0) return errno;
  return 0;
}

std::uint64_t size_of(int file) {
  struct stat facts {};
  const bool is_there = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  return is_there ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

FilePart read_part(int file, std::uint64_t offset, std::size_t length) {
  FilePart part;
  part.size = size_of(file);
  if (offset >= part.size || length == 0) return part;
  part.data.resize(std::min<std::uint64_t>(length, part.size - offset));
  const ssize_t count = pread(file, part.data.data(), part.data.size(), static_cast<off_t>(offset));
  part.data.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return part;
}

FilePart read_stream(int directory, Stream stream, std::uint64_t offset, std::size_t length) {
  // The job could have put a symbolic link, a pipe or another account's file in the file's place.
  const int file = open_stream(directory, stream);
  FilePart part;
  if (file >= 0 && have_one_owner(directory, file)) part = read_part(file, offset, length);
  if (file >= 0) close(file);
  return part;
}

std::string fault_of(const std::string& path) { return "can't open " + path + ": " + std::strerror(errno); }

}  // namespace

JobFiles::~JobFiles() {
  for (const int descriptor : {output, error, input})
    if (descriptor >= 0) close(descriptor);
}

std::string JobFolder::open(const std::string& state, bool fresh) {
  prefix_ = state + "/jobs/";
  state_ = ::open(state.c_str(), as_folder);
  if (state_ < 0) return fault_of(state);
  removed_ = make_folder(state_, "removed");
  if (removed_ < 0) return fault_of(state + "/removed");
  if (fresh) {
    for (const char* const name : {"jobs", "outcomes"})
      if (!put_away(state_, name) && errno != ENOENT) return fault_of(state + '/' + name);
    has_removed_ = true;  // perhaps by an earlier keeper that didn't get to removing it
  }
  jobs_ = make_folder(state_, "jobs");
  return jobs_ < 0 ? fault_of(prefix_) : std::string();
}

std::string JobFolder::open_outcomes(const std::string& state) {
  outcomes_ = make_folder(state_, "outcomes");
  return outcomes_ < 0 ? fault_of(state + "/outcomes") : std::string();
}

void JobFolder::put_away_old(const std::function<bool(const std::string& name)>& stays) {
  put_away_in(jobs_, stays);
  put_away_in(outcomes_, stays);
  has_removed_ = true;
}

void JobFolder::put_away_in(int folder, const std::function<bool(const std::string& name)>& stays) {
  for (const std::string& name : names_in(folder))
    if (!stays(name)) put_away(folder, name.c_str());
}

bool JobFolder::put_away(int folder, const char* name) { return move_to(folder, name, removed_, put_away_); }

bool JobFolder::let_through() const { return fchmod(state_, 0711) == 0 && fchmod(jobs_, 0711) == 0; }

int JobFolder::make(const std::string& name, const JobTexts& texts, FileOwner owner, JobFiles& files) {
  if (mkdirat(jobs_, name.c_str(), 0700) != 0) return errno;
  const int directory = openat(jobs_, name.c_str(), as_folder);
  if (directory < 0) return errno;
  int fault = 0;
  if (mkdirat(directory, work_name, 0700) != 0 || (files.output = make_file(directory, "output")) < 0 ||
      (files.error = make_file(directory, "error")) < 0)
    fault = errno;
  if (fault == 0) fault = make_input(directory, texts.input, files.input);
  if (fault == 0) fault = make_script(directory, texts);
  // Until the job's account has the directory, the streams can't be other files.
  if (fault == 0) hold_streams(name, directory);
  if (fault == 0) fault = give_to(owner, directory, texts, files);
  if (fault != 0) release_streams(name);
  close(directory);
  return fault;
}

// Streams are held with at most half of the descriptors that there may be: connections, and starts of jobs, need some,
// too.
std::size_t JobFolder::held_max() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur / 4 : 0;
}

void JobFolder::hold_streams(const std::string& name, int directory) {
  std::array<int, 2> held{-1, -1};
  if (streams_.size() < held_max())
    held = {open_stream(directory, Stream::output), open_stream(directory, Stream::error)};
  streams_[name] = held;
}

void JobFolder::job_ended(const std::string& name) {
  if (streams_.size() > held_max() / 2) release_streams(name);
}

void JobFolder::release_streams(const std::string& name) {
  const auto held = streams_.find(name);
  if (held == streams_.end()) return;
  for (const int file : held->second)
    if (file >= 0) close(file);
  streams_.erase(held);
}

StreamSizes JobFolder::stream_sizes(const std::string& name) const {
  const auto held = streams_.find(name);
  if (held == streams_.end()) return {};
  return {size_of(held->second[0]), size_of(held->second[1])};
}

FilePart JobFolder::read(const std::string& name, Stream stream, std::uint64_t offset, std::size_t length) const {
  if (const auto held = streams_.find(name); held != streams_.end())
    return read_part(held->second.at(static_cast<std::size_t>(stream)), offset, length);
  const int directory = openat(jobs_, name.c_str(), as_folder);
  if (directory < 0) return {};
  FilePart part = read_stream(directory, stream, offset, length);
  close(directory);
  return part;
}

bool JobFolder::remove(const std::string& name) {
  release_streams(name);
  const int directory = openat(jobs_, name.c_str(), as_folder);
  if (directory < 0) return false;
  unlinkat(directory, "output", 0);
  unlinkat(directory, "error", 0);
  unlinkat(directory, work_name, AT_REMOVEDIR);
  close(directory);
  if (unlinkat(jobs_, name.c_str(), AT_REMOVEDIR) == 0) return false;
  return put_away(jobs_, name.c_str());
}

bool JobFolder::keep_outcome(const std::string& name, std::string_view outcome) const {
  const int file = openat(outcomes_, unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = write(file, outcome.data(), outcome.size()) == static_cast<ssize_t>(outcome.size());
  close(file);
  return written && renameat(outcomes_, unfinished, outcomes_, name.c_str()) == 0;
}

void JobFolder::remove_outcome(const std::string& name) const { unlinkat(outcomes_, name.c_str(), 0); }

std::vector<std::pair<std::string, std::string>> JobFolder::outcomes() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& name : names_in(outcomes_)) {
    const int file = openat(outcomes_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    std::string bytes(outcome_max, '\0');
    const ssize_t count = ::read(file, bytes.data(), bytes.size());
    close(file);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    found.emplace_back(name, std::move(bytes));
  }
  return found;
}

void JobFolder::empty_removed() const {
  std::uint64_t counter = 1'000'000;  // apart from the names that the keeper gives meanwhile
  for (int passes = 0; passes < 10'000; ++passes) {
    const int folder = openat(removed_, ".", as_folder);
    if (folder < 0 || !empty_folder(folder, removed_, 0, counter)) return;
  }
}

}  // namespace dmm::keeper
