// Records as JSON: every row of every manager comes back unchanged, and other text is refused with the column.
#include "runtime/record_json.hpp"

#include <doctest/doctest.h>

#include "jobmgr/records.hpp"
#include "resmgr/records.hpp"
#include "runtime/ledger_rows.hpp"
#include "runtime/log.hpp"
#include "sitemgr/records.hpp"
#include "tests/runtime/ledger_stage.hpp"
#include "workloads/random.hpp"

namespace dmm::record_json_test {
namespace {

/// Fills values of any type with random content.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : random_(seed) {}

  void fill(bool& value) { value = random_.below(2) == 0; }
  void fill(std::string& value) {
    value.clear();
    const bool any_bytes = random_.below(4) == 0;
    for (std::uint64_t i = random_.below(12); i > 0; --i)
      value += static_cast<char>(any_bytes ? random_.below(256) : 1 + random_.below(127));
    if (random_.below(8) == 0) value += "\xC3\xA4\xE2\x82\xAC";
  }
  void fill(ShortText& value) {
    std::string text;
    fill(text);
    value = text;
  }
  void fill(Duration& value) { value = {whole<std::int64_t>()}; }
  void fill(Instant& value) {
    value = random_.below(4) == 0 ? never : Instant{static_cast<std::int64_t>(random_.below(1ULL << 52))};
  }
  template <record_json::Number T>
  void fill(T& value) {
    value = whole<T>();
  }
  template <record_json::Enum T>
  void fill(T& value) {
    value = static_cast<T>(random_.below(5));
  }
  template <Named T>
  void fill(T& value) {
    fill(value.text);
  }
  template <class T>
  void fill(std::optional<T>& value) {
    value.reset();
    if (random_.below(2) == 0) fill(value.emplace());
  }
  void fill(NodeSet& nodes) {
    nodes.clear();
    std::uint32_t next = 0;
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      const auto first = next + static_cast<std::uint32_t>(random_.below(9));
      nodes.push_back({first, first + static_cast<std::uint32_t>(random_.below(9))});
      next = nodes.back().last + 2;
    }
  }
  template <List T>
  void fill(T& values) {
    values.clear();
    for (std::uint64_t i = random_.below(4); i > 0; --i) fill(values.emplace_back());
  }
  void fill(Attributes& map) {
    map.clear();
    std::string name;
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      fill(name);
      fill(map[name]);
    }
  }
  template <class T>
  requires(Struct<T> || LedgerRow<T>) void fill(T& value) {
    std::apply([&](auto&... element) { (fill(element), ...); }, T::fields(value));
  }

 private:
  template <class T>
  T whole() {
    const std::uint64_t any = random_.below(UINT64_MAX);
    return static_cast<T>(random_.below(2) == 0 ? any : any >> 40);
  }

  Random random_;
};

template <class R>
void check_round_trip() {
  static_assert(LedgerRow<R>);
  static_assert(R::columns.size() == std::tuple_size_v<decltype(R::fields(std::declval<R&>()))>);
  Filler filler(19);
  const Duration clock = seconds(1'700'000'000);
  R row, loaded;
  for (int i = 0; i < 300; ++i) {
    filler.fill(row);
    const std::string text = to_json(row, clock);
    CHECK(is_utf8(text));
    REQUIRE(from_json(text, clock, loaded) == "");
    CHECK(loaded.key() == row.key());
    CHECK(to_json(loaded, Duration{}) == to_json(row, Duration{}));
  }
}

TEST_CASE("record json: every kind of row comes back from JSON as it was") {
  check_round_trip<LeaseRecord>();
  check_round_trip<UsageRow>();
  check_round_trip<DrainRecord>();
  check_round_trip<JobRecord>();
  check_round_trip<ProgressRecord>();
  check_round_trip<SubmissionRecord>();
  check_round_trip<FenceRecord>();
  check_round_trip<AssignmentRecord>();
  check_round_trip<TaskRow>();
}

TEST_CASE("record json: a row is an object by column, and instants are wall time") {
  UsageRow row;
  row.number = 7;
  row.use = {.lease = {SiteName("a"), {1, 2}},
             .request = {SiteName("b"), "u\"1", 3, 1},
             .peer = SiteName("c"),
             .direction = UsageRecord::Direction::borrowed,
             .processors = 4,
             .granted = {5},
             .ended = never,
             .processor_microseconds = 6};
  CHECK(to_json(row, Duration{100}) ==
        R"({"number":7,"lease":["a",[1,2]],"request":["b","u\"1",3,1],"peer":"c","direction":1,"processors":4,)"
        R"("granted":105,"ended":"never","processor_microseconds":6})");
  CHECK(to_json(DrainRecord{SiteName("\xFF\n")}, {}) == R"({"site":{"hex":"ff0a"}})");
}

