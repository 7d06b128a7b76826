// The revocations of link keys that site managers told this manager, over its restarts. They stay in force until an
// administrator takes them out of the file.
//
//   keys/heard.json   in a manager's directory: the site that told, the site of the key, and the key
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "links/key_events.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

class HeardRevocations {
 public:
  /// The most that are kept.
  static constexpr std::size_t most = 10'000;

  /// Kept in `folder`; if it is empty, none are kept.
  explicit HeardRevocations(std::string folder) : folder_(std::move(folder)) {}
  WhyNot read();
  const std::vector<RevocationHeard>& all() const { return all_; }

  /// One more, for the next `write`.
  void hear(const RevocationHeard& heard);
  /// Writes what was heard since the last call. An error text, or empty.
  WhyNot write();

 private:
  std::string folder_;
  std::vector<RevocationHeard> all_;
  bool changed_ = false;
};

}  // namespace dmm
