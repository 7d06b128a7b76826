#include "protocol/output_files.hpp"

#include <string>

#include "protocol/home_paths.hpp"
#include "protocol/input_files.hpp"

namespace dmm {
namespace {

WhyNot fault_of(const OutputFile& file) {
  if (!stays_below(file.name))
    return "expected a name below the working directory, of at most 255 bytes, without '..'";
  return is_at_home(file.to) ? fault_of_home(file.to) : fault_of_url(file.to);
}

}  // namespace

OrFault<OutputFile, WhyNot> parse_output_file(std::string_view text) {
  using Result = OrFault<OutputFile, WhyNot>;
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view name = text.substr(0, equals);
  const std::string_view path = equals < text.size() ? text.substr(equals + 1) : name;
  if (!stays_below(name) || path.empty() || path.ends_with('/'))
    return Result(
        std::in_place_index<1>,
        "expected NAME or NAME=PATH, a name below the working directory of the job and a path here, got '" +
            std::string(text) + "'");
  return Result(std::in_place_index<0>, OutputFile{name, at_home(path)});
}

WhyNot fault_of(const OutputFiles& files) {
  if (files.size() > output_files_max)
    return "there are " + std::to_string(files.size()) + " files; at most " + std::to_string(output_files_max);
  for (const OutputFile& file : files) {
    if (WhyNot why = fault_of(file); !why.empty()) return '\'' + std::string(file.name) + "': " + why;
    for (const OutputFile& other : files)
      if (&other != &file && (file.name == other.name || file.to == other.to))
        return '\'' + std::string(file.name) + "' and '" + std::string(other.name) +
               "' have one name or one place";
  }
  return {};
}

}  // namespace dmm
