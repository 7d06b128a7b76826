// Writes pieces of users' files in the background, so that no file system holds up a daemon. Pieces for one folder are
// written in order, and folders in parallel: a file system that hangs stops its own folders alone. The caller bounds
// the number of pieces; this class keeps all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/files.hpp"

namespace dmm {

/// The outcome of a piece.
struct FileWritten {
  std::uint64_t id = 0;
  std::string error;  ///< empty: it was written and, if that was wanted, synced
};

class FileWriter {
 public:
  using Write = std::string (*)(const FilePiece&);

  /// Tests pass another function than write_piece.
  explicit FileWriter(Write function = write_piece);
  /// Waits for nothing: pieces that aren't written yet may be lost.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Readable when there is something to take.
  int descriptor() const { return bell_; }
  void add(std::uint64_t id, FilePiece piece);
  std::vector<FileWritten> take();

  /// Folders that are written to at a time; pieces for other folders wait.
  static constexpr std::size_t threads_max = 32;

 private:
  struct Shared;
  static void serve(std::shared_ptr<Shared> shared);

  int bell_ = -1;
  std::shared_ptr<Shared> shared_;  // with the threads, which may outlive this
};

}  // namespace dmm
