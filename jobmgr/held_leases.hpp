// The leases that the job manager holds under its site's link: which jobs use each, until when new work may start
// under it, and the renewals that move this on; and which jobs have components under a lease that aren't over, though
// its nodes may be gone. Holders count from when Renew was sent, less a hundredth, so they
// stop before whoever granted does (docs/architecture.md, leases). One renewal covers all leases without touching
// each.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "machine/lookup.hpp"
#include "protocol/messages.hpp"

namespace dmm {

class HeldLeases {
 public:
  /// A grant: nodes of this lease for this job, usable for `term` from now.
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
  /// The site restarted: nothing starts under what it granted before until it promises more, and it answers no old
  /// renewal.
  void suspend();
  /// The site's promise: good for `left` from now; 0 if it doesn't know itself yet.
  void confirm(Instant now, const LeaseId& lease, Duration left);
  /// Whether the site still has to promise anything: then it is neither usable nor over.
  bool awaited(const LeaseId& lease) const;
  /// Grants that the site renews.
  std::uint32_t grants() const { return grants_; }

  void renewal_sent(Instant now);
  /// An answer; it belongs to the oldest renewal that has none, since the link keeps the order.
  void renewed(const Renewed& answer);
  /// Renewals without an answer.
  std::size_t unanswered() const { return sent_.size(); }

 private:
  struct Lease {
    Few<std::uint64_t> jobs;           ///< one, or as many as share the nodes of the lease; they hold it
    Few<std::uint64_t> open;           ///< those with components that aren't over
    Instant until{};                   ///< by its latest grant, or what the site said of it since
    std::uint64_t granted_after = 0;   ///< renewals sent before that grant: these don't cover it
    std::uint64_t exception_of = 0;    ///< the last renewal that made an exception of it
    Instant exception_until{};
  };

  static constexpr Instant unknown{INT64_MIN};

  void hold(Lease& lease, std::uint64_t job);
  const Lease* find_held(const LeaseId& lease) const;
  Instant until(const Lease& lease) const;

  Lookup<LeaseId, Lease> leases_;
  std::uint32_t grants_ = 0;
  std::deque<Instant> sent_;  ///< when the renewals without an answer were sent
  std::uint64_t renewals_ = 0;  ///< sent
  std::uint64_t answered_ = 0;  ///< the last one that was answered, counted as sent
  Instant renewed_until_{};
};

}  // namespace dmm
