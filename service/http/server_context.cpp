// SPDX-License-Identifier: Apache-2.0
#include "service/http/server_context.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>

namespace valle::service::http {

void OpenConnections::add(OpenConnection& connection) {
  const std::scoped_lock lock{mutex_};
  connections_.insert(&connection);
}

void OpenConnections::remove(OpenConnection& connection) {
  const std::scoped_lock lock{mutex_};
  connections_.erase(&connection);
  if (connections_.empty()) empty_.notify_all();
}

std::size_t OpenConnections::size() const {
  const std::scoped_lock lock{mutex_};
  return connections_.size();
}

std::vector<std::shared_ptr<OpenConnection>> OpenConnections::all() const {
  std::vector<std::shared_ptr<OpenConnection>> result;
  const std::scoped_lock lock{mutex_};
  for (OpenConnection* connection : connections_) {
    if (auto alive = connection->weak_from_this().lock()) result.push_back(std::move(alive));
  }
  return result;
}

bool OpenConnections::wait_until_empty(std::chrono::milliseconds bound) const {
  std::unique_lock lock{mutex_};
  return empty_.wait_for(lock, bound, [this] { return connections_.empty(); });
}

BodyBudget::Share& BodyBudget::Share::operator=(Share&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

BodyBudget::Share::~Share() {
  if (budget_) budget_->taken_ -= bytes_;
}

std::optional<BodyBudget::Share> BodyBudget::take(std::size_t bytes) {
  if (taken_.fetch_add(bytes) + bytes > bytes_) {
    taken_ -= bytes;
    return std::nullopt;
  }
  return Share{*this, bytes};
}

std::string_view ServerContext::date() const {
  thread_local scheduler::Instant t_second{scheduler::Duration{-1}};
  thread_local std::array<char, 64> t_text{};
  const scheduler::Instant now = clock.now();
  if (now != t_second) {
    constexpr std::array<const char*, 7> k_days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<const char*, 12> k_months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{now - day};
    std::snprintf(t_text.data(), t_text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                  k_days[std::chrono::weekday{day}.c_encoding()], static_cast<unsigned>(date.day()),
                  k_months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    t_second = now;
  }
  return t_text.data();
}

std::string ServerContext::request_id(std::optional<std::string_view> wanted) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == '.';
  };
  if (wanted && !wanted->empty() && wanted->size() <= 64 && std::ranges::all_of(*wanted, is_plain)) {
    return std::string{*wanted};
  }
  static const std::uint64_t k_process = (std::uint64_t{std::random_device{}()} << 32) | std::random_device{}();
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::uint64_t number = k_process + ++last_id_;
  std::string id(16, '0');
  for (auto digit = id.rbegin(); digit != id.rend(); ++digit, number >>= 4) *digit = k_hex[number & 15];
  return id;
}

}  // namespace valle::service::http
