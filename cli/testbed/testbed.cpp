#include "cli/testbed/testbed.hpp"
#include "cli/managers/shipped.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>

#include "cli/logs/log_records.hpp"
#include "cli/managers/ready_pipes.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/testbed/readiness.hpp"
#include "protocol/messages.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"
#include "runtime/keyring.hpp"
#include "topologies/derive.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

constexpr Duration start_limit = seconds(10);

std::string program_of(const Party& party) { return own_folder() + "/" + std::string(to_text(party.role)); }

std::string output_file_of(const TestbedDaemon& daemon) {
  return std::filesystem::path(daemon.log_file).replace_extension(".stderr").string();
}

std::string missing_programs() {
  for (const char* name : {"sitemgr", "jobmgr", "resmgr"})
    if (const std::string program = own_folder() + "/" + name; ::access(program.c_str(), X_OK) != 0)
      return program + " is missing or can't be run; the daemons must be beside dmm";
  return {};
}

TestbedFault tell(const Testbed& testbed, std::size_t daemon, const std::string& what) {
  const TestbedDaemon& one = testbed.daemons[daemon];
  const std::string words = last_words(one);
  return {to_text(one.party) + " " + what + (words.empty() ? "; it said nothing" : ":\n" + words), 1};
}

/// Starts a daemon and records it; closes this process's copy of the descriptor. Returns what went wrong, or empty.
std::string spawn_daemon(Testbed& testbed, std::size_t i, bool dies_with_us, int ready_descriptor) {
  TestbedDaemon& daemon = testbed.daemons[i];
  SpawnOptions spawned{.program = program_of(daemon.party),
                       .arguments = {"--config", daemon.config_file},
                       .output_file = output_file_of(daemon),
                       .ready_descriptor = ready_descriptor};
  if (dies_with_us) spawned.arguments.push_back("--die-with-parent");
  auto started = spawn(spawned);
  if (ready_descriptor >= 0) ::close(ready_descriptor);
  if (auto* fault = std::get_if<std::string>(&started)) return std::move(*fault);
  daemon.process = std::get<ProcessKey>(started);
  return record_process(testbed, i);
}

/// All steps from a topology to running daemons.
class BringUp {
 public:
  BringUp(const Topology& topology, const TestbedOptions& options) : topology_(topology), options_(options) {}

  std::optional<TestbedFault> make() {
    testbed_.name = options_.name.empty() ? topology_.name : options_.name;
    if (std::string fault = fault_of_name(testbed_.name); !fault.empty())
      return TestbedFault{"--name: " + fault, 2};
    if (std::string fault = missing_programs(); !fault.empty()) return TestbedFault{std::move(fault), 1};
    testbed_.topology = std::filesystem::absolute(options_.topology).string();
    testbed_.speedup = options_.speedup;
    testbed_.owned = options_.owned;
    if (auto fault = create_testbed(testbed_)) return TestbedFault{std::move(fault->text), 1};
    made_ = true;
    return write_files();
  }

  std::optional<TestbedFault> spawn_all() {
    for (std::size_t i = 0; i < testbed_.daemons.size(); ++i) {
      std::string fault = spawn_daemon(testbed_, i, options_.owned, pipes_.add(i));
      if (!fault.empty()) return TestbedFault{std::move(fault), 1};
    }
    return std::nullopt;
  }

  std::optional<TestbedFault> wait(Interrupts& interrupts) {
    const Instant end = monotonic_now() + start_limit;
    while (!pipes_.all_ready()) {
      if (interrupts.any()) return TestbedFault{"interrupted while starting", interrupts.exit_code()};
      if (const auto failed = pipes_.wait(milliseconds(50))) return tell(testbed_, *failed, "did not start");
      if (monotonic_now() >= end) return tell(testbed_, pipes_.slowest(), "was not ready after 10 s");
    }
    const Readiness readiness = wait_until_linked(testbed_, topology_, end - monotonic_now(), interrupts);
    if (interrupts.any()) return TestbedFault{"interrupted while starting", interrupts.exit_code()};
    for (std::size_t i = 0; i < testbed_.daemons.size(); ++i)
      if (!is_alive(testbed_.daemons[i].process)) return tell(testbed_, i, "ended at once");
    if (!readiness.fault.empty())
      return TestbedFault{"the testbed is not ready after 10 s: " + readiness.fault, 1};
    return std::nullopt;
  }

  Testbed& testbed() { return testbed_; }
  bool made() const { return made_; }

