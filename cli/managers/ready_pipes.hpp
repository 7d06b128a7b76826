// How a command learns that the daemons that it starts are ready.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

/// A pipe for each daemon: a byte means that it is ready, the end without a byte that it failed.
class ReadyPipes {
 public:
  ReadyPipes() = default;
  ReadyPipes(const ReadyPipes&) = delete;
  ReadyPipes& operator=(const ReadyPipes&) = delete;
  ~ReadyPipes() {
    for (const pollfd& one : waiting_) ::close(one.fd);
  }

  /// The write end for the next daemon; close it once the daemon was started. -1 if there are no more descriptors.
  int add(std::size_t daemon) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
    waiting_.push_back({ends[0], POLLIN, 0});
    daemons_.push_back(daemon);
    return ends[1];
  }

  /// Waits for at most `at_most`; returns the first daemon that failed, if one did.
  std::optional<std::size_t> wait(Duration at_most) {
    ::poll(waiting_.data(), waiting_.size(), static_cast<int>(at_most.microseconds / 1000));
    for (std::size_t i = waiting_.size(); i-- > 0;) {
      if (waiting_[i].revents == 0) continue;
      char byte = 0;
      if (::read(waiting_[i].fd, &byte, 1) != 1) return daemons_[i];
      ::close(waiting_[i].fd);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      daemons_.erase(daemons_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return std::nullopt;
  }
  bool all_ready() const { return waiting_.empty(); }
  std::size_t slowest() const { return daemons_.front(); }

 private:
  std::vector<pollfd> waiting_;
  std::vector<std::size_t> daemons_;
};

}  // namespace dmm
