#include "resmgr/backends/process/keeper_link.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dmm {
namespace {

constexpr int ready_milliseconds = 7'000;  // beyond the wait for the lock; ending leftovers may take 5 s
constexpr int end_milliseconds = 5'000;
constexpr int unanswered_max = 3;  // the most beats that a live keeper leaves unanswered
constexpr int losing_max = 5;      // beats that a keeper with a closed socket has to end

using Clock = std::chrono::steady_clock;

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

void watch_in(int poll_set, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(poll_set, EPOLL_CTL_ADD, descriptor, &event);
}

// Safe if the process has ended.
void signal_through(int handle, int signal) { syscall(SYS_pidfd_send_signal, handle, signal, nullptr, 0); }

}  // namespace

// ---- starting and finding a keeper -------------------------------------------------------------------------------

KeeperLink::KeeperLink(const ProcessBackendSettings& settings)
    : directory_(settings.directory),
      executable_(settings.keeper_executable),
      lock_wait_(settings.lock_wait),
      outlive_(settings.outlive) {
  poll_set_ = epoll_create1(EPOLL_CLOEXEC);
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const timespec beat{settings.beat.microseconds / 1'000'000, settings.beat.microseconds % 1'000'000 * 1000};
  const itimerspec beats{beat, beat};
  timerfd_settime(timer_, 0, &beats, nullptr);
  for (const int descriptor : {bell_, timer_}) watch_in(poll_set_, descriptor);
}

KeeperLink::~KeeperLink() {
  for (const int descriptor : {poll_set_, bell_, timer_})
    if (descriptor >= 0) close(descriptor);
}

KeeperLink::Found KeeperLink::start_first(Duration keep, const keeper::Rules& rules) {
  if (std::string fault = start(true, lock_wait_, keep, rules); !fault.empty()) return fault;
  const auto patience = lock_wait_.microseconds / 1000 + ready_milliseconds;
  auto ready = await_ready(static_cast<int>(patience), rules);
  if (!ready) return give_up();
  return std::move(*ready);
}

KeeperLink::Found KeeperLink::find(Duration keep, const keeper::Rules& rules) {
  const Clock::time_point deadline = Clock::now() + std::chrono::microseconds(lock_wait_.microseconds);
  do {
    const keeper::LiveKeeper found = keeper::connect_to(directory_);
    if (!found.fault.empty()) return found.fault;
    if (found.socket >= 0) {
      connect(found);
      is_new_ = false;
      if (auto ready = await_ready(milliseconds_until(deadline), rules)) return std::move(*ready);
      is_new_ = true;
      part();  // it ended just now, or doesn't answer
    } else if (!keeper::is_locked(directory_)) {
      if (std::string fault = start(true, Duration{}, keep, rules); !fault.empty()) return fault;
      auto ready = await_ready(ready_milliseconds, rules);
      if (!ready) return give_up();
      if (!ready->locked) return std::move(*ready);
      close_socket();
      end();
    }
    usleep(10'000);
  } while (Clock::now() < deadline);
  return no_answer();
}

std::string KeeperLink::give_up() {
  close_socket();
  return text_of(end());
}

std::string KeeperLink::text_of(End end) const {
  return executable_ + (end == End::of_other_build
                            ? " is of another build than this program: install all programs of one build"
                            : " gave no sign of life, or ended at once");
}

std::string KeeperLink::no_answer() const {
  const std::string process = keeper::holder_of(directory_);
  return "the keeper of the jobs in " + directory_ + " (process " + process + ") did not answer within " +
         std::to_string(lock_wait_.microseconds / 1000) + " ms: if it is stopped, \"kill -CONT " + process +
         "\" lets it go on; \"kill -KILL " + process + "\" ends it and its jobs";
}

std::string KeeperLink::start(bool fresh, Duration lock_wait, Duration keep, const keeper::Rules& rules) {
  const auto started = keeper::start({executable_, directory_, keep, lock_wait, fresh, outlive_});
  if (!started.fault.empty()) return started.fault;
  connect(started);
  say_hello(rules);
  return {};
}

void KeeperLink::connect(const keeper::LiveKeeper& found) {
  ready_ = false;
  watches_write_ = false;
  unanswered_ = 0;
  process_ = found.process;
  silent_ = false;
  handle_ = found.handle;
  secret_ = found.secret;
  channel_ = std::make_unique<keeper::Channel>(found.socket);
  watch_in(poll_set_, found.socket);
}

void KeeperLink::say_hello(const keeper::Rules& rules) { send(keeper::Hello{secret_, rules}); }

// The keeper's next frame; nothing if it doesn't come in time, or the keeper is gone.
std::optional<std::string_view> KeeperLink::await_frame(int milliseconds) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  bool alive = true;
  while (!channel_->has_next()) {
    if (!alive || !keeper::wait_readable(channel_->descriptor(), milliseconds_until(deadline)))
      return std::nullopt;
    alive = channel_->receive();
  }
  return channel_->next();
}

