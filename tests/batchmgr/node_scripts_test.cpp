// The prolog and the epilog, run by a real shell. A stand-in for the agent writes down its arguments.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "batchmgr/node_scripts.hpp"

namespace dmm::node_scripts_test {
namespace {

namespace fs = std::filesystem;

class Node {
 public:
  Node() {
    std::string place = (fs::temp_directory_path() / "dmm-node-scripts.XXXXXX").string();
    REQUIRE(::mkdtemp(place.data()) != nullptr);
    folder_ = place;
    fs::create_directories(folder_ / "it's here/n1");
    write("prolog", prolog_text(settings()));
    write("epilog", epilog_text(settings()));
    write("nodeagent", "#!/bin/sh\necho \"$1\" >> " + (folder_ / "calls").string() + "\necho \"$*\" > " +
                           (folder_ / "words").string() + "\n");
  }
  ~Node() { fs::remove_all(folder_); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  int run(const std::string& script, const std::string& job = {}, const std::string& node = "n1") const {
    const std::string line =
        "SLURMD_NODENAME=" + node + " SLURM_JOB_ID=" + job + " " + (folder_ / script).string();
    return std::system(line.c_str());
  }

  /// The first word of each call of the agent since the last time.
  std::string calls() const {
    const std::string all = text_of("calls");
    fs::remove(folder_ / "calls");
    return all;
  }
  /// All words of the last call.
  std::string words() const { return text_of("words"); }

 private:
  NodeScriptSettings settings() const {
    return {(folder_ / "it's here").string(), folder_.string(), seconds(5), {"a=it's", "address=%n"}};
  }
  std::string text_of(const char* name) const {
    std::ostringstream all;
    if (const std::ifstream file(folder_ / name); file) all << file.rdbuf();
    return all.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    ::chmod((folder_ / name).c_str(), 0755);
  }

  fs::path folder_;
};

}  // namespace

TEST_CASE("node scripts: the agent of a node is stopped before a local job, and started after the last one") {
  const Node node;
  CHECK(node.run("epilog") == 0);  // at the node's start
  CHECK(node.calls() == "--background\n");
  CHECK(node.run("prolog", "1") == 0);
  CHECK(node.run("prolog", "2") == 0);
  CHECK(node.calls() == "--stop\n--stop\n");
  CHECK(node.run("epilog", "1") == 0);
  CHECK(node.run("epilog") == 0);
  CHECK(node.calls() == "");
  CHECK(node.run("epilog", "2") == 0);
  CHECK(node.calls() == "--background\n");
}

TEST_CASE("node scripts: the agent is told the settings of its node") {
  const Node node;
  CHECK(node.run("epilog") == 0);
  CHECK(node.words().ends_with(" --set a=it's --set address=n1\n"));
}

TEST_CASE("node scripts: local jobs of a node that has not joined run as before") {
  const Node node;
  CHECK(node.run("prolog", "1", "n2") == 0);
  CHECK(node.run("epilog", "1", "n2") == 0);
  CHECK(node.calls() == "");
}

}  // namespace dmm::node_scripts_test
