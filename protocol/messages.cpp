// Names and kinds of messages, for logs and counters.
#include "protocol/messages.hpp"

#include <array>

namespace dmm {

Message::Message() = default;
Message::Message(const Message& other) = default;
Message::Message(Message&& other) noexcept = default;
Message& Message::operator=(const Message& other) = default;
Message& Message::operator=(Message&& other) noexcept = default;
Message::~Message() = default;

std::uint16_t type_of(const Message& message) {
  return std::visit([](const auto& m) { return std::decay_t<decltype(m)>::type; }, message);
}

std::string_view name_of(std::uint16_t type) {
  switch (type) {
    case Hello::type: return "hello";
    case Beat::type: return "beat";
    case Fault::type: return "fault";
    case Relay::type: return "relay";
    case Fragment::type: return "fragment";
    case Vouch::type: return "vouch";
    case Certify::type: return "certify";
    case Certified::type: return "certified";
    case Request::type: return "request";
    case Cancel::type: return "cancel";
    case Staged::type: return "staged";
    case Refuse::type: return "refuse";
    case Delegate::type: return "delegate";
    case Reject::type: return "reject";
    case Withdraw::type: return "withdraw";
    case Reach::type: return "reach";
    case Planned::type: return "planned";
    case Prefetch::type: return "prefetch";
    case Prefetched::type: return "prefetched";
    case Survey::type: return "survey";
    case Clusters::type: return "clusters";
    case Probe::type: return "probe";
    case Probed::type: return "probed";
    case Grant::type: return "grant";
    case GrantSet::type: return "grant_set";
    case Claim::type: return "claim";
    case Claimed::type: return "claimed";
    case Release::type: return "release";
    case LeaseEnded::type: return "lease_ended";
    case Renew::type: return "renew";
    case Renewed::type: return "renewed";
    case Inventory::type: return "inventory";
    case Register::type: return "register";
    case Assign::type: return "assign";
    case Unassign::type: return "unassign";
    case Clean::type: return "clean";
    case SetAside::type: return "set_aside";
    case Start::type: return "start";
    case Started::type: return "started";
    case Go::type: return "go";
    case Began::type: return "began";
    case Ended::type: return "ended";
    case Stop::type: return "stop";
    case Fetch::type: return "fetch";
    case Chunk::type: return "chunk";
    case Piece::type: return "piece";
    case Grown::type: return "grown";
    case Forget::type: return "forget";
    case Submit::type: return "submit";
    case Submitted::type: return "submitted";
    case Ask::type: return "ask";
    case Answer::type: return "answer";
    default: return "unknown";
  }
}

std::string_view to_text(MessageKind kind) {
  static constexpr std::array<std::string_view, message_kinds> words{
      "notify_broker", "negotiate", "job_data_exchange", "match_claim_release", "dmm", "keep_alive"};
  return words.at(static_cast<std::size_t>(kind));
}

std::string_view to_text(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::after: return "after";
    case DependencyKind::after_ok: return "afterok";
    case DependencyKind::after_not_ok: return "afternotok";
    case DependencyKind::after_any: return "afterany";
  }
  return "unknown";
}

std::string name_of(const Dependency& dependency) {
  const std::string job = std::to_string(dependency.job);
  return dependency.of_element ? job + '_' + std::to_string(dependency.index) : job;
}

std::string_view to_text(Runner runner) {
  static constexpr std::array<std::string_view, runners> words{"per_component", "per_node", "per_processor",
                                                               "once", "mpi"};
  return words.at(static_cast<std::size_t>(runner));
}

std::string_view to_text(Stream stream) { return stream == Stream::output ? "output" : "error"; }

std::string_view to_text(Role role) {
  switch (role) {
    case Role::site_manager: return "sitemgr";
    case Role::job_manager: return "jobmgr";
    case Role::resource_manager: return "resmgr";
    case Role::client: return "client";
  }
  return "unknown";
}

}  // namespace dmm
