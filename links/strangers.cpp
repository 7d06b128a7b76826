// Which parties knocked, and how often; see strangers.hpp.
#include "links/strangers.hpp"

#include <algorithm>

namespace dmm {

bool Strangers::knock(Instant now, const Party& party, const std::string& why, std::size_t most,
                      Duration between_notices) {
  std::map<Party, Stranger>& all_known = known_.edit();
  bool is_crowd = false;  // each knocks under another name: people are told of no more than there is room for
  if (all_known.size() >= most && !all_known.contains(party)) {
    const auto oldest =
        std::ranges::min_element(all_known, {}, [](const auto& entry) { return entry.second.last; });
    is_crowd = now - oldest->second.first < between_notices;
    all_known.erase(oldest);
  }
  const auto [known, is_new] = all_known.try_emplace(party, Stranger{party, 0, now, now, {}});
  Stranger& stranger = known->second;
  const bool is_news = (is_new && !is_crowd) || now - stranger.last > between_notices;
  ++stranger.knocks;
  stranger.last = now;
  stranger.why = why;
  return is_news;
}

std::vector<Stranger> Strangers::all() const {
  std::vector<Stranger> all;
  for (const auto& [party, stranger] : *known_) all.push_back(stranger);
  return all;
}

}  // namespace dmm
