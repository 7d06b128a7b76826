// An endpoint's name and incarnation, the parties that it lets in, and the times and limits of its sessions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "keys/seals.hpp"
#include "links/gate.hpp"
#include "links/session.hpp"
#include "links/trust.hpp"
#include "protocol/codec/codec.hpp"

namespace dmm {

/// Which parties may open a session with us.
struct Admission {
  std::set<Party> parties;            ///< by name
  bool job_managers_of_site = false;  ///< any job manager of our own site
  bool job_managers = false;          ///< any job manager (a resource manager's direct route)
  bool resource_managers = false;     ///< any resource manager of our own site
  bool clients = true;                ///< the command line
  AccountRules accounts;              ///< which accounts of this host are believed to be which of them
  TrustSettings trust;                ///< which certificates are believed over tcp
};

struct EndpointSettings {
  Party self;
  std::uint64_t incarnation = 1;  ///< greater at each start, by more than sessions are begun again in between
  std::uint64_t instance = 0;     ///< the same at each start of this one, another for any other of the same name
  SiteNames ancestors;
  std::optional<LinkSecret> link_secret;  ///< none: we have no keys
  SealSalt seal_salt{};                   ///< of this start alone
  std::string certificate;                ///< of our own link key; empty: we have none
  Duration wall_offset;                   ///< what is added to our clock for the time since 1970
  Admission admission;
  SessionTimes times;
  SessionLimits limits;
  Duration relay_after = seconds(2);    ///< a direct route that is silent this long is given up for the relay
  Duration direct_again = seconds(60);  ///< and tried again after this
  bool count_by_request = false;        ///< keep the number of messages sent about each request
  std::shared_ptr<Codec> codec;         ///< shared by all endpoints of a thread; none: one of its own
};

}  // namespace dmm
