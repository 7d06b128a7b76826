// Notes on settings of a sound configuration that are probably not meant: shown by `--check`. Looks at the folders that
// the configuration names, and at nothing else.
#pragma once

#include <string>
#include <vector>

#include "topologies/daemon_config.hpp"

namespace dmm {

/// Sentences, each with its key in front.
std::vector<std::string> notes_on(const SiteConfig& config);
std::vector<std::string> notes_on(const JobManagerConfig& config);
std::vector<std::string> notes_on(const ResourceManagerConfig& config);
std::vector<std::string> notes_on(const BatchManagerConfig& config);

}  // namespace dmm
