#include "cli/jobs/patient_client.hpp"

#include <algorithm>

#include "cli/managers/questions.hpp"
#include "cli/managers/registry.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

constexpr Duration look_pause = milliseconds(100);

}  // namespace

PatientClient::PatientClient(const std::string& command, Manager manager, const std::string& name)
    : manager_(std::move(manager)), pool_(name), teller_(command, "still waiting; Ctrl-C ends that") {
  pool_.give_up_early();
  const auto connected = pool_.connect(manager_.party, manager_.endpoint);
  if (const auto* fault = std::get_if<std::string>(&connected)) fault_ = *fault;
}

Reply PatientClient::wait(std::uint64_t token, Duration patience) {
  const Instant begin = monotonic_now();
  for (Instant now = begin;; now = monotonic_now()) {
    std::vector<Reply> replies = pool_.poll(std::clamp(begin + patience - now, Duration{}, look_pause));
    teller_.look(pool_, monotonic_now());
    for (Reply& reply : replies) {
      if (reply.token != token) continue;
      reply.fault += remedy_of(manager_, reply);
      return std::move(reply);
    }
    const bool is_over = now - begin >= patience;
    if (is_over || interrupted() || is_gone()) return give_up(token, now - begin);
  }
}

void PatientClient::pause(Duration length) {
  const Instant end = monotonic_now() + length;
  for (Instant now = monotonic_now(); now < end && !interrupted(); now = monotonic_now())
    pool_.poll(std::min(end - now, look_pause));
}

Reply PatientClient::give_up(std::uint64_t token, Duration waited) {
  Reply reply = pool_.give_up(token, waited);
  if (interrupted())
    reply.fault = "interrupted while " + to_text(manager_.party) + " gave no answer";
  else if (is_gone())
    reply.fault = "testbed " + manager_.testbed + " was taken down";
  else
    reply.fault += remedy_of(manager_, reply);
  return reply;
}

/// Whether the testbed is gone; only checked while the manager is silent.
bool PatientClient::is_gone() const {
  return !manager_.testbed.empty() && !pool_.is_up(0) &&
         std::holds_alternative<RegistryFault>(load_testbed(manager_.testbed));
}

}  // namespace dmm
