// Keys on disk, below the `directory` of a manager or the folder of a person:
//
//   keys/link.json   the secret of the link key, its certificate, and the key of the site that signed it.
//   keys/next.json   the same of a link key that takes the place of that one soon.
//   keys/site.json   the secret of the site's key, and how this key followed earlier ones: a site manager's alone.
//
// Only the owner may read them: other modes are refused. A secret goes nowhere else: a process that has one leaves no
// core dump.
#pragma once

#include <optional>
#include <string>

#include "keys/certificate.hpp"
#include "keys/succession.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// The keys and the certificate that a manager or a person proves itself with.
struct Keyring {
  LinkSecret link;
  std::string certificate;  ///< as letters; empty: it has none
  SiteKey site;             ///< the site that signed the certificate
};

/// The keyring in a folder; nothing if there is none.
OrFault<std::optional<Keyring>> read_keyring(const std::string& folder);
WhyNot write_keyring(const std::string& folder, const Keyring& keyring);
/// The keyring that takes the place of the one in a folder; nothing if there is none. Its certificate is empty until
/// the site has made one.
OrFault<std::optional<Keyring>> read_next_keyring(const std::string& folder);
WhyNot write_next_keyring(const std::string& folder, const Keyring& keyring);
/// The next keyring takes its place: it becomes the keyring of the folder, and there is no next one.
WhyNot take_next_keyring(const std::string& folder, const Keyring& keyring);

/// Whether there is a keyring in a folder.
bool has_keys(const std::string& folder);

/// The secret of the keyring in a folder; a new one if there is none.
OrFault<LinkSecret> link_secret_in(const std::string& folder);

/// What the site signs with that has its manager's keys in this folder; nothing if there is none.
OrFault<std::optional<SiteSigner>> read_site_signer(const std::string& folder);
/// The same where there has to be a signer; an error text if there is none.
OrFault<SiteSigner> signer_in(const std::string& folder);
WhyNot write_site_signer(const std::string& folder, const SiteSigner& signer);

/// From now on this process leaves no core dump, and other processes of its account can't read its memory.
void hide_memory();

/// A certificate for a party of this site, valid from now on.
std::string certify_now(const Party& party, const LinkKey& link, Right right, const SiteSigner& signer,
                        WallSeconds life = certificate_life);

/// The site manager's keyring. It is made at its first start, with the site's key.
OrFault<Keyring> keyring_of_site(const std::string& folder, const SiteName& site);

/// What `dmm` proves itself with over tcp: the keyring in the folder that DMM_KEYS names. Without one, a link key
/// without a certificate.
OrFault<Keyring> keyring_of_person();

}  // namespace dmm
