// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/image/image.h"

#include <fmt/format.h>
#include <llvm-c/Core.h>

#include "codegen/clike/failure_bytes.h"
#include "codegen/cpu/target/target.h"
#include "machine/cache_fingerprint.h"
#include "support/build_id.h"
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
    out.number(part.soon ? 1 : 0);
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
  clike::write_failures(out, image.failures);
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
    part.soon = in.number() != 0;
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
  image.failures = clike::read_failures(in);
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

std::string find_build_and_machine() {
  const std::string id = build_id();
  if (id.empty()) return {};
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  const HostCpu& host = host_cpu();
  return fmt::format("{}\n{}.{}.{}\n{}\n{}\n{}\n{}", id, major, minor, patch, host.triple,
                     host.name, host.features, machine::cache_fingerprint());
}

}  // namespace

std::string machine_identity() {
  const HostCpu& host = host_cpu();
  return fmt::format("{}\n{}\n{}", host.name, host.features, machine::cache_fingerprint());
}

const std::string& build_and_machine() {
  static const std::string kKnown = find_build_and_machine();
  return kKnown;
}

}  // namespace skald::cpu
