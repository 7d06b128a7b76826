// Plain system calls with errors as texts; see files.hpp.
#include "runtime/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace dmm {
namespace {

class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// The text of an error, made without memory that threads share: threads write the output.
std::string fault_text(std::string_view what, const std::string& path, int error) {
  return std::string(what) + ' ' + path + ": " + std::generic_category().message(error);
}

bool write_all(int file, std::string_view data, off_t offset) {
  while (!data.empty()) {
    const ssize_t written = ::pwrite(file, data.data(), data.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
  return true;
}

std::optional<std::string> read_at_most(const std::string& path, std::size_t bytes_max) {
  const File file(path, O_RDONLY);
  if (!file.is_open()) return std::nullopt;
  std::string content(bytes_max, '\0');
  std::size_t length = 0;
  while (length < content.size()) {
    const ssize_t got = ::read(file.descriptor(), content.data() + length, content.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  content.resize(length);
  return content;
}

}  // namespace

std::optional<std::string> read_small_file(const std::string& path, std::size_t bytes_max) {
  std::optional<std::string> content = read_at_most(path, bytes_max + 1);
  if (content && content->size() > bytes_max) content.reset();
  return content;
}

std::string read_head(const std::string& path, std::size_t bytes_max) {
  return read_at_most(path, bytes_max).value_or(std::string());
}

namespace {

std::string replace_file_with_mode(const std::string& path, std::string_view content, unsigned mode) {
  const std::string beside = path + ".new";
  {
    ::unlink(beside.c_str());  // a file of an earlier try would keep its mode
    const File file(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (!file.is_open()) return fault_text("cannot write", beside, errno);
    if (!write_all(file.descriptor(), content, 0) || ::fdatasync(file.descriptor()) != 0)
      return fault_text("cannot write", beside, errno);
  }
  return rename_synced(beside, path);
}

}  // namespace

std::string replace_file(const std::string& path, std::string_view content) {
  return replace_file_with_mode(path, content, 0644);
}

std::string replace_private_file(const std::string& path, std::string_view content) {
  return replace_file_with_mode(path, content, 0600);
}

std::string rename_synced(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return fault_text("cannot replace", to, errno);
  return sync_parent_of(to);
}

std::string parent_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string sync_parent_of(const std::string& path) {
  const File file(parent_folder(path), O_RDONLY | O_DIRECTORY);
  if (!file.is_open() || ::fsync(file.descriptor()) != 0)
    return fault_text("cannot sync the folder of", path, errno);
  return {};
}

std::string write_piece(const FilePiece& piece) {
  const std::string& path = piece.path;
  if (path.empty()) return "cannot write: no file is named";
  // O_NONBLOCK: a pipe without a reader must not hold up the daemon before it is recognised below.
  const File file(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
  if (!file.is_open() && errno == ENOENT && piece.own_folder) {
    if (std::string fault = make_private_directory(parent_folder(path)); !fault.empty()) return fault;
    FilePiece again = piece;
    again.own_folder = false;
    return write_piece(again);
  }
  if (!file.is_open() && errno == ELOOP)
    return "cannot write " + path + ": a symbolic link, which is not followed";
  if (!file.is_open()) return fault_text("cannot write", path, errno);
  struct stat state {};
  if (::fstat(file.descriptor(), &state) != 0) return fault_text("cannot write", path, errno);
  if (!S_ISREG(state.st_mode))
    return path == "/dev/null" ? std::string{} : "cannot write " + path + ": not a regular file";
  if (!piece.begins && !piece.appends && piece.offset > static_cast<std::uint64_t>(state.st_size))
    return "cannot go on with " + path + ": of " + std::to_string(piece.offset) +
           " bytes that were written to it only " + std::to_string(state.st_size) + " are there";
  if (piece.begins && ::ftruncate(file.descriptor(), 0) != 0) return fault_text("cannot write", path, errno);
  const off_t at = !piece.appends ? static_cast<off_t>(piece.offset) : piece.begins ? 0 : state.st_size;
  if (!write_all(file.descriptor(), piece.data, at)) return fault_text("cannot write", path, errno);
  if (piece.syncs && ::fdatasync(file.descriptor()) != 0) return fault_text("cannot sync", path, errno);
  return {};
}

std::string make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? "cannot make directory " + path + ": " + error.message() : std::string{};
}

std::string make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return sync_parent_of(path);
  return errno == EEXIST ? std::string() : fault_text("cannot make directory", path, errno);
}

std::string NumberFile::open() {
  if (const auto kept = read_small_file(path_, 64)) {
    const auto [end, error] = std::from_chars(kept->data(), kept->data() + kept->size(), first_);
    if (error != std::errc{} || first_ == 0) return path_ + " holds no number: repair or remove it";
  } else if (std::error_code error; std::filesystem::exists(path_, error)) {
    return path_ + " holds no number: repair or remove it";
  }
  reserved_below_ = first_;
  return used_below(first_);
}

std::string NumberFile::used_below(std::uint64_t next) {
  if (next + block_ / 2 < reserved_below_) return {};
  const std::uint64_t below = next + block_;
  if (std::string fault = replace_file(path_, std::to_string(below) + '\n'); !fault.empty()) return fault;
  reserved_below_ = below;
  return {};
}

std::string NumberFile::close(std::uint64_t next) { return replace_file(path_, std::to_string(next) + '\n'); }

}  // namespace dmm
