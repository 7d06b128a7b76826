// One party that lies: now and then it sends something else than it decided, and now and then additional messages.
// All of them are well formed and allowed for its role. Apart from that it is the same manager with a working
// session, so its lies reach the managers of others.
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
  /// A manager lies in its own name. A client lies to a job manager; the client's `site` is that of the job manager.
  Liar(std::uint64_t seed, Party party, bool repents);

  const Party& party() const { return party_; }
  /// To be called with each frame that any manager sends: the liar listens, and changes its own frames.
  void tamper(std::string& frame);
  /// Sends something unexpected.
  void speak(World& world);
  /// Stops lying.
  void repent() { repented_ = true; }
  std::uint64_t lies() const { return lies_; }

 private:
  void listen(const Envelope& envelope);
  std::optional<Message> lie(const Party& to);
  void change_inside(Relay& relay);
  void change_session(Envelope& envelope);
  void order_as_client(World& world);
  std::optional<Outgoing> trespass();

  Party party_;
  bool repents_, repented_ = false;
  Invention invention_;
  Codec codec_;
  std::vector<Message> overheard_;
  std::vector<Party> partners_;                       ///< parties that it exchanged messages with
  std::optional<std::pair<Party, Assign>> assigned_;  ///< the last Assign that it saw, and to which party
  std::uint64_t lies_ = 0;
};

}  // namespace dmm
