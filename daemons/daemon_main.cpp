// The options that every daemon has; see daemon_main.hpp.
#include "daemons/daemon_main.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "runtime/incarnation.hpp"

namespace dmm {

namespace {

bool speaks_tcp(const DaemonSettings& settings) {
  const auto is_tcp = [](const std::string& endpoint) { return endpoint.starts_with("tcp://"); };
  return std::ranges::any_of(settings.listen, is_tcp) ||
         std::ranges::any_of(settings.dials, is_tcp, &DialWanted::endpoint);
}

/// The keyring of a manager other than a site manager; its site has made it before.
OrFault<Keyring> keyring_of_manager(const std::string& folder, const Party& self) {
  auto read = read_keyring(folder);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  auto& keyring = std::get<std::optional<Keyring>>(read);
  if (!keyring)
    return "tcp needs keys, and there is no " + folder + "/keys/link.json: its site's `dmm certify` makes it";
  const auto written = read_unverified(keyring->certificate);
  const auto* shown = std::get_if<UnverifiedCertificate>(&written);
  if (shown && shown->certificate.party == self) return std::move(*keyring);
  return folder + "/keys/link.json has no certificate of " + to_text(self) +
         (shown ? ", but one of " + to_text(shown->certificate.party) : std::string());
}

}  // namespace

std::string take_keys(DaemonSettings& settings) {
  settings.endpoint.seal_salt = new_seal_salt();
  settings.endpoint.wall_offset = Duration{wall_microseconds() - monotonic_now().microseconds};
  const Party& self = settings.endpoint.self;
  const bool is_site_with_keys = self.role == Role::site_manager && has_keys(settings.directory);
  if (!speaks_tcp(settings) && !is_site_with_keys) return {};
  if (settings.directory.empty()) return "tcp needs keys, which are kept in \"directory\"; expected one";
  auto keyring = self.role == Role::site_manager ? keyring_of_site(settings.directory, self.site)
                                                 : keyring_of_manager(settings.directory, self);
  if (auto* fault = std::get_if<std::string>(&keyring)) return std::move(*fault);
  settings.keyring = std::move(std::get<Keyring>(keyring));
  settings.endpoint.link_secret = settings.keyring->link;
  settings.endpoint.certificate = settings.keyring->certificate;
  settings.endpoint.admission.trust.sites.emplace(self.site, settings.keyring->site);
  return {};
}

std::string number_start(DaemonSettings& settings, const std::string& directory) {
  const auto start =
      directory.empty() ? OrFault<std::uint64_t>(incarnation_now()) : next_incarnation(directory + "/incarnation");
  if (const auto* fault = std::get_if<std::string>(&start)) return *fault;
  const auto instance = instance_of(directory);
  if (const auto* fault = std::get_if<std::string>(&instance)) return *fault;
  settings.start = std::get<std::uint64_t>(start);
  settings.endpoint.incarnation = session_incarnation(settings.start);
  settings.endpoint.instance = std::get<std::uint64_t>(instance);
  return {};
}

std::variant<DaemonArguments, int> daemon_arguments(int argc, char** argv, const DaemonText& text) {
  DaemonArguments arguments;
  std::error_code unknown;  // then relative paths won't be found, and are named in the error
  arguments.folder = std::filesystem::current_path(unknown).string();
  CLI::App app(text.purpose, text.program);
  app.add_option("--config", arguments.file, "configuration (JSON); topologies/README.md has the keys")
      ->required();
  app.add_option("--set", arguments.overrides, "KEY=VALUE: a key of the configuration, set from here");
  app.add_flag("--check", arguments.check, "check the configuration, and exit");
  app.add_flag("--die-with-parent", arguments.die_with_parent, "end when the parent process ends (for testbeds)");
  app.set_version_flag("--version", text.program + " " DMM_VERSION);
  app.footer("Example: " + text.program + " " + text.example + "\n" +
             "Exit codes: 0 ended in order, 1 could not go on (port in use, ...), 2 bad usage or configuration.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError&) {
    std::fprintf(stderr, "%s: --config FILE is missing; for example: %s %s\n", text.program.c_str(),
                 text.program.c_str(), text.example.c_str());
    return 2;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return arguments;
}

}  // namespace dmm
