// SPDX-License-Identifier: Apache-2.0
#include "service/store/serving_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace valle::service::store {

using namespace scheduler;

Result<std::unique_ptr<ServingLock>> ServingLock::take(const std::filesystem::path& database) {
  const std::string name = database.string() + ".lock";
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return refuse(Errc::storage_failed, std::string{"can't be made: "} + std::strerror(errno), name);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    ::close(file);
    return refuse(Errc::storage_failed,
                  "another valle serves this database: end it, or give this one its own with --database",
                  database.string());
  }
  return std::unique_ptr<ServingLock>{new ServingLock{file}};
}

ServingLock::~ServingLock() { ::close(file_); }

}  // namespace valle::service::store
