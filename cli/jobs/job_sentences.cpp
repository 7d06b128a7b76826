#include "cli/jobs/job_sentences.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <utility>

#include "cli/terminal/figures.hpp"
#include "protocol/reasons.hpp"

namespace dmm {
namespace {

std::string chain_text(const ToldJob::Place& place) {
  std::string text;
  for (const std::string& site : place.chain) text += (text.empty() ? "" : " > ") + harmless(site);
  return text;
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& texts) {
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i)
    all += (i == 0 ? "" : i + 1 == texts.size() ? " and " : ", ") + texts[i];
  return all;
}

std::string where_text(const ToldJob& job) {
  std::vector<std::string> chains;
  for (const ToldJob::Place& place : job.places)
    if (place.chain.size() > 1) chains.push_back(chain_text(place));
  const std::string text = job.nodes.empty() ? "nodes of " + owners_text(job) : harmless(job.nodes);
  return chains.empty() ? text : text + ", lent by way of " + listed(chains);
}

/// For a job with several leases: which components each lease serves.
void add_components(std::vector<std::string>& lines, const ToldJob& job) {
  if (!job.is_co_allocated()) return;
  for (const ToldJob::Place& place : job.places) {
    std::vector<std::string> numbers;
    for (const std::uint64_t component : place.components) numbers.push_back(std::to_string(component));
    lines.push_back((numbers.size() == 1 ? "Component " : "Components ") + listed(numbers) + ": " +
                    harmless(place.owner) + ", under lease " + harmless(place.lease) + ".");
  }
  if (!job.placement.empty()) lines.push_back("How it was placed: " + harmless(job.placement) + ".");
}

void add_stream(std::vector<std::string>& lines, const ToldJob& job, const char* name, const OutputPlace& place) {
  if (place.path.empty()) return;
  const std::string text = std::string("Its ") + name;
  if (place.began && place.unwritten.value_or(false))
    lines.push_back(text + " could not be written to " + harmless(place.path) + ".");
  else if (place.began && job.has_unwritten() && !place.unwritten)
    lines.push_back(text + " was to go to " + harmless(place.path) + ".");
  else if (place.began)
    lines.push_back(text + ": " + harmless(place.path));
  else if (!job.over())
    lines.push_back(text + " goes to " + harmless(place.path) + ", where nothing is yet.");
}

void add_unwritten(std::vector<std::string>& lines, const ToldJob& job) {
  if (!job.has_unwritten()) return;
  if (!job.at_lender) return lines.push_back("Output that could not be written is no longer kept anywhere.");
  lines.push_back("Output that could not be written is still where the job ran, on " + where_text(job) +
                  ". `dmm output " + harmless(job.request) +
                  " --fetch` brings all of its output into its job manager's folder.");
}

void add_output(std::vector<std::string>& lines, const ToldJob& job, const OutputPlaces& output) {
  if (!job.keep_output) return lines.push_back("Its output was discarded, as its user asked.");
  add_stream(lines, job, "output", output.output);
  add_stream(lines, job, "error output", output.error);
  add_unwritten(lines, job);
  if (job.over() && !output.output.began && !output.error.began) lines.emplace_back("It wrote no output.");
}

std::string fault_text(const std::string& fault) {
  const std::string_view words = words_for_start_fault(fault);
  return words.empty() ? words_of(fault) : std::string(words);
}

std::string ending_of(const ToldJob& job) {
  if (job.exit_kind == "exited") return "It ended with exit status " + std::to_string(job.exit_code);
  if (job.exit_kind == "signalled") return "It was ended by signal " + std::to_string(job.exit_code);
  if (job.exit_kind == "start_failed") return "It could not be started: " + fault_text(job.exit_fault);
  if (!job.exit_kind.empty()) return "It ended: " + words_of(job.exit_kind);
  return job.ran_before_seconds > 0 ? "It doesn't run again" : "It never ran";
}

std::string since(std::optional<double> date, double now) {
  return length_text(std::max(0.0, now - date.value_or(now)));
}

/// "gamma/nodes, which can't be reached", and how much longer it is waited for. If some resource managers can't be
/// reached, only they are named: the job waits for them. `to_say` is what they are to say, as in "to report its end".
std::string heads_text(const ToldJob& job, double now, std::string_view to_say = {}) {
  std::string text;
  std::optional<double> until;
  const bool all_up = std::ranges::all_of(job.heads, &ToldJob::Head::up);
  for (const ToldJob::Head& head : job.heads) {
    if (head.up && !all_up) continue;
    text += (text.empty() ? "" : ", ") + harmless(head.manager) + (head.up ? "" : ", which can't be reached");
    if (head.until) until = std::min(*head.until, until.value_or(*head.until));
  }
  if (text.empty()) text = "its resource manager";
  if (!to_say.empty()) (text += all_up ? " " : ", ") += to_say;
  if (until) text += ", for " + length_text(std::max(0.0, *until - now)) + " more at most";
  return text;
}

void add_isolation(std::vector<std::string>& lines, const ToldJob& job) {
  std::string text;
  for (const std::string& one : job.isolation) text += (text.empty() ? "" : "; elsewhere ") + harmless(one);
  if (!text.empty()) lines.push_back("Its isolation from other jobs and the host: " + text + ".");
}

void add_running(std::vector<std::string>& lines, const ToldJob& job, double now) {
  if (job.ran_from) {
    std::string text = "It has run for " + since(job.ran_from, now);
    if (job.limit_wall_seconds > 0)
      text += ", and is ended after " + length_text(job.limit_wall_seconds) + " by its own limit";
    lines.push_back(text + ".");
  }
  if (std::ranges::any_of(job.heads, [](const ToldJob::Head& head) { return !head.up; }))
    lines.push_back("Its job manager waits to hear from " + heads_text(job, now) +
                    ". Then the job manager gives this attempt up, and asks for nodes again once nothing of it "
                    "can run any more.");
}

/// What the job does between having nodes and its end, and which manager's answer is awaited.
void add_state(std::vector<std::string>& lines, const ToldJob& job, double now) {
  const std::string on = " on " + where_text(job) + ".";
  if (job.state == "running") {
    lines.push_back("It is running" + on);
    if (!job.left_behind.empty()) lines.push_back("It " + harmless(job.left_behind) + ".");
    add_components(lines, job);
    return add_running(lines, job, now);
  }
  if (job.state == "starting") {
    lines.push_back("It is starting" + on);
    add_components(lines, job);
    if (job.input_files > 0)
      lines.push_back("Its " + std::string(job.input_files == 1 ? "input file is" : "input files are") +
                      " brought there first.");
    if (job.tasks > 1)
      lines.push_back(std::to_string(job.tasks_ready) + " of its " + std::to_string(job.tasks) +
                      " tasks are ready; none begins before all are.");
    lines.push_back("Its job manager waits for " + heads_text(job, now, "to say that it runs") + ".");
  } else if (job.state == "ending") {
    lines.push_back("It is being ended" + on);
    lines.push_back("Its job manager waits for " +
                    heads_text(job, now, "to say that nothing of it runs any more") + ".");
  } else {
    lines.push_back("Its program is over" +
                    (job.wall_seconds > 0 ? ", after " + length_text(job.wall_seconds) : "") + ".");
    lines.push_back("Its output is being brought from " + heads_text(job, now) +
                    (job.writing_seconds > 0 ? ", and has been waiting for the file system here for " +
                                                   length_text(job.writing_seconds) + "."
                                             : "."));
  }
}

/// How often the job was interrupted, for any cause. The interruption that loses a job isn't counted.
std::uint64_t times_interrupted(const ToldJob& job) {
  return std::uint64_t{job.reruns} + job.keeper_deaths + job.false_starts + job.interruptions;
}

/// "reclaimed by beta (2)".
std::string cause_text(const ToldJob::Cause& one) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> table{{
      {"preempted", "preempted by a job of high priority at "},
      {"reclaimed", "reclaimed by "},
      {"at_longest", "lease at its longest at "},
      {"node_removed", "node removed by "},
      {"link_removed", "link removed on the way to "},
      {"idle", "lease idle for too long at "},
  }};
  const auto found = std::ranges::find(table, one.cause, &std::pair<std::string_view, std::string_view>::first);
  const std::string words =
      found == table.end() ? harmless(words_of(one.cause)) + " by " : std::string(found->second);
  return words + harmless(one.owner) + " (" + grouped(one.times) + ")";
}

