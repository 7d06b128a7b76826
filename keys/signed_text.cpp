#include "keys/signed_text.hpp"

#include <algorithm>

namespace dmm {

std::string sign_as_letters(const std::string& text, const SiteSecret& secret) {
  const Signature signature = sign(text, secret);
  return keys::letters_of(std::string(signature.begin(), signature.end()) + text);
}

std::optional<SignedText> read_signed_text(std::string_view letters, std::size_t bytes_max) {
  const auto bytes = keys::bytes_of(letters, bytes_max);
  if (!bytes || bytes->size() <= signature_bytes) return std::nullopt;
  SignedText read{{}, bytes->substr(signature_bytes)};
  std::copy_n(bytes->begin(), signature_bytes, read.signature.begin());
  return read;
}

}  // namespace dmm
