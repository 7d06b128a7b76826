// Which connections are cut, and why; see connection_guard.hpp.
#include "runtime/connection_guard.hpp"

#include <algorithm>
#include <utility>

namespace dmm {
namespace {

/// A stranger, and what decides which strangers are cut first.
struct Candidate {
  int descriptor;
  std::uint64_t address;
  Instant opened;
  std::size_t newer = 0;  ///< strangers of the same address that were opened later
};

/// Sorts the strangers in the order in which they are cut: those of the address with the most strangers first, and of
/// one address the oldest first.
void order(std::vector<Candidate>& strangers) {
  std::ranges::sort(strangers, [](const Candidate& one, const Candidate& other) {
    return std::pair(one.opened, one.descriptor) > std::pair(other.opened, other.descriptor);
  });
  std::map<std::uint64_t, std::size_t> seen;
  for (Candidate& stranger : strangers) stranger.newer = seen[stranger.address]++;
  std::ranges::reverse(strangers);
  std::ranges::stable_sort(strangers, std::greater(), &Candidate::newer);
}

/// Connections that are cut at once. Several, so that not each newcomer has all connections looked at; but few, since
/// ZeroMQ serves no peer while it closes them.
std::size_t room(std::size_t allowed) { return std::max<std::size_t>(allowed / 32, 1); }

}  // namespace

ConnectionGuard::Settings ConnectionGuard::within(Settings wanted, std::size_t descriptors) {
  wanted.strangers_max = std::min(wanted.strangers_max, std::max<std::size_t>(descriptors / 8, 8));
  wanted.connections_max = std::min(wanted.connections_max, std::max<std::size_t>(descriptors / 2, 16));
  return wanted;
}

void ConnectionGuard::opened(Instant now, int descriptor, Source source) {
  closed(descriptor);
  open_[descriptor] = {.source = source, .opened = now, .heard = now};
}

void ConnectionGuard::closed(int descriptor) {
  const auto seen = open_.find(descriptor);
  if (seen == open_.end()) return;
  known_ -= seen->second.known;
  open_.erase(seen);
}

void ConnectionGuard::heard(Instant now, int descriptor) {
  const auto found = open_.find(descriptor);
  if (found == open_.end()) return;
  Seen& seen = found->second;
  seen.heard = now;
  seen.least = UINT64_MAX;
  seen.fresh = true;
  if (!seen.known && ++seen.frames > settings_.stranger_frames_max) talked_ = true;
}

std::uint64_t ConnectionGuard::cookie_of(int descriptor) const {
  const auto seen = open_.find(descriptor);
  return seen == open_.end() ? 0 : seen->second.source.cookie;
}

/// Known peers that connect again are strangers at first, so some places are always left.
std::size_t ConnectionGuard::strangers_allowed() const {
  const std::size_t left = settings_.connections_max - std::min(known_, settings_.connections_max);
  return std::clamp(left, std::max<std::size_t>(settings_.strangers_max / 8, 1), settings_.strangers_max);
}

bool ConnectionGuard::is_urgent() const {
  return exhausted_ || talked_ || open_.size() - known_ > strangers_allowed();
}

/// Whether a message without end may come on it, however slowly. While each connection receives less than its share,
/// all together receive less than the allowed growth.
bool ConnectionGuard::may_grow(Instant now, int descriptor, Seen& seen, std::uint64_t resident,
                               const Questions& questions) const {
  const bool was_fresh = std::exchange(seen.fresh, false);
  if (was_fresh) seen.received = questions.received(descriptor).value_or(0);
  seen.least = std::min(seen.least, resident);
  if (was_fresh || resident - seen.least <= settings_.growth_bytes) return false;
  const auto received = questions.received(descriptor);
  if (!received) return now - seen.heard >= settings_.window;
  return *received - std::min(*received, seen.received) > settings_.growth_bytes / open_.size();
}

/// If any connections are cut, earlier growth isn't held against the rest.
std::vector<int> ConnectionGuard::growing(Instant now, std::uint64_t resident, const Questions& questions) {
  std::vector<int> cut;
  for (auto& [descriptor, seen] : open_)
    if (may_grow(now, descriptor, seen, resident, questions)) cut.push_back(descriptor);
  if (!cut.empty())
    for (auto& [descriptor, seen] : open_) seen.least = resident;
  return cut;
}

std::vector<int> ConnectionGuard::strangers_to_cut(Instant now, const Questions& questions) {
  std::vector<int> cut;
  std::vector<Candidate> others;
  known_ = 0;
  for (auto& [descriptor, seen] : open_) {
    seen.known = questions.is_needed(descriptor);
    known_ += seen.known;
    if (seen.known)
      seen.frames = 0;
    else if (now - seen.heard >= settings_.idle || seen.frames > settings_.stranger_frames_max)
      cut.push_back(descriptor);
    else
      others.push_back({descriptor, seen.source.address, seen.opened});
  }
  const bool all = std::exchange(exhausted_, false);
  const std::size_t allowed = strangers_allowed();
  if (!all && others.size() <= allowed) return cut;
  const std::size_t stay = all ? 0 : allowed - room(allowed);
  order(others);
  others.resize(others.size() - std::min(stay, others.size()));
  for (const Candidate& stranger : others) cut.push_back(stranger.descriptor);
  return cut;
}

std::vector<int> ConnectionGuard::to_cut(Instant now, std::uint64_t resident, const Questions& questions) {
  std::vector<int> cut = growing(now, resident, questions);
  if (!cut.empty() || (!is_urgent() && now < due_)) return cut;
  due_ = now + settings_.idle / 8;
  talked_ = false;
  return strangers_to_cut(now, questions);
}

}  // namespace dmm
