// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/words.hpp"

namespace valle::service::report {

scheduler::Result<Language> parse_language(std::string_view text, std::string pointer) {
  for (const Language language : {Language::en, Language::es, Language::fr, Language::de}) {
    if (text == to_text(language)) return language;
  }
  return tl::unexpected{scheduler::Error{
      scheduler::Errc::invalid_request, "a report is written in en, es, fr or de, not in \"" + std::string{text} + "\"",
      std::move(pointer)}};
}

std::string_view to_text(Language language) {
  switch (language) {
    case Language::en: return "en";
    case Language::es: return "es";
    case Language::fr: return "fr";
    case Language::de: return "de";
  }
  return {};
}

const Words& words(Language language) {
  switch (language) {
    case Language::en: return english();
    case Language::es: return spanish();
    case Language::fr: return french();
    case Language::de: return german();
  }
  return english();
}

std::string filled(std::string_view text, const std::vector<std::string>& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool slot = text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}';
    const std::size_t number = slot ? static_cast<std::size_t>(text[i + 1] - '0') : values.size();
    if (number < values.size()) {
      result += values[number];
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace valle::service::report
