# SPDX-License-Identifier: Apache-2.0
# `cmake --install BUILD --prefix PREFIX` (or ./skald-dev install PREFIX): the program, the library, its headers, and what
# CMake (find_package(skald)) and pkg-config need to find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS skald RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Completions and the manual page come from the description that the program itself reads.
set(SKALD_PAGES ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${SKALD_PAGES})
add_custom_command(OUTPUT ${SKALD_PAGES}/skald.1 ${SKALD_PAGES}/skald.bash ${SKALD_PAGES}/_skald ${SKALD_PAGES}/skald.fish
  COMMAND skald manual > ${SKALD_PAGES}/skald.1
  COMMAND skald completions bash > ${SKALD_PAGES}/skald.bash
  COMMAND skald completions zsh > ${SKALD_PAGES}/_skald
  COMMAND skald completions fish > ${SKALD_PAGES}/skald.fish
  DEPENDS skald VERBATIM)
add_custom_target(skald_pages ALL DEPENDS ${SKALD_PAGES}/skald.1)
install(FILES ${SKALD_PAGES}/skald.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${SKALD_PAGES}/skald.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME skald)
install(FILES ${SKALD_PAGES}/_skald DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${SKALD_PAGES}/skald.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(TARGETS skald_shared EXPORT skaldTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/skald DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(SKALD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/skald)
install(EXPORT skaldTargets NAMESPACE skald:: DESTINATION ${SKALD_PACKAGE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/skaldConfig.cmake.in
  ${PROJECT_BINARY_DIR}/skaldConfig.cmake INSTALL_DESTINATION ${SKALD_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/skaldConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skaldConfig.cmake ${PROJECT_BINARY_DIR}/skaldConfigVersion.cmake
  DESTINATION ${SKALD_PACKAGE_DIR})

# From LIBDIR/pkgconfig up to the prefix; LIBDIR has more than one part on some systems.
file(RELATIVE_PATH SKALD_PC_UP /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${CMAKE_CURRENT_LIST_DIR}/skald.pc.in ${PROJECT_BINARY_DIR}/skald.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/skald.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
