// The ledger of one manager: rows under the name of their table and a key, in an SQLite file. Rows survive the process
// and, where asked, the machine. docs/operations.md shows people how to read it.
//
// Each table is (key TEXT, record TEXT, sum INTEGER). `sum` is of table, key and record; the table `about` keeps the
// total of all sums, written with each commit. At opening everything is read and compared. A row that was changed, lost
// or brought back by anything but a commit is damage, and a damaged ledger isn't opened. If the end of the write-ahead
// log is lost, the commits before it are left, as after a crash.
//
// One process at a time: the file `<path>.lock` is locked. SQLite's own exclusive mode would do that too, but it would
// keep out people that want to look. Errors are texts that name the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manager/ledger.hpp"
#include "protocol/time.hpp"
#include "runtime/ledger_options.hpp"

namespace dmm {

enum class CommitOutcome : std::uint8_t {
  done,
  stalled,  ///< no room, or another process writes there: nothing was written, commit may be tried again
  failed,   ///< the content of the disk is unknown: the ledger works no more
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

  /// Counts this opening in the ledger, and in a file that isn't moved with it. Call it once, before any change. An
  /// error text where the ledger is an older copy: it counts fewer openings than the file. A ledger that was
  /// never counted is none.
  std::string count_opening(const std::string& file);

  /// All rows of a table, ordered by key as text; or an error text.
  std::variant<std::vector<LedgerRowText>, std::string> rows(std::string_view table);

  /// Changes for the next commit, in this order.
  void put(std::string_view table, std::string key, std::string record);
  void erase(std::string_view table, std::string key);
  /// Writes all changes or none. If it is stalled, the ledger keeps them for the next try.
  CommitOutcome commit(Grade grade);
  /// The fault of the last commit; names the file.
  const std::string& fault() const;

  const std::string& path() const;
  /// Whether the ledger was written since the last start of the machine.
  bool is_of_this_boot() const;
  /// Offset from this process's clock to wall-clock time. It is the same in all processes until the machine starts
  /// again.
  Duration clock() const;

 private:
  struct Inside;
  explicit Ledger(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace dmm
