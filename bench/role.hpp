// What the programs that play a role in a measurement share: arguments of the form key=value, a clock, percentiles, and
// one line of JSON as the result. report.py starts the roles and compares the results.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dmm::bench {

/// Ends the program: a failed measurement has no result.
[[noreturn]] inline void fail(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

/// Reads `ROLE key=value...` from a command line.
class Arguments {
 public:
  Arguments(int argc, char** argv) : role_(argc > 1 ? argv[1] : "") {
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i];
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) fail(word + ": not of the form key=value");
      values_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }

  const std::string& role() const { return role_; }
  const std::string& text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) fail(role_ + " needs " + key + "=...");
    return found->second;
  }
  double number(const std::string& key) const { return std::stod(text(key)); }
  double number(const std::string& key, double otherwise) const {
    return values_.contains(key) ? number(key) : otherwise;
  }
  int count(const std::string& key) const { return static_cast<int>(number(key)); }
  int count(const std::string& key, int otherwise) const { return values_.contains(key) ? count(key) : otherwise; }

 private:
  std::string role_;
  std::map<std::string, std::string> values_;
};

/// A role that a program can play in a measurement, by its name. Not to be confused with the Role of a manager.
struct NamedRole {
  const char* name;
  std::function<void()> play;
};

/// Plays the role that the arguments name, of those that the program has. Returns its exit status.
inline int play(const Arguments& arguments, const std::string& program, const std::vector<NamedRole>& roles) {
  std::string names;
  for (const NamedRole& role : roles) {
    if (arguments.role() == role.name) return role.play(), 0;
    names += (names.empty() ? "" : "|") + std::string(role.name);
  }
  fail("usage: " + program + ' ' + names + " key=value...");
}

/// Seconds on the monotonic clock.
inline double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The value that this part of the values lies below; sorts the values.
inline double percentile(std::vector<double>& values, double part) {
  if (values.empty()) fail("nothing was measured");
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// Prints numbers as one line of JSON.
inline void print_result(const std::vector<std::pair<std::string, double>>& numbers) {
  std::string line;
  for (const auto& [name, value] : numbers) {
    char text[64];
    std::snprintf(text, sizeof text, "%.6g", value);
    line += (line.empty() ? "{\"" : ", \"") + name + "\": " + text;
  }
  std::printf("%s}\n", line.c_str());
  std::fflush(stdout);
}

/// The result of a lock-step measurement, from round trips in seconds.
inline void print_round_trips(std::vector<double> trips, double bytes_out, double bytes_back) {
  const double p50 = percentile(trips, 0.5), p99 = percentile(trips, 0.99);
  print_result({{"round_trips", static_cast<double>(trips.size())},
                {"p50_us", p50 * 1e6},
                {"p99_us", p99 * 1e6},
                {"bytes_out", bytes_out},
                {"bytes_back", bytes_back}});
}

}  // namespace dmm::bench
