// A typed reader over JSON, for files that people write: its errors name the field. Internal to topologies/, and its
// only header that knows the JSON library.
//
// A reader walks one object. Each method reads one key into a variable, and leaves the variable alone if the key is
// absent: its earlier value is the default. The first fault is kept and the reading goes on, so a caller asks once, at
// the end. Every object may have a key "notes" with text for people. JsonWriter (json_writer.hpp) has the same methods,
// so that one list of fields serves both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "protocol/fields.hpp"
#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"
#include "protocol/time.hpp"
#include "topologies/config_error.hpp"

namespace dmm {

using SortedJson = nlohmann::json;

/// Largest file that is read, in bytes.
constexpr std::size_t json_bytes_max = 16 * 1024 * 1024;
/// How deep objects and arrays may be nested.
constexpr int json_depth_max = 32;

/// JSON text as a value; `file` is only named in errors. Refuses keys that occur twice in an object.
OrFault<SortedJson, ConfigError> parse_json(const std::string& text, const std::string& file);
/// The same from a file of at most json_bytes_max bytes.
OrFault<SortedJson, ConfigError> read_json_file(const std::string& path);

/// Sets one value by "key.key=value"; a number as key selects an element of an array. The value is JSON, or else text.
/// Missing objects on the way are made. Returns why it can't be done, or an empty text.
std::string apply_override(SortedJson& value, const std::string& assignment);
/// Applies each in turn, the last one winning; "--set <override>: <why>" for the first that can't be done.
std::string apply_overrides(SortedJson& value, const std::vector<std::string>& assignments);

/// The first fault found while a file was read.
class FirstFault {
 public:
  bool any() const { return !text_.empty(); }
  const std::string& text() const { return text_; }
  /// Keeps "<path>: <text>" if it is the first.
  void set(const std::string& path, const std::string& text);

 private:
  std::string text_;
};

/// Returns what is wrong with one text, or an empty text.
using TextRule = std::function<std::string(const std::string&)>;

class JsonReader {
 public:
  /// Reads `value`, which is at `path` of its file (empty: the whole file).
  JsonReader(const SortedJson& value, std::string path, FirstFault& fault);

  /// These keys must be there.
  void require(std::initializer_list<const char*> keys);
  bool has(const std::string& key) const;

  void text(const std::string& key, std::string& out, const TextRule& rule = {});
  void text(const std::string& key, ShortText& out, const TextRule& rule = {}) {
    std::string whole = out;
    text(key, whole, rule);
    out = whole;
  }
  void boolean(const std::string& key, bool& out);
  void number(const std::string& key, double& out, double least, double most);
  /// In seconds; the key should end in _seconds.
  void duration(const std::string& key, Duration& out, double least, double most);
  /// One of the given words.
  void choice(const std::string& key, std::string& out, const std::vector<std::string>& words);
  /// Texts, none twice.
  void texts(const std::string& key, std::vector<std::string>& out, const TextRule& rule = {});
  /// Values by name, both text.
  void text_map(const std::string& key, std::map<std::string, std::string>& out);

  /// A whole number.
  template <class T>
  void integer(const std::string& key, T& out, std::uint64_t least,
               std::uint64_t most = std::numeric_limits<T>::max()) {
    out = static_cast<T>(whole(key, out, least, most));
  }
  /// One of the words; the value is its position in `words`.
  template <class Enum>
  void enumeration(const std::string& key, Enum& out, const std::vector<std::string>& words) {
    std::string word = words.at(static_cast<std::size_t>(out));
    choice(key, word, words);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == word) out = static_cast<Enum>(i);
  }
  /// A name of a site, a cluster, a user: see fault_of_name.
  template <class Tag>
  void name(const std::string& key, Name<Tag>& out) {
    text(key, out.text, name_rule());
  }
  template <List Names>
  void names(const std::string& key, Names& out) {
    std::vector<std::string> all;
    for (const auto& old : out) all.push_back(old.text);
    texts(key, all, name_rule());
    out.clear();
    for (std::string& text : all) out.emplace_back(std::move(text));
  }
  /// Calls `read(reader)` on the object at `key`, if there is one.
  template <class Read>
  void object(const std::string& key, Read&& read) {
    const SortedJson* value = find(key);
    if (value == nullptr) return;
    JsonReader inner(*value, at(key), *fault_);
    read(inner);
    inner.finish();
  }
  /// Calls `read(reader, element)` for each object of the array at `key`, on elements added to `out`.
  template <class T, class Read>
  void objects(const std::string& key, std::vector<T>& out, Read&& read) {
    const SortedJson* value = find_array(key);
    if (value == nullptr) return;
    out.clear();
    for (std::size_t i = 0; i < value->size() && !fault_->any(); ++i) {
      JsonReader inner((*value)[i], at(key, i), *fault_);
      read(inner, out.emplace_back());
      inner.finish();
    }
  }

  /// Sets the fault that the value of `key` is wrong; an empty key stands for the whole object.
  void refuse(const std::string& key, const std::string& text) { fault_->set(at(key), text); }
  /// Reports unknown keys, then keys that are missing. `object` and `objects` call it for their own readers.
  void finish();
  /// All keys that were asked for.
  const std::set<std::string>& known() const { return known_; }
  /// The value of a key, or nothing.
  const SortedJson* find(const std::string& key);
  /// The array at a key, or nothing if it is missing or no array.
  const SortedJson* find_array(const std::string& key);
  /// The path of a key, and of an element of the array at that key.
  std::string at(const std::string& key) const;
  std::string at(const std::string& key, std::size_t index) const;

 private:
  static const TextRule& name_rule();
  std::uint64_t whole(const std::string& key, std::uint64_t old, std::uint64_t least, std::uint64_t most);

  const SortedJson* value_;
  std::string path_;
  FirstFault* fault_;
  std::set<std::string> known_;
  std::string missing_;
};

/// Reads a whole file with `read(reader)`; the fault, with the file's name, if there is one.
template <class Read>
std::string read_whole(const SortedJson& value, const std::string& file, Read&& read) {
  FirstFault fault;
  JsonReader reader(value, "", fault);
  read(reader);
  reader.finish();
  return fault.any() ? file + ": " + fault.text() : std::string();
}

}  // namespace dmm
