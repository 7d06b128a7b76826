// Jobs of several sites under accounts of their own, with real processes: what they can reach of one another, of
// the manager and of the host. Only root can start processes of several accounts.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/backends/process_backend_fixture.hpp"

namespace keeper_accounts_test {

using namespace dmm;
using namespace dmm::backend_test;

namespace {

constexpr JobAccountRules two_accounts{.first = 70001, .last = 70002};
const std::string home = std::string("/") + "work";  // of a job, inside its directory

bool is_root() {
  if (geteuid() == 0) return true;
  MESSAGE("not looked at: only root can start processes of several accounts");
  return false;
}

TaskId of(const char* site, std::uint64_t job) { return {{SiteName(site), "ann", job, 1}, 0}; }

JobRules rules(const JobAccountRules& accounts, bool isolate) {
  return {.isolate = isolate, .accounts = accounts};
}

void write_file(const std::string& path, const std::string& text, mode_t mode) {
  std::ofstream(path) << text;
  REQUIRE(chmod(path.c_str(), mode) == 0);
}

// The resource manager of the owner's site `alpha`, with a folder that has all files of a daemon.
struct Owner : OwnFolder, Manager {
  explicit Owner(const JobAccountRules& accounts = two_accounts, bool isolate = true)
      : Manager(folder.path, seconds(60), false, rules(accounts, isolate), seconds(1)) {
    std::filesystem::create_directory(path + "/keys");
    write_file(path + "/keys/link.json", "a secret\n", 0600);
    write_file(path + "/ledger.sqlite", "a ledger\n", 0600);
  }
};

// Starts a program that stays; returns its directory and its process.
std::pair<std::string, pid_t> start_and_stay(Manager& manager, const TaskId& id) {
  manager.shell(id, "echo private > mine; echo $DMM_DIRECTORY; echo x > ready; exec sleep 1000");
  const pid_t process = manager.await<TaskStarted>(id).process;
  const std::string directory =
      manager.path + "/jobs/" + id.request.site.text + "_ann_" + std::to_string(id.request.job) + ".1.0";
  REQUIRE(until([&] { return contents(directory + home + "/ready") == "x\n"; }));
  return {directory, process};
}

// The output of a child under an account without privileges.
std::string said_without_privileges(const std::function<std::string()>& act) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool changed = setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0;
    const std::string text = changed ? act() : "could not change its account";
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  std::size_t size = 0;
  for (ssize_t count = 0; (count = read(ends[0], text.data() + size, text.size() - size)) > 0;)
    size += static_cast<std::size_t>(count);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  text.resize(size);
  return text;
}

}  // namespace

TEST_CASE("accounts: jobs of each site run under an account of its own, and it is told which") {
  if (!is_root()) return;
  for (const bool isolate : {true, false}) {
    CAPTURE(isolate);
    Owner f(two_accounts, isolate);
    const std::string script =
        "id -u; id -g; id -G; grep -h 'CapEff\\|CapPrm\\|CapInh\\|NoNewPrivs' "
        "/proc/self/status; test -w . && echo $USER $LOGNAME; stat -c %u:%a . ..";
    const std::string rest =
        "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
        "NoNewPrivs:\t1\n";
    CHECK(f.run_shell(of("beta", 1), script).output ==
          "70001\n70001\n70001\n" + rest + "70001 70001\n70001:700\n70001:700\n");
    CHECK(f.run_shell(of("gamma", 1), "id -u").output == "70002\n");
    CHECK(f.run_shell(of("beta", 2), "id -u").output == "70001\n");
    f.start(of("gamma", 3), {"sleep", "1000"});
    CHECK(f.await<TaskStarted>(of("gamma", 3)).isolation == "account 70002, " + f.backend->state().isolation);
    CHECK(f.backend->state().accounts == "accounts 70001 to 70002, one for each site");
    CHECK(f.backend->state().users_apart);
    CHECK(f.event("accounts") == f.backend->state().accounts);
  }
}

