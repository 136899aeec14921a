// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/token.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "k8s/client/file_text.hpp"

namespace valle::k8s {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

class FixedToken final : public TokenSource {
 public:
  explicit FixedToken(Secret token) : token_{std::move(token)} {}
  Result<Secret> current() override { return token_; }

 private:
  Secret token_;
};

/// What may stand in a header; a token with a line end inside would forge one.
bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

class FileToken final : public TokenSource {
 public:
  explicit FileToken(std::filesystem::path file) : file_{std::move(file)} {}

  Result<Secret> current() override {
    const std::scoped_lock lock{mutex_};
    std::string now = fingerprint_of(file_);
    if (token_ && now == seen_) return *token_;
    auto token = read();
    if (token) {
      token_ = *token;
      seen_ = std::move(now);
    } else if (token_) {
      return *token_;  // between two versions of the file the old token is better than none
    }
    return token;
  }

  void was_refused() override {
    const std::scoped_lock lock{mutex_};
    seen_.clear();
  }

 private:
  Result<Secret> read() const {
    auto text = text_of_file(file_);
    if (!text) return refuse(Errc::unauthorized, "the token " + text.error().detail, file_.string());
    std::string token = trimmed(*text);
    if (token.empty()) return refuse(Errc::unauthorized, "the token file is empty", file_.string());
    if (!is_printable(token)) {
      return refuse(Errc::unauthorized, "the token holds characters that no token has", file_.string());
    }
    return Secret{std::move(token)};
  }

  std::filesystem::path file_;
  std::mutex mutex_;
  std::string seen_;  // the file's fingerprint when `token_` was read
  std::optional<Secret> token_;
};

}  // namespace

std::shared_ptr<TokenSource> fixed_token(Secret token) { return std::make_shared<FixedToken>(std::move(token)); }

std::shared_ptr<TokenSource> token_from_file(std::filesystem::path file) {
  return std::make_shared<FileToken>(std::move(file));
}

}  // namespace valle::k8s
