// Simulated connections that carry frames of bytes. A frame takes some time, and doesn't overtake another of its
// connection and direction. Tests can have frames lost or doubled. The network knows addresses, which are numbers,
// but not the managers behind them or the meaning of the bytes.
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

/// The address of a manager; the world numbers them.
using Address = std::size_t;

struct NetworkSettings {
  Duration latency = milliseconds(1);  ///< of every frame, at least
  Duration jitter;                     ///< added to the latency, up to this, at random
  double loss = 0;                     ///< the probability that a frame is lost
  double doubling = 0;                 ///< the probability that it arrives twice
  double corruption = 0;               ///< the probability that one of its bytes is changed
  double stall = 0;    ///< the probability that it is held up, with all later frames of its connection
  Duration stall_max;  ///< the longest time that a frame is held up
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

  /// Opens a connection from `dialler`. Over an unreachable one nothing ever arrives.
  Connection connect(Address dialler, Address listener, bool reachable = true);
  /// From now on frames over the connection take this latency, and the time for their bytes at this rate.
  void set_line(Connection connection, Duration latency, std::uint64_t bytes_a_second);
  void hang_up(Connection connection);
  /// The latest open connection from `dialler` to `listener`.
  std::optional<Connection> connection_between(Address dialler, Address listener) const;
  /// A frame leaves an address.
  void send(Instant now, Address from, Connection connection, std::string bytes);
  Instant next_arrival() const { return flights_.next(); }
  /// The next frame that is due; nothing if it was lost on its way.
  std::optional<FrameArrival> take();

  // ---- faults ----
  /// Until heal(): frames between two addresses are lost, those under way included.
  void cut(Address a, Address b);
  void heal(Address a, Address b);
  /// The same for one direction, and only for frames sent from now on.
  void cut_one_way(Address from, Address to);
  bool is_cut(Address from, Address to) const;
  /// Closes the connections between two addresses and opens them again at once: frames under way are lost.
  void reset(Address a, Address b);
  void heal_all();
  /// Loses the n-th frame from one address to the other, counted from now; 1 is the next.
  void drop(Address from, Address to, std::uint32_t nth);
  /// Has the n-th frame from one address to the other arrive twice.
  void duplicate(Address from, Address to, std::uint32_t nth);
  /// The probability that one byte of a frame is changed, as by a peer that lies.
  void set_corruption(double chance) { settings_.corruption = chance; }
  /// Passes every frame through a function that may change it.
  void set_tampering(std::function<void(std::string&)> tamper) { tamper_ = std::move(tamper); }
  /// The probability that a frame is held up, with all later frames of its connection, and for how long at most.
  void set_stalls(double chance, Duration longest) { settings_.stall = chance, settings_.stall_max = longest; }
  /// Probabilities of loss and doubling from now on.
  void set_chances(double loss, double doubling) { settings_.loss = loss, settings_.doubling = doubling; }
  /// The address went down: frames under way to it are lost, and its own connections are closed.
  void abandon(Address address);

  // ---- quiet links ----
  /// Whether no frame is under way over a connection, and every frame sent now will arrive once and unchanged.
  bool is_calm(Connection connection) const;
  Address dialler_of(Connection connection) const { return lines_[connection].dialler; }
  Address listener_of(Connection connection) const { return lines_[connection].listener; }
  /// When a frame that leaves at an instant would arrive over a calm connection.
  Instant arrival(Instant sent, Connection connection, bool to_listener) const;
  /// Puts a frame under way that left at `sent` and hasn't arrived.
  void resume(Instant sent, Connection connection, bool to_listener, std::string bytes);
  /// Counts frames of this many bytes each as sent.
  void account(Connection connection, std::uint64_t frames, std::size_t bytes);

  std::uint64_t frames_sent() const { return frames_sent_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  /// Bytes sent between two addresses, in both directions, except in frames that were lost at once.
  std::uint64_t bytes_between(Address a, Address b) const;

 private:
  struct Line {
    Address dialler = 0, listener = 0;
    bool open = true, reachable = true;
    std::uint32_t life = 0;       ///< frames of an earlier life never arrive
    std::uint32_t under_way = 0;  ///< frames
    std::uint64_t bytes = 0;      ///< sent, except in frames that were lost at once
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
