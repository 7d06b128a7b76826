// The room left on each cluster while one need is placed. A policy takes from it component by component, and drops it
// if it fails. This file also has the two orders that the papers sort by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matchmaking/placement/placement.hpp"

namespace dmm {

/// Usable processors of each cluster, less those taken. Indices are those of the clusters it was made from, which must
/// outlive it.
class Room {
 public:
  explicit Room(std::span<const ClusterView> clusters);

  std::size_t size() const { return left_.size(); }
  /// Processors left on the cluster, always whole nodes.
  std::uint32_t left(std::size_t cluster) const { return left_[cluster]; }
  /// Time until the input files would be on the cluster.
  Duration staging(std::size_t cluster) const { return clusters_[cluster].staging; }
  /// Whether the cluster can still hold a component of `processors` processors.
  bool fits(std::size_t cluster, std::uint32_t processors) const { return processors <= left_[cluster]; }
  /// Takes the whole nodes for a component of `processors` processors; it must fit.
  void take(std::size_t cluster, std::uint32_t processors);
  /// The cluster with the most processors left, the first of equal ones. There must be one.
  std::size_t emptiest() const;
  /// The clusters in decreasing order of processors left; equal ones in the order of the input.
  std::vector<std::size_t> emptiest_first() const;

 private:
  std::span<const ClusterView> clusters_;
  std::vector<std::uint32_t> left_;
};

/// The indices of the components in decreasing order of size; equal ones in the order of the input.
std::vector<std::uint32_t> largest_first(std::span<const std::uint32_t> sizes);

}  // namespace dmm
