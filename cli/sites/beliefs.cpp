// Compares beliefs, one pair of managers at a time; see beliefs.hpp.
#include "cli/sites/beliefs.hpp"

#include <algorithm>

#include "cli/terminal/json_text.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

BelievedNodes nodes_in(const Json& json, const char* key) {
  BelievedNodes nodes;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) return nodes;
  for (const auto& [manager, set] : found->items())
    if (set.is_string()) nodes[manager] = set.get<std::string>();
  return nodes;
}

std::string text_of(const BelievedNodes& nodes) {
  std::string text;
  for (const auto& [manager, set] : nodes) text += (text.empty() ? "" : ", ") + manager + " " + set;
  return text.empty() ? "no nodes" : "nodes " + text;
}

class BeliefComparison {
 public:
  explicit BeliefComparison(const std::vector<Believer>& believers) {
    for (const Believer& believer : believers) {
      present_[believer.party] = &believer;
      for (const Belief& belief : believer.beliefs) by_lease_[{believer.party, belief.lease}].push_back(&belief);
    }
  }

  std::vector<std::string> all() {
    for (const auto& [party, believer] : present_)
      for (const Belief& belief : believer->beliefs) {
        if (party.role == Role::site_manager) look_at_site(party, belief);
        if (party.role == Role::job_manager) look_at_job_manager(party, belief);
        if (party.role == Role::resource_manager) look_at_nodes(party, belief);
      }
    return std::move(found_);
  }

 private:
  void say(const std::string& lease, const Party& party, const std::string& what, const Party& other,
           const std::string& but) {
    found_.push_back(lease + ": " + to_text(party) + " " + what + ", but " + to_text(other) + " " + but);
  }

  const Belief* belief_of(const Party& party, const std::string& lease) const {
    const auto found = by_lease_.find({party, lease});
    return found == by_lease_.end() ? nullptr : found->second.front();
  }

  /// Both ends of a link must name the same nodes of a lease. Each pair is compared once: from the lender's end, or
  /// from the borrower's if the lender has no record.
  void look_at_link(const Party& lender, const Belief& lent) {
    const Party borrower = site_manager_of(SiteName(lent.to));
    if (lent.to.empty() || lent.nodes.empty() || !present_.contains(borrower)) return;
    const Belief* borrowed = belief_of(borrower, lent.lease);
    if (!borrowed || borrowed->from != lender.site.text)
      return say(lent.lease, lender, "has lent " + text_of(lent.nodes), borrower, "doesn't hold it");
    if (borrowed->nodes != lent.nodes)
      say(lent.lease, lender, "has lent " + text_of(lent.nodes), borrower, "holds " + text_of(borrowed->nodes));
  }

  void look_at_site(const Party& site, const Belief& belief) {
    look_at_link(site, belief);
    const Party lender = site_manager_of(SiteName(belief.from));
    if (!belief.from.empty() && present_.contains(lender)) {
      const Belief* lent = belief_of(lender, belief.lease);
      if (!lent || lent->to != site.site.text || lent->nodes.empty())
        say(belief.lease, site, "holds " + text_of(belief.nodes), lender, "hasn't lent it");
    }
    for (const Belief::HandedOut& out : belief.handed_out) {
      const Party user = job_manager_of(site.site, out.user);
      if (!present_.contains(user)) continue;
      const auto held = by_lease_.find({user, belief.lease});
      const bool known =
          held != by_lease_.end() && std::any_of(held->second.begin(), held->second.end(), [&](const Belief* one) {
            return one->request == out.request && one->nodes == out.nodes;
          });
      if (!known)
        say(belief.lease, site, "handed out " + text_of(out.nodes) + " for " + out.request, user,
            "doesn't hold them");
    }
    if (belief.from.empty()) look_at_owned(site, belief);
  }

  void look_at_owned(const Party& owner, const Belief& belief) {
    for (const auto& [manager, nodes] : belief.nodes) {
      const Party party = resource_manager_of(owner.site, manager.substr(manager.find('/') + 1));
      if (!present_.contains(party)) continue;
      const Belief* assigned = belief_of(party, belief.lease);
      std::string theirs = "none";
      if (assigned)
        if (const auto named = assigned->nodes.find(manager); named != assigned->nodes.end())
          theirs = named->second;
      if (theirs != nodes) say(belief.lease, owner, "leases out " + manager + " " + nodes, party, "has " + theirs);
    }
  }

  void look_at_job_manager(const Party& user, const Belief& belief) {
    const Party site = site_manager_of(user.site);
    if (!present_.contains(site)) return;
    const Belief* record = belief_of(site, belief.lease);
    const auto is_it = [&](const Belief::HandedOut& out) {
      return out.user == user.name && out.request == belief.request;
    };
    const bool known = record && std::any_of(record->handed_out.begin(), record->handed_out.end(), is_it);
    if (!known)
      say(belief.lease, user, "holds " + text_of(belief.nodes) + " for " + belief.request, site,
          "hasn't handed them out");
  }

  void look_at_nodes(const Party& manager, const Belief& belief) {
    const Party owner = site_manager_of(manager.site);
    if (!present_.contains(owner)) return;
    const Belief* record = belief_of(owner, belief.lease);
    const std::string name = manager.site.text + "/" + manager.name;
    if (!record || (!record->nodes.contains(name) && !record->cleaning.contains(name)))
      say(belief.lease, manager, "has " + text_of(belief.nodes), owner, "doesn't know the lease");
  }

  std::map<Party, const Believer*> present_;
  std::map<std::pair<Party, std::string>, std::vector<const Belief*>> by_lease_;
  std::vector<std::string> found_;
};

}  // namespace

Belief belief_from(const Json& row) {
  Belief belief{text_in(row, "lease"),
                text_in(row, "from"),
                text_in(row, "to"),
                nodes_in(row, "nodes"),
                nodes_in(row, "cleaning"),
                text_in(row, "request"),
                {}};
  if (const auto users = row.find("handed_out"); users != row.end() && users->is_array())
    for (const Json& one : *users)
      belief.handed_out.push_back({text_in(one, "user"), text_in(one, "request"), nodes_in(one, "nodes")});
  return belief;
}

std::vector<std::string> disagreements(const std::vector<Believer>& believers) {
  return BeliefComparison(believers).all();
}

}  // namespace dmm
