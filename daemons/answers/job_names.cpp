#include "daemons/answers/job_names.hpp"

#include <string_view>

#include "protocol/numbers.hpp"

namespace dmm::views {

using Json = nlohmann::ordered_json;

OrFault<std::uint64_t, std::string> job_of(const JobManager& jobs, const Json& value) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > 0) return value.get<std::uint64_t>();
  const std::string text = value.is_string() ? value.get<std::string>() : std::string();
  const std::size_t underscore = text.find('_');
  std::uint64_t array = 0;
  std::uint32_t index = 0;
  const bool is_name = underscore != std::string::npos &&
                       parse_number(std::string_view(text).substr(0, underscore), array) &&
                       parse_number(std::string_view(text).substr(underscore + 1), index);
  if (!is_name) return std::string("a job is a number from 1, or as \"17_3\" an element of an array");
  if (const auto number = jobs.element(array, index)) return *number;
  return "there is no element " + text;
}

OrFault<std::uint64_t, std::string> job_in(const JobManager& jobs, const Json& argument, const std::string& verb) {
  const auto value = argument.find("job");
  if (value == argument.end()) return verb + R"(: the argument is {"job": number})";
  auto job = job_of(jobs, *value);
  if (auto* fault = std::get_if<std::string>(&job); fault && !value->is_string()) return verb + ": " + *fault;
  return job;
}

}  // namespace dmm::views
