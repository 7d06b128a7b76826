#include "cli/sites/batch_configuration.hpp"

#include "cli/managers/processes.hpp"
#include "manager/assert.hpp"
#include "topologies/daemon_config.hpp"

namespace dmm {

OrFault<BatchConfiguration, CommandFault> batch_configuration(const std::string& file) {
  auto read = read_batch_manager_config(file);
  if (const auto* error = std::get_if<ConfigError>(&read)) return CommandFault{error->text, 2};
  BatchConfiguration all{std::move(std::get<BatchManagerConfig>(read).settings)};
  if (all.settings.node_programs.empty()) all.settings.node_programs = own_folder();
  all.system = find_batch_system(all.settings.system);
  DMM_ASSERT(all.system != nullptr);  // the configuration was checked
  return all;
}

}  // namespace dmm
