// Messages that are longer than a frame: they arrive in fragments, and are read when the last one is here.
#include <utility>

#include "links/endpoint.hpp"
#include "protocol/verbs.hpp"

namespace dmm {

void Endpoint::take_fragment(Instant now, Peer& peer, Fragment& fragment, std::vector<Received>& messages) {
  if (fragment.index == 0) {
    drop_fragments(peer);
    peer.assembly.edit().begin();
  }
  if (!peer.assembly->is_next(fragment.index) || (fragment.bytes.empty() && !fragment.last))
    return refuse(0, "part_out_of_place");
  const bool fits = peer.assembly->size() + fragment.bytes.size() <= message_bytes_max &&
                    assembly_bytes_ + fragment.bytes.size() <= settings_.limits.assembly_bytes_all;
  if (!fits) {
    drop_fragments(peer);
    refuse(0, to_text(FrameFault::too_large));
    return emit(now, peer, Fault{Fragment::type, "there is no room for a message as long as this"}, {}, {});
  }
  assembly_bytes_ += fragment.bytes.size();
  peer.assembly.edit().add(fragment.bytes);
  if (!fragment.last) return;
  take_whole(now, peer, messages);
  drop_fragments(peer);
}

/// Whatever follows belongs to what is dropped, until a message begins.
void Endpoint::drop_fragments(Peer& peer) {
  assembly_bytes_ -= peer.assembly->size();
  peer.assembly.edit().drop();
}

void Endpoint::take_whole(Instant now, Peer& peer, std::vector<Received>& messages) {
  auto decoded = codec_->decode(peer.assembly->bytes(), message_bytes_max);
  if (const Refused* refused = std::get_if<Refused>(&decoded)) {
    refuse(0, to_text(refused->fault));
    return emit(now, peer, Fault{refused->type, std::string(to_text(refused->fault))}, {}, {});
  }
  Envelope& envelope = std::get<Envelope>(decoded);
  const std::uint16_t type = type_of(envelope.message);
  const bool is_ours = envelope.from == peer.session.peer() && envelope.to == settings_.self;
  if (!is_ours || !is_numbered(type) || type == Fragment::type) return refuse(0, "part_out_of_place");
  if (!may_say(now, peer, type) || !may_ask(now, peer, envelope.message)) return;
  counts_.received(type);
  if (take_key_message(now, peer, envelope.message)) return;
  messages.emplace_back(std::move(envelope.from), std::move(envelope.message), std::move(envelope.trace),
                        CapacityHint{}, peer.distance.round_trip, peer.vouching.proved);
}

}  // namespace dmm
