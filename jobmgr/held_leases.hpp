// The leases that the home site granted to the job manager: which jobs hold nodes of each, and whether new work
// may start under it. A job can also have components under a lease that aren't over, without nodes of it any more.
// While the home site's Beats vouch for its grants, a lease is good. After the last such Beat it is good for a
// term less a hundredth, so that a holder stops before its lender does (docs/protocol.md section 8.15).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "manager/lookup.hpp"
#include "protocol/messages.hpp"

namespace dmm {

class HeldLeases {
 public:
  /// A grant: nodes of this lease for this job; each Beat promises them for `term`. The grant itself does so, too:
  /// from `left` on, when it left the home site or before that.
  void add(Instant now, const LeaseId& lease, std::uint64_t job, Duration term, Instant left);
  /// The job has no nodes of the lease any more.
  void remove(const LeaseId& lease, std::uint64_t job);
  /// Whether the job has nodes of the lease.
  bool holds(const LeaseId& lease, std::uint64_t job) const;
  /// The job has components under the lease that aren't over.
  void open(const LeaseId& lease, std::uint64_t job);
  /// The job has no open components under the lease any more; false if it had none.
  bool close(const LeaseId& lease, std::uint64_t job);
  bool is_open(const LeaseId& lease, std::uint64_t job) const;
  /// The jobs with open components under the lease, in order; and all such jobs with their leases, by lease.
  std::vector<std::uint64_t> open_under(const LeaseId& lease) const;
  std::vector<std::pair<LeaseId, std::uint64_t>> all_open() const;
  /// Whether a job may be started under the lease.
  bool usable(Instant now, const LeaseId& lease) const;
  /// A grant from before a restart of this job manager: nothing starts under it until the home site promises it again.
  void restore(const LeaseId& lease, std::uint64_t job);
  /// The home site restarted: nothing starts under its earlier grants until it promises them again.
  void suspend();
  /// The home site said how long each of its Beats promises the lease. `not_known` or 0: not at all yet. What a grant
  /// promised stays good.
  void promise(Instant now, const LeaseId& lease, Duration term);
  /// Whether the home site has yet to promise the lease again: until then the lease is neither usable nor over.
  bool awaited(Instant now, const LeaseId& lease) const;
  /// The home site's Beats vouch for its grants, or no longer do (the last such Beat left at `proved` or later).
  void stand() { stands_ = true; }
  void waver(Instant proved) { stands_ = false, proved_ = proved; }
  /// Grants that jobs hold.
  std::uint32_t grants() const { return grants_; }

 private:
  struct HeldLease {
    Few<std::uint64_t> jobs;  ///< jobs that hold nodes of the lease: one, or several that share them
    Few<std::uint64_t> open;  ///< jobs with components under the lease that aren't over
    Instant promised{};       ///< when the home site last said the term
    Duration term;            ///< how long each Beat promises the lease, less a hundredth
    Instant granted_until{};  ///< for so long a grant promised it, whatever Beats speak for
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
