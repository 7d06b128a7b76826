#include "jobmgr/files/direct_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace dmm {
namespace {

/// Of one file; 32 come at a time.
constexpr std::size_t pieces_max = 3;
/// The disk is told so often of what went to the kernel's memory: at the end little is left to wait for.
constexpr std::uint64_t synced_at_once = 1 << 23;

/// Others, as NFS, gather what is written better than a thread that waits for each piece.
bool is_of_local_disk(int descriptor) {
  struct statfs is {};
  return fstatfs(descriptor, &is) == 0 && (is.f_type == EXT4_SUPER_MAGIC || is.f_type == XFS_SUPER_MAGIC);
}

}  // namespace

DirectWriter::DirectWriter(int descriptor, std::uint64_t from)
    : descriptor_(descriptor), written_(from), synced_(from), can_be_direct_(is_of_local_disk(descriptor)) {
  next_.begin = next_.end = from % block_bytes;
}

DirectWriter::~DirectWriter() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool DirectWriter::add(const char* bytes, std::size_t count) {
  while (count > 0) {
    if (!next_.memory) next_.memory = std::make_unique_for_overwrite<Memory>();
    const std::size_t some = std::min(count, piece_bytes - next_.end);
    std::memcpy(next_.memory->bytes.data() + next_.end, bytes, some);
    next_.end += some, bytes += some, count -= some;
    if (next_.end == piece_bytes && !hand_over()) return false;
  }
  return true;
}

int DirectWriter::flush() {
  if (next_.end > next_.begin && thread_.joinable()) {
    hand_over();
  } else if (next_.end > next_.begin && error_ == 0) {
    error_ = write_piece(next_);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return pieces_.empty(); });
  next_.begin = next_.end = written_ % block_bytes;
  return error_;
}

bool DirectWriter::hand_over() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pieces_.size() < pieces_max; });
    if (error_ != 0) return next_.begin = next_.end = 0, false;
    pieces_.push_back(std::exchange(next_, {}));
    if (!spare_.empty()) {
      next_.memory = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { write_pieces(); });
  changed_.notify_all();
  return true;
}

void DirectWriter::write_pieces() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !pieces_.empty() || is_over_; });
    if (is_over_) return;
    if (error_ == 0) {
      const Piece& piece = pieces_.front();
      lock.unlock();
      const int error = write_piece(piece);
      lock.lock();
      error_ = error;
    }
    spare_.push_back(std::move(pieces_.front().memory));
    pieces_.pop_front();
    changed_.notify_all();
  }
}

/// Only whole blocks can go to the disk itself.
int DirectWriter::write_piece(const Piece& piece) {
  const std::size_t first = std::min((piece.begin + block_bytes - 1) / block_bytes * block_bytes, piece.end);
  const std::size_t last = std::max(piece.end / block_bytes * block_bytes, first);
  int error = write_part(piece, piece.begin, first, false);
  if (error == 0) error = write_part(piece, first, last, true);
  if (error == 0) error = write_part(piece, last, piece.end, false);
  begin_sync();
  return error;
}

int DirectWriter::write_part(const Piece& piece, std::size_t begin, std::size_t end, bool is_direct) {
  while (begin < end) {
    const bool is_whole = begin % block_bytes == 0 && end % block_bytes == 0;
    if (!set_direct(is_direct && is_whole && can_be_direct_)) return errno;
    const ssize_t some = ::write(descriptor_, piece.memory->bytes.data() + begin, end - begin);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0 && errno == EINVAL && is_direct_) {
      can_be_direct_ = false;
      continue;
    }
    if (some <= 0) return some < 0 ? errno : EIO;
    begin += static_cast<std::size_t>(some);
    written_ += static_cast<std::uint64_t>(some);
  }
  return 0;
}

bool DirectWriter::set_direct(bool is_direct) {
  if (is_direct == is_direct_) return true;
  const int flags = fcntl(descriptor_, F_GETFL);
  if (flags < 0 || fcntl(descriptor_, F_SETFL, is_direct ? flags | O_DIRECT : flags & ~O_DIRECT) != 0) {
    if (!is_direct) return false;
    can_be_direct_ = false;
    return true;
  }
  is_direct_ = is_direct;
  return true;
}

void DirectWriter::begin_sync() {
  if (can_be_direct_ || written_ - synced_ < synced_at_once) return;
  sync_file_range(descriptor_, static_cast<off_t>(synced_), static_cast<off_t>(written_ - synced_),
                  SYNC_FILE_RANGE_WRITE);
  synced_ = written_;
}

}  // namespace dmm
