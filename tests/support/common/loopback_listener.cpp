// SPDX-License-Identifier: Apache-2.0
#include "tests/support/common/loopback_listener.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace valle::tests {

LoopbackListener::LoopbackListener(Serve serve) : serve_{std::move(serve)} {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, raw, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, raw, &size) != 0) {
    std::perror("a test server can't listen on loopback");
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread{[this] { accept_all(); }};
}

LoopbackListener::~LoopbackListener() {
  {
    const std::scoped_lock lock{mutex_};
    closing_ = true;
    for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  workers_.clear();  // joins
  ::close(listener_);
}

std::size_t LoopbackListener::connections() const {
  const std::scoped_lock lock{mutex_};
  return connections_;
}

void LoopbackListener::accept_all() {
  for (;;) {
    const int socket = ::accept(listener_, nullptr, nullptr);
    if (socket < 0) return;
    const std::scoped_lock lock{mutex_};
    if (closing_) {
      ::close(socket);
      return;
    }
    open_.push_back(socket);
    workers_.emplace_back([this, socket, number = ++connections_] { run(socket, number); });
  }
}

void LoopbackListener::run(int socket, std::size_t number) {
  serve_(socket, number);
  const std::scoped_lock lock{mutex_};
  open_.erase(std::remove(open_.begin(), open_.end(), socket), open_.end());
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
}

}  // namespace valle::tests
