// SPDX-License-Identifier: Apache-2.0
// The only file that includes Beast: its parser finds the parts of a message, everything else is ours.
#include "service/http/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "scheduler/units/require.hpp"

namespace valle::service::http {

namespace beast = boost::beast;
using beast::http::error;
using scheduler::require;

namespace {

constexpr std::size_t k_first_buffer = 4u << 10;
constexpr std::size_t k_body_buffer = 64u << 10;
/// A body that is announced gets its memory at once, but no more than this before its bytes really come.
constexpr std::size_t k_most_reserved = 1u << 20;

std::string lower_case(beast::string_view text) {
  std::string lower{text.data(), text.size()};
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// Beast's parser with its parts collected straight into a Head and a body.
class Parser final : public beast::http::basic_parser<true> {
 public:
  RequestReader::Head head;
  std::string body;
  std::size_t largest_body = 0;
  bool has_request_line = false;
  bool body_too_large = false;

 private:
  using error_code = beast::error_code;
  using string_view = beast::string_view;

  void on_request_impl(beast::http::verb, string_view method, string_view target, int version, error_code&) override {
    head.method.assign(method.data(), method.size());
    head.target.assign(target.data(), target.size());
    head.http_1_0 = version == 10;
    has_request_line = true;
  }
  void on_field_impl(beast::http::field, string_view name, string_view value, error_code&) override {
    if (is_header_done()) return;  // a trailer: nobody asked for it
    head.headers.emplace_back(lower_case(name), std::string{value.data(), value.size()});
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    if (length) body.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, k_most_reserved)));
  }
  std::size_t on_body_impl(string_view bytes, error_code& ec) override { return append(bytes, ec); }
  void on_chunk_header_impl(std::uint64_t size, string_view, error_code& ec) override {
    if (size > largest_body - body.size()) {
      body_too_large = true;
      ec = error::body_limit;
    }
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code& ec) override {
    return append(bytes, ec);
  }
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, string_view, int, error_code&) override {}

  std::size_t append(string_view bytes, error_code& ec) {
    if (bytes.size() > largest_body - body.size()) {
      body_too_large = true;
      ec = error::body_limit;
      return 0;
    }
    body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
};

}  // namespace

struct RequestReader::State {
  explicit State(Limits l) : limits{l}, buffer(k_first_buffer) { begin_request(); }

  void begin_request() {
    parser.emplace();
    parser->header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    // Ours, by route. Not `none`: Boost 1.74 takes every Content-Length to be larger than no limit.
    parser->body_limit(std::numeric_limits<std::uint64_t>::max());
    header_seen = false;
    body_wanted = false;
    header_bytes = 0;
    refusal.reset();
  }

  [[nodiscard]] std::size_t buffered() const { return end - begin; }

  Progress refuse(int status, std::string detail) {
    refusal = Refusal{status, std::move(detail)};
    return Progress::refused;
  }

  /// RFC 9112, 2.2: empty lines before a request line are skipped.
  void skip_empty_lines() {
    while (buffered() >= 2 && buffer[begin] == '\r' && buffer[begin + 1] == '\n') begin += 2;
  }

  Progress advance_header() {
    if (!parser->has_request_line) skip_empty_lines();
    if (buffered() == 0 || (buffered() == 1 && buffer[begin] == '\r')) return Progress::needs_bytes;
    beast::error_code ec;
    const std::size_t used = parser->put(boost::asio::const_buffer{buffer.data() + begin, buffered()}, ec);
    begin += used;
    header_bytes += used;
    const bool unfinished = ec == error::need_more;
    const bool too_long =
        unfinished ? header_bytes + buffered() >= limits.header_bytes : header_bytes > limits.header_bytes;
    if (too_long || ec == error::header_limit) return refuse_long_header();
    if (parser->has_request_line && parser->head.target.size() > limits.target_bytes) return refuse_long_target();
    if (unfinished) return Progress::needs_bytes;
    if (ec) return refuse_malformed(ec);
    if (!parser->is_header_done()) return Progress::needs_bytes;
    return finish_header();
  }

  Progress refuse_long_target() {
    return refuse(414, "the address has more than " + std::to_string(limits.target_bytes) + " bytes");
  }

  Progress refuse_long_header() {
    if (!parser->has_request_line) return refuse_long_target();
    return refuse(431, "request line and headers have more than " + std::to_string(limits.header_bytes) + " bytes");
  }

