// What is probably not meant in a configuration that is sound: shown by `--check`. Looks at the folders that it names,
// and at nothing else.
#pragma once

#include <string>
#include <vector>

#include "topologies/daemon_config.hpp"

namespace dmm {

/// Sentences, each with the key that it is about in front.
std::vector<std::string> notes_on(const SiteConfig& config);
std::vector<std::string> notes_on(const JobManagerConfig& config);
std::vector<std::string> notes_on(const ResourceManagerConfig& config);
std::vector<std::string> notes_on(const BatchManagerConfig& config);

}  // namespace dmm
