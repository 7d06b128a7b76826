#include "runtime/enrolment.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "keys/endpoint_key.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"
#include "runtime/json_list.hpp"
#include "runtime/json_words.hpp"
#include "runtime/keyring.hpp"
#include "runtime/successors.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> newcomer_words = {"neighbour", "user", "node"};
constexpr std::size_t code_bytes = 16, token_bytes_max = 4'096;
constexpr WallSeconds hour = 3'600;
constexpr double hours_default = 24, hours_max = 24 * 30;

std::string invitations_file(const std::string& folder) { return folder + "/keys/invitations.json"; }
std::string joined_file(const std::string& folder) { return folder + "/joined.json"; }
std::string revoked_file(const std::string& folder) { return folder + "/revoked.json"; }

std::optional<Newcomer> newcomer_of(const std::string& word) {
  const auto found = std::ranges::find(newcomer_words, word);
  if (found == newcomer_words.end()) return std::nullopt;
  return static_cast<Newcomer>(found - newcomer_words.begin());
}

/// The end of a token or an invitation; 0 if none is given.
WallSeconds until_in(const Json& json) {
  const auto until = json.find("until");
  return until != json.end() && until->is_number_integer() ? until->get<WallSeconds>() : 0;
}

bool is_relation(const std::string& word) { return word == "parent" || word == "child" || word == "sibling"; }

/// The same relation, as the other end names it.
std::string reversed(const std::string& relation) {
  if (relation == "parent") return "child";
  if (relation == "child") return "parent";
  return relation;
}

bool is_named(Newcomer newcomer, const std::string& name) {
  return is_name(name, newcomer == Newcomer::node ? manager_name_length_max : name_length_max);
}

}  // namespace

std::string to_letters(const Token& token) {
  const Json json = {{"token", 1},
                     {"newcomer", newcomer_words[static_cast<std::size_t>(token.newcomer)]},
                     {"name", token.name},
                     {"site", token.site.text},
                     {"key", to_text(token.key)},
                     {"endpoint", token.endpoint},
                     {"relation", token.relation},
                     {"ancestors", token.ancestors},
                     {"code", token.code},
                     {"until", token.until}};
  return keys::letters_of(json.dump());
}

OrFault<Token> parse_token(const std::string& letters) {
  const auto bytes = keys::bytes_of(letters, token_bytes_max);
  const Json json = bytes ? Json::parse(*bytes, nullptr, false) : Json();
  if (!json.is_object() || !json.contains("token")) return "this is no token; was all of it pasted?";
  if (json["token"] != 1) return "the token is of another version of DMM";
  const auto newcomer = newcomer_of(word_in(json, "newcomer"));
  const auto key = parse_key<SiteKey>(word_in(json, "key"));
  const Token token{newcomer.value_or(Newcomer::user), word_in(json, "name"),     SiteName(word_in(json, "site")),
                    key.value_or(SiteKey{}),           word_in(json, "endpoint"), word_in(json, "relation"),
                    words_in(json, "ancestors"),       word_in(json, "code"),     until_in(json)};
  const bool is_whole = newcomer && key && is_named(token.newcomer, token.name) &&
                        is_name(std::string_view(token.site.text)) && place_and_key(token.endpoint).second &&
                        !token.code.empty();
  if (!is_whole) return "the token is damaged; was all of it pasted?";
  if (wall_seconds() >= token.until)
    return "the token was good until " + utc_text(token.until * 1'000'000) + "; ask for another one";
  return token;
}

OrFault<std::vector<JoinedLink>> read_joined(const std::string& folder) {
  auto read = read_json_list(joined_file(folder));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  std::vector<JoinedLink> links;
  for (const Json& one : std::get<Json>(read))
    if (one.is_object())
      links.push_back({word_in(one, "site"), word_in(one, "relation"), word_in(one, "connect"),
                       word_in(one, "key"), words_in(one, "ancestors")});
  return links;
}

WhyNot write_joined(const std::string& folder, const JoinedLink& link) {
  auto read = read_json_list(joined_file(folder));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  Json& list = std::get<Json>(read);
  const auto same = std::ranges::find_if(list, [&](const Json& one) { return word_in(one, "site") == link.site; });
  const Json row = {{"site", link.site},
                    {"relation", link.relation},
                    {"connect", link.connect},
                    {"key", link.key},
                    {"ancestors", link.ancestors}};
  if (same == list.end())
    list.push_back(row);
  else
    *same = row;
  return replace_private_file(joined_file(folder), list.dump(2) + "\n");
}

