// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "scheduler/query/amount_layers.hpp"

namespace valle::scheduler {

/// A segment, or one more cell of it, as far as it matters for the amount of work left.
struct Stretch {
  std::int64_t progress;   ///< useful seconds in all of its cells
  std::int64_t last_cell;  ///< length of its last cell
  std::int64_t least_cut;  ///< ≥ 1: the fewest seconds of the last cell in which it may end
  bool after_pause;        ///< it is a resume, which takes one pause
  friend auto operator<=>(const Stretch&, const Stretch&) = default;
};

/// How a stretch takes amounts of one layer to those of another: the cost from index k + shift of layer `to` counts for
/// index k of layer `from`.
struct Transfer {
  std::size_t from;
  std::size_t to;
  std::int64_t shift;
  std::int64_t cut;  ///< seconds run in the last cell, after which the job pauses or is done; 0: all, and it may go on
};

/// The transfers of all stretches met so far. On a regular grid these are a handful, worked out once each.
class Transfers {
 public:
  explicit Transfers(const AmountLayers& layers) : layers_{layers} {}

  /// The transfers of a stretch from each layer, those of whole cells first.
  [[nodiscard]] const std::vector<Transfer>& of(const Stretch& stretch);
  /// Those of a first segment, from all of the work; `from` means nothing, `shift` is the index in `to`.
  [[nodiscard]] const std::vector<Transfer>& from_start(const Stretch& stretch, std::int64_t duration);

 private:
  using Known = std::map<Stretch, std::vector<Transfer>>;
  void add(std::vector<Transfer>& transfers, const Stretch& stretch, std::size_t from, const AmountLayer& source) const;

  const AmountLayers& layers_;
  Known known_;
  Known known_starts_;
  Known::const_iterator last_[2] = {known_.end(), known_.end()};  // by after_pause: mostly asked for again
  Known::const_iterator last_start_ = known_starts_.end();
};

}  // namespace valle::scheduler
