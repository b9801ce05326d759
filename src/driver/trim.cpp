// SPDX-License-Identifier: Apache-2.0
#include "driver/trim.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace skald::driver {

namespace {

// Libraries whose code only the compiler uses, and the program itself, which may hold LLVM.
bool is_compiler(std::string_view path, std::string_view program) {
  if (!program.empty() && path.find(program) != std::string_view::npos) return true;
  for (const std::string_view name : {"/libLLVM", "/libz3", "/libicu", "/libxml2"})
    if (path.find(name) != std::string_view::npos) return true;
  return false;
}

}  // namespace

void give_back_compiler_memory() {
  malloc_trim(0);
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return;
  char line[4096], program[4096];
  const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program);
  const std::string_view self(program, length > 0 ? static_cast<size_t>(length) : 0);
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0, offset = 0;
    char access[5] = {};
    if (std::sscanf(line, "%lx-%lx %4s %lx", &begin, &end, access, &offset) != 4) continue;
    if (!is_compiler(line, self)) continue;
    // Only what is exactly as in the file: code, and the tables at its beginning.  Later read-only
    // parts hold relocated addresses.
    const bool code = std::string_view(access) == "r-xp";
    const bool tables = std::string_view(access) == "r--p" && offset == 0;
    if (code || tables) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  std::fclose(maps);
}

}  // namespace skald::driver
