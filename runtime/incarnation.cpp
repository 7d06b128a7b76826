// Numbers and names of starts; see incarnation.hpp.
#include "runtime/incarnation.hpp"

#include <sys/random.h>

#include <algorithm>
#include <charconv>

#include "manager/assert.hpp"
#include "protocol/ids.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

std::uint64_t random_number() {
  std::uint64_t number = 0;
  DMM_ASSERT(::getrandom(&number, sizeof number, 0) == static_cast<ssize_t>(sizeof number));
  return number | 1;
}

}  // namespace

std::uint64_t incarnation_now() { return static_cast<std::uint64_t>(wall_microseconds() / 1'000); }

OrFault<std::uint64_t> next_incarnation(const std::string& file) {
  std::uint64_t last = 0;
  if (const auto kept = read_small_file(file, 64))
    std::from_chars(kept->data(), kept->data() + kept->size(), last);
  const std::uint64_t next = std::max(incarnation_now(), last + 1);
  if (std::string fault = replace_file(file, std::to_string(next) + '\n'); !fault.empty()) return fault;
  return next;
}

OrFault<std::uint64_t> instance_of(const std::string& directory) {
  if (directory.empty()) return random_number();
  const std::string file = directory + "/instance";
  std::uint64_t own = 0;
  if (const auto kept = read_small_file(file, 64)) std::from_chars(kept->data(), kept->data() + kept->size(), own);
  if (own == 0) {
    own = random_number();
    if (std::string fault = replace_file(file, std::to_string(own) + '\n'); !fault.empty()) return fault;
  }
  return stable_hash(boot_name(), own) | 1;
}

}  // namespace dmm
