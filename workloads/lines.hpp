// The lines of a text file, plain or compressed with gzip, one after the other through one buffer: memory doesn't
// grow with the file. Callers interpret the lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace dmm {

/// A file being read. Not to be used by two threads at once.
class LineFile {
 public:
  /// A longer line is cut here, and its rest is skipped.
  static constexpr std::size_t line_bytes_max = 1 << 20;

  /// Opens the file. If that fails, is_open() is false and errno says why.
  explicit LineFile(const std::string& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  bool is_open() const { return file_ != nullptr; }

  /// Moves to the next line; false at the end or at a fault. Text between the last newline and a fault isn't a line,
  /// because it may be cut in the middle of a number.
  bool advance();

  std::string_view line() const { return line_; }      ///< without its newline
  std::uint64_t number() const { return number_; }     ///< of the line in the file, from 1
  bool is_too_long() const { return is_too_long_; }    ///< the line was cut
  const std::string& fault() const { return fault_; }  ///< why reading ended early; empty if it didn't

 private:
  void append(std::string_view part);
  bool fill();

  gzFile_s* file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::size_t held_ = 0;
  std::string line_;
  std::uint64_t number_ = 0;
  bool is_too_long_ = false;
  std::string fault_;
};

}  // namespace dmm
