// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/strand.hpp>
#include <memory>
#include <utility>  // before Asio's awaitable header, which forgets it

#include "service/http/server_context.hpp"

namespace valle::service::http {

/// One strand a connection. Named, not type-erased: this is on the path of every request.
using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;

/// What a new connection is for.
enum class Admission {
  serve,
  refuse,  ///< there are too many: 503 and close
};

/// Serves an accepted socket until it ends, on its strand; over TLS where `tls` is given.
void serve_connection(const std::shared_ptr<ServerContext>& context, Socket socket,
                      std::shared_ptr<boost::asio::ssl::context> tls, Admission admission);

}  // namespace valle::service::http
