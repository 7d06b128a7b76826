// The ledger of one manager: rows under the name of their table and a key, in an SQLite file that survives the process
// and, where asked, the machine. docs/operations.md shows people how to read it.
//
// Each table is (key TEXT, record TEXT, sum INTEGER). `sum` is of table, key and record; the table `about` keeps the
// total of all sums, written with each commit. At opening everything is read and compared: a row that was changed, lost
// or brought back by anything but a commit is damage, and a damaged ledger isn't opened. Of a write-ahead log whose end
// is lost, what was committed before it is left, as after a crash.
//
// One process at a time: the file `<path>.lock` is locked. SQLite's own exclusive mode would do that too, but keep out
// people who want to look. Errors are texts that name the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manager/ledger.hpp"
#include "protocol/time.hpp"

namespace dmm {

struct LedgerOptions {
  std::string path;
  std::string party;                ///< whose it is; that of somebody else is refused
  std::vector<std::string> tables;  ///< all that it has, of lower-case letters
  bool sync_all = false;            ///< every commit survives the machine, whatever its grade
};

enum class CommitOutcome : std::uint8_t {
  done,
  stalled,  ///< no room, or another process writes there: nothing was written, commit may be tried again
  failed,   ///< what is on the disk is not known: nothing works any more
};

struct LedgerRowText {
  std::string key;
  std::string record;
};

class Ledger {
 public:
  using Opened = std::variant<std::unique_ptr<Ledger>, std::string>;
  /// Opens and checks; makes the file if it isn't there.
  static Opened open(LedgerOptions options);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// All rows of a table, by key as text; an error text.
  std::variant<std::vector<LedgerRowText>, std::string> rows(std::string_view table);

  /// Changes for the next commit, in this order.
  void put(std::string_view table, std::string key, std::string record);
  void erase(std::string_view table, std::string key);
  /// Writes all changes or none. Stalled, it keeps them.
  CommitOutcome commit(Grade grade);
  /// What went wrong in the last commit, naming the file.
  const std::string& fault() const;

  const std::string& path() const;
  /// Whether it was written since the machine was started last.
  bool is_of_this_boot() const;
  /// What an instant of this process lacks to be wall time. The same in all processes since the machine was started.
  Duration clock() const;

 private:
  struct Inside;
  explicit Ledger(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace dmm
