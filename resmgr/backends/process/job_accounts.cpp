// The tables of job_accounts.hpp: a map, a range, and the assigned numbers.
#include "resmgr/backends/process/job_accounts.hpp"

#include <algorithm>
#include <charconv>

namespace dmm {
namespace {

constexpr const char* expected = "expected the name of a site, a space and a uid above 0";

/// "beta 70001"; the number is 0 if the line is none.
std::pair<std::string, std::uint32_t> assignment_of(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == 0 || space == std::string_view::npos) return {};
  std::uint32_t number = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data() + space + 1, end, number);
  if (error != std::errc{} || rest != end) return {};
  return {std::string(line.substr(0, space)), number};
}

}  // namespace

JobAccounts::JobAccounts(JobAccountRules rules, SiteName own_site, std::set<std::uint32_t> taken)
    : rules_(std::move(rules)), own_site_(std::move(own_site)), taken_(std::move(taken)) {}

WhyNot JobAccounts::restore(std::string_view kept) {
  for (int line = 1; !kept.empty(); ++line) {
    const std::size_t end = std::min(kept.find('\n'), kept.size());
    const auto [site, number] = assignment_of(kept.substr(0, end));
    kept.remove_prefix(std::min(end + 1, kept.size()));
    const std::string at = "line " + std::to_string(line) + ": ";
    if (number == 0) return at + expected;
    if (!given_.emplace(number, site).second)
      return at + std::to_string(number) + " occurs twice; expected it once";
  }
  return {};
}

std::string JobAccounts::kept() const {
  std::string text;
  for (const auto& [number, site] : given_) text += site + ' ' + std::to_string(number) + '\n';
  return text;
}

AccountChoice JobAccounts::choose(const SiteName& site, const std::string& user, const std::string& why_not) {
  const auto own_account = [&](const std::string& why) {
    if (!rules_.required || site == own_site_) return AccountChoice{};
    return AccountChoice{.refusal = "jobs of other sites need an account of their own here, and " + why};
  };
  if (!why_not.empty()) return own_account(why_not);
  const auto is_for = [&](const MappedAccount& one) {
    return one.site == site.text && (one.user.empty() || one.user == user);
  };
  const MappedAccount* mapped = nullptr;
  for (const MappedAccount& one : rules_.map)
    if (is_for(one) && (mapped == nullptr || !one.user.empty())) mapped = &one;
  if (mapped != nullptr && mapped->is_root()) return {};
  if (mapped != nullptr) return {.name = mapped->account};
  if (rules_.first == 0) return own_account("none is configured for site " + site.text);
  if (const std::uint32_t number = number_of(site)) return {.number = number};
  const std::uint32_t number = free_number();
  if (number == 0)
    return {.refusal = "all accounts for jobs, " + std::to_string(rules_.first) + " to " +
                       std::to_string(rules_.last) + ", are given to other sites than " + site.text};
  given_.emplace(number, site.text);
  return {.number = number, .is_new = true};
}

/// The number of the site; 0 if it has none in the range.
std::uint32_t JobAccounts::number_of(const SiteName& site) const {
  for (auto at = given_.lower_bound(rules_.first); at != given_.end() && at->first <= rules_.last; ++at)
    if (at->second == site.text && !taken_.contains(at->first)) return at->first;
  return 0;
}

std::uint32_t JobAccounts::free_number() const {
  for (std::uint64_t number = rules_.first; number <= rules_.last; ++number) {
    const auto one = static_cast<std::uint32_t>(number);
    if (!taken_.contains(one) && !given_.contains(one)) return one;
  }
  return 0;
}

}  // namespace dmm
