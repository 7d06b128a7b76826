// The requests that a site has seen of late, per neighbour and bounded, so that nothing walks in circles and no
// neighbour can flush what another sent (Iosup et al. 2007, section 4.3; docs/protocol.md section 6). Never what safety
// rests on.
#pragma once

#include <deque>
#include <vector>

#include "manager/lookup.hpp"
#include "protocol/time.hpp"
#include "sitemgr/part_key.hpp"

namespace dmm {

class SeenList {
 public:
  /// `memory`: how long a request is remembered; `entries_max`: how many for each neighbour; `counts_dttl`: a copy that
  /// comes with more hops left than any before counts as new (it can reach what the others couldn't).
  SeenList(std::size_t neighbours, Duration memory, std::uint32_t entries_max, bool counts_dttl)
      : order_(neighbours), memory_(memory), entries_max_(entries_max), counts_dttl_(counts_dttl) {}

  /// Whether the search is new here; remembers it. `stay` tells this stay of the request at its home site from others,
  /// since each stay counts its rounds from the start. What comes `from_home` itself is compared with nothing that
  /// other sites sent, except in the paper's list.
  bool is_new(Instant now, std::size_t neighbour, const PartKey& key, std::uint64_t stay, std::uint32_t dttl,
              bool from_home);
  std::size_t size() const { return seen_.size(); }
  void add_neighbours(std::size_t neighbours) { order_.resize(neighbours); }
  void set_limits(Duration memory, std::uint32_t entries_max, bool counts_dttl) {
    memory_ = memory;
    entries_max_ = entries_max;
    counts_dttl_ = counts_dttl;
  }

 private:
  struct Key {
    PartKey part;
    std::uint64_t stay = 0;
    auto operator<=>(const Key&) const = default;
    friend std::uint64_t table_hash(const Key& key) {
      return dmm::table_hash(dmm::table_hash(key.part) ^ key.stay);
    }
  };
  struct Seen {
    std::uint32_t dttl = 0;
    std::uint32_t neighbour = 0;  ///< that it first came from
  };
  struct Entry {
    Instant at;
    const Key* key = nullptr;  ///< the one in `seen_`
  };
  void forget_old(Instant now, std::deque<Entry>& order);

  Lookup<Key, Seen> seen_;                ///< with the greatest DTTL that the search came with
  std::vector<std::deque<Entry>> order_;  ///< by neighbour that it first came from, oldest first
  Duration memory_;
  std::uint32_t entries_max_;
  bool counts_dttl_;
};

}  // namespace dmm
