// The resource manager: obeys its owner first, runs only what a lease allows, and tells the outcome. A
// manager as in manager/contract.hpp. Messages from its site manager and from job managers of any site go in, and
// reports of the backend; orders to the backend, messages and log events come out. Nothing here starts a process
// or reads a clock.
//
// Nodes are under one lease at a time, compared by epoch (slots.hpp). A Start waits, parked, until its lease is
// assigned and its nodes are clean. A node counts as clean when the backend reported the end of what ran on it. A
// lease that has all its nodes here, and no job, goes back to the owner after a while (idle_leases.hpp). Work ends
// when its owner and its job manager are both out of contact (presence.hpp). Nodes that swallow jobs are set aside
// (black_holes.hpp).
//
// This class is the gate, the order of a step and the public face; its state is in parts (resource_step.hpp).
// Handlers only record and order what can't wait; `settle` then starts what has become possible, once a batch, and
// writes what changed into the ledger.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "manager/contract.hpp"
#include "protocol/or_fault.hpp"
#include "resmgr/resource_step.hpp"

namespace dmm {

class ResourceManager {
 public:
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding, TaskStarted, TaskEnded,
                             OutputRead, OutputGrew, FilesFetched>;
  using Effects = ResourceManagerEffects;

  /// `keep`: tasks go on for so long without this manager; 0: for a term.
  explicit ResourceManager(ResourceManagerSettings settings, Duration keep = {});
  // Defined in the .cpp: here, each file that moves or destroys a manager would compile them for all members.
  ResourceManager(ResourceManager&&) noexcept;
  ResourceManager& operator=(ResourceManager&&) noexcept;
  ~ResourceManager();

  /// What people are told of a task that was lost with its keeper.
  static constexpr std::string_view keeper_died_text = dmm::keeper_died_text;

  /// Goes on where an earlier start of the manager ended: once, before any event. `living` are the tasks that the
  /// backend still has; `keeper_died`: what is missing there was lost with its keeper. What is to be said and ordered
  /// follows at `settle` and when links come up.
  void restore(Instant now, std::vector<ResourceRecord> rows, const std::vector<LivingTask>& living,
               bool keeper_died = false);
  /// All rows that the ledger must hold after a settle.
  std::vector<ResourceRecord> records() const;

  void receive(Instant now, Input input, Effects& effects);
  /// The same of a message, which is most of what comes.
  void receive(Instant now, Received&& message, Effects& effects);
  void settle(Instant now, Effects& effects);
  Instant next_deadline() const;

  /// Ends everything and starts nothing more, for a shutdown. Whether nothing runs any more; call it again after
  /// reports of the backend until that is so.
  bool stop_all(Instant now, Duration grace, Effects& effects);
  /// Gives all nodes back to their other users, for a shutdown: its owner places nothing more on them and reclaims
  /// the leases, so that no job is charged for it. `why` is shown to people. Whether all is given back; call it
  /// again until that is so.
  bool hand_back(Instant now, Duration grace, const std::string& why, Effects& effects);
  /// Takes other settings, but for its name and site: other nodes are offered, and what is no node any more is left by
  /// its lease, and what runs there is ended. Empty, or why they can't be taken, and then nothing changed.
  WhyNot reconfigure(Instant now, const ResourceManagerSettings& settings, Effects& effects);

  ResourceManagerView view() const;
  const ResourceManagerSettings& settings() const { return parts_.settings; }
  const Ignored& ignored() const { return parts_.ignored; }
  /// Recounts the whole state; `settle` itself only checks what changed. For tests and the simulator's checkers.
  void check_invariants() const;

 private:
  ResourceStep begin(Instant now, Effects& effects);

  ResourceParts parts_;
};

}  // namespace dmm
