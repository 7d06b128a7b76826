#include "simulator/results/numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "workloads/portable_math.hpp"

namespace dmm {

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return "nan";
  std::array<char, 400> buffer{};  // the largest double has 309 digits before the point
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  std::string text(buffer.data(), error == std::errc{} ? end : buffer.data());
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);  // no "-0.0"
  return text;
}

std::string plain(double value, int digits_max) {
  std::string text = fixed(value, digits_max);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

double decimal_logarithm(double value) {
  constexpr double of_two = 0.30102999566398119521;
  return portable::log2(value) * of_two;
}

double power_of_ten(int exponent) {
  double power = 1;
  for (int i = 0; i < std::abs(exponent); ++i) power *= 10;
  return exponent < 0 ? 1 / power : power;
}

}  // namespace dmm
