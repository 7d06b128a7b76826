// A party of role client around an endpoint and a transport; see client.hpp.
#include "runtime/client.hpp"

#include <unistd.h>

#include <utility>

#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/incarnation.hpp"

namespace dmm {
namespace {

/// Of the jobs of a Submit: less than the limit of a message.
constexpr std::size_t submit_bytes_max = 3 * 1024 * 1024;
/// A manager that can't be reached for longer than this isn't just restarting.
constexpr Duration restart_time = milliseconds(600);
constexpr Duration look_pause = milliseconds(100);

/// A name that no other client has: two programs have different process ids, and one program doesn't make two clients
/// within a microsecond.
std::string name_of_its_own() { return std::to_string(::getpid()) + '-' + std::to_string(wall_microseconds()); }

EndpointSettings settings_of_client(const std::string& name, const std::string& certificate) {
  EndpointSettings settings;
  settings.certificate = certificate;
  settings.self = {SiteName("client"), Role::client, name.empty() ? name_of_its_own() : name};
  settings.incarnation = session_incarnation(incarnation_now());
  settings.admission.clients = false;
  return settings;
}

/// Estimated bytes of a job on the wire, rather too high than too low.
std::size_t bytes_of(const JobDescription& job) {
  std::size_t bytes = 256 + job.name.size() + job.program.working_directory.size() + job.output_path.size() +
                      job.error_path.size() + job.program.script.size() + job.program.input.size() +
                      64 * job.need.components.size() + 12 * job.dependencies.size();
  for (const std::string& text : job.program.arguments) bytes += 5 + text.size();
  for (const std::string& text : job.program.environment) bytes += 5 + text.size();
  for (const auto& split : job.need.splits) bytes += 5 + 5 * split.size();
  for (const auto& [name, value] : job.need.constraints->attributes) bytes += 10 + name.size() + value.size();
  return bytes;
}

std::string seconds_text(Duration length) {
  const std::int64_t tenths = length.microseconds / 100'000;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) (text += '.') += std::to_string(tenths % 10);
  return text;
}

Unanswered why_of(ReachFault fault) {
  switch (fault) {
    case ReachFault::no_listener: return Unanswered::no_listener;
    case ReachFault::not_permitted: return Unanswered::not_permitted;
    case ReachFault::no_such_host: return Unanswered::no_such_host;
  }
  return Unanswered::silence;
}

Reply no_reply(Unanswered why, std::string fault, std::string owner = {}) {
  return {.fault = std::move(fault), .text = {}, .submitted = {}, .why = why, .owner = std::move(owner)};
}

}  // namespace

std::string fault_of_size(const std::vector<JobDescription>& jobs) {
  std::size_t bytes = 0;
  for (const JobDescription& job : jobs) bytes += bytes_of(job);
  if (bytes <= submit_bytes_max) return {};
  return "these " + std::to_string(jobs.size()) + " jobs take " + std::to_string(bytes) +
         " bytes, and one message takes at most " + std::to_string(submit_bytes_max) + "; submit fewer";
}

ClientPool::ClientPool(const std::string& name) : ClientPool(name, keyring_of_person()) {}

ClientPool::ClientPool(const std::string& name, const OrFault<Keyring>& keyring)
    : endpoint_(settings_of_client(name, std::holds_alternative<Keyring>(keyring)
                                             ? std::get<Keyring>(keyring).certificate
                                             : std::string())) {
  if (const auto* fault = std::get_if<std::string>(&keyring))
    keys_fault_ = *fault;
  else
    transport_.prove_with(std::get<Keyring>(keyring).link);
}

OrFault<std::size_t> ClientPool::connect(const Party& manager, const std::string& endpoint) {
  if (const auto known = numbers_.find(manager); known != numbers_.end()) return known->second;
  if (!keys_fault_.empty()) return keys_fault_;
  auto dialled = transport_.dial(endpoint);
  if (const auto* fault = std::get_if<TransportFault>(&dialled)) return fault->text;
  const Instant now = monotonic_now();
  endpoint_.dial(now, std::get<Connection>(dialled), manager);
  numbers_.emplace(manager, managers_.size());
  managers_.push_back({manager, endpoint, now});
  return managers_.size() - 1;
}

// ---- questions -----------------------------------------------------------------------------------------------------

std::uint64_t ClientPool::ask(std::size_t manager, std::string verb, std::string argument) {
  return put(manager, Ask{last_token_ + 1, std::move(verb), std::move(argument)}, true);
}

std::uint64_t ClientPool::order(std::size_t manager, std::string verb, std::string argument) {
  return put(manager, Ask{last_token_ + 1, std::move(verb), std::move(argument)}, false);
}

std::uint64_t ClientPool::submit(std::size_t manager, std::vector<JobDescription> jobs) {
  std::string fault = fault_of_size(jobs);
  if (fault.empty()) return put(manager, Submit{last_token_ + 1, std::move(jobs)}, true);
  const std::uint64_t token = ++last_token_;
  open_[token].manager = manager;
  close(token, no_reply(Unanswered::too_long, std::move(fault)));
  return token;
}

std::uint64_t ClientPool::put(std::size_t manager, Message message, bool again) {
  const std::uint64_t token = ++last_token_;
  const Manager& to = managers_[manager];
  const Instant now = monotonic_now();
  if (to.up) {
    Effects effects;
    effects.send(to.party, message);
    endpoint_.send(now, effects);
  }
  open_.emplace(token, Question{manager, std::move(message), now, again, to.up});
  return token;
}

void ClientPool::close(std::uint64_t token, Reply reply) {
  const auto question = open_.find(token);
  if (question == open_.end()) return;  // given up before, or answered twice
  reply.manager = question->second.manager;
  reply.token = token;
  open_.erase(question);
  replies_.push_back(std::move(reply));
}

Reply ClientPool::give_up(std::uint64_t token, Duration waited) {
  const auto question = open_.find(token);
  if (question == open_.end()) return no_reply(Unanswered::no, "no such question");
  const std::size_t number = question->second.manager;
  const Manager& manager = managers_[number];
  Reply reply = no_reply(Unanswered::silence, "no answer from " + to_text(manager.party) + " at " +
                                                  manager.endpoint + " within " + seconds_text(waited) + " s");
  for (const LinkView& link : endpoint_.links())
    if (link.peer == manager.party && !manager.up && !link.last_error.empty())
      reply.fault += " (" + link.last_error + ')';
  const auto unreachable = manager.up ? std::nullopt : why_unreachable(manager.endpoint);
  if (unreachable)
    reply = no_reply(why_of(unreachable->why), unreachable->text, unreachable->owner);
  else
    reply.fault += manager.up ? ", though it is there: is it very busy?"
                              : ", though a process listens there: is it stopped, or very busy?";
  reply.manager = number;
  reply.token = token;
  open_.erase(question);
  return reply;
}

std::optional<Instant> ClientPool::silent_since(std::size_t manager) const {
  for (const auto& [token, question] : open_)
    if (question.manager == manager) return std::max(question.asked, managers_[manager].heard);
  return std::nullopt;
}

std::optional<Instant> ClientPool::silent_since_asked(std::uint64_t token) const {
  const auto question = open_.find(token);
  return question == open_.end() ? std::nullopt : silent_since(question->second.manager);
}

std::optional<Party> ClientPool::another_name() const {
  const std::vector<Stranger> strangers = endpoint_.strangers();
  if (strangers.empty()) return std::nullopt;
  return strangers.front().party;
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
  Instant until = std::min(endpoint_.next_deadline(), now + at_most);
  if (gives_up_early_ && !open_.empty()) until = std::min(until, std::max(now, next_look_));
  transport_.wait(std::max(Duration{}, until - now));
  take_messages();
  take_link_events();
  if (gives_up_early_) look_for_unreachable();
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
    endpoint_.receive(now, arrival.connection, arrival.bytes, received_, *arrival.principal);
  }
  for (Received& received : std::exchange(received_, {})) {
    if (const auto number = numbers_.find(received.from); number != numbers_.end())
      managers_[number->second].heard = now;
    if (auto* answer = std::get_if<Answer>(&received.message))
      close(answer->token,
            {.fault = std::move(answer->fault), .text = std::move(answer->text), .submitted = {}, .owner = {}});
    else if (auto* submitted = std::get_if<Submitted>(&received.message))
      close(submitted->token, {.fault = submitted->fault, .text = {}, .submitted = *submitted, .owner = {}});
  }
}

