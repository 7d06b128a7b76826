// The names of things: sites, clusters, parties, requests, leases. Each kind of name is a type of its own, so that a
// cluster can't be passed where a site is meant. Plain values; docs/protocol.md section 3 has their text forms.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "protocol/few.hpp"
#include "protocol/short_text.hpp"

namespace dmm {

/// A string that names one kind of thing.
template <class Tag>
struct Name {
  ShortText text;

  Name() = default;
  explicit Name(ShortText name) : text(std::move(name)) {}
  bool empty() const { return text.empty(); }
  auto operator<=>(const Name&) const = default;
};

using SiteName = Name<struct SiteTag>;        ///< a site: an administrative unit with its own site manager
using ClusterName = Name<struct ClusterTag>;  ///< a cluster of nodes; unique within its site

using SiteNames = Few<SiteName>;  ///< along a chain, up a tree
using ClusterNames = Few<ClusterName>;

/// Whether these sites, at most `most`, lead from one site to another without repeating any. Chains and paths are
/// short.
inline bool leads(const SiteNames& sites, const SiteName& from, const SiteName& to, std::size_t most) {
  if (sites.empty() || sites.size() > most || sites.front() != from || sites.back() != to) return false;
  for (auto site = sites.begin(); site != sites.end(); ++site)
    for (auto before = sites.begin(); before != site; ++before)
      if (*before == *site) return false;
  return true;
}

/// The part of a party in the protocol; the gate decides by it which messages the party may send.
enum class Role : std::uint8_t { site_manager, job_manager, resource_manager, client };

/// One speaker of the protocol. A site manager's name is empty: each site has only one.
struct Party {
  SiteName site;
  Role role = Role::client;
  ShortText name;

  auto operator<=>(const Party&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.role, self.name);
  }
};

inline Party site_manager_of(SiteName site) { return {std::move(site), Role::site_manager, {}}; }
inline Party job_manager_of(SiteName site, ShortText user) {
  return {std::move(site), Role::job_manager, std::move(user)};
}
inline Party resource_manager_of(SiteName site, ShortText name) {
  return {std::move(site), Role::resource_manager, std::move(name)};
}

/// A request: the job that it is made for, and the attempt at running that job. Unique over all sites.
struct RequestId {
  SiteName site;              ///< the home site, where the request waits
  ShortText user;             ///< the job manager that made it
  std::uint64_t job = 0;      ///< the job manager's number of the job, from 1
  std::uint32_t attempt = 1;  ///< 1 for the first run of the job, one more for each rerun

  /// By job first: names are mostly the same and cost more to compare. The attempts at a job are neighbours.
  std::strong_ordering operator<=>(const RequestId& other) const {
    if (job != other.job) return job <=> other.job;
    if (const auto by_user = user <=> other.user; by_user != 0) return by_user;
    if (const auto by_site = site <=> other.site; by_site != 0) return by_site;
    return attempt <=> other.attempt;
  }
  bool operator==(const RequestId& other) const {
    return job == other.job && attempt == other.attempt && user == other.user && site == other.site;
  }
  bool empty() const { return job == 0; }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.user, self.job, self.attempt);
  }
};

/// The job manager that made the request.
inline Party job_manager_of(const RequestId& request) { return job_manager_of(request.site, request.user); }

/// The fencing epoch of a lease. A later grant of the same node always compares greater: the owner's incarnation grows
/// at every start, the counter at every grant.
struct Epoch {
  std::uint64_t incarnation = 0;
  std::uint64_t counter = 0;

  auto operator<=>(const Epoch&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.incarnation, self.counter);
  }
};

/// The name of a lease: its owner and its epoch, so that it can't be mistaken for an earlier lease of the same nodes.
struct LeaseId {
  SiteName owner;
  Epoch epoch;

  /// By counter first, since names and incarnations are mostly the same. Leases of one owner are in the order of
  /// granting.
  std::strong_ordering operator<=>(const LeaseId& other) const {
    if (epoch.counter != other.epoch.counter) return epoch.counter <=> other.epoch.counter;
    if (epoch.incarnation != other.epoch.incarnation) return epoch.incarnation <=> other.epoch.incarnation;
    return owner <=> other.owner;
  }
  bool operator==(const LeaseId& other) const { return epoch == other.epoch && owner == other.owner; }
  bool empty() const { return epoch.counter == 0; }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.owner, self.epoch);
  }
};

/// A hash for hash tables alone: quicker than a stable hash, but it differs between hosts.
inline std::uint64_t table_hash(std::uint64_t number) { return number * 0x9E3779B97F4A7C15ULL; }
inline std::uint64_t table_hash(const RequestId& id) {
  return id.user.table_hash(id.site.text.table_hash(table_hash(id.job) ^ id.attempt));
}
inline std::uint64_t table_hash(const Epoch& epoch) { return table_hash(epoch.counter) ^ epoch.incarnation; }
inline std::uint64_t table_hash(const LeaseId& id) { return id.owner.text.table_hash(table_hash(id.epoch)); }
inline std::uint64_t table_hash(const Party& party) {
  return party.name.table_hash(party.site.text.table_hash(static_cast<std::uint64_t>(party.role)));
}

/// FNV-1a over text, continued from `seed`: the same on every host, which std::hash does not promise.
inline std::uint64_t stable_hash(std::string_view text, std::uint64_t seed = 14695981039346656037ULL) {
  for (unsigned char byte : text) seed = (seed ^ byte) * 1099511628211ULL;
  return seed;
}

inline std::uint64_t stable_hash(const RequestId& id) {
  return (stable_hash(id.user, stable_hash(id.site.text)) ^ (id.job * 0x9E3779B97F4A7C15ULL) ^ id.attempt) *
         1099511628211ULL;
}

}  // namespace dmm
