// The cost of keeping changes: rows of leases are made into text and committed in batches, with either grade, and with
// both in turn. Also the cost of opening a ledger of many rows. The ledger is in the folder of temporary files, or in
// DMM_BENCH_LEDGER, on a disk.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "runtime/ledger_rows.hpp"
#include "sitemgr/records.hpp"

namespace dmm {
namespace {

/// A ledger in a folder of its own, which is removed with the object.
class Place {
 public:
  Place() {
    const char* const wanted = std::getenv("DMM_BENCH_LEDGER");
    folder_ = wanted != nullptr ? std::filesystem::path(wanted) : std::filesystem::temp_directory_path();
    folder_ /= "dmm-ledger-bench-" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Place() { std::filesystem::remove_all(folder_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Kept<SiteRecord> open() const {
    auto kept = open_kept<SiteRecord>(folder_.string(), "graded", "sitemgr das-3");
    if (const auto* fault = std::get_if<std::string>(&kept)) {
      std::fprintf(stderr, "%s\n", fault->c_str());
      std::exit(1);
    }
    return std::move(std::get<Kept<SiteRecord>>(kept));
  }

 private:
  std::filesystem::path folder_;
};

LeaseRecord lease(std::uint64_t number) {
  LeaseRecord row;
  row.id = {SiteName("das-3"), {1'763'700'000'000, number}};
  row.request = {SiteName("das-0"), "alice", number, 1};
  row.state = LeaseState::active;
  row.downstream = SiteName("das");
  row.nodes = {{.resource_manager = resource_manager_of(SiteName("das-3"), "nodes"),
                .cluster = ClusterName("nodes"),
                .nodes = {{16, 23}},
                .endpoint = "tcp://das-3.example.org:7701"}};
  row.chain = {SiteName("das-3"), SiteName("das"), SiteName("das-0")};
  row.owner_ancestors = {SiteName("das")};
  row.processors = 8;
  return row;
}

/// Each batch puts new rows and erases those of the batch before the last, as a site's leases come and go.
void commit(benchmark::State& state, bool synced, bool in_turn) {
  const Place place;
  const Kept<SiteRecord> kept = place.open();
  const auto batch = static_cast<std::uint64_t>(state.range(0));
  LedgerChanges<SiteRecord> changes;
  changes.wanted = true;
  std::uint64_t number = 0;
  bool now_synced = synced;
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < batch; ++i) {
      changes.put(lease(++number));
      if (number > 2 * batch) changes.erase(lease(number - 2 * batch));
    }
    if (in_turn) now_synced = !now_synced;
    hand_over(changes, *kept.ledger);
    if (kept.ledger->commit(now_synced ? Grade::synced : Grade::committed) != CommitOutcome::done)
      return state.SkipWithError(kept.ledger->fault().c_str());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(number));
}

void encode(benchmark::State& state) {
  const LeaseRecord row = lease(4'711);
  for (auto _ : state) benchmark::DoNotOptimize(to_json(row, {}));
  state.counters["bytes"] = static_cast<double>(to_json(row, {}).size());
}

void open(benchmark::State& state) {
  const Place place;
  {
    const Kept<SiteRecord> kept = place.open();
    LedgerChanges<SiteRecord> changes;
    changes.wanted = true;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(state.range(0)); ++i) changes.put(lease(i));
    hand_over(changes, *kept.ledger);
    kept.ledger->commit(Grade::synced);
  }
  for (auto _ : state) benchmark::DoNotOptimize(place.open().rows.size());
}

BENCHMARK(encode);
BENCHMARK_CAPTURE(commit, committed, false, false)->Arg(1)->Arg(10)->Arg(100)->UseRealTime();
BENCHMARK_CAPTURE(commit, synced, true, false)->Arg(1)->Arg(10)->Arg(100)->UseRealTime();
BENCHMARK_CAPTURE(commit, in_turn, false, true)->Arg(1)->UseRealTime();
BENCHMARK(open)->Arg(100)->Arg(100'000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dmm

BENCHMARK_MAIN();
