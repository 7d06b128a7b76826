// The keeper's ends of the sockets to launchers (resmgr/launcher/). A launcher sends a line when it is ready, or why it
// can't be; a text tells it to begin. A launcher that is killed sends nothing: its end is noticed as that of any
// program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <poll.h>

#include "protocol/reasons.hpp"

namespace dmm::keeper {

/// The line of a launcher.
struct LauncherWord {
  std::uint64_t serial = 0;
  StartFault fault = StartFault::none;  ///< why it can't be ready
  std::string text;                     ///< its contact, or the fault in words
};

class Launches {
 public:
  Launches() = default;
  ~Launches();
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  /// Makes a socket pair for this job. Returns the launcher's end, which the caller closes; -1 with errno if there is
  /// none.
  int open(std::uint64_t serial);
  /// The job is over, or never started.
  void close(std::uint64_t serial);
  /// Whether the job has a launcher that isn't ready yet.
  bool awaits(std::uint64_t serial) const;
  /// The contact that the launcher sent when it was ready; empty if it has sent nothing.
  std::string contact_of(std::uint64_t serial) const;
  /// Adds the sockets to poll for reading.
  void add_to(std::vector<pollfd>& polled) const;
  /// The next line of a launcher; false if there is none.
  bool hear(LauncherWord& word);
  /// Tells a ready launcher to begin; false if it isn't ready, or was told before.
  bool go(std::uint64_t serial, const std::string& text);

 private:
  struct Launch {
    int socket = -1;  // -1 once it needs no socket
    bool ready = false;
    std::string said;  // the part of its line so far; its contact, once it is ready
  };
  bool read_line(Launch& launch) const;

  std::unordered_map<std::uint64_t, Launch> launches_;
};

}  // namespace dmm::keeper
