// What a liar sends; see liar.hpp.
#include "simulator/faults/liar.hpp"
#include "protocol/verbs.hpp"

#include <algorithm>
#include <utility>

namespace dmm {
namespace {

constexpr std::size_t overheard_max = 500;
/// The share of its frames that it changes.
constexpr double lying = 0.1;
/// Distance between the incarnations of two starts. The lies of a liar that repents stay far below, so that peers
/// believe it after its restart.
constexpr std::uint64_t incarnations_of_a_start = 1 << 20;

/// An empty message of each kind.
template <std::size_t... I>
Message empty_message(std::size_t kind, std::index_sequence<I...>) {
  using Make = Message (*)();
  static constexpr Make makes[] = {+[] { return Message(std::variant_alternative_t<I, AnyMessage>{}); }...};
  return makes[kind]();
}

}  // namespace

Duration Invention::duration(Duration was) {
  switch (random_.below(8)) {
    case 0: return {};
    case 1: return microseconds(1);
    case 2: return microseconds(-1);
    case 3: return duration_max;
    case 4: return Duration{std::numeric_limits<std::int64_t>::max()};
    case 5: return Duration{std::numeric_limits<std::int64_t>::min()};
    case 6: return was / 2;
    default: return milliseconds(static_cast<std::int64_t>(random_.below(200'000)));
  }
}

std::string Invention::text() {
  switch (random_.below(6)) {
    case 0: return {};
    case 1: return "stranger" + std::to_string(random_.below(1'000'000));
    case 2: return std::string(random_.below(3'000), 'x');
    case 3: return "u1";
    default: return names_.empty() ? "s0" : std::string(names_[random_.below(names_.size())]);
  }
}

NodeSet Invention::nodes() {
  switch (random_.below(5)) {
    case 0: return {};
    case 1: return {{0, nodes_per_manager_max - 1}};
    case 2: return {{static_cast<std::uint32_t>(random_.next()), std::numeric_limits<std::uint32_t>::max()}};
    default: {
      const auto first = static_cast<std::uint32_t>(random_.below(8));
      return {{first, first + static_cast<std::uint32_t>(random_.below(4))}};
    }
  }
}

Liar::Liar(std::uint64_t seed, Party party, bool repents)
    : party_(std::move(party)), repents_(repents), invention_(seed) {}

void Liar::listen(const Envelope& envelope) {
  invention_.learn(envelope.from);
  invention_.learn(envelope.trace);
  invention_.learn(envelope.message);
  if (overheard_.size() < overheard_max)
    overheard_.push_back(envelope.message);
  else
    overheard_[invention_.dice().below(overheard_max)] = envelope.message;
  const bool is_partner = std::find(partners_.begin(), partners_.end(), envelope.to) != partners_.end();
  if (envelope.from == party_ && !is_partner) partners_.push_back(envelope.to);
  if (const auto* assign = std::get_if<Assign>(&envelope.message); assign && is_partner)
    assigned_ = {envelope.to, *assign};
}

/// Starts a job of its own on nodes that were leased to another party a moment ago.
std::optional<Outgoing> Liar::trespass() {
  if (party_.role != Role::job_manager || !assigned_) return std::nullopt;
  const auto [to, assign] = *std::exchange(assigned_, std::nullopt);
  const RequestId request{party_.site, party_.name, 1'000 + invention_.dice().below(1'000), 1};
  Start start{assign.lease, request, 0, assign.nodes, {}, {}};
  start.program.arguments = {"sleep", "10"};
  return Outgoing{to, std::move(start), request, {}};
}

/// A message that the liar may send to a party of this role.
std::optional<Message> Liar::lie(const Party& to) {
  Random& random = invention_.dice();
  constexpr std::size_t kinds = std::variant_size_v<AnyMessage>;
  for (int tries = 0; tries < 20; ++tries) {
    const bool repeats = !overheard_.empty() && random.chance(0.8);
    Message message = repeats ? overheard_[random.below(overheard_.size())]
                              : empty_message(random.below(kinds), std::make_index_sequence<kinds>{});
    if (!may_send(type_of(message), party_.role, to.role)) continue;
    static constexpr double chances[] = {0, 0.03, 0.1, 0.3};
    invention_.change(message, repeats ? chances[random.below(4)] : 0.7);
    if (auto* relay = std::get_if<Relay>(&message); relay && random.chance(0.7)) change_inside(*relay);
    return message;
  }
  return std::nullopt;
}

/// A site can put anything into messages that it relays.
void Liar::change_inside(Relay& relay) {
  auto decoded = codec_.decode(relay.payload);
  auto* inside = std::get_if<Envelope>(&decoded);
  if (!inside) return;
  invention_.change(inside->message, 0.1);
  relay.payload = codec_.encode(*inside);
}

/// Changes numbers of the session, and its signs of life.
void Liar::change_session(Envelope& envelope) {
  Random& random = invention_.dice();
  invention_.change(envelope.acknowledged, 0.2);
  invention_.change(envelope.peer, 0.1);
  invention_.change(envelope.hint, 0.3);
  if (!repents_) invention_.change(envelope.incarnation, 0.1);
  if (repents_ && random.chance(0.1)) envelope.incarnation += random.below(incarnations_of_a_start / 1000);
  if (is_numbered(type_of(envelope.message))) return;
  if (auto* beat = std::get_if<Beat>(&envelope.message); beat && random.chance(0.5)) beat->resend = true;
  invention_.change(envelope.message, 0.2);
}

void Liar::tamper(std::string& frame) {
  auto decoded = codec_.decode(frame);
  auto* envelope = std::get_if<Envelope>(&decoded);
  if (!envelope) return;
  listen(*envelope);
  if (repented_ || envelope->from != party_ || !invention_.dice().chance(lying)) return;
  if (!is_numbered(type_of(envelope->message)) || invention_.dice().chance(0.1)) {
    change_session(*envelope);
  } else {
    auto message = lie(envelope->to);
    if (!message) return;
    envelope->message = std::move(*message);
    invention_.change(envelope->hint, 0.3);
  }
  ++lies_;
  frame = codec_.encode(*envelope);
}

void Liar::speak(World& world) {
  if (repented_) return;
  if (party_.role == Role::client) return order_as_client(world);
  if (partners_.empty()) return;
  if (auto out = trespass()) {
    ++lies_;
    return world.say(party_, std::move(*out));
  }
  const Party& to = partners_[invention_.dice().below(partners_.size())];
  auto message = lie(to);
  if (!message) return;
  Outgoing out{to, std::move(*message), {}, CapacityHint(invention_.dice().below(20))};
  invention_.change(out.trace, 0.3);
  invention_.change(out.hint, 0.5);
  ++lies_;
  world.say(party_, std::move(out));
}

/// Messages over a user's connection have passed the reader, as any frame.
void Liar::order_as_client(World& world) {
  constexpr std::uint32_t elements_max = 50;
  Random& random = invention_.dice();
  const Party manager = job_manager_of(party_.site, party_.name);
  ++lies_;
  if (random.chance(0.2)) {
    world.cancel(manager, random.chance(0.5) ? random.next() : random.below(50));
    return;
  }
  Submit submit{random.below(40), std::vector<JobDescription>(random.below(4))};
  for (JobDescription& job : submit.jobs) {
    job.program.arguments = {"sleep", "1"};
    job.need.components.resize(1 + random.below(3), Component{1, {}, {}});
    job.dttl = 3;
    invention_.change(job, random.chance(0.5) ? 0.02 : 0.2);
    // Fifty elements find the same mistakes as a million, which would take the world minutes.
    if (fault_of(job.array).empty() && job.array.size() > elements_max) job.array = {};
  }
  const Envelope asked{.from = party_,
                       .to = manager,
                       .incarnation = 1,
                       .sequence = 1,
                       .trace = {},
                       .hint = {},
                       .message = std::move(submit)};
  auto decoded = codec_.decode(std::string(codec_.encode(asked)));
  if (auto* envelope = std::get_if<Envelope>(&decoded)) world.ask(manager, party_, std::move(envelope->message));
}

}  // namespace dmm
