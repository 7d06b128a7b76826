// Keys: the Ed25519 key of a site, which signs, and the X25519 key of a link end, which CURVE proves. Both kinds
// are 32 bytes and differ in type, so that one can't be passed for the other. A secret is wiped when it goes.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dmm {

constexpr std::size_t key_bytes = 32;
/// As text: base64url without padding.
constexpr std::size_t key_letters = 43;

template <class Tag>
struct PublicKey {
  std::array<std::uint8_t, key_bytes> bytes{};
  auto operator<=>(const PublicKey&) const = default;
};

using SiteKey = PublicKey<struct SiteKeyTag>;  ///< Ed25519: a site, for as long as the site lives
using LinkKey = PublicKey<struct LinkKeyTag>;  ///< X25519: one manager or person at the end of a connection

template <class Tag>
class SecretKey {
 public:
  SecretKey() = default;
  explicit SecretKey(const std::array<std::uint8_t, key_bytes>& bytes) : bytes_(bytes) {}
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();
  const std::array<std::uint8_t, key_bytes>& bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, key_bytes> bytes_{};
};

using SiteSecret = SecretKey<struct SiteKeyTag>;  ///< the seed of the Ed25519 key
using LinkSecret = SecretKey<struct LinkKeyTag>;

SiteSecret new_site_secret();
LinkSecret new_link_secret();
SiteKey public_of(const SiteSecret& secret);
LinkKey public_of(const LinkSecret& secret);

constexpr std::size_t signature_bytes = 64;
using Signature = std::array<std::uint8_t, signature_bytes>;

Signature sign(std::string_view text, const SiteSecret& secret);
bool is_signed(std::string_view text, const Signature& signature, const SiteKey& key);

/// Random bytes as letters that can be pasted; 128 bits or more can't be guessed.
std::string random_letters(std::size_t bytes);

namespace keys {
std::string letters_of(const std::uint8_t* bytes, std::size_t size);
std::string letters_of(std::string_view bytes);
/// Exactly `size` bytes; false for anything else.
bool bytes_of(std::string_view letters, std::uint8_t* bytes, std::size_t size);
/// At most `most` bytes; nothing for anything else.
std::optional<std::string> bytes_of(std::string_view letters, std::size_t most);
}  // namespace keys

template <class Tag>
std::string to_text(const PublicKey<Tag>& key) {
  return keys::letters_of(key.bytes.data(), key_bytes);
}

/// Nothing if the text is no key.
template <class Key>
std::optional<Key> parse_key(std::string_view text) {
  Key key;
  if (!keys::bytes_of(text, key.bytes.data(), key_bytes)) return std::nullopt;
  return key;
}

/// A secret as the text of a file; never for a log.
template <class Tag>
std::string secret_text(const SecretKey<Tag>& secret) {
  return keys::letters_of(secret.bytes().data(), key_bytes);
}

template <class Secret>
std::optional<Secret> parse_secret(std::string_view text) {
  std::array<std::uint8_t, key_bytes> bytes{};
  if (!keys::bytes_of(text, bytes.data(), key_bytes)) return std::nullopt;
  return Secret(bytes);
}

}  // namespace dmm
