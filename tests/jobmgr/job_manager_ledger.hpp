// A ledger for the tests of the job manager: applies the changes of each step and compares the result with the rows
// that the job manager says it must hold. Knows what remains after the end of the process, and what after the end of
// the machine.
#pragma once

#include <doctest/doctest.h>

#include <map>

#include "jobmgr/job_manager.hpp"

namespace dmm::job_ledger {

// A value as text, element by element, for comparisons: messages and rows have no other equality.
inline void say(std::string& out, const std::string& text) { out += text + '\''; }
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void say(std::string& out, T value) { out += std::to_string(static_cast<std::int64_t>(value)) + ','; }
inline void say(std::string& out, Duration length) { say(out, length.microseconds); }
inline void say(std::string& out, Instant at) { say(out, at.microseconds); }
template <class Tag>
void say(std::string& out, const Name<Tag>& name) {
  say(out, name.text);
}
template <class T>
requires requires(const T& value) { T::fields(value); }
void say(std::string& out, const T& value);
template <class A, class B>
void say(std::string& out, const std::pair<A, B>& pair);
template <class T>
void say(std::string& out, const std::optional<T>& value);
template <class T>
requires requires(const T& list) {
  list.begin();
} &&(!std::is_same_v<T, std::string>)void say(std::string& out, const T& list) {
  out += '[';
  for (const auto& element : list) say(out, element);
  out += ']';
}
template <class A, class B>
void say(std::string& out, const std::pair<A, B>& pair) {
  say(out, pair.first);
  say(out, pair.second);
}
template <class T>
void say(std::string& out, const std::optional<T>& value) {
  out += value ? '=' : '-';
  if (value) say(out, *value);
}
template <class T>
requires requires(const T& value) { T::fields(value); }
void say(std::string& out, const T& value) {
  std::apply([&](const auto&... element) { (say(out, element), ...); }, T::fields(value));
}

class Ledger {
 public:
  using Rows = std::map<std::string, JobManagerRecord>;

  /// `every`: one step in this many has a full comparison, which walks all rows.
  explicit Ledger(std::uint64_t every = 1) : every_(every) {}

  /// Takes the changes of a step, and checks that nothing is missing.
  void take(LedgerChanges<JobManagerRecord>& changes, const JobManager& manager) {
    for (auto& [record, erased] : changes.list)
      if (erased)
        committed_.erase(key_of(record));
      else
        committed_.insert_or_assign(key_of(record), record);
    if (changes.grade == Grade::synced) synced_ = committed_;
    changes.clear();
    if (++steps_ % every_ == 0) compare(manager);
  }
  void compare(const JobManager& manager) const {
    REQUIRE(difference(as_text(committed_), as_text(rows_of(manager))) == "");
  }
  std::vector<JobManagerRecord> after_the_process() const { return list(committed_); }
  /// After the end of the machine: changes that were only committed are lost, and the rest is the ledger.
  std::vector<JobManagerRecord> after_the_machine() {
    committed_ = synced_;
    return list(committed_);
  }
  /// The progress of a job after the end of the machine; nullptr if the job isn't there.
  const ProgressRecord* synced(std::uint64_t job) const {
    ProgressRecord row;
    row.number = job;
    const auto it = synced_.find(key_of(row));
    return it == synced_.end() ? nullptr : &std::get<ProgressRecord>(it->second);
  }

 private:
  static std::string key_of(const JobManagerRecord& record) {
    return std::visit([](const auto& row) { return std::string(row.table) + '/' + row.key(); }, record);
  }
  static Rows rows_of(const JobManager& manager) {
    Rows rows;
    for (JobManagerRecord& record : manager.records()) {
      std::string key = key_of(record);
      REQUIRE(rows.emplace(std::move(key), std::move(record)).second);
    }
    return rows;
  }
  using Texts = std::map<std::string, std::string>;
  static Texts as_text(const Rows& rows) {
    Texts texts;
    for (const auto& [key, record] : rows) std::visit([&](const auto& row) { say(texts[key], row); }, record);
    return texts;
  }
  static std::string difference(const Texts& ledger, const Texts& manager) {
    for (const auto& [key, text] : manager)
      if (const auto it = ledger.find(key); it == ledger.end() || it->second != text)
        return key + (it == ledger.end() ? " is missing" : ": " + it->second + " should be " + text);
    for (const auto& [key, text] : ledger)
      if (!manager.contains(key)) return key + " is left over";
    return {};
  }
  static std::vector<JobManagerRecord> list(const Rows& rows) {
    std::vector<JobManagerRecord> records;
    for (const auto& [key, record] : rows) records.push_back(record);
    return records;
  }

  Rows committed_, synced_;
  std::uint64_t every_ = 1;
  std::uint64_t steps_ = 0;
};

}  // namespace dmm::job_ledger
