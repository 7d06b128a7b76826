// Frames that travel along a chain of sites, closed for all but their receiver. A seal is made of the link keys of
// both ends (X25519, XSalsa20-Poly1305: libsodium's crypto_box). So it proves to the receiver which link key the
// sender has, as CURVE does on a connection, and the sites on the way can neither read the frame nor make another.
//
// Nothing here is kept for each frame: what a seal can't tell is whether a frame came before. The numbers of the
// session inside tell that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keys/key.hpp"

namespace dmm {

/// Random bytes of a process: no two processes with the same link key may have the same.
using SealSalt = std::array<std::uint8_t, 16>;

SealSalt new_seal_salt();

/// A frame that was opened, and the link key that its sender has.
struct Unsealed {
  LinkKey from;
  std::string frame;
};

/// Shows a site that the party which asks for a certificate of a link key has its secret: the party's name, sealed
/// to the key of the site.
std::string possession_of(const LinkSecret& secret, const SealSalt& salt, const SiteKey& site,
                          std::string_view party);
bool shows_possession(std::string_view possession, const LinkKey& link, const SiteSecret& site,
                      std::string_view party);

class Seals {
 public:
  /// The most pairs of keys that are remembered with their secret: finding it costs as much as a signature.
  static constexpr std::size_t shared_max = 4'096;

  Seals(const LinkSecret& secret, const SealSalt& salt) : salt_(salt) { use(secret); }
  Seals(const Seals&) = delete;
  Seals& operator=(const Seals&) = delete;
  ~Seals();

  /// Seals with this secret from now on. The secret before it still opens what is under way.
  void use(const LinkSecret& secret);
  const LinkKey& key() const { return own_.front().key; }
  const LinkSecret& secret() const { return own_.front().secret; }

  /// The frame for the holder of a link key; empty if that is no key to which anything can be sealed.
  std::string seal(const LinkKey& to, std::string_view frame);
  /// What the payload has inside; nothing if it isn't sealed for us, or was changed.
  std::optional<Unsealed> open(std::string_view payload);

  /// Whether the payload looks sealed: its first byte begins nothing in MessagePack.
  static bool is_sealed(std::string_view payload);

 private:
  using Shared = std::array<std::uint8_t, key_bytes>;
  struct Own {
    LinkSecret secret;
    LinkKey key;
  };
  const Shared* shared_with(const Own& own, const LinkKey& other);
  void forget_shared();

  std::vector<Own> own_;  ///< the newest first
  SealSalt salt_;
  std::uint64_t sealed_ = 0;                              ///< frames so far
  std::map<std::pair<LinkKey, LinkKey>, Shared> shared_;  ///< by our key and the other's
};

}  // namespace dmm
