// The input files of a job: brought to its folder, where it runs, before it starts. Staging in is the field's
// word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/few.hpp"
#include "protocol/ids.hpp"
#include "protocol/outcome.hpp"
#include "protocol/short_text.hpp"

namespace dmm {

/// A copy of a file.
struct Replica {
  /// Of http, https, or file for a path of the host where the job runs; or "home:" and a path at the job's home,
  /// for which a Start has the URL of its job manager.
  ShortText url;
  SiteName site = {};  ///< where it lies; empty: not known

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

/// Whether a cluster can keep the file for later jobs: what it is must be known.
inline bool can_be_kept(const InputFile& file) { return file.bytes > 0 && !file.sha256.empty(); }

/// Of an input file, what a placement minds.
struct FileNeed {
  std::uint64_t bytes = 0;      ///< 0: not known
  std::vector<SiteName> sites;  ///< where its replicas lie
  ShortText sha256 = {};        ///< its SHA-256 as of InputFile; empty: not known

  bool operator==(const FileNeed&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.bytes, self.sites, self.sha256);
  }
};
using FileNeeds = RareList<FileNeed>;

/// Of those files of which it is known where they lie.
FileNeeds needs_of(const InputFiles& files);

constexpr std::size_t input_files_max = 64, replicas_max = 16;
constexpr std::size_t url_bytes_max = 2'000;

/// What nodes have that bring input files to jobs.
inline constexpr const char* staging_attribute = "stages_files";
inline constexpr const char* staging_value = "yes";
/// What nodes of clusters have that keep input files of jobs for later ones.
inline constexpr const char* keeping_attribute = "keeps_files";
inline constexpr const char* keeping_value = "yes";

/// What stands before a logical name in place of a URL: a catalogue says what it stands for.
inline constexpr std::string_view logical_scheme = "lfn:";

/// Why there can't be such a replica; empty if there can.
WhyNot fault_of_url(std::string_view url);
/// Why a file can't have this logical name; empty if it can. It is a relative path without '.' and '..'.
WhyNot fault_of_logical_name(std::string_view name);
/// "mesh.dat=http://files.example.org/mesh.dat" as a file with one replica; or why it is none. Without "NAME=" the
/// last part of the URL, of the logical name or of the path is the name. A path here stays as it is, behind
/// "home:".
OrFault<InputFile, WhyNot> parse_input_file(std::string_view text);
/// Why there can't be such files, with the name of the one that errs; empty if there can.
WhyNot fault_of(const InputFiles& files);
/// Likewise; no job has such files.
WhyNot fault_of(const FileNeeds& files);

}  // namespace dmm
