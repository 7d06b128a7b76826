// The output files of a job: they are brought home from the folder where it ran, before it counts as ended (stage out).
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>

#include "protocol/few.hpp"
#include "protocol/or_fault.hpp"
#include "protocol/short_text.hpp"

namespace dmm {

struct OutputFile {
  ShortText name;  ///< below the job's working directory
  /// Where the file goes. From its user: "home:" and a path there, with the letters of OutputNames, as in
  /// "home:/home/ann/result.%a". In a Start: the URL at which the job manager takes it.
  ShortText to;

  bool operator==(const OutputFile&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.name, self.to);
  }
};
using OutputFiles = RareList<OutputFile>;

constexpr std::size_t output_files_max = 64;

/// "result.dat" or "out/result.dat=results/%j.dat" as a file that goes to that path, relative or not; or why it is
/// none.
OrFault<OutputFile, WhyNot> parse_output_file(std::string_view text);
/// Why no job or Start can have these files, with the name of the first wrong one; empty if one can.
WhyNot fault_of(const OutputFiles& files);

}  // namespace dmm
