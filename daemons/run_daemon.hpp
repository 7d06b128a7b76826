// A daemon from its settings to its end: what every main does once it has read its configuration.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/key_office.hpp"
#include "runtime/reactor.hpp"

namespace dmm {

struct DaemonSettings {
  EndpointSettings endpoint;
  std::vector<std::string> listen;
  std::vector<DialWanted> dials;  ///< peers that this daemon connects to
  std::string directory;          ///< the daemon works there, and makes it if need be; empty: in the root folder
  LogOptions log;
  bool die_with_parent = false;
  bool needs_root = false;         ///< its administrator wants it to run as root
  std::uint64_t start = 0;         ///< the number of this start, greater than those of all earlier starts
  std::optional<Keyring> keyring;  ///< what it proves itself with over tcp
};

/// Reads what a daemon that speaks over tcp proves itself with; makes the keys of a site manager at its first start.
/// Call it once endpoints, dials, directory and admission are set. An error text, or empty.
std::string take_keys(DaemonSettings& settings);

/// Numbers this start, by what is kept in the directory. Call it after the directory is locked, so that no two daemons
/// take the same number. An error text, or empty.
std::string number_start(DaemonSettings& settings, const std::string& directory);

/// What a daemon stands on: signals, log and sockets, in this order. It is opened before the manager is made, so that a
/// second daemon of the same endpoints ends before it touches anything.
class Foundation {
 public:
  /// An error text, or empty. Files of the daemon are for its own account alone. The umask that the daemon was started
  /// with says which accounts may connect to its sockets.
  std::string open(const DaemonSettings& settings) {
    begin_daemon(settings.die_with_parent);
    const Umask given = change_umask(private_umask);
    if (std::string fault = log.open(settings.log); !fault.empty()) return fault;
    change_umask(given);
    if (settings.keyring) transport.prove_with(settings.keyring->link);
    for (const std::string& endpoint : settings.listen)
      if (std::string fault = transport.listen(endpoint); !fault.empty()) return fault;
    change_umask(private_umask);
    return work_in(settings.directory);
  }

  /// Warns on standard error and in the log of the harm that other accounts can do through the daemon.
  void warn(const DaemonSettings& settings) {
    for (const std::string& text : exposures_of(runs_as_root() && !settings.needs_root)) {
      log.write(Level::warning, "exposed", {{"text", text}});
      if (!log.on_terminal()) std::fprintf(stderr, "%s: warning: %s\n", settings.log.daemon.c_str(), text.c_str());
    }
  }

  Signals signals;
  Log log;
  Transport transport;
};

/// Says on standard error and in the log why a daemon can't go on. Returns the exit code for that.
inline int fail_daemon(Foundation& foundation, const Party& self, const std::string& fault) {
  if (!foundation.log.on_terminal()) std::fprintf(stderr, "%s: %s\n", to_text(self).c_str(), fault.c_str());
  foundation.log.write(Level::error, "cannot_start", {{"reason", fault}});
  return 1;
}

/// Runs a manager until it is told to end. Returns the exit code. `ledger` is nullptr if nothing is kept.
template <IsManager M, Shell<M> S>
int run_daemon(Foundation& foundation, const DaemonSettings& settings, M manager, S& shell, Ledger* ledger) {
  const Party self = settings.endpoint.self;
  Identity identity{self, settings.start, monotonic_now(), foundation.transport.endpoints()};
  Driver<M> driver(settings.endpoint, std::move(manager));
  KeyOffice keys(settings.directory, self, settings.keyring);
  Reactor<M, S> reactor(driver, shell, foundation.transport, foundation.signals, foundation.log,
                        std::move(identity), keys, ledger);
  if (const std::string fault = keys.begin(monotonic_now(), driver.endpoint); !fault.empty())
    return fail_daemon(foundation, self, fault);
  for (const DialWanted& wanted : settings.dials)
    if (const std::string fault = reactor.dial(wanted.peer, wanted.endpoint); !fault.empty())
      return fail_daemon(foundation, self, fault);
  foundation.warn(settings);
  if (settings.keyring)
    foundation.log.write(
        Level::info, "keys",
        {{"link", to_text(public_of(settings.keyring->link))}, {"site", to_text(settings.keyring->site)}});
  return reactor.run();
}

}  // namespace dmm
