// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace valle::tests {

/// One answer as it came over the wire.
struct Reply {
  int status = 0;                                   ///< 0: the connection ended before a status line
  std::map<std::string, std::string> headers = {};  ///< names in lower case
  std::string body = {};
  [[nodiscard]] std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string{} : found->second;
  }
};

/// A tiny blocking HTTP client on one raw loopback connection, for tests of servers: it can send anything, in any
/// pieces, and says exactly what came back. Every read ends after 20 s at the latest (as if the peer had closed).
class Client final {
 public:
  explicit Client(std::uint16_t port, const std::string& host = "127.0.0.1") { connect_to(port, host); }
  /// Over TLS; `context` decides what is trusted and shown. Throws if the handshake fails.
  Client(std::uint16_t port, SSL_CTX* context) {
    connect_to(port, "127.0.0.1");
    ssl_.reset(SSL_new(context));
    SSL_set_fd(ssl_.get(), socket_.number);
    if (SSL_connect(ssl_.get()) != 1) throw std::runtime_error{"TLS handshake failed"};
  }
  /// Sends all bytes; false if the peer has reset the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const long count = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                              : ::send(socket_.number, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// Half-closes: says that nothing more will be sent, and can still read.
  void finish_sending() { ::shutdown(socket_.number, SHUT_WR); }
  /// Closes so that the peer sees a reset.
  void reset() {
    const linger now{1, 0};
    setsockopt(socket_.number, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    socket_.close();
  }

  /// The next answer. `to_head`: it has a length but no body.
  Reply receive(bool to_head = false) {
    Reply reply;
    std::string line = read_line();
    if (!line.starts_with("HTTP/1.1 ")) return reply;
    reply.status = std::stoi(line.substr(9, 3));
    while (!(line = read_line()).empty()) {
      const std::size_t colon = line.find(':');
      std::string name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
      reply.headers[name] = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
    }
    const std::string length = reply.header("content-length");
    const std::size_t size = length.empty() || to_head ? 0 : std::stoul(length);
    while (buffer_.size() < size && fill()) {
    }
    reply.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return reply;
  }

  /// A whole request with its Host header, and its answer.
  Reply ask(std::string_view method, std::string_view target, std::string_view body = {},
            std::string_view more_headers = {}) {
    std::string request{method};
    request += ' ';
    request += target;
    request += " HTTP/1.1\r\nHost: test\r\n";
    request += more_headers;
    if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    request += "\r\n";
    request += body;
    send(request);
    return receive(method == "HEAD");
  }

  /// Waits for the peer's end; true if it comes, cleanly or by reset, without another byte before it.
  bool ends() { return buffer_.empty() && !fill() && !timed_out_; }

 private:
  struct Socket {
    Socket() = default;
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() { close(); }
    void close() {
      if (number >= 0) ::close(number);
      number = -1;
    }
    int number = -1;
  };
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  void connect_to(std::uint16_t port, const std::string& host) {
    const bool six = host.find(':') != std::string::npos;
    sockaddr_storage address{};
    if (six) {
      auto& in6 = reinterpret_cast<sockaddr_in6&>(address);
      in6.sin6_family = AF_INET6;
      in6.sin6_port = htons(port);
      inet_pton(AF_INET6, host.c_str(), &in6.sin6_addr);
    } else {
      auto& in4 = reinterpret_cast<sockaddr_in&>(address);
      in4.sin_family = AF_INET;
      in4.sin_port = htons(port);
      inet_pton(AF_INET, host.c_str(), &in4.sin_addr);
    }
    socket_.number = ::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    const timeval limit{20, 0};
    setsockopt(socket_.number, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const int on = 1;
    setsockopt(socket_.number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(socket_.number, reinterpret_cast<const sockaddr*>(&address),
                six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in)) != 0) {
      throw std::runtime_error{std::string{"cannot connect: "} + std::strerror(errno)};
    }
  }

  bool fill() {
    char bytes[16384];
    const long count =
        ssl_ ? SSL_read(ssl_.get(), bytes, sizeof bytes) : ::recv(socket_.number, bytes, sizeof bytes, 0);
    if (count <= 0) {
      timed_out_ = !ssl_ && count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
      return false;
    }
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  std::string read_line() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!fill()) return {};
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
  }

  Socket socket_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  std::string buffer_;
  bool timed_out_ = false;
};

}  // namespace valle::tests
