// SPDX-License-Identifier: Apache-2.0
#include "service/report/reports.hpp"

#include <exception>
#include <utility>

namespace valle::service::report {
namespace {

using scheduler::Errc;
using scheduler::refuse;

tl::unexpected<scheduler::Error> busy() {
  return refuse(Errc::rate_limited, "more work is waiting than can be taken; ask again in a second", "",
                {{"retryAfterSeconds", "1"}});
}

}  // namespace

void Reports::make(const DocumentQuestion& question, Done done) {
  const bool taken = services_.store.read([this, question, done](store::Database& database) {
    const auto book = services_.book.get();
    const auto sites = services_.places.sites(*book);
    try {
      auto draft =
          Drafting::draft(database, question,
                          {.config = services_.config, .book = *book, .sites = sites, .now = services_.clock.now()});
      if (!draft) return done(tl::unexpected{std::move(draft.error())});
      keep(std::make_shared<Drafting>(*std::move(draft)), done);
    } catch (const std::exception& exception) {
      done(refuse(Errc::storage_failed, exception.what()));  // the disk for temporary files
    }
  });
  if (!taken) done(busy());
}

void Reports::keep(std::shared_ptr<Drafting> drafting, Done done) {
  const bool taken = services_.store.write([drafting, done](store::Database& database) {
    if (const auto kept = drafting->keep(database); !kept) return done(tl::unexpected{kept.error()});
    done(std::move(*drafting).finished());
  });
  if (!taken) done(busy());
}

}  // namespace valle::service::report
