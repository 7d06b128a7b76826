// The always-on assertion: a broken invariant of our own stops the program at once, also in a release build.
#pragma once

#include <string_view>

namespace dmm {

/// Prints what failed and where to standard error, and aborts.
[[noreturn, gnu::cold]] void assertion_failed(std::string_view expression, std::string_view file, int line);

}  // namespace dmm

#define DMM_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::dmm::assertion_failed(#condition, __FILE__, __LINE__))
