// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/svg.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "service/report/page/local_text.hpp"

namespace valle::service::report {
namespace {

std::string coordinate(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1).ptr;
  return {text.data(), end};
}

}  // namespace

std::string_view colour(std::size_t series) {
  // The palette of Okabe and Ito without its yellow, which no white paper shows.
  static constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                           "#56b4e9", "#e69f00", "#4d4d4d"};
  return colours[series % colours.size()];
}

Svg::Svg(double width, double height, std::string_view title) {
  out_ = "<svg viewBox=\"0 0 " + coordinate(width) + " " + coordinate(height) + "\" role=\"img\" aria-label=\"" +
         escaped(title) + "\">\n";
}

void Svg::attribute(std::string_view name, double value) {
  out_ += ' ';
  out_ += name;
  out_ += "=\"" + coordinate(value) + '"';
}

void Svg::rectangle(Point corner, double width, double height, std::string_view fill, std::string_view hint) {
  element("<rect");
  attribute("x", corner.x);
  attribute("y", corner.y);
  attribute("width", width);
  attribute("height", height);
  out_ += " fill=\"" + std::string{fill} + '"';
  out_ += hint.empty() ? std::string{"/>\n"} : "><title>" + escaped(hint) + "</title></rect>\n";
}

void Svg::line(Point from, Point to, std::string_view css_class) {
  element("<line");
  attribute("x1", from.x);
  attribute("y1", from.y);
  attribute("x2", to.x);
  attribute("y2", to.y);
  out_ += " class=\"" + std::string{css_class} + "\"/>\n";
}

void Svg::path(const std::vector<Point>& points, std::string_view stroke) {
  out_ += "<path class=\"curve\" stroke=\"" + std::string{stroke} + "\" d=\"";
  bool down = false;
  for (const Point& point : points) {
    if (std::isfinite(point.y)) out_ += (down ? "L" : "M") + coordinate(point.x) + " " + coordinate(point.y);
    down = std::isfinite(point.y);
  }
  out_ += "\"/>\n";
}

void Svg::text(Point at, std::string_view text, Anchor anchor, std::string_view css_class) {
  static constexpr std::array<std::string_view, 3> anchors{"start", "middle", "end"};
  element("<text");
  attribute("x", at.x);
  attribute("y", at.y);
  out_ += " text-anchor=\"" + std::string{anchors[static_cast<std::size_t>(anchor)]} + '"';
  if (!css_class.empty()) out_ += " class=\"" + std::string{css_class} + '"';
  out_ += ">" + escaped(text) + "</text>\n";
}

std::string Svg::finished() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

Axis axis_of(double low, double high, double top, double bottom) {
  const double span = high - low;
  if (!(span > 0)) return {.low = 0, .step = 1, .steps = 1, .top = top, .bottom = bottom};
  // About four steps, each 1, 2, 2.5 or 5 times a power of ten.
  const double rough = span / 4;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.5, 2.0, 1.0}) {
    if (factor * power >= rough * 0.999) step = factor * power;
  }
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  return {.low = first * step, .step = step, .steps = static_cast<int>(last - first), .top = top, .bottom = bottom};
}

}  // namespace valle::service::report
