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
  enum class Begin { start, cell, resume };
  Begin begin;             ///< a first segment, the next cell of a segment, or a resume, which takes one pause
  std::int64_t progress;   ///< useful seconds in all of its cells
  std::int64_t last_cell;  ///< length of its last cell
  std::int64_t least_cut;  ///< ≥ 1: the fewest seconds of the last cell in which it may end
  friend auto operator<=>(const Stretch&, const Stretch&) = default;
};

/// How a stretch takes amounts of one layer to those of another: the cost from index k + shift of layer `to` counts for
/// index k of layer `from`.
struct Transfer {
  std::size_t from;  ///< for a start 0, and `shift` is the index in `to`
  std::size_t to;
  std::int64_t shift;
  std::int64_t cut;  ///< seconds run in the last cell, after which the job pauses or is done; 0: all, and it may go on
};

/// Among those from one layer, that of whole cells stands first.
using TransferList = std::vector<Transfer>;

/// The transfers of all stretches of one grid. Where steps are regular these are a handful, worked out once each.
class Transfers {
 public:
  Transfers(const AmountLayers& layers, std::int64_t duration) : layers_{layers}, duration_{duration} {}

  /// The transfers of a stretch. The list stays where it is.
  [[nodiscard]] const TransferList* of(const Stretch& stretch);

  /// To be called when all stretches of the grid have been asked for: drops the transfers that no start leads to, and
  /// tells which layers are left.
  [[nodiscard]] std::vector<bool> keep_reachable();

 private:
  using Known = std::map<Stretch, TransferList>;
  [[nodiscard]] TransferList worked_out(const Stretch& stretch) const;
  void add(TransferList& transfers, const Stretch& stretch, std::size_t from, const AmountLayer& source) const;
  void add_cuts(TransferList& transfers, const Stretch& stretch, std::size_t from, const AmountLayer& source,
                std::size_t to) const;
  void add_if_possible(TransferList& transfers, const AmountLayer& source, const Transfer& transfer) const;

  const AmountLayers& layers_;
  std::int64_t duration_;
  Known known_;
  Known::iterator last_[3] = {known_.end(), known_.end(), known_.end()};  // by begin: mostly asked for again
};

}  // namespace valle::scheduler
