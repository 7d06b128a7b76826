// The SHA-256 of a file while it grows. A thread reads what is there already, so that at the end little is left to be
// read. The end of the file waits for a sum that is slower.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace dmm::staging {

class FollowingSum {
 public:
  /// Of the open file, from its first byte on. The offset of `descriptor` doesn't change; it must outlive this.
  explicit FollowingSum(int descriptor);
  ~FollowingSum();
  FollowingSum(const FollowingSum&) = delete;
  FollowingSum& operator=(const FollowingSum&) = delete;

  /// The file has these bytes now, and they don't change.
  void grew(std::uint64_t bytes);
  /// The file is complete. Returns the sum of all, as sha256_of does; empty if the file can't be read. Call it once.
  std::string finish();

 private:
  void follow(int descriptor);
  /// How far the file may be read; waits for more than `read`. The same as `read`: the file is complete.
  std::uint64_t wait_beyond(std::uint64_t read);

  std::mutex mutex_;
  std::condition_variable more_;
  std::uint64_t bytes_ = 0;
  bool is_whole_ = false, is_left_ = false;
  std::string sum_;
  std::thread thread_;  ///< the last: it uses the others
};

}  // namespace dmm::staging
