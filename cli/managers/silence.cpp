#include "cli/managers/silence.hpp"

#include <cstdio>

#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {

std::vector<std::string> SilenceTeller::news(const ClientPool& pool, Instant now) {
  std::vector<std::string> lines;
  for (std::size_t number = 0; number < pool.size(); ++number) {
    const auto since = pool.silent_since(number);
    if (since && now - *since > told_after) {
      if (!told_.insert(number).second) continue;
      const std::string time = utc_text(wall_microseconds() - (now - *since).microseconds);
      lines.push_back("dmm " + command_ + ": " + to_text(pool.party(number)) + " has said nothing since " +
                      time.substr(11, 8) + " UTC; " + meanwhile_);
    } else if (!since && pool.is_up(number) && told_.erase(number) > 0) {
      lines.push_back("dmm " + command_ + ": " + to_text(pool.party(number)) + " answers again");
    }
  }
  return lines;
}

void SilenceTeller::look(const ClientPool& pool, Instant now) {
  for (const std::string& line : news(pool, now)) std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace dmm
