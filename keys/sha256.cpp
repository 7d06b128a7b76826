// By OpenSSL, which uses the processor's own instructions for it: libsodium takes four times as long.
#include "keys/sha256.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <span>

#include <unistd.h>

#include "manager/assert.hpp"

namespace dmm {
namespace {

std::string digits_of(std::span<const unsigned char> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) text += {digits[byte / 16], digits[byte % 16]};
  return text;
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  const bool is_begun = context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  DMM_ASSERT(is_begun);
}

void Sha256::add(std::string_view bytes) {
  const bool is_added = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
  DMM_ASSERT(is_added);
}

std::string Sha256::digits() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum;
  unsigned size = 0;
  const bool is_made = EVP_DigestFinal_ex(context_.get(), sum.data(), &size) == 1;
  DMM_ASSERT(is_made);
  return digits_of({sum.data(), size});
}

std::string sha256_of(int descriptor) {
  Sha256 sum;
  std::array<char, 64 * 1024> piece;
  ssize_t count = 0;
  for (off_t at = 0; (count = pread(descriptor, piece.data(), piece.size(), at)) > 0; at += count)
    sum.add({piece.data(), static_cast<std::size_t>(count)});
  return count < 0 ? std::string() : sum.digits();
}

std::string keyed_word(std::string_view secret, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum;
  unsigned size = 0;
  const auto* made = HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data(), &size);
  DMM_ASSERT(made != nullptr);
  return digits_of({sum.data(), size});
}

}  // namespace dmm
