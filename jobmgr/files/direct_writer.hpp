// DirectWriter: writes an output file while more of it comes. On file systems of local disks a thread gives whole
// blocks to the disk itself. A copy in the kernel's memory takes as much of a processor as the cipher does, and at home
// no process waits to read it.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace dmm {

class DirectWriter {
 public:
  /// Appends to an open file that has `from` bytes; `descriptor` has O_APPEND, and must outlive this.
  DirectWriter(int descriptor, std::uint64_t from);
  /// What isn't flushed may be lost.
  ~DirectWriter();
  DirectWriter(const DirectWriter&) = delete;
  DirectWriter& operator=(const DirectWriter&) = delete;

  /// Waits where the disk is slower than what comes. False if an earlier piece couldn't be written.
  bool add(const char* bytes, std::size_t count);
  /// Waits until all is in the file, which isn't synced yet. Returns 0, or the errno of the first piece that couldn't
  /// be written.
  int flush();

 private:
  static constexpr std::size_t block_bytes = 4096, piece_bytes = std::size_t{1} << 20;
  struct alignas(block_bytes) Memory {
    std::array<char, piece_bytes> bytes;
  };
  /// Bytes lie in memory as they lie in their blocks of the file.
  struct Piece {
    std::unique_ptr<Memory> memory;
    std::size_t begin = 0, end = 0;
  };

  void write_pieces();
  bool hand_over();
  int write_piece(const Piece& piece);
  int write_part(const Piece& piece, std::size_t begin, std::size_t end, bool is_direct);
  bool set_direct(bool is_direct);
  void begin_sync();

  int descriptor_;
  Piece next_;                      ///< isn't full
  std::uint64_t written_, synced_;  ///< the end of what is in the file, and of what the disk was told
  bool can_be_direct_;
  bool is_direct_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_;  ///< the first is being written
  std::vector<std::unique_ptr<Memory>> spare_;
  int error_ = 0;
  bool is_over_ = false;
  std::thread thread_;  ///< begins with the first full piece
};

}  // namespace dmm
