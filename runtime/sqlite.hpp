// The few calls of SQLite that the ledger uses, with the lifetimes of C++. Internal to ledger.cpp and ledger_file.cpp.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dmm::sqlite {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, Close>;

/// A prepared statement. Bound values must live until the next `reset`.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* database, const std::string& text) {
    sqlite3_stmt* prepared = nullptr;
    sqlite3_prepare_v3(database, text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
    statement_.reset(prepared);
  }

  /// False if it could not be prepared; the database has the error.
  bool ready() const { return statement_ != nullptr; }
  void bind(int place, std::string_view text) {
    sqlite3_bind_text(statement_.get(), place, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int place, std::int64_t number) { sqlite3_bind_int64(statement_.get(), place, number); }
  int step() { return sqlite3_step(statement_.get()); }
  /// For statements without rows: runs it to its end.
  int run() {
    const int code = step();
    reset();
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
  }
  void reset() { sqlite3_reset(statement_.get()); }

  int type(int column) const { return sqlite3_column_type(statement_.get(), column); }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  std::string_view text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

inline int run(sqlite3* database, const std::string& text) {
  return sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr);
}

}  // namespace dmm::sqlite
