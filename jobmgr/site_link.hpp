// SiteLink: the job manager's link to the site manager of its home site. It knows whether requests may be sent there,
// and up to which job they were sent in this session. At the start of a session it knows which of our leases the site
// has yet to confirm (docs/protocol.md section 8.16b).
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/inventory.hpp"

namespace dmm {

class SiteLink {
 public:
  using Held = std::set<std::pair<LeaseId, std::uint64_t>>;  ///< by lease and job

  explicit SiteLink(const SiteName& site) : party_(site_manager_of(site)) {}
  const Party& party() const { return party_; }

  // ---- the link ----
  /// It is up. True: the session is new to either side, so both are to compare what they believe, and all that waits is
  /// asked for again.
  bool came_up(bool restarted);
  void went_down() { up_ = false; }
  bool is_up() const { return up_; }
  /// Before the first session nothing is said to the site: its first message is the Inventory.
  bool was_up() const { return seen_; }
  void set_pressed(bool pressed) { pressed_ = pressed; }

  // ---- requests, in order of the jobs' numbers ----
  /// Whether jobs below `next_job` remain to be asked for, and may be.
  bool may_ask(std::uint64_t next_job) const { return up_ && !pressed_ && ask_from_ < next_job; }
  std::uint64_t ask_from() const { return ask_from_; }
  void asked_up_to(std::uint64_t job) {
    DMM_ASSERT(up_ && !pressed_);
    DMM_ASSERT(ask_from_ <= job);
    ask_from_ = job;
  }
  /// Whether a waiting job of this number was asked for in this session.
  bool was_asked_for(std::uint64_t job) const { return job < ask_from_; }

  // ---- comparing what both sides believe ----
  void begin_inventory(Held held);
  /// A message of the site's Inventory; the whole with the last one.
  std::optional<Inventory> hear(Inventory& part);
  /// The site names a lease of ours; false: we didn't hold it when the session began.
  bool confirm(const LeaseId& lease, std::uint64_t job) { return unconfirmed_.erase({lease, job}) == 1; }
  Held take_unconfirmed() { return std::exchange(unconfirmed_, {}); }

 private:
  Party party_;
  bool up_ = false;
  bool seen_ = false;
  bool pressed_ = false;  ///< much is kept for it: it is asked for nothing more
  std::uint64_t ask_from_ = 1;
  Held unconfirmed_;     ///< what we held when the session began, and the site didn't name yet
  Inventory inventory_;  ///< the site's, as far as it came
};

}  // namespace dmm
