# SPDX-License-Identifier: Apache-2.0
# Script of valle_embed: writes the header and a source in which each file is an array of bytes.
list(SORT FILES)
set(body "")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${file}" hex HEX)
  get_filename_component(name "${file}" NAME)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND body "constexpr unsigned char k_bytes_${index}[] = {${bytes}0x00};\n")
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(APPEND table "    File{\"${name}\", {reinterpret_cast<const char*>(k_bytes_${index}), ${length}}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${HEADER}" "#pragma once
#include <span>
#include <string_view>
#ifndef VALLE_EMBEDDED_FILE
#define VALLE_EMBEDDED_FILE
namespace valle::embedded {
struct File {
  std::string_view name;
  std::string_view content;
};
}  // namespace valle::embedded
#endif
namespace valle::embedded {
std::span<const File> ${NAME}();
}  // namespace valle::embedded
")
file(WRITE "${SOURCE}" "#include \"embedded/${NAME}.hpp\"
namespace valle::embedded {
namespace {
${body}}  // namespace
std::span<const File> ${NAME}() {
  static const File files[] = {
${table}  };
  return files;
}
}  // namespace valle::embedded
")
