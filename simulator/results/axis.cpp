#include "simulator/results/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

bool is_logarithmic(AxisKind kind) { return kind == AxisKind::logarithmic || kind == AxisKind::time_logarithmic; }

/// 1, 2 or 5 times a power of ten, not below the value.
double round_step(double value) {
  const double power = power_of_ten(static_cast<int>(std::floor(decimal_logarithm(value))));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= value * 0.999) return factor * power;
  return 10 * power;
}

double time_step(double value) {
  static constexpr std::array<double, 18> steps{1,     5,      15,     60,      300,     900,
                                                1800,  3600,   7200,   14400,   21600,   43200,
                                                86400, 172800, 604800, 1209600, 2592000, 7776000};
  for (const double step : steps)
    if (step >= value) return step;
  return round_step(value / 86400) * 86400;
}

std::string power_mark(double value) {
  if (value >= 1e6) return plain(value / 1e6, 3) + "M";
  if (value >= 1e4) return plain(value / 1e3, 3) + "k";
  return plain(value, 6);
}

std::string linear_mark(double value, double step) {
  if (std::fabs(value) >= 1e6) return plain(value / 1e6, 2) + "M";
  if (step >= 1000 && std::fabs(value) >= 1e4) return plain(value / 1e3, 1) + "k";
  return plain(value, step >= 1 ? 1 : std::min(9, 1 + static_cast<int>(std::ceil(-decimal_logarithm(step)))));
}

void mark_linearly(Axis& axis, int marks_wanted) {
  const double span = axis.high - axis.low;
  const double rough = span / std::max(1, marks_wanted);
  const double step = axis.kind == AxisKind::time ? time_step(rough) : round_step(rough);
  if (axis.kind == AxisKind::linear) {
    axis.low = std::floor(axis.low / step + 1e-9) * step;
    axis.high = std::ceil(axis.high / step - 1e-9) * step;
  }
  const auto first = static_cast<int>(std::ceil(axis.low / step - 1e-9));
  for (int i = first; i * step <= axis.high + step * 1e-9; ++i)
    axis.marks.push_back(
        {i * step, axis.kind == AxisKind::time ? time_mark(i * step) : linear_mark(i * step, step)});
}

void mark_powers(Axis& axis) {
  const double first = std::floor(decimal_logarithm(axis.low) + 1e-9);
  const double last = std::max(first + 1, std::ceil(decimal_logarithm(std::max(axis.high, axis.low)) - 1e-9));
  axis.low = power_of_ten(static_cast<int>(first));
  axis.high = power_of_ten(static_cast<int>(last));
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i)
    axis.marks.push_back({power_of_ten(i), power_mark(power_of_ten(i))});
}

void mark_times(Axis& axis) {
  static constexpr std::array<double, 12> times{1,     10,     60,      600,     3600,     21600,
                                                86400, 604800, 2592000, 8640000, 31536000, 315360000};
  const auto above = std::find_if(times.begin(), times.end(), [&](double time) { return time >= axis.high; });
  axis.high = above == times.end() ? axis.high : std::max(*above, 60.0);
  for (const double time : times)
    if (time >= axis.low && time <= axis.high) axis.marks.push_back({time, time_mark(time)});
}

}  // namespace

double Axis::fraction(double value) const {
  const double place = is_logarithmic(kind) ? (decimal_logarithm(std::max(value, low)) - decimal_logarithm(low)) /
                                                  (decimal_logarithm(high) - decimal_logarithm(low))
                                            : (value - low) / (high - low);
  return std::clamp(place, 0.0, 1.0);
}

Axis make_axis(AxisKind kind, double low, double high, int marks_wanted) {
  Axis axis{.kind = kind, .low = low, .high = high};
  if (is_logarithmic(kind)) {
    if (axis.low <= 0)
      axis.low = kind == AxisKind::logarithmic ? std::min(1.0, axis.high > 0 ? axis.high : 1.0) : 1;
    if (kind == AxisKind::logarithmic)
      mark_powers(axis);
    else
      mark_times(axis);
    return axis;
  }
  if (kind == AxisKind::linear && axis.low > 0 && axis.low < 0.6 * axis.high) axis.low = 0;
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  mark_linearly(axis, marks_wanted);
  return axis;
}

std::string time_mark(double seconds) {
  const double whole = std::round(seconds);
  if (whole == 0) return "0";
  const auto part = [&](double unit, double next, const char* word) {
    const double count = next > 0 ? std::floor(std::fmod(whole, next) / unit) : std::floor(whole / unit);
    return count > 0 ? plain(count, 0) + " " + word : std::string();
  };
  std::string text;
  for (const std::string& piece :
       {part(86400, 0, "d"), part(3600, 86400, "h"), part(60, 3600, "min"), part(1, 60, "s")})
    if (!piece.empty()) text += (text.empty() ? "" : " ") + piece;
  return text;
}

}  // namespace dmm
