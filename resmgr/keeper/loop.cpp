// The keeper's loop: orders, words of shims, deaths of children, deadlines; then a look at the rest of jobs that end.
#include "resmgr/keeper/loop.hpp"

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dmm::keeper {
namespace {

constexpr int orders_a_turn = 16;        // a start takes about 0.3 ms
constexpr Clock disk_pause = 5'000'000;  // from the start of one walk over jobs' directories to the next
constexpr std::size_t piece_max = 48 * 1024;

}  // namespace

Keeper::Keeper(const Settings& settings, const Marks& marks, JobFolder& folder, Door& door)
    : settings_(settings), folder_(folder), door_(door), jobs_(settings.state, marks) {
  channel_ = std::make_unique<Channel>(settings.socket);
  jobs_.keep_until(later(now(), settings_.keep));
  if (settings_.outlive) last_serial_ = outcomes_.load(folder_, settings_.fresh);
}

void Keeper::run() {
  if (folder_.has_removed()) helpers_.remover.start(folder_);
  while (is_needed()) {
    // With `outlive`, the last orders of a manager that is gone are read first, and its end after them.
    if (channel_ && !channel_->flush() && !settings_.outlive) end_all();
    wait();
    jobs_.hear_words();
    jobs_.hear_launchers();
    reap();
    for (int count = 0; count < orders_a_turn && take_order(); ++count) continue;
    jobs_.ring_alarms(helpers_);
    look_at_output();
    look_at_disk();
    jobs_.settle(helpers_);
    pass_on();
    outcomes_.keep_unkept(folder_);
  }
  door_.close();
  end_rest();
}

bool Keeper::is_needed() const { return !jobs_.are_none() || ((channel_ || outcomes_.has_unkept()) && !closing_); }

// Ends the remover, starts that were given up, and processes that a job hid from its mark. The lock tells that nothing
// is left.
void Keeper::end_rest() {
  helpers_.remover.stop();
  for (int tries = 0; tries < 1000; ++tries) {
    const bool none_left = jobs_.kill_rest(helpers_);
    if (none_left && helpers_.are_gone()) return;
    for (const pid_t helper : {helpers_.remover.process(), helpers_.disk.child()})
      if (helper != 0) kill(helper, SIGKILL);
    usleep(1000);
    reap();
  }
}

Clock Keeper::next_wake() const {
  if (channel_ && channel_->has_next()) return 0;
  Clock wake = jobs_.are_none() && channel_ ? endless : jobs_.deadline();
  wake = std::min(wake, jobs_.next_wake());
  if (outcomes_.has_unkept()) wake = std::min(wake, outcomes_.keep_again());
  if (channel_ && !jobs_.are_none()) wake = std::min(wake, output_sizes_.next_look());
  if (jobs_.confinement().rules.disk_bytes > 0 && !jobs_.are_none() && !helpers_.disk.is_walking())
    wake = std::min(wake, disk_looked_at_ + disk_pause);
  return std::min(wake, door_.next_deadline());
}

void Keeper::wait() {
  const Clock wake = next_wake();
  int timeout = -1;
  if (wake != endless) timeout = static_cast<int>(std::clamp<Clock>((wake - now() + 999) / 1000, 0, 60'000));
  // The door before the channel: what a manager sent before the next one connected is read, too. poll() ignores a
  // negative descriptor.
  std::vector<pollfd> polled{{settings_.signals, POLLIN, 0},
                             {jobs_.words_descriptor(), POLLIN, 0},
                             {channel_ ? channel_->descriptor() : -1, POLLIN, 0},
                             {helpers_.disk.descriptor(), POLLIN, 0}};
  if (channel_ && channel_->wants_to_write()) polled[2].events |= POLLOUT;
  jobs_.add_launchers_to(polled);
  const std::size_t doors = polled.size();
  for (const int descriptor : door_.descriptors()) polled.push_back({descriptor, POLLIN, 0});
  poll(polled.data(), polled.size(), timeout);
  if (polled[0].revents) {
    signalfd_siginfo signal;
    while (read(settings_.signals, &signal, sizeof signal) > 0) continue;
  }
  const bool spoken = polled[2].revents & (POLLIN | POLLHUP | POLLERR);
  if (spoken && !channel_->receive()) hang_up();
  const bool all_heard = !channel_ || (!spoken && !channel_->has_next());
  const bool knocked = std::any_of(polled.begin() + static_cast<std::ptrdiff_t>(doors), polled.end(),
                                   [](const pollfd& one) { return one.revents != 0; });
  if ((knocked || now() >= door_.next_deadline()) && all_heard && !closing_) let_in();
}

// ---- managers --------------------------------------------------------------------------------------------------

void Keeper::let_in() {
  Rules rules;
  while (auto channel = door_.admit(rules)) {
    if (channel_) {
      send(Replaced{});
      channel_->flush();
      shutdown(channel_->descriptor(), SHUT_RDWR);  // the remover may have a copy of the descriptor
    }
    channel_ = std::move(channel);
    greet(jobs_.obey(rules, folder_));
  }
}

// Reports everything to a manager that knows nothing yet.
void Keeper::greet(std::string fault) {
  output_sizes_.forget_all();
  Ready ready;
  ready.fault = std::move(fault);
  ready.last_serial = last_serial_;
  ready.isolation = jobs_.confinement().isolation_text;
  ready.no_accounts = jobs_.confinement().no_accounts;
  for (const auto& [serial, job] : jobs_.all())
    ready.jobs.push_back({serial, job.order.name, job.order.awaits_go ? 0 : job.leader});
  for (const auto& [directory, outcome] : outcomes_.all()) ready.jobs.push_back(outcome.job);
  send(ready);
  for (const auto& [serial, job] : jobs_.all())
    if (!job.stuck.empty()) send(JobStuck{serial, job.stuck});
  for (const auto& [serial, job] : jobs_.all())
    if (job.order.awaits_go && jobs_.is_ready(serial, job)) send(jobs_.start_of(serial, job));
  for (const auto& [directory, outcome] : outcomes_.all()) send(with_streams(outcome.end, directory, folder_));
}

void Keeper::hang_up() {
  if (!settings_.outlive) return end_all();
  while (take_order()) continue;
  channel_.reset();
}

// ---- orders ----------------------------------------------------------------------------------------------------

// False if there is none.
bool Keeper::take_order() {
  const auto frame = channel_ ? channel_->next() : std::nullopt;
  if (!frame) return false;
  if (auto order = unpack<Order>(*frame)) {
    std::visit([&](auto& body) { carry_out(body); }, *order);
  } else {
    end_all();  // not our manager
  }
  return true;
}

void Keeper::carry_out(StartJob& order) {
  const Clock time = now();
  last_serial_ = std::max(last_serial_, order.serial);
  const bool started = jobs_.start(order, folder_);
  // The manager lives: it ordered this.
  if (started && jobs_.deadline() == endless) jobs_.keep_until(later(time, settings_.keep));
  pass_on();
}

void Keeper::carry_out(const ReadFile& order) {
  FilePart part = folder_.read(order.directory, order.stream, order.offset, piece_max);
  send(FileRead{std::move(part.data), part.size});
}

void Keeper::carry_out(const RemoveDirectory& order) {
  outcomes_.remove(order.directory, folder_);
  if (folder_.remove(order.directory)) helpers_.remover.start(folder_);
}

void Keeper::carry_out(const KeepJobs& order) { jobs_.keep_until(later(now(), order.length)); }

void Keeper::carry_out(const EndAll&) { end_all(); }

// From the manager that started this keeper. A manager that comes by the door sends its Hello there.
void Keeper::carry_out(const Hello& order) { greet(jobs_.obey(order.rules, folder_)); }

void Keeper::carry_out(const Beat&) { send(Beat{}); }

// ---- what happens to jobs --------------------------------------------------------------------------------------

void Keeper::reap() {
  bool removed = false;
  for (const pid_t process : jobs_.reap()) {
    removed = removed || process == helpers_.remover.process();
    if (process == helpers_.disk.child()) helpers_.disk.child_ended();
  }
  if (removed) helpers_.remover.ended(folder_);
  pass_on();
}

// Tells the manager what happened to jobs. Called after every step that makes events, and before any order: greet()
// tells the present state.
void Keeper::pass_on() {
  for (Jobs::Event& event : jobs_.take_events()) {
    if (auto* const over = std::get_if<OverJob>(&event)) report_end(*over);
    if (const auto* const started = std::get_if<JobStarted>(&event)) send(*started);
    if (const auto* const stuck = std::get_if<JobStuck>(&event)) send(*stuck);
  }
}

void Keeper::report_end(OverJob& over) {
  output_sizes_.forget(over.end.serial);
  if (settings_.outlive) outcomes_.add(over.directory, {.job = over.job, .end = over.end}, folder_);
  send(with_streams(std::move(over.end), over.directory, folder_));
  folder_.job_ended(over.directory);
}

void Keeper::end_all() {
  closing_ = true;
  channel_.reset();
  door_.close();
  jobs_.kill_all();
}

// Reports what jobs wrote since the last report.
void Keeper::look_at_output() {
  if (!channel_ || jobs_.are_none() || now() < output_sizes_.next_look()) return;
  for (const OutputSize& size : output_sizes_.look(jobs_.all(), folder_)) send(size);
}

void Keeper::look_at_disk() {
  DiskWatch& disk = helpers_.disk;
  for (const auto& [serial, bytes] : disk.take()) jobs_.note_disk(serial, bytes, helpers_);
  if (jobs_.confinement().rules.disk_bytes == 0 || jobs_.are_none() || disk.is_walking() ||
      now() < disk_looked_at_ + disk_pause)
    return;
  disk_looked_at_ = now();
  std::vector<DiskWatch::Directory> directories;
  for (const auto& [serial, job] : jobs_.all())
    if (!job.leader_ended) directories.push_back({serial, folder_.prefix() + job.order.directory});
  disk.walk(directories);
}

}  // namespace dmm::keeper
