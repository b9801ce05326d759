// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/image/image.h"

#include <fmt/format.h>
#include <link.h>
#include <llvm-c/Core.h>

#include <cstring>

#include "codegen/cpu/target/target.h"
#include "support/bytes.h"

namespace skald::cpu {

std::string to_bytes(const ProgramImage& image) {
  ByteWriter out;
  out.number(image.parts.size());
  bool complete = true;
  for (const ProgramImage::Part& part : image.parts) {
    out.number(part.symbols.size());
    for (const std::string& symbol : part.symbols) out.text(symbol);
    out.text(part.object);
    out.number(static_cast<uint64_t>(part.level));
    out.number(part.quick ? 1 : 0);
    complete = complete && !part.object.empty();
  }
  out.number(image.kernels.size());
  for (const ProgramImage::Kernel& kernel : image.kernels) {
    out.text(kernel.symbol);
    out.number(kernel.group);
  }
  out.number(image.groups.size());
  for (const ProgramImage::Group& group : image.groups) {
    out.number(group.around);
    out.number(group.rival);
  }
  out.text(complete ? std::string_view() : image.bitcode);
  out.number(image.failures.size());
  for (const FailureMessage& failure : image.failures) {
    out.number(failure.loc.index);
    out.number(failure.parts.size());
    for (const auto& part : failure.parts) {
      const Prim* type = std::get_if<Prim>(&part);
      out.number(type != nullptr ? 1 + static_cast<uint64_t>(*type) : 0);
      if (type == nullptr) out.text(std::get<std::string>(part));
    }
  }
  out.number(image.params.size());
  for (const std::string& param : image.params) out.text(param);
  out.number(image.entries.size());
  for (const ProgramImage::Entry& entry : image.entries) {
    out.text(entry.name);
    out.text(entry.symbol);
  }
  return out.take();
}

std::optional<ProgramImage> image_from_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  ProgramImage image;
  image.parts.resize(in.count());
  for (ProgramImage::Part& part : image.parts) {
    part.symbols.resize(in.count());
    for (std::string& symbol : part.symbols) symbol = in.text();
    part.object = in.text();
    part.level = static_cast<int>(in.number());
    part.quick = in.number() != 0;
  }
  image.kernels.resize(in.count());
  for (ProgramImage::Kernel& kernel : image.kernels) {
    kernel.symbol = in.text();
    kernel.group = static_cast<uint32_t>(in.number());
  }
  image.groups.resize(in.count());
  for (ProgramImage::Group& group : image.groups) {
    group.around = static_cast<uint32_t>(in.number());
    group.rival = static_cast<uint32_t>(in.number());
  }
  image.bitcode = in.text();
  image.failures.resize(in.count());
  for (FailureMessage& failure : image.failures) {
    failure.loc.index = static_cast<uint32_t>(in.number());
    failure.parts.resize(in.count());
    for (auto& part : failure.parts) {
      const uint64_t type = in.number();
      if (type == 0)
        part = std::string(in.text());
      else
        part = static_cast<Prim>(type - 1);
    }
  }
  image.params.resize(in.count());
  for (std::string& param : image.params) param = in.text();
  image.entries.resize(in.count());
  for (ProgramImage::Entry& entry : image.entries) {
    entry.name = in.text();
    entry.symbol = in.text();
  }
  if (!in.done()) return std::nullopt;
  return image;
}

namespace {

// What the linker wrote into the executable or library that holds this function: a hash of it.
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

}  // namespace

std::string build_and_machine() {
  const std::string id = build_id();
  if (id.empty()) return {};
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  const HostCpu& host = host_cpu();
  return fmt::format("{}\n{}.{}.{}\n{}\n{}\n{}", id, major, minor, patch, host.triple, host.name,
                     host.features);
}

}  // namespace skald::cpu
