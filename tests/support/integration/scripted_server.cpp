// SPDX-License-Identifier: Apache-2.0
#include "tests/support/integration/scripted_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "scheduler/units/require.hpp"

namespace valle::tests {
namespace {

using scheduler::require;

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// The head of the next request; nothing once the client is gone. GET only, so a body is never read.
std::optional<std::string> read_head(int connection, std::string& buffer) {
  for (;;) {
    if (const auto end = buffer.find("\r\n\r\n"); end != std::string::npos) {
      std::string head = buffer.substr(0, end + 2);
      buffer.erase(0, end + 4);
      return head;
    }
    char chunk[4096];
    const auto got = ::recv(connection, chunk, sizeof chunk, 0);
    if (got <= 0) return std::nullopt;
    buffer.append(chunk, static_cast<std::size_t>(got));
  }
}

bool same_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

}  // namespace

std::string SeenRequest::header(std::string_view name) const {
  std::string_view rest = head;
  while (!rest.empty()) {
    const auto end = rest.find("\r\n");
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !same_in_any_case(line.substr(0, colon), name)) continue;
    const auto value = line.find_first_not_of(' ', colon + 1);
    return value == std::string_view::npos ? "" : std::string{line.substr(value)};
  }
  return "-";
}

ScriptedServer::ScriptedServer() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  require(listener_ >= 0 && ::bind(listener_, raw, size) == 0 && ::listen(listener_, 16) == 0 &&
              ::getsockname(listener_, raw, &size) == 0,
          "the scripted server listens on a free port");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread{[this] { accept_all(); }};
}

ScriptedServer::~ScriptedServer() {
  {
    const std::scoped_lock lock{mutex_};
    closing_ = true;
    for (const int connection : open_) ::shutdown(connection, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  workers_.clear();  // joins
  ::close(listener_);
}

void ScriptedServer::accept_all() {
  for (;;) {
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    const std::scoped_lock lock{mutex_};
    if (closing_) {
      ::close(connection);
      return;
    }
    ++connections_;
    open_.push_back(connection);
    workers_.emplace_back([this, connection] { serve(connection); });
  }
}

void ScriptedServer::serve(int connection) {
  std::string buffer;
  while (const auto head = read_head(connection, buffer)) {
    const auto first = head->find(' ') + 1;
    const ScriptedReply reply = next({.target = head->substr(first, head->find(' ', first) - first), .head = *head});
    if (reply.fault == ScriptedReply::Fault::no_answer) continue;  // back to reading: ends when the client goes
    const std::size_t promised = reply.body.size() + (reply.fault == ScriptedReply::Fault::cut_body ? 1000 : 0);
    std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Scripted\r\nContent-Type: " + reply.type +
                       "\r\nContent-Length: " + std::to_string(promised) + "\r\n";
    for (const auto& line : reply.headers) text += line + "\r\n";
    if (reply.fault == ScriptedReply::Fault::cut_head) {
      send_all(connection, std::string_view{text}.substr(0, text.size() - 5));
      break;
    }
    send_all(connection, text + "\r\n" + reply.body);
    if (reply.fault == ScriptedReply::Fault::cut_body) break;
  }
  const std::scoped_lock lock{mutex_};
  open_.erase(std::remove(open_.begin(), open_.end(), connection), open_.end());
  ::shutdown(connection, SHUT_RDWR);
  ::close(connection);
}

ScriptedReply ScriptedServer::next(SeenRequest request) {
  const std::scoped_lock lock{mutex_};
  seen_.push_back(std::move(request));
  if (script_.empty()) return {.status = 500, .type = "text/plain", .body = "the script is over"};
  ScriptedReply reply = std::move(script_.front());
  script_.pop_front();
  return reply;
}

ScriptedServer& ScriptedServer::then(ScriptedReply reply) {
  const std::scoped_lock lock{mutex_};
  script_.push_back(std::move(reply));
  return *this;
}

std::vector<SeenRequest> ScriptedServer::seen() const {
  const std::scoped_lock lock{mutex_};
  return seen_;
}

std::size_t ScriptedServer::connections() const {
  const std::scoped_lock lock{mutex_};
  return connections_;
}

std::size_t ScriptedServer::left() const {
  const std::scoped_lock lock{mutex_};
  return script_.size();
}

}  // namespace valle::tests
