// Accounts from the host's own list of them (passwd), and the file of assigned numbers.
#include "resmgr/backends/process/account_book.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace dmm {
namespace {

constexpr const char* file_name = "accounts";
constexpr int groups_max = 256;
constexpr std::uint32_t overflow_account = 65'534;  // how the kernel shows accounts that a namespace doesn't know

struct Entry {
  std::string name;
  uid_t uid = 0;
  gid_t group = 0;
};

std::optional<Entry> entry_of(const std::string& name) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16 * 1024> room;
  getpwnam_r(name.c_str(), &entry, room.data(), room.size(), &found);
  if (!found) return std::nullopt;
  return Entry{found->pw_name, found->pw_uid, found->pw_gid};
}

std::optional<Entry> entry_of(std::uint32_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16 * 1024> room;
  getpwuid_r(uid, &entry, room.data(), room.size(), &found);
  if (!found) return std::nullopt;
  return Entry{found->pw_name, found->pw_uid, found->pw_gid};
}

/// With its groups, except that of root.
keeper::Account account_of(const Entry& entry) {
  keeper::Account account{entry.name, entry.uid, entry.group, {}};
  std::array<gid_t, groups_max> groups;
  int count = groups_max;
  if (getgrouplist(entry.name.c_str(), entry.group, groups.data(), &count) < 0) count = 0;
  for (int i = 0; i < count; ++i)
    if (groups[static_cast<std::size_t>(i)] != 0) account.groups.push_back(groups[static_cast<std::size_t>(i)]);
  return account;
}

/// If only the number of an account is known, its group has the same number.
keeper::Account account_of(std::uint32_t uid) {
  const auto entry = entry_of(uid);
  if (!entry) return {std::to_string(uid), uid, uid, {}};
  keeper::Account account = account_of(*entry);
  if (account.group == 0) account.group = uid;
  return account;
}

std::string fault_of(const std::optional<Entry>& entry, const std::string& name) {
  const std::string quoted = '"' + name + "\" ";
  if (!entry) return quoted + "is no account of this host; expected one that `id` knows";
  if (entry->uid == 0) return quoted + "is root; expected an account without privileges";
  if (entry->group == 0) return quoted + "is in the group of root; expected an account without privileges";
  if (entry->uid == geteuid()) return quoted + "is the resource manager's own; expected another account";
  return {};
}

std::string written(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return std::strerror(errno);
  const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file) == 0;
  const int error = done ? 0 : errno;
  close(file);
  return error == 0 ? std::string() : std::strerror(error);
}

}  // namespace

std::string AccountBook::open(const JobAccountRules& rules, const SiteName& own_site,
                              const std::string& directory) {
  rules_ = rules;
  file_ = directory + '/' + file_name;
  const auto own = entry_of(geteuid());
  own_.name = own ? own->name : std::to_string(geteuid());
  if (std::string fault = look_up_map(); !fault.empty()) return fault;
  std::set<std::uint32_t> taken{geteuid(), overflow_account};
  for (const auto& [name, account] : mapped_) taken.insert(account.uid);
  chosen_ = JobAccounts(rules, own_site, std::move(taken));
  if (rules.first == 0) return {};
  std::ifstream file(file_, std::ios::binary);
  const std::string kept{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const WhyNot fault = chosen_.restore(kept);
  return fault.empty() ? std::string() : file_ + ": " + std::string(fault);
}

std::string AccountBook::look_up_map() {
  for (std::size_t i = 0; i < rules_.map.size(); ++i) {
    if (rules_.map[i].is_root()) continue;  // the manager's own
    const std::string& name = rules_.map[i].account;
    const auto entry = entry_of(name);
    if (const std::string fault = fault_of(entry, name); !fault.empty())
      return "accounts.map[" + std::to_string(i) + "].account: " + fault;
    mapped_.emplace(name, account_of(*entry));
  }
  return {};
}

keeper::Account AccountBook::example() const {
  if (rules_.first > 0) return account_of(rules_.last);
  return mapped_.empty() ? keeper::Account{} : mapped_.begin()->second;
}

std::variant<keeper::Account, std::string> AccountBook::account_for(const RequestId& job) {
  const AccountChoice choice = chosen_.choose(job.site, job.user, why_not_);
  if (!choice.refusal.empty()) return choice.refusal;
  if (!choice.name.empty()) return mapped_.at(choice.name);
  if (choice.number == 0) return own_;
  unkept_ = (unkept_ || choice.is_new) && !keep();
  if (unkept_) return "which account its site has can't be kept in " + file_;
  const auto known = numbered_.find(choice.number);
  if (known != numbered_.end()) return known->second;
  return numbered_.emplace(choice.number, account_of(choice.number)).first->second;
}

/// Writes the whole file or nothing.
bool AccountBook::keep() const {
  const std::string next = file_ + ".new";
  return written(next, chosen_.kept()).empty() && std::rename(next.c_str(), file_.c_str()) == 0;
}

std::string AccountBook::text() const {
  const std::string own = "jobs of all sites run under account " + own_.name + ": not apart";
  if (!rules_.are_given()) return own;
  if (!why_not_.empty()) return (rules_.required ? "no job of another site runs here: " : own + ": ") + why_not_;
  std::string text = rules_.first == 0 ? ""
                                       : "accounts " + std::to_string(rules_.first) + " to " +
                                             std::to_string(rules_.last) + ", one for each site";
  if (!rules_.map.empty()) text += (text.empty() ? "" : "; ") + std::to_string(rules_.map.size()) + " by the map";
  if (rules_.first == 0)
    text += rules_.required ? "; no job of other sites runs here" : "; jobs of other sites: account " + own_.name;
  return text;
}

bool AccountBook::users_apart() const {
  return why_not_.empty() && rules_.are_given() && (rules_.first > 0 || rules_.required);
}

}  // namespace dmm
