// The file of a ledger before it is used: it is made as a whole, or checked as a whole. Internal to ledger.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/ledger_options.hpp"
#include "runtime/sqlite.hpp"

namespace dmm {

/// The value of `sum` in a row: FNV-1a of table, key and record, each but the last followed by an end of line.
std::uint64_t sum_of(const std::string& table, const std::string& key, const std::string& record);

/// A sum as the integer that SQLite stores.
inline std::int64_t stored(std::uint64_t sum) { return static_cast<std::int64_t>(sum); }

/// Makes the file with its tables and no rows, if there is none. An error text, or empty.
std::string make_ledger_file(const LedgerOptions& options);

/// What is wrong with the first bytes, or empty. SQLite would take some damage there for another kind of file.
std::string fault_of_head(const std::string& path);

/// Which other version made the file, or empty: this version can read it, or it is no ledger.
std::string fault_of_version(sqlite3* database);

/// Reads and compares everything. What is wrong, or empty; then `total` is the sum of all rows.
std::string fault_of_content(sqlite3* database, const LedgerOptions& options, std::uint64_t& total);

/// Makes the tables that a ledger of an earlier version lacks. An error text, or empty.
std::string take_over_older(sqlite3* database, const LedgerOptions& options);

/// Writes the version of its tables again, as a commit by itself. Returns a code of SQLite.
int write_version(sqlite3* database);

/// The value of a row of `about`; empty if there is none.
std::string about(sqlite3* database, const std::string& name);

}  // namespace dmm