/// ": reclaimed by beta (2), lease at its longest at gamma (1)"; from an older job manager only the owners.
std::string causes_text(const ToldJob& job) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? ": " : ", ") + one; };
  std::uint64_t told = 0;
  for (const ToldJob::Cause& one : job.causes) {
    add(cause_text(one));
    told += one.times;
  }
  if (job.causes.empty())
    for (const std::string& owner : job.interrupted_by) add(harmless(owner));
  else if (told < job.interruptions)
    add("and earlier ones (" + grouped(job.interruptions - told) + ")");
  return text;
}

/// "Owners interrupted it by their right "; a preemption is the home site's decision.
std::string interrupters_text(const ToldJob& job) {
  std::uint64_t preempted = 0;
  for (const ToldJob::Cause& one : job.causes)
    if (one.cause == "preempted") preempted += one.times;
  if (preempted == 0) return "Owners interrupted it by their right ";
  return std::string(preempted < job.interruptions ? "Owners and its site" : "Its site") + " interrupted it ";
}

/// "2026-11-27 08:00:00", by the clock of this host.
std::string date_text(double date) {
  const auto whole = static_cast<time_t>(date);
  tm local{};
  std::array<char, 32> text{};
  if (::localtime_r(&whole, &local) == nullptr) return {};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local)};
}

