// Writes what JsonReader reads, with the same methods; it ignores ranges and rules. Internal to topologies/. Keys are
// written in the order of the lists of fields, so that a person finds them as documented.
#pragma once

#include "topologies/json_reader.hpp"

namespace dmm {

using OrderedJson = nlohmann::ordered_json;

class JsonWriter {
 public:
  explicit JsonWriter(OrderedJson& out) : out_(&out) { *out_ = OrderedJson::object(); }

  void require(std::initializer_list<const char*>) {}
  void text(const std::string& key, const std::string& value, const TextRule& = {}) { (*out_)[key] = value; }
  void boolean(const std::string& key, bool value) { (*out_)[key] = value; }
  void number(const std::string& key, double value, double, double) { (*out_)[key] = value; }
  void duration(const std::string& key, Duration value, double, double) {
    constexpr std::int64_t second = 1'000'000;
    if (value.microseconds % second == 0)
      (*out_)[key] = value.microseconds / second;
    else
      (*out_)[key] = value.in_seconds();
  }
  void choice(const std::string& key, const std::string& value, const std::vector<std::string>&) {
    (*out_)[key] = value;
  }
  void texts(const std::string& key, const std::vector<std::string>& values, const TextRule& = {}) {
    (*out_)[key] = values;
  }
  void text_map(const std::string& key, const std::map<std::string, std::string>& values) {
    (*out_)[key] = OrderedJson::object();
    for (const auto& [name, value] : values) (*out_)[key][name] = value;
  }
  template <class T>
  void integer(const std::string& key, T value, std::uint64_t, std::uint64_t = 0) {
    (*out_)[key] = value;
  }
  template <class Enum>
  void enumeration(const std::string& key, Enum value, const std::vector<std::string>& words) {
    (*out_)[key] = words.at(static_cast<std::size_t>(value));
  }
  template <class Tag>
  void name(const std::string& key, const Name<Tag>& value) {
    (*out_)[key] = value.text;
  }
  template <List Names>
  void names(const std::string& key, const Names& values) {
    (*out_)[key] = OrderedJson::array();
    for (const auto& value : values) (*out_)[key].push_back(value.text);
  }
  template <class Write>
  void object(const std::string& key, Write&& write) {
    OrderedJson inner;
    JsonWriter writer(inner);
    write(writer);
    (*out_)[key] = std::move(inner);
  }
  template <class T, class Write>
  void objects(const std::string& key, const std::vector<T>& values, Write&& write) {
    OrderedJson all = OrderedJson::array();
    for (const T& value : values) {
      OrderedJson inner;
      JsonWriter writer(inner);
      write(writer, value);
      all.push_back(std::move(inner));
    }
    (*out_)[key] = std::move(all);
  }

 private:
  OrderedJson* out_;
};

}  // namespace dmm
