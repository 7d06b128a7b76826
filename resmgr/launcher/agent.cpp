#include "resmgr/launcher/agent.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/launcher/programs_here.hpp"

namespace dmm::launcher {
namespace {

constexpr int terminated = SIGTERM;  // status of waitpid of a program that SIGTERM ended
constexpr std::size_t sessions_max = 1'000;

}  // namespace

Agent::Agent(int listener, std::string token) : listener_(listener), token_(std::move(token)) {
  sigset_t heeded;
  sigemptyset(&heeded);
  for (const int number : {SIGCHLD, SIGTERM}) sigaddset(&heeded, number);
  sigprocmask(SIG_BLOCK, &heeded, nullptr);
  signals_ = signalfd(-1, &heeded, SFD_NONBLOCK | SFD_CLOEXEC);
}

Agent::~Agent() {
  close(listener_);
  close(signals_);
  for (Session& session : sessions_) end(session);
}

/// The output of the program is not wanted any more.
void Agent::end(Session& session) {
  if (session.process != 0 && !session.ended) kill(-session.process, SIGTERM);
  session.process = 0;
  for (int& pipe : session.output)
    if (pipe >= 0) close(std::exchange(pipe, -1));
}

int Agent::serve(pid_t main) {
  main_ = main;
  const auto has_program = [](const Session& session) { return session.process != 0 && !session.ended; };
  for (;;) {
    reap();
    if (main_ended_) return main_status_;
    if (finished_) return 0;
    if (asked_to_end_ && main_ == 0 && std::ranges::none_of(sessions_, has_program)) return terminated;
    wait();
    for (Session& session : sessions_) {
      for (const Stream stream : both_streams) pass_output(session, stream);
      if (!session.channel.flush()) session.closed = true;
    }
    drop_closed();
  }
}

void Agent::wait() {
  std::vector<pollfd> polled{{signals_, POLLIN, 0}, {listener_, POLLIN, 0}};
  for (Session& session : sessions_) {
    const bool is_full = session.channel.wants_to_write();
    polled.push_back({session.channel.descriptor(), static_cast<short>(is_full ? POLLIN | POLLOUT : POLLIN), 0});
    // While the other end takes no more, don't read from the program either.
    for (const int pipe : session.output) polled.push_back({is_full ? -1 : pipe, POLLIN, 0});
  }
  poll(polled.data(), polled.size(), -1);
  signalfd_siginfo signal;
  while (read(signals_, &signal, sizeof signal) > 0)
    if (signal.ssi_signo == SIGTERM) asked_to_end_ = true;
  for (Session& session : sessions_) take_orders(session);
  accept_all();
}

void Agent::accept_all() {
  int socket = -1;
  while ((socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    if (sessions_.size() >= sessions_max) drop_oldest_stranger();
    if (sessions_.size() < sessions_max)
      sessions_.emplace_back(socket);
    else
      close(socket);
  }
}

/// Drops the oldest connection without an order.
void Agent::drop_oldest_stranger() {
  const auto stranger = std::ranges::find_if(
      sessions_, [](const Session& session) { return session.process == 0 && !session.ended; });
  if (stranger != sessions_.end()) sessions_.erase(stranger);
}

void Agent::take_orders(Session& session) {
  if (!session.channel.receive()) session.closed = true;
  while (const auto frame = session.channel.next()) {
    auto order = keeper::unpack<Order>(*frame);
    const bool is_ours = order && std::visit([&](const auto& body) { return body.token == token_; }, *order);
    if (!is_ours) {
      session.closed = true;
      return;
    }
    std::visit([&](auto& body) { carry_out(session, body); }, *order);
  }
}

void Agent::carry_out(Session& session, StartProgram& order) {
  int pipes[2][2] = {{-1, -1}, {-1, -1}};
  const bool is_possible = session.process == 0 && !session.ended && !order.arguments.empty() &&
                           pipe2(pipes[0], O_CLOEXEC) == 0 && pipe2(pipes[1], O_CLOEXEC) == 0;
  if (is_possible) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    session.process = start_program(order.arguments, order.variables, {nothing, pipes[0][1], pipes[1][1]}, true);
    close(nothing);
  }
  for (const Stream stream : both_streams) {
    auto& [reading, writing] = pipes[static_cast<std::size_t>(stream)];
    if (writing >= 0) close(writing);
    if (session.process == 0 && reading >= 0) close(std::exchange(reading, -1));
    if (reading >= 0) fcntl(reading, F_SETFL, O_NONBLOCK);
    session.output[static_cast<std::size_t>(stream)] = reading;
  }
  if (session.process == 0) session.closed = true;
}

void Agent::carry_out(Session&, Finish&) { finished_ = true; }

void Agent::pass_output(Session& session, Stream stream) {
  int& pipe = session.output[static_cast<std::size_t>(stream)];
  char data[32 * 1024];
  while (pipe >= 0 && !session.channel.wants_to_write()) {
    const ssize_t count = read(pipe, data, sizeof data);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      close(std::exchange(pipe, -1));
      break;
    }
    session.channel.queue(keeper::pack(Report(Wrote{stream, std::string(data, static_cast<std::size_t>(count))})));
    if (!session.channel.flush()) session.closed = true;
  }
}

/// The rest of an ended program's output goes before its end.
void Agent::tell_end(Session& session) {
  for (const Stream stream : both_streams) pass_output(session, stream);
  session.channel.queue(keeper::pack(Report(Over{session.status})));
  session.channel.flush();
}

void Agent::reap() {
  int status = 0;
  pid_t process = 0;
  while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
    if (process == main_) {
      main_ended_ = true;
      main_status_ = status;
      continue;
    }
    const auto session = std::ranges::find(sessions_, process, &Session::process);
    if (session == sessions_.end()) continue;
    session->ended = true;
    session->status = status;
    tell_end(*session);
  }
}

void Agent::drop_closed() {
  std::erase_if(sessions_, [](Session& session) {
    if (session.closed) end(session);
    return session.closed;
  });
}

}  // namespace dmm::launcher
