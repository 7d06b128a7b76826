#include "cli/logs/delegation_chain.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/terminal/figures.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// An event beside the search, in words. Empty for records that the tree shows, or that say nothing to people.
std::string words_for(const LogRecord& record) {
  const std::string& event = record.event;
  const auto with = [&](std::string text, const char* key, const char* between) {
    const std::string& value = record.field(key);
    return value.empty() ? text : text + between + words_of(value);
  };
  if (record.role == "sitemgr") {
    if (event == "request") return "queued the request";
    if (event == "granted") return with("got the grant", "from", " from ");
    if (event == "hand_out") return "handed the nodes to its job manager";
    if (event == "claim") return "took the claim: the lease is active";
    if (event == "release" && record.field("unused") == "true")
      return "gave a grant back unused: it came too late";
    if (event == "release") return record.field("to").empty() ? "got the nodes back" : "gave the lease back";
    if (event == "lease_ended") return with("ended the lease", "reason", ": ");
    if (event == "refuse") return with("refused the request", "reason", ": ");
    if (event == "cancel") return "was told to cancel the request";
    return {};
  }
  if (record.role == "resmgr") {
    if (event == "started") return with("started the program", "process", ", process ");
    if (event == "ended") return with(with("saw the program end", "kind", ": "), "code", " ");
    if (event == "lost_contact" || event == "fence") return "ended the program: out of contact";
    return {};
  }
  if (event == "submitted" || event == "started") return event == "submitted" ? "took the job" : std::string();
  if (event == "go") return with("let all its tasks begin", "tasks", ": ");
  if (event == "goes_on") return record.field("text");
  if (event == "job_finished") return with("recorded the outcome", "state", ": ");
  if (event == "job_failed" || event == "job_lost" || event == "job_cancelled")
    return with("recorded the outcome: " + event.substr(4), "reason", ", ");
  if (event == "cancel") return "cancelled the job";
  return {};
}

std::string party_text(const LogRecord& record) {
  if (record.role == "sitemgr") return record.site;
  return record.role + " " + record.site + "/" + record.name;
}

bool ends_search(const LogRecord& record) { return record.event == "granted" || record.event == "hand_out"; }

/// The records of every site manager; each is used once and in order.
class Replay {
 public:
  explicit Replay(std::string home) : home_(std::move(home)) {}

  void add(const LogRecord& record) { sites_[record.site].push_back(&record); }

  void run(DelegationChain& chain) {
    chain_ = &chain;
    bool searching = true;
    auto& own = sites_[home_];
    while (!own.empty()) {
      const LogRecord& record = *own.front();
      own.pop_front();
      if (ends_search(record)) take_lease(record), searching = false;
      if (consume(record, chain.asked)) continue;
      note(record, searching);
    }
    for (auto& [site, records] : sites_)
      for (const LogRecord* record : records) note(*record, false);
    if (chain.chain.empty() && !chain.lease.empty()) find_chain(chain.asked);
  }

 private:
  void note(const LogRecord& record, bool searching) {
    std::string text = words_for(record);
    if (text.empty()) return;
    auto& list = searching && chain_->asked.empty() ? chain_->before : chain_->after;
    list.push_back({record.microseconds, party_text(record), std::move(text)});
  }

  /// Takes a record in which a site logs its own asking; false if the record is about something else.
  bool consume(const LogRecord& record, std::vector<Hop>& asked) {
    if (record.event == "delegate") {
      Hop hop;
      hop.from = record.site;
      hop.to = record.field("to");
      hop.asked_at = record.microseconds;
      hop.round = record.number("round");
      hop.dttl = record.number("dttl");
      hop.tries_left = record.number("tries_left");
      ++chain_->delegations;
      visit(hop);
      asked.push_back(std::move(hop));
      return true;
    }
    if (record.event != "rejected" && record.event != "withdraw") return false;
    const std::string& to = record.field(record.event == "rejected" ? "by" : "to");
    const auto hop = std::find_if(asked.rbegin(), asked.rend(), [&](const Hop& one) { return one.to == to; });
    if (hop == asked.rend() || hop->outcome == HopOutcome::withdrawn) return true;
    if (record.event == "rejected") {
      ++chain_->rejects;
      hop->reason = record.field("reason");
      hop->answered_at = record.microseconds;
    }
    // A reject stays a reject even if a grant was on its way: the asking site had already given up.
    hop->outcome = record.event == "rejected" ? HopOutcome::rejected : HopOutcome::withdrawn;
    return true;
  }

