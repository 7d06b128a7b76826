#include "runtime/followed_keys.hpp"

#include <algorithm>

#include "keys/endpoint_key.hpp"
#include "protocol/text.hpp"
#include "runtime/files.hpp"
#include "runtime/json_list.hpp"
#include "runtime/json_words.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

std::string followed_file(const std::string& folder) { return folder + "/keys/followed.json"; }

}  // namespace

WhyNot FollowedKeys::read() {
  if (folder_.empty()) return {};
  const auto read = read_json_list(followed_file(folder_));
  if (const auto* fault = std::get_if<std::string>(&read)) return *fault;
  for (const Json& row : std::get<Json>(read)) {
    const auto configured = parse_key<LinkKey>(word_in(row, "configured"));
    if (!configured || !row.contains("later") || !row["later"].is_array()) continue;
    Followed followed{*configured, {}};
    for (const Json& one : row["later"])
      if (const auto link = parse_key<LinkKey>(word_in(one, "link")); link && one.contains("from"))
        followed.later.push_back({*link, one["from"].is_number_integer() ? one["from"].get<WallSeconds>() : 0});
    if (!followed.later.empty()) peers_.insert_or_assign(word_in(row, "peer"), std::move(followed));
  }
  return {};
}

WhyNot FollowedKeys::write() const {
  if (folder_.empty()) return {};
  Json list = Json::array();
  for (const auto& [peer, followed] : peers_) {
    Json later = Json::array();
    for (const Later& one : followed.later) later.push_back({{"link", to_text(one.link)}, {"from", one.from}});
    list.push_back({{"peer", peer}, {"configured", to_text(followed.configured)}, {"later", std::move(later)}});
  }
  const std::string path = followed_file(folder_);
  if (WhyNot fault = make_private_directory(parent_folder(path)); !fault.empty()) return fault;
  return replace_private_file(path, list.dump(2) + "\n");
}

const FollowedKeys::Followed* FollowedKeys::keys_of(const Party& peer, const std::string& endpoint) const {
  const auto known = peers_.find(to_text(peer));
  if (known == peers_.end()) return nullptr;
  // An endpoint that was edited meanwhile is right as it is.
  return place_and_key(endpoint).second == known->second.configured ? &known->second : nullptr;
}

WhyNot FollowedKeys::hear(const Party& peer, const std::string& endpoint, const LinkKey& link, WallSeconds from) {
  const auto configured = place_and_key(endpoint).second;
  if (!configured || *configured == link) return {};
  if (!keys_of(peer, endpoint)) peers_.insert_or_assign(to_text(peer), Followed{*configured, {}});
  std::vector<Later>& later = peers_.at(to_text(peer)).later;
  if (!later.empty() && later.back().link == link && later.back().from == from) return {};
  std::erase_if(later, [&](const Later& one) { return one.link == link; });
  later.push_back({link, from});
  std::ranges::stable_sort(later, {}, &Later::from);
  if (later.size() > keys_max) later.erase(later.begin());
  return write();
}

WallSeconds FollowedKeys::next_turn(const Party& peer, const std::string& endpoint, WallSeconds now) const {
  const Followed* const followed = keys_of(peer, endpoint);
  if (!followed) return 0;
  const auto next = std::ranges::find_if(followed->later, [&](const Later& one) { return one.from > now; });
  return next == followed->later.end() ? 0 : next->from;
}

std::string FollowedKeys::endpoint_for(const Party& peer, const std::string& endpoint, std::size_t attempt,
                                       WallSeconds now) const {
  const Followed* const followed = keys_of(peer, endpoint);
  if (!followed) return endpoint;
  std::vector<LinkKey> keys{followed->configured};
  for (const Later& one : followed->later) keys.insert(one.from <= now ? keys.begin() : keys.end(), one.link);
  return place_and_key(endpoint).first + key_mark + to_text(keys[attempt % keys.size()]);
}

}  // namespace dmm
