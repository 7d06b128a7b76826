// See sha256.hpp.
#include "keys/sha256.hpp"

#include <sodium.h>

#include <array>

#include <unistd.h>

namespace dmm {

std::string sha256_of(int descriptor) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  std::array<unsigned char, 64 * 1024> piece;
  ssize_t count = 0;
  for (off_t at = 0; (count = pread(descriptor, piece.data(), piece.size(), at)) > 0; at += count)
    crypto_hash_sha256_update(&state, piece.data(), static_cast<unsigned long long>(count));
  if (count < 0) return {};
  std::array<unsigned char, crypto_hash_sha256_BYTES> sum;
  crypto_hash_sha256_final(&state, sum.data());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> text{};
  return sodium_bin2hex(text.data(), text.size(), sum.data(), sum.size());
}

}  // namespace dmm
