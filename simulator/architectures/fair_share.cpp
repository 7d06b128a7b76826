#include "simulator/architectures/fair_share.hpp"

#include "manager/assert.hpp"
#include "workloads/portable_math.hpp"

namespace dmm {

double FairShare::at(Instant now, const Usage& usage) const {
  const auto in_use = static_cast<double>(usage.in_use);
  if (half_life_ <= Duration{}) return in_use;
  const double half_lives = (now - usage.changed).in_seconds() / half_life_.in_seconds();
  return in_use + (usage.smoothed - in_use) * portable::exp2(-half_lives);
}

double FairShare::usage(Instant now, std::uint32_t user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? 0 : at(now, found->second);
}

void FairShare::began(Instant now, std::uint32_t user, std::uint32_t processors) {
  Usage& usage = users_.try_emplace(user, Usage{0, 0, now}).first->second;
  usage = {at(now, usage), usage.in_use + processors, now};
}

void FairShare::ended(Instant now, std::uint32_t user, std::uint32_t processors) {
  Usage& usage = users_.at(user);
  DMM_ASSERT(usage.in_use >= processors);
  usage = {at(now, usage), usage.in_use - processors, now};
}

}  // namespace dmm