TEST_CASE("record json: a column that has its default is left out, and read as its default into any row") {
  ProgressRecord row;
  row.number = 3;
  CHECK(to_json(row, {}) == R"({"number":3})");
  CHECK(to_json(ProgressRecord{}, {}) == R"({"number":0})");  // the first column tells rows apart
  row.attempt = 0;
  row.exit_kind = EndKind{};
  row.lease.epoch.counter = 1;
  row.begin_at = {};
  row.nodes.emplace_back();
  const std::string text = to_json(row, Duration{50});
  for (const char* part : {R"("attempt":0)", R"("exit_kind":0)", R"("begin_at":50)"})
    CHECK(text.find(part) != std::string::npos);
  for (const char* part : {"lease", "nodes"})
    CHECK(text.find(std::string(1, '"') + part + '"') != std::string::npos);
  CHECK(text.find("chain") == std::string::npos);
  ProgressRecord loaded;
  Filler(7).fill(loaded);
  REQUIRE(from_json(text, Duration{50}, loaded) == "");
  CHECK(to_json(loaded, {}) == to_json(row, {}));
}

TEST_CASE("record json: what is no row is refused by column") {
  FenceRecord fence;
  const auto fault = [&](const char* text) { return from_json(text, {}, fence); };
  CHECK(fault(R"({"node":4294967295,"highest":[1,2],"more":[]})") == "");
  CHECK(fence.node == 4'294'967'295U);
  CHECK(fault(R"({"node":7})") == "");  // as written before there was a second column
  CHECK(fault("{") == "the record is no JSON object");
  CHECK(fault("[]") == "the record is no JSON object");
  CHECK(fault(R"({"highest":[1,2]})") == "column \"node\" is missing or holds something else");
  for (const char* bad : {"4294967296", "-1", "1.5", "\"1\"", "null", "true"})
    CHECK(fault((std::string(R"({"highest":[1,2],"node":)") + bad + "}").c_str()) ==
          "column \"node\" is missing or holds something else");
  for (const char* bad : {"[1,2,3]", "{}", "[1,[2]]", "2"})
    CHECK(fault((std::string(R"({"node":1,"highest":)") + bad + "}").c_str()) ==
          "column \"highest\" is missing or holds something else");
  AssignmentRecord assignment;
  CHECK(from_json(R"({"lease":[1,1],"holder":"a","nodes":[[3,2]],"alone":true,"fenced":false})", {}, assignment) ==
        "column \"nodes\" is missing or holds something else");
  TaskRow task;
  task.outcome.error = "none";
  std::string text = to_json(task, {});
  const std::size_t last = text.find(",false,0,false]", text.find("\"outcome\""));
  REQUIRE(last != std::string::npos);
  text.erase(last, std::string(",false,0,false").size());
  CHECK(from_json(text, {}, task) == "");  // as written before Ended had its last elements
  CHECK(task.outcome.error == "none");
  DrainRecord drain;
  for (const char* bad : {R"({"hex":"f"})", R"({"hex":"zz"})", R"({"hex":"ff","x":1})", "{}", "[]"})
    CHECK(from_json((std::string(R"({"site":)") + bad + "}"), {}, drain) != "");
}

TEST_CASE("record json: the rows of a machine are read at the next start, and an unreadable one is named") {
  const LedgerFolder folder;
  const std::string directory = std::filesystem::path(folder.file()).parent_path().string();
  const auto open = [&](const char* mode) { return open_kept<ResourceRecord>(directory, mode, "resmgr a/n"); };
  CHECK(std::get<Kept<ResourceRecord>>(open("off")).ledger == nullptr);
  {
    auto kept = open("full");
    REQUIRE(std::holds_alternative<Kept<ResourceRecord>>(kept));
    auto& [ledger, rows] = std::get<Kept<ResourceRecord>>(kept);
    CHECK(rows.empty());
    LedgerChanges<ResourceRecord> changes;
    changes.wanted = true;
    changes.put(FenceRecord{3, {1, 2}}, Grade::synced);
    changes.put(FenceRecord{4, {1, 2}});
    changes.put(AssignmentRecord{{1, 2}, SiteName("b"), {{3, 4}}, true, false});
    changes.erase(FenceRecord{4, {}});
    hand_over(changes, *ledger);
    CHECK(changes.list.empty());
    CHECK(changes.grade == Grade::synced);
    REQUIRE(ledger->commit(changes.grade) == CommitOutcome::done);
  }
  {
    auto kept = open("graded");
    REQUIRE(std::holds_alternative<Kept<ResourceRecord>>(kept));
    auto& [ledger, rows] = std::get<Kept<ResourceRecord>>(kept);
    REQUIRE(rows.size() == 2);
    CHECK(std::get<FenceRecord>(rows[0]).highest == Epoch{1, 2});
    CHECK(std::get<AssignmentRecord>(rows[1]).nodes == NodeSet{{3, 4}});
    ledger->put("fences", "9", R"({"node":9,"highest":7})");
    REQUIRE(ledger->commit(Grade::committed) == CommitOutcome::done);
  }
  CHECK(std::get<std::string>(open("graded")) ==
        "the ledger " + folder.file() +
            " can't be used: table \"fences\", key \"9\": column \"highest\" is missing or holds something else");
  CHECK(std::get<std::string>(open("off")).starts_with("there is a ledger, "));
}

}  // namespace
}  // namespace dmm::record_json_test
