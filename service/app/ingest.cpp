// SPDX-License-Identifier: Apache-2.0
#include "service/app/ingest.hpp"

#include <utility>

namespace valle::service::app {

using scheduler::Harvest;
using scheduler::Instant;
using scheduler::Result;
using scheduler::Zone;

namespace {

void append(std::string& text, const std::string& name, std::size_t count) {
  if (count > 0) text += " " + name + "=" + std::to_string(count);
}

std::string word_of(scheduler::RejectionReason reason) {
  std::string word{to_text(reason)};
  for (char& c : word) c = c == '-' ? '_' : c;
  return word;
}

}  // namespace

std::size_t IngestReport::rejected() const {
  std::size_t sum = 0;
  for (const auto& [reason, count] : stored.rejected) sum += count;
  return sum;
}

std::string to_text(const IngestReport& report) {
  const store::StoreReport& stored = report.stored;
  const auto count = [](std::size_t number) { return std::to_string(number); };
  std::string text = "source=" + report.source + " zone=" + report.zone.name() +
                     " added=" + count(stored.measured.added) + " revised=" + count(stored.measured.revised) +
                     " unchanged=" + count(stored.measured.unchanged) + " outdated=" + count(stored.measured.outdated);
  append(text, "forecast_rows", stored.forecast.added + stored.forecast.revised);
  append(text, "prices", stored.prices.added + stored.prices.revised);
  append(text, "grid_forecast_rows", stored.grid_forecasts.added + stored.grid_forecasts.revised);
  append(text, "rejected", report.rejected());
  for (const auto& [reason, number] : stored.rejected) append(text, "rejected_" + word_of(reason), number);
  return text;
}

Result<IngestReport> Ingest::take(const std::string& source, const std::string& attribution, const Zone& zone,
                                  const Harvest& harvest, Instant now) {
  if (Result<void> noted = note(source, attribution); !noted) return tl::unexpected{std::move(noted.error())};
  Result<store::StoreReport> stored = repository_.store(source, zone, harvest, now);
  if (!stored) return tl::unexpected{std::move(stored.error())};
  if (Result<void> published = publish(*stored); !published) return tl::unexpected{std::move(published.error())};
  return IngestReport{source, zone, std::move(*stored)};
}

Result<std::optional<IngestReport>> Ingest::take(const Zone& zone, const connectors::ChainAnswer& answer, Instant now) {
  if (Result<void> counted = count_refused(zone, answer, now); !counted)
    return tl::unexpected{std::move(counted.error())};
  if (!answer.harvest || answer.grade != connectors::Grade::fresh) return std::nullopt;
  if (answer.source == k_sample_source) {
    auto book = book_.get()->with(answer.source, answer.attribution, *answer.harvest);
    if (!book) return tl::unexpected{std::move(book.error())};
    book_.publish(std::move(*book));
    return std::nullopt;
  }
  auto report = take(answer.source, answer.attribution, zone, *answer.harvest, now);
  if (!report) return tl::unexpected{std::move(report.error())};
  return std::move(*report);
}

Result<void> Ingest::take(const store::OwnIssue& own) {
  const Result<store::StoreReport> stored = repository_.store(own);
  return stored ? publish(*stored) : tl::unexpected{stored.error()};
}

Result<void> Ingest::count_refused(const Zone& zone, const connectors::ChainAnswer& answer, Instant now) {
  bool any = false;
  for (const connectors::SourceReport& said : answer.said) {
    if (said.rejected.empty()) continue;
    any = true;
    Harvest refused;
    refused.rejected = said.rejected;
    const auto counted = repository_.store(said.source, zone, refused, now);
    if (!counted) return tl::unexpected{counted.error()};
  }
  return any ? publish({}) : Result<void>{};
}

Result<void> Ingest::reload() {
  behind_ = true;
  return publish({});
}

Result<void> Ingest::note(const std::string& source, const std::string& attribution) {
  const auto known = noted_.find(source);
  if (known != noted_.end() && known->second == attribution) return {};
  if (Result<void> done = repository_.note_attribution(source, attribution); !done) return done;
  noted_[source] = attribution;
  return {};
}

Result<void> Ingest::publish(const store::StoreReport& stored) {
  const auto before = book_.get();
  auto book = behind_ ? before->reloaded(repository_) : before->refreshed(repository_, stored);
  behind_ = !book;
  if (!book) return tl::unexpected{std::move(book.error())};
  book_.publish(std::move(*book));
  return {};
}

}  // namespace valle::service::app
