// A delegation that this site took from a neighbour and hasn't answered yet.
#pragma once

#include <vector>

#include "protocol/messages.hpp"
#include "sitemgr/part_key.hpp"

namespace dmm {

struct Foreign {
  Delegate delegate;
  std::size_t from = 0;                             ///< the neighbour that sent it
  Instant taken{};                                  ///< when
  RejectReason reason = RejectReason::no_capacity;  ///< why it isn't served here
  std::vector<bool> asked;                          ///< by neighbour
  std::vector<SiteAnswer> answers;
  std::uint32_t tries_left = 0;
  std::size_t target = 0;     ///< the neighbour that it was passed on to
  Instant asked_at{};         ///< when it was passed on
  Instant answer_by = never;  ///< it counts as rejected then, or, if it is parked, as not served

  const ResourceNeed& need() const { return delegate.request.need; }
  /// When its request began to wait, on this site's clock.
  Instant since() const { return taken - delegate.request.waited; }
  PartKey key() const { return {delegate.request.id, delegate.part, delegate.round}; }
};

}  // namespace dmm
