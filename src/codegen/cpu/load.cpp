// SPDX-License-Identifier: Apache-2.0
// Object code → addresses.  LLJIT compiles nothing here: it places, relocates and protects.
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include "codegen/cpu/compile.h"
#include "codegen/cpu/symbols.h"
#include "codegen/cpu/target.h"

namespace skald::cpu {

struct CompiledProgram::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  ProgramImage image;
  std::vector<std::pair<std::string, SkaldEntry>> entries;
  CompileTimes times;
};

CompiledProgram::CompiledProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompiledProgram::CompiledProgram(CompiledProgram&&) noexcept = default;
CompiledProgram& CompiledProgram::operator=(CompiledProgram&&) noexcept = default;
CompiledProgram::~CompiledProgram() = default;

SkaldEntry CompiledProgram::entry(std::string_view name) const {
  for (const auto& [entry, address] : impl_->entries)
    if (entry == name) return address;
  return nullptr;
}

const std::vector<FailureMessage>& CompiledProgram::failures() const {
  return impl_->image.failures;
}

const std::vector<std::string>& CompiledProgram::params() const {
  return impl_->image.params;
}

const CompileTimes& CompiledProgram::times() const {
  return impl_->times;
}

namespace {

// What the code calls outside, found when it is asked for.
class OutsideSymbols : public llvm::orc::DefinitionGenerator {
 public:
  explicit OutsideSymbols(char prefix) : prefix_(prefix) {}

  llvm::Error tryToGenerate(llvm::orc::LookupState&, llvm::orc::LookupKind,
                            llvm::orc::JITDylib& library, llvm::orc::JITDylibLookupFlags,
                            const llvm::orc::SymbolLookupSet& wanted) override {
    llvm::orc::SymbolMap found;
    for (const auto& [symbol, flags] : wanted) {
      llvm::StringRef name = *symbol;
      if (prefix_ != 0) name.consume_front(llvm::StringRef(&prefix_, 1));
      if (void* address = symbol_address({name.data(), name.size()}))
        found[symbol] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    }
    if (found.empty()) return llvm::Error::success();
    return library.define(llvm::orc::absoluteSymbols(std::move(found)));
  }

 private:
  char prefix_;
};

Failure<std::string> failed(llvm::Error error) {
  return Failure("cannot load machine code: " + llvm::toString(std::move(error)));
}

}  // namespace

Result<CompiledProgram> load(ProgramImage image, const CompileTimes& times) {
  initialise_target();
  auto impl = std::make_unique<CompiledProgram::Impl>();
  impl->image = std::move(image);
  impl->times = times;
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(host_cpu().triple)};
  llvm::orc::LLJITBuilder jit_builder;
  jit_builder.setJITTargetMachineBuilder(std::move(builder))
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
      .setLinkProcessSymbolsByDefault(false);
  auto jit = jit_builder.create();
  if (!jit) return failed(jit.takeError());
  impl->jit = std::move(*jit);
  impl->jit->getMainJITDylib().addGenerator(
      std::make_unique<OutsideSymbols>(impl->jit->getDataLayout().getGlobalPrefix()));
  // The JIT reads the objects where they are, and only until the code is placed.
  for (const std::string& object : impl->image.objects)
    if (auto error = impl->jit->addObjectFile(
            llvm::MemoryBuffer::getMemBuffer(object, "skald", /*RequiresNullTerminator=*/false)))
      return failed(std::move(error));
  for (const ProgramImage::Entry& entry : impl->image.entries) {
    auto address = impl->jit->lookup(entry.symbol);
    if (!address) return failed(address.takeError());
    impl->entries.emplace_back(entry.name, address->toPtr<SkaldEntry>());
  }
  impl->image.objects.clear();
  return CompiledProgram(std::move(impl));
}

}  // namespace skald::cpu
