#include "topologies/config_notes.hpp"

#include <cmath>
#include <filesystem>
#include <string_view>

namespace dmm {
namespace {

/// An endpoint needs a folder that exists; the daemon makes only its own directory.
void note_folders(const std::vector<std::string>& listen, const std::string& directory,
                  std::vector<std::string>& notes) {
  constexpr std::string_view scheme = "ipc://";
  for (std::size_t i = 0; i < listen.size(); ++i) {
    if (!listen[i].starts_with(scheme) || listen[i].starts_with("ipc://@")) continue;
    const std::filesystem::path folder = std::filesystem::path(listen[i].substr(scheme.size())).parent_path();
    std::error_code error;
    const std::filesystem::path own = (std::filesystem::path(directory) / "").lexically_normal().parent_path();
    const bool is_own = !directory.empty() && folder.lexically_normal() == own;
    if (!folder.empty() && !is_own && !std::filesystem::is_directory(folder, error))
      notes.push_back("listen[" + std::to_string(i) + "]: there is no folder " + folder.string() +
                      ", and it isn't made; expected an existing folder, or \"directory\"");
  }
}

/// Whole nodes are leased, so a single node with all processors is rarely meant.
void note_single_node(const std::string& key, std::uint32_t nodes, std::uint32_t processors_per_node,
                      std::vector<std::string>& notes) {
  if (nodes != 1 || processors_per_node <= 1) return;
  const std::string width = std::to_string(processors_per_node);
  notes.push_back(key + ": whole nodes are leased, so that a job of one processor takes all " + width +
                  "; declare " + width + " nodes of 1 processor if several jobs are to share the machine");
}

std::string decimal(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text + "0" : text;
}

}  // namespace

std::vector<std::string> notes_on(const SiteConfig& config) {
  std::vector<std::string> notes;
  if (config.directory.empty())
    notes.emplace_back("directory: it is missing: nothing is kept, and a restart forgets all leases");
  note_folders(config.listen, config.directory, notes);
  for (std::size_t i = 0; i < config.settings.clusters.size(); ++i) {
    const ClusterSettings& cluster = config.settings.clusters[i];
    const std::string key = "clusters[" + std::to_string(i) + "]";
    const std::uint64_t processors = std::uint64_t{cluster.nodes} * cluster.processors_per_node;
    const double usable = std::floor(cluster.quota * static_cast<double>(processors) + 1e-6);
    if (processors > 0 && usable < static_cast<double>(cluster.processors_per_node))
      notes.push_back(key + ".quota: " + decimal(cluster.quota) + " of " + std::to_string(processors) +
                      " processors leaves no whole node of " + std::to_string(cluster.processors_per_node) +
                      ": no request can ever run there");
    note_single_node(key + ".nodes", cluster.nodes, cluster.processors_per_node, notes);
  }
  return notes;
}

std::vector<std::string> notes_on(const JobManagerConfig& config) {
  std::vector<std::string> notes;
  note_folders(config.listen, config.directory, notes);
  return notes;
}

std::vector<std::string> notes_on(const ResourceManagerConfig& config) {
  std::vector<std::string> notes;
  note_folders(config.listen, config.directory, notes);
  note_single_node("nodes", config.settings.nodes, config.settings.processors_per_node, notes);
  return notes;
}

std::vector<std::string> notes_on(const BatchManagerConfig& config) {
  std::vector<std::string> notes;
  note_folders(config.listen, config.directory, notes);
  return notes;
}

}  // namespace dmm
