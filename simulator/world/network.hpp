// Simulated connections that carry frames of bytes: each takes a while, none overtakes another of its connection
// and direction, and any may be lost or doubled when a test wants it. Knows addresses, which are numbers, and
// nothing of who is there or what the bytes mean.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "links/endpoint.hpp"
#include "simulator/world/event_queue.hpp"
#include "workloads/random.hpp"

namespace dmm {

/// Where a manager is found; the world numbers them.
using Address = std::size_t;

struct NetworkSettings {
  Duration latency = milliseconds(1);  ///< of every frame, at least
  Duration jitter;                     ///< and up to this more, by chance
  double loss = 0;                     ///< the chance of a frame to be lost
  double doubling = 0;                 ///< and to arrive twice
  double corruption = 0;               ///< and to have a byte changed
  double stall = 0;                    ///< and to be held up, with all that follow on its connection,
  Duration stall_max;                  ///< for at most this long
};

/// A frame that arrives.
struct FrameArrival {
  Address from = 0, at = 0;
  Connection connection = 0;
  std::string bytes;
};

class Network {
 public:
  Network(NetworkSettings settings, std::uint64_t seed) : settings_(settings), seed_(seed), random_(seed) {}

  /// A connection that `dialler` opened. Over an unreachable one nothing ever arrives.
  Connection connect(Address dialler, Address listener, bool reachable = true);
  /// From now on frames over the connection take this long, and longer by their bytes at this rate.
  void set_line(Connection connection, Duration latency, std::uint64_t bytes_a_second);
  void hang_up(Connection connection);
  /// The latest that `dialler` opened to `listener` and didn't hang up.
  std::optional<Connection> connection_between(Address dialler, Address listener) const;
  /// A frame leaves an address.
  void send(Instant now, Address from, Connection connection, std::string bytes);
  Instant next_arrival() const { return flights_.next(); }
  /// The next frame that is due; nothing if it was lost on its way.
  std::optional<FrameArrival> take();

  // ---- faults ----
  /// What is under way between two places, and what is sent from now on, is lost, until it is healed.
  void cut(Address a, Address b);
  void heal(Address a, Address b);
  /// The same for what `from` sends to `to` alone, and for what is sent from now on.
  void cut_one_way(Address from, Address to);
  bool is_cut(Address from, Address to) const;
  /// The connections between two places are lost and opened again at once: what was under way is gone.
  void reset(Address a, Address b);
  void heal_all();
  /// Loses the n-th frame from one address to the other, counted from now; 1 is the next.
  void drop(Address from, Address to, std::uint32_t nth);
  /// Has the n-th frame from one address to the other arrive twice.
  void duplicate(Address from, Address to, std::uint32_t nth);
  /// The chance of a frame to have one of its bytes changed, as by a peer that lies.
  void set_corruption(double chance) { settings_.corruption = chance; }
  /// Has every frame pass through a function that may change it.
  void set_tampering(std::function<void(std::string&)> tamper) { tamper_ = std::move(tamper); }
  /// The chance of a frame to be held up, with all that follow on its connection, and for how long at most.
  void set_stalls(double chance, Duration longest) { settings_.stall = chance, settings_.stall_max = longest; }
  /// Chances of loss and doubling from now on.
  void set_chances(double loss, double doubling) { settings_.loss = loss, settings_.doubling = doubling; }
  /// The address went down: what was under way to it is lost, and its own connections are gone.
  void abandon(Address address);

  // ---- quiet links ----
  /// Whether nothing is under way over a connection, and whatever is sent over it will arrive, once and unchanged.
  bool is_calm(Connection connection) const;
  Address dialler_of(Connection connection) const { return lines_[connection].dialler; }
  Address listener_of(Connection connection) const { return lines_[connection].listener; }
  /// When a frame that leaves at an instant would arrive over a calm connection.
  Instant arrival(Instant sent, Connection connection, bool to_listener) const;
  /// A frame left then and is still under way.
  void resume(Instant sent, Connection connection, bool to_listener, std::string bytes);
  /// Frames of this many bytes each have left.
  void account(Connection connection, std::uint64_t frames, std::size_t bytes);

  std::uint64_t frames_sent() const { return frames_sent_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  /// Those that left between two places, in both directions, and weren't lost at once.
  std::uint64_t bytes_between(Address a, Address b) const;

 private:
  struct Line {
    Address dialler = 0, listener = 0;
    bool open = true, reachable = true;
    std::uint32_t life = 0;       ///< frames of an earlier life never arrive
    std::uint32_t under_way = 0;  ///< frames
    std::uint64_t bytes = 0;      ///< that weren't lost at once
    Duration latency;             ///< of every frame, at least
    std::uint64_t bandwidth = 0;  ///< bytes a second; 0: without a limit
    Instant latest[2] = {};       ///< when the last frame of each direction arrives
  };
  struct Flight {
    Connection connection = 0;
    bool to_listener = false;
    std::uint32_t life = 0;
    std::string bytes;
  };
  using Way = std::pair<Address, Address>;
  static Way between(Address a, Address b) { return {std::min(a, b), std::max(a, b)}; }
  Duration takes(Instant now, Connection connection, bool to_listener, std::size_t bytes) const;
  void fly(Instant arrival, Connection connection, bool to_listener, std::string bytes);
  static bool counts_down(std::map<Way, std::vector<std::uint32_t>>& counters, Way way);

  NetworkSettings settings_;
  std::uint64_t seed_;
  Random random_;
  std::function<void(std::string&)> tamper_;
  std::vector<Line> lines_;  ///< by connection
  EventQueue<Flight> flights_;
  std::set<Way> cuts_;  ///< from and to
  std::map<Way, std::vector<std::uint32_t>> drops_, duplicates_;
  std::uint64_t frames_sent_ = 0, bytes_sent_ = 0;
};

}  // namespace dmm
