# SPDX-License-Identifier: Apache-2.0
# Toolchain for building on one architecture what runs on the other (HACKING.md, "On the other architecture").
# $SKALD_ARCH is aarch64 or x86_64; the packages for it lie in the folder $SKALD_SYSROOT.
set(arch $ENV{SKALD_ARCH})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${arch})
set(CMAKE_C_COMPILER ${arch}-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER ${arch}-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE ${arch}-linux-gnu)
set(CMAKE_SYSROOT $ENV{SKALD_SYSROOT})
set(CMAKE_FIND_ROOT_PATH $ENV{SKALD_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(LLVM_DIR $ENV{SKALD_SYSROOT}/usr/lib/llvm-19/lib/cmake/llvm)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,$ENV{SKALD_SYSROOT}/usr/lib/${arch}-linux-gnu")
# LLVM's CMake files try this with a C compiler, which we do not ask for.
set(HAVE_FFI_CALL ON CACHE BOOL "")
# The cross compiler does not find it.
set(SKALD_MOLD OFF CACHE BOOL "")
