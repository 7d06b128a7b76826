// The rows of one manager in its ledger: read at the start, changed after each step. `Record` is a variant of rows.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "manager/ledger.hpp"
#include "runtime/files.hpp"
#include "runtime/ledger.hpp"
#include "runtime/record_json.hpp"

namespace dmm {

template <class Record>
struct RecordTables;
template <class... Rows>
struct RecordTables<std::variant<Rows...>> {
  static std::vector<std::string> names() { return {std::string(Rows::table)...}; }
};

/// Adds all rows of kind R. What is wrong, naming file, table, key and column; empty if nothing is.
template <class R, class Record>
std::string load_table(Ledger& ledger, std::vector<Record>& records) {
  auto read = ledger.rows(R::table);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  for (const LedgerRowText& text : std::get<std::vector<LedgerRowText>>(read)) {
    R row;
    std::string fault = from_json(text.record, ledger.clock(), row);
    if (fault.empty() && row.key() != text.key) fault = "the record is that of \"" + row.key() + "\"";
    if (!fault.empty())
      return "the ledger " + ledger.path() + " can't be used: table \"" + std::string(R::table) + "\", key \"" +
             text.key + "\": " + fault;
    records.emplace_back(std::move(row));
  }
  return {};
}

template <class Record, std::size_t... index>
std::string load_tables(Ledger& ledger, std::vector<Record>& records, std::index_sequence<index...>) {
  std::string fault;
  const auto add = [&](std::string found) { return (fault = std::move(found)).empty(); };
  static_cast<void>((add(load_table<std::variant_alternative_t<index, Record>>(ledger, records)) && ...));
  return fault;
}

/// All rows, kind by kind, ordered by key as text; or an error text.
template <class Record>
std::variant<std::vector<Record>, std::string> load(Ledger& ledger) {
  std::vector<Record> records;
  std::string fault = load_tables(ledger, records, std::make_index_sequence<std::variant_size_v<Record>>());
  if (!fault.empty()) return fault;
  return records;
}

/// Hands the changes to the ledger, for its next commit; their grade is kept.
template <class Record>
void hand_over(LedgerChanges<Record>& changes, Ledger& ledger) {
  for (const auto& change : changes.list)
    std::visit(
        [&](const auto& row) {
          if (change.erased)
            ledger.erase(row.table, row.key());
          else
            ledger.put(row.table, row.key(), to_json(row, ledger.clock()));
        },
        change.record);
  changes.list.clear();
}

/// A ledger and what was in it when it was opened.
template <class Record>
struct Kept {
  std::unique_ptr<Ledger> ledger;  ///< nullptr if none is kept
  std::vector<Record> rows;
};

/// Opens the ledger of a manager in its directory. The configuration says how it is kept: "graded", "full" or "off".
template <class Record>
std::variant<Kept<Record>, std::string> open_kept(const std::string& directory, const std::string& mode,
                                                  const std::string& party) {
  Kept<Record> kept;
  const std::string path = directory + "/ledger.sqlite";
  if (directory.empty()) return kept;
  if (mode == "off") {
    if (read_head(path, 1).empty()) return kept;
    return "there is a ledger, " + path + ", which would soon be wrong: move it away to keep none";
  }
  auto opened = Ledger::open({path, party, RecordTables<Record>::names(), mode == "full"});
  if (auto* fault = std::get_if<std::string>(&opened)) return std::move(*fault);
  kept.ledger = std::move(std::get<std::unique_ptr<Ledger>>(opened));
  if (std::string fault = kept.ledger->count_opening(directory + "/ledger-openings"); !fault.empty()) return fault;
  auto rows = load<Record>(*kept.ledger);
  if (auto* fault = std::get_if<std::string>(&rows)) return std::move(*fault);
  kept.rows = std::move(std::get<std::vector<Record>>(rows));
  return kept;
}

}  // namespace dmm
