// SPDX-License-Identifier: Apache-2.0
// The only file that includes cpprestsdk. Its exceptions and tasks end here.
#include "connectors/transport/cpprest_transport.hpp"

#include <cpprest/http_client.h>
#include <pplx/threadpool.h>

#include <algorithm>
#include <boost/asio/ssl/context.hpp>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "connectors/transport/address.hpp"

namespace valle::connectors {
namespace {

namespace http = web::http;
using Clock = std::chrono::steady_clock;
using Kind = TransportFailure::Kind;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned k_most_redirects = 3;
constexpr std::size_t k_most_clients = 32;
constexpr std::size_t k_chunk = 64 * 1024;
/// Of the library's own, for each single step; ours, for the whole exchange, is shorter.
constexpr std::chrono::seconds k_step_timeout{120};

/// Ends an exchange on our side of the library; never leaves this file.
struct Stop {
  TransportFailure failure;
};

[[noreturn]] void stop(Kind kind, std::string detail) { throw Stop{{kind, std::move(detail)}}; }

/// One exchange: its deadline, and the token that calls everything off.
struct Exchange {
  Clock::time_point deadline;
  std::size_t largest_body;
  pplx::cancellation_token_source calling_off = {};

  /// The task's result; past the deadline the exchange is called off instead. `keep` lives until the task is over, even
  /// where nobody waits for it any more.
  template <class T>
  T result_of(pplx::task<T> task, std::shared_ptr<Bytes> keep = nullptr) {
    auto done = std::make_shared<std::promise<void>>();
    auto finished = done->get_future();
    task.then([done, keep](pplx::task<T> ended) {
      try {
        (void)ended.get();  // an exception that nobody looks at would end the program
      } catch (...) {       // whoever waits gets it again below
      }
      done->set_value();
    });
    if (finished.wait_until(deadline) != std::future_status::ready) {
      calling_off.cancel();
      stop(Kind::timed_out, "no whole answer in time");
    }
    return task.get();
  }
};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// `application/json; charset=utf-8` → `application/json`
std::string media_type(const std::string& value) {
  std::string type = value.substr(0, value.find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return lower_case(std::move(type));
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string authority_of(const web::uri& address) {
  const int port = address.port() > 0 ? address.port() : (address.scheme() == "https" ? 443 : 80);
  return lower_case(address.scheme() + "://" + address.host()) + ":" + std::to_string(port);
}

/// The library tells kinds of failure apart only by its message.
TransportFailure failure_of(const http::http_exception& error) {
  const std::string said = error.what();
  const auto says = [&](std::string_view words) { return said.find(words) != std::string::npos; };
  if (error.error_code() == std::errc::timed_out) return {Kind::timed_out, "no answer in time"};
  if (says("SSL") || says("handshake") || says("certificate")) return {Kind::tls, "the TLS connection failed: " + said};
  if (says("connect to any") || says("resolving") || says("connection refused") || says("Connection refused")) {
    return {Kind::refused, "no connection: " + said};
  }
  return {Kind::cut, "the connection broke: " + said};
}

class CpprestTransport final : public HttpTransport {
 public:
  explicit CpprestTransport(TransportOptions options) : options_{std::move(options)} {
    static std::once_flag once;
    std::call_once(once, [&] {
      try {
        crossplat::threadpool::initialize_with_threads(std::max(1U, options_.threads));
      } catch (const std::exception&) {  // somebody has used the library before: its pool stays as it is
      }
    });
  }

  Result get(const HttpRequest& request) override {
    const auto address = [&] { return address_of(request.base_url, request.path, request.query); };
    return carried_out(request, address, {});
  }

  Result post(const HttpRequest& request) override {
    const auto address = [&] { return address_of(request.base_url, request.path, {}); };
    if (!request.json.empty()) return carried_out(request, address, Body{request.json, "application/json"});
    return carried_out(request, address, Body{form_of(request.query), "application/x-www-form-urlencoded"});
  }

 private:
  struct Body {
    std::string text;
    const char* type;
  };

  /// With a body a POST, else a GET. `address()` may throw.
  template <class Address>
  Result carried_out(const HttpRequest& request, Address address, std::optional<Body> body) {
    Exchange exchange{Clock::now() + request.timeout, request.largest_body};
    try {
      return {.reply = follow(web::uri{address()}, {request.headers, std::move(body)}, exchange), .failure = {}};
    } catch (const Stop& stopped) {
      return fail(stopped.failure);
    } catch (const http::http_exception& error) {
      return fail(failure_of(error));
    } catch (const web::uri_exception&) {
      return fail({Kind::bad_address, "the address is malformed"});
    } catch (const pplx::task_canceled&) {
      return fail({Kind::timed_out, "no answer in time"});
    } catch (const std::exception& error) {
      return fail({Kind::cut, std::string{"the exchange failed: "} + error.what()});
    }
  }

  static Result fail(TransportFailure failure) { return {.reply = {}, .failure = std::move(failure)}; }

  /// What travels beside the address.
  struct Load {
    std::vector<std::pair<std::string, std::string>> headers;
    std::optional<Body> body;
  };

  HttpReply follow(web::uri address, Load load, Exchange& exchange) {
    const std::string home = authority_of(address);
    for (unsigned redirects = 0;; ++redirects) {
      if ((address.scheme() != "http" && address.scheme() != "https") || address.host().empty()) {
        stop(Kind::bad_address, "an address begins with http:// or https:// and a host");
      }
      if (!address.user_info().empty()) stop(Kind::bad_address, "an address must not hold a user or password");
      // Keys are for the host that they were given for.
      if (authority_of(address) != home) load.headers.clear();
      HttpReply reply = ask(address, load, exchange);
      const auto location = reply.header("location");
      if (!is_redirect(reply.status) || !location) return reply;
      if (load.body && reply.status != 307 && reply.status != 308) return reply;
      if (redirects == k_most_redirects) stop(Kind::bad_address, "more than 3 redirects");
      const web::uri next = address.resolve_uri(std::string{*location});
      if (address.scheme() == "https" && next.scheme() != "https") {
        stop(Kind::tls, "a redirect leads out of https");
      }
      address = next;
    }
  }

  HttpReply ask(const web::uri& address, const Load& load, Exchange& exchange) {
    http::http_request request{load.body ? http::methods::POST : http::methods::GET};
    request.set_request_uri(address.resource());
    request.headers().add("User-Agent", options_.user_agent);
    for (const auto& [name, value] : load.headers) request.headers().add(name, value);
    if (load.body) {  // as bytes: the library's way with a text reads its buffer as one of another type
      request.set_body(std::vector<unsigned char>{load.body->text.begin(), load.body->text.end()});
      request.headers().set_content_type(load.body->type);
    }
    const auto client = client_for(address);
    const http::http_response response = exchange.result_of(client->request(request, exchange.calling_off.get_token()));
    HttpReply reply;
    reply.status = response.status_code();
    for (const auto& [name, value] : response.headers()) reply.headers.emplace_back(lower_case(name), value);
    if (const auto type = reply.header("content-type")) reply.content_type = media_type(std::string{*type});
    reply.body = body_of(response, exchange);
    return reply;
  }

  static std::string body_of(const http::http_response& response, Exchange& exchange) {
    std::string body;
    auto stream = response.body().streambuf();
    const auto chunk = std::make_shared<Bytes>(k_chunk);
    for (;;) {
      const std::size_t count = exchange.result_of(stream.getn(chunk->data(), chunk->size()), chunk);
      if (count == 0) break;
      if (body.size() + count > exchange.largest_body) {
        exchange.calling_off.cancel();
        stop(Kind::too_large, "the answer is larger than " + std::to_string(exchange.largest_body) + " bytes");
      }
      body.append(chunk->begin(), chunk->begin() + static_cast<std::ptrdiff_t>(count));
    }
    // A body that was cut ends quietly here; the library tells only now.
    (void)exchange.result_of(response.content_ready());
    return body;
  }

  std::shared_ptr<http::client::http_client> client_for(const web::uri& address) {
    const std::string authority = authority_of(address);
    const std::scoped_lock lock{mutex_};
    if (const auto found = clients_.find(authority); found != clients_.end()) return found->second;
    if (clients_.size() == k_most_clients) clients_.clear();  // those in use live on until their exchange is over
    http::client::http_client_config config;
    config.set_validate_certificates(true);
    config.set_timeout(k_step_timeout);
    config.set_max_redirects(0);
    config.set_request_compressed_response(true);
    if (!options_.extra_ca_file.empty()) {
      config.set_ssl_context_callback([file = options_.extra_ca_file.string()](boost::asio::ssl::context& context) {
        context.load_verify_file(file);
      });
    }
    auto client = std::make_shared<http::client::http_client>(web::uri{authority}, config);
    clients_.emplace(authority, client);
    return client;
  }

  const TransportOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<http::client::http_client>> clients_;  // a host each, for its connections
};

}  // namespace

std::unique_ptr<HttpTransport> make_cpprest_transport(TransportOptions options) {
  return std::make_unique<CpprestTransport>(std::move(options));
}

}  // namespace valle::connectors