// The keeper's first frames; nothing if they don't come in time. A keeper that was there already asks for our Hello
// first.
std::optional<keeper::Ready> KeeperLink::await_ready(int milliseconds, const keeper::Rules& rules) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (const auto frame = await_frame(milliseconds_until(deadline))) {
    auto report = keeper::unpack<keeper::Report>(*frame);
    if (auto* const ready = report ? std::get_if<keeper::Ready>(&*report) : nullptr) return std::move(*ready);
    const auto* const challenge = report ? std::get_if<keeper::Challenge>(&*report) : nullptr;
    if (!challenge || challenge->version != keeper::frames_version) {
      keeper::Ready refusal;
      refusal.fault = "the keeper in " + directory_ + " (process " + std::to_string(process_) +
                      ") is of another build: start the manager of that build, or end the keeper and its jobs";
      return refusal;
    }
    say_hello(rules);
  }
  return std::nullopt;
}

// ---- frames ------------------------------------------------------------------------------------------------------

void KeeperLink::ring() { eventfd_write(bell_, 1); }

void KeeperLink::quiet() {
  eventfd_t rung = 0;
  eventfd_read(bell_, &rung);
}

void KeeperLink::send(const keeper::Order& order) {
  if (!channel_) return;
  channel_->queue(keeper::pack(order));
  flush();
}

void KeeperLink::flush() {
  // The backend's take_reports notices a socket that fails, and only it replaces the keeper.
  if (!channel_->flush()) return ring();
  watch();
}

bool KeeperLink::receive() { return channel_->receive(); }

std::optional<std::string_view> KeeperLink::next() { return channel_ ? channel_->next() : std::nullopt; }

bool KeeperLink::has_next() const { return channel_->has_next(); }

bool KeeperLink::write_waiting() { return channel_->flush(); }

void KeeperLink::watch() {
  if (!channel_ || channel_->wants_to_write() == watches_write_) return;
  watches_write_ = !watches_write_;
  epoll_event event{};
  event.events = EPOLLIN;
  if (watches_write_) event.events |= EPOLLOUT;
  epoll_ctl(poll_set_, EPOLL_CTL_MOD, channel_->descriptor(), &event);
}

void KeeperLink::drain(int milliseconds) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (channel_ && channel_->flush() && channel_->wants_to_write()) {
    pollfd polled{channel_->descriptor(), POLLOUT, 0};
    if (poll(&polled, 1, milliseconds_until(deadline)) <= 0) return;
  }
}

// ---- its silence and its end -------------------------------------------------------------------------------------

bool KeeperLink::beat() {
  std::uint64_t times = 0;
  if (read(timer_, &times, sizeof times) <= 0) return false;
  if (losing_) ++losing_beats_;
  if (losing_ || !channel_ || !ready_) return false;
  if (unanswered_ < unanswered_max) {
    ++unanswered_;
    send(keeper::Beat{});
    return false;
  }
  signal_through(handle_, SIGCONT);
  return !std::exchange(silent_, true);
}

bool KeeperLink::note_heard() {
  unanswered_ = 0;
  return std::exchange(silent_, false);
}

void KeeperLink::close_socket() { channel_.reset(); }

void KeeperLink::part() {
  channel_.reset();  // also takes it out of the poll set
  if (handle_ >= 0) close(handle_);
  handle_ = -1;
  process_ = 0;
  silent_ = false;
  ready_ = false;
  losing_ = false;
}

KeeperLink::End KeeperLink::end() {
  std::optional<int> status;
  if (process_) status = keeper::wait_for_end(process_, handle_, end_milliseconds);
  process_ = 0;
  silent_ = false;
  handle_ = -1;
  losing_ = false;
  const bool is_of_other = status && WIFEXITED(*status) && WEXITSTATUS(*status) == keeper::other_build_exit;
  return is_of_other ? End::of_other_build : End::unknown;
}

void KeeperLink::lose() {
  channel_.reset();  // also takes it out of the poll set
  losing_ = true;
  losing_beats_ = 0;
  if (handle_ >= 0) watch_in(poll_set_, handle_);
}

KeeperLink::Loss KeeperLink::look_for_end() {
  if (handle_ < 0 || keeper::wait_readable(handle_, 0)) return Loss::ended;
  if (losing_beats_ < losing_max) return Loss::unknown;
  if (outlive_) return Loss::replaced;  // it lives, but couldn't send us its last frame
  signal_through(handle_, SIGKILL);
  return Loss::unknown;
}

}  // namespace dmm
