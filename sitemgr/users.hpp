// Users (client sessions): the job managers of this site. A job manager that falls silent keeps its nodes for a while,
// and its requests leave the queue (they are shelved) until it is heard again in the same session. In a new session it
// asks again for all that it still wants; requests that it doesn't repeat are dropped. A user may have a million
// requests waiting, so work on all of them is a chore: each step does a piece (docs/protocol.md sections 6.2 and 8.18).
//
// This part knows sessions, what each holds, and which request a chore comes to next. The manager does what that means
// for the queue, for leases and for delegations that are out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/or_fault.hpp"
#include "sitemgr/deadlines.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/request_queue.hpp"
#include "sitemgr/settings.hpp"
#include "sitemgr/user_session.hpp"

namespace dmm {

class Users {
 public:
  using Holds = UserSession::Holds;

  /// `site`: this one.
  explicit Users(SiteName site) : site_(std::move(site)) {}

  // ---- sessions ----
  bool knows(const Party& user) const { return sessions_.contains(user); }
  std::vector<std::string> names() const;
  /// The link to a job manager is up. In a session that is `restarted` it asks again for what it still wants.
  void came_up(Instant now, const Party& user, bool restarted);
  void went_down(Instant now, const Party& user, const SiteSettings& settings);
  /// After a restart of this site: it holds nodes, and has yet to be heard.
  void restored(Instant now, const Party& user, const SiteSettings& settings);
  /// The number of the job manager's present session. A request keeps the number of the session that last asked for it.
  std::uint32_t session(const Party& user) { return sessions_[user].number; }
  void note_round_trip(const Party& user, Duration round_trip);
  Duration round_trip(const Party& user) const;

  // ---- requests ----
  /// The limit that one more open request would pass.
  WhyNot limit_reached(const Party& user, std::size_t open_in_all, const SiteSettings& settings);
  void opened(const Party& user) { ++sessions_[user].open; }
  void closed(const Party& user) { --sessions_[user].open; }
  /// A request leaves the queue while its job manager is silent.
  void shelve(const LocalRequest& request);

  // ---- nodes ----
  /// The request of a job manager of this site holds nodes of a lease, or no longer.
  void hold(const HopLease& lease, const RequestId& request);
  /// The same of a request of the user that waited here: it is closed.
  void serve(const HopLease& lease, const RequestId& request);
  void drop(const HopLease& lease, const RequestId& request);
  bool holds(const HopLease& lease, const RequestId& request) const;
  Holds holds_of(const Party& user) const;
  /// What the job manager holds of leases that this site borrowed.
  Holds borrowed_of(const Party& user) const;
  /// The job manager was silent for too long: forgets all that it held, and returns it to be released.
  Holds take_holds(const Party& user);
  /// The job manager's shelved requests aren't wanted any more; false if there are none.
  bool discard(const Party& user);

  // ---- time ----
  /// A job manager that has reached a time limit.
  struct Due {
    Party user;
    bool is_lost = false;    ///< it was silent for a term: its requests are shelved
    bool is_absent = false;  ///< it was silent for as long as it may keep its nodes: they are released
  };
  /// The next job manager for which something is due. The manager calls `settle_due` after it has done that.
  std::optional<Due> take_due(Instant now);
  /// Sets its next deadline; forgets it if nothing is left of it.
  void settle_due(const Party& user, bool is_reconciling);
  Instant next_deadline() const { return due_.next(); }

  // ---- chores, a piece in each step ----
  struct Shelve {
    LocalRequest& request;
  };
  struct Unshelve {
    Party user;
    Shelved shelved;
  };
  struct Drop {
    LocalRequest& request;
  };
  using Chore = std::variant<Shelve, Unshelve, Drop>;
  /// The next thing to do for job managers that come and go; nothing if no more is to be done, or `left` is 0. Counts
  /// `left` down for each request that was looked at. `is_reconciling` tells which job manager can't be forgotten yet.
  template <class IsReconciling>
  std::optional<Chore> next_chore(const RequestQueue& queue, std::size_t& left, IsReconciling is_reconciling) {
    while (left > 0 && !chores_.empty()) {
      const auto [kind, user] = std::pair(chores_.begin()->second, chores_.begin()->first);
      bool is_done = false;
      std::optional<Chore> chore = piece_of(kind, user, queue, left, is_done);
      if (chore || !is_done) return chore;
      chores_.erase({user, kind});
      if (kind == Kind::discard) forget_if_idle(user, is_reconciling(user));
    }
    return std::nullopt;
  }
  bool has_chores() const { return !chores_.empty(); }
  /// Job managers that were forgotten since the last call: nothing is left of them.
  std::vector<Party> take_forgotten() { return std::exchange(forgotten_, {}); }

  /// Whether nothing is shelved.
  bool none_shelved() const;

 private:
  using Session = UserSession;
  using OwnHold = UserSession::OwnHold;
  enum class Kind : std::uint8_t { shelve, unshelve, drop, discard };
  std::optional<Chore> piece_of(Kind kind, const Party& user, const RequestQueue& queue, std::size_t& left,
                                bool& is_done);
  std::optional<Chore> next_shelve(const Party& user, const RequestQueue& queue, std::size_t& left, bool& is_done);
  std::optional<Chore> next_unshelve(const Party& user, const RequestQueue& queue, std::size_t& left,
                                     bool& is_done);
  std::optional<Chore> next_drop(const Party& user, const RequestQueue& queue, std::size_t& left, bool& is_done);
  void set_due(const Party& user, const Session& session);
  void forget_if_idle(const Party& user, bool is_reconciling);
  Holds holds_of(const Party& user, const Session& session) const;
  static void hold(Session& session, const HopLease& lease, const RequestId& request);
  static OwnHold own_hold(const HopLease& lease, const RequestId& request) {
    return {lease.id.epoch, request.job, request.attempt};
  }
  const Session* find(const Party& user) const;
  Session* find(const Party& user);

  SiteName site_;
  std::map<Party, Session> sessions_;
  Deadlines<Party> due_;                     ///< silent ones, and those in a new session
  std::set<std::pair<Party, Kind>> chores_;  ///< what is still to be done
  std::vector<Party> forgotten_;             ///< see take_forgotten
};

}  // namespace dmm
