// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/account/split.hpp"
#include "service/app/intensity_book.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::report {

/// One zone's numbers, as a report reckons with them.
struct ZoneOfReport {
  scheduler::Zone zone;
  std::string source = {};  ///< empty: no realised intensity of this identity is known
  std::string attribution = {};
  std::optional<runtime::YearlyFactor> fallback = {};  ///< for hours without realised intensity
  std::vector<scheduler::Step> steps = {};             ///< measured, ascending
  std::string price_source = {};                       ///< empty: no day-ahead prices are known
  std::vector<scheduler::PriceStep> prices = {};       ///< ascending
  friend bool operator==(const ZoneOfReport&, const ZoneOfReport&) = default;
};

struct SiteOfReport {
  std::string name;
  std::size_t zone = 0;  ///< index into the grid's zones
  scheduler::Ratio pue = scheduler::k_one;
  std::optional<runtime::MarketFactor> market = {};
  friend bool operator==(const SiteOfReport&, const SiteOfReport&) = default;
};

/// Everything besides the ledger that a report is made of: sites and realised intensity under one accounting. Kept with
/// each revision, so that it can be made again.
struct ReportGrid {
  scheduler::Accounting accounting;
  std::vector<SiteOfReport> sites;
  std::vector<ZoneOfReport> zones;
  friend bool operator==(const ReportGrid&, const ReportGrid&) = default;
};

/// What is known now: for each zone of a site the first source with realised hours near `week`, all under one
/// accounting.
[[nodiscard]] ReportGrid present_grid(const app::IntensityBook& book, std::span<const runtime::SiteConfig> sites,
                                      const runtime::ReportConfig& config, scheduler::Interval week,
                                      scheduler::Instant now);
/// The same with steps that touch `window` only, for keeping.
[[nodiscard]] ReportGrid cut(const ReportGrid& grid, scheduler::Interval window);

[[nodiscard]] std::string grid_document(const ReportGrid& grid);
/// Refused (`storage_failed`) if the text is not what `grid_document` writes.
[[nodiscard]] scheduler::Result<ReportGrid> grid_from_document(std::string_view text);

/// Looks sites up for `account_of`. Borrows the grid.
class GridSites final {
 public:
  explicit GridSites(const ReportGrid& grid);
  /// By name, without regard to case. Valid as long as this lives.
  [[nodiscard]] scheduler::SitesOfAccount lookup() const;
  [[nodiscard]] const scheduler::RealisedIntensity& intensity(std::size_t zone) const { return intensity_[zone]; }

 private:
  std::vector<scheduler::RealisedIntensity> intensity_;                   // by zone
  std::vector<scheduler::PriceSeries> prices_;                            // by zone
  std::map<std::string, scheduler::SiteOfAccount, std::less<>> by_name_;  // names in lower case
};

}  // namespace valle::service::report
