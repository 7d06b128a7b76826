// The findings about a node, from the output of its script there.
#include <doctest/doctest.h>

#include "batchmgr/node_examination.hpp"

namespace dmm::node_examination_test {
namespace {

BatchSettings settings() {
  BatchSettings settings;
  settings.node_endpoint = "tcp://head:7700";
  settings.node_folder = "/var/lib/dmm/it's";
  settings.node_programs = "/usr/local/bin";
  return settings;
}

std::string bad_of(const std::string& output, BatchSettings of = settings()) {
  std::string bad;
  for (const Finding& one : examine_node(of, "n1", {.output = output}, 1'000, 1'002, "0.1.0"))
    if (one.kind != FindingKind::ok) bad += one.subject + ": " + one.found + ";";
  return bad;
}

constexpr const char* good =
    "clock 1001.5\nversion nodeagent 0.1.0\nfolder yes\nreaches yes\nnamespaces yes\ncgroups yes\n";

}  // namespace

TEST_CASE("node examination: its script quotes what an administrator named") {
  const std::string script = node_script(settings());
  CHECK(script.find("FOLDER='/var/lib/dmm/it'\\''s' HOST='head' PORT='7700'\n") != std::string::npos);
  CHECK(script.find("'/usr/local/bin/nodeagent' --version") != std::string::npos);
}

TEST_CASE("node examination: a node with all that its agent needs is ok") { CHECK(bad_of(good) == ""); }

TEST_CASE("node examination: what a node lacks is named") {
  CHECK(bad_of("clock 1100\nversion nodeagent 0.1.0\nfolder yes\nreaches yes\nnamespaces yes\n") ==
        "n1: clock: 98 s apart from this host's;");
  CHECK(bad_of("clock 900\nversion\nfolder no\nreaches no\nnamespaces no\n") ==
        "n1: clock: 100 s apart from this host's;"
        "n1: DMM's programs: there are none that run in /usr/local/bin;"
        "n1: folder: /var/lib/dmm/it's can't be made or written there;"
        "n1: way to the head: tcp://head:7700 doesn't answer there;"
        "n1: namespaces: this account may not create namespaces;");
  CHECK(bad_of("clock 1001\nversion nodeagent 0.2.0\nfolder yes\nreaches yes\nnamespaces yes\n") ==
        "n1: DMM's programs: version 0.2.0, and here 0.1.0;");
}

TEST_CASE("node examination: a node that may be lent to another Slurm has to have Slurm's daemons") {
  BatchSettings trusting = settings();
  trusting.node_settings = {"accounts.map=[{\"site\": \"a\", \"trust\": \"full\"}]"};
  CHECK(bad_of(good, trusting) == "n1: Slurm for borrowers: slurmd, munged or scontrol is missing;");
}

TEST_CASE("node examination: a node on which nothing can be run is to be looked at") {
  const auto all = examine_node(settings(), "n1", {.status = 1, .error = "srun: error: no\nmore"}, 1, 2, "0.1.0");
  REQUIRE(all.size() == 1);
  CHECK(all[0].kind == FindingKind::look);
  CHECK(all[0].found == "srun: error: no");
}

}  // namespace dmm::node_examination_test
