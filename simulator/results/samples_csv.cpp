#include "simulator/results/samples_csv.hpp"

#include "simulator/results/numbers.hpp"

namespace dmm {

SamplesCsv::SamplesCsv(const std::string& clusters_path, const std::string& links_path, const Grid& grid,
                       const std::vector<LinkEnds>& links)
    : clusters_(clusters_path), links_file_(links_path), grid_(grid), links_(links) {
  clusters_.write("time,cluster,processors,busy,foreign,waiting_jobs\n");
  links_file_.write("time,from,to,load,messages,leases\n");
}

void SamplesCsv::add(const Sample& sample) {
  const std::string time = plain((sample.at - Instant{}).in_seconds(), 6) + ',';
  for (std::size_t i = 0; i < sample.clusters.size() && i < grid_.clusters.size(); ++i) {
    const ClusterSample& state = sample.clusters[i];
    clusters_.write(time + grid_.clusters[i].name + ',' + std::to_string(grid_.clusters[i].processors) + ',' +
                    std::to_string(state.busy) + ',' + std::to_string(state.foreign) + ',' +
                    std::to_string(state.waiting) + '\n');
  }
  for (std::size_t i = 0; i < sample.links.size(); ++i) {
    const LinkSample& state = sample.links[i];
    const LinkEnds ends = i < links_.size() ? links_[i] : LinkEnds{std::to_string(i), ""};
    links_file_.write(time + ends.from + ',' + ends.to + ',' + plain(state.load, 6) + ',' +
                      std::to_string(state.messages) + ',' + std::to_string(state.leases) + '\n');
  }
}

std::string SamplesCsv::close() {
  const std::string fault = clusters_.close();
  const std::string other = links_file_.close();
  return fault.empty() ? other : fault;
}

}  // namespace dmm
