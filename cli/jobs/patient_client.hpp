// Talks to one manager through its restarts, pauses and deaths, and says on standard error which manager the command
// waits for. Gives up if the user interrupts, if the manager was never reached, or if its testbed is taken down.
#pragma once

#include <string>
#include <vector>

#include "cli/managers/managers.hpp"
#include "cli/managers/silence.hpp"
#include "cli/terminal/interrupts.hpp"
#include "runtime/client.hpp"

namespace dmm {

class PatientClient {
 public:
  /// `name`: of the client, as in ClientPool.
  PatientClient(const std::string& command, Manager manager, const std::string& name);

  /// Why the endpoint can't be used; empty if it can.
  const std::string& fault() const { return fault_; }
  const Manager& manager() const { return manager_; }

  std::uint64_t ask(const std::string& verb, const std::string& argument) { return pool_.ask(0, verb, argument); }
  std::uint64_t submit(std::vector<JobDescription> jobs) { return pool_.submit(0, std::move(jobs)); }
  /// The reply; or, after `patience`, a fault that says what to do about it.
  Reply wait(std::uint64_t token, Duration patience = forever);
  /// Sleeps for this long, unless the user interrupts.
  void pause(Duration length);

  /// Whether the manager was ever reached.
  bool reached() const { return pool_.size() > 0 && pool_.was_reached(0); }
  bool interrupted() { return interrupts_.any(); }
  const Interrupts& interrupts() const { return interrupts_; }

 private:
  static constexpr Duration forever = seconds(100LL * 365 * 24 * 3600);

  bool is_gone() const;
  Reply give_up(std::uint64_t token, Duration waited);

  Interrupts interrupts_;  // before anything that makes threads
  Manager manager_;
  ClientPool pool_;
  SilenceTeller teller_;
  std::string fault_;
};

}  // namespace dmm
