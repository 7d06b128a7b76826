// delay_relay PORT MILLISECONDS: a relay between TCP clients and the server at PORT of this host. It keeps bytes for
// some time before it passes them on, as a long distance does. It reads on meanwhile, up to a bound: as much as a TCP
// window would hold on such a distance. The bytes stay in the kernel, in pipes: a relay that copied them would take the
// processors from the programs that are measured. It prints its own port, and ends with its standard input.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t pipe_bytes = 1 << 20;  ///< the most that an account without rights may have
constexpr std::size_t pipes_max = 48;
constexpr std::chrono::microseconds together(200);  ///< what comes in this time goes on at once

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {
    const int on = 1;
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};
using SocketPtr = std::shared_ptr<Socket>;

/// It is filled until the kernel takes no more, then emptied, then filled again.
struct Pipe {
  int out = -1, into = -1;
  std::atomic<std::size_t> bytes = 0;
  std::atomic<bool> is_full = false;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    out = ends[0], into = ends[1];
    fcntl(into, F_SETPIPE_SZ, pipe_bytes);
  }
  ~Pipe() {
    close(out);
    close(into);
  }
};

/// One direction of a connection; reading and writing have a thread each.
class Direction : public std::enable_shared_from_this<Direction> {
 public:
  Direction(SocketPtr source, SocketPtr sink, milliseconds delay)
      : source_(std::move(source)), sink_(std::move(sink)), delay_(delay) {}

  void begin() {
    std::thread([self = shared_from_this()] { self->read(); }).detach();
    std::thread([self = shared_from_this()] { self->write(); }).detach();
  }

 private:
  struct Held {
    Clock::time_point due;
    Pipe* pipe = nullptr;
    std::size_t bytes = 0;  ///< 0: the end
  };

  Pipe* empty_pipe() {
    std::unique_lock lock(mutex_);
    if (free_.empty() && pipes_.size() < pipes_max) return pipes_.emplace_back(std::make_unique<Pipe>()).get();
    changed_.wait(lock, [this] { return !free_.empty() || is_over_; });
    if (is_over_) return nullptr;
    Pipe* const pipe = free_.back();
    free_.pop_back();
    return pipe;
  }

  void read() {
    Pipe* pipe = empty_pipe();
    for (;;) {
      pollfd wanted{source_->descriptor(), POLLIN, 0};
      poll(&wanted, 1, -1);
      const ssize_t count = splice(source_->descriptor(), nullptr, pipe->into, nullptr, pipe_bytes,
                                   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
      if (count < 0 && errno == EAGAIN) {
        if (pipe->bytes == 0) continue;
        pipe->is_full = true;
        recycle(pipe);
        pipe = empty_pipe();
        if (!pipe) return;
        continue;
      }
      const auto some = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
      pipe->bytes += some;
      {
        const std::lock_guard lock(mutex_);
        held_.push_back({Clock::now() + delay_, pipe, some});
      }
      changed_.notify_all();
      if (some == 0) return;
      std::this_thread::sleep_for(together);
    }
  }

  void write() {
    for (;;) {
      Held next;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !held_.empty(); });
        next = held_.front();
        held_.pop_front();
      }
      std::this_thread::sleep_until(next.due);
      if (next.bytes == 0) break;
      if (!give(next)) return leave();
      recycle(next.pipe);
    }
    shutdown(sink_->descriptor(), SHUT_WR);
  }

  void leave() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    shutdown(source_->descriptor(), SHUT_RD);
  }

  bool give(const Held& one) {
    for (std::size_t left = one.bytes; left > 0;) {
      const ssize_t some = splice(one.pipe->out, nullptr, sink_->descriptor(), nullptr, left, SPLICE_F_MOVE);
      if (some <= 0) return false;
      left -= static_cast<std::size_t>(some);
      one.pipe->bytes -= static_cast<std::size_t>(some);
    }
    return true;
  }

  /// A full pipe that became empty is free again. Either thread may see it first.
  void recycle(Pipe* pipe) {
    if (pipe->bytes > 0 || !pipe->is_full.exchange(false)) return;
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(pipe);
    }
    changed_.notify_all();
  }

  SocketPtr source_, sink_;
  milliseconds delay_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Held> held_;
  std::vector<std::unique_ptr<Pipe>> pipes_;
  std::vector<Pipe*> free_;
  bool is_over_ = false;  ///< the sink takes no more
};

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void serve(int listener, int port, milliseconds delay) {
  for (;;) {
    const int accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0) continue;
    const auto client = std::make_shared<Socket>(accepted);
    const auto server = std::make_shared<Socket>(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    if (connect(server->descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) continue;
    std::make_shared<Direction>(client, server, delay)->begin();
    std::make_shared<Direction>(server, client, delay)->begin();
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "usage: delay_relay PORT MILLISECONDS\n"), 2;
  signal(SIGPIPE, SIG_IGN);
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, generic, size) != 0 || listen(listener, 16) != 0 ||
      getsockname(listener, generic, &size) != 0)
    return std::perror("delay_relay"), 1;
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  std::thread(serve, listener, std::atoi(words[1]), milliseconds(std::atoi(words[2]))).detach();
  while (std::getchar() != EOF) {
  }
  std::_Exit(0);
}
