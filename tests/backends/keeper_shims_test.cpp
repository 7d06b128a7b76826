// Shims that take one job after another: no job has anything of the one before it, and a killed shim harms none.
#include "resmgr/keeper/shims.hpp"

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/wait.h>

#include "resmgr/keeper/words.hpp"
#include "tests/backends/process_backend_fixture.hpp"

namespace keeper_shims_test {

using namespace dmm;
using namespace dmm::backend_test;

namespace {

// The number of the shim of a job that has ended.
pid_t shim_of(Manager& manager, std::uint64_t job) {
  const TaskEnded end = manager.run_shell(task(job), "echo $PPID");
  REQUIRE(end.kind == EndKind::exited);
  return std::atoi(std::string(end.output).c_str());
}

// A thread with all signals blocked, as the keeper's loop has them.
struct Blocked {
  sigset_t before{};
  Blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~Blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
};

// A set of shims, and jobs for them that run `program`.
struct Bench {
  Blocked blocked;
  keeper::Words words;
  keeper::Shims shims;
  int null_file = open("/dev/null", O_RDWR | O_CLOEXEC);

  ~Bench() { close(null_file); }
  keeper::PlanPage page_of(std::uint64_t serial, const std::string& program) const {
    keeper::PlanPage page(0);
    REQUIRE(page.is_made());
    write(page, serial, program);
    return page;
  }
  static void write(const keeper::PlanPage& page, std::uint64_t serial, const std::string& program) {
    keeper::PlanWriter writer(page);
    keeper::ShimPlan plan;
    plan.serial = serial;
    plan.paths = writer.list({program});
    plan.arguments = writer.list({program});
    plan.environment = writer.list({});
    plan.directory = writer.text("/");
    getrlimit(RLIMIT_LOCKS, &plan.mark);
    REQUIRE(writer.finish(plan));
  }
  keeper::ShimFiles files() const { return {null_file, null_file, null_file, -1, -1}; }
  pid_t start(std::uint64_t serial, const std::string& program) {
    const pid_t shim = shims.start(page_of(serial, program), {}, words.saying_end(), files());
    REQUIRE(shim > 0);
    return shim;
  }
  // Waits for a word of this kind about a job.
  keeper::Word await(std::uint64_t serial, keeper::Word::Kind kind) const {
    keeper::Word word;
    pid_t process = 0;
    REQUIRE(until([&] { return words.hear(word, process) && word.serial == serial && word.kind == kind; }));
    return word;
  }
  // Whether the shim of a job rests when the job has ended.
  bool rests(std::uint64_t serial) const { return await(serial, keeper::Word::Kind::ended).rests; }
  int status_of(pid_t shim) const {
    int status = -1;
    REQUIRE(waitpid(shim, &status, 0) == shim);
    return status;
  }
};

}  // namespace

TEST_CASE("shims: jobs in turn have one, and nothing of one another") {
  Fixture f;
  Program limited{{"sh", "-c", "read line; echo \"$line $SECRET $PPID\"; cd /; echo 1 > \"$HOME/left\""},
                  {},
                  {"SECRET=mine"},
                  Limits{.cpu_seconds = 77, .open_files = 20, .file_bytes = 4096}};
  limited.input = "a line\n";
  const TaskEnded first = f.run(task(1), limited);
  const TaskEnded second = f.run_shell(
      task(2), "cat; echo \"<$SECRET> $PPID\"; ulimit -n; ulimit -t; ulimit -f; echo *; ls /proc/self/fd | xargs");
  const std::string shim = std::string(first.output).substr(std::string("a line mine ").size());
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  CHECK(second.output == "<> " + shim + std::to_string(files.rlim_cur) + "\nunlimited\nunlimited\n*\n0 1 2 3\n");
}

TEST_CASE("shims: a job that was killed, and one that failed to start, do no harm to the next one") {
  Fixture f;
  const pid_t shim = shim_of(f, 1);
  CHECK(f.run_shell(task(2), "kill -9 $$").code == SIGKILL);
  CHECK(shim_of(f, 3) == shim);
  f.shell(task(4), "echo $PPID > \"$HOME/shim\"; sleep 1000");
  CHECK(f.number_in(f.home(4) + "/shim") == shim);
  f.backend->perform(EndTask{task(4), seconds(0)});
  CHECK(f.ended(task(4)).code == SIGKILL);
  CHECK(f.run(task(5), {{"/no/such/program"}, {}, {}, {}}).kind == EndKind::start_failed);
  CHECK(f.run_shell(task(6), "exit 7").code == 7);
}

TEST_CASE("shims: jobs at once have one each, and another job runs where a resting one was killed") {
  Fixture f;
  for (const int job : {1, 2}) f.shell(task(job), "echo $PPID > \"$HOME/shim\"; read line < \"$HOME/../wait\"");
  const pid_t one = f.number_in(f.home(1) + "/shim"), other = f.number_in(f.home(2) + "/shim");
  CHECK(one != other);
  for (const int job : {1, 2}) f.await<TaskStarted>(task(job));  // a shim that isn't known to have begun is killed
  for (const int job : {1, 2}) {
    f.backend->perform(EndTask{task(job), seconds(0)});
    f.ended(task(job));
  }
  REQUIRE(runs(one));
  REQUIRE(runs(other));
  kill(other, SIGKILL);
  kill(one, SIGKILL);
  REQUIRE(until([&] { return !runs(one) && !runs(other); }));
  const pid_t next = shim_of(f, 3);
  CHECK(next != one);
  CHECK(next != other);
}

TEST_CASE("shims: an environment of 200,000 bytes is no more trouble than a short one") {
  Fixture f;
  shim_of(f, 1);
  Program program{{"sh", "-c", "echo ${#A} ${#B}"}, {}, {}, {}};
  program.environment = {"A=" + std::string(100'000, 'x'), "B=" + std::string(99'999, 'y')};
  CHECK(f.run(task(2), program).output == "100000 99999\n");
  CHECK(f.run_shell(task(3), "echo ${#A}").output == "0\n");
}

TEST_CASE("shims: a signal about a job that is over doesn't reach the shim's next one") {
  const Blocked blocked;
  const pid_t keeper = getpid();
  const pid_t shim = fork();
  if (shim == 0) {
    keeper::ShimSignal signal = keeper::ShimSignal::end;
    const bool said = keeper::await_signal(2, keeper, signal);
    _exit(said && signal == keeper::ShimSignal::kill ? 0 : 1);
  }
  keeper::signal_shim(shim, 1, keeper::ShimSignal::end);
  keeper::signal_shim(shim, 2, keeper::ShimSignal::kill);
  int status = -1;
  REQUIRE(waitpid(shim, &status, 0) == shim);
  CHECK(status == 0);
}

TEST_CASE("shims: the one that rested last takes the next job, and each ends when it has rested for ten seconds") {
  Bench bench;
  const pid_t one = bench.start(1, "/bin/true"), other = bench.start(2, "/bin/true");
  CHECK(bench.shims.next_wake() == keeper::endless);
  CHECK(bench.shims.resting_page() == nullptr);
  // The words of the two come in any order.
  int resting = 0;
  keeper::Word word;
  pid_t process = 0;
  REQUIRE(until([&] {
    while (resting < 2 && bench.words.hear(word, process)) resting += word.rests ? 1 : 0;
    return resting == 2;
  }));
  const std::filesystem::directory_iterator open_files("/proc/" + std::to_string(one) + "/fd");
  CHECK(std::distance(begin(open_files), end(open_files)) == 2);  // its sockets, and nothing of the job's
  const keeper::Clock before = keeper::now();
  bench.shims.rest(one);
  bench.shims.rest(other);
  CHECK(bench.shims.next_wake() >= before + 10'000'000);
  CHECK(bench.shims.next_wake() <= keeper::now() + 10'000'000);

  bench.write(*bench.shims.resting_page(), 3, "/bin/false");
  CHECK(bench.shims.order_resting(bench.files()) == other);
  const keeper::Word end = bench.await(3, keeper::Word::Kind::ended);
  CHECK(WEXITSTATUS(end.status) == 1);
  CHECK(end.rests);
  bench.shims.end_idle(bench.shims.next_wake() - 1);
  CHECK(bench.shims.next_wake() != keeper::endless);
  bench.shims.end_idle(bench.shims.next_wake());
  CHECK(bench.status_of(one) == 0);
  CHECK(bench.shims.ended(one) == 0);
  CHECK_FALSE(bench.shims.contain(one));
  CHECK(bench.shims.contain(other));

  kill(other, SIGKILL);
  bench.status_of(other);
  CHECK(bench.shims.ended(other) == 3);
  CHECK(bench.shims.are_gone());
  CHECK(bench.shims.ended(getpid()) == std::nullopt);
}

TEST_CASE("shims: one that the guard has killed takes no other job, and the guard forgets one that rests") {
  keeper::Guard guard(0);
  const auto start = [] {
    const pid_t child = fork();
    if (child == 0) pause();
    return child;
  };
  const auto end_of = [](pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WTERMSIG(status);
  };
  const pid_t killed = start(), rests = start();
  guard.add(1, killed);
  guard.add(2, rests);
  guard.kill_at(1, keeper::now());
  CHECK(end_of(killed) == SIGKILL);
  CHECK_FALSE(guard.forget_unless_killed(1));
  CHECK(guard.forget_unless_killed(2));
  CHECK_FALSE(guard.forget_unless_killed(2));
  guard.kill_all_at(keeper::now());
  kill(rests, SIGUSR1);
  CHECK(end_of(rests) == SIGUSR1);
}

TEST_CASE("shims: what a plan needs is counted where its page has no room, and nothing is written past the page") {
  const keeper::PlanPage page(0);
  REQUIRE(page.is_made());
  keeper::PlanWriter writer(page);
  const std::string text(page.size(), 'x');
  keeper::ShimPlan plan;
  CHECK(std::string(writer.text("here")) == "here");
  CHECK(writer.text(text) == nullptr);
  CHECK(writer.list({"one", text}) == nullptr);
  CHECK(writer.numbers({4, 5}).empty());
  CHECK_FALSE(writer.finish(plan));
  const keeper::PlanPage larger(writer.bytes());
  REQUIRE(larger.is_made());
  keeper::PlanWriter again(larger);
  again.text("here");
  CHECK(again.text(text) == text);
  char** const list = again.list({"one", text});
  REQUIRE(list != nullptr);
  CHECK(std::string(list[0]) == "one");
  CHECK(list[1] == text);
  CHECK(list[2] == nullptr);
  const auto numbers = again.numbers({4, 5});
  REQUIRE(numbers.size() == 2);
  CHECK(numbers.back() == 5);
  CHECK(again.finish(plan));
}

}  // namespace keeper_shims_test
