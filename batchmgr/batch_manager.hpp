// The batch manager: watches a batch system and holds its idle nodes for DMM, by pilots that run a node agent.
// Local users come first: they get their nodes back when they want them. A manager as in manager/contract.hpp.
// Ends of commands go in, commands come out; nothing here runs a program or reads a clock.
//
// A look at the batch system gives a snapshot; the policy (lending.hpp) says what follows from it. For a node that
// is to be held, the site manager makes a token; then the batch system gets a pilot with a script that starts the
// agent. A batch manager that is restarted finds its pilots in the first snapshot. It keeps on disk how long nodes were
// idle.
//
// A batch system that doesn't answer, or says what can't be read, is a state that people see. It is looked at
// again after a pause that grows. Pilots and what runs in them go on meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "batchmgr/batch_system.hpp"
#include "batchmgr/borrower.hpp"
#include "batchmgr/idleness.hpp"
#include "batchmgr/lending.hpp"
#include "manager/contract.hpp"
#include "manager/ledger.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

struct BatchManagerEffects : Effects {
  LedgerChanges<BatchRecord> ledger;
  std::vector<CommandWanted> commands;  ///< to be run, several at a time
};

/// What people are told.
struct BatchManagerView {
  std::string fault = {};   ///< why the batch system can't be looked at; empty: it can
  Instant looked = {};      ///< when it last answered
  Duration look_took = {};  ///< what that took
  std::vector<NodeStanding> nodes = {};
  std::vector<WaitingJob> waiting = {};  ///< local jobs that nodes could help
  std::string borrow_fault = {};         ///< why the job manager can't be asked; empty: it can, or needn't be
  std::vector<GuestStanding> guests = {};
};

class BatchManager {
 public:
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding, CommandEnded>;
  using Effects = BatchManagerEffects;

  /// `system` must outlive it.
  BatchManager(BatchSettings settings, const BatchSystem& system);

  void receive(Instant now, Input input, Effects& effects);
  void receive(Instant now, Received&& message, Effects& effects);
  void settle(Instant now, Effects& effects);
  Instant next_deadline() const;

  /// The rows of its ledger, before any event.
  void restore(std::vector<BatchRecord> rows) { idleness_.restore(std::move(rows)); }
  std::vector<BatchRecord> records() const { return idleness_.records(); }
  /// Other settings from the next look on. What pilots and borrowed nodes were had under stays: why not, where these
  /// settings change it.
  WhyNot reconfigure(const BatchSettings& settings);

  BatchManagerView view() const;
  const BatchSettings& settings() const { return settings_; }
  const Ignored& ignored() const { return ignored_; }

 private:
  /// What a command is for.
  enum class Purpose : std::uint8_t {
    look,
    guests,
    token,
    hold,
    recall,
    withdraw,
    prolong,
    attach,
    evict,
    cancel,
    expect
  };
  /// How what is ordered of borrowed nodes is run and told.
  struct Borrowed {
    Borrower::Kind kind;
    Purpose purpose;
    std::string_view event;
  };
  static constexpr std::array<Borrowed, 3> borrowed{
      Borrowed{Borrower::Kind::attach, Purpose::attach, "node_borrowed"},
      Borrowed{Borrower::Kind::evict, Purpose::evict, "node_evicted"},
      Borrowed{Borrower::Kind::cancel, Purpose::cancel, "node_returned"}};
  struct Running {
    Purpose purpose = Purpose::look;
    std::string subject;    ///< the node's name, or the pilot's id
    std::size_t place = 0;  ///< of a look: which of its commands
  };
  /// A pilot that was submitted and isn't in a snapshot yet, or that was seen in one.
  struct Submitted {
    PilotId id;         ///< empty: not submitted yet
    Instant at;         ///< when it was, or was begun
    bool seen = false;  ///< in a snapshot
    bool told = false;  ///< to give its node back, or withdrawn
  };
  struct Expected {
    Instant until;  ///< local jobs are likely to do without the node
    Instant told;
  };
  struct Failures {
    std::string why;
    Duration pause;
    Instant until;
  };

  /// The looks at the batch system: the one that goes on, and the last that ended.
  struct Looking {
    Instant next{}, began{};
    std::vector<std::optional<std::string>> outputs;  ///< by command, of the look that goes on; empty: none does
    Duration pause{};                                 ///< after a look that failed; 0: the last one didn't
    std::string fault;                                ///< of the last look; empty: it succeeded
    Instant succeeded{};                              ///< the last one that did
    Duration took{};
  };

  void run(Purpose purpose, std::string subject, Command command, Effects& effects, std::size_t place = 0);
  void look(Instant now, Effects& effects);
  void take_look(Instant now, std::size_t place, CommandEnded& ended, Effects& effects);
  void take_guests(const CommandEnded& ended, Effects& effects);
  void borrow(Instant now, Effects& effects);
  Borrower::Site borrowing_site() const { return {settings_, *system_}; }
  void take_snapshot(Instant now, Snapshot snapshot, Effects& effects);
  void look_failed(Instant now, std::string why, Effects& effects);
  void follow_pilots(Instant now, const Snapshot& snapshot, Effects& effects);
  void note_idle(Instant now, const Snapshot& snapshot, Effects& effects);
  void note_likely(Instant now);
  void tell_likely(Instant now, Effects& effects);
  void carry_out(Instant now, const LendingDecision& decision, Effects& effects);
  void ask_token(Instant now, const std::string& node, Effects& effects);
  void take_token(Instant now, const std::string& node, const CommandEnded& ended, Effects& effects);
  void take_held(Instant now, const std::string& node, const CommandEnded& ended, Effects& effects);
  void tell(Instant now, Purpose purpose, const std::vector<PilotId>& pilots, Effects& effects);
  void failed(Instant now, const std::string& node, std::string why, Effects& effects);
  const BatchNode* find_node(const std::string& name) const;
  std::string script_for(const BatchNode& node, const std::string& token) const;

  BatchSettings settings_;
  const BatchSystem* system_;
  Looking looking_;
  Snapshot snapshot_;
  LendingPast past_;
  Idleness idleness_;
  std::int64_t clock_seconds_ = 0;            ///< since 1970, when the last command ended
  std::map<std::string, Expected> expected_;  ///< what the site manager was told last, by node
  std::vector<NodeStanding> standings_;
  std::map<std::string, Submitted> submitted_;  ///< by node
  std::map<std::string, Failures> failures_;    ///< by node
  std::map<PilotId, Instant> told_;             ///< when a pilot was last told something
  Borrower borrower_;
  std::map<std::uint64_t, Running> running_;
  std::uint64_t last_command_ = 0;
  std::uint32_t minute_ = 0;
  Ignored ignored_;
};

}  // namespace dmm
