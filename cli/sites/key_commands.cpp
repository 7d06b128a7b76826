// `dmm keygen`, `dmm keys`, `dmm certify` and `dmm revoke`: the keys, as files, with which managers prove their names
// over tcp. A site manager makes its own key at its first start. Job managers, resource managers and people get theirs
// from their site.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/sites/commands.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/keyring.hpp"
#include "runtime/successors.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

constexpr WallSeconds day = 86'400;

const std::map<std::string, Right> right_words = {
    {"reader", Right::reader}, {"user", Right::user}, {"administrator", Right::administrator}};

struct KeyOptions {
  std::string folder;
  std::string site;                     ///< keygen
  std::string by;                       ///< certify
  std::string user, node, person;       ///< certify, revoke
  std::string right = "administrator";  ///< of a person
  std::string key;                      ///< revoke
  ManagerOptions manager;               ///< revoke
  std::uint32_t days = certificate_life / 86'400;
  bool json = false;
};

/// Prints the public part of a keyring.
int show(const Keyring& keyring, bool json) {
  const std::string link = to_text(public_of(keyring.link)), site = to_text(keyring.site);
  const auto claim = read_certificate(keyring.certificate, keyring.site);
  const auto* certificate = std::get_if<Certificate>(&claim);
  const std::string holder = certificate ? to_text(certificate->party) : std::string();
  const std::string until = certificate ? utc_text(certificate->until * 1'000'000) : std::string();
  if (json) {
    print_json({{"holder", holder}, {"link_key", link}, {"site_key", site}, {"until", until}});
    return 0;
  }
  std::printf("holder    %s\nlink key  %s\nsite key  %s\nuntil     %s\n",
              certificate ? holder.c_str() : "no holder", link.c_str(), site.c_str(),
              certificate ? until.c_str() : "there is no certificate");
  return 0;
}

int keygen(const KeyOptions& options) {
  if (std::string fault = fault_of_name(options.site); !fault.empty())
    return fail("keygen", {"--site: " + fault, 2});
  auto made = keyring_of_site(options.folder, SiteName(options.site));
  if (auto* fault = std::get_if<std::string>(&made)) return fail("keygen", {*fault, 1});
  return show(std::get<Keyring>(made), options.json);
}

int keys_in(const KeyOptions& options) {
  auto read = read_keyring(options.folder);
  if (auto* fault = std::get_if<std::string>(&read)) return fail("keys", {*fault, 1});
  const auto& keyring = std::get<std::optional<Keyring>>(read);
  if (!keyring) return fail("keys", {"there is no " + options.folder + "/keys/link.json", 1});
  return show(*keyring, options.json);
}

/// The party that gets a certificate of this site; or why there is none.
OrFault<Party> holder_of(const KeyOptions& options, const SiteName& site) {
  const bool is_user = !options.user.empty(), is_node = !options.node.empty(), is_person = !options.person.empty();
  if (is_user + is_node + is_person != 1) return "expected one of --user, --node and --person";
  const std::string& name = is_user ? options.user : is_node ? options.node : options.person;
  if (std::string fault = fault_of_name(name, is_node ? manager_name_length_max : name_length_max); !fault.empty())
    return fault;
  return Party{site,
               is_user   ? Role::job_manager
               : is_node ? Role::resource_manager
                         : Role::client,
               ShortText(name)};
}

/// The site of a folder, from the certificate of its manager.
OrFault<SiteName> site_in(const std::string& folder) {
  auto read = read_keyring(folder);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  const auto& keyring = std::get<std::optional<Keyring>>(read);
  if (!keyring) return "--by: there is no " + folder + "/keys/link.json; `dmm keygen` makes it";
  const auto claim = read_certificate(keyring->certificate, keyring->site);
  if (const auto* fault = std::get_if<CertificateFault>(&claim)) return "--by: " + fault->text;
  return std::get<Certificate>(claim).party.site;
}

