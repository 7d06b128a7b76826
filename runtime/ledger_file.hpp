// The file of a ledger before it is used: made as a whole, or checked as a whole. Internal to ledger.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/ledger.hpp"
#include "runtime/sqlite.hpp"

namespace dmm {

/// What `sum` of a row must be: FNV-1a of table, key and record, each but the last followed by an end of line.
std::uint64_t sum_of(const std::string& table, const std::string& key, const std::string& record);

/// How an integer of SQLite holds a sum.
inline std::int64_t stored(std::uint64_t sum) { return static_cast<std::int64_t>(sum); }

/// Makes the file with its tables and no rows, if there is none. An error text, or empty.
std::string make_ledger_file(const LedgerOptions& options);

/// Whether it is a ledger at all, by its first bytes; SQLite would take some damage there for another kind of file.
std::string fault_of_head(const std::string& path);

/// Whether a program of another version made it, and which; empty if this one can read it, or if it is no ledger.
std::string fault_of_version(sqlite3* database);

/// Reads everything and compares. What is wrong, or empty; then `total` is the sum of all rows.
std::string fault_of_content(sqlite3* database, const LedgerOptions& options, std::uint64_t& total);

/// Makes what a ledger of an earlier version lacks. An error text, or empty.
std::string take_over_older(sqlite3* database, const LedgerOptions& options);

/// Writes the version of its tables once more, as a commit of its own; a code of SQLite.
int write_version(sqlite3* database);

/// The value of a row of `about`; empty if there is none.
std::string about(sqlite3* database, const std::string& name);

}  // namespace dmm
