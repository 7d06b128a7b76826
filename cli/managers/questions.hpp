// Questions to managers, and their answers as JSON. A job manager's list of jobs comes in pages.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/managers/manager.hpp"
#include "runtime/client.hpp"

namespace dmm {

/// The answer of one manager.
struct Answered {
  Manager manager;
  std::string fault;  ///< empty: answered
  nlohmann::ordered_json json;
  bool manager_said = false;  ///< the manager itself gave the answer or the fault
};

/// What to type next if a manager gave no answer; to be appended to the fault. Empty if there is nothing to advise.
std::string remedy_of(const Manager& manager, const Reply& reply);

/// Sends one question to all managers at once; the answers are in the order of the managers.
std::vector<Answered> ask_all(const std::vector<Manager>& managers, const std::string& verb,
                              const nlohmann::ordered_json& argument = nlohmann::ordered_json::object(),
                              Duration within = seconds(5));
/// Sends several questions to all managers at once, over one connection each; the answers by question.
std::vector<std::vector<Answered>> ask_all(
    const std::vector<Manager>& managers, const std::vector<std::string>& verbs,
    const nlohmann::ordered_json& argument = nlohmann::ordered_json::object(), Duration within = seconds(5));
Answered ask_one(const Manager& manager, const std::string& verb,
                 const nlohmann::ordered_json& argument = nlohmann::ordered_json::object());
/// Adds all further pages of an answer to its first page. Empty, or why a page didn't come. `verb` is also the name of
/// the list.
std::string add_pages(Answered& first, const std::string& verb);
/// Sends an order, and never sends it again, whatever happens to the manager.
Answered order_one(const Manager& manager, const std::string& verb, const nlohmann::ordered_json& argument);

/// A job as its job manager describes it. Dates are seconds since 1970; not set if it did not happen.
struct ToldJob {
  std::uint64_t number = 0;
  std::uint64_t array = 0;  ///< the array that it is an element of; 0: none
  std::uint32_t index = 0;  ///< of an element, in its array
  std::string indices;      ///< of an array: "0-999%50"; empty: it is none
  std::uint64_t size = 0;   ///< of an array: how many elements it has
  /// Of an array: its elements in one state.
  struct Group {
    std::string state, indices;
    std::uint64_t count = 0;
  };
  std::vector<Group> groups;
  Group held_elements;  ///< held elements among those that wait
  std::string name, state, request, origin, text;
  std::uint32_t processors = 0, attempt = 1, reruns = 0, false_starts = 0, interruptions = 0, hops = 0, tries = 0;
  double submitted = 0, wall_seconds = 0, overhead_seconds = 0;
  std::optional<double> granted, started, ended;
  std::optional<double> waits_since;  ///< when its present or last wait began
  std::optional<double> ran_from;     ///< when its last attempt began to run
  std::optional<double> again_at;     ///< when its pause before the next attempt ends
  double ran_before_seconds = 0;      ///< in earlier attempts
  std::uint32_t keeper_deaths = 0;
  double writing_seconds = 0;  ///< how long its file system has been writing a piece of its output
  std::string output_state;    ///< as JobOutput::state
  bool at_lender = false;      ///< output that is missing here can still be fetched
  /// A resource manager that has a component or output of the job.
  struct Head {
    std::string manager;
    bool up = false;
    std::optional<double> until;  ///< how much longer it is waited for
  };
  std::vector<Head> heads;
  /// A lease that the job, or some of its components, runs or ran under.
  struct Place {
    std::string owner, lease;
    std::vector<std::string> chain;         ///< the owner first, the home site last
    std::vector<std::uint64_t> components;  ///< of a job with several leases
  };
  std::vector<Place> places;
  std::string placement;                     ///< why it was placed like this, if it has several leases
  std::string left_behind;                   ///< components that the running job goes on without
  std::uint32_t tasks = 0, tasks_ready = 0;  ///< of its present attempt
  std::uint32_t input_files = 0;             ///< that are staged in before it starts
  std::vector<std::string> interrupted_by;   ///< owners that ended an attempt by their right, the latest last
  /// How often an owner ended attempts in one way; `cause` is as in LeaseEnd.
  struct Cause {
    std::string owner, cause;
    std::uint64_t times = 0;
  };
  std::vector<Cause> causes;  ///< the latest last; empty: its job manager doesn't say
  std::string exit_kind;      ///< empty: no attempt ran
  std::int32_t exit_code = 0;
  std::string exit_fault;
  bool keep_output = true;
  std::string nodes;                   ///< that it has now: "das-3/fs0 0-3, das-3/fs1 7"
  std::vector<std::string> isolation;  ///< what isolates the components of its last attempt; empty: not known
  double limit_wall_seconds = 0;       ///< its own limit; 0: none
  bool held = false;                   ///< by its user
  std::optional<double> begin_at;      ///< its begin time, while that is in the future
  /// A job that this job depends on, and what it still awaits of it.
  struct Awaited {
    std::string kind;
    std::uint64_t job = 0;
    std::optional<std::uint32_t> index = {};  ///< of one element of an array
  };
  std::vector<Awaited> dependencies;

  bool is_array() const { return !indices.empty(); }
  /// As users name it: "das-0/alice/17.1", an element "das-0/alice/17_3", an array "das-0/alice/17[0-999%50]".
  std::string title() const;
  bool is_co_allocated() const { return places.size() > 1; }
  bool over() const { return state == "finished" || state == "failed" || state == "cancelled" || state == "lost"; }
  /// Whether it waits and isn't eligible yet.
  bool is_kept_back() const { return state == "waiting" && (held || begin_at || !dependencies.empty()); }
  /// Whether output of it could not be written.
  bool has_unwritten() const { return output_state == "unwritten"; }
};
ToldJob job_from_json(const nlohmann::ordered_json& json);

/// What to ask job managers about their jobs.
struct JobQuestion {
  std::string command;              ///< the command that asks, for messages on standard error
  std::vector<std::string> states;  ///< none: all
  bool elements = false;            ///< also the elements of arrays
  std::function<void(std::size_t manager, const nlohmann::ordered_json& job)> each;
  std::function<void(const nlohmann::ordered_json& counts)> counts;  ///< empty: counts aren't asked for
  Duration patience = seconds(60);  ///< with a manager that was reached and doesn't answer
};

/// All jobs of these managers, page by page. Goes on through restarts and pauses of managers, and names on standard
/// error the manager that it waits for. Returns faults, one for each manager that did not answer.
std::vector<std::string> fetch_jobs(const std::vector<Manager>& managers, const JobQuestion& question);

}  // namespace dmm
