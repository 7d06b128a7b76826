// Statistics of links and messages as JSON; see common_verbs.hpp.
#include "runtime/common_verbs.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/answer_rows.hpp"
#include "protocol/questions.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Limits of an answer about sessions: their number, and their bytes.
constexpr std::size_t links_max = 400, links_bytes_max = 160 * 1024;
constexpr std::string_view no_limit = "the argument is not a JSON object with a number as its \"limit\"";

/// The argument's "limit", at most `most`; `most` if there is none, nothing if it can't be read.
std::optional<std::size_t> limit_in(const Ask& ask, std::size_t most) {
  const Json argument = Json::parse(ask.argument.empty() ? "{}" : ask.argument, nullptr, false);
  if (!argument.is_object()) return std::nullopt;
  const auto given = argument.find("limit");
  if (given == argument.end()) return most;
  if (!given->is_number_unsigned()) return std::nullopt;
  return static_cast<std::size_t>(std::min<std::uint64_t>(given->get<std::uint64_t>(), most));
}

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

/// A text of a peer, cut to a length that people would read.
std::string read_text(const std::string& said) { return said.substr(0, 500); }

Json link_of(const LinkView& link, Instant now) {
  return {
      {"peer", to_text(link.peer)},
      {"role", to_text(link.peer.role)},
      {"site", link.peer.site.text},
      {"name", link.peer.name},
      {"up", link.up},
      {"relayed", link.relayed},
      {"software", read_text(link.software)},
      {"incarnation", link.incarnation},
      {"sent", link.sent},
      {"received", link.received},
      {"unacknowledged", link.unacknowledged},
      {"kept_bytes", link.kept_bytes},
      {"given_up", link.given_up},
      {"round_trip_seconds", link.round_trip.in_seconds()},
      {"link_key", link.link_key ? Json(to_text(*link.link_key)) : Json(nullptr)},
      {"certificate_left_seconds", link.proved_until ? Json(link.proved_until - wall_seconds()) : Json(nullptr)},
      {"heard_seconds_ago", link.incarnation ? Json((now - link.heard).in_seconds()) : Json(nullptr)},
      {"last_error", read_text(link.last_error)}};
}

/// Sessions as JSON, those with sites first: as many as {"limit": 20} asks for and as fit.
Answer links(const Endpoint& endpoint, Instant now, const Ask& ask) {
  const auto most = limit_in(ask, links_max);
  if (!most) return {ask.token, std::string(no_limit), {}};
  std::vector<LinkView> all = endpoint.links();
  std::erase_if(all, [](const LinkView& link) { return link.peer.role == Role::client; });
  std::ranges::stable_partition(all, [](const LinkView& link) { return link.peer.role == Role::site_manager; });
  AnswerRows rows(*most, links_bytes_max);
  Json list = Json::array();
  for (const LinkView& link : all) {
    if (rows.is_full()) break;
    Json row = link_of(link, now);
    if (rows.take(text_of(row).size())) list.push_back(std::move(row));
  }
  const std::size_t left_out = all.size() - list.size();
  Json strangers = Json::array();
  for (const Stranger& stranger : endpoint.strangers())
    strangers.push_back({{"peer", to_text(stranger.party)},
                         {"why", read_text(stranger.why)},
                         {"knocks", stranger.knocks},
                         {"last_seconds_ago", (now - stranger.last).in_seconds()}});
  return {ask.token,
          {},
          text_of({{"links", std::move(list)},
                   {"left_out", left_out},
                   {"strangers", std::move(strangers)},
                   {"kept_bytes", endpoint.kept_bytes()},
                   {"refused", endpoint.counters().refused}})};
}

Json by_name(const std::map<std::uint16_t, std::uint64_t>& counts) {
  Json named = Json::object();
  for (const auto& [type, count] : counts) named[std::string(name_of(type))] = count;
  return named;
}

Json messages(const EndpointCounters& counters, const Ignored& by_reason) {
  Json kinds = Json::object();
  for (std::size_t kind = 0; kind < message_kinds; ++kind)
    kinds[std::string(to_text(static_cast<MessageKind>(kind)))] = counters.sent_by_kind[kind];
  Json ignored = Json::object();
  for (const auto& [reason, count] : by_reason) ignored[std::string(reason)] = count;
  return {{"sent", by_name(counters.sent)},   {"received", by_name(counters.received)},
          {"sent_by_kind", std::move(kinds)}, {"refused", counters.refused},
          {"ignored", std::move(ignored)},    {"resent", counters.resent},
          {"duplicates", counters.duplicates}};
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
  const auto limit = limit_in(ask, 2'000);
  if (!limit) return {ask.token, std::string(no_limit), {}};
  std::uint64_t total = 0;
  for (const auto& [id, count] : counts) total += count;
  Json page = Json::object();
  for (; from != counts.end() && page.size() < *limit; ++from) page[to_text(from->first)] = from->second;
  return {ask.token,
          {},
          text_of({{"counted", endpoint.settings().count_by_request},
                   {"requests", counts.size()},
                   {"messages", total},
                   {"by_request", std::move(page)},
                   {"more", from != counts.end()}})};
}

}  // namespace

std::optional<Answer> common_answer(const Identity& identity, const Endpoint& endpoint, const Ignored& ignored,
                                    Instant now, const Ask& ask) {
  if (ask.verb == "status") return Answer{ask.token, {}, text_of(status(identity, now))};
  if (ask.verb == "links") return links(endpoint, now, ask);
  if (ask.verb == "messages") return Answer{ask.token, {}, text_of(messages(endpoint.counters(), ignored))};
  if (ask.verb == "requests") return requests(endpoint, ask);
  if (ask.verb == "stop") return Answer{ask.token, {}, R"({"stopping":true})"};
  return std::nullopt;
}

Answer unknown_verb(const Ask& ask, Role role) {
  return {ask.token, "no such question: \"" + ask.verb.substr(0, 64) + "\"; there are " + questions_at(role), {}};
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
