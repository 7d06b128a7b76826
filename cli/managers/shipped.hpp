// The files that come along: topologies and workloads that examples name.
#pragma once

#include <string>

namespace dmm {

/// The path itself where there is such a file; else the path below the installation's share/dmm, if that is there. So
/// `dmm testbed up topologies/two-sites.json` works from any folder once DMM is installed.
std::string shipped(const std::string& path);

}  // namespace dmm
