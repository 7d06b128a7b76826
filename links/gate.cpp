// The table of verbs by role; see gate.hpp.
#include "links/gate.hpp"

#include "protocol/messages.hpp"

namespace dmm {
namespace {

constexpr Role site = Role::site_manager;
constexpr Role job = Role::job_manager;
constexpr Role resource = Role::resource_manager;
constexpr Role client = Role::client;

bool is(Role from, Role a, Role to, Role b) { return from == a && to == b; }

}  // namespace

bool may_send(std::uint16_t type, Role from, Role to) {
  switch (type) {
    case Hello::type:
    case Beat::type:
    case Fault::type:
    case Part::type: return true;
    case Relay::type: return from != client && to != client && (from == site || to == site);
    case Request::type:
    case Cancel::type: return is(from, job, to, site);
    case Refuse::type: return is(from, site, to, job);
    case Delegate::type:
    case Reject::type:
    case Withdraw::type:
    case Reach::type: return is(from, site, to, site);
    case Grant::type:
    case Renewed::type:
    case LeaseEnded::type:
      return from == site && (to == site || to == job) ? true
                                                       : type == LeaseEnded::type && is(from, resource, to, site);
    case Claim::type: return is(from, site, to, site);
    case Release::type:
    case Renew::type: return to == site && (from == site || from == job);
    case Inventory::type: return is(from, site, to, site) || is(from, site, to, job) || is(from, job, to, site);
    case Register::type:
    case Clean::type:
    case SetAside::type: return is(from, resource, to, site);
    case Assign::type:
    case Unassign::type: return is(from, site, to, resource);
    case Start::type:
    case Stop::type:
    case Fetch::type:
    case Forget::type: return is(from, job, to, resource);
    case Started::type:
    case Ended::type:
    case Chunk::type:
    case Piece::type:
    case Grown::type: return is(from, resource, to, job);
    case Submit::type: return is(from, client, to, job);
    case Submitted::type: return is(from, job, to, client);
    case Ask::type: return from == client;
    case Answer::type: return to == client;
    default: return false;
  }
}

}  // namespace dmm
