// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "k8s/client/api_error.hpp"
#include "k8s/client/clock.hpp"
#include "k8s/client/path.hpp"
#include "k8s/client/rate_limiter.hpp"
#include "k8s/client/token.hpp"
#include "k8s/client/transport.hpp"

namespace valle::k8s {

using Json = nlohmann::json;

enum class Mode { real, dry_run };
enum class FieldValidation { server_default, ignore, warn, strict };

/// How long and how a call may go on.
struct Call {
  SteadyTime deadline;
  std::stop_token stop = {};
  Mode mode = Mode::real;
  FieldValidation validation = FieldValidation::server_default;
};

struct Answer {
  Json object;
  std::vector<std::string> warnings = {};  ///< texts of `Warning: 299` headers
};

struct Selection {
  std::string labels = {};  ///< labelSelector
  std::string fields = {};  ///< fieldSelector
};

/// Which page of a list.
struct PageRequest {
  std::string token = {};  ///< `next` of the page before; empty: the first
  std::size_t limit = 0;   ///< objects; 0: the client's own
};

/// One page of a list.
struct Page {
  std::vector<Json> items = {};
  std::string resource_version = {};
  std::string next = {};  ///< token for the next page; empty: this was the last
};

struct Listing {
  std::vector<Json> items = {};
  std::string resource_version = {};
};

/// A change to a part of an object. A stale `metadata.resourceVersion` in a merge or apply body is a `conflict`; a
/// `test` that fails in a JSON patch is `invalid`.
struct Patch {
  enum class Type { merge, json, strategic, apply };
  Type type = Type::merge;
  Json body = {};
  std::string manager = {};                                              ///< fieldManager; empty: the client's own
  enum class Conflicts { report, force } conflicts = Conflicts::report;  ///< for `apply` alone
};

struct Deletion {
  enum class Propagation { server_default, background, foreground, orphan };
  Propagation propagation = Propagation::server_default;
  std::string uid = {};               ///< precondition; empty: none
  std::string resource_version = {};  ///< precondition; empty: none
};

struct ClientOptions {
  std::string user_agent = "valle";
  std::string field_manager = "valle";
  Rate rate = {};
  std::size_t page = 500;
  std::size_t most_items = 200'000;  ///< of a whole list
};

/// The verbs of the API server, blocking. Nothing is repeated but a call that got 401 with a token that had changed;
/// see `with_retries`. Waits for its own rate limit inside the deadline. Safe from any thread; clients may share a
/// transport.
class Client final {
 public:
  /// `token` may be null.
  Client(std::shared_ptr<Transport> transport, std::shared_ptr<TokenSource> token, std::shared_ptr<Clock> clock,
         ClientOptions options = {});

  [[nodiscard]] ApiResult<Answer> get(const ObjectPath& object, const Call& call);
  /// The whole collection, page by page; begins again (twice at most) where a page's token has expired.
  [[nodiscard]] ApiResult<Listing> list(const Collection& collection, const Selection& selection, const Call& call);
  /// `expired` where the page's token is too old: begin again.
  [[nodiscard]] ApiResult<Page> list_page(const Collection& collection, const Selection& selection,
                                          const PageRequest& page, const Call& call);
  [[nodiscard]] ApiResult<Answer> create(const Collection& collection, const Json& object, const Call& call);
  /// PUT; with `metadata.resourceVersion` in the object a stale one is a conflict.
  [[nodiscard]] ApiResult<Answer> update(const ObjectPath& object, const Json& content, const Call& call);
  [[nodiscard]] ApiResult<Answer> patch(const ObjectPath& object, const Patch& patch, const Call& call);
  [[nodiscard]] ApiResult<Answer> remove(const ObjectPath& object, const Deletion& deletion, const Call& call);
  /// GET of any path, such as `/version`.
  [[nodiscard]] ApiResult<Answer> read(const std::string& path, const Query& query, const Call& call);
  /// GET of a path whose body is lines; returns when the server ends it or the sink has enough.
  [[nodiscard]] ApiResult<void> stream(const std::string& path, const Query& query, const LineSink& line,
                                       const Call& call);

  [[nodiscard]] const ClientOptions& options() const { return options_; }
  [[nodiscard]] Clock& clock() const { return *clock_; }

 private:
  [[nodiscard]] ApiResult<Answer> ask(Request request, std::stop_token stop);
  [[nodiscard]] ApiResult<void> wait_for_turn(SteadyTime deadline, const std::stop_token& stop);
  template <class Exchange>
  [[nodiscard]] ApiResult<Response> authorized(Request& request, const std::stop_token& stop, Exchange exchange);

  std::shared_ptr<Transport> transport_;
  std::shared_ptr<TokenSource> token_;
  std::shared_ptr<Clock> clock_;
  ClientOptions options_;
  RateLimiter limiter_;
};

}  // namespace valle::k8s
