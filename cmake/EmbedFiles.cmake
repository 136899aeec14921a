# SPDX-License-Identifier: Apache-2.0
# valle_embed(TARGET NAME name FILES f1 f2 …): makes `embedded/<name>.hpp` with
#   namespace valle::embedded { std::span<const File> <name>(); }  // File {std::string_view name, content}
# Files are compiled in byte for byte, in the order of their names.
function(valle_embed target)
  cmake_parse_arguments(ARG "" "NAME" "FILES" ${ARGN})
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/embedded_${ARG_NAME}")
  set(source "${directory}/embedded/${ARG_NAME}.cpp")
  set(header "${directory}/embedded/${ARG_NAME}.hpp")
  add_custom_command(
    OUTPUT "${source}" "${header}"
    COMMAND "${CMAKE_COMMAND}" -DNAME=${ARG_NAME} -DSOURCE=${source} -DHEADER=${header} "-DFILES=${ARG_FILES}"
            -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${ARG_FILES} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}" "${header}")
  target_include_directories(${target} PUBLIC "${directory}")
endfunction()
