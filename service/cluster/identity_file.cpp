// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/identity_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace valle::service::cluster {
namespace {

int checked(int result) {
  if (result < 0) throw std::system_error{errno, std::generic_category(), "a file in memory"};
  return result;
}

int new_file() {
  const int file = checked(memfd_create("valle-webhook", MFD_CLOEXEC));
  if (fchmod(file, S_IRUSR | S_IWUSR) == 0) return file;
  close(file);
  return checked(-1);
}

}  // namespace

IdentityFile::IdentityFile() : file_{new_file()}, path_{"/proc/self/fd/" + std::to_string(file_)} {}

IdentityFile::~IdentityFile() { close(file_); }

void IdentityFile::put(const Identity& identity) {
  const int fresh = new_file();
  const auto written = [fresh](std::string_view rest) {
    while (!rest.empty()) {
      const ssize_t count = write(fresh, rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  };
  const bool replaced =
      written(identity.certificate) && written(identity.key.reveal()) && dup3(fresh, file_, O_CLOEXEC) >= 0;
  const int reason = errno;
  close(fresh);
  if (!replaced) throw std::system_error{reason, std::generic_category(), "a file in memory"};
}

}  // namespace valle::service::cluster
