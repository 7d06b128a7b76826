// Schema and checks of a ledger's file; see ledger_file.hpp.
#include "runtime/ledger_file.hpp"

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

#include "protocol/ids.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

/// "DMML": what the program `file` and SQLite's own tools call the kind of file.
constexpr std::int64_t application = 0x444D4D4C;
/// Raise it with every change of the tables or of the records in them.
constexpr std::int64_t schema_version = 2;
/// The oldest version that is taken over. Tables that it lacks are empty, and columns that it lacks have defaults.
constexpr std::int64_t schema_version_oldest = 1;
constexpr const char* about_table = "about";
constexpr const char* total_name = "total";

std::string table_definition(const std::string& table) {
  return "CREATE TABLE " + table +
         "(key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID";
}

std::string about_definition() {
  return "CREATE TABLE about(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID";
}

std::string about_row(const char* name, const std::string& value) {
  return std::string("INSERT INTO about VALUES('") + name + "','" + value + "');";
}

/// All statements that make an empty ledger.
std::string creation(const LedgerOptions& options, const std::string& created) {
  std::string text = "PRAGMA journal_mode=WAL; BEGIN; PRAGMA application_id=" + std::to_string(application) +
                     "; PRAGMA user_version=" + std::to_string(schema_version) + ";";
  for (const std::string& table : options.tables) text += table_definition(table) + ";";
  text += about_definition() + ";";
  const std::uint64_t total =
      sum_of(about_table, "party", options.party) + sum_of(about_table, "created", created);
  text += about_row("party", options.party) + about_row("created", created);
  return text + about_row(total_name, std::to_string(total)) + "COMMIT;";
}

std::string build(const std::string& path, const LedgerOptions& options) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  const sqlite::Database database(opened);
  if (code == SQLITE_OK) ::chmod(path.c_str(), 0600);
  if (code == SQLITE_OK && sqlite::run(opened, creation(options, utc_text(wall_microseconds()))) == SQLITE_OK &&
      sqlite3_wal_checkpoint_v2(opened, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) == SQLITE_OK)
    return {};
  return "cannot make the ledger " + path + ": " + sqlite3_errmsg(opened);
}

std::int64_t pragma(sqlite3* database, const std::string& name) {
  sqlite::Statement statement(database, "PRAGMA " + name);
  return statement.step() == SQLITE_ROW ? statement.number(0) : -1;
}

std::string fault_of_pages(sqlite3* database) {
  sqlite::Statement statement(database, "PRAGMA quick_check(1)");
  if (statement.step() != SQLITE_ROW) return sqlite3_errmsg(database);
  return statement.text(0) == "ok" ? std::string() : std::string(statement.text(0));
}

/// How a table is defined; empty if there is none.
std::string definition_of(sqlite3* database, const std::string& table) {
  sqlite::Statement statement(database, "SELECT sql FROM sqlite_schema WHERE type='table' AND name=?");
  statement.bind(1, table);
  return statement.step() == SQLITE_ROW ? std::string(statement.text(0)) : std::string();
}

/// What is wrong with the schema, or empty: every definition must be ours. An older ledger may lack some tables.
std::string fault_of_schema(sqlite3* database, const LedgerOptions& options, bool is_older) {
  if (definition_of(database, about_table) != about_definition())
    return "the table \"about\" is missing or another";
  std::int64_t tables = 1;
  for (const std::string& table : options.tables) {
    const std::string definition = definition_of(database, table);
    if (definition.empty() && is_older) continue;
    if (definition != table_definition(table)) return "the table \"" + table + "\" is missing or another";
    ++tables;
  }
  sqlite::Statement count(database, "SELECT count(*) FROM sqlite_schema");
  if (count.step() != SQLITE_ROW || count.number(0) != tables) return "it has tables that are not a ledger's";
  return {};
}

/// Adds the sums of all rows of a table. The keys must ascend: a row out of order is there, but can't be found by its
/// key.
std::string add_rows(sqlite3* database, const std::string& table, std::uint64_t& total) {
  sqlite::Statement statement(database, "SELECT key, record, sum FROM " + table + " ORDER BY key");
  std::string before;
  int code = statement.step();
  for (bool first = true; code == SQLITE_ROW; code = statement.step(), first = false) {
    std::string key(statement.text(0));
    const std::string where = "table \"" + table + "\", key \"" + key + "\": ";
    if (statement.type(0) != SQLITE_TEXT || (!first && key <= before)) return where + "the keys are out of order";
    const std::uint64_t sum = sum_of(table, key, std::string(statement.text(1)));
    if (statement.type(2) != SQLITE_INTEGER || statement.number(2) != stored(sum))
      return where + "the row was changed";
    total += sum;
    before = std::move(key);
  }
  return code == SQLITE_DONE ? std::string() : std::string(sqlite3_errmsg(database));
}

