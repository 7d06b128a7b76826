// The batch systems by name.
#include <algorithm>
#include <array>
#include <cctype>

#include "batchmgr/batch_system.hpp"
#include "batchmgr/systems/script.hpp"
#include "batchmgr/systems/slurm.hpp"

namespace dmm {

std::span<const BatchSystem> batch_systems() {
  static const std::array all{slurm_system, script_system};
  return all;
}

const BatchSystem* find_batch_system(std::string_view name) {
  const auto found = std::ranges::find(batch_systems(), name, &BatchSystem::name);
  return found == batch_systems().end() ? nullptr : &*found;
}

std::vector<std::string> guest_names(const BorrowSettings& borrow) {
  std::vector<std::string> names;
  for (std::uint32_t number = 1; number <= borrow.nodes_max; ++number)
    names.push_back("lent" + std::to_string(number));
  return names;
}

std::string manager_of(const std::string& node) {
  std::string name = node;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return name;
}

std::string pilot_name(const BatchSettings& settings) {
  return "dmm-" + std::string(settings.site.text) + "-" + settings.name;
}

}  // namespace dmm
