// What an examination of a site says of one precondition: it holds, or what to change and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dmm {

enum class FindingKind : std::uint8_t {
  ok,
  look,    ///< can't be told from here, or does no harm alone: a person has to judge
  change,  ///< lending or borrowing doesn't work as it should until this is changed
};

/// One change of a batch system's configuration file.
struct Edit {
  std::string section;  ///< of Slurm: the partition that is changed; empty: the whole cluster
  std::string key;      ///< empty: the value is a new line
  std::string value;
  bool adds = false;  ///< to a list with commas, which keeps its other words
};

struct Finding {
  FindingKind kind = FindingKind::ok;
  std::string subject;           ///< the precondition, in the words of the batch system
  std::string found;             ///< what is there
  std::string change = {};       ///< what to do, and where; empty if nothing is to be done
  std::vector<Edit> edits = {};  ///< that would do it
};

}  // namespace dmm
