// SPDX-License-Identifier: Apache-2.0
#include "connectors/transport/address.hpp"

namespace valle::connectors {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += k_digits[byte >> 4];
      encoded += k_digits[byte & 15];
    }
  }
  return encoded;
}

std::string form_of(const std::vector<std::pair<std::string, std::string>>& query) {
  std::string form;
  for (const auto& [name, value] : query) {
    if (!form.empty()) form += '&';
    form += percent_encoded(name) + "=" + percent_encoded(value);
  }
  return form;
}

std::string address_of(std::string_view base_url, std::string_view path,
                       const std::vector<std::pair<std::string, std::string>>& query) {
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  std::string address{base_url};
  if (!path.starts_with('/')) address += '/';
  address += path;
  if (!query.empty()) address += "?" + form_of(query);
  return address;
}

}  // namespace valle::connectors
