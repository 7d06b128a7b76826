// `fcondor` of Iosup et al. 2007, section 5.2.3: condor with flocking. All jobs of a user belong to one job manager,
// which begins at the site manager of its home. When a site manager can't serve all jobs of a user, the user's job
// manager goes to another one for the next round (ModelParameters::flock_order). When all jobs are served, it is at
// home again.
//
// In a round, every ModelParameters::cycle, a site manager sorts its present users by their past usage of its
// processors, which decays with time (fair_share.hpp). Among equals the user that the model has known longer comes
// first. The site manager serves all feasible demands of each user in this order: jobs that fit bypass jobs of the
// same user that don't. All site managers hold their rounds at the same instants, in the order of their numbers.
//
// Messages a job: as condor. In a round a user costs 2 negotiate for every job that starts, and 2 more if jobs are
// left (one demand is refused, and demands as wide or wider aren't tried again). Going to another manager costs 1
// notify broker.
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
  /// Users are numbered in the order in which they first come.
  using UserNumber = std::uint32_t;
  struct User {
    std::uint32_t home = 0;
    std::size_t stage = 0;  ///< position in its flock order
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
  std::vector<std::vector<UserNumber>> present_;       ///< by manager: users with waiting jobs
  std::vector<std::pair<double, UserNumber>> order_;   ///< of one round
  std::size_t waiting_ = 0;                            ///< jobs in all
};

}  // namespace dmm
