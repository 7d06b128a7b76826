// Orders by the policy, each once; see borrower.hpp.
#include "batchmgr/borrower.hpp"

#include <algorithm>
#include <utility>

namespace dmm {
namespace {

/// A node that was told something isn't told again before.
constexpr Duration ordered_again = seconds(10);
/// For so long a batch system may ask for the end of a job where a node was, in vain: Slurm does for `MessageTimeout`.
constexpr Duration asked_in_vain = seconds(12);

/// Whether a node that is to be forgotten had a job, or may have had one. A node that left in order is drained.
bool left_jobs_behind(const Snapshot& snapshot, const std::string& node) {
  const auto guest = std::ranges::find(snapshot.guests, node, &BatchNode::name);
  return guest != snapshot.guests.end() && (guest->use == NodeUse::busy || guest->use == NodeUse::down);
}

Command command_for(const Borrower::Site& site, Borrower::Kind kind, const std::string& subject,
                    std::size_t passed_over) {
  const BatchSettings& settings = site.settings;
  const BorrowSettings& borrow = settings.borrow;
  if (kind == Borrower::Kind::evict) return site.system.evict(settings, subject);
  if (kind == Borrower::Kind::cancel) return {{settings.dmm, "cancel", subject, "--jobmgr", borrow.jobmgr}};
  const std::vector<std::string> names = guest_names(borrow);
  const auto turn = static_cast<std::size_t>(std::ranges::find(names, subject) - names.begin()) + passed_over;
  const std::string place = std::to_string(borrow.processors) + "@" + borrow.from[turn % borrow.from.size()];
  return {{settings.dmm, "submit", "--jobmgr", borrow.jobmgr, "--components", place, "--name", subject, "--reruns",
           "0", "--discard-output", "--warn-program-only", "--input", "-", "--", "unshare", "--mount", "sh", "-s"},
          site.system.guest_script(settings, subject)};
}

const char* state_of(NodeUse use) {
  if (use == NodeUse::idle || use == NodeUse::planned) return "idle";
  return use == NodeUse::busy ? "local job" : "leaving";
}

}  // namespace

Command Borrower::question(const BatchSettings& settings) {
  return {{settings.dmm, "queue", "--json", "--jobmgr", settings.borrow.jobmgr}};
}

WhyNot Borrower::take_answer(const Site& site, const CommandEnded& ended) {
  are_guests_news_ = false;
  std::string fault = ended.status == 0 ? std::string() : "dmm: " + said_by(ended);
  if (fault.empty()) {
    auto read = guest_jobs_in(ended.output, site.settings);
    if (auto* unread = std::get_if<std::string>(&read)) {
      fault = std::move(*unread);
    } else {
      guests_ = std::move(std::get<std::vector<GuestJob>>(read));
      are_guests_news_ = true;
    }
  }
  const bool is_news = fault != fault_;
  fault_ = std::move(fault);
  return is_news ? fault_ : std::string();
}

void Borrower::correct(Instant look_began, Snapshot& snapshot) {
  std::erase_if(evicted_, [&](const auto& one) { return one.second < look_began; });
  std::erase_if(snapshot.guests, [&](const BatchNode& guest) { return evicted_.contains(guest.name); });
}

std::vector<Borrower::Order> Borrower::decide(const Site& site, Instant now, const Snapshot& snapshot,
                                              Instant waiting_since) {
  past_.waiting_since = waiting_since;
  past_.content_since = snapshot.waiting.empty() ? std::min(past_.content_since, now) : never;
  past_.idle_since = since_when(now, snapshot.guests, past_.idle_since, is_spare);
  std::erase_if(ordered_, [&](const auto& one) { return now - one.second >= ordered_again; });
  const BorrowingPast past = past_;
  past_.at_hand = at_hand_in(snapshot);
  std::vector<Order> orders;
  if (!std::exchange(are_guests_news_, false)) return orders;  // it is older than the orders that it led to
  const BorrowingDecision decision = decide_borrowing(snapshot, guests_, past, site.settings, now);
  const auto add = [&](Kind kind, const std::vector<std::string>& subjects) {
    for (const std::string& subject : subjects) {
      // A job's number is no node's name. An order that is under way or just done isn't given again.
      if (!ordered_.emplace(subject, now).second) continue;
      orders.push_back(
          {kind, subject, command_for(site, kind, subject, kind == Kind::attach ? passed_over_[subject] : 0)});
      if (kind == Kind::attach) past_.asked_at.insert_or_assign(subject, now);
    }
  };
  add(Kind::evict, decision.evict);
  for (const Order& order : orders)
    if (left_jobs_behind(snapshot, order.subject)) attach_from_ = now + asked_in_vain;
  add(Kind::cancel, decision.cancel);
  if (now >= attach_from_) add(Kind::attach, decision.attach);
  return orders;
}

/// The name of an evicted node may be used again at once, and that of a node that never joined. One that was just
/// given to a node is protected from an eviction for a while: the list of jobs is older than that.
void Borrower::done(Instant now, Kind kind, const std::string& subject) {
  if (kind == Kind::evict) {
    ordered_.erase(subject);
    evicted_.insert_or_assign(subject, now);
  }
  if (kind == Kind::cancel)
    for (const GuestJob& guest : guests_) {
      if (guest.job != subject) continue;
      ordered_.erase(guest.node);
      passed_over_[guest.node] += !guest.runs;
    }
}

std::vector<GuestStanding> Borrower::standings(const Snapshot& snapshot) const {
  std::map<std::string, GuestStanding> all;
  for (const BatchNode& node : snapshot.guests) all[node.name] = {node.name, state_of(node.use)};
  for (const GuestJob& guest : guests_) {
    const GuestStanding fresh{guest.node, guest.runs ? "joining" : "asked for"};
    all.try_emplace(guest.node, fresh).first->second.job = guest.job;
  }
  std::vector<GuestStanding> list;
  for (auto& [name, standing] : all) list.push_back(std::move(standing));
  return list;
}

}  // namespace dmm
