// Commits to an SQLite file with a write-ahead log; see ledger.hpp.
//
// SQLite syncs the log at each commit with synchronous=FULL, and only at checkpoints with NORMAL: the level is set
// before the transaction. This file makes the checkpoints itself, since SQLite would not report their errors.
#include "runtime/ledger.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "manager/assert.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"
#include "runtime/ledger_file.hpp"

namespace dmm {
namespace {

std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Pages of the log before its content is moved into the file: 4 MB.
constexpr int checkpoint_pages = 1000;
/// How long a commit waits for another process that writes there, although none should.
constexpr int busy_milliseconds = 1000;

constexpr std::string_view boot_unknown = "unknown";

Duration clock_now() { return {wall_microseconds() - monotonic_now().microseconds}; }

}  // namespace

struct Ledger::Inside {
  class Lock {
   public:
    ~Lock() {
      if (descriptor_ >= 0) ::close(descriptor_);
    }
    Lock() = default;
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    std::string acquire(const std::string& path) {
      const std::string file = path + ".lock";
      descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
      if (descriptor_ < 0) return "cannot make " + file + ": " + std::strerror(errno);
      if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return {};
      if (errno == EWOULDBLOCK) return "the ledger " + path + " is in use by another process";
      return "cannot lock " + file + ": " + std::strerror(errno);
    }

   private:
    int descriptor_ = -1;
  };

  struct Table {
    Table(sqlite3* database, const std::string& name)
        : sum(database, "SELECT sum FROM " + name + " WHERE key=?"),
          put(database, "INSERT INTO " + name +
                            " VALUES(?,?,?) ON CONFLICT(key) DO UPDATE SET record=excluded.record, "
                            "sum=excluded.sum"),
          erase(database, "DELETE FROM " + name + " WHERE key=?") {}
    bool ready() const { return sum.ready() && put.ready() && erase.ready(); }

    sqlite::Statement sum, put, erase;
  };

  struct Change {
    std::string table, key, record;
    bool erased = false;
  };

  LedgerOptions options;
  Lock lock;
  sqlite::Database database;
  std::map<std::string, Table, std::less<>> tables;
  sqlite::Statement begin, end, undo, set_about;
  std::vector<Change> batch;
  std::uint64_t total = 0;
  Duration clock;
  bool of_this_boot = false;
  std::string fault;
  bool failed = false;
  bool syncing = false;   ///< the level of `synchronous`
  bool wrote = false;     ///< the last commit wrote something: rows that didn't change aren't written again
  bool unsynced = false;  ///< an earlier commit wrote what isn't synced yet
  int log_pages = 0;      ///< after the last commit
  int moved_at = 0;       ///< pages at the last checkpoint

  // ---- opening ----
  std::string open();
  std::string open_file();
  bool unreadable() const;
  std::string begin_log();
  std::string prepare();
  std::string keep_about();
  std::string count_opening(const std::string& file);
  std::string error() const { return sqlite3_errmsg(database.get()); }

