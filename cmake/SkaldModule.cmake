# SPDX-License-Identifier: Apache-2.0
# skald_module(core SOURCES … DEPENDS support): one static library per folder under src/.
# The precompiled header belongs to skald_support and is reused by every other library.
function(skald_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(skald_${name} STATIC ${arg_SOURCES})
  target_include_directories(skald_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_DEPENDS PREPEND skald_)
  target_link_libraries(skald_${name} PUBLIC ${arg_DEPENDS})
  skald_warnings(skald_${name})
  if(name STREQUAL "support")
    target_precompile_headers(skald_support PRIVATE ${PROJECT_SOURCE_DIR}/src/support/pch.h)
  else()
    target_precompile_headers(skald_${name} REUSE_FROM skald_support)
  endif()
endfunction()

function(skald_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers)
  # With optimisation g++ 12 and 13 see out-of-bounds copies inside std::string that are not there.
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-maybe-uninitialized>")
  # Clang 19 sees libstdc++ 12 use its own deprecated functions inside std::stable_sort.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
endfunction()
