// The input files of a job: they are brought to the folder where it runs, before it starts (stage in).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/few.hpp"
#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"
#include "protocol/short_text.hpp"

namespace dmm {

/// A copy of a file.
struct Replica {
  /// An URL of http, https, or file (a path of the host where the job runs). Or "home:" and a path at the job's home; a
  /// Start has the URL of the job manager for it.
  ShortText url;
  SiteName site = {};  ///< the site that has it; empty: not known

  bool operator==(const Replica&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.url, self.site);
  }
};

struct InputFile {
  ShortText name;                 ///< where it goes, below the job's working directory: "data/mesh.dat"
  std::vector<Replica> replicas;  ///< where it comes from: the first is tried first
  std::uint64_t bytes = 0;        ///< its size; 0: not known
  ShortText sha256 = {};          ///< its SHA-256 in 64 lower-case hexadecimal digits; empty: not known

  bool operator==(const InputFile&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.name, self.replicas, self.bytes, self.sha256);
  }
};
using InputFiles = RareList<InputFile>;

/// What a placement needs to know of an input file.
struct FileNeed {
  std::uint64_t bytes = 0;      ///< 0: not known
  std::vector<SiteName> sites;  ///< sites that have replicas of it
  ShortText sha256 = {};        ///< its SHA-256 as of InputFile; empty: not known

  bool operator==(const FileNeed&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.bytes, self.sites, self.sha256);
  }
};
using FileNeeds = RareList<FileNeed>;

/// Whether a cluster can keep the InputFile or FileNeed for later jobs: its content must be known.
template <class File>
bool can_be_kept(const File& file) {
  return file.bytes > 0 && !file.sha256.empty();
}

/// The needs of those files that have a replica at a known site.
FileNeeds needs_of(const InputFiles& files);

constexpr std::size_t input_files_max = 64, replicas_max = 16;
constexpr std::size_t url_bytes_max = 2'000;

/// The attribute of nodes that bring input files to jobs.
inline constexpr const char* staging_attribute = "stages_files";
inline constexpr const char* staging_value = "yes";
/// The attribute of nodes of clusters that keep input files for later jobs.
inline constexpr const char* keeping_attribute = "keeps_files";
inline constexpr const char* keeping_value = "yes";

/// The prefix of a logical name in place of a URL: a catalogue says which replicas belong to it.
inline constexpr std::string_view logical_scheme = "lfn:";

/// Why there can't be such a replica; empty if there can.
WhyNot fault_of_url(std::string_view url);
/// Why a file can't have this logical name; empty if it can. It is a relative path without '.' and '..'.
WhyNot fault_of_logical_name(std::string_view name);
/// "mesh.dat=http://files.example.org/mesh.dat" as a file with one replica, or why it is none. Without "NAME=", the
/// name is the last part of the URL, of the logical name or of the path. A path at home stays as it is, behind "home:".
OrFault<InputFile, WhyNot> parse_input_file(std::string_view text);
/// Why a job can't have these files, with the name of the first wrong one; empty if it can.
WhyNot fault_of(const InputFiles& files);
/// The same for the needs of files.
WhyNot fault_of(const FileNeeds& files);

}  // namespace dmm
