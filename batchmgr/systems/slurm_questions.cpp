// The commands of an examination of Slurm; see slurm_questions.hpp.
#include "batchmgr/systems/slurm_questions.hpp"

#include <algorithm>
#include <string>

#include "batchmgr/lines.hpp"
#include "batchmgr/systems/slurm_examination.hpp"

namespace dmm::slurm {
namespace {

/// In the order of the commands; the last two only where nodes are borrowed.
namespace asked {
enum : std::size_t { configuration, partitions, nodes, account, names, text, key };
}

/// Prints the addresses that have no meaning here.
constexpr const char* unknown_names =
    "sinfo --noheader --Node --format=%o | sort -u | while read -r name; do getent ahosts \"$name\" > /dev/null "
    "|| "
    "echo \"$name\"; done";

Finding account_of(const CommandEnded& ended) {
  const std::string name = ended.output.substr(0, ended.output.find('\n'));
  if (name == "root") return {FindingKind::ok, "account of pilots", name};
  return {
      FindingKind::look, "account of pilots", name,
      "as root: jobs of other sites get accounts of their own, and no process of such a job outlives its pilot"};
}

Finding names_of(const CommandEnded& ended) {
  const auto unknown = lines::lines_of(ended.output);
  if (unknown.empty()) return {FindingKind::ok, "names of nodes", "this host knows their addresses"};
  std::string all;
  for (const std::string_view name : unknown) lines::add_to(all, name);
  return {FindingKind::change, "names of nodes", "this host doesn't know " + all,
          "enter them in /etc/hosts or the name service, or NodeAddr= in slurm.conf"};
}

Finding key_of(const BatchSettings& settings, const CommandEnded& ended) {
  const std::string& file = settings.borrow.key;
  if (ended.status != 0)
    return {FindingKind::change, "MUNGE key", said_by(ended),
            "borrow.munge_key names the key that this cluster uses"};
  const std::string mode = ended.output.substr(0, ended.output.find('\n'));
  if (mode.ends_with("00")) return {FindingKind::ok, "MUNGE key", file};
  return {FindingKind::change, "MUNGE key", file + " has mode " + mode, "chmod 600 " + file};
}

}  // namespace

std::vector<Command> questions(const BatchSettings& settings) {
  std::vector<Command> all{{{"scontrol", "show", "config"}},
                           {{"scontrol", "--all", "--oneliner", "show", "partition"}},
                           {{"scontrol", "--all", "--oneliner", "show", "node"}},
                           {{"id", "--user", "--name"}},
                           {{"sh", "-c", unknown_names}}};
  if (!settings.borrow.is_on()) return all;
  all.push_back({{"cat", settings.borrow.configuration}});
  all.push_back({{"stat", "--format=%a", settings.borrow.key}});
  return all;
}

std::vector<Finding> examine(const BatchSettings& settings, std::span<const CommandEnded> ends) {
  const auto failed =
      std::ranges::find_if(ends.first(asked::names), [](const auto& one) { return one.status != 0; });
  if (failed != ends.first(asked::names).end())
    return {
        {FindingKind::change, "Slurm", said_by(*failed), "the commands of Slurm have to work here: try `sinfo`"}};
  const auto read =
      read_facts(ends[asked::configuration].output, ends[asked::partitions].output, ends[asked::nodes].output);
  if (const auto* fault = std::get_if<std::string>(&read)) return {{FindingKind::change, "Slurm", *fault, {}}};
  const Facts& facts = std::get<Facts>(read);
  std::vector<Finding> all = examine_lending(facts, settings);
  all.push_back(account_of(ends[asked::account]));
  all.push_back(names_of(ends[asked::names]));
  if (!settings.borrow.is_on()) return all;
  if (ends[asked::text].status != 0) {
    all.push_back({FindingKind::change, "slurm.conf", said_by(ends[asked::text]),
                   "borrow.slurm_conf names the file of this cluster"});
    return all;
  }
  for (Finding& one : examine_borrowing(facts, settings, ends[asked::text].output)) all.push_back(std::move(one));
  all.push_back(key_of(settings, ends[asked::key]));
  return all;
}

Command try_on(const BatchSettings& settings, const std::string& node, const std::string& script) {
  return {{"srun", "--partition=" + settings.partition, "--nodelist=" + node, "--nodes=1", "--ntasks=1",
           "--immediate=5", "--time=1", "--quiet", "--chdir=/", "--export=NONE", "/bin/sh", "-s"},
          script};
}

}  // namespace dmm::slurm
