// Both scripts end with status 0 whatever happens: Slurm drains a node where one fails.
#include "batchmgr/node_scripts.hpp"

#include "batchmgr/shell_words.hpp"

namespace dmm {
namespace {

/// A file for each local job of the node, in a folder for each start of the node; and a lock, since jobs may come
/// and go at once.
std::string beginning(const NodeScriptSettings& settings, const std::string& about) {
  return "#!/bin/sh\n# Written by `dmm slurm scripts`. " + about +
         "\nNODE=${SLURMD_NODENAME:-$(hostname -s)}\n"
         "FOLDER=" +
         shell_word(settings.node_folder) +
         "/$NODE\n"
         "JOBS=$FOLDER/local-jobs-$(cat /proc/sys/kernel/random/boot_id)\n"
         "AGENT=" +
         shell_word(settings.programs + "/nodeagent") +
         "\n"
         "[ -d \"$FOLDER\" ] || exit 0  # the node has not joined\n"
         "mkdir -p \"$JOBS\"\n"
         "exec 9> \"$FOLDER/local-jobs.lock\"\n"
         "flock 9\n";
}

/// A word of the shell, with the node's name for each %n.
std::string word_for_node(const std::string& setting) {
  return with_name(shell_word(setting), "'\"$NODE\"'");  // between two parts in quotes
}

}  // namespace

std::string prolog_text(const NodeScriptSettings& settings) {
  return beginning(settings, "Slurm's prolog: the agent of this node gives it back before a job starts.") +
         ": > \"$JOBS/$SLURM_JOB_ID\"\n"
         "\"$AGENT\" --stop --directory \"$FOLDER\" --grace " +
         shell_word(std::to_string(settings.grace.in_seconds())) + "\nexit 0\n";
}

std::string epilog_text(const NodeScriptSettings& settings) {
  std::string options;
  for (const std::string& setting : settings.settings) options += " --set " + word_for_node(setting);
  return beginning(settings,
                   "Slurm's epilog, also run when the node has started: the agent offers this node if no local "
                   "job is here.") +
         "if [ -n \"$SLURM_JOB_ID\" ]; then rm -f \"$JOBS/$SLURM_JOB_ID\"; fi\n"
         "if [ -z \"$(ls -A \"$JOBS\")\" ]; then\n"
         "  \"$AGENT\" --background --directory \"$FOLDER\" --grace " +
         shell_word(std::to_string(settings.grace.in_seconds())) +
         " \\\n    --processors \"$(nproc)\" --memory-bytes \"$(awk '/^MemTotal/ {printf \"%.0f\", $2 * 1024}' "
         "/proc/meminfo)\"" +
         options +
         " 9>&-\n"
         "fi\n"
         "exit 0\n";
}

}  // namespace dmm
