// The site manager's daemon: reads its configuration and runs the manager; everything it decides is in
// sitemgr/site_manager.hpp, everything it does in runtime/.
#include <algorithm>
#include <csignal>

#include "daemons/answers/holdings.hpp"
#include "daemons/answers/site_orders.hpp"
#include "daemons/answers/site_view.hpp"
#include "daemons/daemon_main.hpp"
#include "daemons/running_config.hpp"
#include "runtime/accounts.hpp"
#include "runtime/enrolment.hpp"
#include "runtime/successors.hpp"
#include "sitemgr/site_manager.hpp"
#include "topologies/config_notes.hpp"
#include "topologies/daemon_config.hpp"

namespace {

using namespace dmm;

/// Neighbours that joined by a token, and keys revoked by an order, stand beside those of the configuration, which
/// has the last word.
WhyNot add_joined(SiteConfig& config) {
  if (config.directory.empty()) return {};
  auto revoked = read_revoked(config.directory);
  if (auto* fault = std::get_if<std::string>(&revoked)) return std::move(*fault);
  for (std::string& key : std::get<std::vector<std::string>>(revoked)) config.revoked.push_back(std::move(key));
  for (const std::string& key : std::vector<std::string>(config.revoked)) {
    auto later = successors_of(config.directory, key);
    if (auto* fault = std::get_if<std::string>(&later)) return std::move(*fault);
    for (std::string& one : std::get<std::vector<std::string>>(later)) config.revoked.push_back(std::move(one));
  }
  auto read = read_joined(config.directory);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  for (const JoinedLink& joined : std::get<std::vector<JoinedLink>>(read)) {
    const SiteName site{ShortText(joined.site)};
    if (std::ranges::find(config.links, site, &LinkConfig::site) != config.links.end()) continue;
    const auto relation = parse_relation(joined.relation);
    if (!relation) return joined.site + " joined as \"" + joined.relation + "\", which is no relation";
    if (relation == Relation::parent) {
      if (!config.settings.ancestors.empty())
        return joined.site + " joined as a second parent; expected at most one";
      config.settings.ancestors.emplace_back(site);
      for (const std::string& ancestor : joined.ancestors)
        config.settings.ancestors.emplace_back(SiteName{ShortText(ancestor)});
    }
    config.links.push_back({.site = site, .relation = *relation, .connect = joined.connect, .key = joined.key});
    config.settings.neighbours.push_back({site, *relation, {}});
  }
  return {};
}

SiteConfigOrError read_config(const DaemonArguments& given) {
  auto read = read_site_config(given.file, {.overrides = given.overrides, .folder = given.folder});
  if (auto* config = std::get_if<SiteConfig>(&read))
    if (WhyNot fault = add_joined(*config); !fault.empty()) return ConfigError{fault};
  return read;
}

Admission admission_of(const SiteConfig& config) {
  Admission admission;
  const SiteName& site = config.settings.name;
  for (const std::string& user : config.users) admission.parties.insert(job_manager_of(site, user));
  for (const std::string& name : config.resource_managers)
    admission.parties.insert(resource_manager_of(site, name));
  AccountRules& accounts = admission.accounts;
  accounts.own = own_account();
  accounts.administrators = {config.administrators.begin(), config.administrators.end()};
  accounts.resource_managers = {config.resource_manager_accounts.begin(), config.resource_manager_accounts.end()};
  for (const std::string& revoked : config.revoked)
    if (const auto key = parse_key<LinkKey>(revoked)) admission.trust.revoked.insert(*key);
  for (const LinkConfig& link : config.links) {
    const Party neighbour = site_manager_of(link.site);
    admission.parties.insert(neighbour);
    accounts.parties[neighbour] = {link.accounts.begin(), link.accounts.end()};
    if (const auto key = parse_key<SiteKey>(link.key)) admission.trust.sites.emplace(link.site, *key);
  }
  admission.job_managers_of_site = config.users.empty();
  admission.resource_managers = config.resource_managers.empty();
  return admission;
}

std::vector<DialWanted> dials_of(const SiteConfig& config) {
  std::vector<DialWanted> dials;
  for (const LinkConfig& link : config.links)
    if (!link.connect.empty()) dials.push_back({site_manager_of(link.site), link.connect});
  return dials;
}

/// A site manager has nothing beside its manager but its configuration.
class SiteShell {
 public:
  SiteShell(SiteConfig config, DaemonArguments arguments, const std::optional<Keyring>& keyring)
      : config_(std::move(config)), arguments_(std::move(arguments)) {
    if (!keyring) return;
    own_key_ = keyring->site;
    open_office(public_of(keyring->link));
  }

