#include "resmgr/backends/process/script_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "protocol/programs.hpp"
#include "resmgr/keeper/address.hpp"

namespace dmm::keeper {
namespace {

constexpr std::size_t script_name_bytes_max = 100;

bool is_harmless(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
}

}  // namespace

std::string script_name_of(const std::string& name) {
  static constexpr std::array<std::string_view, 4> taken{"output", "error", "input", work_name};
  const bool may_be = !name.empty() && name.size() <= script_name_bytes_max && name[0] != '.' && name[0] != '-' &&
                      std::ranges::all_of(name, is_harmless) && std::ranges::find(taken, name) == taken.end();
  return may_be ? name : "script";
}

void carry_script(const Program& program, const std::string& directory, StartJob& job) {
  const auto read = head_of_script(program.script);
  const auto* head = std::get_if<ScriptHead>(&read);
  if (head == nullptr) return;  // an earlier check refused it
  const std::string& name = program.arguments.front();
  job.script = program.script;
  job.script_name = script_name_of(name.substr(name.rfind('/') + 1));
  job.paths = {head->interpreter};
  job.arguments = {head->interpreter};
  if (!head->argument.empty()) job.arguments.push_back(head->argument);
  job.arguments.push_back(directory + '/' + job.script_name);
  job.arguments.insert(job.arguments.end(), program.arguments.begin() + 1, program.arguments.end());
}

}  // namespace dmm::keeper
