// A file for one test, in the system's folder for temporary files.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// A file with this content; its name ends with `ending`. Removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& ending = "")
      : path_((std::filesystem::temp_directory_path() /
               ("dmm-test-" + std::to_string(getpid()) + "-" + std::to_string(++made) + ending))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  inline static int made = 0;
  std::string path_;
};
