// `dmm rotate`: gives a running manager another link key, or a site another site key.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/sites/commands.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

constexpr double hour = 3'600;

struct RotateOptions {
  std::string endpoint;
  double overlap_hours = 24;
  bool site_key = false;
  bool json = false;
};

OrFault<Manager, CommandFault> manager_of(const RotateOptions& options) {
  if (!options.endpoint.empty()) return manager_at(options.endpoint);
  return choose_manager({}, Role::site_manager);
}

int rotate(const RotateOptions& options) {
  auto chosen = manager_of(options);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("rotate", *fault);
  const Manager& manager = std::get<Manager>(chosen);
  const auto overlap = static_cast<std::int64_t>(options.overlap_hours * hour);
  const Json wanted = options.site_key ? Json{{"site_key", true}} : Json{{"overlap_seconds", overlap}};
  const Answered answered = order_one(manager, "rotate", wanted);
  if (!answered.fault.empty()) return fail("rotate", {answered.fault, 1});
  if (options.json) return print_json(answered.json), 0;
  if (options.site_key)
    std::printf("site %s signs with another key from now on: %s\n", std::string(manager.party.site.text).c_str(),
                text_in(answered.json, "site_key").c_str());
  else if (manager.party.role != Role::site_manager)
    std::printf("%s takes another link key as soon as its site has certified it\n",
                to_text(manager.party).c_str());
  else
    std::printf("%s listens with another link key from %s on; its peers are told now\n",
                to_text(manager.party).c_str(),
                utc_text(answered.json.value("from", std::int64_t{0}) * 1'000'000).c_str());
  return 0;
}

}  // namespace

CLI::App* add_rotate_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("rotate", "Replace the link key of a running manager, or its site's key");
  auto options = std::make_shared<RotateOptions>();
  command->add_option("endpoint", options->endpoint, "Where the manager listens (default: $DMM_SITEMGR)")
      ->type_name("ENDPOINT");
  CLI::Option* const overlap =
      command
          ->add_option("--overlap", options->overlap_hours,
                       "For a site manager: the hours in which its peers can learn the new key (default 24)")
          ->check(CLI::Range(0.0, 720.0))
          ->type_name("HOURS");
  command->add_flag("--site-key", options->site_key, "Replace the key of the site that the manager manages")
      ->excludes(overlap);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Nothing is interrupted, and no configuration need be edited: the peers of a site manager remember its new "
      "key.\n"
      "Tell the new key, as `dmm keys` prints it, to peers that are away for all of the overlap, and to people "
      "that\n"
      "name the manager by its key. The old key stays valid until its certificate ends; `dmm revoke` ends it at "
      "once.\n"
      "\n"
      "With --site-key, the present site key signs the new one, and the site's managers get certificates of the "
      "new "
      "key.\n"
      "What the present key signed stays valid for 90 days at most. Make copies of keys/site.json again, and give "
      "people\n"
      "with DMM_KEYS new certificates (`dmm certify`) within that time.\n"
      "\n"
      "Examples:\n"
      "  dmm rotate\n"
      "  dmm rotate --overlap 0.5\n"
      "  dmm rotate --site-key\n"
      "  dmm rotate ipc:///var/lib/dmm/node01/resmgr\n");
  command->callback([options, &exit_code] { exit_code = rotate(*options); });
  return command;
}

}  // namespace dmm
