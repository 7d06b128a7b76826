// A folder for the ledgers of one test, and the content of a ledger as a value to compare.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "runtime/ledger.hpp"
#include "runtime/sqlite.hpp"

namespace dmm {

/// Removed with all its files when the object goes.
class LedgerFolder {
 public:
  explicit LedgerFolder(std::filesystem::path below = std::filesystem::temp_directory_path())
      : path_(below / ("dmm-ledger-" + std::to_string(getpid()) + "-" + std::to_string(++made))) {
    std::filesystem::create_directories(path_);
  }
  ~LedgerFolder() { std::filesystem::remove_all(path_); }
  LedgerFolder(const LedgerFolder&) = delete;
  LedgerFolder& operator=(const LedgerFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string file(const std::string& name = "ledger.sqlite") const { return (path_ / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
  }
  /// Drops everything written so far.
  void clear() const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove(entry.path());
  }

 private:
  inline static int made = 0;
  std::filesystem::path path_;
};

/// Runs SQL on a file with SQLite itself; it must succeed. Returns the first value of the first row, as text.
inline std::string sql(const std::string& path, const std::string& text) {
  sqlite3* opened = nullptr;
  REQUIRE(sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) ==
          SQLITE_OK);
  const sqlite::Database database(opened);
  std::string first;
  const auto keep = [](void* kept, int, char** values, char**) {
    if (auto* const value = static_cast<std::string*>(kept); value->empty() && values[0] != nullptr)
      *value = values[0];
    return 0;
  };
  const int code = sqlite3_exec(opened, text.c_str(), keep, &first, nullptr);
  REQUIRE_MESSAGE(code == SQLITE_OK, sqlite3_errmsg(opened));
  return first;
}

/// From "table/key" to the record.
using LedgerContent = std::map<std::string, std::string>;

inline LedgerOptions ledger_options(const std::string& path) {
  return {path, "sitemgr a", {"leases", "usage"}, false};
}

inline std::unique_ptr<Ledger> open_ledger(const std::string& path) {
  auto opened = Ledger::open(ledger_options(path));
  if (const auto* fault = std::get_if<std::string>(&opened)) FAIL(*fault);
  return std::move(std::get<std::unique_ptr<Ledger>>(opened));
}

inline std::string fault_of_open(const LedgerOptions& options) {
  const auto opened = Ledger::open(options);
  const auto* fault = std::get_if<std::string>(&opened);
  return fault != nullptr ? *fault : "none";
}

inline LedgerContent content_of(Ledger& ledger) {
  LedgerContent content;
  for (const char* const table : {"leases", "usage"}) {
    const auto rows = ledger.rows(table);
    if (const auto* fault = std::get_if<std::string>(&rows)) FAIL(*fault);
    for (const LedgerRowText& row : std::get<0>(rows)) content[table + ("/" + row.key)] = row.record;
  }
  return content;
}

}  // namespace dmm
