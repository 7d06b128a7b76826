// The few files that daemons write for themselves and for users. A crash leaves the old or the new text, and never half
// of it. Errors are texts that name the file; an empty text is success.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dmm {

/// The bytes of a file of at most `bytes_max`; nothing if it can't be read or is longer.
std::optional<std::string> read_small_file(const std::string& path, std::size_t bytes_max);

/// The first bytes of a file, at most `bytes_max`; nothing if it can't be read.
std::string read_head(const std::string& path, std::size_t bytes_max);

/// Replaces a file's content at once: the new content is written beside it, synced, and renamed over it.
std::string replace_file(const std::string& path, std::string_view content);
/// The same for a file that its owner alone may read and write.
std::string replace_private_file(const std::string& path, std::string_view content);

/// Renames a file that is synced itself, so that the new name survives the end of the machine.
std::string rename_synced(const std::string& from, const std::string& to);

/// A piece of a user's file. A new file is made for its owner alone; an existing file keeps its mode.
struct FilePiece {
  std::string path;
  std::uint64_t offset = 0;
  std::string data;
  bool begins = false;      ///< the file is emptied first
  bool appends = false;     ///< written to the end of the file, whatever the offset says
  bool syncs = false;       ///< all that was written to the file so far is synced, too
  bool own_folder = false;  ///< its folder is the manager's own: it is made again if it is gone
};

/// Writes a piece. A symbolic link at the path itself isn't followed. Only regular files and /dev/null are written to.
/// A piece that starts behind the end of its file is refused: something that was written before is gone. The name of a
/// new file isn't safe before `sync_parent_of`.
std::string write_piece(const FilePiece& piece);

/// The folder part of a path, as the path writes it.
std::string parent_folder(const std::string& path);

/// Syncs the folder of a path: names that were made or renamed there survive the end of the machine.
std::string sync_parent_of(const std::string& path);

/// Makes a directory and those above it.
std::string make_directory(const std::string& path);

/// Makes a directory for its owner alone; an existing one keeps its mode.
std::string make_private_directory(const std::string& path);

/// A number that only grows, over all restarts. Numbers are handed out from blocks, and the end of a block is in a file
/// before it is used. So a crash skips numbers but never repeats any.
class NumberFile {
 public:
  NumberFile(std::string path, std::uint64_t block) : path_(std::move(path)), block_(block) {}

  /// Reads the file and reserves the first block.
  std::string open();
  /// The first number of this start: larger than all numbers before.
  std::uint64_t first() const { return first_; }
  /// Numbers below `next` have been handed out: reserves further blocks before the reserved ones run out.
  std::string used_below(std::uint64_t next);
  /// The last call, at a clean end: numbers from `next` on were not handed out, so none need be skipped.
  std::string close(std::uint64_t next);

 private:
  std::string path_;
  std::uint64_t block_;
  std::uint64_t first_ = 1;
  std::uint64_t reserved_below_ = 1;
};

}  // namespace dmm
