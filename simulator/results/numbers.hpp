// Numbers as text that is the same on every machine: no locale, no rounding by the C library's printf.
#pragma once

#include <cstdint>
#include <string>

namespace dmm {

/// With exactly this many digits after the point: "12.50".
std::string fixed(double value, int digits);
/// With at most this many digits after the point, and no zeros at the end: "12.5", "12".
std::string plain(double value, int digits_max);

/// "12,345".
std::string with_commas(std::uint64_t number);

/// The logarithm to base 10 of a positive number, the same on every machine and exact enough for drawing.
double decimal_logarithm(double value);
/// As exact as a double can be.
double power_of_ten(int exponent);

}  // namespace dmm