void ClientPool::take_link_events() {
  for (auto& event : endpoint_.take_link_events()) {
    if (std::holds_alternative<LinkPressed>(event) || std::holds_alternative<LinkStanding>(event)) continue;
    const LinkUp* up = std::get_if<LinkUp>(&event);
    const Party& peer = up ? up->peer : std::get<LinkDown>(event).peer;
    const auto number = numbers_.find(peer);
    if (number == numbers_.end()) continue;
    managers_[number->second].up = up != nullptr;
    if (up) came_up(number->second, up->restarted);
  }
}

/// A manager that is new to us or was restarted gets again all questions that it hasn't answered. It recognises the
/// jobs that it has taken already.
void ClientPool::came_up(std::size_t number, bool restarted) {
  Manager& manager = managers_[number];
  manager.reached = true;
  Effects effects;
  for (auto& [token, question] : open_) {
    if (question.manager != number || (question.sent && !(restarted && question.again))) continue;
    question.sent = true;
    effects.send(manager.party, question.message);
  }
  endpoint_.send(monotonic_now(), effects);
}

/// Answers the questions to managers that were never reached and certainly can't be.
void ClientPool::look_for_unreachable() {
  const Instant now = monotonic_now();
  if (now < next_look_ || open_.empty()) return;
  next_look_ = now + look_pause;
  const auto another = managers_.size() == 1 ? another_name() : std::nullopt;
  for (std::size_t i = 0; i < managers_.size(); ++i) {
    const Manager& manager = managers_[i];
    if (manager.reached || !silent_since(i)) continue;
    if (another)
      fail_all(i, no_reply(Unanswered::another_name, "the manager at " + manager.endpoint + " is " +
                                                         to_text(*another) + ", not " + to_text(manager.party)));
    else if (now - manager.dialled < restart_time)
      continue;
    else if (const auto unreachable = why_unreachable(manager.endpoint))
      fail_all(i, no_reply(why_of(unreachable->why), unreachable->text, unreachable->owner));
  }
}

void ClientPool::fail_all(std::size_t manager, const Reply& reply) {
  std::vector<std::uint64_t> tokens;
  for (const auto& [token, question] : open_)
    if (question.manager == manager) tokens.push_back(token);
  for (const std::uint64_t token : tokens) close(token, reply);
}

void ClientPool::send_frames() {
  endpoint_.take_frames([this](const Frame& frame) {
    if (!transport_.send(frame.connection, frame.bytes)) endpoint_.undeliverable(frame.connection);
  });
}

}  // namespace dmm
