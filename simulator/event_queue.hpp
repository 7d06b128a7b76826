// What is to happen, by virtual time: events come out in the order of (instant, sequence), so that what was put in
// first happens first among equals and a run depends on nothing but its inputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "machine/assert.hpp"
#include "protocol/time.hpp"

namespace dmm {

template <class Event>
class EventQueue {
 public:
  void push(Instant at, Event event) {
    heap_.push_back({at, sequence_++, std::move(event)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  /// When the next event is due; `never` if there is none.
  Instant next() const { return heap_.empty() ? never : heap_.front().at; }
  /// Takes the next event out.
  Event pop() {
    DMM_ASSERT(!heap_.empty());
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Event event = std::move(heap_.back().event);
    heap_.pop_back();
    return event;
  }

 private:
  struct Entry {
    Instant at;
    std::uint64_t sequence;
    Event event;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }

  std::vector<Entry> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace dmm
