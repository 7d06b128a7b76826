#include "cli/managers/processes.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
extern "C" {  // glibc 2.36 lacks this in its header
#include <sys/pidfd.h>
}
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "runtime/clock.hpp"

namespace dmm {
namespace {

constexpr int child_ready_descriptor = 3;

/// A file of /proc; empty if the process ends meanwhile, for which std::ifstream would throw.
std::string read_all(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  ::close(file);
  return text;
}

/// Some fields of /proc/ID/stat; all 0 for a zombie, or if there is no such process.
struct Stat {
  std::uint64_t start_time = 0;
  bool has_terminal = false;
};

Stat read_stat(int id) {
  const std::string text = read_all("/proc/" + std::to_string(id) + "/stat");
  const std::size_t name_end = text.rfind(')');  // the name may contain any character
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text.substr(name_end + 1));
  Stat stat;
  std::string word;
  for (int field = 3; field <= 22 && rest >> word; ++field) {
    if (field == 3 && (word == "Z" || word == "X")) return {};
    if (field == 7) stat.has_terminal = word != "0";
    if (field == 22) std::from_chars(word.data(), word.data() + word.size(), stat.start_time);
  }
  return stat;
}

/// The environment of a child: that of this process, with another DMM_READY_FD or none.
std::vector<std::string> environment_for(const SpawnOptions& options) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("DMM_READY_FD=")) all.emplace_back(*entry);
  if (options.ready_descriptor >= 0) all.push_back("DMM_READY_FD=" + std::to_string(child_ready_descriptor));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// Attributes and file actions, freed together.
struct SpawnPlan {
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};

  explicit SpawnPlan(const SpawnOptions& options) {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    sigset_t none, ours;
    sigemptyset(&none);
    sigemptyset(&ours);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGCHLD}) sigaddset(&ours, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ours);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, options.output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (options.ready_descriptor >= 0)
      posix_spawn_file_actions_adddup2(&actions, options.ready_descriptor, child_ready_descriptor);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

/// Open descriptors of processes; a descriptor becomes readable when its process ends.
class Watched {
 public:
  explicit Watched(const std::vector<ProcessKey>& processes) {
    for (const ProcessKey& process : processes) {
      const int descriptor = ::pidfd_open(process.id, 0);
      // Checked after the descriptor is open: from now on it can't mean another process.
      if (descriptor >= 0 && is_alive(process))
        descriptors_.push_back({descriptor, POLLIN, 0}), ids_.push_back(process.id);
      else if (descriptor >= 0)
        ::close(descriptor);
    }
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    for (const pollfd& one : descriptors_) ::close(one.fd);
    for (const int id : ids_) ::waitpid(id, nullptr, WNOHANG);
  }

  void send(int signal) const {
    for (const pollfd& one : descriptors_) ::pidfd_send_signal(one.fd, signal, nullptr, 0);
  }
  /// Waits until all processes have ended, for at most `at_most`, and forgets those that have. Returns how many ended.
  std::size_t wait(Duration at_most) {
    const std::size_t before = descriptors_.size();
    const Instant end = monotonic_now() + at_most;
    while (!descriptors_.empty()) {
      const Duration left = end - monotonic_now();
      if (left < Duration{}) break;
      ::poll(descriptors_.data(), descriptors_.size(), static_cast<int>(left.microseconds / 1000) + 1);
      forget_ended();
    }
    return before - descriptors_.size();
  }
  std::size_t size() const { return descriptors_.size(); }

 private:
  void forget_ended() {
    for (std::size_t i = descriptors_.size(); i-- > 0;) {
      if (descriptors_[i].revents == 0) continue;
      ::close(descriptors_[i].fd);
      ::waitpid(ids_[i], nullptr, WNOHANG);
      descriptors_.erase(descriptors_.begin() + static_cast<std::ptrdiff_t>(i));
      ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  std::vector<pollfd> descriptors_;
  std::vector<int> ids_;
};

/// Whether this command line is one of our programs with a file or folder inside one of the folders.
bool is_ours(const std::string& command_line, const std::vector<std::string>& folders) {
  const std::string program = command_line.substr(0, command_line.find('\0'));
  const std::string name = program.substr(program.rfind('/') + 1);  // after npos + 1, which is 0, all of it
  if (name != "sitemgr" && name != "jobmgr" && name != "resmgr" && name != "keeper") return false;
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return command_line.find(std::string(1, '\0') + folder + "/") != std::string::npos;
  });
}

bool is_inside(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return path.starts_with(folder + "/"); });
}

}  // namespace

std::uint64_t start_time_of(int id) { return read_stat(id).start_time; }

bool is_alive(const ProcessKey& process) {
  return process.id > 0 && process.start_time != 0 && start_time_of(process.id) == process.start_time;
}

ProcessKey own_process() { return {::getpid(), start_time_of(::getpid())}; }

OrFault<ProcessKey> spawn(const SpawnOptions& options) {
  std::vector<std::string> arguments{options.program};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = environment_for(options);
  const SpawnPlan plan(options);
  pid_t id = 0;
  const int error = ::posix_spawn(&id, options.program.c_str(), &plan.actions, &plan.attributes,
                                  pointers(arguments).data(), pointers(environment).data());
  if (error != 0) return "cannot start " + options.program + ": " + ::strerror(error);
  return ProcessKey{id, start_time_of(id)};
}

OrFault<int> run_program(const SpawnOptions& options) {
  const auto started = spawn(options);
  if (const auto* fault = std::get_if<std::string>(&started)) return *fault;
  int status = 0;
  while (::waitpid(std::get<ProcessKey>(started).id, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return options.program + " was killed by signal " + std::to_string(WTERMSIG(status));
}

Ending end_processes(const std::vector<ProcessKey>& processes, Duration patience, int signal) {
  Watched watched(processes);
  watched.send(signal);
  Ending ending;
  ending.ended = watched.wait(patience);
  watched.send(SIGKILL);
  ending.killed = watched.wait(seconds(2));
  ending.left = watched.size();
  return ending;
}

std::vector<ProcessKey> processes_in(std::vector<std::string> folders) {
  std::erase_if(folders, [](const std::string& folder) { return folder.size() < 2; });  // everything is inside ""
  std::vector<ProcessKey> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc{} || id == ::getpid())
      continue;
    std::error_code none;
    const std::string works_in = std::filesystem::read_symlink(entry->path() / "cwd", none).string();
    const Stat stat = read_stat(id);
    // A user's shell inside the folder has a terminal; the processes that we start have none.
    const bool works = !stat.has_terminal && is_inside(works_in, folders);
    if (!works && !is_ours(read_all((entry->path() / "cmdline").string()), folders)) continue;
    if (stat.start_time != 0) found.push_back({id, stat.start_time});
  }
  return found;
}

std::string own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

}  // namespace dmm
