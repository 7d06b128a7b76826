// The node agent: the program of a pilot, or of a node's idle times. Joins the site if it has a token, and runs a
// resource manager for its node, in process and mount namespaces of its own where the kernel permits that.
// Whatever ends the agent ends all that ran in it, however it ends: the kernel kills the first process of the
// namespace when the agent dies, and with it all others.
//
// SIGUSR1 and SIGTERM say that the node is wanted back: the resource manager gives it back within its grace. Without a
// pilot, the scripts around local jobs start an agent in the background, and stop it (batchmgr/runner/agent_lock.hpp).
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "batchmgr/runner/agent_lock.hpp"
#include "batchmgr/runner/command_runner.hpp"

namespace {

using Arguments = std::vector<std::string>;

/// Beyond the grace, a resource manager has so long to give its node back.
constexpr double patience_seconds = 3;

struct Options {
  std::string directory, cluster;
  unsigned processors = 1;
  unsigned long long memory_bytes = 0;
  double grace = 5;
  std::vector<std::string> settings;  ///< KEY=VALUE
  bool stop = false, background = false;
};

void say(const std::string& text) {
  std::time_t now = std::time(nullptr);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf("%s nodeagent: %s\n", stamp, text.c_str());
  std::fflush(stdout);
}

/// Nothing of the batch system's job reaches the jobs of others.
void clear_environment() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    for (const char* prefix : {"SLURM", "SBATCH", "SGE_", "PMI", "JOB_"})
      if (text.starts_with(prefix)) names.push_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

[[noreturn]] void become(const Arguments& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(arguments.front(), arguments.data());
  std::fprintf(stderr, "%s: %s\n", arguments.front(), std::strerror(errno));
  ::_exit(127);
}

int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

int run(const Arguments& command) {
  const pid_t child = ::fork();
  if (child < 0) return 127;
  if (child == 0) become(command);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status_of(status);
}

/// The signals that say that the node is wanted back, and ends of children, to be read one by one.
int signals() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGCHLD}) sigaddset(&wanted, signal);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  return ::signalfd(-1, &wanted, SFD_CLOEXEC);
}

/// Passes the first wish on to the child as SIGUSR1, and kills a child that takes too long over it. The child's
/// status.
int watch(int signal_descriptor, pid_t child, double limit_seconds) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point limit = Clock::time_point::max();
  for (;;) {
    pollfd polled{signal_descriptor, POLLIN, 0};
    const bool has_limit = limit != Clock::time_point::max();
    const auto left = has_limit ? std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count() : -1;
    const int came = ::poll(&polled, 1, has_limit ? static_cast<int>(std::max<long>(left, 0)) : -1);
    if (came == 0) {
      ::kill(child, SIGKILL);
      limit = Clock::time_point::max();
      continue;
    }
    signalfd_siginfo signal{};
    if (::read(signal_descriptor, &signal, sizeof signal) != static_cast<ssize_t>(sizeof signal)) continue;
    if (signal.ssi_signo != SIGCHLD) {
      if (!has_limit) limit = Clock::now() + std::chrono::milliseconds(std::lround(limit_seconds * 1'000));
      ::kill(child, SIGUSR1);
      continue;
    }
    for (int status = 0; const pid_t ended = ::waitpid(-1, &status, WNOHANG);) {
      if (ended < 0) break;
      if (ended == child) return status_of(status);
    }
  }
}

/// The first process of the namespace: takes in orphans, and ends with the resource manager.
[[noreturn]] void be_first(const Arguments& command, bool has_namespace, double limit_seconds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (has_namespace) {
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, nullptr) != 0)
      std::fprintf(stderr, "/proc can't be mounted: %s\n", std::strerror(errno));
  } else {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  const int descriptor = signals();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    become(command);
  }
  ::_exit(child < 0 ? 127 : watch(descriptor, child, limit_seconds));
}

