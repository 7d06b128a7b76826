// Delegation chains rebuilt from log lines, and their drawings: the story of a request must follow from what each
// process logged by itself.
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/logs/chain_picture.hpp"
#include "cli/logs/delegation_chain.hpp"

namespace chain_test {

using namespace dmm;

namespace {

/// A line of a log, `microseconds` after a fixed moment.
std::string line(int microseconds, const std::string& daemon, const std::string& event, const std::string& rest) {
  char time[64];
  std::snprintf(time, sizeof time, "2026-01-31T12:00:00.%06dZ", microseconds);
  return R"({"time":")" + std::string(time) + R"(","level":"info","who":")" + daemon + R"(","event":")" + event +
         R"(","request":"a/u/1")" + (rest.empty() ? "" : "," + rest) + "}";
}

std::vector<LogRecord> records_of(const std::vector<std::string>& lines) {
  std::vector<LogRecord> records;
  for (const std::string& text : lines) {
    const auto record = parse_log_line(text);
    REQUIRE(record);
    records.push_back(*record);
  }
  return records;
}

/// a asks b, which asks c in vain and rejects. Then a asks d, which passes the request on to e, and e grants it.
std::vector<std::string> story() {
  return {
      line(100, "jobmgr a/u", "submitted", R"("job":1,"processors":8)"),
      line(200, "sitemgr a", "request", R"("processors":8,"dttl":5)"),
      line(300, "sitemgr a", "delegate", R"("to":"b","dttl":4,"round":1,"tries_left":15)"),
      line(400, "sitemgr b", "delegate", R"("to":"c","dttl":3,"round":1,"tries_left":14)"),
      line(500, "sitemgr c", "reject", R"("to":"b","reason":"no_capacity")"),
      line(600, "sitemgr b", "rejected", R"("by":"c","reason":"no_capacity")"),
      line(650, "sitemgr b", "reject", R"("to":"a","reason":"not_lending")"),
      line(700, "sitemgr a", "rejected", R"("by":"b","reason":"not_lending")"),
      line(750, "sitemgr a", "delegate", R"("to":"d","dttl":4,"round":1,"tries_left":13)"),
      line(800, "sitemgr d", "delegate", R"("to":"e","dttl":3,"round":1,"tries_left":12)"),
      line(900, "sitemgr e", "grant", R"("to":"d","lease":"e#7","processors":8,"round":1)"),
      line(950, "sitemgr d", "pass_grant", R"("from":"e","to":"a","lease":"e#7")"),
      line(1000, "sitemgr a", "granted", R"("from":"d","lease":"e#7","round":1)"),
      line(1010, "sitemgr a", "hand_out", R"("to":"u","lease":"e#7","processors":8)"),
      line(1100, "jobmgr a/u", "granted", R"("lease":"e#7","owner":"e","chain":"e > d > a")"),
      line(2000, "resmgr e/nodes", "started", R"("component":0,"process":77)"),
      line(9000, "resmgr e/nodes", "ended", R"("component":0,"kind":"exited","code":0)"),
      line(9100, "sitemgr a", "release", R"("lease":"e#7")"),
      line(9200, "sitemgr a", "release", R"("lease":"e#7","to":"d")"),
      line(9300, "sitemgr d", "release", R"("lease":"e#7","to":"e")"),
  };
}

}  // namespace

TEST_CASE("chain: a log line becomes a record") {
  const auto record = parse_log_line(line(123, "resmgr das-0/nodes", "started", R"("process":77,"ok":true)"));
  REQUIRE(record);
  CHECK(record->role == "resmgr");
  CHECK(record->site == "das-0");
  CHECK(record->name == "nodes");
  CHECK(record->request == "a/u/1");
  CHECK(record->number("process") == 77);
  CHECK(record->field("ok") == "true");
  CHECK(record->field("nothing").empty());
  CHECK(record->microseconds % 1'000'000 == 123);
  CHECK_FALSE(parse_log_line(R"({"time":"2026-01-31T12:00:00.000001Z","who":"sitemgr a","eve)"));
  CHECK_FALSE(parse_log_line("[1,2]"));
}

TEST_CASE("chain: dates are read as they are written") {
  CHECK(parse_utc("1970-01-01T00:00:00.000001Z") == 1);
  CHECK(parse_utc("2026-01-31T12:00:00.5Z") == 1'769'860'800'500'000);
  CHECK(parse_utc("not a date at all....") == 0);
}

TEST_CASE("chain: the tree of a search is rebuilt") {
  const auto chains = rebuild_chains(records_of(story()));
  REQUIRE(chains.size() == 1);
  const DelegationChain& chain = chains[0];
  CHECK(chain.request == "a/u/1");
  CHECK(chain.home == "a");
  CHECK(chain.processors == 8);
  CHECK(chain.delegations == 4);
  CHECK(chain.rejects == 2);
  CHECK(chain.lease == "e#7");
  CHECK(chain.chain == std::vector<std::string>{"e", "d", "a"});
  REQUIRE(chain.asked.size() == 2);
  CHECK(chain.asked[0].to == "b");
  CHECK(chain.asked[0].outcome == HopOutcome::rejected);
  CHECK(chain.asked[0].reason == "not_lending");
  REQUIRE(chain.asked[0].asked.size() == 1);
  CHECK(chain.asked[0].asked[0].to == "c");
  CHECK(chain.asked[0].asked[0].reason == "no_capacity");
  CHECK(chain.asked[1].outcome == HopOutcome::granted);
  REQUIRE(chain.asked[1].asked.size() == 1);
  CHECK(chain.asked[1].asked[0].lease == "e#7");
  CHECK(chain.asked[1].asked[0].processors == 8);
}

TEST_CASE("chain: clocks that differ from site to site change only the times") {
  std::vector<LogRecord> records = records_of(story());
  for (LogRecord& record : records)
    if (record.site == "e" || record.site == "c") record.microseconds -= 5'000'000;
  std::stable_sort(records.begin(), records.end(),
                   [](const LogRecord& a, const LogRecord& b) { return a.microseconds < b.microseconds; });
  const auto chains = rebuild_chains(records);
  REQUIRE(chains.size() == 1);
  CHECK(chains[0].chain == std::vector<std::string>{"e", "d", "a"});
  REQUIRE(chains[0].asked.size() == 2);
  CHECK(chains[0].asked[0].asked.at(0).reason == "no_capacity");
}

TEST_CASE("chain: a request served at home has a chain of one") {
  const auto chains = rebuild_chains(records_of({
      line(200, "sitemgr a", "request", R"("processors":2)"),
      line(300, "sitemgr a", "hand_out", R"("to":"u","lease":"a#1","processors":2)"),
  }));
  REQUIRE(chains.size() == 1);
  CHECK(chains[0].chain == std::vector<std::string>{"a"});
  CHECK(chains[0].delegations == 0);
}

TEST_CASE("chain: a request that was put on a lease that was there takes it over from the one before it") {
  const auto of = [](const std::string& request, std::string text) {
    return text.replace(text.find("a/u/1"), 5, request);
  };
  std::vector<LogRecord> records = records_of(story());
  for (const LogRecord& record : records_of({
           of("a/u/2", line(1200, "sitemgr a", "request", R"("processors":8,"dttl":5)")),
           of("a/u/2", line(9050, "sitemgr a", "hand_out", R"("to":"u","lease":"e#7","processors":8)")),
           of("a/u/2", line(9060, "jobmgr a/u", "granted", R"("lease":"e#7","owner":"e","chain":"e > d > a")")),
       }))
    records.push_back(record);
  const auto chains = rebuild_chains(records);
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].taken_over_from.empty());
  const DelegationChain& second = chains[1];
  CHECK(second.granted());
  CHECK(second.chain == std::vector<std::string>{"e", "d", "a"});
  CHECK(second.taken_over_from == "a/u/1");
  CHECK(to_json(second)["taken_over_from"] == "a/u/1");
  CHECK(to_json(chains[0])["taken_over_from"].is_null());
  std::string text;
  for (const std::string& one : draw_chain(second, {.colour = false, .unicode = false})) text += one + "\n";
  CHECK(text.find("took over lease e#7 from a/u/1") != std::string::npos);
  CHECK(text.find("lease e (source) --> d --> a (sink)") != std::string::npos);
  CHECK(text.find("not granted") == std::string::npos);
}

TEST_CASE("chain: a site without a log leaves a hole, not a crash") {
  std::vector<LogRecord> records = records_of(story());
  std::erase_if(records, [](const LogRecord& record) { return record.site == "d"; });
  const auto chains = rebuild_chains(records);
  REQUIRE(chains.size() == 1);
  CHECK(chains[0].asked.at(1).outcome == HopOutcome::open);
  CHECK(chains[0].chain == std::vector<std::string>{"e", "d", "a"});  // as its job manager was told
  CHECK(chains[0].taken_over_from.empty());
}

TEST_CASE("chain: each attempt at a job is a chain of its own") {
  std::vector<LogRecord> records = records_of(story());
  for (const LogRecord& record : records_of(story())) {
    records.push_back(record);
    records.back().request = "a/u/1.2";
    records.back().microseconds += 60'000'000;
  }
  const auto chains = rebuild_chains(records);
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].request == "a/u/1");
  CHECK(chains[1].request == "a/u/1.2");
  CHECK(chains[1].delegations == 4);
}

TEST_CASE("chain: a drawing names every site, reason and the way of the lease") {
  const auto chains = rebuild_chains(records_of(story()));
  std::string text;
  for (const std::string& one : draw_chain(chains.at(0), {.colour = false, .unicode = true})) text += one + "\n";
  for (const char* part :
       {"├─▶ b", "│   └─▶ c", "└─▶ d", "    └─▶ e", "not lending", "no capacity",
        "granted 8 processors, lease e#7", "e (source) ──▶ d ──▶ a (sink)",
        "chain of 3 sites; 4 delegations, 2 rejects", "a got the nodes back", "a, d gave the lease back"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
  INFO(text);
  std::string plain;
  for (const std::string& one : draw_chain(chains.at(0), {.colour = false, .unicode = false})) plain += one + "\n";
  for (const char c : plain) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("chain: a name can't play tricks on a terminal") {
  auto records = records_of(story());
  for (LogRecord& record : records)
    if (record.field("to") == "b") record.fields["to"] = "\x1b[2Jb";
  for (const auto& chain : rebuild_chains(records))
    for (const std::string& one : draw_chain(chain, {.colour = false, .unicode = true}))
      CHECK(one.find('\x1b') == std::string::npos);
}

TEST_CASE("chain: records are found in a folder of logs, also those that only name the lease") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("dmm-chain-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "logs");
  std::ofstream site(folder / "logs" / "sitemgr-a.jsonl"), other(folder / "logs" / "resmgr-e-nodes.jsonl");
  for (const std::string& text : story()) site << text << "\n";
  other << R"({"time":"2026-01-31T12:00:01.000000Z","who":"resmgr e/nodes","event":"fence","lease":"e#7"})"
        << "\n";
  other << R"({"time":"2026-01-31T12:00:01.000000Z","who":"resmgr e/nodes","event":"lost_contact","lease":"e#71"})"
        << "\n";
  const std::string handed_on = line(9050, "sitemgr a", "hand_out", R"("to":"u","lease":"e#7","processors":8)");
  other << std::string(handed_on).replace(handed_on.find("a/u/1"), 5, "a/u/2") << "\n";  // its lease's next user
  other << line(1, "jobmgr a/u", "submitted", "") << "\n"
        << R"({"time":"2026-01-31T12)";
  site.close(), other.close();

  const auto found = find_records(folder.string(), {SiteName("a"), "u", 1, 1});
  REQUIRE(std::holds_alternative<std::vector<LogRecord>>(found));
  CHECK(std::get<std::vector<LogRecord>>(found).size() == story().size() + 3);
  CHECK(std::get<std::vector<LogRecord>>(find_records(folder.string(), {SiteName("a"), "u", 11, 1})).empty());
  CHECK(std::holds_alternative<LogFault>(find_records((folder / "none").string(), {SiteName("a"), "u", 1, 1})));
  std::filesystem::remove_all(folder);
}

TEST_CASE("chain: a job that goes on without a component is drawn with that component") {
  const std::string told = R"x("text":"went on without component 1 (e: reclaimed)")x";
  std::vector<std::string> lines = story();
  lines.push_back(line(5000, "jobmgr a/u", "goes_on", told));
  const auto chains = rebuild_chains(records_of(lines));
  std::string text;
  for (const std::string& one : draw_chain(chains.at(0), {.colour = false, .unicode = false})) text += one + "\n";
  CHECK(text.find("jobmgr a/u went on without component 1 (e: reclaimed)") != std::string::npos);
}

TEST_CASE("chain: an element of an array has the name that its user knows") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("dmm-elements-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream log(folder / "jobmgr-a-u.jsonl");
  log << line(100, "jobmgr a/u", "submitted", R"("job":1,"array":7,"index":3,"processors":8)") << "\n";
  log.close();
  auto chains = rebuild_chains(records_of(story()));
  chains.push_back(chains.at(0));
  chains[1].request = "a/u/12";
  chains[1].taken_over_from = "a/u/1";
  CHECK(jobs_of(chains) == std::set<std::string>{"a/u/1", "a/u/12"});
  name_elements(chains, names_of_elements(folder.string(), jobs_of(chains)));
  std::filesystem::remove_all(folder);
  const Style plain{.colour = false, .unicode = false};
  CHECK(draw_chain(chains[0], plain).front() == "a/u/7_3 (request a/u/1)  8 processors");
  CHECK(to_json(chains[0])["element"] == "a/u/7_3");
  CHECK(to_json(chains[1])["element"].is_null());
  std::string text;
  for (const std::string& one : draw_chain(chains[1], plain)) text += one + "\n";
  CHECK(text.find("took over lease e#7 from a/u/7_3 (request a/u/1)") != std::string::npos);
}

TEST_CASE("chain: it is told as JSON too") {
  const auto json = to_json(rebuild_chains(records_of(story())).at(0));
  CHECK(json["chain"] == nlohmann::ordered_json{"e", "d", "a"});
  CHECK(json["asked"][0]["outcome"] == "rejected");
  CHECK(json["asked"][1]["asked"][0]["lease"] == "e#7");
}

TEST_CASE("chain: its picture shows on the grid's map which sites were asked, which refused and which lent") {
  auto read = parse_topology(R"({"name": "letters", "sites": [
      {"name": "a", "parent": "d", "clusters": [{"name": "n", "nodes": 4}], "users": ["u"]},
      {"name": "b", "parent": "d", "clusters": [{"name": "n", "nodes": 4}]},
      {"name": "d"}, {"name": "e", "parent": "d", "clusters": [{"name": "n", "nodes": 100}]}]})",
                             "letters.json");
  REQUIRE(std::holds_alternative<Topology>(read));
  const std::string picture = chain_picture(std::get<Topology>(read), rebuild_chains(records_of(story())).front());
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = picture.find(text); at != std::string::npos; at = picture.find(text, at + 1)) ++found;
    return found;
  };
  CHECK(count("stroke=\"#d55e00\"") == 2 + 2);  // a asked b, which refused: arrow and head, also in the legend
  CHECK(count("stroke=\"#0072b2\"") == 4 + 2);  // a asked d, and d asked e; c isn't on this map
  CHECK(count("stroke=\"#009e73\"") == 4 + 2);  // lent from e to d, and from d to a
  CHECK(count("fill=\"#009e73\"") == 2);        // the owner's disc, and its name
  CHECK(picture.find("8 processors; 4 delegations, 2 rejects; e lent the nodes, over 2 hops, to a") !=
        std::string::npos);
  CHECK(picture.find(">c</text>") == std::string::npos);
}

}  // namespace chain_test
