// The launcher: a resource manager starts it in place of a parallel job's program. It makes the program ready, waits
// until all tasks of the job are ready, and then runs it as often as wanted. It has the stager bring input files of the
// job first, and output files last. Inside the job, it also starts programs on the job's other hosts.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol/programs.hpp"
#include "resmgr/backends/process/launch_arguments.hpp"
#include "resmgr/launcher/agent.hpp"
#include "resmgr/launcher/copies.hpp"
#include "resmgr/launcher/mpi_command.hpp"
#include "resmgr/launcher/programs_here.hpp"
#include "resmgr/launcher/remote.hpp"
#include "resmgr/launcher/sockets.hpp"

namespace dmm::launcher {
namespace {

namespace fs = std::filesystem;

/// Open MPI makes sockets below its folder for temporary files; a socket's path has 107 letters at most.
constexpr std::size_t short_folder_max = 60;

std::string own_path() { return fs::read_symlink("/proc/self/exe").string(); }

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// Sends the line to the keeper. Without a keeper, a person has started the launcher.
bool say(const ReadyLine& line) {
  const std::string text = ready_line(line) + '\n';
  return write(launcher_socket, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// All that the keeper sends until it closes the socket.
std::string hear_order() {
  std::string text;
  char piece[16 * 1024];
  ssize_t count = 0;
  while ((count = read(launcher_socket, piece, sizeof piece)) > 0)
    text.append(piece, static_cast<std::size_t>(count));
  close(launcher_socket);
  return text;
}

/// Files for the programs of the job: its hosts and its tasks.
struct JobFiles {
  fs::path folder, nodes, agents;
};

JobFiles write_files(const LaunchOrder& order) {
  JobFiles files;
  files.folder = fs::path(variable("HOME")) / ".dmm";
  std::error_code error;
  fs::create_directories(files.folder, error);
  fs::permissions(files.folder, fs::perms::owner_all, error);
  files.nodes = files.folder / "nodes";
  files.agents = files.folder / "tasks";
  std::ofstream nodes(files.nodes);
  for (const HostSlots& host : hosts_of(order))
    if (host.slots > 0) nodes << host.host << " slots=" << host.slots << '\n';
  std::ofstream(files.agents) << to_text(order);
  return files;
}

std::vector<std::string> variables_of(const JobFiles& files, const std::string& temporary) {
  std::vector<std::string> variables{
      "DMM_NODEFILE=" + files.nodes.string(), std::string(agents_variable) + '=' + files.agents.string(),
      "PATH=" + fs::path(own_path()).parent_path().string() + ':' + variable("PATH"), "TMPDIR=" + temporary};
  if (geteuid() == 0)  // Open MPI would refuse
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"})
      variables.emplace_back(name);
  return variables;
}

/// A short way to the folder for temporary files: a symbolic link, unless the folder's path is short. If the job is
/// killed, the link alone stays behind: what is in the folder goes with the job's directory.
class Temporary {
 public:
  explicit Temporary(const fs::path& folder) : path_(folder) {
    if (folder.string().size() <= short_folder_max) return;
    const std::string link = "/tmp/dmm-" + new_token().substr(0, 12);
    if (symlink(folder.c_str(), link.c_str()) == 0) made_ = path_ = link;
  }
  ~Temporary() {
    if (!made_.empty()) unlink(made_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_, made_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Empty if there is no MPI launcher here.
std::string find_mpirun(MpiKind kind) {
  for (const std::string& name : mpirun_names(kind))
    if (std::string found = find_program(name); !found.empty()) return found;
  return {};
}

MpiKind kind_of(const std::vector<std::string>& program) {
  std::error_code error;
  const std::string found = find_program("mpirun");
  return mpi_kind(bytes_of(find_program(program.front())), fs::canonical(found, error).string());
}

ReadyLine fault_of(const LaunchArguments& arguments) {
  if (ReadyLine fault = fault_of_program(arguments.program.front()); fault.fault != StartFault::none) return fault;
  if (arguments.runner != Runner::mpi) return {};
  const MpiKind kind = kind_of(arguments.program);
  if (!find_mpirun(kind).empty()) return {};
  return {StartFault::executable_missing,
          "can't run " + mpirun_names(kind).front() + ": there is no such MPI launcher on this host"};
}

/// Starts the stager, which lies beside the launcher, for these files; 0 if it can't be started.
pid_t start_stager(const char* word, const std::vector<std::string>& variables, int output) {
  const std::string stager = (fs::path(own_path()).parent_path() / "stager").string();
  return start_program({stager, word}, variables, {.output = output}, false);
}

/// Waits for the stager. Whether it has brought all files.
bool has_brought(pid_t stager) {
  int status = could_not_start;
  while (stager > 0 && waitpid(stager, &status, 0) < 0 && errno == EINTR) continue;
  return status == 0;
}

/// Has the job's input files brought into its folder.
ReadyLine stage_in(const LaunchFiles& wanted) {
  if (wanted.inputs.empty()) return {};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {StartFault::resources, "can't make a pipe"};
  const pid_t stager = start_stager("in", launch_variables(wanted.inputs, {}, wanted.kept), ends[1]);
  close(ends[1]);
  std::string line;
  char piece[1024];
  ssize_t count = 0;
  while ((count = read(ends[0], piece, sizeof piece)) > 0) line.append(piece, static_cast<std::size_t>(count));
  close(ends[0]);
  if (has_brought(stager)) return {};
  if (!line.ends_with('\n')) return {StartFault::resources, "the stager ended without a word"};
  line.pop_back();
  return parse_ready_line(line);
}

/// The exit status if a program ended well but its output files couldn't be brought home: EX_IOERR of sysexits.h.
constexpr int not_brought = 74;

/// Has the job's output files brought home. Returns its status, as of waitpid: the program's own. If that was 0 and a
/// file is missing or couldn't be brought, another one.
int stage_out(const OutputFiles& files, int status) {
  if (files.empty()) return status;
  // The program has got a reclaim's warning. Until the grace is over, its files are brought.
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) std::signal(number, SIG_IGN);
  const bool is_brought = has_brought(start_stager("out", launch_variables({}, files), 1));
  return is_brought || status != 0 ? status : not_brought << 8;
}

/// The program to begin in the first task: the job's own, or the MPI launcher.
std::vector<std::string> command_of(const LaunchArguments& arguments, const LaunchOrder& order,
                                    const JobFiles& files) {
  if (arguments.runner == Runner::once) return arguments.program;
  const MpiKind kind = kind_of(arguments.program);
  return mpi_command(kind, {own_path(), find_mpirun(kind), files.nodes.string()}, order, arguments.program);
}

/// Runs an agent here; in the first task also the job's program. Returns the status, as of waitpid.
int run_with_agent(const LaunchArguments& arguments, const LaunchOrder& order, const JobFiles& files, int listener,
                   const std::string& token, std::vector<std::string> variables) {
  Agent agent(listener, token);
  for (const std::string& variable : variables) putenv(const_cast<char*>(variable.c_str()));
  if (order.own != 0) return agent.serve(0);
  const pid_t main =
      start_program(command_of(arguments, order, files),
                    rank_variables(order.own_part().component, 0, order.ranks(arguments.runner)), {}, false);
  const int status = main != 0 ? agent.serve(main) : could_not_start;
  finish_agents(order);
  return status;
}

/// Takes the job's files, and removes their variables from the environment of programs that are started here.
std::optional<LaunchFiles> take_files() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  for (const std::string& variable : variables)
    if (is_launch_variable(variable)) unsetenv(variable.substr(0, variable.find('=')).c_str());
  return parse_launch_variables(variables);
}

int run(const LaunchArguments& arguments) {
  fcntl(launcher_socket, F_SETFD, FD_CLOEXEC);
  const std::optional<LaunchFiles> wanted = take_files();
  if (!wanted) return 2;
  const bool has_agent = has_agents(arguments.runner);
  ReadyLine ready = stage_in(*wanted);
  if (ready.fault == StartFault::none) ready = fault_of(arguments);
  int listener = -1;
  std::string token;
  if (ready.fault == StartFault::none) ready.text = arguments.address.empty() ? "-" : arguments.address;
  if (ready.fault == StartFault::none && has_agent) {
    const auto [socket, fault] = listen_at(arguments.address);
    listener = socket;
    token = new_token();
    if (socket < 0)
      ready = {StartFault::resources, fault};
    else
      ready.text += ':' + port_of(socket) + '/' + token;
  }
  if (!say(ready)) return std::fprintf(stderr, "launcher: only a resource manager starts this\n"), 2;
  if (ready.fault != StartFault::none) return 1;
  const auto order = parse_launch_order(hear_order());
  if (!order) return 1;  // its keeper is gone
  const JobFiles files = write_files(*order);
  int status = 0;
  {
    const Temporary temporary(files.folder);
    std::vector<std::string> variables = variables_of(files, temporary.path());
    status = has_agent ? run_with_agent(arguments, *order, files, listener, token, std::move(variables))
                       : run_copies(arguments.program, *order, arguments.runner, variables);
  }
  end_as(stage_out(wanted->outputs, status));
}

int dispatch(const std::vector<std::string>& words) {
  const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  const std::string first = words.empty() ? std::string() : words.front();
  if (first == "run")
    if (const auto arguments = parse_launch_arguments(rest)) return run(*arguments);
  if (first == "exec" && !rest.empty()) return run_on_each_node(rest);
  if (first == "remote") return run_remote(rest);
  if (first == "-x") return run_remote(words);  // as MPICH calls ssh
  std::fprintf(stderr, "launcher: resource managers and MPI launchers start this; people use `dmm exec`\n");
  return 2;
}

}  // namespace
}  // namespace dmm::launcher

int main(int argc, char** argv) { return dmm::launcher::dispatch({argv + 1, argv + argc}); }
