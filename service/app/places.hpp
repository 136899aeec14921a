// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/zone.hpp"
#include "service/app/intensity_book.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::app {

/// The site that answers for a zone: the first one configured there.
struct ZoneSite {
  std::string name;
  scheduler::Ratio pue = scheduler::k_one;
};

/// Which zones and sites there are: those of the configuration and those that the book has numbers of. Immutable, safe
/// from any thread.
class Places final {
 public:
  Places() = default;
  explicit Places(const runtime::Config& config);

  /// Zones of sites and sources in the order of mention, then those of the book, ascending.
  [[nodiscard]] std::vector<scheduler::Zone> zones(const IntensityBook& book) const;
  /// `unknown-zone` if it is not among them.
  [[nodiscard]] scheduler::Result<void> require_known(const scheduler::Zone& zone, const IntensityBook& book,
                                                      std::string pointer) const;
  /// Nothing if sites are configured and none lies in the zone; without configured sites each zone is one.
  [[nodiscard]] std::optional<ZoneSite> site_of(const scheduler::Zone& zone) const;
  /// The configured sites; without any, one for each known zone.
  [[nodiscard]] std::vector<runtime::SiteConfig> sites(const IntensityBook& book) const;

 private:
  runtime::Config config_;
  std::vector<scheduler::Zone> wanted_;
};

/// The refusal of a zone that is not among `known`, which it lists.
[[nodiscard]] tl::unexpected<scheduler::Error> unknown_zone(const scheduler::Zone& zone,
                                                            std::span<const scheduler::Zone> known,
                                                            std::string pointer);

/// A name in lower case: zone, site and region names match without regard to case.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace valle::service::app
