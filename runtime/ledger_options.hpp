// What a manager's ledger is told when it is opened: its file, its manager, its tables.
#pragma once

#include <string>
#include <vector>

namespace dmm {

struct LedgerOptions {
  std::string path;
  std::string party;                ///< the manager; the ledger of another one is refused
  std::vector<std::string> tables;  ///< all tables of the ledger, in lower-case letters
  bool sync_all = false;            ///< every commit survives the machine, whatever its grade
};

}  // namespace dmm
