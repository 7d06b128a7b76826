#include "keys/succession.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "keys/json_values.hpp"
#include "keys/signed_text.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view succession_kind = "dmm succession 1";
constexpr std::size_t succession_keys = 5;
constexpr std::size_t succession_bytes_max = 512;

OrFault<Succession> read_succession(const SiteName& site, std::string_view letters) {
  const std::string fault = "a succession of site keys can't be read, or isn't signed with the former key";
  const auto written = read_signed_text(letters, succession_bytes_max);
  if (!written) return fault;
  const Json json = Json::parse(written->text, nullptr, false);
  if (!json.is_object() || json.size() != succession_keys || keys::text_in(json, "kind") != succession_kind)
    return fault;
  const auto former = parse_key<SiteKey>(keys::text_in(json, "former").value_or(""));
  const auto key = parse_key<SiteKey>(keys::text_in(json, "key").value_or(""));
  const auto from = keys::integer_in(json, "from");
  if (keys::text_in(json, "site") != site.text || !former || !key || !from) return fault;
  if (!is_signed(written->text, written->signature, *former)) return fault;
  return Succession{*former, *key, *from};
}

}  // namespace

SiteSigner succeed(const SiteName& site, const SiteSigner& signer, const SiteSecret& next, std::int64_t now) {
  const Json json = {{"kind", succession_kind},
                     {"site", site.text},
                     {"former", to_text(public_of(signer.secret))},
                     {"key", to_text(public_of(next))},
                     {"from", now}};
  SiteSigner successor{next, signer.successions};
  successor.successions.push_back(sign_as_letters(json.dump(), signer.secret));
  if (successor.successions.size() > successions_max) successor.successions.erase(successor.successions.begin());
  return successor;
}

OrFault<std::vector<Succession>> read_successions(const SiteName& site, const std::vector<std::string>& letters) {
  if (letters.size() > successions_max) return "there are more successions of site keys than may be shown";
  std::vector<Succession> successions;
  for (const std::string& one : letters) {
    auto read = read_succession(site, one);
    if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
    const Succession& succession = std::get<Succession>(read);
    if (!successions.empty() && successions.back().key != succession.former)
      return "the successions of site keys don't follow one another";
    successions.push_back(succession);
  }
  return successions;
}

}  // namespace dmm
