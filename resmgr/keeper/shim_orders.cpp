// Descriptors travel as ancillary data. Real-time signals carry the job's serial number, and are queued one by one.
#include "resmgr/keeper/shim_orders.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

#include <sys/socket.h>
#include <unistd.h>

namespace dmm::keeper {
namespace {

// One order on its way: which descriptors there are, and room for these.
struct Letter {
  std::array<bool, ShimFiles{}.size()> there{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ShimFiles))> room{};
  iovec part{&there, sizeof there};
  msghdr message{};

  Letter() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
  }
  Letter(const Letter&) = delete;
  Letter& operator=(const Letter&) = delete;
};

int number_of(ShimSignal signal) { return signal == ShimSignal::end ? SIGRTMIN : SIGRTMIN + 1; }

}  // namespace

bool order_job(int socket, const ShimFiles& files) {
  Letter letter;
  ShimFiles sent{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < files.size(); ++i)
    if ((letter.there.at(i) = files.at(i) >= 0)) sent.at(count++) = files.at(i);
  letter.message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* const header = CMSG_FIRSTHDR(&letter.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(header), sent.data(), count * sizeof(int));
  ssize_t size = 0;
  while ((size = sendmsg(socket, &letter.message, MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 && errno == EINTR) continue;
  return size == sizeof letter.there;
}

bool await_job(int socket, ShimFiles& files) {
  Letter letter;
  ssize_t size = 0;
  while ((size = recvmsg(socket, &letter.message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) continue;
  const cmsghdr* const header = size == sizeof letter.there ? CMSG_FIRSTHDR(&letter.message) : nullptr;
  if (!header || header->cmsg_type != SCM_RIGHTS) return false;
  ShimFiles sent{};
  std::memcpy(sent.data(), CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  std::size_t next = 0;
  for (std::size_t i = 0; i < files.size(); ++i) files.at(i) = letter.there.at(i) ? sent.at(next++) : -1;
  return true;
}

void signal_shim(pid_t shim, std::uint64_t serial, ShimSignal signal) {
  sigval value{};
  value.sival_ptr = reinterpret_cast<void*>(serial);
  sigqueue(shim, number_of(signal), value);
}

bool await_signal(std::uint64_t serial, pid_t keeper, ShimSignal& signal) {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int number : {SIGCHLD, number_of(ShimSignal::end), number_of(ShimSignal::kill)})
    sigaddset(&awaited, number);
  siginfo_t said{};
  while (true) {
    const int number = sigwaitinfo(&awaited, &said);
    if (number < 0 && errno == EINTR) continue;
    if (number <= 0 || number == SIGCHLD) return false;
    if (said.si_pid != keeper || said.si_value.sival_ptr != reinterpret_cast<void*>(serial)) continue;
    signal = number == number_of(ShimSignal::end) ? ShimSignal::end : ShimSignal::kill;
    return true;
  }
}

}  // namespace dmm::keeper
