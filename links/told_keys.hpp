// What site managers tell about keys: which key a site has, and which link keys are revoked. The first word on a site
// stays. Each teller has a bounded share, so that no neighbour takes the room of what others tell (docs/protocol.md
// section 8.4b).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "keys/key.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// What became known of a key that a site manager tells about.
enum class Learned : std::uint8_t {
  news,
  known,    ///< it was known already, or isn't the teller's to say
  no_room,  ///< the teller's share is full, or all room is
};

/// The site that tells, and whether it is our own: then it has no share, but all the room.
struct Teller {
  SiteName site;
  bool is_ours = false;
};

class ToldKeys {
 public:
  /// The most sites, and the most revoked keys, that all tellers together may tell of.
  static constexpr std::size_t all_max = 10'000;
  /// The most of these that one teller may.
  static constexpr std::size_t sites_of_one_max = 5'000;
  static constexpr std::size_t revoked_of_one_max = 1'000;

  Learned learn(const Teller& teller, const SiteName& site, const SiteKey& key);
  Learned learn_revoked(const Teller& teller, const SiteName& site, const LinkKey& link);
  /// The configuration has these keys: it has the last word on them, and for revoked keys the site itself.
  void leave_to(const std::map<SiteName, SiteKey>& configured);

  /// Null if no manager told of the site.
  const SiteKey* find(const SiteName& site) const;
  bool is_revoked(const SiteName& site, const LinkKey& link) const { return revoked_.contains({site, link}); }
  void add_sites(Vouch& vouch) const;
  void add_revoked(Vouch& vouch) const;

 private:
  struct Told {
    SiteKey key;
    SiteName teller;
  };
  struct Share {
    std::size_t sites = 0, revoked = 0;
  };
  std::map<SiteName, Told> sites_;
  std::map<std::pair<SiteName, LinkKey>, SiteName> revoked_;  ///< with the teller
  std::map<SiteName, Share> shares_;
};

}  // namespace dmm
