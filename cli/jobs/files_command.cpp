// `dmm files`: the replica catalogue, by logical name.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include "cli/jobs/catalogue.hpp"
#include "cli/jobs/commands.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"
#include "keys/sha256.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

namespace fs = std::filesystem;

struct FilesOptions {
  std::string catalogue = catalogue_file();
  std::string logical, url, site, sha256;
  std::uint64_t bytes = 0;
  bool json = false;
};

/// Measures the size and checksum of the file at a path of this host; or says why it can't be read.
WhyNot measure_file(const std::string& path, NewReplica& added) {
  std::error_code error;
  const int descriptor = fs::is_regular_file(path, error) ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  const bool is_file = descriptor >= 0;
  if (is_file) added.bytes = fs::file_size(path, error);
  if (is_file) added.sha256 = sha256_of(descriptor);
  if (descriptor >= 0) close(descriptor);
  return is_file && !error && !added.sha256.empty() ? WhyNot() : "can't read the file " + path;
}

/// The copy that the options name, or why there can't be one.
OrFault<NewReplica> replica_from(const FilesOptions& options) {
  using Result = OrFault<NewReplica>;
  const auto refuse = [](const std::string& why) { return Result(std::in_place_index<1>, why); };
  if (WhyNot why = fault_of_logical_name(options.logical); !why.empty()) return refuse("NAME: " + why);
  if (!options.site.empty())
    if (WhyNot why = fault_of_name(options.site); !why.empty()) return refuse("--site: " + why);
  NewReplica added{options.logical, {options.url, SiteName(options.site)}, options.bytes, options.sha256};
  if (options.url.starts_with('/')) {
    added.replica.url = "file://" + options.url;
    if (WhyNot why = measure_file(options.url, added); !why.empty()) return refuse(why);
  }
  const InputFile probe{"x", {added.replica}, added.bytes, added.sha256};
  if (WhyNot why = fault_of(InputFiles{probe}); !why.empty()) return refuse(why.substr(why.find(": ") + 2));
  return Result(std::in_place_index<0>, std::move(added));
}

int files_add(const FilesOptions& options) {
  const auto added = replica_from(options);
  if (const auto* fault = std::get_if<1>(&added)) return fail("files add", {*fault, 2});
  if (WhyNot why = add_replica(options.catalogue, std::get<0>(added)); !why.empty())
    return fail("files add", {why, 1});
  std::printf("%s: %s\n", harmless(options.logical).c_str(),
              harmless(std::get<0>(added).replica.url.view()).c_str());
  return 0;
}

int files_remove(const FilesOptions& options) {
  if (WhyNot why = remove_replicas(options.catalogue, options.logical, options.url); !why.empty())
    return fail("files remove", {why, 1});
  std::printf("%s: removed\n", harmless(options.logical).c_str());
  return 0;
}

Json catalogue_as_json(const Catalogue& catalogue) {
  Json files = Json::array();
  for (const auto& [logical, entry] : catalogue)
    files.push_back({{"name", logical},
                     {"bytes", entry.bytes},
                     {"sha256", entry.sha256},
                     {"replicas", replicas_json(entry.replicas)}});
  return files;
}

int files_list(const FilesOptions& options) {
  const auto read = read_catalogue(options.catalogue);
  if (const auto* fault = std::get_if<1>(&read)) return fail("files list", {*fault, 1});
  const Catalogue& catalogue = std::get<0>(read);
  if (options.json) {
    print_json({{"catalogue", options.catalogue}, {"files", catalogue_as_json(catalogue)}});
    return 0;
  }
  if (catalogue.empty())
    std::printf("no files in %s; `dmm files add` adds one\n", harmless(options.catalogue).c_str());
  for (const auto& [logical, entry] : catalogue) {
    const std::string size = entry.bytes > 0 ? grouped(entry.bytes) + " bytes" : "size not known";
    std::printf("%s  %s\n", harmless(logical).c_str(), size.c_str());
    for (const Replica& replica : entry.replicas)
      std::printf("  %s  %s\n",
                  pad_right(replica.site.empty() ? "-" : harmless(replica.site.text.view()), 12).c_str(),
                  harmless(replica.url.view()).c_str());
  }
  return 0;
}

CLI::App* add_files_verb(CLI::App& group, const char* name, const char* what, FilesOptions& options) {
  auto* command = group.add_subcommand(name, what);
  command
      ->add_option("--catalogue", options.catalogue,
                   "The JSON file (default: DMM_CATALOGUE, else files.json of dmm)")
      ->type_name("FILE");
  return command;
}

}  // namespace

CLI::App* add_files_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FilesOptions>();
  auto* group =
      app.add_subcommand("files", "The replica catalogue: logical names of files, and where their copies are");
  group->require_subcommand(1);
  group->footer(
      "Examples:\n"
      "  dmm files add physics/mesh.dat http://files.beta.example.org/mesh.dat --site beta\n"
      "  dmm files add physics/mesh.dat /scratch/mesh.dat --site alpha\n"
      "  dmm submit --stage-in lfn:physics/mesh.dat -- ./solve mesh.dat");
  auto* adding = add_files_verb(*group, "add",
                                "Add a copy of a file; size and SHA-256 of a path here are computed", *options);
  adding->add_option("name", options->logical, "Its logical name, as in physics/mesh.dat")
      ->required()
      ->type_name("NAME");
  adding->add_option("url", options->url, "Where the copy is: http, https, file, or a path")
      ->required()
      ->type_name("URL");
  adding->add_option("--site", options->site, "The site where the copy lies; its jobs take this one first")
      ->type_name("SITE");
  adding->add_option("--bytes", options->bytes, "Its size")->type_name("N");
  adding->add_option("--sha256", options->sha256, "Its SHA-256: each download is checked against it")
      ->type_name("HEX");
  adding->callback([options, &exit_code] { exit_code = files_add(*options); });
  auto* listing = add_files_verb(*group, "list", "List files and their copies", *options);
  listing->add_flag("--json", options->json, "As JSON");
  listing->callback([options, &exit_code] { exit_code = files_list(*options); });
  auto* removing = add_files_verb(*group, "remove", "Remove a copy, or all copies of a file", *options);
  removing->add_option("name", options->logical, "Its logical name")->required()->type_name("NAME");
  removing->add_option("url", options->url, "The copy (default: all)")->type_name("URL");
  removing->callback([options, &exit_code] { exit_code = files_remove(*options); });
  return group;
}

}  // namespace dmm
