// Outcomes: what users asked for, and whether they are told what their programs did. Every outcome matches what the
// programs of the last attempt did, or what the user or the faults did to them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/faults/random_grid.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

class Outcomes {
 public:
  using JobOfUser = std::pair<Party, std::uint64_t>;

  explicit Outcomes(Trouble trouble) : trouble_(trouble) {}

  void accepted(const JobOfUser& job, JobDescription description) { asked_[job] = std::move(description); }
  void cancelled(const JobOfUser& job) { cancelled_.insert(job); }
  void refused(const RequestId& request) { refused_.insert(request); }
  /// The run itself cancels the request.
  void give_up(const RequestId& request) { hopeless_.push_back(request); }
  /// nullptr if the user never heard that it was accepted.
  const JobDescription* find(const JobOfUser& job) const;
  const std::map<JobOfUser, JobDescription>& jobs() const { return asked_; }
  bool is_given_up(const RequestId& request) const;
  /// The first outcome that is wrong; empty if there is none.
  std::string check(const World& world) const;

 private:
  bool was_refused(const World& world, const JobOfUser& job, const JobView& view) const;
  std::string fault_of_outcome(const World& world, const JobOfUser& job, const JobView& view,
                               const JobDescription& description,
                               const std::vector<TaskPerformer::End>& programs) const;
  std::string fault_of_charges(const JobView& view, const std::set<RequestId>& died) const;

  Trouble trouble_;
  std::map<JobOfUser, JobDescription> asked_;  ///< accepted jobs, as far as users were told
  std::set<JobOfUser> cancelled_;              ///< by their users
  std::vector<RequestId> hopeless_;            ///< cancelled at the end of the run
  std::set<RequestId> refused_;
};

}  // namespace dmm
