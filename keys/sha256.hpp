// A checksum of what a file has.
#pragma once

#include <string>

namespace dmm {

/// The SHA-256 of a file from its first byte to its last, in 64 lower-case hexadecimal digits; `descriptor` keeps
/// its place. Empty, with errno, if the file can't be read.
std::string sha256_of(int descriptor);

}  // namespace dmm