TEST_CASE("accounts: a job reaches nothing of another site's, of the manager's or of root's") {
  if (!is_root()) return;
  for (const bool isolate : {true, false}) {
    CAPTURE(isolate);
    Owner f(two_accounts, isolate);
    const auto [directory, process] = start_and_stay(f, of("beta", 1));
    const std::string number = std::to_string(process);
    const std::string keeper = std::to_string(f.backend->keeper_process());
    const TaskEnded end = f.run_shell(
        of("gamma", 2), "cat " + directory + home + "/mine; cat " + directory + "/output; ls " + directory +
                            "; echo x > " + directory + home + "/mine; ls " + f.path + "; ls " + f.path +
                            "/jobs; cat " + f.path + "/keys/link.json " + f.path + "/ledger.sqlite " + f.path +
                            "/accounts " + f.path + "/keeper.lock; kill -9 " + number + "; kill -9 " + keeper +
                            "; cat /proc/" + number + "/environ; ls /proc/" + number + "/fd; cat /proc/" + keeper +
                            "/environ; ls " + f.path + "/jobs/..; kill -9 $PPID; su -c id; echo over");
    CHECK(end.output == "over\n");
    CHECK(runs(process));
    CHECK(contents(directory + home + "/mine") == "private\n");
    CHECK(f.backend->keeper_process() == std::atoi(keeper.c_str()));
  }
}

TEST_CASE("accounts: no link that a job makes leads the keeper to what the job may not read or write") {
  if (!is_root()) return;
  for (const bool isolate : {true, false}) {
    CAPTURE(isolate);
    Owner f(two_accounts, isolate);
    TemporaryFolder host;
    REQUIRE(chmod(host.path.c_str(), 0711) == 0);
    write_file(host.path + "/secret", "of root\n", 0600);
    write_file(host.path + "/shared", "of all, by root\n", 0666);
    const std::string secret = host.path + "/secret";
    const std::string with_links = "rm $DMM_DIRECTORY/output $DMM_DIRECTORY/error; ln -s " + secret +
                                   " $DMM_DIRECTORY/output; ln " + host.path +
                                   "/shared $DMM_DIRECTORY/error; "
                                   "ln -sfn " +
                                   host.path + " $HOME; echo kept";
    const TaskEnded end = f.run_shell(of("beta", 1), with_links);
    CHECK(end.output == "kept\n");
    CHECK(std::string(end.error).find("by root") == std::string::npos);
    f.backend->perform(ReadOutput{of("beta", 1), Stream::error, 0});
    CHECK(f.await<OutputRead>(of("beta", 1)).data == end.error);
    f.backend->perform(RemoveTask{of("beta", 1)});
    CHECK(f.run_shell(of("beta", 2), "echo next").output == "next\n");
    CHECK(contents(secret) == "of root\n");
    CHECK(contents(host.path + "/shared") == "of all, by root\n");
  }
}

TEST_CASE("accounts: a folder and a program that a user named are entered and run with the job's rights alone") {
  if (!is_root()) return;
  Owner f;
  TemporaryFolder host, open_to_all;
  write_file(host.path + "/program", "#!/bin/sh\necho ran\n", 0755);
  REQUIRE(chmod(open_to_all.path.c_str(), 0755) == 0);
  REQUIRE(symlink(host.path.c_str(), (open_to_all.path + "/link").c_str()) == 0);
  for (const std::string& folder : {host.path, open_to_all.path + "/link", f.path}) {
    CAPTURE(folder);
    const TaskEnded end = f.run(of("beta", 1), {{"ls"}, folder, {}, {}});
    const bool hidden = folder == f.path;  // may be entered, but shows no files
    CHECK(end.kind == (hidden ? EndKind::exited : EndKind::start_failed));
    CHECK(end.output == "");
    if (!hidden) CHECK(end.fault == StartFault::not_permitted);
    if (!hidden) CHECK(end.text == "can't enter " + folder + ": Permission denied");
    f.backend->perform(RemoveTask{of("beta", 1)});
  }
  CHECK(f.run(of("beta", 2), {{host.path + "/program"}, {}, {}, {}}).fault == StartFault::not_permitted);
  CHECK(f.run(of("beta", 3), {{"pwd"}, open_to_all.path, {}, {}}).output == open_to_all.path + "\n");
}

