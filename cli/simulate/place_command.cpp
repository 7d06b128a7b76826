// The command line of `dmm place`. Values arrive as text and are read here instead of by CLI11. So the message about a
// bad value names the option and what it expects, with exit code 2, as for all other mistakes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "cli/simulate/commands.hpp"
#include "cli/simulate/place.hpp"
#include "matchmaking/policy.hpp"
#include "protocol/numbers.hpp"

namespace dmm {
namespace {

/// The options as typed.
struct PlaceText {
  std::string policy = "fcm";
  std::string idle, clusters_total, quota = "1", processors_per_node = "1", staging, communication, links, carried;
  std::string total, min_component, max_components, components, fixed;
  std::vector<std::string> splits;
  bool explain = false, json = false;
};

/// A value that can't be read; the text is the message.
struct BadValue : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  if (text.empty()) return pieces;
  for (std::size_t start = 0, end = 0; end != std::string::npos; start = end + 1) {
    end = text.find(',', start);
    pieces.push_back(text.substr(start, end == std::string::npos ? end : end - start));
  }
  return pieces;
}

template <class Number>
std::vector<Number> numbers(std::string_view option, const std::string& text, std::string_view expected) {
  std::vector<Number> result;
  for (const auto& piece : pieces_of(text)) {
    Number number{};
    if (!parse_number(piece, number))
      throw BadValue(std::string(option) + ": expected " + std::string(expected) + ", got '" + text + "'");
    result.push_back(number);
  }
  return result;
}

std::vector<std::uint32_t> counts(std::string_view option, const std::string& text) {
  return numbers<std::uint32_t>(option, text, "whole numbers with commas between, as in 18,15,12");
}

std::uint32_t count(std::string_view option, const std::string& text, std::uint32_t otherwise) {
  if (text.empty()) return otherwise;
  const auto list = numbers<std::uint32_t>(option, text, "a whole number from 1");
  if (list.size() != 1 || list[0] == 0)
    throw BadValue(std::string(option) + ": expected a whole number from 1, got '" + text + "'");
  return list[0];
}

PlaceOptions options_of(const PlaceText& text) {
  PlaceOptions options;
  options.policy = text.policy;
  options.idle = counts("--idle", text.idle);
  options.clusters_total = counts("--clusters-total", text.clusters_total);
  options.quota = numbers<double>("--quota", text.quota, "numbers from 0 to 1, as in 0.9 or 0.9,1");
  options.processors_per_node = counts("--processors-per-node", text.processors_per_node);
  options.staging = numbers<double>("--staging", text.staging, "seconds, as in 0,12.5,3");
  const auto rates = [](std::string_view option, const std::string& value) {
    std::vector<double> read = numbers<double>(option, value, "Mbit/s from 0, as in 100 or 100,1000");
    if (std::ranges::any_of(read, [](double rate) { return !(rate >= 0.0 && rate <= 1e9); }))
      throw BadValue(std::string(option) + ": expected Mbit/s from 0 to 1e9, got '" + value + "'");
    return read;
  };
  const std::vector<double> communication = rates("--communication", text.communication);
  if (communication.size() > 1) throw BadValue("--communication: expected one number, of each processor");
  options.links = {communication.empty() ? 0.0 : communication[0], rates("--links", text.links),
                   rates("--carried", text.carried)};
  options.total = count("--total", text.total, 0);
  options.min_component = count("--min-component", text.min_component, 1);
  options.max_components = count("--max-components", text.max_components, 0);
  for (const auto& split : text.splits) options.splits.push_back(counts("--split", split));
  options.components = counts("--components", text.components);
  options.fixed = pieces_of(text.fixed);
  options.explain = text.explain;
  options.json = text.json;
  return options;
}

int run(const PlaceText& text) {
  try {
    return run_place(options_of(text), std::cout, std::cerr);
  } catch (const BadValue& fault) {
    std::cerr << "dmm place: " << fault.what() << '\n';
    return 2;
  }
}

constexpr const char* place_footer =
    "Clusters are called c1, c2, ... in the order of --idle.\n"
    "Exit code: 0 placed, 1 not placeable, 2 the options make no sense.\n"
    "\n"
    "Examples:\n"
    "  dmm place --policy cm --idle 18,15,12 --components 8,8,8\n"
    "  dmm place --policy fcm --idle 18,15,12 --total 24\n"
    "  dmm place --policy cm --idle 18,15,12 --components 8,8,8 --explain\n"
    "  dmm place --policy fcm --idle 18,15 --total 20 --min-component 4\n"
    "  dmm place --policy cm --idle 18,15,12 --split 24 --split 12,12 --split 8,8,8\n"
    "  dmm place --policy wf --idle 18,15,12 --clusters-total 20,20,20 --quota 0.9 --components 8,8\n"
    "  dmm place --policy cf --idle 18,15,12 --staging 30,0,4 --components 8,8 --explain\n"
    "  dmm place --policy fcm --idle 18,15,12 --total 24 --communication 10 --links 100,100,1000\n"
    "  dmm place --policy bf --idle 18,15,12 --components 8,4,4 --fixed c1,c2,c1 --json\n";

}  // namespace

CLI::App* add_place_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("place", "Show what a placement policy would do; nothing is run");
  auto text = std::make_shared<PlaceText>();
  const auto add = [command](const char* name, std::string& value, const std::string& help, const char* type) {
    command->add_option(name, value, help)->type_name(type);
  };
  add("--policy", text->policy, "Placement policy (default fcm): " + placement_names(), "NAME");
  add("--idle", text->idle, "Idle processors of each cluster", "N,...");
  add("--clusters-total", text->clusters_total, "All processors of each (default: the idle)", "N,...");
  add("--quota", text->quota, "Fraction of a cluster that may be filled; one for all, or of each", "F,...");
  add("--processors-per-node", text->processors_per_node, "One for all, or of each cluster", "N,...");
  add("--staging", text->staging, "Seconds until the input files would be on each cluster", "F,...");
  add("--communication", text->communication, "Mbit/s that each processor sends to the others of the job", "F");
  add("--links", text->links, "Mbit/s of the link of each cluster to the others", "F,...");
  add("--carried", text->carried, "Mbit/s that each link carries already (default 0)", "F,...");
  add("--total", text->total, "A flexible request for this number of processors", "N");
  add("--min-component", text->min_component, "Flexible: the least size of a component", "N");
  add("--max-components", text->max_components, "Flexible: the greatest number of components", "N");
  command->add_option("--split", text->splits, "Flexible: an acceptable split; repeat in order of preference")
      ->type_name("N,...")
      ->allow_extra_args(false);
  add("--components", text->components, "A request of components of these sizes", "N,...");
  add("--fixed", text->fixed, "The cluster of each component", "NAME,...");
  command->add_flag("--explain", text->explain, "Also show what the other policies would do, and why");
  command->add_flag("--json", text->json, "Print a JSON object");
  command->footer(place_footer);
  command->callback([text, &exit_code] { exit_code = run(*text); });
  return command;
}

}  // namespace dmm
