// One site manager with many peers, at sizes at which a walk over everything would show. All of the daemon runs but its
// sockets and its disk. A step is at most 256 frames and one settle; its rows and frames are made. Each step is timed
// by itself. The site manager's clock advances by what its steps take. Every peer beats once a second on it, and peers
// that are counted dead are counted here.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/lean_session.hpp"
#include "bench/step_measures.hpp"
#include "links/driver.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm::bench {

inline const SiteName site("das-3");
inline const ClusterName cluster("nodes");
inline const Party self = site_manager_of(site), user = job_manager_of(site, "alice");

constexpr std::size_t frames_a_step = 256;  // as in runtime/reactor.hpp

inline SiteName neighbour_name(std::size_t i) { return SiteName("n" + std::to_string(i)); }
inline Party neighbour(std::size_t i) { return site_manager_of(neighbour_name(i)); }
inline Party manager(std::size_t i) { return resource_manager_of(site, "r" + std::to_string(i)); }

inline SiteSettings settings(std::size_t neighbours) {
  SiteSettings result;
  result.name = site;
  result.clusters = {{.name = cluster}};
  for (std::size_t i = 0; i < neighbours; ++i) result.neighbours.push_back({neighbour_name(i)});
  return result;
}

inline EndpointSettings endpoint_settings(std::size_t neighbours) {
  EndpointSettings result;
  result.self = self;
  result.admission.job_managers_of_site = result.admission.resource_managers = true;
  for (std::size_t i = 0; i < neighbours; ++i) result.admission.parties.insert(neighbour(i));
  return result;
}

inline Register offer(std::uint32_t nodes) {
  Register message;
  message.cluster = cluster;
  message.nodes = nodes;
  message.endpoint = "tcp://das-3.example.org:7701";
  return message;
}

inline Request request_of(const Party& from, std::uint64_t job, std::uint32_t processors, std::uint32_t dttl = 5) {
  Request message;
  message.id = {from.site, from.name, job, 1};
  message.need.components = {{.processors = processors, .site = {}, .cluster = {}}};
  message.dttl = dttl;
  message.origin_user = from.name;
  return message;
}

/// The site manager and all its peers.
class Stage {
 public:
  explicit Stage(std::size_t neighbours)
      : driver_(endpoint_settings(neighbours), SiteManager(settings(neighbours), 1)) {
    driver_.effects.level = Level::warning;
    driver_.effects.ledger.wanted = true;
  }

  /// Called with each message that the site manager sends.
  std::function<void(const Envelope&)> hear = [](const Envelope&) {};

  // ---- peers ----
  void greet(const Party& party) {
    Peer& peer = make(party, 1);
    arrive(peer, peer.session->hello());
  }
  /// The party was started again: a new session.
  void greet_again(const Party& party) {
    Peer& peer = make(party, ++restarts_ + 1);
    arrive(peer, peer.session->hello());
  }
  void say(const Party& party, Message message) {
    Peer& peer = *peers_.at(party);
    if (!peer.session->is_open()) fail("no peer speaks before it is greeted");
    arrive(peer, peer.session->message(std::move(message)));
  }
  void hint(const Party& party, CapacityHint hint) {
    Peer& peer = *peers_.at(party);
    arrive(peer, peer.session->beat(std::move(hint)));
  }
  void set_silent(const Party& party, bool silent) { peers_.at(party)->silent = silent; }

  // ---- time ----
  /// Runs until all messages are taken and nothing is due at once.
  void run() {
    while (!arrived_.empty() || driver_.next_deadline() <= now_) step();
  }
  void rest(Duration length) {
    const Instant until = now_ + length;
    for (run(); now_ < until; run()) {
      beat();
      now_ = std::max(now_, std::min({until, driver_.next_deadline(), beats_due_}));
    }
  }

  // ---- measuring ----
  void begin() { measures_.begin(); }
  /// Prints what was measured since `begin`, in all and for each of `items`.
  void print(const char* what, double items) const { measures_.print(what, items); }
  const SiteManager& manager() const { return driver_.manager; }

 private:
  struct Peer {
    Connection connection = 0;
    std::unique_ptr<LeanSession> session;
    bool silent = false;
  };

  Peer& make(const Party& party, std::uint64_t incarnation) {
    auto& peer = peers_[party];
    if (!peer) {
      peer = std::make_unique<Peer>();
      by_connection_.push_back(peer.get());
      peer->connection = static_cast<Connection>(by_connection_.size());
    }
    peer->session = std::make_unique<LeanSession>(party, self, incarnation);
    peer->silent = false;
    return *peer;
  }
  void arrive(Peer& peer, std::string_view frame) { arrived_.emplace_back(peer.connection, std::string(frame)); }

  void step() {
    beat();
    const double began = processor_seconds();
    std::size_t taken = 0;
    for (; taken < frames_a_step && taken < arrived_.size(); ++taken)
      driver_.frame(now_, arrived_[taken].first, arrived_[taken].second);
    driver_.settle(now_);
    const double took = processor_seconds() - began;
    std::size_t lost = 0;
    for (const LogEvent& event : driver_.effects.events) lost += event.name == "link_down";
    driver_.effects.events.clear();
    driver_.effects.ledger.clear();
    arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(taken));
    measures_.add(took, lost);
    now_ = now_ + Duration{static_cast<std::int64_t>(took * 1e6) + 1};
    driver_.endpoint.take_frames([this](const Frame& frame) { take(frame); });
  }
  void beat() {
    if (now_ < beats_due_) return;
    beats_due_ = now_ + seconds(1);
    for (Peer* peer : by_connection_)
      if (!peer->silent && peer->session->is_open()) arrive(*peer, peer->session->beat());
  }
  void take(const Frame& frame) {
    Peer& peer = *by_connection_[frame.connection - 1];
    if (peer.silent) return;
    const auto message = peer.session->take(frame.bytes);
    if (peer.session->owes_hello()) arrive(peer, peer.session->hello());
    if (peer.session->owes_beat()) arrive(peer, peer.session->beat());
    if (!message) return;
    const auto decoded = codec_.decode(frame.bytes);
    hear(std::get<Envelope>(decoded));
  }

  Driver<SiteManager> driver_;
  Codec codec_;
  Instant now_{1'000'000'000}, beats_due_{};
  std::map<Party, std::unique_ptr<Peer>> peers_;
  std::vector<Peer*> by_connection_;
  std::deque<std::pair<Connection, std::string>> arrived_;
  std::uint64_t restarts_ = 0;
  StepMeasures measures_;
};

/// Runs the measurement that the command line names.
inline int run_measurement(const Arguments& arguments,
                           const std::map<std::string, void (*)(const Arguments&)>& measurements) {
  const auto measurement = measurements.find(arguments.role());
  if (measurement == measurements.end()) fail("no such measurement: " + arguments.role());
  StepMeasures::print_head();
  measurement->second(arguments);
  return 0;
}

}  // namespace dmm::bench
