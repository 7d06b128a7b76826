// Reads what scontrol prints; see slurm_facts.hpp.
#include "batchmgr/systems/slurm_facts.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "batchmgr/lines.hpp"

namespace dmm::slurm {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A value may have blanks in it, as a version of Linux has: it goes on until the next KEY=.
Record record_in(std::string_view line) {
  Record record;
  std::string* last = nullptr;
  for (const std::string_view word : lines::split(line, ' ')) {
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const bool is_key =
        equals != std::string_view::npos && !key.empty() &&
        std::ranges::all_of(key, [](unsigned char one) { return std::isalnum(one) || one == '_'; });
    if (is_key)
      last = &(record[std::string(key)] = std::string(word.substr(equals + 1)));
    else if (last && !word.empty())
      *last += " " + std::string(word);
  }
  return record;
}

std::vector<Record> records_in(std::string_view text, std::string_view first_key) {
  std::vector<Record> records;
  for (const std::string_view line : lines::lines_of(text))
    if (line.starts_with(first_key)) records.push_back(record_in(line));
  return records;
}

}  // namespace

std::string value_in(const Record& record, std::string_view key) {
  const auto found = record.find(key);
  return found == record.end() || found->second == "(null)" ? std::string() : found->second;
}

std::uint64_t count_in(const Record& record, std::string_view key) {
  const std::string text = value_in(record, key);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool lists(std::string_view list, std::string_view word) {
  return std::ranges::any_of(lines::split(list, ','), [&](std::string_view one) {
    return one == word || (one.starts_with(word) && one.substr(word.size()).starts_with('='));
  });
}

const Record* find_partition(const Facts& facts, std::string_view name) {
  for (const Record& partition : facts.partitions)
    if (value_in(partition, "PartitionName") == name) return &partition;
  return nullptr;
}

std::optional<Duration> time_in(std::string_view text) {
  std::uint64_t days = 0, total = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto given = lines::number_in(text.substr(0, dash));
    if (!given) return std::nullopt;
    days = *given;
    text.remove_prefix(dash + 1);
  }
  for (const std::string_view part : lines::split(text, ':')) {
    const auto given = lines::number_in(part);
    if (!given) return std::nullopt;
    total = total * 60 + *given;
  }
  return seconds(static_cast<std::int64_t>(days * 86'400 + total));
}

OrFault<Facts> read_facts(std::string_view configuration, std::string_view partitions, std::string_view nodes) {
  Facts facts;
  for (const std::string_view line : lines::lines_of(configuration)) {
    const std::size_t equals = line.find(" = ");
    if (equals != std::string_view::npos)
      facts.configuration.emplace(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 3)));
  }
  if (value_in(facts.configuration, "SLURM_VERSION").empty())
    return "scontrol show config said \"" + std::string(configuration.substr(0, 200)) + '"';
  facts.partitions = records_in(partitions, "PartitionName=");
  facts.nodes = records_in(nodes, "NodeName=");
  return facts;
}

}  // namespace dmm::slurm
