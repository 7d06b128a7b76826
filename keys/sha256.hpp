// SHA-256 of bytes and of files, and HMAC-SHA-256 with a secret.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace dmm {

/// A SHA-256 that is made piece by piece.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Of all that was added, in 64 lower-case hexadecimal digits. Once.
  std::string digits();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

/// The SHA-256 of a file from its first byte to its last, in 64 lower-case hexadecimal digits; `descriptor` keeps
/// its place. Empty, with errno, if the file can't be read.
std::string sha256_of(int descriptor);

/// A word that only a holder of the secret can make of a text: HMAC-SHA-256, in 64 hexadecimal digits.
std::string keyed_word(std::string_view secret, std::string_view text);

}  // namespace dmm
