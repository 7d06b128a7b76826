// The batch manager by its commands alone: which commands it runs in which situation; the test plays the batch system.
#include "batchmgr/batch_manager.hpp"

#include <doctest/doctest.h>

namespace dmm::batch_manager_test {
namespace {

BatchSettings settings() {
  BatchSettings settings;
  settings.site = SiteName("b");
  settings.name = "batch";
  settings.system = "script";
  settings.programs = "/programs";
  settings.cluster = ClusterName("nodes");
  settings.idle_for = seconds(10);
  settings.node_endpoint = "tcp://head:7700";
  settings.sitemgr = "ipc:///run/b.ipc";
  settings.node_folder = "/var/lib/dmm";
  settings.node_programs = "/opt/dmm";
  return settings;
}

BatchSettings borrowing() {
  BatchSettings all = settings();
  all.borrow = {.from = {"a/nodes"},
                .trust = "full",
                .jobmgr = "ipc:///run/guests.ipc",
                .after = Duration{},
                .idle_for = seconds(1)};
  return all;
}

struct Stage {
  explicit Stage(const BatchSettings& chosen = settings(), const char* system = "script")
      : manager(chosen, *find_batch_system(system)) {}

  BatchManager manager;
  BatchManager::Effects effects;
  Instant now{1'000'000};
  std::vector<CommandWanted> open;  ///< not answered yet

