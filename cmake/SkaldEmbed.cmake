# SPDX-License-Identifier: Apache-2.0
# Files into the program, as C++ string literals.
#
#   skald_embed(OUT x.cpp HEADER "driver/error_pages.h" TYPE skald::driver::ErrorPage
#               FUNCTION "std::span<const skald::driver::ErrorPage> skald::driver::error_pages()" FILES a.md b.md)
#
# writes, at build time, a function that gives one {name without folder and extension, text} per file.
set(SKALD_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

function(skald_embed)
  cmake_parse_arguments(arg "" "OUT;HEADER;TYPE;FUNCTION" "FILES" ${ARGN})
  list(JOIN arg_FILES "|" files)
  add_custom_command(
    OUTPUT ${arg_OUT}
    COMMAND ${CMAKE_COMMAND} "-DOUT=${arg_OUT}" "-DHEADER=${arg_HEADER}" "-DTYPE=${arg_TYPE}"
            "-DFUNCTION=${arg_FUNCTION}" "-DFILES=${files}" -P ${SKALD_EMBED_SCRIPT}
    DEPENDS ${arg_FILES} ${SKALD_EMBED_SCRIPT}
    VERBATIM)
endfunction()
