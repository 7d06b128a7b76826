// How a neighbour, a user or a node joins a site. The site's administrator makes a token. The newcomer shows the code
// of the token over tcp, once, and gets what it needs to prove itself from then on.
//
//   keys/invitations.json   in the site manager's directory: codes that are open yet.
//   joined.json             there, too: neighbours that joined by a token, beside the `links` of the configuration.
//   revoked.json            there, too: link keys that were revoked by an order, beside those of the configuration.
//
// A token is a JSON object in letters of base64url, so that people can paste it. It says where the site is reached, its
// site key, what is offered, the code, and until when the code is good.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "keys/certificate.hpp"
#include "protocol/messages.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// What the newcomer joins as.
enum class Newcomer : std::uint8_t { neighbour, user, node };

struct Token {
  Newcomer newcomer = Newcomer::user;
  std::string name;                    ///< of the neighbour's site, the user or the resource manager
  SiteName site;                       ///< the site that invites
  SiteKey key;                         ///< of that site
  std::string endpoint;                ///< of its site manager, with its link key
  std::string relation;                ///< of a neighbour: what the inviting site is to it
  std::vector<std::string> ancestors;  ///< of the inviting site
  std::string code;
  WallSeconds until = 0;
};

std::string to_letters(const Token& token);
OrFault<Token> parse_token(const std::string& letters);

/// A neighbour that joined by a token.
struct JoinedLink {
  std::string site, relation, connect, key;
  std::vector<std::string> ancestors;  ///< of that site; they become ours if it is our parent
};

OrFault<std::vector<JoinedLink>> read_joined(const std::string& folder);
/// Adds a neighbour, or puts it in the place of an earlier one of the same site.
WhyNot write_joined(const std::string& folder, const JoinedLink& link);

/// Link keys that were revoked by an order, as letters.
OrFault<std::vector<std::string>> read_revoked(const std::string& folder);

/// The office of a site that works in a folder: it invites newcomers, and takes in those that show a code.
class Enrolment {
 public:
  /// `ancestors` are the site's.
  Enrolment(std::string folder, SiteName site, LinkKey link, std::vector<std::string> ancestors)
      : folder_(std::move(folder)), site_(site), link_(link), ancestors_(std::move(ancestors)) {}

  /// The argument is {"kind", "name", "at", "relation", "hours"}. Returns a token.
  OrFault<Token> invite(const nlohmann::ordered_json& argument) const;

  /// Adds a neighbour that invited us: {"site", "relation", "connect", "key", "ancestors"}.
  WhyNot add_link(const nlohmann::ordered_json& argument) const;
  OrFault<SiteKey> site_key() const;
  /// Revokes link keys: {"key"}, or those of a party: {"party", "keys"}, with keys that only the asker knows. Returns
  /// the keys.
  OrFault<std::vector<std::string>> revoke(const nlohmann::ordered_json& argument) const;

  /// The outcome of a code: a certificate for a user or a node, or a neighbour that was added.
  struct Taken {
    std::string certificate;
    bool neighbour = false;
  };
  /// The argument is {"code", "link" or "key"}. Afterwards the code can't be used again.
  OrFault<Taken> take_in(const nlohmann::ordered_json& argument) const;

 private:
  /// Notes that this key is certified for the party. Returns why it must not be.
  WhyNot note_newcomer(const Party& party, const LinkKey& link) const;

  std::string folder_;
  SiteName site_;
  LinkKey link_;
  std::vector<std::string> ancestors_;
};

/// An answer of the office, and whether the site's configuration is to be read again.
struct EnrolmentAnswer {
  Answer answer;
  bool reload = false;
};

/// The answer to "site_key", "invite", "enrol", "link" and "revoke"; nothing for any other verb. Without an office
/// the site has no keys.
std::optional<EnrolmentAnswer> answer_enrolment(const std::optional<Enrolment>& office, const Ask& ask);

}  // namespace dmm
