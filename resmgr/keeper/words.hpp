// The reports of the process between the keeper and a job, over one socket for all jobs. The kernel adds the sender; a
// message of the socket is one word.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace dmm::keeper {

enum class Step : std::uint8_t { none, set_up, directory, execute };

struct Word {
  enum class Kind : std::uint8_t {
    entered,  ///< by the job's leader, before it touches anything that a user named
    started,  ///< it runs the job's program
    failed,   ///< it doesn't run: step, error
    ended,    ///< it ended: status, cpu
  };
  std::uint64_t serial = 0;
  std::int64_t cpu = 0;     ///< microseconds, of the leader and the children that it waited for
  std::int32_t status = 0;  ///< as wait(2) has it
  std::int32_t error = 0;
  Kind kind = Kind::entered;
  Step step = Step::none;
  bool rests = false;  ///< with `ended`: the shim has no process any more, and takes another job
};

/// Both ends of such a socket: one for sending words, which each job's first processes inherit, and one for hearing
/// them.
class Words {
 public:
  Words();
  ~Words();
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  int saying_end() const { return ends_[1]; }
  /// Readable when there is a word.
  int hearing_end() const { return ends_[0]; }
  /// The next word and its sender; false if there is none.
  bool hear(Word& word, pid_t& process) const;

 private:
  int ends_[2] = {-1, -1};
};

/// Sends a word; false if the keeper is gone. A system call only.
bool say(int saying_end, const Word& word);

}  // namespace dmm::keeper
