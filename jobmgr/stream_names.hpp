// The names of jobs' output in the job manager's own folder.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages.hpp"

namespace dmm {

/// "outputs/17.out", "outputs/17.err"; for further components "outputs/17.2.out".
inline std::string own_output_file(std::uint64_t job, std::uint32_t component, Stream stream) {
  std::string path = "outputs/" + std::to_string(job);
  if (component > 0) (path += '.') += std::to_string(component);
  return path + (stream == Stream::output ? ".out" : ".err");
}

}  // namespace dmm
