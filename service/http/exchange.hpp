// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "service/http/message.hpp"

namespace valle::service::http {

/// One request on its way to its answer: the handler's side gives it from any thread, the connection's side takes it or
/// loses interest. Outlives both.
class Exchange final : public std::enable_shared_from_this<Exchange> {
 public:
  /// The handler's end. When its last copy goes without a call, the answer is a 500.
  [[nodiscard]] Respond respond();

  /// Keeps the first answer, ignores later ones and those that come after `lose_interest`.
  void answer(Response response);
  /// The handler's end is gone: a 500 unless it answered.
  void answer_if_none();

  /// Connection: the answer if it is there.
  [[nodiscard]] std::optional<Response> take();
  /// Connection: `wake` runs once, in the thread that answers. False, without keeping `wake`, if the answer is there.
  [[nodiscard]] bool wake_when_answered(std::function<void()> wake);
  /// Connection: it waits no more; `wake` is forgotten and will not run after this returns.
  void lose_interest();

 private:
  std::mutex mutex_;
  std::optional<Response> response_;
  bool answered_ = false;
  bool interested_ = true;
  std::function<void()> wake_;
};

}  // namespace valle::service::http