/// What is awaited of another job: "job 13 to finish".
std::string dependency_text(const ToldJob::Awaited& one) {
  const std::string job = "job " + std::to_string(one.job) + (one.index ? "_" + std::to_string(*one.index) : "");
  if (one.kind == "after") return job + " to begin";
  if (one.kind == "afterok") return job + " to finish";
  if (one.kind == "afternotok") return job + " to end without finishing";
  return job + " to end";
}

/// The dependencies; only the first `most` in words.
std::string dependencies_text(const ToldJob& job, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, job.dependencies.size()); ++i)
    text += (i == 0 ? "" : ", for ") + dependency_text(job.dependencies[i]);
  const std::size_t left = job.dependencies.size() - std::min(most, job.dependencies.size());
  return left == 0 ? text : text + ", and for " + count_text(left, "other");
}

/// What keeps the job back, for a cell.
std::string kept_back_text(const ToldJob& job, double now) {
  std::string text;
  const auto add_part = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (job.held) add_part("held by its user");
  if (job.begin_at)
    add_part("not before " + date_text(*job.begin_at) + ", in " + length_text(std::max(0.0, *job.begin_at - now)));
  if (!job.dependencies.empty()) add_part("waits for " + dependencies_text(job, 1));
  return text;
}

/// For a cell: what keeps the job back, for how long it pauses, or which manager's answer it awaits. Empty if it
/// plainly waits or runs.
std::string awaited_text(const ToldJob& job, double now) {
  if (job.is_kept_back()) return kept_back_text(job, now);
  if (pauses(job, now)) return "pauses " + length_text(*job.again_at - now);
  if (job.state == "ending") return "waits for " + heads_text(job, now, "to report its end");
  if (job.state != "collecting") return {};
  return "output comes from " + heads_text(job, now) +
         (job.writing_seconds > 0 ? "; the file system here has been busy for " + length_text(job.writing_seconds)
                                  : "");
}

}  // namespace

std::string owners_text(const ToldJob& job) {
  std::vector<std::string> owners;
  for (const ToldJob::Place& place : job.places)
    if (const std::string owner = harmless(place.owner); std::ranges::find(owners, owner) == owners.end())
      owners.push_back(owner);
  return listed(owners);
}

std::string outcome_text(const ToldJob& job, double now) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() || more.empty() ? "" : "; ") + more; };
  for (const ToldJob::Group& group : job.groups)
    text += (text.empty() ? "" : ", ") + grouped(group.count) + " " + group.state;
  if (job.exit_kind == "exited" && job.exit_code != 0) add("exit status " + std::to_string(job.exit_code));
  if (job.exit_kind == "signalled") add("signal " + std::to_string(job.exit_code));
  const bool is_told = !text.empty();
  add(awaited_text(job, now));
  const std::uint64_t times = times_interrupted(job);
  if (times > 1 && job.state != "lost") add("interrupted " + grouped(times) + " x");
  if (!is_told) add(cut(harmless(job.text), 60));
  return text;
}

std::vector<std::string> earlier_sentences(const ToldJob& job, double now) {
  std::vector<std::string> lines;
  if (job.ran_before_seconds > 0)
    lines.push_back("Earlier attempts at it ran for " + length_text(job.ran_before_seconds) + " in all.");
  if (job.state == "waiting" && times_interrupted(job) > 0)
    lines.push_back("It was submitted " + since(job.submitted, now) + " ago, and has waited for " +
                    length_text(std::max(0.0, now - job.submitted - job.ran_before_seconds)) +
                    " in all, starts and ends of attempts included.");
  if (job.reruns > 0)
    lines.push_back("Faults ended it " + count_text(job.reruns, "time") + "; each time counts as a rerun.");
  if (job.keeper_deaths > 0)
    lines.push_back("It ended with its keeper " + count_text(job.keeper_deaths, "time") +
                    "; that doesn't count as a rerun.");
  if (job.interruptions > 0)
    lines.push_back(interrupters_text(job) + count_text(job.interruptions, "time") + causes_text(job) +
                    "; that doesn't count as a rerun.");
  if (job.false_starts > 0)
    lines.push_back("Its nodes were gone before it ran, " + count_text(job.false_starts, "time") +
                    "; that doesn't count as a rerun.");
  return lines;
}

