// SPDX-License-Identifier: Apache-2.0
// Every part is in the same bitcode, which is read once for each: functions of other parts are
// skipped, not parsed.
#include "codegen/cpu/jit/split.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "codegen/cpu/optimise/optimise.h"
#include "support/bug.h"

namespace skald::cpu {

namespace {

// The number of a function's part stands where LLVM keeps the name of its partition, a thing of
// linkers that we do not use otherwise.  An attribute would make each part's list of attributes,
// with all features of the processor, another one, to be read again for every part.
// Kernels that run together share a part until it has so many instructions: a part costs about a
// millisecond by itself.
constexpr size_t kSmallPart = 250;
// From here on the code generator needs more than 10 ms.
constexpr size_t kLongHostCode = 400;
// The same if the code runs once in a call, so that nobody notices how good it is.
constexpr size_t kLongCodeRunOnce = 60;

std::vector<llvm::Function*> referenced(llvm::Function& fn) {
  std::vector<llvm::Function*> out;
  for (llvm::Instruction& instruction : llvm::instructions(fn))
    for (llvm::Value* operand : instruction.operands())
      if (auto* callee = llvm::dyn_cast<llvm::Function>(operand);
          callee != nullptr && !callee->isDeclaration())
        out.push_back(callee);
  return out;
}

// Those of a kernel, and of the phases that it only calls.
size_t instructions_of(llvm::Function& kernel) {
  size_t sum = kernel.getInstructionCount();
  for (llvm::Function* callee : referenced(kernel))
    if (callee->hasOneUse()) sum += callee->getInstructionCount();
  return sum;
}

class Splitter {
 public:
  Splitter(EmittedProgram& emitted, int level, ProgramImage& image)
      : emitted_(emitted), level_(level), image_(image) {}

  void run() {
    for (const ProgramImage::Entry& entry : image_.entries) add_root(entry.symbol, new_part());
    add_kernels();
    assign_parts();
    choose_effort();
    llvm::raw_string_ostream stream(image_.bitcode);
    llvm::WriteBitcodeToFile(*emitted_.module, stream);
  }

 private:
  uint32_t new_part() {
    image_.parts.push_back({.level = level_});
    weights_.emplace_back();
    return static_cast<uint32_t>(image_.parts.size()) - 1;
  }

  void add_root(const std::string& symbol, uint32_t part) {
    llvm::Function* fn = emitted_.module->getFunction(symbol);
    SKALD_CHECK(fn != nullptr, "no code for {}", symbol);
    roots_.emplace_back(fn, part);
    is_root_.insert(fn);
  }

  void add_kernels() {
    std::unordered_map<uint32_t, std::pair<uint32_t, size_t>> open;  // by group: part, size
    for (const ProgramImage::Kernel& kernel : emitted_.kernels) {
      const size_t size = instructions_of(*emitted_.module->getFunction(kernel.symbol));
      auto [place, is_new] = open.try_emplace(kernel.group, 0, 0);
      auto& [part, filled] = place->second;
      if (is_new || filled + size > kSmallPart) {
        part = new_part();
        filled = 0;
      }
      filled += size;
      add_root(kernel.symbol, part);
    }
    image_.kernels = std::move(emitted_.kernels);
    image_.groups = std::move(emitted_.groups);
  }

  // What one part alone needs belongs to it; what several need, with what the same ones need.
  void assign_parts() {
    std::unordered_map<llvm::Function*, std::vector<uint32_t>> users;  // parts, ascending
    std::sort(roots_.begin(), roots_.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [root, part] : roots_) {
      std::vector<llvm::Function*> work = {root};
      while (!work.empty()) {
        llvm::Function* fn = work.back();
        work.pop_back();
        for (llvm::Function* callee : referenced(*fn)) {
          if (is_root_.contains(callee)) continue;
          std::vector<uint32_t>& known = users[callee];
          if (!known.empty() && known.back() == part) continue;
          known.push_back(part);
          work.push_back(callee);
        }
      }
    }
    for (const auto& [root, part] : roots_) place(*root, part, true);
    std::map<std::vector<uint32_t>, uint32_t> shared;
    std::vector<llvm::Function*> unused;
    for (llvm::Function& fn : *emitted_.module) {
      if (fn.isDeclaration() || is_root_.contains(&fn)) continue;
      const auto found = users.find(&fn);
      if (found == users.end()) {
        unused.push_back(&fn);
      } else if (found->second.size() == 1) {
        place(fn, found->second[0], false);
      } else {
        const auto [part, is_new] = shared.try_emplace(found->second, 0);
        if (is_new) part->second = new_part();
        place(fn, part->second, true);
      }
    }
    for (llvm::Function* fn : unused) fn->deleteBody();
  }

  void place(llvm::Function& fn, uint32_t part, bool visible) {
    fn.setPartition(std::to_string(part));
    fn.setLinkage(visible ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage);
    const size_t size = fn.getInstructionCount();
    (fn.hasFnAttribute(kLight) ? weights_[part].light : weights_[part].heavy) += size;
    if (!fn.hasFnAttribute(kRunsRarely)) weights_[part].repeated += size;
    if (visible) image_.parts[part].symbols.push_back(fn.getName().str());
  }

  // Long host code that only leads from kernel to kernel would keep the first of them waiting.
  void choose_effort() {
    for (size_t part = 0; part < image_.parts.size(); ++part) {
      const Weight& weight = weights_[part];
      const size_t least = weight.repeated > 0 ? kLongHostCode : kLongCodeRunOnce;
      if (weight.heavy > 0 || weight.light < least) continue;
      image_.parts[part].level = std::min(level_, 1);
      image_.parts[part].quick = true;
    }
  }

  struct Weight {
    size_t light = 0, heavy = 0;  // instructions in functions of either kind
    size_t repeated = 0;          // those that may run often in a call
  };

  EmittedProgram& emitted_;
  int level_;
  ProgramImage& image_;
  std::vector<Weight> weights_;  // by part
  std::vector<std::pair<llvm::Function*, uint32_t>> roots_;
  std::unordered_set<llvm::Function*> is_root_;
};

}  // namespace

void split(EmittedProgram& emitted, int level, bool soon, ProgramImage& image) {
  Splitter(emitted, level, image).run();
  for (ProgramImage::Part& part : image.parts) part.soon = soon;
}

std::unique_ptr<llvm::Module> read_part(const std::string& bitcode, size_t part,
                                        llvm::LLVMContext& context) {
  auto read = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode, "skald"), context);
  if (!read) SKALD_BUG("LLVM cannot read its own bitcode: {}", llvm::toString(read.takeError()));
  std::unique_ptr<llvm::Module> module = std::move(*read);
  const std::string number = std::to_string(part);
  for (llvm::Function& fn : *module) {
    const bool is_inside = fn.getPartition() == number;
    fn.setPartition("");
    if (fn.isMaterializable() && !is_inside) fn.deleteBody();
  }
  if (llvm::Error error = module->materializeAll())
    SKALD_BUG("LLVM cannot read its own bitcode: {}", llvm::toString(std::move(error)));
  return module;
}

}  // namespace skald::cpu
