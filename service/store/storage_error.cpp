// SPDX-License-Identifier: Apache-2.0
#include "service/store/storage_error.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <string>

namespace valle::service::store {
namespace {

std::string explain(int code, const std::string& file) {
  switch (code) {
    case SQLITE_FULL:
      return "the disk that holds " + file + " is full: free some space; what was stored before is safe";
    case SQLITE_CORRUPT:
      return "the database " + file + " is damaged: put a backup in its place, or move it away to begin anew";
    case SQLITE_NOTADB: return file + " is not a database: name another file with --database, or move this one away";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "the database " + file + " is locked by another program: end that program or wait until it is done";
    case SQLITE_READONLY:
      return "the database " + file + " cannot be written: give this user write permission on the file and its folder";
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "cannot open the database " + file + ": its folder must exist and this user must be allowed to use it";
    case SQLITE_IOERR:
      return "reading or writing the database " + file +
             " failed: check the disk, that it is not full, and the largest file that is allowed (ulimit -f)";
    default: return "the database " + file + " failed";
  }
}

}  // namespace

scheduler::Error storage_error(const SQLite::Exception& exception, const std::filesystem::path& file) {
  return {scheduler::Errc::storage_failed,
          explain(exception.getErrorCode(), file.string()) + " (" + exception.what() + ")"};
}

}  // namespace valle::service::store