  static constexpr std::string_view state_verb = "site";
  std::vector<int> descriptors() const { return {}; }
  bool collect(Instant, Driver<SiteManager>&) { return false; }
  bool perform(Instant, Driver<SiteManager>&) { return false; }
  bool finish(Instant, Driver<SiteManager>&, Farewell) { return true; }
  void take_key(Instant, Driver<SiteManager>&, const Transport&, const LinkKey& link) { open_office(link); }
  std::optional<Answer> answer(Instant now, Driver<SiteManager>& driver, const Ask& ask) {
    const ViewTime time{now, wall_microseconds()};
    if (auto enrolment = answer_enrolment(office_, ask)) {
      if (enrolment->reload) ::raise(SIGHUP);  // as an administrator would
      return std::move(enrolment->answer);
    }
    if (ask.verb == "holdings") return holdings_of(driver.manager, ask);
    if (auto answer = order_site(driver.manager, time, ask, driver.effects)) return answer;
    return answer_site(driver.manager, time, ask);
  }

  Reloaded reload(Instant now, Driver<SiteManager>& driver) {
    const auto read = read_config(arguments_);
    if (const auto* error = std::get_if<ConfigError>(&read)) return {.fault = error->text};
    const SiteConfig& wanted = std::get<SiteConfig>(read);
    Reloaded reloaded{.fault = driver.manager.reconfigure(now, wanted.settings, driver.effects)};
    if (!reloaded.fault.empty()) return reloaded;
    reloaded.admission = admission_of(wanted);
    if (own_key_) reloaded.admission->trust.sites.emplace(wanted.settings.name, *own_key_);
    const std::vector<DialWanted> before = dials_of(config_.latest()), after = dials_of(wanted);
    const auto has = [](const std::vector<DialWanted>& dials, const Party& peer) {
      return std::ranges::find(dials, peer, &DialWanted::peer) != dials.end();
    };
    for (const DialWanted& old : before)
      if (!has(after, old.peer)) reloaded.drops.push_back(old.peer);
    for (const DialWanted& dial : after) {
      const auto same = std::ranges::find(before, dial.peer, &DialWanted::peer);
      if (same == before.end() || same->endpoint != dial.endpoint) reloaded.dials.push_back(dial);
    }
    config_.take(wanted, reloaded);
    return reloaded;
  }

 private:
  /// Tokens name the link key that the site manager listens with.
  void open_office(const LinkKey& link) {
    std::vector<std::string> ancestors;
    const SiteConfig& config = config_.latest();
    for (const SiteName& site : config.settings.ancestors) ancestors.emplace_back(site.text);
    office_.emplace(config.directory, config.settings.name, link, std::move(ancestors));
  }

  RunningConfig<SiteConfig> config_;
  DaemonArguments arguments_;
  std::optional<SiteKey> own_key_;  ///< none: it doesn't speak over tcp
  std::optional<Enrolment> office_;
};

DaemonSettings settings_of(const SiteConfig& config) {
  DaemonSettings settings = daemon_settings(config, site_manager_of(config.settings.name));
  settings.endpoint.ancestors = config.settings.ancestors;
  settings.endpoint.admission = admission_of(config);
  settings.dials = dials_of(config);
  return settings;
}

int run(const SiteConfig& config, const DaemonArguments& arguments) {
  DaemonSettings settings = settings_of(config);
  settings.die_with_parent = arguments.die_with_parent;
  Foundation foundation;
  const auto fail = [&](const std::string& fault) {
    return fail_daemon(foundation, settings.endpoint.self, fault);
  };
  if (const std::string fault = take_keys(settings); !fault.empty()) return fail(fault);
  if (const std::string fault = foundation.open(settings); !fault.empty()) return fail(fault);

  auto kept = open_kept<SiteRecord>(config.directory, config.ledger, to_text(settings.endpoint.self));
  if (const auto* fault = std::get_if<std::string>(&kept)) return fail(*fault);
  auto& [ledger, rows] = std::get<Kept<SiteRecord>>(kept);
  if (ledger == nullptr)
    foundation.log.write(Level::warning, "no_ledger", {{"text", "a restart forgets all leases"}});
  if (const std::string fault = number_start(settings, config.directory); !fault.empty()) return fail(fault);

  SiteManager manager(config.settings, settings.start);
  if (ledger != nullptr) manager.restore(monotonic_now(), std::move(rows));
  SiteShell shell(config, arguments, settings.keyring);
  return run_daemon(foundation, settings, std::move(manager), shell, ledger.get());
}

}  // namespace

int main(int argc, char** argv) {
  const auto describe = [](const SiteConfig& config) { return "site manager of " + config.settings.name.text; };
  const DaemonText text{"sitemgr",
                        "Site manager of DMM: serves a site's users, and delegates what it can't serve.",
                        "--config das-0.json --set log.level=debug"};
  return daemon_main(argc, argv, text, read_config, describe, run);
}
