#include "cli/simulate/simulate_faults.hpp"
#include "cli/terminal/json_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>

#include "cli/terminal/display.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/interrupts.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/clock.hpp"
#include "simulator/faults/fault_run.hpp"

namespace dmm {
namespace {

/// The command that repeats one seed.
std::string command_for(const FaultsChoice& choice, std::uint64_t seed) {
  std::string command = "dmm simulate --faults --seed " + std::to_string(seed);
  if (choice.sites > 0) command += " --sites " + std::to_string(choice.sites);
  if (choice.nodes > 0) command += " --nodes " + std::to_string(choice.nodes);
  if (choice.co_allocated) command += " --co-allocated";
  if (choice.alike) command += " --alike";
  if (choice.keyed) command += " --keyed";
  if (choice.files) command += " --files";
  if (choice.minutes > 0) {
    std::string minutes = decimal(choice.minutes, 3);
    std::erase(minutes, ',');
    command += " --minutes " + minutes;
  }
  return command;
}

/// The text that a failed assertion prints when the program ends.
std::array<char, 200>& last_words() {
  static std::array<char, 200> words{};
  return words;
}

void say_last_words(int) {
  const std::array<char, 200>& words = last_words();
  const auto end = std::find(words.begin(), words.end(), '\0');
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, words.data(), static_cast<std::size_t>(end - words.begin()));
}

void set_last_words(const std::string& command) {
  const std::string text = "repeat it with: " + command + "\n";
  last_words().fill('\0');
  std::copy_n(text.begin(), std::min(text.size(), last_words().size() - 1), last_words().begin());
}

/// The result of one seed.
struct Outcome {
  std::uint64_t seed = 0;
  std::string trouble, fault;
  std::vector<std::string> story;
  std::size_t sites = 0, acts = 0, jobs = 0;
  std::uint64_t nodes = 0, checks = 0, events = 0, messages = 0, keep_alives = 0, trace_hash = 0;
  double simulated_seconds = 0, elapsed_seconds = 0;
};

/// Sums over seeds; other members are those of the last seed.
struct Totals {
  std::uint64_t seeds = 0, broken = 0, jobs = 0, checks = 0, events = 0, messages = 0, keep_alives = 0;
  double simulated_seconds = 0, elapsed_seconds = 0;
  Sometimes sometimes;

  void add(const Outcome& one) {
    ++seeds;
    broken += !one.fault.empty();
    jobs += one.jobs;
    checks += one.checks;
    events += one.events;
    messages += one.messages;
    keep_alives += one.keep_alives;
    simulated_seconds += one.simulated_seconds;
    elapsed_seconds += one.elapsed_seconds;
  }
};

std::string hex(std::uint64_t number) {
  char digits[20];
  const int length = std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return {digits, static_cast<std::size_t>(length)};
}

std::string speed_text(std::uint64_t events, double simulated, double elapsed) {
  if (elapsed <= 0) return {};
  return grouped(static_cast<std::uint64_t>(static_cast<double>(events) / elapsed)) + " events a second, " +
         grouped(static_cast<std::uint64_t>(simulated / elapsed)) + " times real time";
}

class Faults {
 public:
  explicit Faults(const FaultsChoice& choice) : choice_(choice) {}

  int go() {
    if (!choice_.trace.empty()) {
      trace_.open(choice_.trace);
      if (!trace_) return fail("simulate", {choice_.trace + " can't be written", 2});
    }
    std::signal(SIGABRT, say_last_words);
    for (std::uint64_t i = 0; i < choice_.seeds && !interrupts_.any(); ++i) {
      show_progress(choice_.seed + i);
      const Outcome one = play(choice_.seed + i);
      if (interrupts_.any()) break;
      totals_.add(one);
      if (choice_.seeds == 1 || !one.fault.empty()) tell(one);
      if (choice_.json) outcomes_.push_back(to_json(one));
    }
    display_.close();
    if (choice_.json)
      print_json(summary_json());
    else if (choice_.seeds > 1)
      print_lines(summary());
    if (interrupts_.any()) return interrupts_.exit_code();
    return totals_.broken > 0 ? 1 : 0;
  }

 private:
  Outcome play(std::uint64_t seed) {
    set_last_words(command_for(choice_, seed));
    RandomOptions options;
    options.co_allocated = choice_.co_allocated;
    options.alike = choice_.alike;
    options.keyed = choice_.keyed;
    options.files = choice_.files;
    if (choice_.co_allocated) options.sites_max = co_allocated_sites_max;
    options.trouble = trouble_of(seed);
    options.sites = choice_.sites;
    options.nodes = choice_.nodes;
    if (choice_.minutes > 0) options.length = from_seconds(60 * choice_.minutes);
    const Instant begin = monotonic_now();
    FaultRun run(seed, options, trace_.is_open() ? Level::debug : Level::info);
    if (trace_.is_open()) run.set_trace([this](const std::string& line) { trace_ << line << '\n'; });
    run.set_stop([this] { return interrupts_.any(); });
    Outcome one;
    one.seed = seed;
    one.fault = run.play();
    if (one.fault.empty()) one.fault = run.check_served();
    one.elapsed_seconds = (monotonic_now() - begin).in_seconds();
    if (!one.fault.empty()) one.story = run.story(one.fault);
    one.trouble = to_text(options.trouble);
    one.sites = run.drawn().topology.sites.size();
    one.acts = run.drawn().acts.size();
    one.nodes = run.world().nodes();
    one.jobs = run.world().submissions().size();
    one.checks = run.checkers().checks();
    one.events = run.world().events();
    const auto messages = run.world().messages_by_kind();
    for (const std::uint64_t count : messages) one.messages += count;
    one.keep_alives = messages[static_cast<std::size_t>(MessageKind::keep_alive)];
    one.trace_hash = run.world().trace_hash();
    one.simulated_seconds = (run.world().now() - Instant{}).in_seconds();
    totals_.sometimes.add(run.sometimes());
    return one;
  }

