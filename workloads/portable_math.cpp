// Range reduction to a small interval around 0 or 1, and there the plain Taylor series. It needs more terms than a
// fitted polynomial, but each coefficient is a fraction that a reader can check.
#include "workloads/portable_math.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace dmm::portable {
namespace {

// ln 2 in two parts. The first has 32 bits, so that its product with any exponent is exact.
constexpr double ln2_high = 0x1.62e42feep-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double ln2 = 0x1.62e42fefa39efp-1;
constexpr double root_of_2 = 0x1.6a09e667f3bcdp+0;

constexpr std::uint64_t mantissa_mask = (std::uint64_t{1} << 52) - 1;

/// 2 raised to n, for n from -1022 to 1023.
double power_of_two(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

/// e raised to r for |r| <= 0.35: the series up to r^13 / 13!; the first term left out is below 2^-57.
double exp_near_zero(double r) {
  double sum = 1;
  for (int n = 13; n >= 1; --n) sum = 1 + sum * r / n;
  return sum;
}

/// A positive number as mantissa x 2^exponent, the mantissa between sqrt(1/2) and sqrt(2).
struct Parts {
  double mantissa = 1;
  int exponent = 0;
};

Parts parts_of(double x) {
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;  // subnormal: exact
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & mantissa_mask) | (std::uint64_t{1023} << 52));
  if (mantissa > root_of_2) {
    mantissa *= 0.5;
    ++exponent;
  }
  return {mantissa, exponent};
}

/// 2/3, 2/5, 2/7 ...: with s = (m - 1) / (m + 1), ln m = 2 s + s (2/3 s^2 + 2/5 s^4 + ...).
constexpr auto log_coefficients = [] {
  std::array<double, 10> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2.0 / static_cast<double>(2 * i + 3);
  return values;
}();

/// ln m for a mantissa of Parts: s^2 <= 0.0295, so the first term left out is below 2^-60 of the result.
double log_near_one(double m) {
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (std::size_t i = log_coefficients.size(); i-- > 0;) sum = (sum + log_coefficients[i]) * square;
  return 2 * s + s * sum;
}

}  // namespace

double exp(double x) {
  if (!(x < 709)) return x != x ? x : std::numeric_limits<double>::infinity();
  if (x <= -708) return 0;
  const double n = std::floor(x / ln2 + 0.5);
  const double r = (x - n * ln2_high) - n * ln2_low;
  return exp_near_zero(r) * power_of_two(static_cast<int>(n));
}

double exp2(double x) {
  if (!(x < 1022)) return x != x ? x : std::numeric_limits<double>::infinity();
  if (x <= -1021) return 0;
  const double n = std::floor(x + 0.5);
  return exp_near_zero((x - n) * ln2) * power_of_two(static_cast<int>(n));
}

double log(double x) {
  if (!(x > 0)) return x != x ? x : -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return x;
  const Parts parts = parts_of(x);
  return parts.exponent * ln2_high + (log_near_one(parts.mantissa) + parts.exponent * ln2_low);
}

double log2(double x) {
  if (!(x > 0)) return x != x ? x : -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return x;
  const Parts parts = parts_of(x);
  return parts.exponent + log_near_one(parts.mantissa) / ln2;
}

}  // namespace dmm::portable
