// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Answers in the providers' own shapes, told in a line. The values are invented.
namespace valle::tests {

inline std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& part : parts) all += (all.empty() ? "" : ",") + part;
  return all;
}

/// A row of Electricity Maps: `em_row("FR", "2027-02-03T00", "44")`. `value` is JSON, so `null` and `"44"` work too.
struct EmRow {
  std::string zone;
  std::string hour;  ///< `2027-02-03T00`
  std::string value;
  std::string updated_at = {};  ///< default: six hours and 41 minutes after nothing in particular
  std::string method = {};      ///< not empty: estimated by this method
  std::string factors = "lifecycle";
  [[nodiscard]] std::string json() const {
    const std::string updated = updated_at.empty() ? hour + ":41:00.000Z" : updated_at;
    return R"({"zone":")" + zone + R"(","carbonIntensity":)" + value + R"(,"datetime":")" + hour +
           R"(:00:00.000Z","updatedAt":")" + updated +
           R"(","createdAt":"2027-01-01T00:47:00.000Z","emissionFactorType":")" + factors + R"(","isEstimated":)" +
           (method.empty() ? "false" : "true") + R"(,"estimationMethod":)" +
           (method.empty() ? "null" : "\"" + method + "\"") + "}";
  }
};

/// `list` is `history` (v3) or `data` (v4).
inline std::string em_list(std::string_view zone, std::string_view list, const std::vector<EmRow>& rows) {
  std::vector<std::string> parts;
  for (const auto& row : rows) parts.push_back(row.json());
  return R"({"zone":")" + std::string{zone} + R"(",")" + std::string{list} + R"(":[)" + joined(parts) + "]}";
}

/// Rows of a forecast are minimal: `{{"2027-09-14T06", "120"}, …}`.
inline std::string em_forecast(std::string_view zone, std::string_view updated_at,
                               const std::vector<std::pair<std::string, std::string>>& rows) {
  std::vector<std::string> parts;
  for (const auto& [hour, value] : rows) {
    parts.push_back(R"({"carbonIntensity":)" + value + R"(,"datetime":")" + hour + R"(:00:00.000Z"})");
  }
  return R"({"zone":")" + std::string{zone} + R"(","forecast":[)" + joined(parts) + R"(],"updatedAt":")" +
         std::string{updated_at} + R"("})";
}

/// A row of ESIOS. `datetime_utc` is written as the provider does: from the local hour as if the offset were that of
/// the first of two equal hours, so it is wrong in the night of the autumn change.
struct EsiosRow {
  std::string datetime;  ///< `2027-10-31T02:00:00.000+02:00`
  std::string tz_time;   ///< `2027-10-31T00:00:00.000Z`
  std::string value;
  int geo = 3;
  std::string datetime_utc = "2027-10-31T00:00:00Z";
  [[nodiscard]] std::string json() const {
    return R"({"value":)" + value + R"(,"datetime":")" + datetime + R"(","datetime_utc":")" + datetime_utc +
           R"(","tz_time":")" + tz_time + R"(","geo_id":)" + std::to_string(geo) + R"(,"geo_name":"x"})";
  }
};

inline std::string esios_body(int id, const std::vector<EsiosRow>& rows,
                              std::string_view updated_at = "2027-10-30T13:40:12.000+02:00") {
  std::vector<std::string> parts;
  for (const auto& row : rows) parts.push_back(row.json());
  return R"({"indicator":{"name":"x","short_name":"x","id":)" + std::to_string(id) +
         R"(,"composited":false,"step_type":"linear","disaggregated":true,"magnitud":[{"name":"Precio","id":23}],)" +
         R"("tiempo":[{"name":"Hora","id":4}],"geos":[{"geo_id":1,"geo_name":"Portugal"}],"values_updated_at":")" +
         std::string{updated_at} + R"(","values":[)" + joined(parts) + "]}}";
}

/// An answer of Energy-Charts from texts of JSON lists: `ec_body("[1,2]", "[31.2,null]", "[null,29.5]")`.
inline std::string ec_body(std::string_view unix_seconds, std::string_view measured, std::string_view forecast) {
  return R"({"unix_seconds":)" + std::string{unix_seconds} + R"(,"co2eq":)" + std::string{measured} +
         R"(,"co2eq_forecast":)" + std::string{forecast} + R"(,"deprecated":false})";
}

/// `count` JSON numbers from `first` in steps of `step`, as a list.
inline std::string counted(std::int64_t first, std::int64_t step, int count) {
  std::vector<std::string> parts;
  for (int i = 0; i < count; ++i) parts.push_back(std::to_string(first + i * step));
  return "[" + joined(parts) + "]";
}

inline std::string repeated(std::string_view value, int count) {
  return "[" + joined(std::vector<std::string>(static_cast<std::size_t>(count), std::string{value})) + "]";
}

}  // namespace valle::tests