OrFault<Token> Enrolment::invite(const Json& argument) const {
  const auto newcomer = newcomer_of(word_in(argument, "kind"));
  const std::string name = word_in(argument, "name"), at = word_in(argument, "at"),
                    relation = word_in(argument, "relation");
  if (!newcomer || !is_named(*newcomer, name)) return "invite: expected \"kind\" and \"name\"";
  if (*newcomer == Newcomer::neighbour && !is_relation(relation))
    return "invite: expected \"relation\": parent, child or sibling";
  if (!at.starts_with("tcp://"))
    return "invite: expected \"at\": where the newcomer reaches this site, tcp://host:port";
  const auto hours = argument.find("hours");
  const double good_for = hours != argument.end() && hours->is_number() ? hours->get<double>() : hours_default;
  if (!(good_for > 0 && good_for <= hours_max)) return "invite: expected \"hours\" above 0, at most 720";
  auto signer = signer_in(folder_);
  if (auto* fault = std::get_if<std::string>(&signer)) return std::move(*fault);
  Token token{*newcomer,
              name,
              site_,
              public_of(std::get<SiteSigner>(signer).secret),
              at + key_mark + to_text(link_),
              reversed(relation),
              ancestors_,
              random_letters(code_bytes),
              wall_seconds() + static_cast<WallSeconds>(good_for * hour)};
  auto read = read_json_list(invitations_file(folder_));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  Json& open = std::get<Json>(read);
  const auto is_over = [](const Json& one) { return until_in(one) <= wall_seconds(); };
  open.erase(std::remove_if(open.begin(), open.end(), is_over), open.end());
  open.push_back({{"code", token.code},
                  {"kind", word_in(argument, "kind")},
                  {"name", name},
                  {"relation", relation},
                  {"until", token.until}});
  if (WhyNot fault = replace_private_file(invitations_file(folder_), open.dump(2) + "\n"); !fault.empty())
    return fault;
  return token;
}

WhyNot Enrolment::note_newcomer(const Party& party, const LinkKey& link) const {
  const auto revoked = read_revoked(folder_);
  if (const auto* fault = std::get_if<std::string>(&revoked)) return *fault;
  if (std::ranges::count(std::get<std::vector<std::string>>(revoked), to_text(link)) > 0)
    return "the link key in that folder is revoked: move its `keys` folder away, and use the token again";
  return note_certified(folder_, {party, link, {}, wall_seconds() + certificate_life, true});
}

OrFault<Enrolment::Taken> Enrolment::take_in(const Json& argument) const {
  auto read = read_json_list(invitations_file(folder_));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  Json& open = std::get<Json>(read);
  const std::string code = word_in(argument, "code");
  const auto shown = std::ranges::find_if(
      open, [&](const Json& one) { return one.is_object() && !code.empty() && word_in(one, "code") == code; });
  if (shown == open.end() || until_in(*shown) <= wall_seconds())
    return "the token was used before, or isn't good any more; ask for another one";
  const Json invitation = *shown;
  const Newcomer newcomer = newcomer_of(word_in(invitation, "kind")).value_or(Newcomer::user);
  const std::string name = word_in(invitation, "name");
  const auto link = parse_key<LinkKey>(word_in(argument, "link"));
  const auto key = parse_key<SiteKey>(word_in(argument, "key"));
  if (newcomer == Newcomer::neighbour ? !key : !link) return "enrol: expected the newcomer's key";
  const Party party{site_, newcomer == Newcomer::user ? Role::job_manager : Role::resource_manager,
                    ShortText(name)};
  if (link)
    if (WhyNot fault = note_newcomer(party, *link); !fault.empty()) return fault;
  // Used up first: of two newcomers that show one code at the same time, only the first may use it.
  open.erase(shown);
  if (WhyNot fault = replace_private_file(invitations_file(folder_), open.dump(2) + "\n"); !fault.empty())
    return fault;
  if (newcomer == Newcomer::neighbour) {
    WhyNot fault = write_joined(folder_, {name, word_in(invitation, "relation"), {}, to_text(*key), {}});
    if (!fault.empty()) return fault;
    return Taken{{}, true};
  }
  auto signer = signer_in(folder_);
  if (auto* fault = std::get_if<std::string>(&signer)) return std::move(*fault);
  return Taken{certify_now(party, *link, Right::none, std::get<SiteSigner>(signer)), false};
}

