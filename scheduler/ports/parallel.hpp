// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace valle::scheduler {

/// How the core runs work side by side without starting a thread itself. Results must not depend on `width`.
class Parallel {
 public:
  virtual ~Parallel() = default;
  [[nodiscard]] virtual std::size_t width() const = 0;
  /// Calls work(0) … work(count - 1), each once, in any order and maybe at the same time; returns when all are done.
  virtual void for_each(std::size_t count, const std::function<void(std::size_t)>& work) = 0;
};

/// Everything in the caller's thread.
class Sequential final : public Parallel {
 public:
  [[nodiscard]] std::size_t width() const override { return 1; }
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work) override {
    for (std::size_t i = 0; i < count; ++i) work(i);
  }
};

}  // namespace valle::scheduler
