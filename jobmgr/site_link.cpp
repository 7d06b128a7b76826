// Sessions with the home site; see site_link.hpp.
#include "jobmgr/site_link.hpp"

#include "manager/assert.hpp"

namespace dmm {

bool SiteLink::came_up(bool restarted) {
  DMM_ASSERT(seen_ || (!up_ && ask_from_ == 1));  // before the first session nothing is asked for
  up_ = true;
  const bool is_new = !std::exchange(seen_, true) || restarted;
  if (is_new) ask_from_ = 1;
  DMM_ASSERT(ask_from_ > 0);  // 0 names no job
  return is_new;
}

void SiteLink::begin_inventory(Held held) {
  inventory_ = {};
  unconfirmed_ = std::move(held);
}

std::optional<Inventory> SiteLink::hear(Inventory& part) {
  if (!assemble(inventory_, part)) return std::nullopt;
  return std::exchange(inventory_, {});
}

}  // namespace dmm
