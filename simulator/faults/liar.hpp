// One party that lies: what it sends is now and then something else than it decided, and now and then it says more,
// all of it well formed and of a kind that its role may say. It is the same manager for all that, with a session that
// works, so that its lies reach the machines of the others.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/codec/codec.hpp"
#include "simulator/faults/invention.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

class Liar {
 public:
  /// Who that isn't a client speaks for itself; a client is one of a job manager, whose site it has.
  Liar(std::uint64_t seed, Party who, bool repents);

  const Party& who() const { return who_; }
  /// To be called with each frame that leaves anybody: it listens, and changes what it sends itself.
  void tamper(std::string& frame);
  /// Says something that nobody expects.
  void speak(World& world);
  /// It says what is so from now on.
  void repent() { repented_ = true; }
  std::uint64_t lies() const { return lies_; }

 private:
  void listen(const Envelope& envelope);
  std::optional<Message> lie(const Party& to);
  void change_inside(Relay& relay);
  void change_session(Envelope& envelope);
  void order_as_client(World& world);
  std::optional<Outgoing> trespass();

  Party who_;
  bool repents_, repented_ = false;
  Invention invention_;
  Codec codec_;
  std::vector<Message> overheard_;
  std::vector<Party> partners_;                       ///< with whom it spoke
  std::optional<std::pair<Party, Assign>> assigned_;  ///< what was leased last at one of them, to whomever
  std::uint64_t lies_ = 0;
};

}  // namespace dmm
