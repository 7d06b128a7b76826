// Frames under way, and how they arrive or are lost; see network.hpp.
#include "simulator/world/network.hpp"

#include "simulator/world/site_links.hpp"

namespace dmm {
namespace {

constexpr std::size_t packet_bytes = 1'400;

}  // namespace

Connection Network::connect(Address dialler, Address listener, bool reachable) {
  lines_.push_back({.dialler = dialler,
                    .listener = listener,
                    .open = true,
                    .reachable = reachable,
                    .life = 0,
                    .under_way = 0,
                    .bytes = 0,
                    .latency = settings_.latency});
  return static_cast<Connection>(lines_.size() - 1);
}

std::optional<Connection> Network::connection_between(Address dialler, Address listener) const {
  for (std::size_t line = lines_.size(); line-- > 0;)
    if (lines_[line].open && lines_[line].dialler == dialler && lines_[line].listener == listener)
      return static_cast<Connection>(line);
  return std::nullopt;
}

void Network::set_line(Connection connection, Duration latency, std::uint64_t bytes_a_second) {
  lines_.at(connection).latency = latency;
  lines_.at(connection).bandwidth = bytes_a_second;
}

void Network::hang_up(Connection connection) { lines_.at(connection).open = false; }

bool Network::counts_down(std::map<Way, std::vector<std::uint32_t>>& counters, Way way) {
  const auto it = counters.find(way);
  if (it == counters.end()) return false;
  bool reached = false;
  for (std::uint32_t& left : it->second) reached |= --left == 0;
  std::erase(it->second, 0);
  if (it->second.empty()) counters.erase(it);
  return reached;
}

/// Depends only on the way and the instant, so that frames that aren't played don't change the latency of others.
Duration Network::takes(Instant now, Connection connection, bool to_listener, std::size_t bytes) const {
  const Line& line = lines_[connection];
  // Frames within a packet take the latency alone, so that signs of life on quiet links can be accounted for without
  // their size.
  const bool is_long = line.bandwidth > 0 && bytes > packet_bytes;
  const Duration least = is_long ? line.latency + time_to_carry(bytes, line.bandwidth) : line.latency;
  if (settings_.jitter == Duration{}) return least;
  Random draw(seed_ ^ table_hash(2 * std::uint64_t{connection} + to_listener) ^
              static_cast<std::uint64_t>(now.microseconds));
  const auto jitter = static_cast<std::uint64_t>(settings_.jitter.microseconds);
  return least + microseconds(static_cast<std::int64_t>(draw.below(jitter)));
}

void Network::fly(Instant arrival, Connection connection, bool to_listener, std::string bytes) {
  Line& line = lines_[connection];
  ++line.under_way;
  flights_.push(arrival, {connection, to_listener, line.life, std::move(bytes)});
}

void Network::send(Instant now, Address from, Connection connection, std::string bytes) {
  Line& line = lines_.at(connection);
  const bool to_listener = from == line.dialler;
  const Address to = to_listener ? line.listener : line.dialler;
  ++frames_sent_;
  bytes_sent_ += bytes.size();
  const bool dropped = counts_down(drops_, {from, to});
  const bool doubled =
      counts_down(duplicates_, {from, to}) || (settings_.doubling > 0 && random_.chance(settings_.doubling));
  const bool lost = dropped || !line.open || !line.reachable || is_cut(from, to) ||
                    (settings_.loss > 0 && random_.chance(settings_.loss));
  if (lost) return;
  line.bytes += bytes.size();
  if (tamper_) tamper_(bytes);
  if (settings_.corruption > 0 && !bytes.empty() && random_.chance(settings_.corruption))
    bytes[random_.below(bytes.size())] = static_cast<char>(random_.below(256));
  Instant& latest = line.latest[to_listener];
  Duration stall;
  if (settings_.stall > 0 && random_.chance(settings_.stall))
    stall = microseconds(
        static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(settings_.stall_max.microseconds))));
  latest = std::max(latest, now + takes(now, connection, to_listener, bytes.size()) + stall);
  if (doubled) fly(latest, connection, to_listener, bytes);
  fly(latest, connection, to_listener, std::move(bytes));
}

bool Network::is_calm(Connection connection) const {
  const Line& line = lines_[connection];
  const bool is_certain = settings_.loss == 0 && settings_.doubling == 0 && settings_.corruption == 0 &&
                          settings_.stall == 0 && !tamper_ && drops_.empty() && duplicates_.empty();
  return is_certain && line.under_way == 0 && line.open && line.reachable &&
         !is_cut(line.dialler, line.listener) && !is_cut(line.listener, line.dialler);
}

Instant Network::arrival(Instant sent, Connection connection, bool to_listener) const {
  return std::max(lines_[connection].latest[to_listener], sent + takes(sent, connection, to_listener, 0));
}

void Network::account(Connection connection, std::uint64_t frames, std::size_t bytes) {
  frames_sent_ += frames;
  bytes_sent_ += bytes * frames;
  lines_[connection].bytes += bytes * frames;
}

void Network::resume(Instant sent, Connection connection, bool to_listener, std::string bytes) {
  Instant& latest = lines_[connection].latest[to_listener];
  latest = arrival(sent, connection, to_listener);
  fly(latest, connection, to_listener, std::move(bytes));
}

std::uint64_t Network::bytes_between(Address a, Address b) const {
  std::uint64_t bytes = 0;
  for (const Line& line : lines_)
    if (between(line.dialler, line.listener) == between(a, b)) bytes += line.bytes;
  return bytes;
}

std::optional<FrameArrival> Network::take() {
  Flight flight = flights_.pop();
  Line& line = lines_[flight.connection];
  --line.under_way;
  if (!line.open || flight.life != line.life) return std::nullopt;
  Address from = line.listener, at = line.dialler;
  if (flight.to_listener) std::swap(from, at);
  return FrameArrival{from, at, flight.connection, std::move(flight.bytes)};
}

void Network::cut(Address a, Address b) {
  cuts_.insert({a, b});
  cuts_.insert({b, a});
  reset(a, b);
}

void Network::cut_one_way(Address from, Address to) { cuts_.insert({from, to}); }

void Network::reset(Address a, Address b) {
  for (Line& line : lines_)
    if (between(line.dialler, line.listener) == between(a, b)) ++line.life;
}

void Network::heal(Address a, Address b) {
  cuts_.erase({a, b});
  cuts_.erase({b, a});
}

bool Network::is_cut(Address from, Address to) const { return !cuts_.empty() && cuts_.contains({from, to}); }

void Network::heal_all() { cuts_.clear(); }

void Network::drop(Address from, Address to, std::uint32_t nth) { drops_[{from, to}].push_back(nth); }

void Network::duplicate(Address from, Address to, std::uint32_t nth) { duplicates_[{from, to}].push_back(nth); }

void Network::abandon(Address address) {
  for (Line& line : lines_) {
    if (line.dialler == address) line.open = false;
    if (line.listener == address) ++line.life;
  }
}

}  // namespace dmm
