// The keeper's ends of the sockets to launchers (launcher/): a launcher says a line when it is ready, or why it
// can't be, and is told to begin by a text. A launcher that is killed says nothing; its end is seen as that of any
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

/// What a launcher said.
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

  /// A socket pair for this job: the launcher's end, which the caller closes; -1 with errno if there is none.
  int open(std::uint64_t serial);
  /// The job is over, or never was.
  void close(std::uint64_t serial);
  /// Whether the job has a launcher that isn't ready yet.
  bool awaits(std::uint64_t serial) const;
  /// What the launcher said when it was ready; empty if it has said nothing.
  std::string contact_of(std::uint64_t serial) const;
  /// Adds the sockets that are to be polled for reading.
  void add_to(std::vector<pollfd>& polled) const;
  /// The next word that a launcher has said; false if there is none.
  bool hear(LauncherWord& word);
  /// Tells a launcher that is ready to begin; false if it isn't ready, or was told before.
  bool go(std::uint64_t serial, const std::string& text);

 private:
  struct Launch {
    int socket = -1;  // -1 once it needs no socket
    bool ready = false;
    std::string said;  // what came of its line so far; its contact, once it is ready
  };
  bool read_line(Launch& launch) const;

  std::unordered_map<std::uint64_t, Launch> launches_;
};

}  // namespace dmm::keeper
