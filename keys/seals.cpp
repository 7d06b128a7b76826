// A sealed payload is: the byte 0xc1, the version, the receiver's link key, the sender's link key,
// the nonce, the box.
#include "keys/seals.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstring>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr std::uint8_t mark = 0xc1;
constexpr std::uint8_t version = 1;
constexpr std::size_t to_at = 2, from_at = to_at + key_bytes, nonce_at = from_at + key_bytes;
constexpr std::size_t box_at = nonce_at + crypto_box_NONCEBYTES;
static_assert(crypto_box_NONCEBYTES == std::tuple_size_v<SealSalt> + sizeof(std::uint64_t));
static_assert(crypto_box_PUBLICKEYBYTES == key_bytes && crypto_box_BEFORENMBYTES == key_bytes);

/// How many secrets open: ours, and the one before it.
constexpr std::size_t secrets_max = 2;

LinkKey key_at(const std::uint8_t* bytes) {
  LinkKey key;
  std::copy_n(bytes, key_bytes, key.bytes.begin());
  return key;
}

}  // namespace

SealSalt new_seal_salt() {
  DMM_ASSERT(sodium_init() >= 0);
  SealSalt salt;
  randombytes_buf(salt.data(), salt.size());
  return salt;
}

/// An Ed25519 key and the X25519 key that goes with it (libsodium, "Ed25519 to Curve25519").
std::string possession_of(const LinkSecret& secret, const SealSalt& salt, const SiteKey& site,
                          std::string_view party) {
  LinkKey to;
  if (crypto_sign_ed25519_pk_to_curve25519(to.bytes.data(), site.bytes.data()) != 0) return {};
  return Seals(secret, salt).seal(to, party);
}

bool shows_possession(std::string_view possession, const LinkKey& link, const SiteSecret& site,
                      std::string_view party) {
  std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> key;
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> pair;
  std::array<std::uint8_t, key_bytes> secret;
  crypto_sign_seed_keypair(key.data(), pair.data(), site.bytes().data());
  DMM_ASSERT(crypto_sign_ed25519_sk_to_curve25519(secret.data(), pair.data()) == 0);
  const auto opened = Seals(LinkSecret(secret), {}).open(possession);
  sodium_memzero(pair.data(), pair.size());
  sodium_memzero(secret.data(), secret.size());
  return opened && opened->from == link && opened->frame == party;
}

Seals::~Seals() { forget_shared(); }

void Seals::forget_shared() {
  for (auto& [ends, shared] : shared_) sodium_memzero(shared.data(), shared.size());
  shared_.clear();
}

void Seals::use(const LinkSecret& secret) {
  own_.insert(own_.begin(), Own{secret, public_of(secret)});
  if (own_.size() > secrets_max) own_.pop_back();
  forget_shared();
}

const Seals::Shared* Seals::shared_with(const Own& own, const LinkKey& other) {
  if (const auto known = shared_.find({own.key, other}); known != shared_.end()) return &known->second;
  if (shared_.size() >= shared_max) forget_shared();
  Shared shared;
  if (crypto_box_beforenm(shared.data(), other.bytes.data(), own.secret.bytes().data()) != 0) return nullptr;
  return &(shared_[{own.key, other}] = shared);
}

std::string Seals::seal(const LinkKey& to, std::string_view frame) {
  const Own& own = own_.front();
  const Shared* const shared = shared_with(own, to);
  if (!shared) return {};
  std::string payload(box_at + crypto_box_MACBYTES + frame.size(), '\0');
  auto* const bytes = reinterpret_cast<std::uint8_t*>(payload.data());
  bytes[0] = mark;
  bytes[1] = version;
  std::copy_n(to.bytes.begin(), key_bytes, bytes + to_at);
  std::copy_n(own.key.bytes.begin(), key_bytes, bytes + from_at);
  const std::uint64_t count = ++sealed_;
  std::copy_n(salt_.begin(), salt_.size(), bytes + nonce_at);
  std::memcpy(bytes + nonce_at + salt_.size(), &count, sizeof count);
  crypto_box_easy_afternm(bytes + box_at, reinterpret_cast<const std::uint8_t*>(frame.data()), frame.size(),
                          bytes + nonce_at, shared->data());
  return payload;
}

std::optional<Unsealed> Seals::open(std::string_view payload) {
  if (!is_sealed(payload) || payload.size() < box_at + crypto_box_MACBYTES) return std::nullopt;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(payload.data());
  if (bytes[1] != version) return std::nullopt;
  const LinkKey to = key_at(bytes + to_at);
  const auto own = std::ranges::find(own_, to, &Own::key);
  if (own == own_.end()) return std::nullopt;
  Unsealed unsealed{key_at(bytes + from_at), std::string(payload.size() - box_at - crypto_box_MACBYTES, '\0')};
  const Shared* const shared = shared_with(*own, unsealed.from);
  if (!shared ||
      crypto_box_open_easy_afternm(reinterpret_cast<std::uint8_t*>(unsealed.frame.data()), bytes + box_at,
                                   payload.size() - box_at, bytes + nonce_at, shared->data()) != 0)
    return std::nullopt;
  return unsealed;
}

bool Seals::is_sealed(std::string_view payload) {
  return !payload.empty() && static_cast<std::uint8_t>(payload.front()) == mark;
}

}  // namespace dmm