std::vector<std::string> job_sentences(const ToldJob& job, const OutputPlaces& output, double now) {
  std::vector<std::string> lines;
  const auto add_earlier = [&] { std::ranges::copy(earlier_sentences(job, now), std::back_inserter(lines)); };
  if (!job.over()) {
    add_state(lines, job, now);
    add_isolation(lines, job);
    add_earlier();
    add_output(lines, job, output);
    return lines;
  }
  std::string text = ending_of(job);
  if (!job.exit_kind.empty() && !job.places.empty()) text += ", on " + where_text(job);
  if (job.wall_seconds > 0) text += ", after " + length_text(job.wall_seconds);
  lines.push_back(text + ".");
  add_components(lines, job);
  if (job.ended) lines.push_back("It was over " + since(job.ended, now) + " ago.");
  add_isolation(lines, job);
  add_earlier();
  if (!job.text.empty()) lines.push_back("Recorded reason: " + harmless(job.text) + ".");
  if (!job.exit_kind.empty()) add_output(lines, job, output);
  return lines;
}

bool pauses(const ToldJob& job, double now) {
  return job.state == "waiting" && job.again_at && *job.again_at > now;
}

std::vector<std::string> pause_sentences(const ToldJob& job, double now) {
  const std::string cause = times_interrupted(job) > 0 ? "It was interrupted, and pauses for " : "It pauses for ";
  std::string text =
      cause + length_text(*job.again_at - now) + " more before its job manager asks for nodes again";
  if (!job.text.empty()) text += ": " + harmless(job.text);
  return {text + "."};
}

std::vector<std::string> array_sentences(const ToldJob& array, double now) {
  std::vector<std::string> lines{"It is an array of " + count_text(array.size, "element") + "."};
  for (const ToldJob::Group& group : array.groups)
    lines.push_back("  " + grouped(group.count) + " " + group.state + ": " + harmless(group.indices));
  if (array.held_elements.count > 0)
    lines.push_back("Of those that wait, " + grouped(array.held_elements.count) +
                    " are held by their user: " + harmless(array.held_elements.indices) + ".");
  const bool has_more = std::ranges::any_of(array.groups, [](const auto& one) { return one.state != "finished"; });
  if (array.ended) lines.push_back("Its last element was over " + since(array.ended, now) + " ago.");
  if (has_more) lines.push_back("`dmm why` with an index behind its number, as in 17_3, tells about one element.");
  return lines;
}

bool is_unmade(const ToldJob& job) { return job.array != 0 && job.state == "waiting" && job.attempt == 0; }

std::vector<std::string> unmade_sentences(const ToldJob& element) {
  return {"Its turn comes when elements before it in array " + std::to_string(element.array) +
          " have nodes: few of them ask its site at a time, and none while conditions keep the array back."};
}

std::vector<std::string> kept_back_sentences(const ToldJob& job, double now) {
  std::vector<std::string> lines;
  if (job.held)
    lines.push_back("It is held by its user; `dmm release " + harmless(job.request) + "` lets it go on.");
  if (job.begin_at)
    lines.push_back("It begins no earlier than " + date_text(*job.begin_at) + ", in " +
                    length_text(std::max(0.0, *job.begin_at - now)) + ".");
  if (!job.dependencies.empty())
    lines.push_back("It waits for " + dependencies_text(job, job.dependencies.size()) + ".");
  lines.push_back(
      "Its site isn't asked for nodes before that; this wait doesn't count where requests rank by age.");
  return lines;
}

std::vector<std::string> unasked_sentences(const ToldJob& job, bool site_is_up, const std::string& site_fault,
                                           const std::string& fault, double now) {
  std::vector<std::string> lines;
  lines.push_back("It asks for " + count_text(job.processors, "processor") + ", and has waited " +
                  since(job.waits_since, now) + ".");
  lines.push_back(site_is_up
                      ? "Its job manager has asked its site for nodes; the site's reason isn't known here."
                      : "Its job manager doesn't reach its site manager: nothing is granted until it does. It "
                        "asks again by itself.");
  if (!site_is_up && !site_fault.empty())
    lines.push_back("The last error of the connection: " + harmless(site_fault) + ".");
  if (!fault.empty()) lines.push_back("The site: " + harmless(fault));
  return lines;
}

}  // namespace dmm
