// SPDX-License-Identifier: Apache-2.0
#include "tests/support/integration/scripted_server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <optional>

namespace valle::tests {
namespace {

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

std::size_t ScriptedServer::left() const {
  const std::scoped_lock lock{mutex_};
  return script_.size();
}

}  // namespace valle::tests
