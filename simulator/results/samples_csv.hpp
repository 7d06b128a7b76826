// clusters.csv and links.csv: the state of every cluster and every link over time, a row for each at each sample.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/architectures/grid.hpp"
#include "simulator/architectures/run.hpp"
#include "simulator/results/result_file.hpp"

namespace dmm {

/// The names of the two ends of a link. A link between a cluster and a network has the cluster's name and "network".
struct LinkEnds {
  std::string from;
  std::string to;
};

class SamplesCsv {
 public:
  /// `grid` and `links` must outlive it.
  SamplesCsv(const std::string& clusters_path, const std::string& links_path, const Grid& grid,
             const std::vector<LinkEnds>& links);

  void add(const Sample& sample);
  std::string close();

 private:
  ResultFile clusters_;
  ResultFile links_file_;
  const Grid& grid_;
  const std::vector<LinkEnds>& links_;
};

}  // namespace dmm
