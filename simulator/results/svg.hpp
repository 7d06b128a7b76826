// Drawings as SVG text: a few shapes, one font, rounded coordinates. Nothing in a drawing depends on the machine
// or the day, so equal figures give equal bytes. Lengths are in pixels, the origin is at the top left.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dmm {

struct SvgPoint {
  double x = 0;
  double y = 0;
};

/// Colour of axes and notes.
constexpr std::string_view svg_quiet_colour = "#555555";

enum class SvgAnchor : std::uint8_t { start, middle, end };

struct SvgText {
  SvgAnchor anchor = SvgAnchor::start;
  double size = 12;
  std::string_view colour = "#222222";
  bool bold = false;
  bool upwards = false;  ///< turned by 90 degrees, to be read from below
};

struct SvgStroke {
  std::string_view colour = "#222222";
  double width = 1;
  std::string_view dashes = {};  ///< lengths, as in "6 3"; empty: a whole line
};

class Svg {
 public:
  Svg(double width, double height) : width_(width), height_(height) {}

  void text(SvgPoint at, std::string_view text, const SvgText& look = {});
  void line(SvgPoint from, SvgPoint to, const SvgStroke& stroke);
  void polyline(std::span<const SvgPoint> points, const SvgStroke& stroke);
  /// A filled box. `tip` is a text that shows while the pointer is over it.
  void box(SvgPoint corner, double width, double height, std::string_view colour, std::string_view tip = {});
  void frame(SvgPoint corner, double width, double height, const SvgStroke& stroke);
  void disc(SvgPoint centre, double radius, std::string_view colour);
  /// Sign number 0 to 5: disc, square, triangle, diamond, cross, ring.
  void sign(SvgPoint at, std::size_t number, std::string_view colour);

  /// The whole document.
  std::string document(std::string_view title) const;

 private:
  double width_;
  double height_;
  std::string body_;
};

/// Approximate width of a text of this size.
double svg_width_of(std::string_view text, double size = 12);

/// Colours that people with any colour vision can tell apart (Okabe and Ito 2008). The first colours differ most;
/// from the eighth on they repeat.
std::string_view svg_colour(std::size_t number);
/// A text colour that can be read on that colour: white, or nearly black.
std::string_view svg_colour_on(std::size_t number);
/// From light (0) to dark (1), in one hue: "#rrggbb".
std::string svg_shade(double fraction);

}  // namespace dmm
