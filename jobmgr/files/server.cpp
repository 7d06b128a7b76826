#include "jobmgr/files/server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <semaphore>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobmgr/files/identity.hpp"
#include "jobmgr/files/shelf.hpp"
#include "jobmgr/files/tls_server.hpp"
#include "protocol/host_port.hpp"
#include "protocol/numbers.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

/// Connections that are served at a time; others wait.
constexpr std::size_t threads = 32;
/// Of a connection that says nothing.
constexpr time_t silence_seconds = 60;
constexpr std::chrono::seconds farewell(2);
constexpr std::size_t piece_bytes = 256 * 1024;
constexpr const char* input_pattern = "/([0-9a-f]{64})/in/([0-9]{1,3})";
constexpr const char* output_pattern = "/([0-9a-f]{64})/out/([0-9]{1,3})";
constexpr const char* any_type = "application/octet-stream";

/// Takes no more connections than it serves: the daemon's descriptors are for others, too.
class BoundedPool : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> task) override {
    free_.acquire();
    pool_.enqueue([this, task = std::move(task)] {
      task();
      free_.release();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  std::counting_semaphore<threads> free_{threads};
  httplib::ThreadPool pool_{threads};
};

class File {
 public:
  explicit File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0 || fstat(descriptor_, &is_) != 0) error_ = errno;
    if (error_ == 0 && !S_ISREG(is_.st_mode)) error_ = EISDIR;
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int error() const { return error_; }
  std::size_t size() const { return static_cast<std::size_t>(is_.st_size); }
  /// Another one after each change.
  std::string version() const {
    return '"' + std::to_string(is_.st_ino) + '-' + std::to_string(is_.st_size) + '-' +
           std::to_string(is_.st_mtim.tv_sec) + '.' + std::to_string(is_.st_mtim.tv_nsec) + '"';
  }
  ssize_t read(std::size_t at, char* bytes, std::size_t count) const {
    return pread(descriptor_, bytes, count, static_cast<off_t>(at));
  }

 private:
  int descriptor_ = -1, error_ = 0;
  struct stat is_ {};
};

void refuse(httplib::Response& response, const ShelfFault& fault) {
  response.status = fault.status;
  std::string reason = fault.text;
  std::ranges::replace_if(
      reason, [](char c) { return c < ' ' || c > '~'; }, ' ');
  response.set_header("DMM-Reason", reason);
  response.set_content(fault.text, "text/plain");
}

std::size_t number_in(const httplib::Request& request) {
  std::size_t number = 0;
  parse_number(std::string_view(request.matches[2].str()), number);
  return number;
}

void say_received(const HomeShelf& shelf, const httplib::Request& request, httplib::Response& response) {
  const auto received = shelf.received(request.matches[1], number_in(request));
  if (const auto* fault = std::get_if<ShelfFault>(&received)) return refuse(response, *fault);
  response.set_content(std::to_string(std::get<std::uint64_t>(received)), "text/plain");
}

bool has_port(const std::string& host) { return host.find(':') != std::string::npos; }

std::string own_host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace

static void give_input(HomeServer::Parts& parts, const httplib::Request& request, httplib::Response& response);
static void take_output(HomeServer::Parts& parts, const httplib::Request& request, httplib::Response& response,
                        const httplib::ContentReader& read);

/// What the server's threads use; they may outlive the server.
struct HomeServer::Parts {
  Parts(ServerIdentity one, std::uint64_t output_bytes_max)
      : identity(std::move(one)),
        shelf(output_bytes_max),
        server(identity.certificate.get(), identity.key.get(), silence_seconds) {
    server.new_task_queue = [] { return new BoundedPool; };
    server.set_socket_options([](socket_t socket) {  // no other process is to share the port
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    server.set_pre_routing_handler([this](const auto&, auto& response) {
      if (!is_closing) return httplib::Server::HandlerResponse::Unhandled;
      refuse(response, {503, "the job manager is ending"});
      return httplib::Server::HandlerResponse::Handled;
    });
    server.Get(input_pattern,
               [this](const auto& request, auto& response) { give_input(*this, request, response); });
    server.Get(output_pattern,
               [this](const auto& request, auto& response) { say_received(shelf, request, response); });
    server.Put(output_pattern, [this](const auto& request, auto& response, const auto& read) {
      take_output(*this, request, response, read);
    });
  }

  ServerIdentity identity;
  HomeShelf shelf;
  TlsServer server;
  std::atomic<bool> is_closing = false;
  std::promise<void> ended;  ///< no thread answers any more
};

static void give_input(HomeServer::Parts& parts, const httplib::Request& request, httplib::Response& response) {
  const auto path = parts.shelf.input(request.matches[1], number_in(request));
  if (!path) return refuse(response, {404, "no such file is given"});
  const auto file = std::make_shared<File>(*path);
  if (file->error() != 0)
    return refuse(response, {404, *path + " can't be read at home: " + std::strerror(file->error())});
  response.set_header("ETag", file->version());
  if (request.has_header("If-Match") && request.get_header_value("If-Match") != file->version())
    return refuse(response, {412, *path + " has changed"});
  if (file->size() == 0) return response.set_content("", any_type);
  const auto piece = std::make_shared<std::array<char, piece_bytes>>();
  response.set_content_provider(
      file->size(), any_type, [file, piece, &parts](std::size_t at, std::size_t length, httplib::DataSink& sink) {
        const ssize_t count = file->read(at, piece->data(), std::min(length, piece->size()));
        return count > 0 && !parts.is_closing && sink.write(piece->data(), static_cast<std::size_t>(count));
      });
}

static void take_output(HomeServer::Parts& parts, const httplib::Request& request, httplib::Response& response,
                        const httplib::ContentReader& read) {
  std::uint64_t from = 0, bytes = 0;
  if (!parse_number(std::string_view(request.get_param_value("from")), from) ||
      !parse_number(std::string_view(request.get_param_value("bytes")), bytes))
    return refuse(response, {400, "expected the numbers from and bytes"});
  auto incoming = parts.shelf.bring(request.matches[1], number_in(request), from, bytes);
  if (const auto* fault = std::get_if<ShelfFault>(&incoming)) return refuse(response, *fault);
  Incoming& file = *std::get<0>(incoming);
  read([&](const char* data, std::size_t count) { return !parts.is_closing && file.write(data, count); });
  if (const auto fault = file.finish()) return refuse(response, *fault);
  response.status = 201;
}

HomeServer::HomeServer(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

HomeServer::~HomeServer() {
  if (!is_begun_) return;
  parts_->is_closing = true;
  parts_->server.stop();
  parts_->ended.get_future().wait_for(farewell);  // a connection that says nothing isn't waited for
}

OrFault<std::unique_ptr<HomeServer>> HomeServer::open(const HomeServerSettings& settings) {
  using Result = OrFault<std::unique_ptr<HomeServer>>;
  const auto fail = [](std::string why) { return Result(std::in_place_index<1>, std::move(why)); };
  const auto place = parse_host_and_port(settings.listen);
  if (!place) return fail("files_listen: expected HOST:PORT");
  const std::string host(place->host);
  int port = place->port;
  auto identity = server_identity(settings.folder + "/files-key.pem");
  if (auto* fault = std::get_if<1>(&identity)) return fail(std::move(*fault));
  HomeServerAddress address{{}, std::get<0>(identity).pin, std::get<0>(identity).secret};
  std::unique_ptr<HomeServer> server(
      new HomeServer(std::make_shared<Parts>(std::get<0>(std::move(identity)), settings.output_bytes_max)));
  TlsServer& http = server->parts_->server;
  const std::string kept = settings.folder + "/files-port";
  int before = 0;
  if (const auto text = read_small_file(kept, 16); port == 0 && text)
    parse_number(std::string_view(*text), before);
  if (port != 0 || (before > 0 && before <= 65'535 && http.bind_to_port(host, before)))
    port = port != 0 ? (http.bind_to_port(host, port) ? port : -1) : before;
  else
    port = http.bind_to_any_port(host);
  if (port <= 0) return fail("files_listen: can't listen at " + settings.listen + ": " + std::strerror(errno));
  if (const std::string fault = replace_file(kept, std::to_string(port)); !fault.empty()) return fail(fault);
  const bool is_any = host == "0.0.0.0" || host == "::";
  const std::string reached = !settings.host.empty() ? settings.host : is_any ? own_host_name() : host;
  address.url = "https://" + reached + (has_port(settings.host) ? "" : ':' + std::to_string(port));
  server->address_ = std::move(address);
  return Result(std::in_place_index<0>, std::move(server));
}

void HomeServer::begin() {
  if (std::exchange(is_begun_, true)) return;
  std::thread([parts = parts_] {
    parts->server.listen_after_bind();
    parts->ended.set_value();
  }).detach();
}

void HomeServer::take(HomeShare share) { parts_->shelf.take(std::move(share)); }

}  // namespace dmm
