// How long a manager was frozen and its clock jumped, until it has an excuse for overlaps.
#include "simulator/faults/lost_time.hpp"

#include <doctest/doctest.h>

namespace lost_time_test {

using namespace dmm;
using Kind = Act::Kind;

TEST_CASE("lost time: an excuse takes more than 28 s, frozen or jumped, in all") {
  const Party alpha = site_manager_of(SiteName("alpha")), beta = site_manager_of(SiteName("beta"));
  struct Event {
    std::int64_t at = 0;  ///< seconds
    Kind kind = Kind::jump;
    std::int64_t length = 0;  ///< seconds
    Party party = {};
  };
  struct Row {
    const char* what;
    std::vector<Event> events;
    bool excused;  ///< by the last event
  };
  const Row rows[] = {
      {"a short jump", {{0, Kind::jump, 28, alpha}}, false},
      {"a long jump", {{0, Kind::jump, 29, alpha}}, true},
      {"two jumps", {{0, Kind::jump, 15, alpha}, {1, Kind::jump, 15, alpha}}, true},
      {"jumps of two managers", {{0, Kind::jump, 15, alpha}, {1, Kind::jump, 15, beta}}, false},
      {"frozen, still", {{0, Kind::freeze, 0, alpha}, {50, Kind::cut, 0, alpha}}, false},
      {"frozen for long", {{0, Kind::freeze, 0, alpha}, {50, Kind::resume, 0, alpha}}, true},
      {"frozen a little", {{0, Kind::freeze, 0, alpha}, {9, Kind::resume, 0, alpha}}, false},
      {"frozen twice from the first on",
       {{0, Kind::freeze, 0, alpha}, {30, Kind::freeze, 0, alpha}, {40, Kind::resume, 0, alpha}},
       true},
      {"resumed twice",
       {{0, Kind::freeze, 0, alpha}, {20, Kind::resume, 0, alpha}, {40, Kind::resume, 0, alpha}},
       false},
      {"frozen and jumped",
       {{0, Kind::jump, 15, alpha}, {1, Kind::freeze, 0, alpha}, {16, Kind::resume, 0, alpha}},
       true},
      {"paused alone", {{0, Kind::pause, 0, alpha}, {50, Kind::resume, 0, alpha}}, false},
      {"excused earlier", {{0, Kind::jump, 29, alpha}, {50, Kind::cut, 0, alpha}}, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    LostTime lost;
    bool excused = false;
    for (const Event& event : row.events) {
      Act act;
      act.kind = event.kind;
      act.a = event.party;
      act.length = seconds(event.length);
      excused = lost.note(act, Instant{} + seconds(event.at));
    }
    CHECK(excused == row.excused);
  }
}

}  // namespace lost_time_test
