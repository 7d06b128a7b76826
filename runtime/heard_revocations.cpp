#include "runtime/heard_revocations.hpp"

#include <utility>

#include "protocol/text.hpp"
#include "runtime/files.hpp"
#include "runtime/json_list.hpp"
#include "runtime/json_words.hpp"

namespace dmm {
namespace {

std::string heard_file(const std::string& folder) { return folder + "/keys/heard.json"; }

}  // namespace

/// A row that can't be read is a fault, as an unreadable file is: its key would be believed again.
WhyNot HeardRevocations::read() {
  if (folder_.empty()) return {};
  const auto read = read_json_list(heard_file(folder_));
  if (const auto* fault = std::get_if<std::string>(&read)) return *fault;
  for (const auto& row : std::get<nlohmann::ordered_json>(read)) {
    const std::string teller = word_in(row, "told_by"), site = word_in(row, "site");
    const auto link = parse_key<LinkKey>(word_in(row, "link"));
    if (!link || !is_name(teller) || !is_name(site))
      return heard_file(folder_) +
             ": expected \"told_by\" and \"site\", which name sites, and \"link\", a link key";
    if (all_.size() < most) all_.push_back({SiteName(teller), SiteName(site), *link});
  }
  return {};
}

void HeardRevocations::hear(const RevocationHeard& heard) {
  if (folder_.empty() || all_.size() >= most) return;
  all_.push_back(heard);
  changed_ = true;
}

WhyNot HeardRevocations::write() {
  if (!std::exchange(changed_, false)) return {};
  auto list = nlohmann::ordered_json::array();
  for (const RevocationHeard& heard : all_)
    list.push_back({{"told_by", std::string(heard.teller.text)},
                    {"site", std::string(heard.site.text)},
                    {"link", to_text(heard.link)}});
  const std::string path = heard_file(folder_);
  if (WhyNot fault = make_private_directory(parent_folder(path)); !fault.empty()) return fault;
  return replace_private_file(path, list.dump(2) + "\n");
}

}  // namespace dmm