TEST_CASE("accounts: scripts and input are the job's, and its folder goes with all that is in it") {
  if (!is_root()) return;
  for (const bool isolate : {true, false}) {
    Owner f(two_accounts, isolate);
    Program program{{"night.sh", "one"}, {}, {}, {}};
    program.script = "#!/bin/sh\necho $1; cat; id -u; mkdir -p a/b; chmod 0 a; stat -c '%u %a' $0\n";
    program.input = "input\n";
    CHECK(f.run(of("beta", 1), program).output == "one\ninput\n70001\n70001 700\n");
    f.backend->perform(RemoveTask{of("beta", 1)});
    const std::string removed = f.path + "/removed";
    CHECK(
        until([&] { return std::filesystem::is_empty(f.path + "/jobs") && std::filesystem::is_empty(removed); }));
  }
}

TEST_CASE("accounts: all that a job started ends with it, or on order, though it is another account's") {
  if (!is_root()) return;
  for (const bool isolate : {true, false}) {
    CAPTURE(isolate);
    Owner f(two_accounts, isolate);
    const pid_t other = start_and_stay(f, of("gamma", 9)).second;
    f.shell(of("beta", 1), daemonise + "echo x > ready; exec sleep 1000");
    const std::string work = f.path + "/jobs/beta_ann_1.1.0" + home;
    const pid_t daemon = f.number_in(work + "/daemon");
    REQUIRE(until([&] { return contents(work + "/ready") == "x\n"; }));
    f.backend->perform(EndTask{of("beta", 1), milliseconds(200)});
    CHECK(f.ended(of("beta", 1)).kind == EndKind::signalled);
    if (!isolate) CHECK_FALSE(runs(daemon));
    CHECK(f.run_shell(of("beta", 2), daemonise + "exit 5").code == 5);
    CHECK_FALSE(f.has_ended(of("gamma", 9)));
    kill(f.backend->keeper_process(), SIGKILL);
    CHECK(until([&] { return !runs(other); }));  // before its manager has noticed anything
    CHECK(f.ended(of("gamma", 9)).kind == EndKind::lost);
    CHECK(f.run_shell(of("gamma", 10), "id -u").output == "70001\n");
  }
}

TEST_CASE("accounts: a parallel job's launcher and its copies run under the job's account") {
  if (!is_root()) return;
  Owner f;
  const std::string probe = "setpriv --reuid=70001 --clear-groups test -x " DMM_BINARY_DIR "/launcher";
  if (std::system(probe.c_str()) != 0) {
    MESSAGE("not looked at: no other account can run the programs of this build");
    return;
  }
  Program program{{"sh", "-c", "id -u"}, {}, {}, {}};
  program.runner = Runner::per_processor;
  program.awaits_go = true;
  f.start(of("beta", 1), program);
  f.await<TaskStarted>(of("beta", 1));
  f.backend->perform(GoTask{of("beta", 1), {{0, 1, 2, "here"}}});
  CHECK(f.ended(of("beta", 1)).output == "70001\n70001\n");
}

TEST_CASE("accounts: a range that is given away refuses the next site, and a restart keeps the numbers") {
  if (!is_root()) return;
  TemporaryFolder folder;
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    Manager f(folder.path, seconds(60), false, rules(two_accounts, true));
    const char* const order[2][2] = {{"beta", "gamma"}, {"gamma", "beta"}};
    for (const char* const site : order[round])
      CHECK(f.run_shell(of(site, 1), "id -u").output == (std::string(site) == "beta" ? "70001\n" : "70002\n"));
    const TaskEnded end = f.run_shell(of("delta", 1), "id -u");
    CHECK(end.kind == EndKind::start_failed);
    CHECK(end.fault == StartFault::no_lease);
    CHECK(end.text == "all accounts for jobs, 70001 to 70002, are given to other sites than delta");
  }
  CHECK(contents(folder.path + "/accounts") == "beta 70001\ngamma 70002\n");
}

TEST_CASE("accounts: a map gives accounts of the host, with their groups") {
  if (!is_root()) return;
  JobAccountRules accounts;
  accounts.map = {{"beta", "", "games"}, {"beta", "ann", "man"}};  // accounts that every Debian has
  Owner f(accounts);
  CHECK(f.run_shell(of("beta", 1), "id -un; id -gn; echo $USER").output == "man\nman\nman\n");
  CHECK(f.run_shell({{SiteName("beta"), "bob", 2, 1}, 0}, "id -un").output == "games\n");
  f.start(of("beta", 3), {"sleep", "1000"});
  CHECK(f.await<TaskStarted>(of("beta", 3)).isolation.starts_with("account man (uid 6), "));
  CHECK(f.run_shell(of("gamma", 1), "id -u").output == "0\n");
  CHECK(f.backend->state().accounts == "2 by the map; jobs of other sites: account root");
  CHECK_FALSE(f.backend->state().users_apart);
}

