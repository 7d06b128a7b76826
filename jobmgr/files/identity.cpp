// Keys and certificates by OpenSSL; see identity.hpp.
#include "jobmgr/files/identity.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>

#include "keys/sha256.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Result = OrFault<ServerIdentity>;

constexpr std::size_t key_file_max = 16 * 1024;
constexpr long valid_seconds = 3650L * 86'400;

Memory memory() { return {BIO_new(BIO_s_mem()), BIO_free}; }

std::string text_in(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(EVP_PKEY* key) {
  const Memory bio = memory();
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_in(bio.get());
}

EVP_PKEY* key_in(const std::string& pem) {
  const Memory bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  return PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr);
}

X509* certificate_of(EVP_PKEY* key) {
  X509* const certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -86'400);
  X509_gmtime_adj(X509_getm_notAfter(certificate), valid_seconds);
  X509_NAME* const name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("dmm"), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  return certificate;
}

/// As curl compares it: of the whole SubjectPublicKeyInfo.
std::string pin_of(EVP_PKEY* key) {
  unsigned char* bytes = nullptr;
  const int size = i2d_PUBKEY(key, &bytes);
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum;
  unsigned length = 0;
  EVP_Digest(bytes, static_cast<std::size_t>(size), sum.data(), &length, EVP_sha256(), nullptr);
  OPENSSL_free(bytes);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> letters;
  const int count = EVP_EncodeBlock(letters.data(), sum.data(), static_cast<int>(length));
  return {reinterpret_cast<const char*>(letters.data()), static_cast<std::size_t>(count)};
}

}  // namespace

OrFault<ServerIdentity> server_identity(const std::string& file) {
  ServerIdentity identity;
  if (const auto pem = read_small_file(file, key_file_max)) {
    identity.key = {key_in(*pem), EVP_PKEY_free};
    if (!identity.key)
      return Result(std::in_place_index<1>,
                    file + ": expected a private key in PEM; remove it to have another made");
  } else {
    identity.key = {EVP_EC_gen("P-256"), EVP_PKEY_free};
    if (!identity.key) return Result(std::in_place_index<1>, "OpenSSL makes no key");
    if (std::string fault = replace_private_file(file, pem_of(identity.key.get())); !fault.empty())
      return Result(std::in_place_index<1>, std::move(fault));
  }
  identity.certificate = {certificate_of(identity.key.get()), X509_free};
  identity.pin = pin_of(identity.key.get());
  identity.secret = keyed_word(pem_of(identity.key.get()), "tickets");
  return Result(std::in_place_index<0>, std::move(identity));
}

}  // namespace dmm