int certify_holder(const KeyOptions& options) {
  auto read = read_site_signer(options.by);
  if (auto* fault = std::get_if<std::string>(&read)) return fail("certify", {*fault, 1});
  const auto& signer = std::get<std::optional<SiteSigner>>(read);
  if (!signer)
    return fail("certify", {"--by: there is no " + options.by + "/keys/site.json; `dmm keygen` makes it", 1});
  auto site = site_in(options.by);
  if (auto* fault = std::get_if<std::string>(&site)) return fail("certify", {*fault, 1});
  auto holder = holder_of(options, std::get<SiteName>(site));
  if (auto* fault = std::get_if<std::string>(&holder)) return fail("certify", {*fault, 2});
  auto link = link_secret_in(options.folder);
  if (auto* fault = std::get_if<std::string>(&link)) return fail("certify", {*fault, 1});
  Keyring keyring{std::get<LinkSecret>(link), {}, public_of(signer->secret)};
  const Party& party = std::get<Party>(holder);
  const Right right = party.role == Role::client ? right_words.at(options.right) : Right::none;
  const WallSeconds life = options.days * day;
  keyring.certificate = certify_now(party, public_of(keyring.link), right, *signer, life);
  // `dmm revoke --user` and the like find the key there.
  const Certification noted{party, public_of(keyring.link), {}, wall_seconds() + life, true};
  if (WhyNot fault = note_certified(options.by, noted); !fault.empty()) return fail("certify", {fault, 1});
  if (WhyNot fault = write_keyring(options.folder, keyring); !fault.empty()) return fail("certify", {fault, 1});
  return show(keyring, options.json);
}

/// The order that revokes all keys of a user's or a node's manager, or of a person. The site has notes of the keys that
/// it certified, and its links show the one that is used now.
OrFault<Json, CommandFault> order_about(const KeyOptions& options, const Manager& site) {
  const Answered links = ask_one(site, "links");
  if (!links.fault.empty()) return CommandFault{links.fault, 1};
  const auto holder = holder_of(options, links.manager.party.site);
  if (const auto* fault = std::get_if<std::string>(&holder)) return CommandFault{*fault, 2};
  const std::string party = to_text(std::get<Party>(holder));
  Json keys = Json::array();
  for (const Json& link : rows_in(links.json, "links"))
    if (text_in(link, "peer") == party && !text_in(link, "link_key").empty())
      keys.push_back(text_in(link, "link_key"));
  return Json{{"party", party}, {"keys", keys}};
}

int revoke(const KeyOptions& options) {
  const bool is_named = !options.user.empty() || !options.node.empty() || !options.person.empty();
  if (is_named == !options.key.empty())
    return fail("revoke", {"expected one of KEY, --user, --node and --person", 2});
  if (std::string fault = is_named ? "" : fault_of_key(options.key); !fault.empty())
    return fail("revoke", {fault, 2});
  auto chosen = choose_manager(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("revoke", *fault);
  const Manager& site = std::get<Manager>(chosen);
  OrFault<Json, CommandFault> argument = Json{{"key", options.key}};
  if (is_named) argument = order_about(options, site);
  if (auto* fault = std::get_if<CommandFault>(&argument)) return fail("revoke", *fault);
  const Answered answered = order_one(site, "revoke", std::get<Json>(argument));
  if (!answered.fault.empty()) return fail("revoke", {answered.fault, 1});
  if (options.json) {
    print_json(answered.json);
    return 0;
  }
  const std::string party = text_in(std::get<Json>(argument), "party");
  const std::string revoked = party.empty() ? options.key : "the key of " + party;
  std::printf("%s is revoked\n", revoked.c_str());
  return 0;
}

CLI::App* with_folder(CLI::App* command, KeyOptions& options, const char* help) {
  command->add_option("folder", options.folder, help)->required()->type_name("FOLDER");
  command->add_flag("--json", options.json, "Print a JSON object");
  return command;
}

}  // namespace

