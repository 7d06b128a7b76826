// A socket pair for messages that carry their sender's credentials.
#include "resmgr/keeper/words.hpp"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <unistd.h>

namespace dmm::keeper {

Words::Words() {
  const int on = 1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_) == 0)
    setsockopt(ends_[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
}

Words::~Words() {
  for (const int end : ends_)
    if (end >= 0) close(end);
}

bool Words::hear(Word& word, pid_t& process) const {
  iovec part{&word, sizeof word};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(ucred))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  ssize_t size = 0;
  while ((size = recvmsg(ends_[0], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) continue;
  const cmsghdr* const header = size == sizeof word ? CMSG_FIRSTHDR(&message) : nullptr;
  if (!header || header->cmsg_type != SCM_CREDENTIALS) return false;
  ucred credentials{};
  std::memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
  process = credentials.pid;
  return true;
}

bool say(int saying_end, const Word& word) {
  ssize_t size = 0;
  while ((size = send(saying_end, &word, sizeof word, MSG_NOSIGNAL)) < 0 && errno == EINTR) continue;
  return size == sizeof word;
}

}  // namespace dmm::keeper
