// Bytes from zlib, which passes plain files through, cut at newlines.
#include "workloads/lines.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstring>

namespace dmm {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

}  // namespace

// 'e' (close on exec) keeps the file out of processes that a runner starts.
LineFile::LineFile(const std::string& path) : file_(gzopen(path.c_str(), "rbe")), buffer_(buffer_bytes) {
  if (file_ != nullptr) gzbuffer(file_, buffer_bytes);
}

LineFile::~LineFile() {
  if (file_ != nullptr) gzclose_r(file_);
}

bool LineFile::advance() {
  line_.clear();
  is_too_long_ = false;
  while (true) {
    if (used_ == held_ && !fill()) {
      if (!fault_.empty() || line_.empty()) return false;
      return ++number_, true;
    }
    const char* const begin = buffer_.data() + used_;
    const auto* const newline = static_cast<const char*>(std::memchr(begin, '\n', held_ - used_));
    const char* const end = newline != nullptr ? newline : buffer_.data() + held_;
    const auto length = static_cast<std::size_t>(end - begin);
    append({begin, length});
    used_ += length;
    if (newline != nullptr) return ++used_, ++number_, true;
  }
}

void LineFile::append(std::string_view part) {
  const std::size_t room = line_bytes_max - line_.size();
  if (part.size() > room) is_too_long_ = true;
  line_.append(part.substr(0, room));
}

bool LineFile::fill() {
  used_ = held_ = 0;
  const int count = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  if (count > 0) held_ = static_cast<std::size_t>(count);
  if (held_ > 0) return true;
  int code = Z_OK;
  const char* const text = gzerror(file_, &code);
  if (code == Z_BUF_ERROR)
    fault_ = "truncated: the compressed data ends early";
  else if (code == Z_ERRNO)
    fault_ = std::string("can't be read: ") + std::strerror(errno);
  else if (code != Z_OK || count < 0)
    fault_ = std::string("corrupt compressed data: ") + text;
  return false;
}

}  // namespace dmm
