// Messages of a job manager and its site about a request for nodes: asking, cancelling, refusing.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/ids.hpp"
#include "protocol/input_files.hpp"
#include "protocol/interruptions.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/reasons.hpp"
#include "protocol/resources.hpp"
#include "protocol/short_text.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// A job manager asks its site for nodes. Sent again in every new session, with how long it has waited.
struct Request {
  RequestId id;
  ResourceNeed need;
  std::uint32_t dttl = 5;     ///< hops that the request may travel
  std::int32_t priority = 0;  ///< greater is more urgent; only the `priority` policies look at it
  Duration waited;            ///< how long the request has waited already
  ShortText origin_user;      ///< the user that the use is charged to
  Duration length;            ///< how long it runs at most, as its user says; 0 if not said
  Interruptions past = {};
  FileNeeds files = {};             ///< files that are brought to each component before it starts
  std::uint32_t communication = 0;  ///< kilobits a second that each processor sends to the others; 0: not said
  DMM_MESSAGE(10, self.id, self.need, self.dttl, self.priority, self.waited, self.origin_user, self.length,
              self.past, self.files, self.communication)
};

/// A job manager cancels its request. Needs no answer.
struct Cancel {
  RequestId request;
  DMM_MESSAGE(11, self.request)
};

/// A site tells a job manager that a request will never be served.
struct Refuse {
  RequestId request;
  RefusalReason reason = RefusalReason::too_large;
  std::uint32_t largest = 0;  ///< processors of the largest cluster that can be reached
  std::string text;
  DMM_MESSAGE(12, self.request, self.reason, self.largest, self.text)
};

}  // namespace dmm
