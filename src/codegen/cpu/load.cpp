// SPDX-License-Identifier: Apache-2.0
// What a compiled program is made of.
#include "codegen/cpu/compile.h"
#include "codegen/cpu/emit/module.h"
#include "codegen/cpu/jit/kernel_loader.h"

namespace skald::cpu {

struct CompiledProgram::Impl {
  explicit Impl(ProgramImage image) : loader(std::move(image)) {}
  KernelLoader loader;
  CompileTimes times;
};

CompiledProgram::CompiledProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompiledProgram::CompiledProgram(CompiledProgram&&) noexcept = default;
CompiledProgram& CompiledProgram::operator=(CompiledProgram&&) noexcept = default;
CompiledProgram::~CompiledProgram() = default;

SkaldEntry CompiledProgram::entry(std::string_view name) const {
  for (const ProgramImage::Entry& entry : impl_->loader.image().entries) {
    if (entry.name != name) continue;
    const Result<void*> code = impl_->loader.address(entry.symbol);
    if (!code) SKALD_BUG("{}", code.error());
    return reinterpret_cast<SkaldEntry>(*code);
  }
  return nullptr;
}

void CompiledProgram::expect_call(std::string_view entry, std::span<const int64_t> args,
                                  std::span<const int64_t> tuning, int64_t threads) const {
  impl_->loader.expect_call(entry, args, tuning, threads);
}

const std::vector<FailureMessage>& CompiledProgram::failures() const {
  return impl_->loader.image().failures;
}

const std::vector<std::string>& CompiledProgram::params() const {
  return impl_->loader.image().params;
}

const CompileTimes& CompiledProgram::times() const {
  return impl_->times;
}

std::optional<ProgramImage> CompiledProgram::new_image() const {
  if (!impl_->loader.has_compiled()) return std::nullopt;
  return impl_->loader.image_so_far();
}

Result<CompiledProgram> load(ProgramImage image, const CompileTimes& times) {
  auto impl = std::make_unique<CompiledProgram::Impl>(std::move(image));
  impl->times = times;
  if (const Result<Unit> started = impl->loader.start(); !started) return started.failure();
  // With one entry point it is clear what will be called.
  const std::vector<ProgramImage::Entry>& entries = impl->loader.image().entries;
  if (entries.size() == 1) {
    impl->loader.expect(kSurelyRun);
    const Result<void*> code = impl->loader.address(entries[0].symbol);
    if (!code) return code.failure();
  }
  return CompiledProgram(std::move(impl));
}

}  // namespace skald::cpu
