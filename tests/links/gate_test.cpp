// Which principals may speak for which parties, and what an endpoint does with a sender that isn't the principal of its
// connection.
#include "links/gate.hpp"

#include "protocol/questions.hpp"
#include "tests/links/endpoint_bounds_stage.hpp"

namespace gate_test {

using namespace dmm;
using namespace dmm::endpoint_bounds;

namespace {

const Party gamma = site_manager_of(SiteName("gamma"));
const Party ann_of_gamma = job_manager_of(SiteName("gamma"), "ann");
const Party nodes_of_alpha = resource_manager_of(SiteName("alpha"), "nodes");
const Party person = {SiteName("alpha"), Role::client, "dmm-1"};

constexpr std::uint32_t own = 1'000;

AccountRules rules_of_alpha() {
  AccountRules rules;
  rules.own = own;
  rules.administrators = {"ops"};
  rules.parties[beta] = {"dmm-beta"};
  rules.resource_managers = {"dmm-nodes"};
  return rules;
}

/// Alpha's endpoint, which admits every party that may exist.
Endpoint endpoint_of_alpha() {
  EndpointSettings settings = settings_of(alpha, beta);
  settings.admission.job_managers_of_site = settings.admission.resource_managers = true;
  settings.admission.accounts = rules_of_alpha();
  return Endpoint(settings);
}

/// Speaks for a party over a connection of this principal.
struct Speaker : Hand {
  Principal principal;
  Speaker(const Party& party, Endpoint& to, Principal proved, Connection over = 1)
      : Hand{party, to}, principal(std::move(proved)) {
    connection = over;
  }
  std::vector<Received> tell(const std::string& bytes) {
    std::vector<Received> messages;
    endpoint.receive(now, connection, bytes, messages, principal);
    return messages;
  }
  /// Whether the endpoint answers its Hello.
  bool is_greeted() {
    tell(hello());
    bool greeted = false;
    for (const Envelope& heard : hear())
      if (std::holds_alternative<Hello>(heard.message)) greeted = true, knows = heard.incarnation;
    return greeted;
  }
};

}  // namespace

TEST_CASE("gate: an account speaks for the parties that the table gives it, and for no other") {
  struct Row {
    Account account;
    Party party;
    bool may;
  };
  const Account ours{own, "dmm"}, root{0, "root"}, of_ann{2'000, "ann"}, of_beta{2'001, "dmm-beta"},
      of_nodes{2'002, "dmm-nodes"}, nameless{2'003, ""};
  const Party nameless_user = job_manager_of(SiteName("alpha"), "");
  const std::vector<Row> rows{
      {ours, beta, true},
      {ours, ann, true},
      {root, beta, true},
      {root, bob, true},
      {of_ann, ann, true},
      {of_ann, bob, false},
      {of_ann, beta, false},
      {of_ann, ann_of_gamma, false},
      {of_ann, alpha, false},
      {of_ann, person, true},
      {of_ann, nodes_of_alpha, false},
      {of_beta, beta, true},
      {of_beta, gamma, false},
      {of_beta, alpha, false},
      {of_beta, ann, false},
      {of_beta, nodes, false},
      {of_nodes, nodes_of_alpha, true},
      {of_nodes, nodes, false},
      {of_nodes, beta, false},
      {of_nodes, ann, false},
      {nameless, ann, false},
      {nameless, nameless_user, false},
      {nameless, beta, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.account.name);
    CAPTURE(row.account.number);
    CAPTURE(to_text(row.party));
    CHECK(may_speak_for(rules_of_alpha(), row.account, alpha, row.party) == row.may);
  }
}

TEST_CASE("gate: a proved party speaks for itself alone") {
  CHECK(may_speak_for({}, beta, alpha, beta));
  CHECK_FALSE(may_speak_for({}, beta, alpha, gamma));
  CHECK_FALSE(may_speak_for({}, beta, alpha, ann));
}

TEST_CASE("gate: an account has the rights of its place") {
  const AccountRules rules = rules_of_alpha();
  struct Row {
    Account account;
    Right at_site, at_jobs;
  };
  for (const Row& row :
       {Row{{own, "dmm"}, Right::administrator, Right::administrator},
        Row{{0, "root"}, Right::administrator, Right::administrator},
        Row{{2'004, "ops"}, Right::administrator, Right::administrator},
        Row{{2'000, "ann"}, Right::reader, Right::none}, Row{{2'003, ""}, Right::reader, Right::none}}) {
    CAPTURE(row.account.name);
    CHECK(right_of(rules, row.account, Role::site_manager) == row.at_site);
    CHECK(right_of(rules, row.account, Role::resource_manager) == row.at_site);
    CHECK(right_of(rules, row.account, Role::job_manager) == row.at_jobs);
  }
}

TEST_CASE("gate: a sender that the account may not speak for is turned away, and both sides learn why") {
  Endpoint endpoint = endpoint_of_alpha();
  Speaker impostor(ann, endpoint, Account{2'005, "mallory"});
  impostor.tell(impostor.hello());
  CHECK(refused(endpoint, "not_proved") == 1);
  const std::vector<Envelope> heard = impostor.hear();
  REQUIRE(heard.size() == 1);
  const Fault* const fault = std::get_if<Fault>(&heard[0].message);
  REQUIRE(fault);
  CHECK(fault->text == "the account mallory (2005) may not speak for jobmgr alpha/ann here");
  const std::vector<LogEvent> notices = endpoint.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].name == "stranger");
  CHECK(endpoint.links().empty());
  REQUIRE(endpoint.strangers().size() == 1);
}

TEST_CASE("gate: a session that is up isn't taken over by a connection that proves another party") {
  Endpoint endpoint = endpoint_of_alpha();
  Speaker real(ann, endpoint, Account{2'000, "ann"});
  REQUIRE(real.is_greeted());
  real.tell(real.hello());
  real.hear();
  Speaker impostor(ann, endpoint, Account{2'005, "mallory"}, 2);
  impostor.knows = real.knows;
  CHECK_FALSE(impostor.is_greeted());
  CHECK(impostor.tell(impostor.frame(Withdraw{}, 1)).empty());
  // Unreadable frames don't count either: the next message of the session is still the first.
  impostor.tell(impostor.frame(Request{}, 1).substr(0, 60));
  CHECK(refused(endpoint, "not_proved") == 2);
  Request request;
  request.id = {SiteName("alpha"), "ann", 1, 0};
  CHECK(real.tell(real.frame(request, 1)).size() == 1);
}

TEST_CASE("gate: over a connection that we dialled, the party that was dialled is believed alone") {
  Endpoint endpoint = endpoint_of_alpha();
  const Instant now{seconds(100).microseconds};
  endpoint.dial(now, 7, beta);
  Speaker other(ann, endpoint, Dialled{}, 7), right(beta, endpoint, Dialled{}, 7);
  CHECK_FALSE(other.is_greeted());
  CHECK(refused(endpoint, "not_proved") == 1);
  CHECK(right.is_greeted());
}

TEST_CASE("gate: each question and order, under each right, is delivered or refused in words") {
  for (const Role role : {Role::site_manager, Role::job_manager, Role::resource_manager})
    for (const Question& row : verbs::questions) {
      if (!row.at.has(role)) continue;
      for (const Right right : {Right::none, Right::reader, Right::user, Right::administrator}) {
        CAPTURE(row.verb);
        CAPTURE(static_cast<int>(right));
        CHECK((right >= least_right(Ask{1, std::string(row.verb), {}}, role)) == (right >= row.least));
      }
    }
  CHECK(least_right(Submit{}, Role::job_manager) == Right::user);
  CHECK(least_right(Ask{1, "no such", {}}, Role::site_manager) == Right::reader);
  CHECK(least_right(Beat{}, Role::site_manager) == Right::none);
}

TEST_CASE("gate: a reader looks, and an order of a reader reaches no handler") {
  Endpoint endpoint = endpoint_of_alpha();
  Speaker reader(person, endpoint, Account{2'000, "ann"}), owner(person, endpoint, Account{0, "root"}, 2);
  REQUIRE(reader.is_greeted());
  CHECK(reader.tell(reader.frame(Ask{1, "site", "{}"}, 1)).size() == 1);
  CHECK(reader.tell(reader.frame(Ask{2, "drain", R"({"site": "beta"})"}, 2)).empty());
  CHECK(refused(endpoint, "no_right") == 1);
  bool answered = false;
  for (const Envelope& heard : reader.hear())
    if (const Answer* answer = std::get_if<Answer>(&heard.message)) {
      answered = true;
      CHECK(answer->token == 2);
      CHECK(answer->fault.find("\"drain\" takes an administrator") == 0);
    }
  CHECK(answered);
  // The session goes on: the order was taken, and refused.
  CHECK(reader.tell(reader.frame(Ask{3, "nodes", "{}"}, 3)).size() == 1);
  // A frame has the rights of the connection that it comes over.
  owner.knows = reader.knows;
  CHECK(owner.tell(owner.frame(Ask{4, "drain", R"({"site": "beta"})"}, 4)).size() == 1);
}

TEST_CASE("gate: a client's session isn't taken over by another account under its name") {
  Endpoint endpoint = endpoint_of_alpha();
  Speaker ops(person, endpoint, Account{2'004, "ops"}), other(person, endpoint, Account{2'000, "ann"}, 2),
      again(person, endpoint, Account{2'004, "ops"}, 3);
  REQUIRE(ops.is_greeted());
  REQUIRE(ops.tell(ops.frame(Ask{1, "drain", "{}"}, 1)).size() == 1);
  other.incarnation = 9, other.knows = ops.knows;
  CHECK_FALSE(other.is_greeted());
  CHECK(other.tell(other.frame(Ask{2, "site", "{}"}, 2)).empty());
  other.incarnation = ops.incarnation;
  CHECK(other.tell(other.frame(Ask{2, "site", "{}"}, 2)).empty());
  CHECK(refused(endpoint, "not_proved") == 3);
  CHECK(ops.tell(ops.frame(Ask{2, "drain", "{}"}, 2)).size() == 1);
  // The account itself may begin again, as a command does that is run again under the name.
  again.incarnation = 5;
  REQUIRE(again.is_greeted());
  CHECK(again.tell(again.frame(Ask{1, "drain", "{}"}, 1)).size() == 1);
  // A client that is forgotten leaves its name to any account.
  other.incarnation = 10;
  endpoint.tick(other.now = other.now + seconds(60));
  CHECK(other.is_greeted());
}

TEST_CASE("gate: the jobs of a user are not for other accounts") {
  EndpointSettings settings = settings_of(ann, alpha);
  settings.admission.accounts.own = own;
  Endpoint endpoint{settings};
  Speaker other(person, endpoint, Account{2'006, "bob"});
  REQUIRE(other.is_greeted());
  CHECK(other.tell(other.frame(Ask{1, "queue", "{}"}, 1)).empty());
  Submit submit;
  submit.token = 2;
  CHECK(other.tell(other.frame(submit, 2)).empty());
  CHECK(refused(endpoint, "no_right") == 2);
  bool submitted = false;
  for (const Envelope& heard : other.hear())
    if (const Submitted* answer = std::get_if<Submitted>(&heard.message)) submitted = !answer->fault.empty();
  CHECK(submitted);
}

}  // namespace gate_test
