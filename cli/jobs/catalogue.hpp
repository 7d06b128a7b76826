// The replica catalogue: which replicas belong to a logical name, and where they are. It is one JSON file that only one
// command changes at a time. `dmm submit` looks up logical names in it.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "protocol/input_files.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// What the catalogue knows about one file.
struct CatalogueEntry {
  std::uint64_t bytes = 0;  ///< 0: not known
  std::string sha256;       ///< empty: not known
  std::vector<Replica> replicas;
};

/// By logical name.
using Catalogue = std::map<std::string, CatalogueEntry>;

/// The file that DMM_CATALOGUE names, else files.json in the folder of dmm.
std::string catalogue_file();
/// Reads the catalogue; a missing file is an empty catalogue. A fault names the file and the field.
OrFault<Catalogue> read_catalogue(const std::string& file);

/// A copy to be added.
struct NewReplica {
  std::string logical;
  Replica replica;
  std::uint64_t bytes = 0;
  std::string sha256 = {};
};
/// Adds a copy, or says why not: a known size or checksum may not change.
WhyNot add_replica(const std::string& file, const NewReplica& added);
/// Removes one copy of the file, or all of them if `url` is empty.
WhyNot remove_replicas(const std::string& file, const std::string& logical, const std::string& url);

/// Looks up logical names for all jobs of a submission. The catalogue is read once, and only if a job has such a name.
class CatalogueLookup {
 public:
  /// Replaces logical names ("lfn:...") by their copies. Returns all files, or why a name can't be replaced.
  OrFault<InputFiles> look_up(InputFiles files);

 private:
  std::optional<OrFault<Catalogue>> read_;
};

/// As JSON: [{"url": ..., "site": ...}]. The site is empty where none is known.
nlohmann::ordered_json replicas_json(const std::vector<Replica>& replicas);

}  // namespace dmm
