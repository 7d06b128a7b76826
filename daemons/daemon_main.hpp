// The command line of a daemon, and its start from there: the same for all daemons.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daemons/run_daemon.hpp"
#include "runtime/accounts.hpp"

namespace dmm {

/// The texts about a daemon that its users read.
struct DaemonText {
  std::string program;  ///< "sitemgr"
  std::string purpose;
  std::string example;  ///< of its arguments
};

struct DaemonArguments {
  std::string file;                    ///< the configuration
  std::string folder;                  ///< where the daemon was started: relative paths begin there, also later
  std::vector<std::string> overrides;  ///< KEY=VALUE
  bool check = false;                  ///< only say whether the configuration is sound
  bool die_with_parent = false;
};

/// The arguments; or the exit code, if help or an error was printed and nothing is left to do.
std::variant<DaemonArguments, int> daemon_arguments(int argc, char** argv, const DaemonText& text);

/// What the configurations of all daemons say of their sessions, endpoints and log.
template <class Config>
DaemonSettings daemon_settings(const Config& config, Party self) {
  DaemonSettings settings;
  settings.endpoint.self = std::move(self);
  settings.endpoint.times.beat = from_seconds(config.beat_seconds);
  settings.endpoint.times.silence = from_seconds(config.silence_seconds);
  settings.endpoint.admission.accounts.own = own_account();
  settings.endpoint.count_by_request = config.count_messages_by_request;
  settings.listen = config.listen;
  settings.log = {config.log.file,
                  config.log.terminal,
                  parse_level(config.log.level),
                  to_text(settings.endpoint.self),
                  std::size_t{config.log.rotate_megabytes} * 1'000'000,
                  config.log.rotated_files};
  settings.directory = config.directory;
  return settings;
}

/// A daemon's `main`: its exit code. `read` gives the configuration of a file, or an error with a `text`. `notes_on`
/// says what in it is probably not meant. `describe` names the daemon's party. `run` runs the daemon with the arguments
/// by which it can read the file again.
/// read again by.
template <class Read, class Describe, class Run>
int daemon_main(int argc, char** argv, const DaemonText& text, Read read, Describe describe, Run run) {
  const auto parsed = daemon_arguments(argc, argv, text);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  DaemonArguments arguments = std::get<DaemonArguments>(parsed);
  const auto config = read(arguments);
  if (const auto* error = std::get_if<1>(&config)) {
    std::fprintf(stderr, "%s: %s\n", text.program.c_str(), error->text.c_str());
    return 2;
  }
  if (!arguments.check) {
    if (!arguments.file.starts_with('/')) arguments.file = arguments.folder + "/" + arguments.file;
    return run(std::get<0>(config), arguments);
  }
  std::printf("%s: ok (%s)\n", arguments.file.c_str(), describe(std::get<0>(config)).c_str());
  for (const std::string& note : notes_on(std::get<0>(config)))
    std::fprintf(stderr, "%s: warning: %s\n", arguments.file.c_str(), note.c_str());
  return 0;
}

}  // namespace dmm
