#include "cli/terminal/report_lines.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/terminal/figures.hpp"

namespace dmm {
namespace {

nlohmann::ordered_json goodput_json(const Summary& f) {
  nlohmann::ordered_json goodput{{"total_processor_seconds", f.goodput_processor_seconds}};
  for (std::size_t i = 0; i < origin_count; ++i) {
    const std::string name(to_text(static_cast<Origin>(i)));
    goodput[name] = fraction(f.goodput_processor_seconds_by_origin[i], f.goodput_processor_seconds);
    goodput[name + "_processor_seconds"] = f.goodput_processor_seconds_by_origin[i];
  }
  return goodput;
}

nlohmann::ordered_json jobs_by_origin_json(const Summary& f) {
  nlohmann::ordered_json by_origin;
  for (std::size_t i = 0; i < origin_count; ++i)
    by_origin[std::string(to_text(static_cast<Origin>(i)))] = f.jobs_finished_by_origin[i];
  return by_origin;
}

}  // namespace

void ReportLines::say(const std::string& sentence) {
  for (std::string& line : folded(sentence, style_.columns, 0)) add(std::move(line));
}

void ReportLines::fact(const std::string& label, const std::string& value, const std::string& note) {
  const std::string line = "  " + pad_right(label, label_columns) + value;
  if (note.empty()) return add(line);
  if (style_.columns == 0 || columns_of(line) + 2 + columns_of(note) <= style_.columns)
    return add(line + "  " + style_.paint(Ink::dim, note));
  add(line);
  const std::string indent(label_columns + 2, ' ');
  for (const std::string& part : folded(note, style_.columns - std::min(style_.columns, indent.size()), 0))
    add(indent + style_.paint(Ink::dim, part));
}

std::string hours_text(double processor_seconds, double of) {
  return decimal(processor_seconds / 3600, of < 360'000 ? 1 : 0);
}

double fraction(double part, double whole) { return whole > 0 ? part / whole : 0; }

void add_job_counts(ReportLines& lines, const Summary& f, std::uint64_t expected) {
  lines.fact("jobs submitted", grouped(f.jobs_submitted),
             f.jobs_submitted < expected ? "of " + grouped(expected) : "");
  std::string others;
  const auto other = [&](std::uint64_t count, const char* word) {
    if (count > 0) others += (others.empty() ? "" : ", ") + grouped(count) + " " + word;
  };
  other(f.jobs_failed, "failed");
  other(f.jobs_lost, "lost");
  other(f.jobs_cancelled, "cancelled");
  other(f.jobs_unfinished, "unfinished");
  lines.fact("jobs finished", grouped(f.jobs_finished), others.empty() ? "none failed, none lost" : others);
}

void add_goodput(ReportLines& lines, const Summary& f, bool by_origin) {
  lines.fact("goodput", hours_text(f.goodput_processor_seconds, f.goodput_processor_seconds) + " processor-hours");
  for (std::size_t i = 0; i < origin_count && by_origin; ++i) {
    const double part = f.goodput_processor_seconds_by_origin[i];
    const double share = fraction(part, f.goodput_processor_seconds);
    std::string name = words_of(to_text(static_cast<Origin>(i)));
    std::replace(name.begin(), name.end(), ' ', '-');
    lines.add("    " + pad_right(name, ReportLines::label_columns - 2) + pad_left(percent(share), 7) + "  " +
              lines.style().paint(Ink::cyan, bar(share, 20, lines.style())) + " " +
              pad_left(hours_text(part, f.goodput_processor_seconds), 8) + "  " +
              lines.style().paint(Ink::dim, count_text(f.jobs_finished_by_origin[i], "job")));
  }
}

void add_figures(nlohmann::ordered_json& json, const Summary& f) {
  json.update({{"jobs_submitted", f.jobs_submitted},
               {"jobs_started", f.jobs_started},
               {"jobs_finished", f.jobs_finished},
               {"jobs_failed", f.jobs_failed},
               {"jobs_lost", f.jobs_lost},
               {"jobs_cancelled", f.jobs_cancelled},
               {"jobs_unfinished", f.jobs_unfinished},
               {"jobs_finished_percent", f.jobs_finished_percent},
               {"average_wait_seconds", f.average_wait_seconds},
               {"average_response_seconds", f.average_response_seconds},
               {"average_slowdown", f.average_slowdown},
               {"average_bounded_slowdown", f.average_bounded_slowdown},
               {"longest_wait_seconds", f.longest_wait_seconds},
               {"longest_response_seconds", f.longest_response_seconds},
               {"greatest_slowdown", f.greatest_slowdown},
               {"makespan_seconds", f.makespan_seconds},
               {"utilisation", f.utilisation},
               {"goodput", goodput_json(f)},
               {"jobs_finished_by_origin", jobs_by_origin_json(f)},
               {"delegations_per_job", f.delegations_per_job},
               {"delegations_tried_per_job", f.delegations_tried_per_job},
               {"longest_chain", f.longest_chain}});
}

}  // namespace dmm
