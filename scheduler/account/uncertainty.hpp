// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/account/split.hpp"

namespace valle::scheduler {

/// Relative half widths that an hour's intensity is taken to have. Providers publish none: these are statements of
/// caution, printed in every report, not measurements.
inline constexpr Ratio k_measured_intensity_error = Ratio::of_base(50'000);
inline constexpr Ratio k_estimated_intensity_error = Ratio::of_base(150'000);
inline constexpr Ratio k_fallback_intensity_error = Ratio::of_base(300'000);

/// Whether a run's hours and its baseline's are the same hours of the same zone: then an error of the grid's numbers is
/// in both and scales the saving; else the errors are taken as independent.
enum class Windows { same, apart };

/// Energy: |saved| · U ÷ E, as the meter's error is common to both sides. Intensity, apart: √((r₀·B0)² + (r·A)²), each
/// r the mean relative error of its hours by energy; same: r · |saved|.
[[nodiscard]] Uncertainty uncertainty_of(const Split& split, const RunEnergy& energy, const IntensityQuality& home,
                                         const IntensityQuality& real, Windows windows);

}  // namespace valle::scheduler
