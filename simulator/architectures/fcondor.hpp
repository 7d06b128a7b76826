// `fcondor` of Iosup et al. 2007, section 5.2.3: condor with flocking. The jobs of one user are one job manager's,
// which begins at the site manager of its home, and goes to another one for the next round whenever the one it is
// at couldn't serve all that it asks for; ModelParameters::flock_order says to which. When all is served it is at
// home again.
//
// In a round, every ModelParameters::cycle, a site manager sorts the users that are with it by their past usage of
// its processors, which decays with time (fair_share.hpp), the user known for longer first among equals; and
// serves in this order all feasible demands of each: jobs that don't fit are bypassed by jobs of the same user
// that do. All managers hold their rounds at the same instants, in the order of their numbers.
//
// Messages a job: as condor; a round costs each user with a manager 2 negotiate for every job that starts, and 2
// more if anything is left (it is asked for once: what is as wide or wider isn't asked for again); going to
// another manager costs 1 notify broker.
#pragma once

#include <utility>
#include <vector>

#include "simulator/architectures/fair_share.hpp"
#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/rounds.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

class Fcondor {
 public:
  Fcondor(const Floor& floor, const ModelParameters& parameters);

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return waiting_ == 0 ? never : rounds_.next(); }
  std::vector<StreamJob> hand_over();

 private:
  /// Users are numbered as they first come.
  using UserNumber = std::uint32_t;
  struct User {
    std::uint32_t home = 0;
    std::size_t stage = 0;  ///< at which manager of its flock order it is
    WaitingQueue queue;
  };

  UserNumber user_of(const StreamJob& job);
  std::uint32_t manager_of(const User& user) const { return flock_[user.home][user.stage]; }
  void round(Floor& floor, std::uint32_t manager);
  void serve(Floor& floor, std::uint32_t manager, UserNumber user);
  void move_on(Floor& floor, const std::vector<UserNumber>& users);

  Rounds rounds_;
  std::vector<std::vector<std::uint32_t>> flock_;  ///< by home: the managers in the order in which they are tried
  std::vector<User> users_;
  std::vector<std::vector<UserNumber>> user_numbers_;  ///< by home and by the stream's number; +1, 0 for none
  std::vector<FairShare> shares_;                      ///< by manager
  std::vector<std::vector<UserNumber>> present_;       ///< by manager: users who have jobs waiting
  std::vector<std::pair<double, UserNumber>> order_;   ///< of one round
  std::size_t waiting_ = 0;                            ///< jobs in all
};

}  // namespace dmm