/// In namespaces of its own if the kernel permits it.
pid_t start(const Arguments& command, double limit_seconds) {
  constexpr unsigned long wanted = CLONE_NEWPID | CLONE_NEWNS;
  const auto clone = [](unsigned long flags) {
    return static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  };
  pid_t child = clone(wanted);
  if (child == 0) be_first(command, true, limit_seconds);
  if (child > 0) return child;
  say(std::string("no namespaces (") + std::strerror(errno) +
      "): if this agent is killed, what its jobs left behind stays");
  child = ::fork();
  if (child == 0) be_first(command, false, limit_seconds);
  return child;
}

/// Each pilot joins: so its certificate is fresh, however long the node was busy with other work.
bool join(const Options& options, const std::string& programs) {
  const int status = run({programs + "/dmm", "join", "--directory", options.directory, "--cluster",
                          options.cluster, "--nodes", "1", "--no-start"});
  ::unsetenv("DMM_TOKEN");
  return status == 0;
}

int serve(const Options& options) {
  const std::string programs = dmm::folder_of_programs();
  clear_environment();
  ::umask(077);
  if (std::getenv("DMM_TOKEN") && !join(options, programs)) {
    say("could not join the site");
    return 1;
  }
  Arguments command{programs + "/resmgr", "--config", options.directory + "/resmgr.json"};
  const auto add = [&](const std::string& setting) { command.insert(command.end(), {"--set", setting}); };
  add("in_pilot=true");
  add("processors_per_node=" + std::to_string(options.processors));
  add("memory_bytes=" + std::to_string(options.memory_bytes));
  add("hand_back_grace_seconds=" + std::to_string(options.grace));
  for (const std::string& setting : options.settings) add(setting);
  const int descriptor = signals();
  const pid_t child = start(command, options.grace + patience_seconds);
  if (child < 0) {
    say(std::string("could not start: ") + std::strerror(errno));
    return 1;
  }
  say("offers the node");
  const int status = watch(descriptor, child, options.grace + 2 * patience_seconds);
  say("has given the node back, status " + std::to_string(status));
  return status;
}

/// Returns in the caller once the agent's lock is taken: the agent can be stopped from then on.
int serve_in_background(const Options& options) {
  const int lock = dmm::take_agent_lock(options.directory);
  if (lock < 0) return 0;  // an agent runs already, or can't here: it said so
  const pid_t child = ::fork();
  if (child != 0) {
    if (child > 0) dmm::write_agent(lock, child);
    return child > 0 ? 0 : 1;
  }
  ::setsid();
  const std::string log = options.directory + "/agent.log";
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC),
            output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  for (const auto& [from, to] : {std::pair{input, 0}, {output, 1}, {output, 2}})
    if (from >= 0) ::dup2(from, to);
  return serve(options);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Node agent of DMM: the program of a pilot, or of a node's idle times. Joins the site with the token in "
      "DMM_TOKEN, if it is set, and offers the node until SIGUSR1 or SIGTERM says that it is wanted back.");
  app.set_version_flag("--version", "nodeagent " DMM_VERSION);
  Options options;
  app.add_option("--directory", options.directory, "The folder for keys, jobs and logs")
      ->required()
      ->type_name("FOLDER");
  app.add_option("--cluster", options.cluster, "With a token: the site's cluster that the node joins")
      ->type_name("NAME");
  app.add_option("--processors", options.processors, "Processors of the node")
      ->check(CLI::Range(1u, 1'000'000u))
      ->type_name("N");
  app.add_option("--memory-bytes", options.memory_bytes, "Memory of the node; 0: not known")->type_name("BYTES");
  app.add_option("--grace", options.grace, "Time for running jobs to end when the node is wanted back")
      ->check(CLI::Range(0.0, 8.0))
      ->type_name("SECONDS");
  app.add_option("--set", options.settings, "A setting of the resource manager; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_flag("--background", options.background, "Leave the terminal; does nothing if an agent runs");
  app.add_flag("--stop", options.stop,
               "Tell the agent that runs in the background to give its node back, and wait for that");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.stop) return dmm::stop_agent(options.directory, options.grace + 3 * patience_seconds);
  return options.background ? serve_in_background(options) : serve(options);
}