std::string add_about(sqlite3* database, std::uint64_t& total) {
  sqlite::Statement statement(database, "SELECT name, value FROM about WHERE name <> 'total'");
  int code = statement.step();
  for (; code == SQLITE_ROW; code = statement.step())
    total += sum_of(about_table, std::string(statement.text(0)), std::string(statement.text(1)));
  return code == SQLITE_DONE ? std::string() : std::string(sqlite3_errmsg(database));
}

}  // namespace

std::uint64_t sum_of(const std::string& table, const std::string& key, const std::string& record) {
  return stable_hash(record, stable_hash("\n", stable_hash(key, stable_hash(table + "\n"))));
}

std::string make_ledger_file(const LedgerOptions& options) {
  std::error_code error;
  if (std::filesystem::exists(options.path, error)) return {};
  if (std::filesystem::exists(options.path + "-wal", error))
    return "the ledger " + options.path + " is gone, but " + options.path +
           "-wal is there: put both back, or move that away too, to start without them";
  const std::string beside = options.path + ".new";
  for (const char* const ending : {"", "-wal", "-shm", "-journal"}) std::remove((beside + ending).c_str());
  if (std::string fault = build(beside, options); !fault.empty()) return fault;
  return rename_synced(beside, options.path);
}

std::string fault_of_head(const std::string& path) {
  constexpr std::size_t head_bytes = 100;
  constexpr std::size_t write_version = 18, read_version = 19;
  constexpr char write_ahead = 2;
  const std::string head = read_head(path, head_bytes);
  if (head.size() < head_bytes || !head.starts_with(std::string_view("SQLite format 3\0", 16)))
    return "it doesn't begin as an SQLite file";
  if (head[write_version] != write_ahead || head[read_version] != write_ahead)
    return "its head says that it has no write-ahead log";
  return {};
}

std::string fault_of_version(sqlite3* database) {
  const std::int64_t version = pragma(database, "user_version");
  if (pragma(database, "application_id") != application || version < 1) return {};
  const std::string tables = " (version " + std::to_string(version) + " of its tables; this one knows " +
                             std::to_string(schema_version_oldest) + " to " + std::to_string(schema_version) + ")";
  if (version > schema_version) return "was made by a newer DMM" + tables + ": start that one again";
  if (version < schema_version_oldest)
    return "was made by a DMM too old" + tables + ": start one in between first";
  return {};
}

std::string fault_of_content(sqlite3* database, const LedgerOptions& options, std::uint64_t& total) {
  if (pragma(database, "application_id") != application) return "it is another program's";
  const std::int64_t version = pragma(database, "user_version");
  if (version < schema_version_oldest || version > schema_version) return "it has no version";
  if (std::string fault = fault_of_pages(database); !fault.empty()) return fault;
  if (std::string fault = fault_of_schema(database, options, version < schema_version); !fault.empty())
    return fault;
  total = 0;
  for (const std::string& table : options.tables)
    if (definition_of(database, table).empty())
      continue;
    else if (std::string fault = add_rows(database, table, total); !fault.empty())
      return fault;
  if (std::string fault = add_about(database, total); !fault.empty()) return fault;
  if (about(database, total_name) != std::to_string(total))
    return "its rows don't add up: some are missing, or from another time";
  return {};
}

std::string take_over_older(sqlite3* database, const LedgerOptions& options) {
  if (pragma(database, "user_version") == schema_version) return {};
  std::string text = "BEGIN IMMEDIATE; PRAGMA user_version=" + std::to_string(schema_version) + ";";
  for (const std::string& table : options.tables)
    if (definition_of(database, table).empty()) text += table_definition(table) + ";";
  if (sqlite::run(database, text + "COMMIT") == SQLITE_OK) return {};
  return "cannot write the ledger " + options.path + ": " + sqlite3_errmsg(database);
}

int write_version(sqlite3* database) {
  return sqlite::run(database, "PRAGMA user_version=" + std::to_string(schema_version));
}

std::string about(sqlite3* database, const std::string& name) {
  sqlite::Statement statement(database, "SELECT value FROM about WHERE name=?");
  statement.bind(1, name);
  return statement.step() == SQLITE_ROW ? std::string(statement.text(0)) : std::string();
}

}  // namespace dmm
