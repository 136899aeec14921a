// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/http/load.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace valle::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

struct Connection {
  int socket = -1;
  bool busy = false;
  Time due{};
  std::string received{};
};

/// The size of the whole answer at the front of `text`; 0 while its head is not complete.
std::size_t answer_size(std::string_view text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == text.npos) return 0;
  constexpr std::string_view k_length = "Content-Length: ";
  const std::size_t length = text.substr(0, head).find(k_length);
  std::size_t body = 0;
  if (length != text.npos) std::from_chars(text.data() + length + k_length.size(), text.data() + head, body);
  return head + 4 + body;
}

class Run {
 public:
  explicit Run(const Load& load)
      : load_{load}, request_{"GET " + load.target + " HTTP/1.1\r\nHost: bench\r\n\r\n"}, epoll_{epoll_create1(0)} {
    prctl(PR_SET_TIMERSLACK, 1000);
    connections_.resize(load.connections);
    for (std::size_t i = 0; i < connections_.size(); ++i) connect_one(i);
  }
  ~Run() {
    for (const Connection& connection : connections_) close(connection.socket);
    close(epoll_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Measured measure() {
    begin_ = Clock::now();
    end_ = begin_ + load_.time;
    if (!load_.requests_a_second) {
      for (std::size_t i = 0; i < connections_.size(); ++i) ask(i, begin_);
    } else {
      for (std::size_t i = 0; i < connections_.size(); ++i) idle_.push_back(i);
    }
    while (Clock::now() < end_) {
      if (load_.requests_a_second) send_what_is_due();
      wait_for_answers();
    }
    return summary();
  }

 private:
  void connect_one(std::size_t index) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(load_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error{"cannot connect to the server"};
    }
    connections_[index].socket = socket;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  }

  void ask(std::size_t index, Time due) {
    Connection& connection = connections_[index];
    connection.busy = true;
    connection.due = due;
    if (send(connection.socket, request_.data(), request_.size(), MSG_NOSIGNAL) < 0) ++measured_.failures;
  }

  [[nodiscard]] Time due_time(std::size_t number) const {
    const double seconds = static_cast<double>(number) / *load_.requests_a_second;
    return begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>{seconds});
  }

  void send_what_is_due() {
    const Time now = Clock::now();
    while (!idle_.empty() && due_time(sent_) <= now) {
      ask(idle_.back(), due_time(sent_++));
      idle_.pop_back();
    }
  }

  void wait_for_answers() {
    std::array<epoll_event, 64> events{};
    Time until = end_;
    if (load_.requests_a_second && !idle_.empty()) until = std::min(end_, due_time(sent_));
    const auto left = std::max(Clock::duration{0}, until - Clock::now());
    const timespec timeout{static_cast<time_t>(left / std::chrono::seconds{1}),
                           static_cast<long>((left % std::chrono::seconds{1}).count())};
    const int count = epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
    for (int i = 0; i < count; ++i) take_bytes(events[static_cast<std::size_t>(i)].data.u64);
  }

  void take_bytes(std::size_t index) {
    Connection& connection = connections_[index];
    std::array<char, 65536> bytes;
    const ssize_t count = recv(connection.socket, bytes.data(), bytes.size(), 0);
    if (count <= 0) {
      ++measured_.failures;
      epoll_ctl(epoll_, EPOLL_CTL_DEL, connection.socket, nullptr);
      return;
    }
    connection.received.append(bytes.data(), static_cast<std::size_t>(count));
    const std::size_t size = answer_size(connection.received);
    if (size == 0 || connection.received.size() < size) return;
    if (!connection.received.starts_with("HTTP/1.1 200")) ++measured_.failures;
    connection.received.erase(0, size);
    const Time now = Clock::now();
    times_.push_back(std::chrono::duration<double, std::milli>(now - connection.due).count());
    if (load_.requests_a_second) {
      connection.busy = false;
      idle_.push_back(index);
    } else {
      ask(index, now);
    }
  }

  Measured summary() {
    measured_.answers = times_.size();
    measured_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (load_.requests_a_second) {
      const auto due = static_cast<std::size_t>(*load_.requests_a_second * measured_.seconds);
      measured_.unsent = due > sent_ + 1 ? due - sent_ : 0;
    }
    std::sort(times_.begin(), times_.end());
    const auto quantile = [&](double q) {
      if (times_.empty()) return 0.0;
      return times_[std::min(times_.size() - 1, static_cast<std::size_t>(q * static_cast<double>(times_.size())))];
    };
    measured_.p50_ms = quantile(0.50);
    measured_.p99_ms = quantile(0.99);
    measured_.max_ms = quantile(1.0);
    return measured_;
  }

  const Load& load_;
  const std::string request_;
  const int epoll_;
  std::vector<Connection> connections_;
  std::vector<std::size_t> idle_;
  Time begin_{};
  Time end_{};
  std::size_t sent_ = 0;
  std::vector<double> times_;
  Measured measured_;
};

}  // namespace

Measured run_load(const Load& load) { return Run{load}.measure(); }

}  // namespace valle::bench
