// Which parties are in contact with the resource manager, and when silence makes it end work by itself. A task is
// ended when its job manager's link and the owner's link have both been down for a term. Contact with one of the
// two keeps a task going. A detached task needs contact with its job manager, since its owner no longer vouches
// for it. Beats don't reach the manager: it knows of contact by links that go up and down, and by messages.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "manager/lookup.hpp"
#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

class Presence {
 public:
  Presence(Party owner, Duration term) : owner_(std::move(owner)), term_(term) {}

  void set_term(Duration term) { term_ = term; }
  void up(const Party& peer);
  /// The peer's link is down, and the peer wasn't heard after `since`.
  void down(Instant since, const Party& peer);
  /// A message came, which counts as contact even while the link is thought to be down.
  void heard(Instant now, const Party& peer);
  bool owner_is_up() const { return owner_contact_.up; }
  /// A round trip to the owner as measured; longer ones than a site believes are cut.
  void note_round_trip(Duration round_trip) { owner_round_trip_ = std::min(round_trip, round_trip_max); }
  /// 0: not known.
  Duration owner_round_trip() const { return owner_round_trip_; }

  /// From now the task depends on contact with its job manager or the owner.
  void watch(Instant now, const Party& job_manager, std::uint64_t task);
  /// From now it depends on contact with its job manager alone. No-op if it isn't watched.
  void detach(const Party& job_manager, std::uint64_t task);
  /// The task is over or being killed. No-op if it isn't watched.
  void unwatch(const Party& job_manager, std::uint64_t task);

  /// When the next task is to be ended if no manager comes back.
  Instant next_deadline() const;
  /// The tasks to be ended now; they are no longer watched.
  std::vector<std::uint64_t> take_out_of_contact(Instant now);
  /// For tests: the indices agree.
  void check_invariants() const;

 private:
  /// The parties that keep a task going by their contact.
  enum Dependence : std::size_t { on_either, on_job_manager, dependences };
  struct Contact {
    bool up = false;
    Instant since{};  ///< while the link is down: when the party was last heard
    std::array<LookupSet<std::uint64_t>, dependences> tasks;
    bool has_tasks() const { return !tasks[on_either].empty() || !tasks[on_job_manager].empty(); }
  };
  using Contacts = std::map<Party, Contact>;

  void add_to_index(const Contacts::value_type& entry);
  void remove_from_index(const Contacts::value_type& entry);
  /// Back into the index, or out of everything if it is of no more use.
  void keep_or_drop(Contacts::iterator entry);
  Instant next_deadline(Dependence dependence) const;

  Party owner_;
  Duration term_;
  Contact owner_contact_;
  Duration owner_round_trip_;
  Contacts job_managers_;  ///< those that are up or have tasks
  /// Those that are down and have tasks of each dependence, by `since`.
  std::array<std::set<std::pair<Instant, Party>>, dependences> silent_;
};

}  // namespace dmm
