// Keys by libsodium; see key.hpp.
#include "keys/key.hpp"

#include <sodium.h>

#include <vector>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// libsodium wants to be begun; more than once does no harm.
void begin_sodium() { DMM_ASSERT(sodium_init() >= 0); }

constexpr int letters_kind = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

/// libsodium keeps the seed and the public key together.
struct SigningPair {
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret{};
  SiteKey key;
  explicit SigningPair(const SiteSecret& seed) {
    begin_sodium();
    crypto_sign_seed_keypair(key.bytes.data(), secret.data(), seed.bytes().data());
  }
  SigningPair(const SigningPair&) = delete;
  SigningPair& operator=(const SigningPair&) = delete;
  ~SigningPair() { sodium_memzero(secret.data(), secret.size()); }
};

template <class Secret>
Secret new_secret() {
  begin_sodium();
  std::array<std::uint8_t, key_bytes> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  Secret secret(bytes);
  sodium_memzero(bytes.data(), bytes.size());
  return secret;
}

}  // namespace

template <class Tag>
SecretKey<Tag>::~SecretKey() {
  sodium_memzero(bytes_.data(), bytes_.size());
}
template class SecretKey<SiteKeyTag>;
template class SecretKey<LinkKeyTag>;

SiteSecret new_site_secret() { return new_secret<SiteSecret>(); }
LinkSecret new_link_secret() { return new_secret<LinkSecret>(); }

SiteKey public_of(const SiteSecret& secret) { return SigningPair(secret).key; }

LinkKey public_of(const LinkSecret& secret) {
  begin_sodium();
  LinkKey key;
  DMM_ASSERT(crypto_scalarmult_base(key.bytes.data(), secret.bytes().data()) == 0);
  return key;
}

Signature sign(std::string_view text, const SiteSecret& secret) {
  const SigningPair pair(secret);
  Signature signature;
  crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                       pair.secret.data());
  return signature;
}

bool is_signed(std::string_view text, const Signature& signature, const SiteKey& key) {
  begin_sodium();
  return crypto_sign_verify_detached(signature.data(), reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size(), key.bytes.data()) == 0;
}

std::string random_letters(std::size_t bytes) {
  begin_sodium();
  std::vector<std::uint8_t> random(bytes);
  randombytes_buf(random.data(), random.size());
  return keys::letters_of(random.data(), random.size());
}

namespace keys {

std::string letters_of(const std::uint8_t* bytes, std::size_t size) {
  std::string letters(sodium_base64_encoded_len(size, letters_kind), '\0');
  sodium_bin2base64(letters.data(), letters.size(), bytes, size, letters_kind);
  letters.pop_back();  // the zero behind it
  return letters;
}

bool bytes_of(std::string_view letters, std::uint8_t* bytes, std::size_t size) {
  std::size_t length = 0;
  const char* end = nullptr;
  const int read =
      sodium_base642bin(bytes, size, letters.data(), letters.size(), nullptr, &length, &end, letters_kind);
  return read == 0 && length == size && end == letters.data() + letters.size();
}

std::string letters_of(std::string_view bytes) {
  return letters_of(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::optional<std::string> bytes_of(std::string_view letters, std::size_t most) {
  if (letters.size() > most * 4 / 3 + 3) return std::nullopt;
  std::string bytes(letters.size(), '\0');
  std::size_t length = 0;
  const char* end = nullptr;
  const int read = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), letters.data(),
                                     letters.size(), nullptr, &length, &end, letters_kind);
  if (read != 0 || end != letters.data() + letters.size() || length > most) return std::nullopt;
  bytes.resize(length);
  return bytes;
}

}  // namespace keys
}  // namespace dmm
