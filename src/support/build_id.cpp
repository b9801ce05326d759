// SPDX-License-Identifier: Apache-2.0
#include "support/build_id.h"

#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace skald {

std::string build_id() {
  struct Search {
    uintptr_t address;
    std::string id;
  } search{reinterpret_cast<uintptr_t>(&build_id), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        bool here = false;
        for (int k = 0; k < info->dlpi_phnum; ++k) {
          const ElfW(Phdr)& part = info->dlpi_phdr[k];
          const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && wanted.address >= begin &&
              wanted.address < begin + part.p_memsz)
            here = true;
        }
        if (!here) return 0;
        for (int k = 0; k < info->dlpi_phnum; ++k) {
          const ElfW(Phdr)& part = info->dlpi_phdr[k];
          if (part.p_type != PT_NOTE) continue;
          const char* next = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
          const char* end = next + part.p_memsz;
          while (next + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            std::memcpy(&note, next, sizeof note);
            const char* name = next + sizeof note;
            const char* text = name + ((note.n_namesz + 3) & ~3u);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0)
              for (uint32_t i = 0; i < note.n_descsz; ++i)
                wanted.id += fmt::format("{:02x}", static_cast<unsigned char>(text[i]));
            next = text + ((note.n_descsz + 3) & ~3u);
          }
        }
        return 1;
      },
      &search);
  return search.id;
}

}  // namespace skald
