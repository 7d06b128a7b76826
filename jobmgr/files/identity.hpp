// What nodes know the server of files at home by: a key of its own. It is kept in a file, so that tasks that run
// over a restart of the job manager find the same server again.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "protocol/or_fault.hpp"

namespace dmm {

struct ServerIdentity {
  std::shared_ptr<EVP_PKEY> key;
  std::shared_ptr<X509> certificate;  ///< signed by the key itself: nodes compare the key
  std::string pin;                    ///< the SHA-256 of the public key in base64
  std::string secret;                 ///< of tickets, from the key
};

/// Reads the key from the file, or makes it; or why there is none.
OrFault<ServerIdentity> server_identity(const std::string& file);

}  // namespace dmm
