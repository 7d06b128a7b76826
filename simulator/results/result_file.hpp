// A file that is written from its beginning to its end, in large pieces. A fault is kept until close(), because rows
// are written in the middle of a simulation, which shouldn't stop there.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace dmm {

class ResultFile {
 public:
  /// Replaces an existing file.
  explicit ResultFile(std::string path);

  void write(std::string_view text);
  /// Writes the rest. Returns why the file isn't complete, with its path; empty if it is.
  std::string close();

 private:
  void flush();

  std::string path_;
  std::ofstream file_;
  std::string waiting_;
};

/// Writes a whole file. Returns why that failed; empty if it didn't.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace dmm
