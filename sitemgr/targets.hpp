// Targets (forwarding window, backoff): which neighbour is asked next for a request that this site can't serve, and how
// many delegations may be out to a neighbour at once. A Grant opens a neighbour's window by one, a Reject for lack of
// capacity halves it. From the second delegation in a row that a neighbour leaves unanswered, the neighbour isn't asked
// for a while, twice as long each time (Iosup et al. 2007, section 4.3; docs/protocol.md section 6.3).
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "matchmaking/policy.hpp"
#include "sitemgr/feasibility.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/part_key.hpp"

namespace dmm {

/// What a site wants of a neighbour, at home or on behalf of another site.
struct SearchQuery {
  PartKey key;
  const ResourceNeed* need = nullptr;
  std::uint32_t widest = 0;                  ///< processors in one cluster
  std::uint32_t dttl = 0;                    ///< hops that the request may still travel
  Duration length;                           ///< of the run, as declared; 0: not said
  const std::vector<bool>* asked = nullptr;  ///< by neighbour: those that aren't asked again
  const SiteNames* chain = nullptr;          ///< sites that the request has passed; null at home
};

/// What came of looking for a neighbour to ask.
enum class Choice : std::uint8_t {
  found,
  window_full,  ///< some could be asked, but for their windows
  none,
};

class Targets {
 public:
  /// Of one neighbour.
  struct State {
    bool pressed = false;           ///< too much waits for its acknowledgement: the neighbour isn't asked
    std::uint32_t window = 0;       ///< how many delegations may be out to it at once
    std::uint32_t outstanding = 0;  ///< how many delegations are out to it
    std::uint32_t debit = 0;        ///< how many processors these delegations ask for
    std::uint32_t silences = 0;     ///< delegations in a row that the neighbour didn't answer
    Instant backoff_until{};        ///< after these the neighbour isn't asked before this
    std::uint32_t worthless = 0;    ///< Grants in a row under which nothing started
    Instant distrusted_until{};     ///< after these the neighbour isn't asked before this

    /// The neighbour isn't asked before this.
    Instant asked_from() const { return std::max(backoff_until, distrusted_until); }
    std::uint64_t delegations_sent = 0, grants_received = 0, rejects_received = 0;
  };

  Targets(TargetPolicy policy, std::size_t neighbours, std::uint32_t window_first);
  void set_policy(TargetPolicy policy) { policy_ = policy, ++openings_; }
  void add_neighbours(std::size_t neighbours, std::uint32_t window_first);
  const State& of(std::size_t n) const { return states_[n]; }

  /// The neighbour to ask next, by the policy among those that may be asked and may have what is wanted.
  Choice choose(Instant now, const SearchQuery& query, const Feasibility::Site& site,
                const Feasibility& feasibility, std::size_t& target);

  // ---- delegations ----
  enum class Of : std::uint8_t { whole, part };
  /// A delegation of this width goes out to a neighbour. Parts go beyond the window if need be: those of one
  /// request go together or not at all, and their home site bounds how many there are.
  void sent(std::size_t n, std::uint32_t processors, Of of = Of::whole);
  /// The delegation is out no longer: answered, or withdrawn.
  void back(std::size_t n, std::uint32_t processors);

  // ---- what a neighbour does ----
  void heard_grant(std::size_t n) { ++states_[n].grants_received; }
  void heard_reject(std::size_t n) { ++states_[n].rejects_received; }
  /// It answered a delegation that was out to it.
  void answered(std::size_t n);
  void granted(std::size_t n, std::uint32_t window_max);
  void full(std::size_t n);
  /// The neighbour gave no answer in time: halves its window, and may begin a backoff.
  void silent(Instant now, std::size_t n);
  /// A lease of the neighbour was worth nothing: it doesn't serve the request, or no program started on its nodes.
  /// The neighbour isn't asked for a while, twice as long each time, whatever it answers meanwhile.
  void worthless(Instant now, std::size_t n);
  /// A lease of the neighbour served a job: earlier worthless ones don't count.
  void served(std::size_t n);
  void set_pressed(std::size_t n, bool pressed) { states_[n].pressed = pressed, ++openings_; }
  /// Its link came up: earlier silences don't count.
  void came_up(std::size_t n);
  void went_down(std::size_t n) { states_[n].pressed = false, ++openings_; }

  /// Ends the backoffs that are over: these neighbours may be asked again.
  void end_backoffs(Instant now);
  Instant next_deadline() const { return next_; }
  /// Counts up whenever a neighbour may be asked that could not be before, as far as this part knows, and whenever the
  /// pressure on a link changes.
  std::uint64_t openings() const { return openings_; }

 private:
  /// A backoff began or ended.
  void find_next();

  TargetPolicy policy_;
  std::uint64_t openings_ = 0;
  std::vector<State> states_;
  Instant next_ = never;            ///< when the first backoff ends
  std::vector<TargetView> views_;   ///< scratch
  std::vector<std::size_t> order_;  ///< scratch
};

}  // namespace dmm
