// Nodes that swallow jobs: a node that loses jobs, or can't start them, fails them faster than a sound node runs
// them, and so draws the whole queue to itself. After jobs of several different users in a row it is set aside, as
// KOALA does with clusters (Mohamed and Epema 2005, section 3.4), and tried again after a pause that doubles each
// time. Users are counted and not jobs, since all jobs of one user may have the same fault of their own. One
// program that ran to its end, whatever its exit status, clears the node. Pure bookkeeping: the manager says what
// happened, and tells the site.
//
// The death of a keeper is held against no single node: one of the jobs there may be the cause. If several
// deaths in a row have no user in common, the host is the cause, and all nodes are set aside. A restart forgets
// these deaths.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "manager/times.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// What is held against a node.
struct Suspect {
  std::vector<RequestId> users;  ///< users of the jobs that failed in a row, each once; job and attempt are 0
  Duration pause;                ///< how long it was last set aside
  Instant until = never;         ///< set aside until then; never: it isn't
  std::string text;              ///< why it is
};

class BlackHoles {
 public:
  /// After 0 users: nothing is ever set aside.
  BlackHoles(std::uint32_t after, Duration pause_first) : after_(after), pause_first_(pause_first) {}

  void set_limits(std::uint32_t after, Duration pause_first) { after_ = after, pause_first_ = pause_first; }

  /// A task of the job was lost on the nodes, or failed before its program ran.
  void failed(Instant now, const NodeSet& nodes, const RequestId& job, const std::string& why);
  /// A job died with the keeper of all nodes.
  void died_with_keeper(const RequestId& job) { dead_.push_back(job); }
  /// These jobs, since `blame_keeper` was called last.
  const std::vector<RequestId>& dead_with_keeper() const { return dead_; }
  /// Holds the keeper's death, if jobs died with it, against the nodes.
  void blame_keeper(Instant now, const NodeSet& nodes) {
    if (!dead_.empty()) keeper_died(now, nodes, std::exchange(dead_, {}));
  }
  /// The keeper of all nodes died under jobs of these users.
  void keeper_died(Instant now, const NodeSet& nodes, const std::vector<RequestId>& jobs);
  /// The nodes are of no use to their owner, for this reason: set aside at once.
  void set_aside(Instant now, const NodeSet& nodes, const std::string& why);
  /// A program ran on the nodes, or they are other nodes now.
  void ran(const NodeSet& nodes);
  /// Nodes with a pause that is over may be tried again. They are on probation: the next job that fails sets them
  /// aside.
  void bring_back(Instant now);
  Instant next_back() const { return backs_.next_deadline(); }

  /// What to tell the site since the last call, and all that it must know in a new session.
  std::vector<SetAside> take_news();
  std::vector<SetAside> aside() const;
  /// Nodes with a change since the last call.
  std::set<std::uint32_t> take_changed() { return std::exchange(changed_, {}); }

  /// What is held against the node; nullptr: nothing.
  const Suspect* find(std::uint32_t node) const;
  const std::map<std::uint32_t, Suspect>& all() const { return suspects_; }
  /// After a restart.
  void restore(std::uint32_t node, Suspect suspect);

 private:
  void fail_one(Instant now, std::uint32_t node, const RequestId& user, const std::string& why);
  void set_aside_one(Instant now, std::uint32_t node, std::string text);
  /// Sets until when it is aside.
  void set_until(std::uint32_t node, Suspect& suspect, Instant until);

  std::uint32_t after_;
  Duration pause_first_;
  std::map<std::uint32_t, Suspect> suspects_;
  Times<std::uint32_t> backs_;  ///< those set aside: every Suspect::until
  std::set<std::uint32_t> changed_;
  std::set<std::uint32_t> news_;                  ///< set aside or brought back
  std::vector<RequestId> dead_;                   ///< died with the keeper
  std::list<std::set<RequestId>> keeper_deaths_;  ///< for each of their last deaths, the users with a job there
};

}  // namespace dmm
