// The mini-grid with the managers, compared with its model under the same jobs.
#include <doctest/doctest.h>

#include "simulator/experiments/mini_grid_managers.hpp"

namespace mini_grid_managers_test {

using namespace dmm;

TEST_CASE("the mini-grid with the managers: alone they are the model, and together they come close to it") {
  MiniGridSettings settings;
  settings.clusters = {4};
  settings.jobs_per_cluster = 150;
  settings.penalties = {1.2};
  const std::vector<ManagersRow> rows = mini_grid_managers(settings);
  REQUIRE(rows.size() == 4);
  for (const ManagersRow& row : rows) CHECK(row.managers.jobs == 600);
  const ManagersRow &alone = rows[0], &moved = rows[1], &divided = rows[2], &slower = rows[3];
  CHECK(alone.managers.curve == MiniGridCurve::no_sharing);
  CHECK(alone.managers.turnaround_seconds == doctest::Approx(alone.model.turnaround_seconds).epsilon(0.001));
  CHECK(alone.managers.coallocated_share == 0);
  CHECK(moved.managers.turnaround_seconds < alone.managers.turnaround_seconds);
  CHECK(moved.managers.coallocated_share == 0);
  CHECK(divided.managers.turnaround_seconds < moved.managers.turnaround_seconds);
  CHECK(divided.managers.turnaround_seconds == doctest::Approx(divided.model.turnaround_seconds).epsilon(0.15));
  CHECK(divided.managers.coallocated_share > 0.15);
  CHECK(slower.managers.turnaround_seconds > divided.managers.turnaround_seconds);
  CHECK(divided.owners_first_seconds > divided.managers.turnaround_seconds);
}

}  // namespace mini_grid_managers_test
