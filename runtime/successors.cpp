// See successors.hpp.
#include "runtime/successors.hpp"

#include <algorithm>

#include "runtime/clock.hpp"
#include "runtime/files.hpp"
#include "runtime/json_list.hpp"
#include "runtime/json_words.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

/// A site with so many new keys within the life of a certificate has a manager that errs.
constexpr std::size_t successors_max = 10'000;

std::string successors_file(const std::string& folder) { return folder + "/keys/successors.json"; }

}  // namespace

WhyNot note_successor(const std::string& folder, const LinkKey& of, const LinkKey& link, WallSeconds until) {
  auto read = read_json_list(successors_file(folder));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  Json& list = std::get<Json>(read);
  const std::string later = to_text(link);
  const WallSeconds now = wall_seconds();
  const auto is_past = [&](const Json& row) {
    const auto end = row.find("until");
    return word_in(row, "link") == later || end == row.end() || !end->is_number_integer() || *end <= now;
  };
  list.erase(std::remove_if(list.begin(), list.end(), is_past), list.end());
  if (list.size() >= successors_max) return "too many link keys were certified of late";
  list.push_back({{"link", later}, {"of", to_text(of)}, {"until", until}});
  return replace_private_file(successors_file(folder), list.dump(2) + "\n");
}

OrFault<std::vector<std::string>> successors_of(const std::string& folder, const std::string& key) {
  auto read = read_json_list(successors_file(folder));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  std::vector<std::string> found, open{key};
  while (!open.empty()) {
    const std::string of = std::move(open.back());
    open.pop_back();
    for (const Json& row : std::get<Json>(read)) {
      const std::string link = word_in(row, "link");
      if (word_in(row, "of") != of || link == key || std::ranges::find(found, link) != found.end()) continue;
      found.push_back(link);
      open.push_back(link);
    }
  }
  return found;
}

}  // namespace dmm
