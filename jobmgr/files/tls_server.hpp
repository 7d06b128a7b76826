// TlsServer: cpp-httplib's server over TLS that reads and writes many records at a time. Its own SSLServer asks the
// kernel four times for each 16 KiB: that took more time than the cipher.
#pragma once

#include <httplib.h>

#include <memory>

namespace dmm {

class TlsServer : public httplib::Server {
 public:
  /// Both must be valid; each connection is closed that says nothing for `silence_seconds`.
  TlsServer(X509* certificate, EVP_PKEY* key, time_t silence_seconds);

 private:
  bool process_and_close_socket(socket_t socket) override;

  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
};

}  // namespace dmm
