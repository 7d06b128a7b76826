// A text that a site signed, as letters of base64url: the signature, then the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "keys/key.hpp"

namespace dmm {

struct SignedText {
  Signature signature{};
  std::string text;
};

std::string sign_as_letters(const std::string& text, const SiteSecret& secret);
/// The letters' parts, of at most `bytes_max` bytes; nothing for anything else. The signature isn't checked.
std::optional<SignedText> read_signed_text(std::string_view letters, std::size_t bytes_max);

}  // namespace dmm