  // ---- commits ----
  int sync(bool wanted);
  int apply(const Change& change, std::uint64_t& sum);
  int apply_about(const std::string& name, const std::string& value, std::uint64_t& sum);
  int write(std::uint64_t& sum);
  int checkpoint(int pages_min);
  int sync_earlier();
  CommitOutcome refuse(int code);
};

std::string Ledger::Inside::open() {
  if (std::string text = lock.acquire(options.path); !text.empty()) return text;
  if (std::string text = make_ledger_file(options); !text.empty()) return text;
  const std::string damaged = "the ledger " + options.path + " is damaged: ";
  if (std::string text = fault_of_head(options.path); !text.empty()) return damaged + text;
  if (std::string text = open_file(); !text.empty()) return text;
  if (std::string text = fault_of_version(database.get()); !text.empty())
    return "the ledger " + options.path + " " + text;
  if (std::string text = fault_of_content(database.get(), options, total); !text.empty())
    return unreadable() ? "cannot read the ledger " + options.path + ": " + error() : damaged + text;
  if (const std::string party = about(database.get(), "party"); party != options.party)
    return "the ledger " + options.path + " is that of " + party + ", not of " + options.party;
  if (std::string text = begin_log(); !text.empty()) return text;
  if (std::string text = take_over_older(database.get(), options); !text.empty()) return text;
  if (std::string text = prepare(); !text.empty()) return text;
  return keep_about();
}

std::string Ledger::Inside::open_file() {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(options.path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  database.reset(opened);
  if (code != SQLITE_OK) return "cannot open the ledger " + options.path + ": " + error();
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, busy_milliseconds);
  sqlite3_wal_hook(
      opened,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Inside*>(self)->log_pages = pages;
        static_cast<Inside*>(self)->wrote = true;
        return SQLITE_OK;
      },
      this);
  if (sqlite::run(opened, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA synchronous=NORMAL") !=
      SQLITE_OK)
    return "cannot open the ledger " + options.path + ": " + error();
  return {};
}

/// Whether the last call failed for a reason that says nothing of the content, such as no room for the log or no right
/// to write.
bool Ledger::Inside::unreadable() const {
  constexpr int reasons[] = {SQLITE_IOERR, SQLITE_FULL,   SQLITE_CANTOPEN, SQLITE_NOMEM,
                             SQLITE_BUSY,  SQLITE_LOCKED, SQLITE_READONLY, SQLITE_PERM};
  const int kind = sqlite3_errcode(database.get()) & 0xff;
  return std::find(std::begin(reasons), std::end(reasons), kind) != std::end(reasons);
}

/// Moves what an earlier process left in the log into the file, so that a new log begins. After a failed sync, the old
/// log may be whole in memory only: the system drops pages that it couldn't write, and later syncs succeed without
/// them. Without room, or with a reader in the way, the old log is used on.
std::string Ledger::Inside::begin_log() {
  const int code =
      sqlite3_wal_checkpoint_v2(database.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  const int kind = code & 0xff;
  if (kind == SQLITE_OK || kind == SQLITE_BUSY || kind == SQLITE_FULL) return {};
  return "cannot write the ledger " + options.path + ": " + error();
}

std::string Ledger::Inside::prepare() {
  bool ready = true;
  for (const std::string& name : options.tables)
    ready = tables.try_emplace(name, database.get(), name).first->second.ready() && ready;
  begin = {database.get(), "BEGIN IMMEDIATE"};
  end = {database.get(), "COMMIT"};
  undo = {database.get(), "ROLLBACK"};
  set_about = {database.get(),
               "INSERT INTO about VALUES(?,?) ON CONFLICT(name) DO UPDATE SET value=excluded.value"};
  ready = ready && begin.ready() && end.ready() && undo.ready() && set_about.ready();
  return ready ? std::string() : "cannot open the ledger " + options.path + ": " + error();
}

/// Keeps the clock of all instants in the file: it stays valid while the machine is up, even if the wall clock is set.
std::string Ledger::Inside::keep_about() {
  const std::string boot = boot_name();
  const std::string kept = about(database.get(), "clock");
  const bool same = boot != boot_unknown && about(database.get(), "boot") == boot &&
                    std::from_chars(kept.data(), kept.data() + kept.size(), clock.microseconds).ec == std::errc{};
  if (!same) clock = clock_now();
  of_this_boot = same;
  const std::pair<std::string, std::string> wanted[] = {{"boot", boot},
                                                        {"clock", std::to_string(clock.microseconds)},
                                                        {"sync", options.sync_all ? "full" : "graded"}};
  std::uint64_t sum = total;
  int code = begin.run();
  for (const auto& [name, value] : wanted)
    if (code == SQLITE_OK && about(database.get(), name) != value) code = apply_about(name, value, sum);
  if (code == SQLITE_OK && sum == total) code = undo.run();
  if (code == SQLITE_OK && sum != total) code = write(sum);
  if (code == SQLITE_OK) return total = sum, std::string();
  refuse(code);
  return fault;
}

/// The ledger is counted first, and is on the disk: a crash in between leaves the ledger ahead of the file.
std::string Ledger::Inside::count_opening(const std::string& file) {
  const std::string counted = about(database.get(), "openings");
  const std::uint64_t here = number_in(counted), beside = number_in(read_small_file(file, 64).value_or(""));
  if (!counted.empty() && here < beside)
    return "the ledger " + options.path + " is an older copy: it counts " + std::to_string(here) +
           " starts, and " + file + " counts " + std::to_string(beside) +
           "; move the ledger away (docs/operations.md, section 7), or remove " + file + " to use the copy";
  const std::string next = std::to_string(std::max(here, beside) + 1);
  std::uint64_t sum = total;
  int code = sync(true);
  if (code == SQLITE_OK) code = begin.run();
  if (code == SQLITE_OK) code = apply_about("openings", next, sum);
  if (code == SQLITE_OK) code = write(sum);
  if (code != SQLITE_OK) return refuse(code), fault;
  total = sum;
  if (std::string left = begin_log(); !left.empty()) return left;
  return replace_file(file, next + '\n');
}

/// Before a transaction: sets whether its commit is synced.
int Ledger::Inside::sync(bool wanted) {
  if (wanted == syncing) return SQLITE_OK;
  const int code = sqlite::run(database.get(), wanted ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
  if (code == SQLITE_OK) syncing = wanted;
  return code;
}

int Ledger::Inside::apply(const Change& change, std::uint64_t& sum) {
  Table& table = tables.find(change.table)->second;
  table.sum.bind(1, change.key);
  const int found = table.sum.step();
  const std::uint64_t old = found == SQLITE_ROW ? static_cast<std::uint64_t>(table.sum.number(0)) : 0;
  table.sum.reset();
  if (found != SQLITE_ROW && found != SQLITE_DONE) return found;
  sum -= old;
  sqlite::Statement& statement = change.erased ? table.erase : table.put;
  statement.bind(1, change.key);
  if (change.erased) return statement.run();
  const std::uint64_t fresh = sum_of(change.table, change.key, change.record);
  sum += fresh;
  statement.bind(2, change.record);
  statement.bind(3, stored(fresh));
  return statement.run();
}

int Ledger::Inside::apply_about(const std::string& name, const std::string& value, std::uint64_t& sum) {
  const std::string old = about(database.get(), name);
  if (!old.empty()) sum -= sum_of("about", name, old);
  sum += sum_of("about", name, value);
  set_about.bind(1, name);
  set_about.bind(2, value);
  return set_about.run();
}

/// Ends a transaction, with its total.
int Ledger::Inside::write(std::uint64_t& sum) {
  const std::string text = std::to_string(sum);
  set_about.bind(1, "total");
  set_about.bind(2, text);
  const int code = set_about.run();
  return code == SQLITE_OK ? end.run() : code;
}

/// Moves the log's content into the file once it has `pages_min` pages more than at the last time. If a reader is in
/// the way or there is no room, the log grows on, and a later call tries again.
int Ledger::Inside::checkpoint(int pages_min) {
  if (log_pages < moved_at) moved_at = 0;
  if (log_pages < moved_at + pages_min) return SQLITE_OK;
  moved_at = log_pages;
  const int code = sqlite3_wal_checkpoint_v2(database.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  const int kind = code & 0xff;
  return kind == SQLITE_BUSY || kind == SQLITE_FULL ? SQLITE_OK : code;
}

/// After a commit. SQLite neither writes nor syncs rows that didn't change. If an earlier commit wrote without a sync,
/// this writes something so that the log is synced.
int Ledger::Inside::sync_earlier() {
  const bool missed = syncing && unsynced && !wrote;
  const int code = missed ? write_version(database.get()) : SQLITE_OK;
  if (code == SQLITE_OK) unsynced = !syncing && (unsynced || wrote);
  return code;
}

CommitOutcome Ledger::Inside::refuse(int code) {
  const int kind = code & 0xff;
  const int system = sqlite3_system_errno(database.get());
  const bool no_room = kind == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE ||
                       (code == SQLITE_IOERR_WRITE && (system == EDQUOT || system == ENOSPC));
  const bool busy = kind == SQLITE_BUSY;
  const std::string what = busy ? std::string("another process writes in it") : error();
  fault = "cannot write the ledger " + options.path + ": " + what;
  if (kind == SQLITE_IOERR && system != 0) fault += std::string(" (") + std::strerror(system) + ")";
  if (sqlite3_get_autocommit(database.get()) == 0) undo.run();
  failed = !(no_room || busy) || sqlite3_get_autocommit(database.get()) == 0;
  if (!failed)
    failed = checkpoint(1) != SQLITE_OK;  // the next try may begin a new log, in the room of the old one
  return failed ? CommitOutcome::failed : CommitOutcome::stalled;
}

Ledger::Ledger(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Ledger::~Ledger() = default;

Ledger::Opened Ledger::open(LedgerOptions options) {
  auto inside = std::make_unique<Inside>();
  inside->options = std::move(options);
  if (std::string fault = inside->open(); !fault.empty()) return fault;
  return std::unique_ptr<Ledger>(new Ledger(std::move(inside)));
}

std::string Ledger::count_opening(const std::string& file) { return inside_->count_opening(file); }

std::variant<std::vector<LedgerRowText>, std::string> Ledger::rows(std::string_view table) {
  sqlite3* const database = inside_->database.get();
  sqlite::Statement statement(database, "SELECT key, record FROM " + std::string(table) + " ORDER BY key");
  std::vector<LedgerRowText> rows;
  int code = statement.step();
  for (; code == SQLITE_ROW; code = statement.step())
    rows.push_back({std::string(statement.text(0)), std::string(statement.text(1))});
  if (code == SQLITE_DONE) return rows;
  return "cannot read the ledger " + inside_->options.path + ": " + inside_->error();
}

void Ledger::put(std::string_view table, std::string key, std::string record) {
  DMM_ASSERT(inside_->tables.contains(table));
  inside_->batch.push_back({std::string(table), std::move(key), std::move(record), false});
}

void Ledger::erase(std::string_view table, std::string key) {
  DMM_ASSERT(inside_->tables.contains(table));
  inside_->batch.push_back({std::string(table), std::move(key), {}, true});
}

CommitOutcome Ledger::commit(Grade grade) {
  Inside& in = *inside_;
  if (in.failed) return CommitOutcome::failed;
  if (in.batch.empty()) return CommitOutcome::done;
  std::uint64_t sum = in.total;
  in.wrote = false;
  int code = in.sync(in.options.sync_all || grade == Grade::synced);
  if (code == SQLITE_OK) code = in.begin.run();
  for (std::size_t i = 0; code == SQLITE_OK && i < in.batch.size(); ++i) code = in.apply(in.batch[i], sum);
  if (code == SQLITE_OK) code = in.write(sum);
  if (code != SQLITE_OK) return in.refuse(code);
  in.total = sum;
  in.batch.clear();
  in.fault.clear();
  code = in.sync_earlier();
  if (code == SQLITE_OK) code = in.checkpoint(checkpoint_pages);
  return code == SQLITE_OK ? CommitOutcome::done : in.refuse(code);
}

const std::string& Ledger::fault() const { return inside_->fault; }
const std::string& Ledger::path() const { return inside_->options.path; }
bool Ledger::is_of_this_boot() const { return inside_->of_this_boot; }

Duration Ledger::clock() const { return inside_->clock; }

}  // namespace dmm
