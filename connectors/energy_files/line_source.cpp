// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/line_source.hpp"

#include <algorithm>

#include "connectors/energy_files/energy_file.hpp"

namespace valle::connectors::energy {
namespace {

constexpr std::size_t k_block = 65'536;

}  // namespace

bool LineSource::fill() {
  block_.resize(k_block);
  file_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
  block_.resize(static_cast<std::size_t>(file_.gcount()));
  at_ = 0;
  return !block_.empty();
}

bool LineSource::next(std::string_view& line) {
  line_.clear();
  cut_ = false;
  bool any = false;
  for (;;) {
    if (at_ == block_.size() && !fill()) break;
    any = true;
    const auto end = block_.find('\n', at_);
    const auto length = std::min(end, block_.size()) - at_;
    const auto room = longest_ - line_.size();
    line_.append(block_, at_, std::min(length, room));
    cut_ = cut_ || length > room;
    at_ += length;
    if (end == std::string::npos) continue;
    ++at_;
    break;
  }
  if (!any) return false;
  ++number_;
  line = line_;
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

void ReadSummary::refuse(std::size_t line, std::string reason) {
  ++refused;
  if (first_refused.size() < k_most_refused_kept) first_refused.push_back({line, std::move(reason)});
}

}  // namespace valle::connectors::energy
