#include "resmgr/staging/following_sum.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <unistd.h>

#include "keys/sha256.hpp"

namespace dmm::staging {
namespace {

/// The thread is woken when this much more is there.
constexpr std::uint64_t step_bytes = 1024 * 1024;
constexpr std::size_t piece_bytes = 256 * 1024;

}  // namespace

FollowingSum::FollowingSum(int descriptor) : thread_([this, descriptor] { follow(descriptor); }) {}

FollowingSum::~FollowingSum() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_left_ = true;
  }
  more_.notify_one();
  thread_.join();
}

void FollowingSum::grew(std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (bytes < bytes_ + step_bytes) return;
    bytes_ = bytes;
  }
  more_.notify_one();
}

std::string FollowingSum::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_whole_ = true;
  }
  more_.notify_one();
  thread_.join();
  return std::move(sum_);
}

std::uint64_t FollowingSum::wait_beyond(std::uint64_t read) {
  std::unique_lock lock(mutex_);
  more_.wait(lock, [&] { return bytes_ > read || is_whole_ || is_left_; });
  if (is_left_) return read;
  return is_whole_ ? UINT64_MAX : bytes_;
}

void FollowingSum::follow(int descriptor) {
  Sha256 sum;
  std::array<char, piece_bytes> piece;
  std::uint64_t read = 0;
  for (;;) {
    const std::uint64_t end = wait_beyond(read);
    if (end == read) return;
    while (read < end) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - read));
      const ssize_t count = pread(descriptor, piece.data(), wanted, static_cast<off_t>(read));
      if (count < 0) return;
      if (count == 0) {
        if (end == UINT64_MAX) sum_ = sum.digits();
        return;
      }
      sum.add({piece.data(), static_cast<std::size_t>(count)});
      read += static_cast<std::uint64_t>(count);
    }
  }
}

}  // namespace dmm::staging
