// Where a broken invariant ends: one line on standard error, and abort.
#include "manager/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace dmm {

void assertion_failed(std::string_view expression, std::string_view file, int line) {
  std::fprintf(stderr, "dmm: broken invariant: %.*s at %.*s:%d\n", static_cast<int>(expression.size()),
               expression.data(), static_cast<int>(file.size()), file.data(), line);
  std::abort();
}

}  // namespace dmm