WhyNot Enrolment::add_link(const Json& argument) const {
  const JoinedLink link{word_in(argument, "site"), word_in(argument, "relation"), word_in(argument, "connect"),
                        word_in(argument, "key"), words_in(argument, "ancestors")};
  const bool is_whole = is_name(link.site) && parse_key<SiteKey>(link.key) && place_and_key(link.connect).second;
  if (!is_whole || !is_relation(link.relation))
    return "link: expected \"site\", \"relation\", \"connect\" and \"key\"";
  if (link.site == site_.text) return "link: a site cannot be linked to itself";
  return write_joined(folder_, link);
}

OrFault<std::vector<std::string>> read_revoked(const std::string& folder) {
  auto read = read_json_list(revoked_file(folder));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  return words_of(std::get<Json>(read));
}

OrFault<std::vector<std::string>> Enrolment::revoke(const Json& argument) const {
  std::vector<std::string> keys = words_in(argument, "keys");
  if (std::string key = word_in(argument, "key"); !key.empty()) keys.push_back(std::move(key));
  const std::string party = word_in(argument, "party");
  if (!party.empty()) {
    auto noted = keys_of(folder_, party);
    if (auto* fault = std::get_if<std::string>(&noted)) return std::move(*fault);
    for (std::string& key : std::get<std::vector<std::string>>(noted)) keys.push_back(std::move(key));
    if (keys.empty())
      return "revoke: no link key of " + party + " is known here; `dmm keys` prints it where its keys are";
  }
  if (keys.empty() ||
      !std::ranges::all_of(keys, [](const auto& key) { return parse_key<LinkKey>(key).has_value(); }))
    return "revoke: expected \"key\": a link key, as `dmm keys` prints it";
  auto read = read_json_list(revoked_file(folder_));
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  Json& list = std::get<Json>(read);
  for (const std::string& key : keys)
    if (std::ranges::find(list, Json(key)) == list.end()) list.push_back(key);
  if (WhyNot fault = replace_private_file(revoked_file(folder_), list.dump(2) + "\n"); !fault.empty())
    return fault;
  return keys;
}

OrFault<SiteKey> Enrolment::site_key() const {
  auto signer = signer_in(folder_);
  if (auto* fault = std::get_if<std::string>(&signer)) return std::move(*fault);
  return public_of(std::get<SiteSigner>(signer).secret);
}

std::optional<EnrolmentAnswer> answer_enrolment(const std::optional<Enrolment>& office, const Ask& ask) {
  constexpr std::array<std::string_view, 5> ours = {"site_key", "invite", "enrol", "link", "revoke"};
  const bool is_ours = std::ranges::find(ours, ask.verb) != ours.end();
  if (!is_ours) return std::nullopt;
  const auto fault = [&](const std::string& text) { return EnrolmentAnswer{{ask.token, text, {}}}; };
  const auto answer = [&](const Json& json, bool reload = false) {
    return EnrolmentAnswer{{ask.token, {}, json.dump()}, reload};
  };
  if (!office) return fault("this site has no keys: it doesn't listen over tcp");
  const Json argument = Json::parse(ask.argument.empty() ? "{}" : ask.argument, nullptr, false);
  if (!argument.is_object()) return fault(ask.verb + ": the argument is not a JSON object");
  if (ask.verb == "site_key") {
    const auto key = office->site_key();
    if (const auto* why = std::get_if<std::string>(&key)) return fault(*why);
    return answer({{"key", to_text(std::get<SiteKey>(key))}});
  }
  if (ask.verb == "revoke") {
    const auto keys = office->revoke(argument);
    if (const auto* why = std::get_if<std::string>(&keys)) return fault(*why);
    return answer({{"revoked", true}, {"keys", std::get<std::vector<std::string>>(keys)}}, true);
  }
  if (ask.verb == "link") {
    if (WhyNot why = office->add_link(argument); !why.empty()) return fault(why);
    const bool is_parent =
        argument.value("relation", "") == "parent";  // at runtime, only the start reads the way to the root
    return answer({{"linked", true}, {"restart", is_parent}}, !is_parent);
  }
  if (ask.verb == "invite") {
    const auto token = office->invite(argument);
    if (const auto* why = std::get_if<std::string>(&token)) return fault(*why);
    return answer({{"token", to_letters(std::get<Token>(token))}, {"until", std::get<Token>(token).until}});
  }
  const auto taken = office->take_in(argument);
  if (const auto* why = std::get_if<std::string>(&taken)) return fault(*why);
  const auto& in = std::get<Enrolment::Taken>(taken);
  return answer({{"certificate", in.certificate}, {"linked", in.neighbour}}, in.neighbour);
}

}  // namespace dmm
