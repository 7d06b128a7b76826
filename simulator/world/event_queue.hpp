// Future events in virtual time. They come out in the order of (instant, sequence): among equals the first one put in
// comes first, so a run depends on its inputs alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "manager/assert.hpp"
#include "protocol/time.hpp"

namespace dmm {

template <class Event>
class EventQueue {
 public:
  void push(Instant at, Event event) {
    std::uint32_t place = static_cast<std::uint32_t>(events_.size());
    if (vacant_.empty()) {
      events_.push_back(std::move(event));
    } else {
      place = vacant_.back();
      vacant_.pop_back();
      events_[place] = std::move(event);
    }
    heap_.push_back({at, sequence_++, place});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  /// When the next event is due; `never` if there is none.
  Instant next() const { return heap_.empty() ? never : heap_.front().at; }
  /// Removes and returns the next event.
  Event pop() {
    DMM_ASSERT(!heap_.empty());
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const std::uint32_t place = heap_.back().place;
    heap_.pop_back();
    vacant_.push_back(place);
    return std::move(events_[place]);
  }

 private:
  struct Entry {
    Instant at;
    std::uint64_t sequence;
    std::uint32_t place;  ///< in events_
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }

  std::vector<Entry> heap_;
  std::vector<Event> events_;          ///< not moved while the heap is sorted
  std::vector<std::uint32_t> vacant_;  ///< places in events_
  std::uint64_t sequence_ = 0;
};

}  // namespace dmm
