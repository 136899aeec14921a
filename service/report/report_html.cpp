// SPDX-License-Identifier: Apache-2.0
#include "service/report/report_html.hpp"

#include "service/report/report_markdown.hpp"

namespace valle::service::report {

std::string to_html(const WeeklyReport& report, Language language) { return to_markdown(report, language); }

}  // namespace valle::service::report