  void settle() {
    manager.settle(now, effects);
    for (CommandWanted& wanted : std::exchange(effects.commands, {})) open.push_back(std::move(wanted));
  }
  /// Takes the open command of this program.
  CommandWanted take(const std::string& program) {
    const auto found = std::ranges::find_if(open, [&](const CommandWanted& one) {
      const std::vector<std::string>& words = one.command.arguments;
      const bool is_through_env = words.front() == "env" && words[2] == program;
      return words.front() == program || words.front() == "/programs/" + program || is_through_env;
    });
    REQUIRE(found != open.end());
    CommandWanted wanted = std::move(*found);
    open.erase(found);
    return wanted;
  }
  CommandWanted end(const std::string& program, const std::string& output, int status = 0,
                    const std::string& error = "") {
    CommandWanted wanted = take(program);
    manager.receive(now, CommandEnded{wanted.id, status, output, error, milliseconds(4)}, effects);
    settle();
    return wanted;
  }
  /// The next look at the batch system has this output.
  void look(const std::string& output, Duration later = seconds(1)) {
    now = now + later;
    settle();
    end("look", output);
  }
  /// A node is held by pilot 12.
  void hold() {
    look("node b1 idle 4 8000 -\n");
    look("node b1 idle 4 8000 -\n", seconds(20));
    end("dmm", "TOKEN\n");
    end("hold", "12\n");
  }
  NodeStanding node(const std::string& name) const {
    for (const NodeStanding& one : manager.view().nodes)
      if (one.name == name) return one;
    return {};
  }
  std::string event(std::string_view name) {
    for (const LogEvent& one : effects.events)
      if (one.name == name)
        for (const LogField& field : one.fields)
          if (field.key == "reason") return std::get<std::string>(field.value);
    return {};
  }
};

}  // namespace

TEST_CASE("batch manager: it tells the site manager for how long a held node is likely to be spared") {
  Stage stage;
  const std::string idle = "node b1 idle 4 8000 -\n", busy = "node b1 busy 4 8000 -\n";
  const std::string held = busy + "pilot 12 b1 runs 3600\n";
  stage.settle();
  stage.end("look", busy);
  for (int i = 0; i < 5; ++i) {
    stage.look(idle);
    stage.look(busy, seconds(5));
  }
  stage.look(idle);
  stage.look(idle, seconds(20));
  stage.end("dmm", "TOKEN\n");
  stage.end("hold", "12\n");
  stage.look(held);
  CHECK(stage.end("dmm", "").command.arguments ==
        std::vector<std::string>{"dmm", "expect", "--sitemgr", "ipc:///run/b.ipc", "b1=21"});
  CHECK(stage.node("b1").likely == seconds(21));
  stage.look(held);
  CHECK(stage.open.empty());  // much the same
  stage.look(held, seconds(30));
  CHECK(stage.end("dmm", "").command.arguments.back() == "b1=52");
  // A start that the batch system plans has precedence.
  stage.look(held + "planned 4\n");
  CHECK(stage.end("dmm", "").command.arguments.back() == "b1=4");
  stage.look(held + "planned 4\n", seconds(60));
  CHECK(stage.end("dmm", "").command.arguments.back() == "b1=4");  // said again
}

TEST_CASE("batch manager: a start that is planned for years later makes a month likely, and no more") {
  Stage stage;
  stage.hold();
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\nplanned 4000000000\n");
  CHECK(stage.end("dmm", "").command.arguments.back() == "b1=2592000");
}

TEST_CASE(
    "batch manager: the name of a node that was evicted during a look is given away at once, and evicted once") {
  Stage stage(borrowing(), "slurm");
  const auto look = [&] {
    stage.end("dmm", R"({"jobs": []})");
    stage.end("sinfo", "b1|allocated|2|4000|(null)|none\n");
    stage.end("squeue", "7|PENDING|Resources|main|1|||UNLIMITED|N/A|wrap\n");
    stage.end("sinfo", "b1|allocated|2|4000|(null)|none\nlent1|idle|2|4000|(null)|none\n");
  };
  stage.settle();
  look();
  stage.now = stage.now + seconds(1);
  stage.settle();  // the next look has begun
  CHECK(stage.end("sh", "").command.arguments.back() == "lent1");
  look();
  const CommandWanted submitted = stage.take("dmm");
  CHECK(submitted.command.arguments[1] == "submit");
  CHECK(stage.open.empty());
}

TEST_CASE("batch manager: a node that was asked for and not needed can be asked for again at once") {
  Stage stage(borrowing(), "slurm");
  const auto look = [&](const std::string& guests, const std::string& waiting) {
    stage.now = stage.now + seconds(1);
    stage.settle();
    stage.end("dmm", R"({"jobs": [)" + guests + "]}");
    stage.end("sinfo", "b1|allocated|2|4000|(null)|none\n");
    stage.end("squeue", waiting);
    stage.end("sinfo", "b1|allocated|2|4000|(null)|none\n");
  };
  const std::string job = "7|PENDING|Resources|main|1|||UNLIMITED|N/A|wrap\n";
  look("", job);
  CHECK(stage.end("dmm", "").command.arguments[1] == "submit");
  look(R"({"job": 5, "name": "lent1", "state": "waiting"})", "");
  CHECK(stage.open.empty());
  look(R"({"job": 5, "name": "lent1", "state": "waiting"})", "");
  const CommandWanted cancelled = stage.end("dmm", "");
  CHECK(cancelled.command.arguments[1] == "cancel");
  CHECK(cancelled.command.arguments[2] == "5");
  look("", job);
  CHECK(stage.end("dmm", "").command.arguments[1] == "submit");
}

TEST_CASE("batch manager: an idle node is held by a token of the site and a pilot of the batch system") {
  Stage stage;
  stage.look("node b1 idle 4 8000 -\n");
  CHECK(stage.open.empty());
  CHECK(stage.node("b1").why == "idle for 0 of 10 s");
  stage.look("node b1 idle 4 8000 -\n", seconds(20));
  const CommandWanted token = stage.end("dmm", "TOKEN\n");
  CHECK(token.command.arguments == std::vector<std::string>{"dmm", "node", "add", "b1", "--at", "tcp://head:7700",
                                                            "--hours", "0.5", "--sitemgr", "ipc:///run/b.ipc"});
  const CommandWanted hold = stage.end("hold", "12\n");
  CHECK(hold.command.arguments[3] == "b1");
  CHECK(
      hold.command.input.find("export DMM_TOKEN='TOKEN'\nexec '/opt/dmm/nodeagent' --directory '/var/lib/dmm/b1' "
                              "--cluster 'nodes' --processors '4'") != std::string::npos);
  // The pilot isn't submitted twice, although the batch system doesn't show it yet.
  stage.look("node b1 idle 4 8000 -\n");
  CHECK(stage.open.empty());
  CHECK(stage.node("b1").state == "holding");
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\n");
  CHECK(stage.node("b1").state == "held");
  CHECK(stage.node("b1").pilot == "12");
}

TEST_CASE("batch manager: after a restart it takes its pilots as it finds them") {
  Stage stage;
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\n");
  CHECK(stage.node("b1").state == "held");
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\nwaiting 13 1 none\n");
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\nwaiting 13 1 none\n", seconds(10));
  CHECK(stage.end("recall", "").command.arguments.back() == "12");
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\nwaiting 13 1 none\n");
  CHECK(stage.open.empty());  // recalled only once
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\nwaiting 13 1 none\n", seconds(10));
  CHECK(stage.end("recall", "").command.arguments.back() == "12");  // recalled again, since the pilot stays
}

TEST_CASE("batch manager: a node with a pilot that ends at once isn't held again for a while") {
  Stage stage;
  stage.hold();
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\n");
  stage.look("node b1 idle 4 8000 -\n");
  CHECK(stage.node("b1").why == "its pilot ended at once: /var/lib/dmm/b1/pilot.log there");
  stage.look("node b1 idle 4 8000 -\n", seconds(20));
  CHECK(stage.open.empty());
  stage.look("node b1 idle 4 8000 -\n", seconds(20));
  stage.take("dmm");
}

TEST_CASE("batch manager: a pilot that ends because a local job came has not failed") {
  Stage stage;
  stage.hold();
  stage.look("node b1 busy 4 8000 -\npilot 12 b1 runs 3600\n");
  stage.look("node b1 busy 4 8000 -\n");
  CHECK(stage.node("b1").state == "local job");
  stage.look("node b1 idle 4 8000 -\n");
  CHECK(stage.node("b1").why == "idle for 0 of 10 s");
}

TEST_CASE("batch manager: a node's resource manager has its name in lower-case letters") {
  Stage stage;
  stage.look("node Node-A.1 idle 4 8000 -\n");
  stage.look("node Node-A.1 idle 4 8000 -\n", seconds(20));
  CHECK(stage.end("dmm", "TOKEN\n").command.arguments[3] == "node-a.1");
  const CommandWanted held = stage.end("hold", "12\n");
  CHECK(held.command.arguments[3] == "Node-A.1");
  CHECK(held.command.input.find("/var/lib/dmm/Node-A.1") != std::string::npos);
}

TEST_CASE("batch manager: a pilot that no snapshot ever shows is given up") {
  Stage stage;
  stage.hold();
  stage.look("node b1 idle 4 8000 -\n", seconds(16));
  CHECK(stage.node("b1").why == "its pilot ended at once: /var/lib/dmm/b1/pilot.log there");
}

TEST_CASE(
    "batch manager: a site manager that gives no token, and a batch system that takes no pilot, are the reason") {
  Stage stage;
  stage.look("node b1 idle 4 8000 -\n");
  stage.look("node b1 idle 4 8000 -\n", seconds(20));
  stage.end("dmm", "", 1, "dmm node add: nothing answers\n");
  CHECK(stage.event("node_not_held") == "no token: dmm: dmm node add: nothing answers");
  stage.look("node b1 idle 4 8000 -\n", seconds(40));
  stage.end("dmm", "TOKEN\n");
  stage.end("hold", "", 1, "no such partition\n");
  stage.look("node b1 idle 4 8000 -\n");
  CHECK(stage.node("b1").why == "script: no such partition");
}

TEST_CASE("batch manager: a batch system that can't be looked at is a state, with pauses that grow") {
  Stage stage;
  stage.look("node b1 idle 4 8000 -\n");
  Duration last;
  for (int i = 0; i < 8; ++i) {
    stage.now = stage.manager.next_deadline();
    stage.settle();
    stage.end("look", "", -1, "didn't end in time");
    const Duration pause = stage.manager.next_deadline() - stage.now;
    CHECK(pause >= last);
    last = pause;
  }
  CHECK(last == seconds(30));
  CHECK(stage.manager.view().fault == "script: didn't end in time");
  CHECK(stage.node("b1").state == "idle");  // as it was last seen
  CHECK(stage.open.empty());
  stage.look("nonsense\n", seconds(31));
  CHECK(stage.manager.view().fault.find("nonsense") != std::string::npos);
  stage.look("node b1 idle 4 8000 -\n", seconds(31));
  CHECK(stage.manager.view().fault.empty());
}

TEST_CASE("batch manager: while a look goes on there is no second one") {
  Stage stage;
  stage.settle();
  CHECK(stage.manager.next_deadline() == never);
  stage.now = stage.now + seconds(100);
  stage.settle();
  CHECK(stage.open.size() == 1);
}

TEST_CASE("batch manager: other settings hold from the next look on, and what finds pilots can't change") {
  Stage stage;
  stage.look("node b1 idle 4 8000 -\n");
  BatchSettings wanted = settings();
  wanted.reserve = 1;
  CHECK(stage.manager.reconfigure(wanted) == "");
  stage.look("node b1 idle 4 8000 -\n", seconds(20));
  CHECK(stage.open.empty());  // the only idle node stays for local users
  for (const auto change :
       {+[](BatchSettings& s) { s.name = "other"; }, +[](BatchSettings& s) { s.partition = "o"; },
        +[](BatchSettings& s) { s.borrow.from = {"a/nodes"}; }}) {
    BatchSettings refused = settings();
    change(refused);
    CHECK(stage.manager.reconfigure(refused).find("can't change") != std::string::npos);
    CHECK(stage.manager.settings().reserve == 1);
  }
  CHECK(stage.manager.reconfigure(settings()) == "");
  stage.look("node b1 idle 4 8000 -\n", seconds(1));
  CHECK(stage.take("dmm").command.arguments[1] == "node");
}

}  // namespace dmm::batch_manager_test
