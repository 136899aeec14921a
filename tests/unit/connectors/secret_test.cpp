// SPDX-License-Identifier: Apache-2.0
#include "connectors/secret/secret.hpp"

#include <gmock/gmock.h>

#include <concepts>
#include <fstream>
#include <ostream>

#include "tests/support/temporary_folder.hpp"

namespace valle::connectors {
namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
static_assert(!Printable<Secret>);
static_assert(!std::convertible_to<Secret, std::string>);
static_assert(!std::equality_comparable<Secret>);

class TokenFile : public testing::Test {
 protected:
  void write(const std::string& text, int age_seconds = 0) {
    std::ofstream{file_} << text;
    std::filesystem::last_write_time(file_,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::seconds{age_seconds});
  }
  std::string read() {
    const auto token = source_->current();
    return token ? token->reveal() : token.error().detail;
  }
  tests::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "token";
  std::shared_ptr<TokenSource> source_ = token_from_file(file_);
};

TEST_F(TokenFile, gives_the_token_without_blanks_and_line_ends) {
  write("  k-4471-demo\r\n\n");
  EXPECT_EQ(read(), "k-4471-demo");
  EXPECT_TRUE(source_->warning().empty());
}

TEST_F(TokenFile, takes_quotes_off_and_says_so_without_saying_the_token) {
  write("\"k-4471-demo\"\n");
  EXPECT_EQ(read(), "k-4471-demo");
  EXPECT_THAT(source_->warning(), testing::HasSubstr("wrapped in quotes"));
  EXPECT_THAT(source_->warning(), testing::Not(testing::HasSubstr("4471")));
}

TEST_F(TokenFile, is_read_again_when_it_changes_also_after_having_been_away) {
  write("old", 100);
  EXPECT_EQ(read(), "old");
  write("new");
  EXPECT_EQ(read(), "new");
  std::filesystem::remove(file_);
  EXPECT_EQ(read(), "the token file is not there or is no file");
  write("newest", 50);
  EXPECT_EQ(read(), "newest");
}

TEST_F(TokenFile, refuses_what_is_no_token_with_the_file_and_never_the_content) {
  write("");
  EXPECT_EQ(read(), "the token file is empty");
  write("\"\"", 1);
  EXPECT_EQ(read(), "the token file is empty");
  write("two tokens", 2);
  EXPECT_THAT(read(), testing::HasSubstr("holds blanks"));
  write("line\nbreak", 3);
  EXPECT_THAT(read(), testing::HasSubstr("holds blanks"));
  write(std::string(8193, 'x'), 4);
  EXPECT_EQ(read(), "the token file is too large for a token");
  write(std::string(8192, 'x'), 5);
  EXPECT_EQ(read(), std::string(8192, 'x'));
  EXPECT_EQ(token_from_file(folder_.path())->current().error().pointer, folder_.path().string());
}

TEST(FixedToken, is_what_was_given) { EXPECT_EQ(fixed_token(Secret{"abc"})->current()->reveal(), "abc"); }

}  // namespace
}  // namespace valle::connectors
