// What follows from two inventories; see reconciliation.hpp.
#include "sitemgr/reconciliation.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {

void Reconciliation::begin(std::size_t n, DenseSet<LeaseId> known) {
  DMM_ASSERT(n < books_.size());
  Books& books = books_[n];
  books.awaited = true;
  books.known = std::move(known);
  books.said = {};
  books.orphans.clear();
  books.unnamed.clear();
}

std::optional<Inventory> Reconciliation::hear(std::size_t n, Inventory& part) {
  DMM_ASSERT(n < books_.size());
  Books& books = books_[n];
  DMM_ASSERT(books.awaited);
  if (!assemble(books.said, part)) return std::nullopt;
  books.awaited = false;
  return std::exchange(books.said, {});
}

HeldByBorrower Reconciliation::on_borrowed(std::size_t n, const Holding& held, const HopLease* ours,
                                           const Neighbours& neighbours, Instant until) {
  DMM_ASSERT(n < books_.size() && (!ours || ours->id == held.lease));
  Books& books = books_[n];
  books.adopted.erase(held.lease);
  if (ours && ours->downstream == n && !ours->nodes.empty()) return HeldByBorrower::recorded;
  if (ours || books.known.contains(held.lease) || !may_adopt(n, held, neighbours)) return HeldByBorrower::unknown;
  books.orphans[held.lease] = {until, !held.offered};
  may_wait_ = true;
  return HeldByBorrower::orphan;
}

/// Whether we may have passed this lease on and lost our record of it: the site before us in its chain hasn't told yet
/// what it lent us.
bool Reconciliation::may_adopt(std::size_t n, const Holding& held, const Neighbours& neighbours) const {
  const auto self = std::ranges::find(held.chain, self_);
  if (self == held.chain.end() || self == held.chain.begin() || self + 1 == held.chain.end()) return false;
  const auto upstream = neighbours.find(*(self - 1));
  if (!upstream || *(self + 1) != neighbours[n].site) return false;
  DMM_ASSERT(*upstream < books_.size());
  return books_[*upstream].awaited;
}

std::vector<LeaseId> Reconciliation::not_held(std::size_t n) {
  DMM_ASSERT(n < books_.size());
  const std::set<LeaseId> gone = std::exchange(books_[n].adopted, {});
  return {gone.begin(), gone.end()};
}

void Reconciliation::note_unnamed(std::size_t n, const std::vector<Holding>& borrowed,
                                  const DenseSet<LeaseId>& lent, Instant until) {
  DMM_ASSERT(n < books_.size());
  Books& books = books_[n];
  std::set<LeaseId> named;
  for (const Holding& held : borrowed) named.insert(held.lease);
  for (const LeaseId& id : lent)
    if (books.known.contains(id) && !named.contains(id)) books.unnamed[id] = {until};
  may_wait_ |= !books.unnamed.empty();
}

LentToUs Reconciliation::on_lent(std::size_t n, const Holding& lent, const HopLease* ours,
                                 const Neighbours& neighbours, Adoption& adoption) {
  DMM_ASSERT(n < books_.size() && (!ours || ours->id == lent.lease));
  if (ours && ours->upstream == n) return LentToUs::recorded;
  if (ours || books_[n].known.contains(lent.lease) || lent.lease.owner == self_) return LentToUs::release;
  const auto self = std::ranges::find(lent.chain, self_);
  if (self == lent.chain.end() || self + 1 == lent.chain.end()) return LentToUs::release;
  const auto towards_sink = neighbours.find(*(self + 1));
  if (!towards_sink || *towards_sink == n) return LentToUs::release;
  DMM_ASSERT(*towards_sink < books_.size());
  Books& books = books_[*towards_sink];
  const auto orphan = books.orphans.find(lent.lease);
  const bool is_orphan = orphan != books.orphans.end();
  if (!books.awaited && !is_orphan) return LentToUs::release;
  adoption = {*towards_sink, is_orphan && orphan->second.is_claimed};
  if (!books.awaited) books.orphans.erase(orphan);
  return LentToUs::adopt;
}

void Reconciliation::adopted(std::size_t downstream, const LeaseId& lease) {
  DMM_ASSERT(downstream < books_.size());
  if (books_[downstream].awaited) books_[downstream].adopted.insert(lease);
}

std::vector<Unvouched> Reconciliation::take_overdue(Instant now) {
  std::vector<Unvouched> overdue;
  if (!may_wait_) return overdue;
  for (std::size_t n = 0; n < books_.size(); ++n)
    for (const bool is_orphan : {true, false})
      std::erase_if(is_orphan ? books_[n].orphans : books_[n].unnamed, [&](const auto& lease) {
        if (now < lease.second.until) return false;
        overdue.push_back({n, lease.first, is_orphan});
        return true;
      });
  may_wait_ = std::ranges::any_of(
      books_, [](const Books& books) { return !books.orphans.empty() || !books.unnamed.empty(); });
  DMM_ASSERT(next_deadline() > now);
  return overdue;
}

Instant Reconciliation::next_deadline() const {
  Instant next = never;
  if (!may_wait_) return next;
  for (const Books& books : books_)
    for (const auto* waiting : {&books.orphans, &books.unnamed})
      for (const auto& [lease, one] : *waiting) next = std::min(next, one.until);
  return next;
}

// ---- with a job manager --------------------------------------------------------------------------------------------

void Reconciliation::begin(const Party& user, Holds holds) {
  DMM_ASSERT(user.role == Role::job_manager);
  users_.insert_or_assign(user, UserBooks{std::move(holds), {}});
}

bool Reconciliation::concerns(const Party& user) const {
  const auto books = users_.find(user);
  return books != users_.end() && !books->second.holds.empty();
}

std::optional<std::pair<Inventory, Reconciliation::Holds>> Reconciliation::hear(const Party& user,
                                                                                Inventory& part) {
  const auto books = users_.find(user);
  DMM_ASSERT(books != users_.end());
  if (!assemble(books->second.said, part)) return std::nullopt;
  std::pair<Inventory, Holds> whole{std::move(books->second.said), std::move(books->second.holds)};
  users_.erase(books);
  return whole;
}

}  // namespace dmm
