// SPDX-License-Identifier: Apache-2.0
#include "service/api/zone_data.hpp"

namespace valle::service::api {

void write_accounting(JsonWriter& json, const scheduler::Accounting& accounting) {
  json.member("scope", to_text(accounting.scope))
      .member("basis", to_text(accounting.basis))
      .member("method", to_text(accounting.method));
}

void write_zone_data(JsonWriter& json, const scheduler::Zone& zone, const app::ChosenSeries& chosen) {
  json.begin_object()
      .member("zone", zone.name())
      .member("source", chosen.source)
      .member("kind", to_text(chosen.kind))
      .optional_member("issuedAt", chosen.issued_at)
      .key("ageSeconds");
  if (chosen.age) {
    json.value(std::int64_t{chosen.age->count()});
  } else {
    json.null();
  }
  json.member("knownUntil", chosen.known_until)
      // 1 ppm is 0.0001 %, so the counts are the same.
      .member("estimatedPercent", app::Percent::of_base(chosen.estimated.base()));
  write_accounting(json, chosen.accounting);
  json.member("grade", to_text(chosen.grade)).member("attribution", chosen.attribution);
  json.key("ownForecast");
  if (!chosen.own) {
    json.null();
  } else {
    json.begin_object()
        .member("from", chosen.own->interval.begin)
        .member("to", chosen.own->interval.end)
        .member("issuedAt", chosen.own->issued_at)
        .member("grade", chosen.own->ground->grade)
        .member("reason", chosen.own->ground->reason)
        .member("model", chosen.own->ground->model)
        .end_object();
  }
  json.end_object();
}

}  // namespace valle::service::api
