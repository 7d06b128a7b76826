// The ledger on real files. Committed rows are found again, in whole batches, after any end of the process. Damage of
// any byte is found when the ledger is opened. A full disk loses nothing.
#include "runtime/ledger.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "tests/runtime/disk_stage.hpp"
#include "tests/runtime/ledger_stage.hpp"
#include "workloads/random.hpp"

namespace dmm::ledger_test {
namespace {

/// A row of some length that has the step of its last change and its place.
std::string record_of(std::uint64_t step, std::uint64_t place) {
  return "{\"step\":" + std::to_string(step) + ",\"text\":\"" +
         std::string((step * 31 + place * 17) % 300, static_cast<char>('a' + step % 26)) + "\"}";
}

/// Batch `step` of a history: puts some rows, changes one, and erases an old one. If `content` is given, it gets the
/// same changes.
void change(Ledger* ledger, LedgerContent* content, std::uint64_t step) {
  const auto put = [&](const char* table, const std::string& key, const std::string& record) {
    if (ledger != nullptr) ledger->put(table, key, record);
    if (content != nullptr) (*content)[table + ("/" + key)] = record;
  };
  put("leases", "always", record_of(step, 0));
  for (std::uint64_t i = 0; i < step % 4; ++i)
    put(i % 2 == 0 ? "leases" : "usage", "k" + std::to_string(step) + "-" + std::to_string(i), record_of(step, i));
  const std::string old = "k" + std::to_string(step / 2) + "-0";
  if (ledger != nullptr) ledger->erase("leases", old);
  if (content != nullptr) content->erase("leases/" + old);
}

Grade grade_of(std::uint64_t step) { return step % 3 == 0 ? Grade::synced : Grade::committed; }

LedgerContent content_after(std::uint64_t steps) {
  LedgerContent content;
  for (std::uint64_t step = 1; step <= steps; ++step) change(nullptr, &content, step);
  return content;
}

/// The step after which the ledger had this content, as its own row says; the content is checked.
std::uint64_t step_of(const LedgerContent& content) {
  const auto always = content.find("leases/always");
  if (always == content.end()) return content.empty() ? 0 : UINT64_MAX;
  const std::uint64_t step = std::stoull(always->second.substr(always->second.find(':') + 1));
  return content == content_after(step) ? step : UINT64_MAX;
}

TEST_CASE("ledger: what was committed is found again, and nothing else") {
  const LedgerFolder folder;
  for (const bool sync_all : {false, true}) {
    auto options = ledger_options(folder.file());
    options.sync_all = sync_all;
    {
      auto opened = Ledger::open(options);
      REQUIRE_MESSAGE(std::holds_alternative<std::unique_ptr<Ledger>>(opened), std::get<std::string>(opened));
      Ledger& ledger = *std::get<std::unique_ptr<Ledger>>(opened);
      CHECK(ledger.commit(Grade::synced) == CommitOutcome::done);  // of nothing
      ledger.put("leases", "b", "1");
      ledger.put("leases", "a", "2");
      ledger.put("leases", "b", "3");  // the last value counts
      ledger.put("usage", "gone", "4");
      CHECK(ledger.commit(Grade::committed) == CommitOutcome::done);
      ledger.erase("usage", "gone");
      ledger.erase("usage", "never there");
      CHECK(ledger.commit(Grade::synced) == CommitOutcome::done);
      ledger.put("leases", "c", "not committed");
    }
    CHECK(content_of(*open_ledger(folder.file())) == LedgerContent{{"leases/a", "2"}, {"leases/b", "3"}});
  }
}

TEST_CASE("ledger: it is refused if another process holds it, or if it is another manager's") {
  const LedgerFolder folder;
  const LedgerOptions options = ledger_options(folder.file());
  const std::string name = "the ledger " + folder.file();
  {
    const auto ledger = open_ledger(folder.file());
    CHECK(fault_of_open(options) == name + " is in use by another process");
  }
  CHECK(fault_of_open(options) == "none");
  LedgerOptions other = options;
  other.party = "sitemgr b";
  CHECK(fault_of_open(other) == name + " is that of sitemgr a, not of sitemgr b");
  other = options;
  other.tables = {"leases"};
  CHECK(fault_of_open(other) == name + " is damaged: it has tables that are not a ledger's");
  other.tables = {"leases", "usage", "drained"};
  CHECK(fault_of_open(other) == name + " is damaged: the table \"drained\" is missing or another");
  folder.write("ledger.sqlite", "");
  CHECK(fault_of_open(options) == name + " is damaged: it doesn't begin as an SQLite file");
  folder.clear();
  folder.write("ledger.sqlite-wal", "x");
  CHECK(fault_of_open(options).find(" is gone, but ") != std::string::npos);
  CHECK(fault_of_open(ledger_options(folder.file("no/folder"))).find("No such file") != std::string::npos);
}

TEST_CASE("ledger: the clock of its instants is the same in all processes of one start of the machine") {
  const LedgerFolder folder;
  CHECK_FALSE(open_ledger(folder.file())->is_of_this_boot());  // it was made just now
  const Duration clock = open_ledger(folder.file())->clock();
  usleep(2000);
  CHECK(open_ledger(folder.file())->clock() == clock);
  CHECK(open_ledger(folder.file())->is_of_this_boot());
}

TEST_CASE("ledger: what a crashed process left in the log is in the file before anything new is written") {
  const LedgerFolder before, after;
  {
    const auto ledger = open_ledger(before.file());
    for (std::uint64_t step = 1; step <= 5; ++step) {
      change(ledger.get(), nullptr, step);
      REQUIRE(ledger->commit(grade_of(step)) == CommitOutcome::done);
    }
    for (const char* const ending : {"", "-wal"})  // as it is if the process ends now
      std::filesystem::copy_file(before.file() + ending, after.file() + ending);
  }
  REQUIRE(std::filesystem::file_size(after.file() + "-wal") > 0);
  const auto ledger = open_ledger(after.file());
  CHECK(std::filesystem::file_size(after.file() + "-wal") == 0);
  CHECK(content_of(*ledger) == content_after(5));
}

TEST_CASE("ledger: people may read while the ledger is written, and hold up nothing") {
  const LedgerFolder folder;
  const auto ledger = open_ledger(folder.file());
  ledger->put("leases", "a", "1");
  REQUIRE(ledger->commit(Grade::committed) == CommitOutcome::done);
  CHECK(sql(folder.file(), "PRAGMA query_only=1; SELECT record FROM leases") == "1");
  ledger->put("leases", "a", "2");
  CHECK(ledger->commit(Grade::synced) == CommitOutcome::done);
}

/// Commits batches until it is killed; `told` says how far it came.
[[noreturn]] void write_for_ever(const std::string& path, std::uint64_t step, volatile std::uint64_t* told) {
  auto opened = Ledger::open(ledger_options(path));
  if (std::holds_alternative<std::string>(opened)) _exit(1);
  Ledger& ledger = *std::get<std::unique_ptr<Ledger>>(opened);
  for (;;) {
    change(&ledger, nullptr, ++step);
    if (ledger.commit(grade_of(step)) != CommitOutcome::done) _exit(2);
    *told = step;
  }
}

TEST_CASE("ledger: whenever the writer is killed, whole batches are left, and all committed ones") {
  const LedgerFolder folder;
  void* const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  auto* const told = static_cast<volatile std::uint64_t*>(shared);
  Random random(7);
  std::uint64_t step = 0;
  for (int round = 0; round < 25; ++round) {
    const pid_t child = fork();
    if (child == 0) write_for_ever(folder.file(), step, told);
    usleep(static_cast<useconds_t>(random.below(40'000)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const std::uint64_t found = step_of(content_of(*open_ledger(folder.file())));
    REQUIRE(found != UINT64_MAX);
    const std::uint64_t committed = std::max<std::uint64_t>(std::uint64_t{*told}, step);
    CHECK(found >= committed);
    CHECK(found <= committed + 1);
    step = found;
  }
  CHECK(step > 25);
  munmap(shared, 4096);
}

/// The two files of a ledger at one moment.
struct Snapshot {
  std::string file, log;
};

constexpr std::uint64_t history = 60;

/// As after a kill: some content is in the file, the rest in the log.
Snapshot snapshot_with_log() {
  const LedgerFolder folder;
  for (const std::uint64_t end : {history / 2, history}) {
    const auto ledger = open_ledger(folder.file());  // closing it moves everything into the file
    for (std::uint64_t step = end - history / 2 + 1; step <= end; ++step) {
      change(ledger.get(), nullptr, step);
      REQUIRE(ledger->commit(grade_of(step)) == CommitOutcome::done);
    }
    if (end == history) return {folder.content("ledger.sqlite"), folder.content("ledger.sqlite-wal")};
  }
  return {};
}

/// As after an orderly end.
Snapshot snapshot_without_log() {
  const LedgerFolder folder;
  {
    const auto ledger = open_ledger(folder.file());
    for (std::uint64_t step = 1; step <= history; ++step) {
      change(ledger.get(), nullptr, step);
      REQUIRE(ledger->commit(grade_of(step)) == CommitOutcome::done);
    }
  }
  return {folder.content("ledger.sqlite"), {}};
}

constexpr std::uint64_t refused = UINT64_MAX - 1;

/// How many steps of the history a ledger with these files has; `refused` if it reports damage.
std::uint64_t steps_in(const LedgerFolder& folder, const Snapshot& files) {
  folder.clear();
  folder.write("ledger.sqlite", files.file);
  if (!files.log.empty()) folder.write("ledger.sqlite-wal", files.log);
  auto opened = Ledger::open(ledger_options(folder.file()));
  if (const auto* fault = std::get_if<std::string>(&opened)) {
    CHECK(fault->find(folder.file()) != std::string::npos);
    return refused;
  }
  return step_of(content_of(*std::get<std::unique_ptr<Ledger>>(opened)));
}

struct Tally {
  int refused_ones = 0, whole = 0, prefix = 0;
  void add(std::uint64_t steps) {
    REQUIRE(steps != UINT64_MAX);  // rows that never existed together
    ++(steps == refused ? refused_ones : steps == history ? whole : prefix);
  }
};

std::filesystem::path quick_folder() {
  return access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm")
                                       : std::filesystem::temp_directory_path();
}

/// Opens the snapshot with one byte of its file or its log changed: each of the first `all_of` bytes, then one in each
/// stride.
Tally flip_bytes(const LedgerFolder& folder, const Snapshot& sound, std::string Snapshot::*part,
                 std::size_t all_of, std::uint64_t stride, Random& random) {
  Tally tally;
  for (std::size_t at = 0; at < (sound.*part).size(); at += at < all_of ? 1 : 1 + random.below(stride)) {
    Snapshot damaged = sound;
    char& byte = (damaged.*part)[at];
    byte = static_cast<char>(byte ^ static_cast<char>(1 + random.below(255)));
    CAPTURE(at);
    tally.add(steps_in(folder, damaged));
  }
  return tally;
}

Tally flip_in_log(const LedgerFolder& folder, const Snapshot& sound, std::uint64_t seed) {
  Random random(seed);
  return flip_bytes(folder, sound, &Snapshot::log, 100, 1500, random);
}

TEST_CASE("ledger: a byte that changed in the file is found, or it made no difference") {
  const LedgerFolder folder(quick_folder());
  Random random(11);
  for (const Snapshot& sound : {snapshot_without_log(), snapshot_with_log()}) {
    REQUIRE(steps_in(folder, sound) == history);
    const Tally tally = flip_bytes(folder, sound, &Snapshot::file, 400, 60, random);
    MESSAGE("bytes of the file: ", tally.refused_ones, " refused, ", tally.whole, " no difference, ", tally.prefix,
            " earlier");
    CHECK(tally.prefix == 0);
    CHECK(tally.refused_ones > 10);  // few if the log has newer pages
  }
}

TEST_CASE("ledger: a byte that changed in the log leaves what was committed before, or is found") {
  const LedgerFolder folder(quick_folder());
  const Snapshot sound = snapshot_with_log();
  const Tally tally = flip_in_log(folder, sound, 13);
  MESSAGE("bytes of the log: ", tally.refused_ones, " refused, ", tally.whole, " no difference, ", tally.prefix,
          " earlier");
  CHECK(tally.prefix > 0);
}

TEST_CASE("ledger: a byte that changed in a log that the file already contains mixes nothing up") {
  const LedgerFolder folder(quick_folder());
  Snapshot sound = snapshot_with_log();
  folder.write("ledger.sqlite", sound.file);
  folder.write("ledger.sqlite-wal", sound.log);
  sql(folder.file(), "PRAGMA wal_checkpoint");
  sound.file = folder.content("ledger.sqlite");  // as after a kill between the checkpoint and the next commit
  REQUIRE(steps_in(folder, sound) == history);
  const Tally tally = flip_in_log(folder, sound, 23);
  MESSAGE("bytes of an old log: ", tally.refused_ones, " refused, ", tally.whole, " no difference, ", tally.prefix,
          " earlier");
  CHECK(tally.refused_ones > 0);
}

TEST_CASE("ledger: a file that was cut is found, and a log that was cut leaves what was committed before") {
  const LedgerFolder folder(quick_folder());
  const Snapshot without = snapshot_without_log(), with = snapshot_with_log();
  Random random(17);
  for (std::size_t length = 0; length < without.file.size(); length += 1 + random.below(300)) {
    CAPTURE(length);
    CHECK(steps_in(folder, {without.file.substr(0, length), {}}) == refused);
  }
  Tally tally;
  for (std::size_t length = 0; length < with.log.size(); length += 1 + random.below(2000)) {
    CAPTURE(length);
    tally.add(steps_in(folder, {with.file, with.log.substr(0, length)}));
  }
  CHECK(tally.refused_ones == 0);
  CHECK(tally.whole == 0);
}

TEST_CASE("ledger: a row that was changed, lost or added by hand is found") {
  const LedgerFolder folder;
  const Snapshot sound = snapshot_without_log();
  for (const char* const change :
       {"DELETE FROM usage WHERE key='k7-1'", "UPDATE leases SET record='{}' WHERE key='always'",
        "INSERT INTO usage SELECT 'x', record, sum FROM usage WHERE key='k7-1'", "DELETE FROM leases",
        "UPDATE about SET value='sitemgr b' WHERE name='party'", "UPDATE about SET value='1' WHERE name='clock'",
        "CREATE TABLE mine(x)", "DROP TABLE usage", "PRAGMA application_id=1"}) {
    folder.clear();
    folder.write("ledger.sqlite", sound.file);
    sql(folder.file(), change);
    CAPTURE(change);
    CHECK(
        fault_of_open(ledger_options(folder.file())).starts_with("the ledger " + folder.file() + " is damaged: "));
  }
}

TEST_CASE("ledger: one of a later version is called that, and not damaged") {
  const LedgerFolder folder;
  folder.write("ledger.sqlite", snapshot_without_log().file);
  sql(folder.file(), "PRAGMA user_version=9; CREATE TABLE of_then(x)");
  const std::string fault = fault_of_open(ledger_options(folder.file()));
  CHECK(fault == "the ledger " + folder.file() +
                     " was made by a newer DMM (version 9 of its tables; this one knows "
                     "1 to 2): start that one again");
  sql(folder.file(), "PRAGMA user_version=0");
  CHECK(fault_of_open(ledger_options(folder.file())).ends_with(" is damaged: it has no version"));
}

TEST_CASE("ledger: one of an earlier version is taken over, with what it lacks") {
  const LedgerFolder folder;
  const Snapshot sound = snapshot_without_log();
  folder.write("ledger.sqlite", sound.file);
  LedgerOptions options = ledger_options(folder.file());
  sql(folder.file(), "PRAGMA user_version=1");
  options.tables.push_back("added");
  auto opened = Ledger::open(options);
  REQUIRE(std::holds_alternative<std::unique_ptr<Ledger>>(opened));
  Ledger& ledger = *std::get<std::unique_ptr<Ledger>>(opened);
  CHECK(std::get<0>(ledger.rows("added")).empty());
  CHECK_FALSE(std::get<0>(ledger.rows("leases")).empty());
  ledger.put("added", "a", "{}");
  CHECK(ledger.commit(Grade::synced) == CommitOutcome::done);
}

TEST_CASE("ledger: on a full disk a batch waits, and is committed as soon as there is room") {
  const LedgerFolder folder;
  WatchedDisk disk(folder.path());
  std::uint64_t step = 0;
  {
    const auto ledger = open_ledger(folder.file());
    for (; step < 5; change(ledger.get(), nullptr, ++step))
      REQUIRE(ledger->commit(Grade::synced) == CommitOutcome::done);
    ledger->put("usage", "long", std::string(40'000, 'x'));  // more than what is left of the log's room
    disk.fill();
    for (int i = 0; i < 3; ++i) {
      CHECK(ledger->commit(Grade::committed) == CommitOutcome::stalled);
      CHECK(ledger->fault().starts_with("cannot write the ledger " + folder.file() + ": "));
    }
    disk.make_room();
    CHECK(ledger->commit(Grade::committed) == CommitOutcome::done);
    ledger->erase("usage", "long");
    CHECK(ledger->commit(Grade::synced) == CommitOutcome::done);
    CHECK(content_of(*ledger) == content_after(step));
  }
  CHECK(content_of(*open_ledger(folder.file())) == content_after(step));
  disk.fill();
  CHECK(fault_of_open(ledger_options(folder.file("other"))).find("full") != std::string::npos);
  CHECK(fault_of_open(ledger_options(folder.file())).find("damaged") == std::string::npos);
}

TEST_CASE("ledger: on a disk that fills up again and again nothing is lost") {
  const LedgerFolder folder;
  WatchedDisk disk(folder.path());
  int stalls = 0;
  std::uint64_t step = 0;
  for (int round = 0; round < 10; ++round) {
    const auto ledger = open_ledger(folder.file());
    disk.fill(40'960);
    for (int i = 0; i < 12; ++i) {
      change(ledger.get(), nullptr, ++step);
      for (int tries = 1; ledger->commit(grade_of(step)) != CommitOutcome::done; ++tries, ++stalls) {
        CAPTURE(ledger->fault());
        REQUIRE(tries < 10);
        if (tries == 3) disk.make_room();
      }
    }
    disk.make_room();
    REQUIRE(step_of(content_of(*ledger)) == step);
  }
  CHECK(stalls > 5);
}

TEST_CASE("ledger: what has to survive the machine is synced before its commit is over") {
  const std::string synced = "synced ledger.sqlite-wal";
  for (const bool sync_all : {false, true}) {
    const LedgerFolder folder;
    WatchedDisk disk(folder.path());
    auto options = ledger_options(folder.file());
    options.sync_all = sync_all;
    auto opened = Ledger::open(options);
    REQUIRE(std::holds_alternative<std::unique_ptr<Ledger>>(opened));
    Ledger& ledger = *std::get<std::unique_ptr<Ledger>>(opened);
    int step = 0;
    for (const Grade grade : {Grade::committed, Grade::synced, Grade::committed, Grade::synced}) {
      disk.forget_notes();
      ledger.put("leases", "a", std::to_string(++step));
      REQUIRE(ledger.commit(grade) == CommitOutcome::done);
      note("committed");
      CAPTURE(sync_all);
      CHECK(in_order(disk.notes(), "wrote ledger.sqlite-wal", {"committed"}));
      CHECK(in_order(disk.notes(), "wrote ledger.sqlite-wal", {synced, "committed"}) ==
            (sync_all || grade == Grade::synced));
    }
  }
}

TEST_CASE("ledger: what was committed before, and is said again to be synced, is synced") {
  const LedgerFolder folder;
  WatchedDisk disk(folder.path());
  const auto ledger = open_ledger(folder.file());
  const auto syncs = [&](Grade grade) {
    disk.forget_notes();
    ledger->put("leases", "a", "1");
    REQUIRE(ledger->commit(grade) == CommitOutcome::done);
    return in_order(disk.notes(), "synced ledger.sqlite-wal", {});
  };
  CHECK_FALSE(syncs(Grade::committed));
  CHECK(syncs(Grade::synced));
  CHECK_FALSE(syncs(Grade::synced));  // by now it is
}

TEST_CASE("ledger: a new one is on the disk before it has its name, and its name before it is used") {
  const LedgerFolder folder;
  const WatchedDisk disk(folder.path());
  const auto ledger = open_ledger(folder.file());
  const auto notes = disk.notes();
  const auto renamed = std::find(notes.begin(), notes.end(), "renamed ledger.sqlite");
  REQUIRE(notes.end() - renamed > 1);
  CHECK(renamed[-1] == "synced ledger.sqlite.new");
  CHECK(renamed[1] == "synced " + std::filesystem::path(folder.path()).filename().string());
}

TEST_CASE("ledger: after a sync that failed nothing is committed any more") {
  const LedgerFolder folder;
  WatchedDisk disk(folder.path());
  {
    const auto ledger = open_ledger(folder.file());
    change(ledger.get(), nullptr, 1);
    REQUIRE(ledger->commit(Grade::synced) == CommitOutcome::done);
    disk.break_syncs();
    change(ledger.get(), nullptr, 2);
    CHECK(ledger->commit(Grade::synced) == CommitOutcome::failed);
    CHECK(ledger->fault().starts_with("cannot write the ledger " + folder.file() + ": "));
    disk.repair();
    CHECK(ledger->commit(Grade::synced) == CommitOutcome::failed);
  }
  const std::uint64_t left = step_of(content_of(*open_ledger(folder.file())));
  CHECK((left == 1 || left == 2));  // whole, either way
  disk.break_syncs();
  CHECK(fault_of_open(ledger_options(folder.file("other"))).starts_with("cannot make the ledger "));
}

}  // namespace
}  // namespace dmm::ledger_test
