#include "runtime/keyring.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/clock.hpp"
#include "runtime/files.hpp"
#include "runtime/json_words.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t file_bytes_max = 16 * 1024;

std::string link_file(const std::string& folder) { return folder + "/keys/link.json"; }
std::string next_file(const std::string& folder) { return folder + "/keys/next.json"; }
std::string site_file(const std::string& folder) { return folder + "/keys/site.json"; }

/// The object in a file that its owner alone may read; nothing if there is no file.
OrFault<std::optional<Json>> read_secret_file(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return "cannot read " + path + ": " + std::strerror(errno);
  }
  if (!S_ISREG(status.st_mode)) return path + " is not a regular file";
  if ((status.st_mode & 077) != 0)
    return path + " has a secret, and other accounts may read or write it; `chmod 600 " + path +
           "` if none of them has";
  if (status.st_uid != ::geteuid() && ::geteuid() != 0) return path + " belongs to another account";
  hide_memory();
  const auto text = read_small_file(path, file_bytes_max);
  if (!text) return "cannot read " + path;
  Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return path + ": expected a JSON object; was it damaged?";
  return std::optional<Json>(std::move(json));
}

WhyNot write_secret_file(const std::string& path, const Json& json) {
  hide_memory();
  const std::string folder = parent_folder(path);
  if (std::string fault = make_directory(parent_folder(folder)); !fault.empty()) return fault;
  if (std::string fault = make_private_directory(folder); !fault.empty()) return fault;
  return replace_private_file(path, json.dump(2) + "\n");
}

OrFault<std::optional<Keyring>> read_keyring_file(const std::string& path) {
  auto read = read_secret_file(path);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  const auto& json = std::get<std::optional<Json>>(read);
  if (!json) return std::nullopt;
  const auto secret = parse_secret<LinkSecret>(word_in(*json, "secret"));
  const auto site = parse_key<SiteKey>(word_in(*json, "site"));
  if (!secret || !site) return path + ": expected a key as \"secret\" and as \"site\"; was it damaged?";
  return Keyring{*secret, word_in(*json, "certificate"), *site};
}

WhyNot write_keyring_file(const std::string& path, const Keyring& keyring) {
  return write_secret_file(path, {{"secret", secret_text(keyring.link)},
                                  {"certificate", keyring.certificate},
                                  {"site", to_text(keyring.site)}});
}

OrFault<SiteSigner> site_signer_of(const std::string& folder) {
  auto read = read_site_signer(folder);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  if (auto& signer = std::get<std::optional<SiteSigner>>(read)) return std::move(*signer);
  SiteSigner made{new_site_secret(), {}};
  if (WhyNot fault = write_site_signer(folder, made); !fault.empty()) return fault;
  return made;
}

}  // namespace

OrFault<std::optional<Keyring>> read_keyring(const std::string& folder) {
  return read_keyring_file(link_file(folder));
}
bool has_keys(const std::string& folder) {
  std::error_code unknown;  // then reading the file tells why
  return !folder.empty() && std::filesystem::exists(link_file(folder), unknown);
}
WhyNot write_keyring(const std::string& folder, const Keyring& keyring) {
  return write_keyring_file(link_file(folder), keyring);
}

OrFault<std::optional<Keyring>> read_next_keyring(const std::string& folder) {
  return read_keyring_file(next_file(folder));
}
WhyNot write_next_keyring(const std::string& folder, const Keyring& keyring) {
  return write_keyring_file(next_file(folder), keyring);
}
WhyNot take_next_keyring(const std::string& folder, const Keyring& keyring) {
  if (WhyNot fault = write_keyring(folder, keyring); !fault.empty()) return fault;
  // If the machine ends now, the next start finds the same key in both files, and replaces the file once more.
  ::unlink(next_file(folder).c_str());
  return sync_parent_of(next_file(folder));
}

void hide_memory() { ::prctl(PR_SET_DUMPABLE, 0); }

OrFault<std::optional<SiteSigner>> read_site_signer(const std::string& folder) {
  const std::string path = site_file(folder);
  auto read = read_secret_file(path);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  const auto& json = std::get<std::optional<Json>>(read);
  if (!json) return std::nullopt;
  const auto secret = parse_secret<SiteSecret>(word_in(*json, "secret"));
  if (!secret) return path + ": expected a key as \"secret\"; was it damaged?";
  return SiteSigner{*secret, words_in(*json, "successions")};
}

OrFault<SiteSigner> signer_in(const std::string& folder) {
  auto read = read_site_signer(folder);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  auto& signer = std::get<std::optional<SiteSigner>>(read);
  if (!signer) return "this site has no keys";
  return std::move(*signer);
}

WhyNot write_site_signer(const std::string& folder, const SiteSigner& signer) {
  Json json = {{"secret", secret_text(signer.secret)}};
  if (!signer.successions.empty()) json["successions"] = signer.successions;
  return write_secret_file(site_file(folder), json);
}

std::string certify_now(const Party& party, const LinkKey& link, Right right, const SiteSigner& signer,
                        WallSeconds life) {
  const WallSeconds now = wall_seconds();
  return certify({party, link, right, now, now + life, signer.successions}, signer.secret);
}

OrFault<LinkSecret> link_secret_in(const std::string& folder) {
  auto read = read_keyring(folder);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  const auto& kept = std::get<std::optional<Keyring>>(read);
  return kept ? kept->link : new_link_secret();
}

OrFault<Keyring> keyring_of_site(const std::string& folder, const SiteName& site) {
  auto signs = site_signer_of(folder);
  if (auto* fault = std::get_if<std::string>(&signs)) return std::move(*fault);
  auto link = link_secret_in(folder);
  if (auto* fault = std::get_if<std::string>(&link)) return std::move(*fault);
  const SiteSigner& signer = std::get<SiteSigner>(signs);
  Keyring keyring{std::get<LinkSecret>(link), {}, public_of(signer.secret)};
  keyring.certificate = certify_now(site_manager_of(site), public_of(keyring.link), Right::none, signer);
  if (WhyNot fault = write_keyring(folder, keyring); !fault.empty()) return fault;
  return keyring;
}

OrFault<Keyring> keyring_of_person() {
  const char* const folder = std::getenv("DMM_KEYS");
  if (folder == nullptr || *folder == '\0') return Keyring{new_link_secret(), {}, {}};
  auto read = read_keyring(folder);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  auto& keyring = std::get<std::optional<Keyring>>(read);
  if (!keyring) return "DMM_KEYS: there is no " + link_file(folder);
  return std::move(*keyring);
}

}  // namespace dmm
