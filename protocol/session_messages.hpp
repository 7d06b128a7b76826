// Messages of a session between two parties: how it opens, that its ends live, and what is wrong. Frames that are
// carried for other parties or in pieces are here, too.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/ids.hpp"
#include "protocol/message_fields.hpp"

namespace dmm {

/// A moment by the sender's own clock, that only the sender can read: milliseconds, which wrap around after some 49
/// days. An echoed stamp tells how long a message and its answer took.
using Stamp = std::uint32_t;
constexpr Stamp no_stamp = 0;

/// Opens or resumes a session. Unless it is an answer itself, it is answered by one Hello.
struct Hello {
  std::uint64_t received = 0;  ///< the highest sequence number delivered from the receiver's present incarnation
  bool answer = false;         ///< this Hello answers one
  std::string software;        ///< version of the sender's program, for people
  SiteNames ancestors;         ///< of the sender's site: its parent, that one's parent, ..., its root
  std::uint64_t instance = 0;  ///< tells the sender from another process of its name; the same after a restart
  Stamp stamp = no_stamp;      ///< when it was sent, by the sender's clock
  Stamp echo = no_stamp;       ///< in an answer: the stamp of the Hello that it answers
  std::string certificate;     ///< of the sender's link key (keys/certificate.hpp); empty where none is needed
  DMM_MESSAGE(1, self.received, self.answer, self.software, self.ancestors, self.instance, self.stamp, self.echo,
              self.certificate)
};

/// Shows that the sender lives; its envelope has an acknowledgement and perhaps a hint. A Beat that echoes a stamp also
/// vouches: all that the sender lent over this link stands, except as the messages up to `last` say.
struct Beat {
  bool resend = false;      ///< a message is missing: send again all that isn't acknowledged
  std::uint64_t last = 0;   ///< the highest sequence number that the sender has used
  bool dormant = false;     ///< nothing is under way between the two: neither need beat until the next message
  Stamp stamp = no_stamp;   ///< when it was sent
  Stamp echo = no_stamp;    ///< the latest stamp that came, plus the time for which it was held here
  bool in_passing = false;  ///< sent before its sender had looked at all its links: it doesn't vouch
  DMM_MESSAGE(2, self.resend, self.last, self.dormant, self.stamp, self.echo, self.in_passing)
};

/// Answers a message that was not understood or not allowed. Never answered itself.
struct Fault {
  std::uint16_t about = 0;  ///< type of the message that is faulted
  std::string text;
  DMM_MESSAGE(3, self.about, self.text)
};

/// The text of the fault that turns away a party that the configuration doesn't name.
inline constexpr const char* not_admitted = "not admitted here";

/// An end-to-end frame between a job manager and a resource manager, carried along the delegation chain.
struct Relay {
  Party from;
  Party to;
  SiteNames path;              ///< sites from the sender's to the receiver's
  std::uint32_t position = 0;  ///< index in `path` of the site that receives this message
  std::string payload;         ///< one frame, opaque to the sites
  DMM_MESSAGE(4, self.from, self.to, self.path, self.position, self.payload)
};

/// A piece of a message that is too long for one frame. Pieces follow one another; together they are the frame of the
/// message.
struct Fragment {
  std::uint32_t index = 0;  ///< from 0
  bool last = false;
  std::string bytes;
  DMM_MESSAGE(5, self.index, self.last, self.bytes)
};

}  // namespace dmm
