// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/identity_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

namespace valle::service::cluster {
namespace {

std::string content(std::ifstream& file) { return {std::istreambuf_iterator<char>{file}, {}}; }

TEST(IdentityFile, is_replaced_as_a_whole_under_the_same_path) {
  IdentityFile file;
  file.put({"certificate one\n", connectors::Secret{"key one\n"}});
  std::ifstream before{file.path()};
  struct stat first {};
  ASSERT_EQ(stat(file.path().c_str(), &first), 0);
  file.put({"two\n", connectors::Secret{"key two\n"}});
  std::ifstream after{file.path()};
  struct stat second {};
  ASSERT_EQ(stat(file.path().c_str(), &second), 0);
  EXPECT_EQ(content(before), "certificate one\nkey one\n") << "an open file keeps what it was";
  EXPECT_EQ(content(after), "two\nkey two\n");
  EXPECT_NE(first.st_ino, second.st_ino) << "whoever watches the path must see that it changed";
  EXPECT_EQ(second.st_mode & 0777U, 0600U);
}

}  // namespace
}  // namespace valle::service::cluster
