// The frames between a job's agents and programs that ask them to start others, over TCP. Both ends are of one build,
// as the keeper and its manager are; the form of the frames is the same (resmgr/keeper/frames.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "protocol/output_messages.hpp"

namespace dmm::launcher {

/// Starts a program on the agent's host. The end of the connection ends the program.
struct StartProgram {
  std::string token;  ///< the agent's
  std::vector<std::string> arguments;
  std::vector<std::string> variables;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.token, self.arguments, self.variables);
  }
};

/// The job's program is over: the agent ends with success.
struct Finish {
  std::string token;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.token);
  }
};

using Order = std::variant<StartProgram, Finish>;

/// Output of the program.
struct Wrote {
  Stream stream = Stream::output;
  std::string data;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.stream, self.data);
  }
};

/// The program is over, with this status of waitpid.
struct Over {
  std::int32_t status = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.status);
  }
};

using Report = std::variant<Wrote, Over>;

/// The parts of a contact: "10.0.0.7:40121/5f3a".
struct Contact {
  std::string host, port, token;
};
/// Without port and token, if the task has no agent.
Contact parse_contact(std::string_view contact);

}  // namespace dmm::launcher
