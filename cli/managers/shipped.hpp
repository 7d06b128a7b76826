// The files that come with DMM: topologies and workloads that examples name.
#pragma once

#include <string>

namespace dmm {

/// The path itself if it exists; else the path below the installation's share/dmm, if that file exists. So `dmm testbed
/// up topologies/two-sites.json` works from any folder once DMM is installed.
std::string shipped(const std::string& path);

}  // namespace dmm