TEST_CASE("accounts: those that no job may have, and what was kept and can't be read, are refused at the start") {
  if (!is_root()) return;
  const auto fault = [](const JobAccountRules& accounts, const std::string& kept = {}) {
    TemporaryFolder folder;
    if (!kept.empty()) std::ofstream(folder.path + "/accounts") << kept;
    const Opened opened = try_open(folder.path, seconds(60), seconds(10), false, {.accounts = accounts});
    std::string text = opened.index() == 1 ? std::get<1>(opened) : std::string();
    if (const auto at = text.find(folder.path); at != std::string::npos)
      text.replace(at, folder.path.size(), "DIR");
    return text;
  };
  JobAccountRules accounts;
  accounts.map = {{"beta", "", "no-such-account"}};
  CHECK(fault(accounts) ==
        "accounts.map[0].account: \"no-such-account\" is no account of this host; expected one that `id` knows");
  accounts.map[0].account = "root";
  CHECK(fault(accounts) == "accounts.map[0].account: \"root\" is root; expected an account without privileges");
  CHECK(fault(two_accounts, "beta\n") ==
        "DIR/accounts: line 1: expected the name of a site, a space and a uid above 0");
}

TEST_CASE("accounts: where accounts can't reach the jobs' folder it is said, and what may be refused is") {
  if (!is_root()) return;
  TemporaryFolder shut;  // only for its own account
  JobAccountRules required = two_accounts;
  required.required = true;
  ProcessBackendSettings settings{.directory = shut.path + "/state",
                                  .keeper_executable = DMM_BINARY_DIR "/keeper",
                                  .jobs = {.accounts = required},
                                  .site = SiteName("alpha")};
  const Opened opened = ProcessBackend::open(settings);
  REQUIRE(opened.index() == 0);
  const BackendState& state = std::get<0>(opened)->state();
  CHECK(state.accounts == "no job of another site runs here: account 70002 can't reach " + shut.path +
                              "/state/jobs/: expected folders above it that every account may pass (mode 0711)");
  CHECK_FALSE(state.users_apart);
}

TEST_CASE("accounts: without privileges it is said, and jobs of other sites may be refused") {
  if (!is_root()) return;
  for (const bool is_required : {false, true}) {
    CAPTURE(is_required);
    TemporaryFolder folder;
    const std::string keeper = folder.path + "/keeper";  // other accounts may be unable to read this checkout
    std::filesystem::copy_file(DMM_BINARY_DIR "/keeper", keeper);
    REQUIRE(chmod(folder.path.c_str(), 0777) == 0);
    const std::string said = said_without_privileges([&] {
      JobAccountRules accounts = two_accounts;
      accounts.required = is_required;
      Opened opened = ProcessBackend::open({.directory = folder.path + "/state",
                                            .keeper_executable = keeper,
                                            .jobs = {.accounts = accounts},
                                            .site = SiteName("alpha")});
      if (opened.index() == 1) return std::get<1>(opened);
      ProcessBackend& backend = *std::get<0>(opened);
      std::string text = backend.state().accounts + '\n';
      for (const char* const site : {"alpha", "beta"}) {
        backend.perform(StartTask{of(site, 1), {{"id", "-u"}, {}, {}, {}}});
        until([&] {
          for (const TaskReport& report : backend.take_reports())
            if (const auto* const end = std::get_if<TaskEnded>(&report))
              return text += std::string(end->text) + std::string(end->output) + ';', true;
          return false;
        });
      }
      return text;
    });
    const std::string why =
        "the resource manager may not run jobs under other accounts: it lacks CAP_SETUID, CAP_SETGID, CAP_CHOWN, "
        "CAP_KILL, CAP_DAC_OVERRIDE, CAP_FOWNER, which root has";
    if (is_required)
      CHECK(said == "no job of another site runs here: " + why +
                        "\n65534\n;jobs of other sites need an account of their own here, and " + why + ';');
    else
      CHECK(said == "jobs of all sites run under account nobody: not apart: " + why + "\n65534\n;65534\n;");
  }
}

}  // namespace keeper_accounts_test
