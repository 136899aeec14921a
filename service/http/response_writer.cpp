// SPDX-License-Identifier: Apache-2.0
#include "service/http/response_writer.hpp"

#include <array>
#include <charconv>

namespace valle::service::http {

namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "-";
  }
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  for (const char c : value) out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  out += "\r\n";
}

/// RFC 9110, 8.6 and 15: these have neither a body nor a length.
bool never_has_body(int status) { return status == 204 || status == 304; }

}  // namespace

void append_head(std::string& out, const Response& response, const Framing& framing) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(response.status));
  out += ' ';
  out += reason_of(response.status);
  out += "\r\n";
  if (!framing.date.empty()) append_header(out, "Date", framing.date);
  if (!framing.request_id.empty()) append_header(out, "X-Request-Id", framing.request_id);
  if (!response.content_type.empty()) append_header(out, "Content-Type", response.content_type);
  if (!never_has_body(response.status)) {
    out += "Content-Length: ";
    append_number(out, response.length());
    out += "\r\n";
  }
  for (const auto& [name, value] : response.headers) append_header(out, name, value);
  if (!framing.keep_alive) {
    out += "Connection: close\r\n";
  } else if (framing.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

bool has_body(const Response& response, const Framing& framing) {
  return !framing.without_body && !never_has_body(response.status) && response.length() > 0;
}

}  // namespace valle::service::http
