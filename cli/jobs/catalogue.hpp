// The replica catalogue: which copies there are of a file that has a logical name, and where. One JSON file, which
// commands change one at a time; `dmm submit` looks logical names up in it.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "protocol/input_files.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

/// What the catalogue knows of one file.
struct CatalogueEntry {
  std::uint64_t bytes = 0;  ///< 0: not known
  std::string sha256;       ///< empty: not known
  std::vector<Replica> replicas;
};

/// By logical name.
using Catalogue = std::map<std::string, CatalogueEntry>;

/// The file that DMM_CATALOGUE names, else files.json in the folder of dmm.
std::string catalogue_file();
/// Reads it; a file that isn't there is an empty catalogue. Why not, with the file and the field.
OrFault<Catalogue> read_catalogue(const std::string& file);

/// A copy that is to be known.
struct NewReplica {
  std::string logical;
  Replica replica;
  std::uint64_t bytes = 0;
  std::string sha256 = {};
};
/// Adds a copy, or why not: what is known of the file's size or checksum may not change.
WhyNot add_replica(const std::string& file, const NewReplica& added);
/// Removes a copy of the file; all of them, where `url` is empty.
WhyNot remove_replicas(const std::string& file, const std::string& logical, const std::string& url);

/// Looks logical names up, for all jobs of a submission: the catalogue is read once, if any job has such a name.
class CatalogueLookup {
 public:
  /// Puts copies in the place of logical names ("lfn:..."); the files that were named, or why not.
  OrFault<InputFiles> look_up(InputFiles files);

 private:
  std::optional<OrFault<Catalogue>> read_;
};

/// For people's programs: [{"url": ..., "site": ...}], with an empty site where none is known.
nlohmann::ordered_json replicas_json(const std::vector<Replica>& replicas);

}  // namespace dmm
