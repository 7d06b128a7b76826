// What an agent needs of its node; see node_examination.hpp.
#include "batchmgr/node_examination.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "batchmgr/lines.hpp"
#include "batchmgr/shell_words.hpp"

namespace dmm {
namespace {

using Words = std::map<std::string, std::string, std::less<>>;

/// MUNGE refuses what is five minutes old, and a token of a pilot is good for half an hour.
constexpr double clock_difference_max = 60;

/// HOST and PORT of tcp://HOST:PORT.
std::pair<std::string, std::string> place_of(const std::string& endpoint) {
  const std::size_t begin = endpoint.find("//") + 2, colon = endpoint.rfind(':');
  return {endpoint.substr(begin, colon - begin), endpoint.substr(colon + 1)};
}

Words words_in(const std::string& text) {
  Words words;
  for (const std::string_view line : lines::lines_of(text)) {
    const auto parts = lines::split(line, ' ', 2);
    words.emplace(parts[0], parts.size() > 1 ? std::string(parts[1]) : std::string());
  }
  return words;
}

std::string value_in(const Words& words, std::string_view key) {
  const auto found = words.find(key);
  return found == words.end() ? std::string() : found->second;
}

Finding clock_of(const Words& words, double began, double finished) {
  const double there = std::strtod(value_in(words, "clock").c_str(), nullptr);
  const double apart = there < began ? began - there : std::max(there - finished, 0.0);
  const std::string found = std::to_string(std::lround(apart)) + " s apart from this host's";
  if (apart <= clock_difference_max) return {FindingKind::ok, "clock", found};
  return {FindingKind::change, "clock", found, "run a time service on both hosts"};
}

Finding programs_of(const BatchSettings& settings, const Words& words, const std::string& version) {
  const std::string said = value_in(words, "version");
  const std::string found = said.substr(std::min(said.find(' ') + 1, said.size()));
  if (found == version) return {FindingKind::ok, "DMM's programs", "version " + found};
  if (said.empty())
    return {FindingKind::change, "DMM's programs", "there are none that run in " + settings.node_programs,
            "install them there; or name another folder: node_programs in the batch manager's configuration"};
  return {FindingKind::look, "DMM's programs", "version " + found + ", and here " + version,
          "install the same version on all hosts"};
}

Finding answer(const Words& words, const char* key, std::string subject, std::string good, std::string bad,
               std::string change, FindingKind otherwise = FindingKind::change) {
  if (value_in(words, key) == "yes") return {FindingKind::ok, std::move(subject), std::move(good)};
  return {otherwise, std::move(subject), std::move(bad), std::move(change)};
}

}  // namespace

std::string node_script(const BatchSettings& settings) {
  const auto [host, port] = place_of(settings.node_endpoint);
  return "tell() { if eval \"$2\" > /dev/null 2>&1; then echo \"$1 yes\"; else echo \"$1 no\"; fi; }\n"
         "echo clock $(date +%s.%N)\n"
         "echo version $(" +
         shell_word(settings.node_programs + "/nodeagent") +
         " --version 2> /dev/null)\n"
         "FOLDER=" +
         shell_word(settings.node_folder) + " HOST=" + shell_word(host) + " PORT=" + shell_word(port) +
         "\n"
         "tell folder 'mkdir -p -m 700 \"$FOLDER\" && test -w \"$FOLDER\"'\n"
         "tell reaches 'timeout 3 bash -c \"exec 3<> /dev/tcp/$HOST/$PORT\"'\n"
         "tell namespaces 'unshare --pid --mount --fork true'\n"
         "tell cgroups 'mountpoint /sys/fs/cgroup'\n"
         "tell guests 'command -v slurmd && command -v munged && command -v scontrol'\n";
}

std::vector<Finding> examine_node(const BatchSettings& settings, const std::string& node,
                                  const CommandEnded& ended, double began, double finished,
                                  const std::string& version) {
  const Words words = words_in(ended.output);
  if (ended.status != 0 || words.empty()) {
    const std::string why = ended.error.substr(0, ended.error.find('\n'));
    return {{FindingKind::look, "node " + node, why.empty() ? "nothing could be run there" : why,
             "a node that is idle can be examined"}};
  }
  const bool lends_to_slurm = std::ranges::any_of(
      settings.node_settings, [](const std::string& one) { return one.find("\"full\"") != std::string::npos; });
  std::vector<Finding> all{
      clock_of(words, began, finished), programs_of(settings, words, version),
      answer(words, "folder", "folder", settings.node_folder,
             settings.node_folder + " can't be made or written there",
             "let this account write there; or name another folder: node_folder"),
      answer(words, "reaches", "way to the head", settings.node_endpoint + " answers there",
             settings.node_endpoint + " doesn't answer there",
             "open this port for the node; node_endpoint and the site manager's `listen` must be the same place"),
      answer(words, "namespaces", "namespaces", "an agent's processes end with the agent",
             "this account may not create namespaces",
             "run the batch manager as root; otherwise processes of a job can outlive a killed pilot",
             FindingKind::look)};
  if (lends_to_slurm) {
    all.push_back(answer(words, "guests", "Slurm for borrowers", "slurmd, munged and scontrol are there",
                         "slurmd, munged or scontrol is missing", "install all three: borrowers' nodes run them"));
    all.push_back(answer(words, "cgroups", "cgroups", "mounted", "nothing is mounted on /sys/fs/cgroup",
                         "mount -t cgroup2 none /sys/fs/cgroup: slurmd 22.05 doesn't start without"));
  }
  for (Finding& one : all) one.subject = node + ": " + one.subject;
  return all;
}

}  // namespace dmm
