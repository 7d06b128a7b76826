#include "runtime/accounts.hpp"

#include <pwd.h>
#include <unistd.h>

#include <charconv>
#include <vector>

namespace dmm {
namespace {

/// The kernel's number for an account that it can't express. No configuration gives this account anything.
constexpr std::uint32_t overflow_account = 65'534;
constexpr std::string_view ipc_prefix = "localhost:";

std::string name_of_account(std::uint32_t number) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(16 * 1024);
  if (::getpwuid_r(number, &entry, room.data(), room.size(), &found) != 0 || found == nullptr) return {};
  return found->pw_name;
}

}  // namespace

const std::string& AccountNames::of(std::uint32_t number) {
  const auto [place, is_new] = known_.try_emplace(number);
  if (is_new) place->second = name_of_account(number);
  return place->second;
}

bool is_ipc_peer(std::string_view address) { return address.starts_with(ipc_prefix); }

Principal principal_of(std::string_view address, std::string_view user, AccountNames& names) {
  // A key of zeros has no secret: no far end can prove it, and no certificate has it.
  if (!is_ipc_peer(address)) return parse_key<LinkKey>(user).value_or(LinkKey{});
  address.remove_prefix(ipc_prefix.size());
  std::uint32_t number = overflow_account;
  const auto [end, error] = std::from_chars(address.data(), address.data() + address.size(), number);
  if (error != std::errc{} || end == address.data() + address.size() || *end != ':') number = overflow_account;
  return Account{number, names.of(number)};
}

std::uint32_t own_account() { return ::getuid(); }

}  // namespace dmm
