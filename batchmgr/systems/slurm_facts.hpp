// What a Slurm cluster is configured as, read from `scontrol show`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/or_fault.hpp"
#include "protocol/time.hpp"

namespace dmm::slurm {

/// One line of KEY=VALUE words.
using Record = std::map<std::string, std::string, std::less<>>;

struct Facts {
  Record configuration;            ///< as `scontrol show config` says
  std::vector<Record> partitions;  ///< in Slurm's order
  std::vector<Record> nodes;
};

/// Empty if the record has no such key, or "(null)".
std::string value_in(const Record& record, std::string_view key);
/// The number that the value begins with; 0 if there is none.
std::uint64_t count_in(const Record& record, std::string_view key);
/// Whether a list of words with commas between them has this word; `NAME=VALUE` counts as NAME.
bool lists(std::string_view list, std::string_view word);
/// A time as Slurm writes it, "1-02:03:04" or "03:04"; nothing for words such as UNLIMITED.
std::optional<Duration> time_in(std::string_view text);
/// nullptr if there is none of that name.
const Record* find_partition(const Facts& facts, std::string_view name);

/// From what `scontrol show config`, `show partition --oneliner` and `show node --oneliner` say.
OrFault<Facts> read_facts(std::string_view configuration, std::string_view partitions, std::string_view nodes);

}  // namespace dmm::slurm
