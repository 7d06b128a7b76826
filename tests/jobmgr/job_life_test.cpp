// The tables of a job's life: every state with every event, every way in which a component can end, and which component
// decides the outcome.
#include "jobmgr/job_life.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace job_life_test {

using namespace dmm;

namespace {

using S = JobState;
using E = JobEvent;

KnownEnd exited(std::int32_t code) { return {true, EndKind::exited, code, StartFault::none}; }
KnownEnd ended(EndKind kind) { return {true, kind, 0, StartFault::none}; }
KnownEnd signalled(std::int32_t code) { return {true, EndKind::signalled, code, StartFault::none}; }
KnownEnd not_started(StartFault fault) { return {true, EndKind::start_failed, 0, fault}; }

constexpr ComponentEnd good{EndClass::good, 0};
ComponentEnd bad(std::uint32_t order) { return {EndClass::bad, order}; }
ComponentEnd interrupted(std::uint32_t order) { return {EndClass::interrupted, order}; }
constexpr ComponentEnd stopped{EndClass::stopped, 0};

}  // namespace

TEST_CASE("job life: every state answers every event, and only these change it") {
  struct Row {
    S from;
    E event;
    S to;
  };
  const std::array rows{
      Row{S::waiting, E::granted, S::starting},    Row{S::waiting, E::fail, S::failed},
      Row{S::waiting, E::cancel, S::cancelled},    Row{S::waiting, E::finish, S::finished},
      Row{S::waiting, E::lose, S::lost},           Row{S::starting, E::all_started, S::running},
      Row{S::starting, E::stopping, S::ending},    Row{S::starting, E::all_ended, S::collecting},
      Row{S::running, E::stopping, S::ending},     Row{S::running, E::all_ended, S::collecting},
      Row{S::ending, E::all_ended, S::collecting}, Row{S::collecting, E::again, S::waiting},
      Row{S::collecting, E::finish, S::finished},  Row{S::collecting, E::fail, S::failed},
      Row{S::collecting, E::cancel, S::cancelled}, Row{S::collecting, E::lose, S::lost},
  };
  for (std::size_t s = 0; s < job_state_count; ++s)
    for (std::size_t e = 0; e < job_event_count; ++e) {
      const auto from = static_cast<S>(s);
      const auto event = static_cast<E>(e);
      std::optional<S> expected;
      for (const Row& row : rows)
        if (row.from == from && row.event == event) expected = row.to;
      INFO(to_text(from), " with event ", e);
      CHECK(next(from, event) == expected);
    }
}

TEST_CASE("job life: an outcome is final, and only an attempt can come to one twice over") {
  for (S state : {S::finished, S::failed, S::cancelled, S::lost}) {
    CHECK(is_over(state));
    CHECK_FALSE(has_attempt(state));
    for (std::size_t e = 0; e < job_event_count; ++e) CHECK_FALSE(next(state, static_cast<E>(e)).has_value());
  }
  for (S state : {S::starting, S::running, S::ending, S::collecting}) CHECK(has_attempt(state));
  CHECK_FALSE(has_attempt(S::waiting));
}

TEST_CASE("job life: what the end of a component says") {
  struct Row {
    const char* what;
    KnownEnd end;
    bool interrupted;
    bool stopping;
    EndClass expected;
  };
  const std::array rows{
      Row{"status 0", exited(0), false, false, EndClass::good},
      Row{"status 0 though its lease had ended", exited(0), true, true, EndClass::good},
      Row{"status 3", exited(3), false, false, EndClass::bad},
      Row{"status 3 though its lease had ended", exited(3), true, true, EndClass::bad},
      Row{"a signal", signalled(11), false, false, EndClass::bad},
      Row{"SIGTERM from elsewhere", signalled(15), false, false, EndClass::bad},
      Row{"SIGTERM on our order", signalled(15), false, true, EndClass::stopped},
      Row{"SIGKILL on our order, for a lost lease", signalled(9), true, true, EndClass::interrupted},
      Row{"a crash while we stop it", signalled(11), false, true, EndClass::bad},
      Row{"stopped by us", ended(EndKind::stopped), false, true, EndClass::stopped},
      Row{"stopped by us for a lost lease", ended(EndKind::stopped), true, true, EndClass::interrupted},
      Row{"stopped by nobody we know", ended(EndKind::stopped), false, false, EndClass::bad},
      Row{"lease ended", ended(EndKind::lease_ended), false, false, EndClass::interrupted},
      Row{"lost contact", ended(EndKind::lost_contact), false, false, EndClass::interrupted},
      Row{"no lease there", not_started(StartFault::no_lease), false, false, EndClass::interrupted},
      Row{"nodes busy", not_started(StartFault::nodes_busy), false, false, EndClass::interrupted},
      Row{"machine full", not_started(StartFault::resources), false, false, EndClass::interrupted},
      Row{"no such program", not_started(StartFault::executable_missing), false, false, EndClass::bad},
      Row{"not permitted", not_started(StartFault::not_permitted), false, false, EndClass::bad},
      Row{"no directory", not_started(StartFault::no_directory), false, false, EndClass::bad},
      Row{"hung", not_started(StartFault::hung), false, false, EndClass::bad},
      Row{"never heard of again", KnownEnd{}, true, true, EndClass::interrupted},
      Row{"never started", KnownEnd{}, false, false, EndClass::stopped},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(classify(row.end, row.interrupted, row.stopping) == row.expected);
  }
}

TEST_CASE("job life: the first trouble decides over the job") {
  struct Row {
    const char* what;
    std::vector<ComponentEnd> ends;
    EndClass expected;
    std::size_t component;
  };
  const std::array rows{
      Row{"all good", {good, good}, EndClass::good, 0},
      Row{"one fails, the others are stopped", {stopped, bad(1), stopped}, EndClass::bad, 1},
      Row{"one loses its nodes, others are stopped", {stopped, stopped, interrupted(1)}, EndClass::interrupted, 2},
      Row{"one loses its nodes, another fails for it", {bad(2), interrupted(1)}, EndClass::interrupted, 1},
      Row{"one fails, another loses its nodes meanwhile", {interrupted(2), bad(1)}, EndClass::bad, 1},
      Row{"a lost one ended well before it was stopped", {good, good}, EndClass::good, 0},
      Row{"all stopped", {stopped, stopped}, EndClass::stopped, 0},
      Row{"one good, one stopped", {good, stopped}, EndClass::stopped, 1},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Verdict verdict = verdict_of(row.ends);
    CHECK(verdict.end == row.expected);
    CHECK(verdict.component == row.component);
  }
}

TEST_CASE("job life: what follows from the decision") {
  CHECK(outcome(EndClass::interrupted, false, Rerun::allowed) == E::again);
  CHECK(outcome(EndClass::interrupted, false, Rerun::used_up) == E::lose);
  CHECK(outcome(EndClass::interrupted, false, Rerun::suspected) == E::fail);
  for (const Rerun rerun : {Rerun::allowed, Rerun::used_up, Rerun::suspected}) {
    CHECK(outcome(EndClass::good, false, rerun) == E::finish);
    CHECK(outcome(EndClass::bad, false, rerun) == E::fail);
    CHECK(outcome(EndClass::stopped, false, rerun) == E::fail);
    for (EndClass end : {EndClass::good, EndClass::bad, EndClass::interrupted, EndClass::stopped})
      CHECK(outcome(end, true, rerun) == E::cancel);
  }
}

TEST_CASE("job life: every state has its word") {
  for (std::size_t s = 0; s < job_state_count; ++s) CHECK(to_text(static_cast<S>(s)) != "unknown");
}

}  // namespace job_life_test
