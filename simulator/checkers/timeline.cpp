// Log events as lines; see timeline.hpp.
#include "simulator/checkers/timeline.hpp"

#include <cstdio>

#include "protocol/text.hpp"

namespace dmm {
namespace {

/// With at most three decimals, and no zeros at the end.
std::string in_short(double value) {
  char digits[64];
  const int length = std::snprintf(digits, sizeof digits, "%.3f", value);
  std::string text(digits, static_cast<std::size_t>(length));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string text_of(const LogField& field) {
  struct {
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return in_short(number); }
    std::string operator()(bool truth) const { return truth ? "yes" : "no"; }
  } visitor;
  return std::visit(visitor, field.value);
}

/// Fields that read well without brackets, since their keys are prepositions.
bool is_preposition(std::string_view key) { return key == "to" || key == "from" || key == "by"; }

}  // namespace

std::string short_name(const Party& party) {
  switch (party.role) {
    case Role::job_manager: return party.site.text + "/" + party.name;
    case Role::resource_manager: return party.site.text + ":" + party.name;
    default: return party.site.text;
  }
}

Party parse_short_name(const std::string& text) {
  const std::size_t at = text.find_first_of("/:");
  if (at == std::string::npos) return site_manager_of(SiteName(text));
  const SiteName site(text.substr(0, at));
  const std::string name = text.substr(at + 1);
  return text[at] == '/' ? job_manager_of(site, name) : resource_manager_of(site, name);
}

std::string stamp(Instant at) {
  char digits[64];
  const int length = std::snprintf(digits, sizeof digits, "[%8.3f]", static_cast<double>(at.microseconds) / 1e6);
  return std::string(digits, static_cast<std::size_t>(length));
}

std::string line_of(const Happening& happening) {
  const LogEvent& event = happening.event;
  std::string line = stamp(happening.at) + " " + short_name(happening.party) + " > " + std::string(event.name);
  if (!event.trace.empty()) line += " " + to_text(event.trace);
  std::string rest;
  for (const LogField& field : event.fields) {
    const std::string value = text_of(field);
    if (is_preposition(field.key)) {
      line += " " + std::string(field.key) + " " + value;
    } else if (!value.empty()) {
      rest += (rest.empty() ? "" : ", ") + std::string(field.key) + " " + value;
    }
  }
  return rest.empty() ? line : line + " (" + rest + ")";
}

}  // namespace dmm
