// Strangers: parties that would like to speak with us and may not, for people at both ends to see. A bounded number of
// them is remembered; the one that knocked longest ago makes room.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

struct Stranger {
  Party party;
  std::uint64_t knocks = 0;
  Instant first{}, last{};
  std::string why;  ///< it was turned away the last time
};

class Strangers {
 public:
  /// A party knocks; at most `most` are remembered. Whether people are to be told of it now, once in a while.
  bool knock(Instant now, const Party& party, const std::string& why, std::size_t most, Duration between_notices);
  /// It is admitted, and has proved its name.
  void forget(const Party& party) {
    if (!known_->empty()) known_.edit().erase(party);
  }
  /// Forgets those that are admitted now.
  template <class Admitted>
  void forget_if(Admitted admitted) {
    if (!known_->empty()) std::erase_if(known_.edit(), [&](const auto& entry) { return admitted(entry.first); });
  }
  std::vector<Stranger> all() const;

 private:
  RareValue<std::map<Party, Stranger>> known_;
};

}  // namespace dmm