 private:
  std::optional<TestbedFault> write_files() {
    DeriveOptions derived;
    derived.directory = testbed_.short_path;
    derived.speedup = options_.speedup;
    derived.tcp = options_.first_port > 0;
    if (derived.tcp) derived.first_port = options_.first_port;
    derived.first_host = options_.first_host;
    derived.count_messages_by_request = options_.count_messages_by_request;
    std::map<SiteName, SiteSigner> signers;
    std::map<SiteName, LinkSecret> links;
    for (const TopologySite& site : topology_.sites)
      if (derived.tcp) {
        const SiteSigner& signer = signers.emplace(site.name, SiteSigner{new_site_secret(), {}}).first->second;
        const LinkSecret& link = links.emplace(site.name, new_link_secret()).first->second;
        derived.keys[site.name] = {public_of(signer.secret), public_of(link)};
      }
    auto deployment = derive(topology_, derived);
    if (const auto* error = std::get_if<ConfigError>(&deployment)) return TestbedFault{error->text, 2};
    const auto& files = std::get<Deployment>(deployment);
    for (const std::string& directory : files.directories)
      if (std::string fault = make_directory(directory); !fault.empty()) return TestbedFault{std::move(fault), 1};
    for (const DaemonFile& file : files.daemons) {
      // No sync: after a crash of the machine the testbed is gone anyway.
      if (!(std::ofstream(file.config_file) << file.text << std::flush))
        return TestbedFault{"cannot write " + file.config_file, 1};
      if (derived.tcp)
        if (std::string fault = write_keys(file, signers.at(file.party.site), links.at(file.party.site));
            !fault.empty())
          return TestbedFault{std::move(fault), 1};
      testbed_.daemons.push_back({file.party, file.endpoint, file.config_file, file.log_file, {}});
    }
    if (std::string fault = save_testbed(testbed_); !fault.empty()) return TestbedFault{std::move(fault), 1};
    return std::nullopt;
  }

  /// Writes the keys of a daemon; `link` is the link secret of its site manager.
  static std::string write_keys(const DaemonFile& daemon, const SiteSigner& signer, const LinkSecret& link) {
    const bool is_site = daemon.party.role == Role::site_manager;
    Keyring keyring{is_site ? link : new_link_secret(), {}, public_of(signer.secret)};
    keyring.certificate = certify_now(daemon.party, public_of(keyring.link), Right::none, signer);
    if (is_site)
      if (std::string fault = write_site_signer(daemon.directory, signer); !fault.empty()) return fault;
    return write_keyring(daemon.directory, keyring);
  }

  const Topology& topology_;
  const TestbedOptions& options_;
  Testbed testbed_;
  ReadyPipes pipes_;
  bool made_ = false;
};

}  // namespace

OrFault<Topology, TestbedFault> load_topology(const TestbedOptions& options) {
  ReadOptions reading;
  reading.overrides = options.overrides;
  auto read = read_topology(shipped(options.topology), reading);
  if (auto* error = std::get_if<ConfigError>(&read)) return TestbedFault{std::move(error->text), 2};
  return std::move(std::get<Topology>(read));
}

OrFault<Testbed, TestbedFault> bring_up(const Topology& topology, const TestbedOptions& options,
                                        Interrupts& interrupts) {
  BringUp start(topology, options);
  std::optional<TestbedFault> fault = start.make();
  if (!fault) fault = start.spawn_all();
  if (!fault) fault = start.wait(interrupts);
  if (!fault) return std::move(start.testbed());
  if (start.made()) remove_testbed(start.testbed());
  return std::move(*fault);
}

std::optional<TestbedFault> restart_daemon(Testbed& testbed, std::size_t daemon, bool kill) {
  const ProcessKey old = testbed.daemons[daemon].process;
  // Watched from before the signal: the first thread of a killed process is gone before the others release its files.
  if (end_processes({old}, seconds(20), kill ? SIGKILL : SIGTERM).left > 0)
    return tell(testbed, daemon, "could not be ended");
  ReadyPipes pipes;
  std::string fault = spawn_daemon(testbed, daemon, false, pipes.add(daemon));
  if (!fault.empty()) return TestbedFault{std::move(fault), 1};
  for (const Instant end = monotonic_now() + start_limit; !pipes.all_ready();) {
    if (pipes.wait(milliseconds(50))) return tell(testbed, daemon, "did not start again");
    if (monotonic_now() >= end) return tell(testbed, daemon, "was not ready again after 10 s");
  }
  return std::nullopt;
}

std::string last_words(const TestbedDaemon& daemon, std::size_t lines) {
  std::deque<std::string> last;
  for (const std::string& file : {output_file_of(daemon), daemon.log_file}) {
    for_each_line(file, [&](std::string_view line) {
      last.push_back("  " + cut(harmless(line), 300));
      if (last.size() > lines) last.pop_front();
    });
    if (!last.empty()) break;
  }
  std::string text;
  for (const std::string& line : last) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace dmm
