#include "simulator/results/result_file.hpp"

namespace dmm {
namespace {

constexpr std::size_t piece_bytes = 1 << 16;

}  // namespace

ResultFile::ResultFile(std::string path)
    : path_(std::move(path)), file_(path_, std::ios::binary | std::ios::trunc) {}

void ResultFile::write(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= piece_bytes) flush();
}

void ResultFile::flush() {
  file_.write(waiting_.data(), static_cast<std::streamsize>(waiting_.size()));
  waiting_.clear();
}

std::string ResultFile::close() {
  flush();
  file_.close();
  return file_ ? "" : "cannot write " + path_ + "; look at its folder's rights and at the space left";
}

std::string write_file(const std::string& path, std::string_view text) {
  ResultFile file(path);
  file.write(text);
  return file.close();
}

}  // namespace dmm
