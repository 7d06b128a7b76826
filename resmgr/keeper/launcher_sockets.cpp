#include "resmgr/keeper/launcher_sockets.hpp"

#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "resmgr/keeper/ready_line.hpp"

namespace dmm::keeper {
namespace {

/// The text of all tasks of a job is at most a few hundred kilobytes; the socket takes it whole.
constexpr int room_of_socket = 2 * 1024 * 1024;

}  // namespace

Launches::~Launches() {
  for (const auto& [serial, launch] : launches_)
    if (launch.socket >= 0) ::close(launch.socket);
}

int Launches::open(std::uint64_t serial) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room_of_socket, sizeof room_of_socket);
  launches_[serial] = {ends[0], false, {}};
  return ends[1];
}

void Launches::close(std::uint64_t serial) {
  const auto found = launches_.find(serial);
  if (found == launches_.end()) return;
  if (found->second.socket >= 0) ::close(found->second.socket);
  launches_.erase(found);
}

bool Launches::awaits(std::uint64_t serial) const {
  const auto found = launches_.find(serial);
  return found != launches_.end() && !found->second.ready;
}

std::string Launches::contact_of(std::uint64_t serial) const {
  const auto found = launches_.find(serial);
  return found != launches_.end() && found->second.ready ? found->second.said : std::string();
}

void Launches::add_to(std::vector<pollfd>& polled) const {
  for (const auto& [serial, launch] : launches_)
    if (launch.socket >= 0 && !launch.ready) polled.push_back({launch.socket, POLLIN, 0});
}

bool Launches::hear(LauncherWord& word) {
  for (auto& [serial, launch] : launches_) {
    if (launch.socket < 0 || launch.ready || !read_line(launch)) continue;
    const ReadyLine line = parse_ready_line(launch.said);
    word = {serial, line.fault, line.text};
    launch.ready = line.fault == StartFault::none;
    launch.said = line.text;
    if (!launch.ready) ::close(std::exchange(launch.socket, -1));
    return true;
  }
  return false;
}

/// Whether a whole line was read. A launcher that closes its end first needs no socket any more.
bool Launches::read_line(Launch& launch) const {
  char text[512];
  ssize_t count = 0;
  while ((count = read(launch.socket, text, sizeof text)) > 0) {
    launch.said.append(text, static_cast<std::size_t>(count));
    if (launch.said.ends_with('\n')) break;
    if (launch.said.size() > ready_line_bytes_max) launch.said.clear();
  }
  if (count == 0) ::close(std::exchange(launch.socket, -1));
  if (!launch.said.ends_with('\n')) return false;
  launch.said.pop_back();
  return true;
}

bool Launches::go(std::uint64_t serial, const std::string& text) {
  const auto found = launches_.find(serial);
  if (found == launches_.end() || found->second.socket < 0 || !found->second.ready) return false;
  // The end of the text is the end of the socket.
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t count = send(found->second.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  ::close(std::exchange(found->second.socket, -1));
  return true;
}

}  // namespace dmm::keeper