  Progress refuse_malformed(const beast::error_code& ec) {
    if (ec == error::bad_version) return refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    if (ec == error::body_limit) return refuse(413, "the body is larger than what is read here");
    return refuse(400, "the request is not well-formed HTTP: " + ec.message());
  }

  Progress finish_header() {
    Head& head = parser->head;
    head.keep_alive = parser->keep_alive();
    head.chunked = parser->chunked();
    if (const auto length = parser->content_length()) head.content_length = *length;
    std::size_t hosts = 0;
    for (const auto& [name, value] : head.headers) {
      if (name == "host") ++hosts;
      if (name == "transfer-encoding" && (lower_case(value) != "chunked" || !head.chunked)) {
        return refuse(501, "of the transfer encodings only 'chunked' is known");
      }
      if (name == "expect") {
        if (lower_case(value) != "100-continue") return refuse(417, "of the expectations only '100-continue' is known");
        head.expects_continue = !head.http_1_0;
      }
    }
    // RFC 9112, 3.2 and 6.1: both are signs of a confused or a smuggling client.
    if (hosts > 1 || (hosts == 0 && !head.http_1_0)) return refuse(400, "there must be exactly one Host header");
    if (head.chunked && head.http_1_0) return refuse(400, "HTTP/1.0 has no transfer encoding");
    header_seen = true;
    return Progress::header;
  }

  Progress advance_body() {
    require(body_wanted, "take_body comes before the body");
    while (!parser->is_done()) {
      beast::error_code ec;
      const std::size_t used = parser->put(boost::asio::const_buffer{buffer.data() + begin, buffered()}, ec);
      begin += used;
      if (parser->body_too_large) {
        return refuse(413, "the body has more than " + std::to_string(parser->largest_body) +
                               " bytes, the most that is read here");
      }
      if (ec && ec != error::need_more) return refuse_malformed(ec);
      if (parser->is_done()) break;
      if (buffered() >= limits.header_bytes && used == 0)
        return refuse(400, "a chunk's header or the trailer is too long");
      if (ec == error::need_more || buffered() == 0) return Progress::needs_bytes;
    }
    return Progress::complete;
  }

  /// Room at the end: by moving what is left to the front, and by growing for long headers and bodies.
  std::span<char> room() {
    if (begin > 0) {
      std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin), buffer.begin() + static_cast<std::ptrdiff_t>(end),
                buffer.begin());
      end -= begin;
      begin = 0;
    }
    const bool long_body =
        body_wanted && (parser->chunked() || parser->content_length_remaining().value_or(0) > buffer.size());
    const std::size_t wanted = long_body ? k_body_buffer : std::max(k_first_buffer, end * 2);
    if (buffer.size() < wanted) buffer.resize(wanted);
    return {buffer.data() + end, buffer.size() - end};
  }

  void forget_request() {
    begin_request();
    if (buffer.size() > k_first_buffer && buffered() <= k_first_buffer) {
      std::vector<char> small(k_first_buffer);
      std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin), buffer.begin() + static_cast<std::ptrdiff_t>(end),
                small.begin());
      end -= begin;
      begin = 0;
      buffer.swap(small);
    }
  }

  Limits limits;
  std::vector<char> buffer;  ///< the bytes from begin to end are not parsed yet
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<Parser> parser;
  std::size_t header_bytes = 0;
  bool header_seen = false;
  bool body_wanted = false;
  std::optional<Refusal> refusal;
};

RequestReader::RequestReader(Limits limits) : state_{std::make_unique<State>(limits)} {}
RequestReader::~RequestReader() = default;

std::span<char> RequestReader::room() { return state_->room(); }

void RequestReader::received(std::size_t count) {
  require(count <= state_->buffer.size() - state_->end, "bytes fit the room they were put into");
  state_->end += count;
}

RequestReader::Progress RequestReader::advance() {
  if (state_->refusal) return Progress::refused;
  return state_->header_seen ? state_->advance_body() : state_->advance_header();
}

bool RequestReader::started() const { return state_->buffered() > 0 || state_->header_bytes > 0; }

std::size_t RequestReader::body_size() const { return state_->parser->body.size(); }

RequestReader::Head& RequestReader::head() { return state_->parser->head; }

void RequestReader::take_body(std::size_t largest) {
  state_->parser->largest_body = largest;
  state_->body_wanted = true;
}

std::string& RequestReader::body() { return state_->parser->body; }

const RequestReader::Refusal& RequestReader::refusal() const {
  require(state_->refusal.has_value(), "there is a refusal after Progress::refused");
  return *state_->refusal;
}

void RequestReader::next() { state_->forget_request(); }

}  // namespace valle::service::http
