// SPDX-License-Identifier: Apache-2.0
#include "service/store/own_forecast_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "service/store/forecast_block.hpp"

namespace valle::service::store {
namespace {

using scheduler::Instant;
using scheduler::Ratio;

std::int64_t seconds(Instant instant) { return instant.time_since_epoch().count(); }

std::string packed(const std::vector<ForecastBand>& band, Ratio ForecastBand::*factor) {
  std::vector<ForecastStep> steps;
  for (const ForecastBand& part : band) steps.push_back({part.interval, (part.*factor).base(), false});
  return pack_forecast(steps);
}

std::vector<ForecastStep> unpacked(const SQLite::Column& bytes) {
  auto steps = unpack_forecast({static_cast<const char*>(bytes.getBlob()), static_cast<std::size_t>(bytes.getBytes())});
  if (!steps) throw SQLite::Exception("a block of forecast bands cannot be read", SQLITE_CORRUPT);
  return std::move(*steps);
}

std::int64_t ground_id(SQLite::Database& connection, const ForecastGround& ground) {
  SQLite::Statement insert{
      connection, "INSERT INTO forecast_ground (grade, reason, model) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"};
  SQLite::Statement find{connection, "SELECT id FROM forecast_ground WHERE grade = ? AND reason = ? AND model = ?"};
  for (SQLite::Statement* const statement : {&insert, &find}) {
    statement->bind(1, ground.grade);
    statement->bind(2, ground.reason);
    statement->bind(3, ground.model);
  }
  insert.exec();
  find.executeStep();
  return find.getColumn(0).getInt64();
}

}  // namespace

void store_ground(SQLite::Database& connection, std::int64_t series, Instant issued_at, const ForecastGround& ground) {
  SQLite::Statement upsert{connection,
                           "INSERT OR REPLACE INTO own_forecast (series, issued_at, ground, low, high, leads) "
                           "VALUES (?, ?, ?, ?, ?, ?)"};
  const std::string low = packed(ground.band, &ForecastBand::low);
  const std::string high = packed(ground.band, &ForecastBand::high);
  upsert.bind(1, series);
  upsert.bind(2, seconds(issued_at));
  upsert.bind(3, ground_id(connection, ground));
  upsert.bind(4, low.data(), static_cast<int>(low.size()));
  upsert.bind(5, high.data(), static_cast<int>(high.size()));
  upsert.bind(6, ground.leads ? 1 : 0);
  upsert.exec();
}

std::optional<ForecastGround> read_ground(SQLite::Database& connection, std::int64_t series, Instant issued_at) {
  SQLite::Statement query{
      connection,
      "SELECT grade, reason, model, low, high, leads FROM own_forecast JOIN forecast_ground ON id = ground "
      "WHERE series = ? AND issued_at = ?"};
  query.bind(1, series);
  query.bind(2, seconds(issued_at));
  if (!query.executeStep()) return {};
  ForecastGround ground{query.getColumn(0).getString(), query.getColumn(1).getString(), query.getColumn(2).getString()};
  const auto low = unpacked(query.getColumn(3));
  const auto high = unpacked(query.getColumn(4));
  for (std::size_t i = 0; i < low.size() && i < high.size(); ++i) {
    ground.band.push_back({low[i].interval, Ratio::of_base(low[i].value), Ratio::of_base(high[i].value)});
  }
  ground.leads = query.getColumn(5).getInt() != 0;
  return ground;
}

void prune_grounds(SQLite::Database& connection) {
  connection.exec("DELETE FROM forecast_ground WHERE NOT EXISTS (SELECT 1 FROM own_forecast WHERE ground = id)");
}

}  // namespace valle::service::store
