// Numerical integration of a smooth function by Simpson's rule, with the same result on every machine.
#pragma once

#include <cstdint>

namespace dmm {

/// The integral of f from `from` to `to`, over this many parabolas.
template <class Function>
double integral(const Function& f, double from, double to, std::uint32_t parabolas) {
  const double step = (to - from) / (2.0 * parabolas);
  double inner = 0;
  for (std::uint32_t i = 1; i < 2 * parabolas; ++i) inner += f(from + step * i) * (i % 2 == 1 ? 4 : 2);
  return (f(from) + inner + f(to)) * step / 3;
}

}  // namespace dmm
