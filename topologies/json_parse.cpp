// From bytes to JSON, and changes from the command line. Refuses what is wrong before any field is read.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "topologies/json_reader.hpp"

namespace dmm {

namespace {

/// Watches the parser for faults that the library accepts: keys that occur twice, and depth.
class Watch {
 public:
  bool operator()(int depth, SortedJson::parse_event_t event, const SortedJson& parsed) {
    using enum SortedJson::parse_event_t;
    if (!fault_.empty()) return false;  // nothing more is kept, so that a JSON bomb doesn't grow
    if (event == object_start || event == array_start) {
      if (depth >= json_depth_max) complain("nested deeper than " + std::to_string(json_depth_max) + " levels");
      levels_.push_back({event == array_start, 0, {}, {}});
    } else if (event == key) {
      Level& level = levels_.back();
      level.key = parsed.get<std::string>();
      if (!level.keys.insert(level.key).second) complain("the key occurs twice; expected it once");
    } else {
      if (event != value && !levels_.empty()) levels_.pop_back();
      if (!levels_.empty()) ++levels_.back().index;
    }
    return fault_.empty();
  }
  const std::string& fault() const { return fault_; }

 private:
  struct Level {
    bool array = false;
    std::size_t index = 0;
    std::string key;
    std::set<std::string> keys;
  };

  void complain(const std::string& text) {
    if (!fault_.empty()) return;
    for (const Level& level : levels_) {
      if (level.array)
        fault_ += "[" + std::to_string(level.index) + "]";
      else
        fault_ += (fault_.empty() ? "" : ".") + level.key;
    }
    fault_ += ": " + text;
  }

  std::vector<Level> levels_;
  std::string fault_;
};

/// "line 3, column 7", counted from 1, of a byte counted from 1.
std::string place_of(const std::string& text, std::size_t byte) {
  const std::string before = text.substr(0, byte == 0 ? 0 : std::min(byte - 1, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string::npos ? before.size() + 1 : before.size() - newline;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// The library's own message without its number and position.
std::string words_of(const std::string& what) {
  const std::size_t place = what.find("column ");
  const std::size_t start = place == std::string::npos ? std::string::npos : what.find(": ", place);
  return start == std::string::npos ? what : what.substr(start + 2);
}

}  // namespace

OrFault<SortedJson, ConfigError> parse_json(const std::string& text, const std::string& file) {
  if (text.size() > json_bytes_max)
    return ConfigError{file + ": the file has " + std::to_string(text.size()) + " bytes; expected at most " +
                       std::to_string(json_bytes_max)};
  try {
    Watch watch;
    SortedJson value =
        SortedJson::parse(text, [&watch](int depth, SortedJson::parse_event_t event, SortedJson& parsed) {
          return watch(depth, event, parsed);
        });
    if (!watch.fault().empty()) return ConfigError{file + ": " + watch.fault()};
    return value;
  } catch (const SortedJson::parse_error& error) {
    return ConfigError{file + ": " + place_of(text, error.byte) + ": " + words_of(error.what())};
  } catch (const SortedJson::exception& error) {
    return ConfigError{file + ": " + error.what()};
  }
}

OrFault<SortedJson, ConfigError> read_json_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return ConfigError{path + ": there is no such file"};
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > json_bytes_max)
    return ConfigError{path + ": the file has " + std::to_string(size) + " bytes; expected at most " +
                       std::to_string(json_bytes_max)};
  std::ifstream file(path, std::ios::binary);
  if (!file) return ConfigError{path + ": the file can't be opened for reading"};
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return ConfigError{path + ": the file can't be read"};
  return parse_json(text, path);
}

namespace {

/// The element of an array or object that a word of a path names. It is made in an object; null if it can't be. In an
/// array, the word is the element's "name" or its position.
SortedJson* step_into(SortedJson& value, const std::string& word) {
  if (value.is_null()) value = SortedJson::object();
  if (value.is_object()) return &value[word];
  if (value.is_array())
    for (SortedJson& element : value)
      if (element.is_object() && element.contains("name") && element["name"] == word) return &element;
  constexpr std::size_t digits_max = 8;
  const bool digits = word.find_first_not_of("0123456789") == std::string::npos;
  if (!value.is_array() || !digits || word.empty() || word.size() > digits_max) return nullptr;
  if (std::stoul(word) >= value.size()) return nullptr;
  return &value[std::stoul(word)];
}

}  // namespace

std::string apply_override(SortedJson& value, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  if (equals == std::string::npos || path.empty() || path.front() == '.' || path.back() == '.' ||
      path.find("..") != std::string::npos || std::count(path.begin(), path.end(), '.') >= json_depth_max)
    return "expected key=value or key.key=value";
  SortedJson* target = &value;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    target = step_into(*target, path.substr(start, end - start));
    if (target == nullptr) return "there is no " + path.substr(0, end);
    start = end + 1;
  }
  const std::string text = assignment.substr(equals + 1);
  const auto parsed = parse_json(text, path);  // not json::parse: "--set" must obey the rules of a file
  const SortedJson* json = std::get_if<SortedJson>(&parsed);
  *target = json != nullptr ? *json : SortedJson(text);
  return {};
}

std::string apply_overrides(SortedJson& value, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments)
    if (const std::string fault = apply_override(value, assignment); !fault.empty())
      return "--set " + assignment + ": " + fault;
  return {};
}

}  // namespace dmm
