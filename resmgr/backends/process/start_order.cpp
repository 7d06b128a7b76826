#include "resmgr/backends/process/start_order.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/text.hpp"
#include "resmgr/backends/process/launch_arguments.hpp"
#include "resmgr/backends/process/script_file.hpp"
#include "resmgr/keeper/address.hpp"

namespace dmm::keeper {
namespace {

/// A fetch that takes longer no longer helps its job.
constexpr std::uint64_t fetch_seconds_max = 3'600;

// Part of a file name: letters, digits and '-' stay, so that separators of parts can't occur in one.
std::string escaped(const std::string& text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const auto within = [byte](char first, char last) { return byte >= first && byte <= last; };
    if (within('0', '9') || within('A', 'Z') || within('a', 'z') || byte == '-') {
      result += c;
    } else {
      result += {'%', digits[byte / 16], digits[byte % 16]};
    }
  }
  return result;
}

// Sets NAME=value in a list, in place of an earlier value.
void set_variable(std::vector<std::string>& environment, const std::string& variable) {
  const std::string name = variable.substr(0, variable.find('=') + 1);
  if (name.size() < 2) return;
  std::erase_if(environment, [&](const std::string& other) { return other.starts_with(name); });
  environment.push_back(variable);
}

// As execvp: a name with a slash is a path, any other is searched in every folder of PATH.
std::vector<std::string> paths_of(const std::string& name, const std::vector<std::string>& environment) {
  if (name.empty() || name.find('/') != std::string::npos) return {name};
  std::string path;
  for (const auto& variable : environment)
    if (variable.starts_with("PATH=")) path = variable.substr(5);
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    paths.push_back((folder.empty() ? "." : folder) + '/' + name);
    begin = end + 1;
  }
  return paths;
}

/// A program that lies beside the keeper.
std::string beside_keeper(const ProcessBackendSettings& settings, const char* program) {
  const std::string& keeper = settings.keeper_executable;
  return keeper.substr(0, keeper.rfind('/') + 1) + program;
}

StartJob empty_job(const TaskId& id, std::uint64_t serial, const Account& account) {
  StartJob job;
  job.serial = serial;
  job.name = {id.request.site.text, id.request.user, id.request.job, id.request.attempt, id.component};
  job.directory = directory_of(id);
  job.account = account;
  return job;
}

/// Puts the launcher before the job's program.
void put_launcher_before(const Program& program, const ProcessBackendSettings& settings, StartJob& job) {
  const std::string launcher = beside_keeper(settings, "launcher");
  job.arguments = launch_words({program.runner, settings.address, std::move(job.arguments)});
  for (std::string& variable : launch_variables(program.inputs, program.outputs, settings.jobs.kept_files))
    job.environment.push_back(std::move(variable));
  job.arguments.insert(job.arguments.begin(), launcher);
  job.paths = {launcher};
  job.awaits_go = true;
}

}  // namespace

std::string directory_of(const TaskId& id) {
  std::string names = escaped(id.request.site.text) + '_' + escaped(id.request.user);
  if (names.size() > 180)  // a file name has at most 255 bytes
    names = names.substr(0, 140) + '_' + std::to_string(stable_hash(names));
  return names + '_' + std::to_string(id.request.job) + '.' + std::to_string(id.request.attempt) + '.' +
         std::to_string(id.component);
}

StartJob fetch_job_of(const TaskId& id, const InputFiles& files, std::uint64_t serial,
                      const ProcessBackendSettings& settings, const std::string& path, const Account& account) {
  StartJob job = empty_job(id, serial, account);
  const std::string stager = beside_keeper(settings, "stager");
  job.arguments = {stager, "fetch"};
  job.paths = {stager};
  job.limits.wall_seconds = fetch_seconds_max;
  job.environment = {"PATH=" + path, "LANG=C.UTF-8",
                     "DMM_DIRECTORY=" + settings.directory + "/jobs/" + job.directory};
  for (std::string& variable : launch_variables(files, {}, settings.jobs.kept_files))
    job.environment.push_back(std::move(variable));
  return job;
}

StartJob job_of(const StartTask& order, std::uint64_t serial, const ProcessBackendSettings& settings,
                const std::string& path, const Account& account) {
  StartJob job = empty_job(order.id, serial, account);
  job.arguments = order.program.arguments;
  job.working_directory = order.program.working_directory;
  job.limits = order.program.limits;
  job.memory_bytes = settings.node_memory_bytes * count(order.nodes);
  job.processors = settings.node_processors * count(order.nodes);
  const std::string directory = settings.directory + "/jobs/" + job.directory;
  const std::string home = directory + '/' + work_name;
  job.environment = {"PATH=" + path, "HOME=" + home, "USER=" + account.name, "LOGNAME=" + account.name,
                     "LANG=C.UTF-8"};
  for (const auto& variable : order.program.environment) set_variable(job.environment, variable);
  set_variable(job.environment, "DMM_JOB=" + to_text(order.id.request));
  set_variable(job.environment, "DMM_COMPONENT=" + std::to_string(order.id.component));
  set_variable(job.environment, "DMM_DIRECTORY=" + directory);  // by this, a later keeper finds leftovers
  job.input = order.program.input;
  if (order.program.script.empty())
    job.paths = paths_of(job.arguments.front(), job.environment);
  else
    carry_script(order.program, directory, job);
  // A launcher doesn't pass a SIGTERM on.
  job.warns_program_only = order.program.warns_program_only && !order.program.awaits_go;
  if (order.program.awaits_go) put_launcher_before(order.program, settings, job);
  return job;
}

}  // namespace dmm::keeper
