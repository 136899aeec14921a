// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/gates.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "k8s/api/names.hpp"

namespace valle::k8s {
namespace {

std::vector<std::string> split(const std::string& gates) {
  std::vector<std::string> list;
  std::size_t from = 0;
  while (from <= gates.size()) {
    const auto comma = std::min(gates.find(',', from), gates.size());
    std::string name = gates.substr(from, comma - from);
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    while (!name.empty() && name.back() == ' ') name.pop_back();
    if (!name.empty()) list.push_back(std::move(name));
    from = comma + 1;
  }
  return list;
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& each : list) text += (text.empty() ? "" : ",") + each;
  return text;
}

}  // namespace

bool has_our_gate(const std::string& gates) {
  const auto list = split(gates);
  return std::find(list.begin(), list.end(), names::k_gate) != list.end();
}

std::string without_our_gate(const std::string& gates) {
  auto list = split(gates);
  std::erase(list, names::k_gate);
  return joined(list);
}

std::string with_our_gate(const std::string& gates) {
  auto list = split(gates);
  if (std::find(list.begin(), list.end(), names::k_gate) == list.end()) list.push_back(names::k_gate);
  return joined(list);
}

std::string pointer_segment(const std::string& name) {
  std::string segment;
  for (const char c : name) segment += c == '~' ? "~0" : c == '/' ? "~1" : std::string{c};
  return segment;
}

}  // namespace valle::k8s
