// A party of role client around an endpoint and a transport; see client.hpp.
#include "runtime/client.hpp"

#include <unistd.h>

#include <utility>

#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/incarnation.hpp"

namespace dmm {
namespace {

constexpr std::size_t submit_bytes_max = 200 * 1024;

/// A name that no other client has: two programs have different process ids, and one program doesn't make two clients
/// within a microsecond.
EndpointSettings settings_of_client() {
  const std::string name = std::to_string(::getpid()) + '-' + std::to_string(wall_microseconds());
  EndpointSettings settings;
  settings.self = {SiteName("client"), Role::client, name};
  settings.incarnation = session_incarnation(incarnation_now());
  settings.admission.clients = false;
  return settings;
}

/// Bytes of a job on the wire, roughly and rather too many.
std::size_t bytes_of(const JobDescription& job) {
  std::size_t bytes = 256 + job.name.size() + job.program.working_directory.size() + job.output_path.size() +
                      job.error_path.size() + 64 * job.need.components.size();
  for (const std::string& text : job.program.arguments) bytes += 5 + text.size();
  for (const std::string& text : job.program.environment) bytes += 5 + text.size();
  for (const auto& split : job.need.splits) bytes += 5 + 5 * split.size();
  for (const auto& [name, value] : job.need.constraints.attributes) bytes += 10 + name.size() + value.size();
  return bytes;
}

std::string seconds_text(Duration length) {
  const std::int64_t tenths = length.microseconds / 100'000;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) (text += '.') += std::to_string(tenths % 10);
  return text;
}

}  // namespace

ClientPool::ClientPool() : endpoint_(settings_of_client()) {}

std::variant<std::size_t, std::string> ClientPool::connect(const Party& manager, const std::string& endpoint) {
  if (const auto known = numbers_.find(manager); known != numbers_.end()) return known->second;
  auto dialled = transport_.dial(endpoint);
  if (const auto* fault = std::get_if<TransportFault>(&dialled)) return fault->text;
  endpoint_.dial(monotonic_now(), std::get<Connection>(dialled), manager);
  numbers_.emplace(manager, managers_.size());
  managers_.push_back({manager, endpoint, false, {}});
  return managers_.size() - 1;
}

// ---- questions -----------------------------------------------------------------------------------------------------

std::uint64_t ClientPool::ask(std::size_t manager, std::string verb, std::string argument) {
  const std::uint64_t token = ++last_token_;
  return put(manager, token, Ask{token, std::move(verb), std::move(argument)});
}

std::uint64_t ClientPool::submit(std::size_t manager, std::vector<JobDescription> jobs) {
  const std::uint64_t token = ++last_token_;
  std::size_t bytes = 0;
  for (const JobDescription& job : jobs) bytes += bytes_of(job);
  if (bytes <= submit_bytes_max) {
    Submit submit{token, std::move(jobs)};
    submits_.emplace(token, submit);
    return put(manager, token, std::move(submit));
  }
  open_.emplace(token, manager);
  close(token, {.fault = "these " + std::to_string(jobs.size()) + " jobs are more than one message takes; submit fewer",
                .text = {}, .submitted = {}});
  return token;
}

std::uint64_t ClientPool::put(std::size_t manager, std::uint64_t token, Message message) {
  open_.emplace(token, manager);
  Manager& to = managers_[manager];
  if (!to.up) {
    to.waiting.push_back(std::move(message));
    return token;
  }
  Effects effects;
  effects.send(to.party, std::move(message));
  endpoint_.send(monotonic_now(), effects);
  return token;
}

void ClientPool::close(std::uint64_t token, Reply reply) {
  const auto question = open_.find(token);
  if (question == open_.end()) return;  // given up before, or answered twice
  reply.manager = question->second;
  reply.token = token;
  open_.erase(question);
  submits_.erase(token);
  replies_.push_back(std::move(reply));
}

Reply ClientPool::give_up(std::uint64_t token, Duration waited) {
  const auto question = open_.find(token);
  if (question == open_.end()) return {.token = token, .fault = "no such question", .text = {}, .submitted = {}};
  const Manager& manager = managers_[question->second];
  std::string fault = "no answer from " + to_text(manager.party) + " at " + manager.endpoint + " within " +
                      seconds_text(waited) + " s";
  for (const LinkView& link : endpoint_.links())
    if (link.peer == manager.party && !manager.up && !link.last_error.empty()) fault += " (" + link.last_error + ')';
  fault += manager.up ? ", though it is there: is it very busy?" : ": is it running?";
  Reply reply{.manager = question->second, .token = token, .fault = std::move(fault), .text = {}, .submitted = {}};
  open_.erase(question);
  submits_.erase(token);
  return reply;
}

// ---- waiting -------------------------------------------------------------------------------------------------------

std::vector<Reply> ClientPool::poll(Duration at_most) {
  const Instant end = monotonic_now() + at_most;
  for (Instant now = monotonic_now();; now = monotonic_now()) {
    step(replies_.empty() && end > now ? end - now : Duration{});
    if (!replies_.empty() || monotonic_now() >= end) break;
  }
  std::vector<Reply> replies;
  for (Reply& reply : std::exchange(replies_, {})) replies.push_back(std::move(reply));
  return replies;
}

Reply ClientPool::wait(std::uint64_t token, Duration within) {
  const Instant end = monotonic_now() + within;
  while (open_.contains(token) && monotonic_now() < end) step(end - monotonic_now());
  for (auto reply = replies_.begin(); reply != replies_.end(); ++reply) {
    if (reply->token != token) continue;
    Reply found = std::move(*reply);
    replies_.erase(reply);
    return found;
  }
  return give_up(token, within);
}

std::vector<Reply> ClientPool::wait_all(Duration within) {
  const Instant end = monotonic_now() + within;
  while (!open_.empty() && monotonic_now() < end) step(end - monotonic_now());
  std::map<std::uint64_t, Reply> by_token;
  for (Reply& reply : replies_) by_token.emplace(reply.token, std::move(reply));
  replies_.clear();
  while (!open_.empty()) {
    const std::uint64_t token = open_.begin()->first;
    by_token.emplace(token, give_up(token, within));
  }
  std::vector<Reply> replies;
  for (auto& [token, reply] : by_token) replies.push_back(std::move(reply));
  return replies;
}

void ClientPool::step(Duration at_most) {
  endpoint_.tick(monotonic_now());
  take_link_events();
  send_frames();
  const Instant now = monotonic_now();
  const Duration due = std::max(Duration{}, std::min(endpoint_.next_deadline(), now + at_most) - now);
  transport_.wait(due);
  take_messages();
  take_link_events();
  send_frames();
}

void ClientPool::take_messages() {
  const Instant now = monotonic_now();
  Arrival arrival;
  for (int taken = 0; taken < 256 && transport_.receive(arrival); ++taken) {
    if (!arrival.refusal.empty()) {
      endpoint_.refuse(arrival.connection, arrival.refusal);
      continue;
    }
    endpoint_.receive(now, arrival.connection, arrival.bytes, received_);
  }
  for (Received& received : std::exchange(received_, {})) {
    if (auto* answer = std::get_if<Answer>(&received.message))
      close(answer->token, {.fault = std::move(answer->fault), .text = std::move(answer->text), .submitted = {}});
    else if (auto* submitted = std::get_if<Submitted>(&received.message))
      close(submitted->token, {.fault = submitted->fault, .text = {}, .submitted = *submitted});
  }
}

void ClientPool::take_link_events() {
  for (auto& event : endpoint_.take_link_events()) {
    if (std::holds_alternative<LinkPressed>(event)) continue;
    const LinkUp* up = std::get_if<LinkUp>(&event);
    const Party& peer = up ? up->peer : std::get<LinkDown>(event).peer;
    const auto number = numbers_.find(peer);
    if (number == numbers_.end()) continue;
    managers_[number->second].up = up != nullptr;
    if (up) came_up(number->second, up->restarted);
  }
}

/// A manager that is new to us, or was restarted, is handed all jobs that it hasn't answered for: of those that it took
/// before, it knows. An order isn't repeated: who was told to stop, and is there again, was started on purpose.
void ClientPool::came_up(std::size_t number, bool restarted) {
  Manager& manager = managers_[number];
  Effects effects;
  for (Message& message : std::exchange(manager.waiting, {}))
    if (!restarted || !std::holds_alternative<Submit>(message)) effects.send(manager.party, std::move(message));
  if (restarted)
    for (const auto& [token, submit] : submits_)
      if (open_.at(token) == number) effects.send(manager.party, submit);
  endpoint_.send(monotonic_now(), effects);
}

void ClientPool::send_frames() {
  endpoint_.take_frames([this](const Frame& frame) {
    if (!transport_.send(frame.connection, frame.bytes)) endpoint_.undeliverable(frame.connection);
  });
}

// ---- one manager ---------------------------------------------------------------------------------------------------

std::string Client::connect() {
  if (std::exchange(connected_, true)) return {};
  const auto connected = pool_.connect(manager_, endpoint_);
  const auto* fault = std::get_if<std::string>(&connected);
  connected_ = fault == nullptr;
  return fault ? *fault : std::string{};
}

Reply Client::ask(const std::string& verb, const std::string& argument) {
  if (std::string fault = connect(); !fault.empty()) return {.fault = std::move(fault), .text = {}, .submitted = {}};
  return pool_.wait(pool_.ask(0, verb, argument), within_);
}

Reply Client::submit(std::vector<JobDescription> jobs) {
  if (std::string fault = connect(); !fault.empty()) return {.fault = std::move(fault), .text = {}, .submitted = {}};
  return pool_.wait(pool_.submit(0, std::move(jobs)), within_);
}

}  // namespace dmm
