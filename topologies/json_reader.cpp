// The typed reader: the value of a key, or an error.
#include "topologies/json_reader.hpp"

#include <cmath>
#include <utility>

#include "topologies/text_rules.hpp"

namespace dmm {

namespace {

/// The value that was found instead, for people.
std::string found(const SortedJson& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return "found the text \"" + (text.size() > 40 ? text.substr(0, 40) + "..." : text) + "\"";
  }
  if (value.is_number()) return "found " + value.dump();
  if (value.is_boolean()) return std::string("found ") + (value.get<bool>() ? "true" : "false");
  if (value.is_object()) return "found an object";
  if (value.is_array()) return "found an array";
  return "found null";
}

/// A number without the trailing zeros of std::to_string.
std::string plain(double number) {
  const bool whole = number == std::floor(number) && std::abs(number) < 1e15;
  return whole ? std::to_string(static_cast<std::int64_t>(number)) : SortedJson(number).dump();
}

std::string fault_of_text(const SortedJson& value) {
  if (!value.is_string()) return "expected a text, " + found(value);
  for (unsigned char byte : value.get_ref<const std::string&>())
    if (byte < 0x20 || byte == 0x7f) return "expected a text without control characters";
  return {};
}

/// Whether a value is a whole number, not negative; 1e6 is one. If so, `out` has it.
bool is_whole(const SortedJson& value, std::uint64_t& out) {
  if (value.is_number_unsigned()) return out = value.get<std::uint64_t>(), true;
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();
  if (number < 0 || number > 9e15 || number != std::floor(number)) return false;
  return out = static_cast<std::uint64_t>(number), true;
}

}  // namespace

void FirstFault::set(const std::string& path, const std::string& text) {
  if (text_.empty()) text_ = path.empty() ? text : path + ": " + text;
}

JsonReader::JsonReader(const SortedJson& value, std::string path, FirstFault& fault)
    : value_(&value), path_(std::move(path)), fault_(&fault) {
  known_.insert("notes");
  if (!value_->is_object()) {
    fault_->set(path_, "expected an object, " + found(*value_));
    return;
  }
  const auto notes = value_->find("notes");
  if (notes == value_->end() || notes->is_string()) return;
  fault_->set(at("notes"), "expected a text, " + found(*notes));
}

std::string JsonReader::at(const std::string& key) const {
  if (key.empty() || path_.empty()) return key.empty() ? path_ : key;
  return path_ + "." + key;
}

std::string JsonReader::at(const std::string& key, std::size_t index) const {
  return at(key) + "[" + std::to_string(index) + "]";
}

bool JsonReader::has(const std::string& key) const { return value_->is_object() && value_->contains(key); }

void JsonReader::require(std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (missing_.empty() && !has(key)) missing_ = key;
}

const SortedJson* JsonReader::find(const std::string& key) {
  known_.insert(key);
  return has(key) ? &(*value_)[key] : nullptr;
}

const SortedJson* JsonReader::find_array(const std::string& key) {
  const SortedJson* value = find(key);
  if (value == nullptr || value->is_array()) return value;
  refuse(key, "expected an array, " + found(*value));
  return nullptr;
}

void JsonReader::text(const std::string& key, std::string& out, const TextRule& rule) {
  const SortedJson* value = find(key);
  if (value == nullptr) return;
  std::string fault = fault_of_text(*value);
  if (fault.empty() && rule) fault = rule(value->get_ref<const std::string&>());
  if (!fault.empty()) return refuse(key, fault);
  out = value->get<std::string>();
}

void JsonReader::boolean(const std::string& key, bool& out) {
  const SortedJson* value = find(key);
  if (value == nullptr) return;
  if (!value->is_boolean()) return refuse(key, "expected true or false, " + found(*value));
  out = value->get<bool>();
}

std::uint64_t JsonReader::whole(const std::string& key, std::uint64_t old, std::uint64_t least,
                                std::uint64_t most) {
  const SortedJson* value = find(key);
  if (value == nullptr) return old;
  std::uint64_t number = 0;
  if (is_whole(*value, number) && number >= least && number <= most) return number;
  const bool bounded = most < std::numeric_limits<std::uint64_t>::max();
  const std::string range = bounded ? "from " + std::to_string(least) + " to " + std::to_string(most)
                                    : "of at least " + std::to_string(least);
  refuse(key, "expected a whole number " + range + ", " + found(*value));
  return old;
}

void JsonReader::number(const std::string& key, double& out, double least, double most) {
  const SortedJson* value = find(key);
  if (value == nullptr) return;
  const double read = value->is_number() ? value->get<double>() : std::nan("");
  if (!(read >= least && read <= most))  // also refuses NaN
    return refuse(key, "expected a number from " + plain(least) + " to " + plain(most) + ", " + found(*value));
  out = read;
}

void JsonReader::duration(const std::string& key, Duration& out, double least, double most) {
  if (!has(key)) return known_.insert(key), void();
  double in_seconds = -1;
  number(key, in_seconds, least, most);
  if (in_seconds >= least) out = from_seconds(in_seconds);
}

void JsonReader::choice(const std::string& key, std::string& out, const std::vector<std::string>& words) {
  text(key, out, [&](const std::string& word) -> std::string {
    for (const std::string& allowed : words)
      if (word == allowed) return {};
    return "\"" + word + "\" is not known; expected one of " + list_of(words) + suggestion(word, words);
  });
}

void JsonReader::texts(const std::string& key, std::vector<std::string>& out, const TextRule& rule) {
  const SortedJson* value = find_array(key);
  if (value == nullptr) return;
  out.clear();
  std::set<std::string> seen;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const SortedJson& element = (*value)[i];
    std::string fault = fault_of_text(element);
    if (fault.empty() && rule) fault = rule(element.get_ref<const std::string&>());
    if (!fault.empty()) return fault_->set(at(key, i), fault);
    out.push_back(element.get<std::string>());
    if (!seen.insert(out.back()).second)
      return fault_->set(at(key, i), "\"" + out.back() + "\" occurs twice; expected each once");
  }
}

void JsonReader::text_map(const std::string& key, std::map<std::string, std::string>& out) {
  const SortedJson* value = find(key);
  if (value == nullptr) return;
  if (!value->is_object()) return refuse(key, "expected an object, " + found(*value));
  out.clear();
  for (const auto& [name, element] : value->items()) {
    const std::string fault = name.empty() ? "an attribute needs a name" : fault_of_text(element);
    if (!fault.empty()) return fault_->set(at(key) + "." + name, fault);
    out[name] = element.get<std::string>();
  }
}

void JsonReader::finish() {
  if (!value_->is_object()) return;
  for (const auto& [key, ignored] : value_->items()) {
    if (known_.contains(key)) continue;
    std::vector<std::string> absent;  // a key that is there can't have been meant
    for (const std::string& known : known_)
      if (!has(known)) absent.push_back(known);
    const std::string guess = suggestion(key, absent);
    const std::string all = "; expected one of " + list_of({known_.begin(), known_.end()});
    fault_->set(at(key), "unknown key" + (guess.empty() ? all : guess));
  }
  if (!missing_.empty()) refuse("", "the key \"" + missing_ + "\" is missing");
}

const TextRule& JsonReader::name_rule() {
  static const TextRule rule = [](const std::string& name) { return fault_of_name(name); };
  return rule;
}

}  // namespace dmm
