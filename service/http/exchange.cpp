// SPDX-License-Identifier: Apache-2.0
#include "service/http/exchange.hpp"

#include <utility>

#include "service/http/problem.hpp"

namespace valle::service::http {

namespace {

/// Shared by all copies of one Respond.
class Ticket final {
 public:
  explicit Ticket(std::shared_ptr<Exchange> exchange) : exchange_{std::move(exchange)} {}
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() { exchange_->answer_if_none(); }
  void answer(Response response) const { exchange_->answer(std::move(response)); }

 private:
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace

Respond Exchange::respond() {
  return [ticket = std::make_shared<Ticket>(shared_from_this())](Response response) {
    ticket->answer(std::move(response));
  };
}

void Exchange::answer(Response response) {
  const std::scoped_lock lock{mutex_};
  if (answered_ || !interested_) return;
  answered_ = true;
  response_ = std::move(response);
  if (wake_) std::exchange(wake_, {})();  // under the lock: lose_interest must be able to rely on it
}

void Exchange::answer_if_none() {
  {
    const std::scoped_lock lock{mutex_};
    if (answered_ || !interested_) return;
  }
  answer(protocol_problem(500, "the request was dropped without an answer"));
}

std::optional<Response> Exchange::take() {
  const std::scoped_lock lock{mutex_};
  return std::exchange(response_, std::nullopt);
}

bool Exchange::wake_when_answered(std::function<void()> wake) {
  const std::scoped_lock lock{mutex_};
  if (answered_) return false;
  wake_ = std::move(wake);
  return true;
}

void Exchange::lose_interest() {
  const std::scoped_lock lock{mutex_};
  interested_ = false;
  wake_ = {};
}

}  // namespace valle::service::http
