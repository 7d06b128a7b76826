#include "cli/jobs/catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/managers/folder_lock.hpp"
#include "cli/managers/registry.hpp"
#include "cli/terminal/environment.hpp"
#include "runtime/files.hpp"
#include "topologies/json_reader.hpp"

namespace dmm {
namespace {

std::string rule_of_sha256(const std::string& text) {
  const InputFiles probe{{"x", {{"http://x/x"}}, 0, text}};
  return fault_of(probe).empty() ? std::string()
                                 : "expected a SHA-256 of 64 digits, 0-9 and a-f, found '" + text + "'";
}

std::string rule_of_url(const std::string& url) {
  std::string why = fault_of_url(url);
  return why.empty() ? why : why + ", found '" + url + "'";
}

void read_entry(JsonReader& reader, CatalogueEntry& entry) {
  reader.require({"replicas"});
  reader.integer("bytes", entry.bytes, 0);
  reader.text("sha256", entry.sha256,
              [](const std::string& text) { return text.empty() ? "" : rule_of_sha256(text); });
  reader.objects("replicas", entry.replicas, [](JsonReader& inner, Replica& replica) {
    inner.require({"url"});
    inner.text("url", replica.url, rule_of_url);
    inner.name("site", replica.site);
  });
}

nlohmann::json file_json(const Catalogue& catalogue) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& [logical, entry] : catalogue) {
    nlohmann::json replicas = nlohmann::json::array();
    for (const Replica& replica : entry.replicas) {
      nlohmann::json one{{"url", replica.url.view()}};
      if (!replica.site.empty()) one["site"] = replica.site.text.view();
      replicas.push_back(std::move(one));
    }
    nlohmann::json one{{"replicas", std::move(replicas)}};
    if (entry.bytes > 0) one["bytes"] = entry.bytes;
    if (!entry.sha256.empty()) one["sha256"] = entry.sha256;
    files[logical] = std::move(one);
  }
  return {{"files", std::move(files)}};
}

/// Changes the catalogue under a lock, so that one command changes it at a time.
WhyNot change_catalogue(const std::string& file, const std::function<WhyNot(Catalogue&)>& edit) {
  const std::string folder = parent_folder(file);
  if (std::string fault = make_directory(folder); !fault.empty()) return fault;
  const FolderLock lock(folder);
  if (!lock.is_held()) return "can't read the folder " + folder;
  auto read = read_catalogue(file);
  if (auto* fault = std::get_if<1>(&read)) return std::move(*fault);
  Catalogue& catalogue = std::get<0>(read);
  if (WhyNot why = edit(catalogue); !why.empty()) return why;
  return replace_file(file, file_json(catalogue).dump(2) + '\n');
}

WhyNot add_to(Catalogue& catalogue, const NewReplica& added) {
  CatalogueEntry& entry = catalogue[added.logical];
  const auto differs = [&](const std::string& what, const std::string& before, const std::string& now) {
    return added.logical + " has " + what + ' ' + before + " in the catalogue, and " + now +
           " here: give the other bytes another logical name, or use `dmm files remove` first";
  };
  if (entry.bytes > 0 && added.bytes > 0 && entry.bytes != added.bytes)
    return differs("bytes", std::to_string(entry.bytes), std::to_string(added.bytes));
  if (!entry.sha256.empty() && !added.sha256.empty() && entry.sha256 != added.sha256)
    return differs("SHA-256", entry.sha256, added.sha256);
  if (added.bytes > 0) entry.bytes = added.bytes;
  if (!added.sha256.empty()) entry.sha256 = added.sha256;
  const auto known = std::ranges::find(entry.replicas, added.replica.url, &Replica::url);
  if (known != entry.replicas.end()) {
    *known = added.replica;
    return {};
  }
  if (entry.replicas.size() == replicas_max)
    return added.logical + " has " + std::to_string(replicas_max) + " replicas, the most that a file may have";
  entry.replicas.push_back(added.replica);
  return {};
}

}  // namespace

std::string catalogue_file() {
  if (const std::string named(environment("DMM_CATALOGUE")); !named.empty()) return named;
  return home_folder() + "/files.json";
}

OrFault<Catalogue> read_catalogue(const std::string& file) {
  using Result = OrFault<Catalogue>;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return Result(std::in_place_index<0>);
  const auto parsed = read_json_file(file);
  if (const auto* fault = std::get_if<ConfigError>(&parsed)) return Result(std::in_place_index<1>, fault->text);
  const SortedJson& json = std::get<SortedJson>(parsed);
  Catalogue catalogue;
  WhyNot why = read_whole(json, file, [&](JsonReader& reader) {
    reader.require({"files"});
    reader.object("files", [&](JsonReader& files) {
      for (const auto& [logical, entry] : json["files"].items()) {
        if (WhyNot fault = fault_of_logical_name(logical); !fault.empty()) files.refuse(logical, fault);
        files.object(logical, [&, name = logical](JsonReader& inner) { read_entry(inner, catalogue[name]); });
      }
    });
  });
  if (!why.empty()) return Result(std::in_place_index<1>, std::move(why));
  return Result(std::in_place_index<0>, std::move(catalogue));
}

WhyNot add_replica(const std::string& file, const NewReplica& added) {
  return change_catalogue(file, [&](Catalogue& catalogue) { return add_to(catalogue, added); });
}

WhyNot remove_replicas(const std::string& file, const std::string& logical, const std::string& url) {
  return change_catalogue(file, [&](Catalogue& catalogue) -> WhyNot {
    const auto found = catalogue.find(logical);
    if (found == catalogue.end()) return "there is no file " + logical + " in " + file;
    auto& replicas = found->second.replicas;
    const std::size_t gone =
        std::erase_if(replicas, [&](const Replica& replica) { return url.empty() || replica.url == url; });
    if (gone == 0) return logical + " has no replica " + url + " in " + file;
    if (replicas.empty()) catalogue.erase(found);
    return {};
  });
}

OrFault<InputFiles> CatalogueLookup::look_up(InputFiles files) {
  using Result = OrFault<InputFiles>;
  const auto is_logical = [](const InputFile& file) {
    return file.replicas.size() == 1 && file.replicas[0].url.view().starts_with(logical_scheme);
  };
  if (std::ranges::none_of(files, is_logical)) return Result(std::in_place_index<0>, std::move(files));
  const std::string path = catalogue_file();
  if (!read_) read_ = read_catalogue(path);
  if (const auto* fault = std::get_if<1>(&*read_)) return Result(std::in_place_index<1>, *fault);
  const Catalogue& catalogue = std::get<0>(*read_);
  for (InputFile& file : files) {
    if (!is_logical(file)) continue;
    const std::string logical(file.replicas[0].url.view().substr(logical_scheme.size()));
    const auto found = catalogue.find(logical);
    if (found == catalogue.end())
      return Result(std::in_place_index<1>,
                    "there is no file " + logical + " in the catalogue " + path + "; `dmm files add` adds one");
    file.replicas = found->second.replicas;
    if (file.bytes == 0) file.bytes = found->second.bytes;
    if (file.sha256.empty()) file.sha256 = found->second.sha256;
  }
  return Result(std::in_place_index<0>, std::move(files));
}

nlohmann::ordered_json replicas_json(const std::vector<Replica>& replicas) {
  auto list = nlohmann::ordered_json::array();
  for (const Replica& replica : replicas)
    list.push_back({{"url", replica.url.view()}, {"site", replica.site.text.view()}});
  return list;
}

}  // namespace dmm
