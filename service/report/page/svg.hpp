// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace valle::service::report {

struct Point {
  double x = 0;
  double y = 0;
};

/// The colours of series, told apart also by people who see few colours, and on grey paper by order. By number, from 0.
[[nodiscard]] std::string_view colour(std::size_t series);

/// A picture under construction. Its numbers have one decimal and a point, whatever the process's locale.
class Svg final {
 public:
  /// `title`: what is read aloud in place of the picture.
  Svg(double width, double height, std::string_view title);

  void rectangle(Point corner, double width, double height, std::string_view fill, std::string_view hint = {});
  void line(Point from, Point to, std::string_view css_class);
  /// Corners with a gap wherever a point's y is not finite.
  void path(const std::vector<Point>& points, std::string_view stroke);
  enum class Anchor { start, middle, end };
  void text(Point at, std::string_view text, Anchor anchor = Anchor::start, std::string_view css_class = {});
  [[nodiscard]] std::string finished() &&;

 private:
  void element(std::string_view text) { out_ += text; }
  void attribute(std::string_view name, double value);
  std::string out_;
};

/// Values of a vertical axis: round steps from at most `low` to at least `high`, and where they are drawn.
struct Axis {
  double low = 0;
  double step = 1;
  int steps = 1;
  double top = 0;     ///< y of the highest value
  double bottom = 1;  ///< y of the lowest
  [[nodiscard]] double high() const { return low + step * steps; }
  [[nodiscard]] double y(double value) const { return bottom - (value - low) / (high() - low) * (bottom - top); }
};
/// `low` ≤ 0 ≤ `high`; both 0 gives 0…1.
[[nodiscard]] Axis axis_of(double low, double high, double top, double bottom);

}  // namespace valle::service::report
