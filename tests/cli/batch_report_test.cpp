// What people are told about a batch system: why a job of DMM waits for its nodes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/sites/batch_report.hpp"

namespace dmm::batch_report_test {
namespace {

using Json = nlohmann::ordered_json;

Json batch() {
  return Json::parse(R"({"site": "b", "system": "slurm", "partition": "lend", "fault": "",
    "nodes": [{"node": "b1", "state": "local job"}, {"node": "b2", "state": "local job"},
              {"node": "b3", "state": "held", "pilot": "7"},
              {"node": "b4", "state": "idle", "why": "idle for 3 of 60 s"},
              {"node": "b5", "state": "drained", "why": "a loud \u001b fan"}],
    "waiting": [{"job": "12", "nodes": 4, "reason": "Resources"}]})");
}

}  // namespace

TEST_CASE("batch report: a waiting job is told what the nodes do, and the batch system's own reasons") {
  CHECK(batch_sentences(batch()) ==
        std::vector<std::string>{"Nodes of b come from slurm: 1 drained (a loud ? fan), 1 held for DMM, "
                                 "1 idle (idle for 3 of 60 s), 2 used by local jobs.",
                                 "1 local job waits there: 12 (Resources)."});
}

TEST_CASE("batch report: owners with the cluster's key are named") {
  Json all = batch();
  CHECK(trusted_by(all).empty());
  all["trusts"] = {"a/nodes"};
  CHECK(trusted_by(all) ==
        std::vector<std::string>{
            "b trusts a/nodes in full: root there has this cluster's key, and can act as root here"});
  CHECK(trusted_by(Json()).empty());
}

TEST_CASE("batch report: only the first local jobs are named") {
  Json all = batch();
  all["waiting"] = Json::array();
  for (int job = 1; job <= 5; ++job)
    all["waiting"].push_back({{"job", std::to_string(job)}, {"reason", "Priority"}});
  CHECK(batch_sentences(all).back() == "5 local jobs wait there: 1 (Priority), 2 (Priority), 3 (Priority), ...");
  all["waiting"] = Json::array();
  CHECK(batch_sentences(all).size() == 1);
}

TEST_CASE("batch report: a batch system that doesn't answer is the reason of a waiting job") {
  Json all = batch();
  all["fault"] = "squeue: didn't end in time";
  CHECK(batch_sentences(all) ==
        std::vector<std::string>{
            "Nodes of b come from slurm, which can't be looked at: squeue: didn't end in time."});
}

}  // namespace dmm::batch_report_test
