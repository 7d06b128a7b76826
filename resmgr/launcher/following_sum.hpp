// The SHA-256 of a file while it grows: a thread reads what is there already, so that at the end little is left to
// be read. Where a file grows faster than it is summed up, its end is waited for.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace dmm::launcher {

class FollowingSum {
 public:
  /// Of the open file, from its first byte on; `descriptor` keeps its place and outlives this.
  explicit FollowingSum(int descriptor);
  ~FollowingSum();
  FollowingSum(const FollowingSum&) = delete;
  FollowingSum& operator=(const FollowingSum&) = delete;

  /// The file has these bytes now, and they stay as they are.
  void grew(std::uint64_t bytes);
  /// No more comes: the sum of all, as sha256_of says it; empty if the file can't be read. Once.
  std::string finish();

 private:
  void follow(int descriptor);
  /// How far the file may be read; waits for more than `read`. The same as `read`: no more comes.
  std::uint64_t wait_beyond(std::uint64_t read);

  std::mutex mutex_;
  std::condition_variable more_;
  std::uint64_t bytes_ = 0;
  bool is_whole_ = false, is_left_ = false;
  std::string sum_;
  std::thread thread_;  ///< the last: it uses the others
};

}  // namespace dmm::launcher
