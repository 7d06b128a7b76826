// A file that is written from its beginning to its end, in large pieces. What goes wrong is kept until somebody
// asks: rows are written in the middle of a simulation, which is no place to stop at.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace dmm {

class ResultFile {
 public:
  /// Replaces what is there.
  explicit ResultFile(std::string path);

  void write(std::string_view text);
  /// Writes what is left. Why the file isn't complete, with its path; empty if it is.
  std::string close();

 private:
  void flush();

  std::string path_;
  std::ofstream file_;
  std::string waiting_;
};

/// Writes a whole file. Why that failed; empty if it didn't.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace dmm
