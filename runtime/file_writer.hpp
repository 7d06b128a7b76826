// Writes pieces of users' files in the background, so that no file system holds up a daemon. Pieces for one folder are
// written in order, those for others beside them: a file system that hangs stops what goes to its folders alone.
// Whoever hands pieces over bounds how many there are; this keeps all of them.
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
  std::string error;  ///< empty: it was written and, if that was wanted, is safe
};

class FileWriter {
 public:
  using Write = std::string (*)(const FilePiece&);

  /// Another function than write_piece is for tests.
  explicit FileWriter(Write function = write_piece);
  /// Waits for nothing: what isn't written by then may be or not.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Readable when there is something to take.
  int descriptor() const { return bell_; }
  void add(std::uint64_t id, FilePiece piece);
  std::vector<FileWritten> take();

  /// Folders that are written to at a time; what is for others waits.
  static constexpr std::size_t threads_max = 32;

 private:
  struct Shared;
  static void serve(std::shared_ptr<Shared> shared);

  int bell_ = -1;
  std::shared_ptr<Shared> shared_;  // with the threads, which may outlive this
};

}  // namespace dmm
