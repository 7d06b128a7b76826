// Ledgers of earlier versions of DMM, made here by SQL as they were on the disk. This version reads all their rows,
// with defaults for missing values. Rows of earlier layouts are never changed here: a new column, element or table must
// leave them readable.
#include <doctest/doctest.h>

#include "jobmgr/records.hpp"
#include "resmgr/records.hpp"
#include "runtime/ledger_file.hpp"
#include "runtime/ledger_rows.hpp"
#include "sitemgr/records.hpp"
#include "tests/runtime/ledger_stage.hpp"

namespace dmm::ledger_versions_test {
namespace {

struct RowText {
  std::string table, key, record;
};

/// A ledger as written by a program that knew only these tables.
void make_ledger(const LedgerFolder& folder, int version, const std::string& party,
                 const std::vector<std::string>& tables, const std::vector<RowText>& rows) {
  std::string text = "PRAGMA journal_mode=WAL; BEGIN; PRAGMA application_id=1145916748; PRAGMA user_version=" +
                     std::to_string(version) + ";";
  for (const std::string& table : tables)
    text += "CREATE TABLE " + table +
            "(key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;";
  text +=
      "CREATE TABLE about(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
      "INSERT INTO about VALUES('party','" +
      party + "');";
  std::uint64_t total = sum_of("about", "party", party);
  for (const RowText& row : rows) {
    const std::uint64_t sum = sum_of(row.table, row.key, row.record);
    total += sum;
    text += "INSERT INTO " + row.table + " VALUES('" + row.key + "','" + row.record + "'," +
            std::to_string(stored(sum)) + ");";
  }
  sql(folder.file(), text + "INSERT INTO about VALUES('total','" + std::to_string(total) + "'); COMMIT;");
}

/// Its rows, as a manager of this version reads them at its start.
template <class Record>
std::vector<Record> found_in(const LedgerFolder& folder, const std::string& party) {
  auto kept = open_kept<Record>(folder.path(), "graded", party);
  if (const auto* fault = std::get_if<std::string>(&kept)) FAIL(*fault);
  return std::get<Kept<Record>>(kept).rows;
}

template <class R, class Record>
const R& only(const std::vector<Record>& rows) {
  std::vector<const R*> found;
  for (const Record& row : rows)
    if (const auto* one = std::get_if<R>(&row)) found.push_back(one);
  REQUIRE(found.size() == 1);
  return *found[0];
}

const std::string group = R"([["a",2,"n"],"delft",[[3,4]],2,"",0])";
const std::string epochs = R"("lease":["a",[7,1]],"request":["b","ann",9,1])";

// ---- as version 1 wrote them ----

const RowText lease_1{
    "leases", "a#1@7",
    "{" + epochs + R"(,"part":0,"round":2,"state":1,"upstream":"","downstream":"b","nodes":[)" + group +
        R"(],"cleaning":[],"chain":["a","b"],"owner_ancestors":[],"blocks":[],"granted":1700000000000000,)"
        R"("handed_out":[],"processors":4,"processor_microseconds":0,"grace":0,"wanted":false,"detached":false})"};
const RowText usage_1{"usage", "5",
                      "{\"number\":5," + epochs +
                          R"(,"peer":"b","direction":1,"processors":4,"granted":1700000000000000,)"
                          R"("ended":1700000009000000,"processor_microseconds":36})"};
const RowText drained_1{"drained", "c", R"({"site":"c"})"};

const RowText fence_1{"fences", "3", R"({"node":3,"highest":[7,1]})"};
const RowText assignment_1{"assignments", "7.1",
                           R"({"lease":[7,1],"holder":"b","nodes":[[3,4]],"alone":true,"fenced":false})"};
const RowText task_1{
    "tasks", "b/ann/9#0",
    R"({"request":["b","ann",9,1],"component":0,"lease":[7,1],"nodes":[[3,4]],"state":1,"ordered":false,)"
    R"("process":17,"cause":null,"kill_at":"never","detached_until":"never",)"
    R"("outcome":[["b","ann",9,1],0,0,0,0,"",0,0,0,0,"",""]})"};
const RowText suspect_1{
    "suspects", "3",
    R"({"node":3,"jobs":[["b","ann",9,1]],"pause":600000000,"aside_until":"never","reason":"lost"})"};

const RowText job_1{
    "jobs", "9",
    R"({"number":9,"submitted":1700000000000000,"processors":4,)"
    R"("description":["",[["/bin/true"],"",[],[0,0,0,0,0]],[0,[[4,"",""]],1,0,[],[0,[]]],5,0,3,"","",true]})"};
const std::string progress_head =
    R"({"number":9,"state":2,"attempt":1,"reruns":0,"cancel_wanted":false,"outcome":0,"granted":1700000001000000,)"
    R"("started":1700000002000000,"ended":null,"wall":0,"exit_kind":null,"exit_code":0,"exit_fault":0,"text":"",)"
    R"("lease":["a",[7,1]],"chain":["a","b"],"clusters":["delft"],"origin":0,"tries":1,"nodes":[)" +
    group + R"(],"held":[)" + group +
    R"(],"asked":true,"grace":0,"tasks":[)"
    R"([["a",2,"n"],[[3,4]],2,false,false,true,0,null,0,0,"",0,0,0]])";
const RowText submission_1{"submissions", "cli#4", R"({"client":["b",3,"cli"],"token":4,"first_job":9,"jobs":1})"};

}  // namespace

TEST_CASE("ledger versions: a site manager's ledger of version 1 is read, and what it lacks has its defaults") {
  const LedgerFolder folder;
  make_ledger(folder, 1, "sitemgr a", {"leases", "usage", "drained"}, {lease_1, usage_1, drained_1});
  for (int start = 1; start <= 2; ++start) {  // the first start converts it
    const auto rows = found_in<SiteRecord>(folder, "sitemgr a");
    CHECK(rows.size() == 3);
    const auto& lease = only<LeaseRecord>(rows);
    CHECK(lease.processors == 4);
    CHECK(lease.nodes[0].nodes == NodeSet{{3, 4}});
    CHECK(lease.length == Duration{});
    CHECK(only<UsageRow>(rows).use.processor_microseconds == 36);
    CHECK(only<DrainRecord>(rows).site == SiteName("c"));
  }
  CHECK(sql(folder.file(), "PRAGMA user_version") == "2");
}

TEST_CASE(
    "ledger versions: a resource manager's ledger of version 1 is read, and what it lacks has its defaults") {
  const LedgerFolder folder;
  make_ledger(folder, 1, "resmgr a/n", {"fences", "assignments", "tasks", "suspects"},
              {fence_1, assignment_1, task_1, suspect_1});
  const auto rows = found_in<ResourceRecord>(folder, "resmgr a/n");
  CHECK(rows.size() == 4);
  CHECK(only<FenceRecord>(rows).highest == Epoch{7, 1});
  CHECK(only<FenceRecord>(rows).name == "");
  CHECK(only<AssignmentRecord>(rows).alone);
  CHECK(only<AssignmentRecord>(rows).user == "");
  CHECK(only<TaskRow>(rows).process == 17);
  CHECK(only<TaskRow>(rows).isolation.empty());
  CHECK_FALSE(only<TaskRow>(rows).outcome.gave_back);
  CHECK(only<SuspectRecord>(rows).suspect.users.size() == 1);
}

TEST_CASE("ledger versions: a job manager's ledger of version 1 is read, and what it lacks has its defaults") {
  const LedgerFolder folder;
  make_ledger(folder, 1, "jobmgr b/ann", {"jobs", "progress", "submissions"},
              {job_1, {"progress", "9", progress_head + "}"}, submission_1});
  const auto rows = found_in<JobManagerRecord>(folder, "jobmgr b/ann");
  CHECK(rows.size() == 3);
  CHECK(only<JobRecord>(rows).description.need.components[0].processors == 4);
  CHECK(only<JobRecord>(rows).description.keep_output);
  CHECK(only<ProgressRecord>(rows).components[0].nodes == NodeSet{{3, 4}});
  CHECK(only<ProgressRecord>(rows).round_trip == Duration{});
  CHECK(only<ProgressRecord>(rows).isolation.empty());
  CHECK(only<ProgressRecord>(rows).past_causes.empty());
  CHECK_FALSE(only<ProgressRecord>(rows).on_hold);
  CHECK(only<ProgressRecord>(rows).begin_at == never);
  CHECK(only<ProgressRecord>(rows).awaits.empty());
  CHECK(only<JobRecord>(rows).description.dependencies.empty());
  CHECK(only<SubmissionRecord>(rows).first_job == 9);
}

TEST_CASE("ledger versions: ledgers of version 2 of all managers are read") {
  const LedgerFolder site, nodes, jobs;
  RowText lease = lease_1, fence = fence_1, assignment = assignment_1, task = task_1;
  const auto add = [](RowText& row, const std::string& more) { row.record.insert(row.record.size() - 1, more); };
  add(lease, R"(,"term":30000000,"length":0,"round_trip":1000,"jobs":3)");
  make_ledger(site, 2, "sitemgr a", {"leases", "usage", "drained", "usage_totals", "offers", "reaches", "relays"},
              {lease,
               usage_1,
               drained_1,
               {"usage_totals", "1 b", R"({"peer":"b","direction":1,"leases":8,"processor_microseconds":99})"},
               {"offers", "n",
                R"({"manager":["a",2,"n"],"cluster":"delft","nodes":8,"processors_per_node":2,"memory_bytes":0,)"
                R"("attributes":[["arch","x86_64"]],"absent":[]})"},
               {"reaches", "b", R"({"site":"b","entries":[[true,[[0,[],4,4,0]]]]})"},
               {"relays", "b resmgr a/n", R"({"sink":"b","manager":["a",2,"n"]})"}});
  CHECK(found_in<SiteRecord>(site, "sitemgr a").size() == 7);
  add(fence, R"(,"name":"")");
  add(assignment, R"(,"user":"ann","patience":2000)");
  task.record.replace(task.record.size() - 2, 2, ",true]}");
  make_ledger(nodes, 2, "resmgr a/n", {"fences", "assignments", "tasks", "suspects", "nodes"},
              {fence, assignment, task, suspect_1, {"nodes", "3", R"({"node":3,"name":"node03"})"}});
  CHECK(found_in<ResourceRecord>(nodes, "resmgr a/n").size() == 5);
  make_ledger(jobs, 2, "jobmgr b/ann", {"jobs", "progress", "submissions"},
              {job_1, {"progress", "9", progress_head + R"(,"round_trip":1000})"}, submission_1});
  CHECK(found_in<JobManagerRecord>(jobs, "jobmgr b/ann").size() == 3);
}

TEST_CASE("ledger versions: an older copy is refused in words, and not where there is no later one") {
  const LedgerFolder folder;
  const auto fault_of_start = [&] {
    const auto kept = open_kept<SiteRecord>(folder.path(), "graded", "sitemgr a");
    const auto* fault = std::get_if<std::string>(&kept);
    return fault ? *fault : std::string();
  };
  REQUIRE(fault_of_start().empty());
  const std::string copy = folder.content("ledger.sqlite");
  REQUIRE(fault_of_start().empty());
  const std::string counted = folder.content("ledger-openings");
  CHECK(counted == "2\n");
  const auto restore = [&] {
    for (const char* const more : {"ledger.sqlite-wal", "ledger.sqlite-shm"})
      std::filesystem::remove(folder.file(more));
    folder.write("ledger.sqlite", copy);
  };
  restore();
  CHECK(fault_of_start().find("is an older copy: it counts 1 starts, and ") != std::string::npos);
  CHECK(folder.content("ledger-openings") == counted);
  // Moved away, it is begun again, and its number goes on.
  std::filesystem::remove(folder.file());
  CHECK(fault_of_start().empty());
  CHECK(folder.content("ledger-openings") == "3\n");
  // A crash between the two: the ledger is ahead.
  folder.write("ledger-openings", "2\n");
  CHECK(fault_of_start().empty());
  CHECK(folder.content("ledger-openings") == "4\n");
  // The administrator wants it nonetheless.
  restore();
  std::filesystem::remove(folder.file("ledger-openings"));
  CHECK(fault_of_start().empty());
}

}  // namespace dmm::ledger_versions_test
