// SPDX-License-Identifier: Apache-2.0
#include "connectors/secret/secret.hpp"

#include <algorithm>
#include <fstream>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace valle::connectors {
namespace {

namespace fs = std::filesystem;
using scheduler::Errc;
using scheduler::Result;

constexpr std::size_t k_longest_token = 8'192;

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view k_blanks = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(k_blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(k_blanks) - first + 1);
}

class FileToken final : public TokenSource {
 public:
  explicit FileToken(fs::path file) : file_{std::move(file)} {}

  [[nodiscard]] Result<Secret> current() override {
    const std::scoped_lock lock{mutex_};
    std::error_code fault;
    const auto written = fs::last_write_time(file_, fault);
    if (!fault && token_ && written == written_) return *token_;
    auto token = read();
    if (!token) return token;  // an older token is not used: whoever takes the file away means it
    written_ = written;
    token_ = *token;
    return token;
  }

  [[nodiscard]] std::string warning() const override {
    const std::scoped_lock lock{mutex_};
    return warning_;
  }

 private:
  [[nodiscard]] Result<Secret> read() {
    const auto refuse = [&](std::string why) {
      return scheduler::refuse(Errc::invalid_request, "the token file " + std::move(why), file_.string());
    };
    std::error_code ignored;
    if (!fs::is_regular_file(file_, ignored)) return refuse("is not there or is no file");
    std::ifstream stream{file_, std::ios::binary};
    std::string content(k_longest_token + 1, '\0');
    if (!stream) return refuse("can't be read");
    stream.read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<std::size_t>(stream.gcount()));
    if (content.size() > k_longest_token) return refuse("is too large for a token");
    std::string_view token = without_blanks(content);
    const bool wrapped = token.size() >= 2 && token.front() == token.back() && (token[0] == '"' || token[0] == '\'');
    if (wrapped) token = without_blanks(token.substr(1, token.size() - 2));
    warning_ = wrapped ? "the token in " + file_.string() + " is wrapped in quotes; they were taken off" : "";
    if (token.empty()) return refuse("is empty");
    if (std::any_of(token.begin(), token.end(), [](char c) { return c <= ' ' || c > '~'; })) {
      return refuse("holds blanks, line breaks or characters that no token has");
    }
    return Secret{std::string{token}};
  }

  const fs::path file_;
  mutable std::mutex mutex_;
  fs::file_time_type written_{};
  std::optional<Secret> token_;
  std::string warning_;
};

class FixedToken final : public TokenSource {
 public:
  explicit FixedToken(Secret token) : token_{std::move(token)} {}
  [[nodiscard]] Result<Secret> current() override { return token_; }

 private:
  const Secret token_;
};

}  // namespace

std::shared_ptr<TokenSource> token_from_file(fs::path file) { return std::make_shared<FileToken>(std::move(file)); }

std::shared_ptr<TokenSource> fixed_token(Secret token) { return std::make_shared<FixedToken>(std::move(token)); }

}  // namespace valle::connectors