  /// Takes what the asked site logged until it answered.
  void visit(Hop& hop) {
    const auto found = sites_.find(hop.to);
    if (found == sites_.end() || hop.to == home_) return;
    auto& own = found->second;
    while (!own.empty()) {
      const LogRecord& record = *own.front();
      if (record.event == "granted" || record.event == "pass_grant") {  // a relaying site: it passed the answer on
        hop.outcome = HopOutcome::granted;
        own.pop_front();
        return;
      }
      if (record.event == "grant" || record.event == "reject") {
        // Another site asked: this record belongs to another visit, and the asking site of this visit got no answer.
        if (!record.field("to").empty() && record.field("to") != hop.from) return;
        own.pop_front();
        if (record.event == "reject") return;  // the asking site's own record has the details
        hop.outcome = HopOutcome::granted;
        hop.answered_at = record.microseconds;
        hop.lease = record.field("lease");
        hop.processors = record.number("processors");
        return;
      }
      own.pop_front();
      if (!consume(record, hop.asked)) note(record, false);
    }
  }

  void take_lease(const LogRecord& record) {
    if (!record.field("lease").empty() && (chain_->lease.empty() || record.event == "hand_out"))
      chain_->lease = record.field("lease");
    // A lease's name begins with its owner.
    if (chain_->lease.substr(0, chain_->lease.find('#')) == home_) chain_->chain = {home_};
  }

  /// The path to the hop that made the lease, from the owner to the sink.
  bool find_chain(const std::vector<Hop>& asked) {
    for (auto hop = asked.rbegin(); hop != asked.rend(); ++hop) {
      if (hop->lease != chain_->lease && !find_chain(hop->asked)) continue;
      chain_->chain.push_back(hop->to);
      if (hop->from == home_) chain_->chain.push_back(home_);
      return true;
    }
    return false;
  }

  std::string home_;
  std::map<std::string, std::deque<const LogRecord*>> sites_;
  DelegationChain* chain_ = nullptr;
};

/// The names in "e > d > a".
std::vector<std::string> sites_of(const std::string& way) {
  std::vector<std::string> sites;
  for (std::size_t at = 0; at < way.size();) {
    const std::size_t end = std::min(way.find(" > ", at), way.size());
    sites.push_back(way.substr(at, end - at));
    at = end + 3;
  }
  return sites;
}

/// If the search doesn't show the chain of the lease, takes it from what the job manager was told. Nodes from a lease
/// that the home site had already are a takeover.
void complete(DelegationChain& chain, const std::vector<const LogRecord*>& records) {
  if (!chain.chain.empty() || chain.lease.empty()) return;
  const auto find = [&](const char* role, const char* event) {
    return std::ranges::find_if(records, [&](const LogRecord* record) {
      return record->role == role && record->event == event && record->field("lease") == chain.lease &&
             record->site == chain.home;
    });
  };
  const auto told = find("jobmgr", "granted");
  if (told == records.end()) return;
  chain.chain = sites_of((*told)->field("chain"));
  if (find("sitemgr", "granted") == records.end() && find("sitemgr", "hand_out") != records.end())
    chain.taken_over_from = "?";
}

/// The leases as the job manager was told; it gets all leases of a co-allocated request at once.
std::vector<LeaseChain> leases_of(const DelegationChain& chain, const std::vector<const LogRecord*>& records) {
  std::vector<LeaseChain> leases;
  for (const LogRecord* record : records) {
    if (record->role != "jobmgr" || record->event != "granted" || record->site != chain.home) continue;
    const std::string& lease = record->field("lease");
    if (std::ranges::find(leases, lease, &LeaseChain::lease) == leases.end())
      leases.push_back({lease, sites_of(record->field("chain"))});
  }
  if (leases.size() < 2) leases.clear();
  return leases;
}

DelegationChain rebuild(const std::string& request, const std::vector<const LogRecord*>& records) {
  DelegationChain chain;
  chain.request = request;
  chain.home = request.substr(0, request.find('/'));
  Replay replay(chain.home);
  std::vector<Moment> others;
  for (const LogRecord* record : records) {
    if (chain.processors == 0) chain.processors = record->number("processors");
    if (record->role == "sitemgr")
      replay.add(*record);
    else if (std::string text = words_for(*record); !text.empty())
      (record->event == "submitted" ? chain.before : others)
          .push_back({record->microseconds, party_text(*record), std::move(text)});
  }
  replay.run(chain);
  complete(chain, records);
  chain.leases = leases_of(chain, records);
  chain.after.insert(chain.after.end(), others.begin(), others.end());
  const auto earlier = [](const Moment& a, const Moment& b) { return a.at < b.at; };
  std::stable_sort(chain.before.begin(), chain.before.end(), earlier);
  std::stable_sort(chain.after.begin(), chain.after.end(), earlier);
  return chain;
}

}  // namespace