  void show_progress(std::uint64_t seed) {
    const Instant now = monotonic_now();
    if (choice_.seeds == 1 || !display_.due(now)) return;
    const std::string line = "seed " + std::to_string(seed) + "   " + grouped(totals_.seeds) + " of " +
                             count_text(choice_.seeds, "seed") + " done   " + grouped(totals_.broken) +
                             " broken   " +
                             speed_text(totals_.events, totals_.simulated_seconds, totals_.elapsed_seconds);
    display_.show(
        [&](std::size_t columns, const Style&) { return std::vector<std::string>{cut(" " + line, columns)}; },
        [&] { return line; }, now);
  }

  void tell(const Outcome& one) {
    if (choice_.json) return;
    display_.close();
    std::vector<std::string> lines;
    lines.push_back("seed " + std::to_string(one.seed) + ": " + count_text(one.sites, "site") + ", " +
                    count_text(one.nodes, "node") + ", " + count_text(one.jobs, "job") + ", " +
                    count_text(one.acts, "act") + ", " + one.trouble);
    if (one.fault.empty()) {
      lines.push_back("nothing is broken: " + count_text(one.checks, "check") +
                      ", every job ended, every node is home");
    } else {
      lines.push_back("BROKEN after " + decimal(one.simulated_seconds, 3) + " s: " + one.fault);
      for (const std::string& line : one.story) lines.push_back("  " + line);
      lines.push_back("repeat it with: " + command_for(choice_, one.seed) + " --trace FILE");
    }
    lines.push_back(length_text(one.simulated_seconds) + " in " + length_text(one.elapsed_seconds) + ": " +
                    speed_text(one.events, one.simulated_seconds, one.elapsed_seconds));
    lines.push_back(count_text(one.messages, "message") + ", of them " +
                    count_text(one.keep_alives, "keep-alive") + "; trace " + hex(one.trace_hash));
    print_lines(lines);
  }

  std::vector<std::string> summary() const {
    std::vector<std::string> lines;
    lines.push_back(count_text(totals_.seeds, "seed") + " from " + std::to_string(choice_.seed) + ": " +
                    grouped(totals_.broken) + " broken; " + count_text(totals_.jobs, "job") + ", " +
                    count_text(totals_.checks, "check"));
    lines.push_back(length_text(totals_.simulated_seconds) + " in " + length_text(totals_.elapsed_seconds) + ": " +
                    speed_text(totals_.events, totals_.simulated_seconds, totals_.elapsed_seconds) + "; " +
                    count_text(totals_.messages, "message") + ", of them " +
                    count_text(totals_.keep_alives, "keep-alive"));
    lines.push_back("How often each of these happened:");
    for (std::size_t i = 0; i < rare_states; ++i)
      lines.push_back(pad_left(grouped(totals_.sometimes.count(static_cast<Rare>(i))), 9) + "  " +
                      std::string(to_text(static_cast<Rare>(i))));
    return lines;
  }

  Json to_json(const Outcome& one) const {
    Json json{{"seed", one.seed},
              {"trouble", one.trouble},
              {"sites", one.sites},
              {"nodes", one.nodes},
              {"jobs", one.jobs},
              {"acts", one.acts},
              {"checks", one.checks},
              {"events", one.events},
              {"messages", one.messages},
              {"keep_alives", one.keep_alives},
              {"simulated_seconds", one.simulated_seconds},
              {"elapsed_seconds", one.elapsed_seconds},
              {"trace_hash", hex(one.trace_hash)}};
    json["broken"] = one.fault.empty() ? Json() : Json(one.fault);
    if (one.fault.empty()) return json;
    json["story"] = one.story;
    json["repeat"] = command_for(choice_, one.seed);
    return json;
  }

  Json summary_json() const {
    Json sometimes = Json::object();
    for (std::size_t i = 0; i < rare_states; ++i)
      sometimes[std::string(to_text(static_cast<Rare>(i)))] = totals_.sometimes.count(static_cast<Rare>(i));
    return Json{
        {"seeds", totals_.seeds}, {"broken", totals_.broken}, {"runs", outcomes_}, {"sometimes", sometimes}};
  }

  const FaultsChoice& choice_;
  Interrupts interrupts_;
  Display display_{STDERR_FILENO};
  std::ofstream trace_;
  Totals totals_;
  Json outcomes_ = Json::array();
};

}  // namespace

int simulate_faults(const FaultsChoice& choice) { return Faults(choice).go(); }

}  // namespace dmm
