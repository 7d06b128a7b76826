#include "links/told_keys.hpp"

#include "protocol/text.hpp"

namespace dmm {

Learned ToldKeys::learn(const Teller& teller, const SiteName& site, const SiteKey& key) {
  if (sites_.contains(site)) return Learned::known;
  Share& share = shares_[teller.site];
  if (sites_.size() >= all_max || (share.sites >= sites_of_one_max && !teller.is_ours)) return Learned::no_room;
  ++share.sites;
  sites_.emplace(site, Told{key, teller.site});
  return Learned::news;
}

Learned ToldKeys::learn_revoked(const Teller& teller, const SiteName& site, const LinkKey& link) {
  if (revoked_.contains({site, link})) return Learned::known;
  Share& share = shares_[teller.site];
  if (revoked_.size() >= all_max || (share.revoked >= revoked_of_one_max && !teller.is_ours))
    return Learned::no_room;
  ++share.revoked;
  revoked_.emplace(std::pair(site, link), teller.site);
  return Learned::news;
}

void ToldKeys::leave_to(const std::map<SiteName, SiteKey>& configured) {
  std::erase_if(sites_, [&](const auto& entry) {
    const bool goes = configured.contains(entry.first);
    if (goes) --shares_.at(entry.second.teller).sites;
    return goes;
  });
  std::erase_if(revoked_, [&](const auto& entry) {
    const auto& [site, link] = entry.first;
    const bool goes = configured.contains(site) && entry.second != site;
    if (goes) --shares_.at(entry.second).revoked;
    return goes;
  });
}

const SiteKey* ToldKeys::find(const SiteName& site) const {
  const auto told = sites_.find(site);
  return told == sites_.end() ? nullptr : &told->second.key;
}

void ToldKeys::add_sites(Vouch& vouch) const {
  for (const auto& [site, told] : sites_) vouch.sites.push_back({site, to_text(told.key)});
}

void ToldKeys::add_revoked(Vouch& vouch) const {
  for (const auto& [revoked, teller] : revoked_) vouch.revoked.push_back({revoked.first, to_text(revoked.second)});
}

}  // namespace dmm
