// RunStory: the lines of a run, for a trace while it is played and for the story of what is broken.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

class RunStory {
 public:
  /// Sets a function that gets a line for every happening and act.
  void set_trace(std::function<void(const std::string&)> trace) { trace_ = std::move(trace); }
  /// Adds a line about an act.
  void add(std::string line);
  void add(Happening happening);
  /// The last lines about what is broken, then the last of all lines.
  std::vector<std::string> told(const std::string& fault) const;

 private:
  std::function<void(const std::string&)> trace_;
  std::deque<Happening> past_;    ///< the latest happenings
  std::deque<std::string> acts_;  ///< the latest acts
};

}  // namespace dmm