std::vector<DelegationChain> rebuild_chains(const std::vector<LogRecord>& records) {
  std::map<std::string, std::string> request_of_lease;  // records about a lease alone belong to its request
  std::map<std::string, std::vector<const LogRecord*>> by_request;
  for (const LogRecord& record : records)
    if (!record.request.empty() && !record.field("lease").empty())
      request_of_lease.emplace(record.field("lease"), record.request);
  for (const LogRecord& record : records) {
    std::string request = record.request;
    if (request.empty()) request = request_of_lease[record.field("lease")];
    if (!request.empty()) by_request[request].push_back(&record);
  }
  std::map<std::string, std::vector<std::string>> users_of_lease;  // in the order in which they had the lease
  for (const LogRecord& record : records)
    if (record.event == "hand_out") users_of_lease[record.field("lease")].push_back(record.request);
  std::vector<DelegationChain> chains;
  for (const auto& [request, own] : by_request) {
    chains.push_back(rebuild(request, own));
    if (chains.back().taken_over_from.empty()) continue;
    const auto& users = users_of_lease[chains.back().lease];
    if (const auto at = std::ranges::find(users, request); at != users.begin() && at != users.end())
      chains.back().taken_over_from = *std::prev(at);
  }
  std::sort(chains.begin(), chains.end(), [](const DelegationChain& a, const DelegationChain& b) {
    return parse_request_id(a.request) < parse_request_id(b.request);
  });
  return chains;
}

std::set<std::string> jobs_of(const std::vector<DelegationChain>& chains) {
  std::set<std::string> jobs;
  for (const DelegationChain& chain : chains)
    for (const std::string* request : {&chain.request, &chain.taken_over_from})
      if (!request->empty()) jobs.insert(job_of_attempt(*request));
  return jobs;
}

void name_elements(std::vector<DelegationChain>& chains, const std::map<std::string, std::string>& names) {
  const auto name_of = [&](const std::string& request) {
    const auto found = names.find(job_of_attempt(request));
    return found == names.end() ? std::string() : found->second;
  };
  for (DelegationChain& chain : chains) {
    chain.element = name_of(chain.request);
    chain.taken_over_from_element = name_of(chain.taken_over_from);
  }
}

namespace {

nlohmann::ordered_json hop_to_json(const Hop& hop) {
  static constexpr std::string_view outcomes[] = {"open", "granted", "rejected", "withdrawn"};
  nlohmann::ordered_json json{{"from", hop.from},
                              {"to", hop.to},
                              {"asked_at_microseconds", hop.asked_at},
                              {"answered_at_microseconds", hop.answered_at},
                              {"round", hop.round},
                              {"dttl", hop.dttl},
                              {"tries_left", hop.tries_left},
                              {"outcome", outcomes[static_cast<std::size_t>(hop.outcome)]},
                              {"reason", hop.reason},
                              {"lease", hop.lease},
                              {"processors", hop.processors}};
  auto& asked = json["asked"] = nlohmann::ordered_json::array();
  for (const Hop& next : hop.asked) asked.push_back(hop_to_json(next));
  return json;
}

nlohmann::ordered_json moments_to_json(const std::vector<Moment>& moments) {
  auto list = nlohmann::ordered_json::array();
  for (const Moment& moment : moments)
    list.push_back({{"at_microseconds", moment.at}, {"who", moment.party}, {"text", moment.text}});
  return list;
}

}  // namespace

nlohmann::ordered_json to_json(const DelegationChain& chain) {
  nlohmann::ordered_json json{{"request", chain.request},       {"home", chain.home},
                              {"processors", chain.processors}, {"granted", chain.granted()},
                              {"chain", chain.chain},           {"lease", chain.lease},
                              {"taken_over_from", nullptr},     {"delegations", chain.delegations},
                              {"rejects", chain.rejects}};
  if (!chain.taken_over_from.empty()) json["taken_over_from"] = chain.taken_over_from;
  json["element"] = nullptr;
  if (!chain.element.empty()) json["element"] = chain.element;
  auto& leases = json["leases"] = nlohmann::ordered_json::array();
  for (const LeaseChain& lease : chain.leases) leases.push_back({{"lease", lease.lease}, {"chain", lease.chain}});
  json["before"] = moments_to_json(chain.before);
  auto& asked = json["asked"] = nlohmann::ordered_json::array();
  for (const Hop& hop : chain.asked) asked.push_back(hop_to_json(hop));
  json["after"] = moments_to_json(chain.after);
  return json;
}

}  // namespace dmm
