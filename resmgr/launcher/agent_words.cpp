#include "resmgr/launcher/agent_words.hpp"

#include "resmgr/backends/process/go_text.hpp"

namespace dmm::launcher {

Contact parse_contact(std::string_view contact) {
  Contact parts{std::string(host_of(contact)), {}, {}};
  if (parts.host.size() == contact.size()) return parts;
  const std::string_view rest = contact.substr(parts.host.size() + 1);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return parts;
  parts.port = rest.substr(0, slash);
  parts.token = rest.substr(slash + 1);
  return parts;
}

}  // namespace dmm::launcher
