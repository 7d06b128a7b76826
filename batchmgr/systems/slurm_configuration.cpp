// Edits slurm.conf word by word; see slurm_configuration.hpp.
#include "batchmgr/systems/slurm_configuration.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace dmm::slurm {
namespace {

constexpr std::string_view partition_key = "PartitionName";

bool is_alike(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

/// Where the value of KEY= is in a line, as its first letter and its length; comments aren't looked at.
struct Place {
  std::size_t begin = 0, length = 0;
};
std::optional<Place> place_of(std::string_view line, std::string_view key) {
  const std::size_t end_of_line = std::min(line.find('#'), line.size());
  for (std::size_t begin = 0; begin < end_of_line;) {
    const std::size_t end = std::min(line.find_first_of(" \t", begin), end_of_line);
    const std::size_t equals = line.find('=', begin);
    if (equals < end && is_alike(line.substr(begin, equals - begin), key))
      return Place{equals + 1, end - equals - 1};
    begin = end + 1;
  }
  return std::nullopt;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// The first word of a line of nodes or partitions; before the first of them new lines for the cluster go.
bool is_of_parts(const std::string& line) {
  return place_of(line, partition_key) || place_of(line, "NodeName") || place_of(line, "NodeSet");
}

class Editor {
 public:
  explicit Editor(const std::string& text) : lines_(lines_in(text)) {}

  void apply(const Edit& edit) {
    if (edit.key.empty())
      lines_.push_back(edit.value);
    else if (edit.section.empty())
      set_of_cluster(edit);
    else
      set_of_partition(edit);
  }

  Configured result() && {
    Configured all{{}, std::move(by_hand_)};
    for (const std::string& line : lines_) all.text += line + "\n";
    return all;
  }

 private:
  void set_of_cluster(const Edit& edit) {
    for (std::string& line : lines_) {
      if (is_of_parts(line)) continue;
      if (const auto place = place_of(line, edit.key)) return replace(line, *place, edit);
    }
    const auto before = std::ranges::find_if(lines_, is_of_parts);
    lines_.insert(before, edit.key + "=" + edit.value);
  }

  void set_of_partition(const Edit& edit) {
    for (std::string& line : lines_) {
      const auto name = place_of(line, partition_key);
      if (!name || line.substr(name->begin, name->length) != edit.section) continue;
      if (const auto place = place_of(line, edit.key)) return replace(line, *place, edit);
      line.insert(std::min(line.find_last_not_of(" \t", line.find('#') - 1) + 1, line.size()),
                  " " + edit.key + "=" + edit.value);
      return;
    }
    by_hand_.push_back("partition " + edit.section + ": " + edit.key + "=" + edit.value);
  }

  static void replace(std::string& line, const Place& place, const Edit& edit) {
    const std::string before = line.substr(place.begin, place.length);
    const bool keeps = edit.adds && !before.empty();
    line.replace(place.begin, place.length, keeps ? before + "," + edit.value : edit.value);
  }

  std::vector<std::string> lines_;
  std::vector<std::string> by_hand_;
};

}  // namespace

Configured configured(const std::string& text, std::span<const Edit> edits) {
  Editor editor(text);
  for (const Edit& edit : edits) editor.apply(edit);
  return std::move(editor).result();
}

}  // namespace dmm::slurm
