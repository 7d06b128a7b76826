// The messages and exit codes that all commands share.
#include "cli/terminal/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/terminal/figures.hpp"

namespace dmm {

int fail(const std::string& command, const CommandFault& fault) {
  std::fflush(stdout);
  const std::size_t columns = style_of(STDERR_FILENO).columns;
  for (const std::string& line : folded("dmm " + command + ": " + fault.text, columns))
    std::fprintf(stderr, "%s\n", line.c_str());
  return fault.exit_code;
}

int finish_output(int exit_code) {
  errno = 0;
  std::cout.flush();
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (is_written) return exit_code;
  const std::string why = errno == 0 ? std::string() : std::string(": ") + std::strerror(errno);
  std::fprintf(stderr, "dmm: cannot write standard output%s\n", why.c_str());
  return exit_code == 0 ? 1 : exit_code;
}

void print_json(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::printf("%s\n", text.c_str());
}

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
}

}  // namespace dmm
