// A checksum of what a file has, and one that needs a secret.
#pragma once

#include <string>
#include <string_view>

namespace dmm {

/// The SHA-256 of a file from its first byte to its last, in 64 lower-case hexadecimal digits; `descriptor` keeps
/// its place. Empty, with errno, if the file can't be read.
std::string sha256_of(int descriptor);

/// A word that only a holder of the secret can make of a text: HMAC-SHA-256, in 64 hexadecimal digits.
std::string keyed_word(std::string_view secret, std::string_view text);

}  // namespace dmm
