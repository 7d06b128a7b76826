#include "jobmgr/files/tls_server.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dmm {
namespace {

/// Of a connection, in each direction.
constexpr std::size_t buffer_bytes = 128 * 1024;

/// For so long the rest of what a sender has under way is read, so that the sender can read its answer.
constexpr std::chrono::seconds rest_read_for(2);

using Connection = std::unique_ptr<SSL, decltype(&SSL_free)>;

/// The socket blocks, with limits of its own for what is silent.
Connection connection_on(SSL_CTX* context, socket_t socket) {
  ERR_clear_error();  // of this thread's last connection
  Connection ssl(SSL_new(context), SSL_free);
  BIO* const in = BIO_new_socket(socket, BIO_NOCLOSE);
  BIO* const out = BIO_new_socket(socket, BIO_NOCLOSE);
  BIO* const gathered = BIO_new(BIO_f_buffer());
  BIO_set_write_buffer_size(gathered, buffer_bytes);
  SSL_set_bio(ssl.get(), in, BIO_push(gathered, out));
  return ssl;
}

/// If a connection closes while bytes come, the peer may lose the answer. So they are taken for a moment.
void let_end(socket_t socket) {
  using Clock = std::chrono::steady_clock;
  shutdown(socket, SHUT_WR);
  std::vector<char> rest(buffer_bytes);
  for (const Clock::time_point end = Clock::now() + rest_read_for; Clock::now() < end;) {
    pollfd wanted{socket, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (poll(&wanted, 1, std::max(0, static_cast<int>(left.count()))) <= 0) return;
    if (recv(socket, rest.data(), rest.size(), 0) <= 0) return;
  }
}

class TlsStream : public httplib::Stream {
 public:
  TlsStream(SSL* ssl, socket_t socket) : ssl_(ssl), socket_(socket) {}

  /// Whether the peer says more within this time.
  bool waits_for(time_t seconds) const {
    pollfd wanted{socket_, POLLIN, 0};
    return SSL_has_pending(ssl_) == 1 || poll(&wanted, 1, static_cast<int>(seconds * 1000)) > 0;
  }

  bool is_readable() const override { return waits_for(0); }
  bool is_writable() const override { return true; }  // `write` waits
  ssize_t read(char* bytes, std::size_t count) override {
    return done([&](std::size_t& some) { return SSL_read_ex(ssl_, bytes, count, &some); });
  }
  ssize_t write(const char* bytes, std::size_t count) override {
    const ssize_t some = done([&](std::size_t& all) { return SSL_write_ex(ssl_, bytes, count, &all); });
    return some > 0 && BIO_flush(SSL_get_wbio(ssl_)) != 1 ? -1 : some;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}  // no handler asks
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  /// How many bytes; 0 at the end of what comes, -1 if the connection is lost.
  template <class Work>
  ssize_t done(Work work) {
    for (;;) {
      std::size_t some = 0;
      errno = 0;
      const int said = work(some);
      if (said == 1) return static_cast<ssize_t>(some);
      const int error = SSL_get_error(ssl_, said);
      if (error == SSL_ERROR_ZERO_RETURN) return 0;
      if (errno != EINTR || error != SSL_ERROR_WANT_READ) return -1;
    }
  }

  SSL* ssl_;
  socket_t socket_;
};

}  // namespace

TlsServer::TlsServer(X509* certificate, EVP_PKEY* key, time_t silence_seconds)
    : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
  SSL_CTX* const context = context_.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, buffer_bytes);
  set_read_timeout(silence_seconds);  // cpp-httplib gives them to each socket
  set_write_timeout(silence_seconds);
  set_tcp_nodelay(true);
}

bool TlsServer::process_and_close_socket(socket_t socket) {
  const Connection ssl = connection_on(context_.get(), socket);
  TlsStream stream(ssl.get(), socket);
  const bool is_open = SSL_accept(ssl.get()) == 1;
  bool is_last = !is_open, goes_on = is_open;
  for (std::size_t left = keep_alive_max_count_; !is_last && goes_on && left > 0; --left) {
    if (svr_sock_ == INVALID_SOCKET || !stream.waits_for(keep_alive_timeout_sec_)) break;
    goes_on = process_request(stream, left == 1, is_last, [&](httplib::Request& request) {
      if (request.method == "GET") return;
      is_last = true;  // a refused file may come yet: it is no request
      request.headers.erase("Connection");
      request.set_header("Connection", "close");
    });
  }
  if (is_open && goes_on) SSL_shutdown(ssl.get());
  if (is_open) let_end(socket);
  close(socket);
  return goes_on;
}

}  // namespace dmm
