// Horizontal bars, each divided into parts of a whole, with the amount of the whole behind it.
#pragma once

#include <string>
#include <vector>

namespace dmm {

struct StackedBar {
  std::string name;
  std::vector<double> parts;  ///< of a whole that is their sum
  std::string amount;         ///< of the whole, with its unit
};

struct StackedBars {
  std::string title;
  std::string note;
  std::string axis_label;
  std::vector<std::string> part_names;
  std::vector<StackedBar> bars;
};

/// A whole document.
std::string stacked_bars_document(const StackedBars& chart);

}  // namespace dmm
