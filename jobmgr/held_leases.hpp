// The leases that the job manager holds under its site's link: which jobs use each, and whether new work may start
// under it; and which jobs have components under a lease that aren't over, though its nodes may be gone. While the
// site's Beats vouch for what it granted, a lease is good; else for a term from the last of them, less a hundredth, so
// that a holder stops before its lender does (docs/architecture.md, leases).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "manager/lookup.hpp"
#include "protocol/messages.hpp"

namespace dmm {

class HeldLeases {
 public:
  /// A grant: nodes of this lease for this job; each Beat promises them for `term`.
  void add(Instant now, const LeaseId& lease, std::uint64_t job, Duration term);
  /// The job has no nodes of the lease any more.
  void remove(const LeaseId& lease, std::uint64_t job);
  /// Whether the job has nodes of the lease.
  bool holds(const LeaseId& lease, std::uint64_t job) const;
  /// The job has components under the lease that aren't over.
  void open(const LeaseId& lease, std::uint64_t job);
  /// It has none any more; false if it had none.
  bool close(const LeaseId& lease, std::uint64_t job);
  bool is_open(const LeaseId& lease, std::uint64_t job) const;
  /// The jobs that have some, in order; and all such jobs with their leases, by lease.
  std::vector<std::uint64_t> open_under(const LeaseId& lease) const;
  std::vector<std::pair<LeaseId, std::uint64_t>> all_open() const;
  /// Whether a job may be started under the lease.
  bool usable(Instant now, const LeaseId& lease) const;
  /// We restarted: a grant of before, under which nothing starts until the site promises more.
  void restore(const LeaseId& lease, std::uint64_t job);
  /// The site restarted: nothing starts under what it granted before until it promises more.
  void suspend();
  /// The site said what its Beats promise from now on. `not_known` or 0: nothing, until it says more.
  void promise(Instant now, const LeaseId& lease, Duration term);
  /// Whether the site still has to promise anything: then it is neither usable nor over.
  bool awaited(const LeaseId& lease) const;
  /// Beats of the site vouch, or have ceased to; the last one that did left it then, or later.
  void stand() { stands_ = true; }
  void waver(Instant proved) { stands_ = false, proved_ = proved; }
  /// Grants that jobs hold.
  std::uint32_t grants() const { return grants_; }

 private:
  struct HeldLease {
    Few<std::uint64_t> jobs;  ///< one, or as many as share the nodes of the lease; they hold it
    Few<std::uint64_t> open;  ///< those with components that aren't over
    Instant promised{};       ///< when its term was said last
    Duration term;            ///< that each Beat promises, less a hundredth
    bool awaited = false;
  };

  void hold(HeldLease& lease, std::uint64_t job);
  const HeldLease* find_held(const LeaseId& lease) const;

  Lookup<LeaseId, HeldLease> leases_;
  std::uint32_t grants_ = 0;
  bool stands_ = false;
  Instant proved_{};
};

}  // namespace dmm