CLI::App* add_keygen_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<KeyOptions>();
  auto* command = with_folder(app.add_subcommand("keygen", "Make the keys of a site"), *options,
                              "The \"directory\" of its site manager");
  command->add_option("--site", options->site, "The name of the site")->required()->type_name("SITE");
  command->footer(
      "A site manager does it itself at its first start. Existing keys stay; the certificate is made again.\n"
      "\n"
      "Example:\n"
      "  dmm keygen --site alpha /var/lib/dmm/alpha\n");
  command->callback([options, &exit_code] { exit_code = keygen(*options); });
  return command;
}

CLI::App* add_keys_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<KeyOptions>();
  auto* command = with_folder(app.add_subcommand("keys", "Show the public keys of a manager or a person"),
                              *options, "The manager's \"directory\", or the folder that DMM_KEYS names");
  command->footer(
      "An endpoint over tcp is written with the link key of the manager that listens: tcp://host:port#LINKKEY.\n"
      "A neighbour's \"key\" is its site key.\n"
      "\n"
      "Examples:\n"
      "  dmm keys /var/lib/dmm/alpha\n"
      "  dmm keys ~/.dmm --json\n");
  command->callback([options, &exit_code] { exit_code = keys_in(*options); });
  return command;
}

CLI::App* add_certify_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<KeyOptions>();
  auto* command =
      with_folder(app.add_subcommand("certify", "Make the keys of a user, a node or a person of a site"), *options,
                  "The folder for the keys: FOLDER/keys/link.json");
  command->add_option("--by", options->by, "The \"directory\" of the site manager")
      ->required()
      ->type_name("FOLDER");
  command->add_option("--user", options->user, "For the job manager of this user")->type_name("USER");
  command->add_option("--node", options->node, "For the resource manager of this name")->type_name("NAME");
  command->add_option("--person", options->person, "For a person that uses dmm over tcp (DMM_KEYS)")
      ->type_name("NAME");
  command
      ->add_option("--right", options->right,
                   "The rights of the person: reader, user or administrator (the default)")
      ->check(CLI::IsMember({"reader", "user", "administrator"}))
      ->type_name("RIGHT");
  command->add_option("--days", options->days, "Days for which the certificate is valid (default 90)")
      ->check(CLI::Range(1, 3650))
      ->type_name("DAYS");
  command->footer(
      "A certificate is valid for 90 days; the same command renews it, for the same key.\n"
      "\n"
      "Examples:\n"
      "  dmm certify --by /var/lib/dmm/alpha --user ann /home/ann/.dmm\n"
      "  dmm certify --by /var/lib/dmm/alpha --node node01 /var/lib/dmm/node01\n"
      "  dmm certify --by /var/lib/dmm/alpha --person ops ~/.dmm-alpha\n");
  command->callback([options, &exit_code] { exit_code = certify_holder(*options); });
  return command;
}

CLI::App* add_revoke_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("revoke", "Revoke a link key, also on links that are up");
  auto options = std::make_shared<KeyOptions>();
  command->add_option("key,--key", options->key, "The link key, as `dmm keys` prints it")->type_name("KEY");
  command->add_option("--user", options->user, "Instead: all keys of this user's job manager")->type_name("USER");
  command->add_option("--node", options->node, "Instead: all keys of the resource manager of this name")
      ->type_name("NAME");
  command->add_option("--person", options->person, "Instead: all keys of this person")->type_name("NAME");
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "The site manager tells its resource managers and its neighbours. The revocation outlasts restarts.\n"
      "\n"
      "Examples:\n"
      "  dmm revoke --user ann\n"
      "  dmm revoke 8rc1uNyxQ3IHhaUWwrDifHoj9aGWPmgDAHIDIa_mlI0\n");
  command->callback([options, &exit_code] { exit_code = revoke(*options); });
  return command;
}

std::vector<std::string> with_key_marked(std::vector<std::string> words) {
  if (words.empty() || words[0] != "revoke") return words;
  for (std::string& word : words)
    if (word.starts_with('-') && parse_key<LinkKey>(word)) word.insert(0, "--key=");
  return words;
}

}  // namespace dmm
