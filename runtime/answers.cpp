// JSON out of what links and messages were counted; see answers.hpp.
#include "runtime/answers.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json status(const Identity& identity, Instant now) {
  return {{"party", to_text(identity.self)},
          {"role", to_text(identity.self.role)},
          {"site", identity.self.site.text},
          {"name", identity.self.name},
          {"version", DMM_VERSION},
          {"pid", ::getpid()},
          {"uptime_seconds", (now - identity.started).in_seconds()},
          {"incarnation", identity.incarnation},
          {"time", utc_text(wall_microseconds())},
          {"listen", identity.endpoints}};
}

Json links(const Endpoint& endpoint, Instant now) {
  Json list = Json::array();
  for (const LinkView& link : endpoint.links()) {
    if (link.peer.role == Role::client) continue;
    Json one{{"peer", to_text(link.peer)},
             {"role", to_text(link.peer.role)},
             {"site", link.peer.site.text},
             {"name", link.peer.name},
             {"up", link.up},
             {"relayed", link.relayed},
             {"software", link.software},
             {"incarnation", link.incarnation},
             {"sent", link.sent},
             {"received", link.received},
             {"unacknowledged", link.unacknowledged},
             {"kept_bytes", link.kept_bytes},
             {"given_up", link.given_up},
             {"round_trip_seconds", link.round_trip.in_seconds()}};
    one["heard_seconds_ago"] = link.incarnation ? Json((now - link.heard).in_seconds()) : Json(nullptr);
    one["last_error"] = link.last_error;
    list.push_back(std::move(one));
  }
  Json strangers = Json::array();
  for (const Stranger& stranger : endpoint.strangers())
    strangers.push_back({{"peer", to_text(stranger.party)},
                         {"knocks", stranger.knocks},
                         {"last_seconds_ago", (now - stranger.last).in_seconds()}});
  return {{"links", std::move(list)},
          {"strangers", std::move(strangers)},
          {"kept_bytes", endpoint.kept_bytes()},
          {"refused", endpoint.counters().refused}};
}

Json by_name(const std::map<std::uint16_t, std::uint64_t>& counts) {
  Json named = Json::object();
  for (const auto& [type, count] : counts) named[std::string(name_of(type))] = count;
  return named;
}

Json messages(const EndpointCounters& counters) {
  Json kinds = Json::object();
  for (std::size_t kind = 0; kind < message_kinds; ++kind)
    kinds[std::string(to_text(static_cast<MessageKind>(kind)))] = counters.sent_by_kind[kind];
  return {{"sent", by_name(counters.sent)},     {"received", by_name(counters.received)},
          {"sent_by_kind", std::move(kinds)},   {"refused", counters.refused},
          {"resent", counters.resent},          {"duplicates", counters.duplicates}};
}

/// A page of the counts by request: {"after": "das-0/alice/17", "limit": 2000}.
Answer requests(const Endpoint& endpoint, const Ask& ask) {
  const Json wanted = Json::parse(ask.argument.empty() ? "{}" : ask.argument, nullptr, false);
  if (!wanted.is_object()) return {ask.token, "the argument is not a JSON object", {}};
  const auto& counts = endpoint.sent_by_request();
  auto from = counts.begin();
  if (const auto after = wanted.find("after"); after != wanted.end()) {
    const auto id = after->is_string() ? parse_request_id(after->get<std::string>()) : std::nullopt;
    if (!id) return {ask.token, "\"after\" is not a request, which reads site/user/job", {}};
    from = counts.upper_bound(*id);
  }
  std::size_t limit = 2'000;
  if (const auto given = wanted.find("limit"); given != wanted.end()) {
    if (!given->is_number_unsigned()) return {ask.token, "\"limit\" is not a number", {}};
    limit = std::min<std::size_t>(given->get<std::size_t>(), limit);
  }
  std::uint64_t total = 0;
  for (const auto& [id, count] : counts) total += count;
  Json page = Json::object();
  for (; from != counts.end() && page.size() < limit; ++from) page[to_text(from->first)] = from->second;
  return {ask.token, {}, text_of({{"counted", endpoint.settings().count_by_request},
                                  {"requests", counts.size()},
                                  {"messages", total},
                                  {"by_request", std::move(page)},
                                  {"more", from != counts.end()}})};
}

}  // namespace

std::string_view common_verbs() { return "status, links, messages, requests, stop"; }

std::optional<Answer> common_answer(const Identity& identity, const Endpoint& endpoint, Instant now, const Ask& ask) {
  if (ask.verb == "status") return Answer{ask.token, {}, text_of(status(identity, now))};
  if (ask.verb == "links") return Answer{ask.token, {}, text_of(links(endpoint, now))};
  if (ask.verb == "messages") return Answer{ask.token, {}, text_of(messages(endpoint.counters()))};
  if (ask.verb == "requests") return requests(endpoint, ask);
  if (ask.verb == "stop") return Answer{ask.token, {}, R"({"stopping":true})"};
  return std::nullopt;
}

Answer unknown_verb(const Ask& ask, std::string_view verbs) {
  std::string text = "no such question: \"" + ask.verb.substr(0, 64) + "\"; there are " + std::string(common_verbs());
  if (!verbs.empty()) (text += ", ") += verbs;
  return {ask.token, std::move(text), {}};
}

Answer ready_to_send(Answer answer, const Ask& ask) {
  answer.token = ask.token;
  if (answer.text.size() <= answer_bytes_max) return answer;
  return {ask.token,
          "the answer would be " + std::to_string(answer.text.size() / 1024) + " KiB long, more than the " +
              std::to_string(answer_bytes_max / 1024) + " KiB that fit; ask with a smaller \"limit\"",
          {}};
}

}  // namespace dmm
