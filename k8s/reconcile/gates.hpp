// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace valle::k8s {

/// Whether a list of Kueue's admission gates ("a.org/x, valle.sh/carbon") has ours.
[[nodiscard]] bool has_our_gate(const std::string& gates);
/// The names of the list without ours, in order; empty if there is no other.
[[nodiscard]] std::string without_our_gate(const std::string& gates);
/// The list with ours, added once at its end.
[[nodiscard]] std::string with_our_gate(const std::string& gates);

/// A name as a segment of a JSON pointer: `~` and `/` escaped.
[[nodiscard]] std::string pointer_segment(const std::string& name);

}  // namespace valle::k8s
