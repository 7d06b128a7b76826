#include "simulator/results/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

std::string pixels(double value) { return plain(value, 1); }

std::string attribute(std::string_view name, std::string_view value) {
  return std::string(" ").append(name).append("=\"").append(value).append("\"");
}

std::string attribute(std::string_view name, double value) { return attribute(name, pixels(value)); }

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string strokes(const SvgStroke& stroke) {
  std::string text = attribute("stroke", stroke.colour);
  if (stroke.width != 1) text += attribute("stroke-width", stroke.width);
  if (!stroke.dashes.empty()) text += attribute("stroke-dasharray", stroke.dashes);
  return text;
}

std::string path_of(std::span<const SvgPoint> points) {
  std::string path;
  for (const SvgPoint& point : points) path += (path.empty() ? "" : " ") + pixels(point.x) + "," + pixels(point.y);
  return path;
}

}  // namespace

void Svg::text(SvgPoint at, std::string_view text, const SvgText& look) {
  static constexpr std::array<std::string_view, 3> anchors{"", "middle", "end"};
  body_ += "<text" + attribute("x", at.x) + attribute("y", at.y);
  if (look.anchor != SvgAnchor::start)
    body_ += attribute("text-anchor", anchors.at(static_cast<std::size_t>(look.anchor)));
  if (look.size != 12) body_ += attribute("font-size", look.size);
  if (look.colour != "#222222") body_ += attribute("fill", look.colour);
  if (look.bold) body_ += attribute("font-weight", "bold");
  if (look.upwards) body_ += attribute("transform", "rotate(-90 " + pixels(at.x) + " " + pixels(at.y) + ")");
  body_ += ">" + escaped(text) + "</text>\n";
}

void Svg::line(SvgPoint from, SvgPoint to, const SvgStroke& stroke) {
  body_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
           attribute("y2", to.y) + strokes(stroke) + "/>\n";
}

void Svg::polyline(std::span<const SvgPoint> points, const SvgStroke& stroke) {
  body_ += "<polyline fill=\"none\" stroke-linejoin=\"round\"" + attribute("points", path_of(points)) +
           strokes(stroke) + "/>\n";
}

void Svg::box(SvgPoint corner, double width, double height, std::string_view colour, std::string_view tip) {
  body_ += "<rect" + attribute("x", corner.x) + attribute("y", corner.y) + attribute("width", width) +
           attribute("height", height) + attribute("fill", colour);
  body_ += tip.empty() ? "/>\n" : "><title>" + escaped(tip) + "</title></rect>\n";
}

void Svg::frame(SvgPoint corner, double width, double height, const SvgStroke& stroke) {
  body_ += "<rect fill=\"none\"" + attribute("x", corner.x) + attribute("y", corner.y) +
           attribute("width", width) + attribute("height", height) + strokes(stroke) + "/>\n";
}

void Svg::disc(SvgPoint centre, double radius, std::string_view colour) {
  body_ += "<circle" + attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius) +
           attribute("fill", colour) + "/>\n";
}

void Svg::sign(SvgPoint at, std::size_t number, std::string_view colour) {
  const auto polygon = [&](std::span<const SvgPoint> points) {
    body_ += "<polygon" + attribute("points", path_of(points)) + attribute("fill", colour) + "/>\n";
  };
  const auto [x, y] = at;
  switch (number % 6) {
    case 0:
    case 5:
      body_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", 3.5) +
               (number % 6 == 0 ? attribute("fill", colour)
                                : attribute("fill", "#ffffff") + strokes({.colour = colour, .width = 1.8})) +
               "/>\n";
      return;
    case 1: return box({x - 3.2, y - 3.2}, 6.4, 6.4, colour);
    case 2: return polygon(std::array<SvgPoint, 3>{{{x, y - 4.2}, {x + 4, y + 3}, {x - 4, y + 3}}});
    case 3: return polygon(std::array<SvgPoint, 4>{{{x, y - 4.6}, {x + 4.6, y}, {x, y + 4.6}, {x - 4.6, y}}});
    default:
      line({x - 3.4, y - 3.4}, {x + 3.4, y + 3.4}, {.colour = colour, .width = 2});
      line({x - 3.4, y + 3.4}, {x + 3.4, y - 3.4}, {.colour = colour, .width = 2});
  }
}

std::string Svg::document(std::string_view title) const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width_) + attribute("height", height_) +
         attribute("viewBox", "0 0 " + pixels(width_) + " " + pixels(height_)) +
         " font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\" font-size=\"12\" fill=\"#222222\">\n<title>" +
         escaped(title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body_ +
         "</svg>\n";
}

double svg_width_of(std::string_view text, double size) {
  const auto letters = std::count_if(text.begin(), text.end(),
                                     [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<double>(letters) * size * 0.62;
}

std::string_view svg_colour(std::size_t number) {
  static constexpr std::array<std::string_view, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                           "#e69f00", "#56b4e9", "#000000", "#8a7a00"};
  return colours[number % colours.size()];
}

std::string_view svg_colour_on(std::size_t number) {
  const std::size_t place = number % 8;
  return place == 3 || place == 4 || place == 5 ? "#222222" : "#ffffff";
}

std::string svg_shade(double fraction) {
  struct Colour {
    double red, green, blue;
  };
  static constexpr std::array<Colour, 4> stops{{{247, 250, 253}, {158, 202, 225}, {49, 130, 189}, {8, 38, 84}}};
  const double at = std::clamp(fraction, 0.0, 1.0) * (stops.size() - 1);
  const auto low = std::min<std::size_t>(static_cast<std::size_t>(at), stops.size() - 2);
  const double part = at - static_cast<double>(low);
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (double Colour::*component : {&Colour::red, &Colour::green, &Colour::blue}) {
    const double mixed = stops[low].*component * (1 - part) + stops[low + 1].*component * part;
    const auto value = static_cast<std::size_t>(std::lround(mixed));
    text += digits[value / 16];
    text += digits[value % 16];
  }
  return text;
}

}  // namespace dmm
