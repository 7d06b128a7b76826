#include "simulator/faults/isolation_watch.hpp"

#include "protocol/text.hpp"

namespace dmm {
namespace {

/// A term of ten seconds and the longest silence of links that may be relayed, with a clock that is 5 % slow.
constexpr Duration fenced_after = seconds(33);

}  // namespace

std::string IsolationWatch::note(const World& world, const Act& act) {
  std::string fault;
  for (const Party& party : {act.a, act.b}) {
    const auto it = isolated_.find(party);
    if (it == isolated_.end() || act.kind == Act::Kind::cut || act.kind == Act::Kind::isolate) continue;
    const bool heard_none = act.kind == Act::Kind::rejoin && world.now() - it->second > fenced_after;
    isolated_.erase(it);
    if (!heard_none) continue;  // another act touched it meanwhile
    for (const auto& program : world.performer(party).running())
      if (!program->ending)
        fault = to_text(program->id.request) + " runs on at " + to_text(party) + ", which hears no manager";
  }
  if (act.kind == Act::Kind::rejoin) isolated_.clear();  // other isolated ones can hear this one again
  if (act.kind == Act::Kind::isolate && act.a.role == Role::resource_manager) isolated_[act.a] = world.now();
  return fault;
}

}  // namespace dmm
