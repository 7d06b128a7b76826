#include "matchmaking/link_allotment.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace dmm {
namespace {

/// The state of the algorithm between its steps.
class Allotment {
 public:
  Allotment(std::span<const double> capacities, std::span<const JobDemand> jobs)
      : jobs_(jobs),
        available_(capacities.begin(), capacities.end()),
        shares_(jobs.size(), 1.0),
        constrained_(jobs.size(), false) {}

  std::vector<double> run() {
    for (Bottleneck worst = most_saturated(); worst.ratio < 1; worst = most_saturated()) constrain(worst);
    return std::move(shares_);
  }

 private:
  struct Bottleneck {
    std::uint32_t link = 0;
    double ratio = std::numeric_limits<double>::infinity();
  };

  // Step 2: the first of the links with the least ratio of equation 3.
  Bottleneck most_saturated() {
    wanted_.assign(available_.size(), 0);
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      if (!constrained_[j])
        for (const LinkDemand& wanted : jobs_[j]) wanted_[wanted.link] += wanted.megabits;
    Bottleneck worst;
    for (std::uint32_t link = 0; link < wanted_.size(); ++link)
      if (const double ratio = saturation(available_[link], wanted_[link]); ratio < worst.ratio)
        worst = {link, ratio};
    return worst;
  }

  // Steps 3 and 4: all free jobs on the link get its ratio, and are constrained from now on.
  void constrain(const Bottleneck& worst) {
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (constrained_[j] || !spans(jobs_[j], worst.link)) continue;
      constrained_[j] = true;
      shares_[j] = worst.ratio;
      for (const LinkDemand& wanted : jobs_[j])  // rounding may leave it just below 0
        available_[wanted.link] = std::max(0.0, available_[wanted.link] - wanted.megabits * worst.ratio);
    }
  }

  static bool spans(const JobDemand& job, std::uint32_t link) {
    return std::any_of(job.begin(), job.end(),
                       [&](const LinkDemand& d) { return d.link == link && d.megabits > 0; });
  }

  std::span<const JobDemand> jobs_;
  std::vector<double> available_;  ///< of each link, less what is allotted to constrained jobs
  std::vector<double> wanted_;     ///< of each link, by the free jobs
  std::vector<double> shares_;     ///< of each job
  std::vector<bool> constrained_;  ///< of each job
};

}  // namespace

std::vector<double> total_demand(std::size_t links, std::span<const JobDemand> jobs) {
  std::vector<double> sums(links, 0.0);
  for (const JobDemand& job : jobs)
    for (const LinkDemand& wanted : job) sums[wanted.link] += wanted.megabits;
  return sums;
}

double saturation(double available, double demand) {
  return demand > 0 ? available / demand : std::numeric_limits<double>::infinity();
}

std::vector<double> allot(std::span<const double> capacities, std::span<const JobDemand> jobs) {
  return Allotment(capacities, jobs).run();
}

}  // namespace dmm
