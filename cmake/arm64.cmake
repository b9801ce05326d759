# SPDX-License-Identifier: Apache-2.0
# Toolchain for building on x86-64 what runs on arm64 (HACKING.md, "On the other architecture").
# The packages for arm64 lie in the folder $SKALD_SYSROOT, the emulator is on the PATH.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT $ENV{SKALD_SYSROOT})
set(CMAKE_FIND_ROOT_PATH $ENV{SKALD_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(LLVM_DIR $ENV{SKALD_SYSROOT}/usr/lib/llvm-19/lib/cmake/llvm)
set(libraries $ENV{SKALD_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}")
# LLVM's CMake files try this with a C compiler, which we do not ask for.
set(HAVE_FFI_CALL ON CACHE BOOL "")
# The cross compiler does not find it.
set(SKALD_MOLD OFF CACHE BOOL "")
