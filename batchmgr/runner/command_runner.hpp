// Runs commands as processes of their own, each with a time limit, and tells their ends. What a command says goes
// into memory files, so no command waits for us, and none is waited for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "batchmgr/commands.hpp"

namespace dmm {

class CommandRunner {
 public:
  CommandRunner();
  ~CommandRunner();  ///< kills what runs
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  /// Readable when `take` has something to tell, or a time limit is over.
  int descriptor() const { return poll_set_; }
  void run(CommandWanted wanted);
  /// Commands that ended since the last call. `minute`, of the day, is stamped on them.
  std::vector<CommandEnded> take();

  /// Of all that a command says on one stream; what is beyond is cut off.
  static constexpr std::size_t output_max = 16 * 1024 * 1024;

 private:
  struct Process {
    int handle = -1, timer = -1, output = -1, error = -1;
    std::int32_t id = 0;
    std::int64_t began = 0;  ///< microseconds of the monotonic clock
    bool is_late = false;
  };
  void start(const CommandWanted& wanted);
  void fail(std::uint64_t id, std::string why);
  CommandEnded collect(std::uint64_t id, Process& process);

  int poll_set_ = -1;
  int bell_ = -1;  ///< commands that couldn't be started
  std::map<std::uint64_t, Process> running_;
  std::vector<CommandWanted> waiting_;  ///< beyond the number that run at once
  std::vector<CommandEnded> failed_;
};

/// Runs them at once, each for so long at most, and waits for all; their ends in the same order.
std::vector<CommandEnded> run_all(std::vector<Command> commands, Duration at_most);

/// The folder of the program that runs now.
std::string folder_of_programs();

}  // namespace dmm
