// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/jit/kernel_loader.h"

#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "codegen/cpu/jit/end_of_process.h"
#include "codegen/cpu/jit/generate.h"
#include "codegen/cpu/operators/symbols.h"
#include "codegen/cpu/target/target.h"
#include "support/bug.h"
#include "support/machine.h"

namespace skald::cpu {

namespace {

// Other threads than the one that waits for the first kernel.
constexpr size_t kMostThreads = 8;
// A thread that has nothing to do ends after this.
constexpr std::chrono::milliseconds kPatience(200);
// Among so many kernels the next one to compile is looked for.
constexpr size_t kLookAhead = 100;

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

size_t most_threads() {
  // Asking reads files.
  static const size_t most = std::min<size_t>(usable_cores(), kMostThreads);
  return most;
}

// Parts come as machine code.
class NoCompiler : public llvm::orc::IRCompileLayer::IRCompiler {
 public:
  NoCompiler() : IRCompiler({}) {}
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module&) override {
    return llvm::createStringError("this linker has no compiler");
  }
};

std::string text_of(llvm::Error error) {
  return "cannot load machine code: " + llvm::toString(std::move(error));
}

void* prepare_kernel(KernelRow* row) {
  return row->loader->prepare(*row);
}

}  // namespace

// A part as ORC sees it: symbols that exist once somebody asks for one of them.
class KernelLoader::PartUnit : public llvm::orc::MaterializationUnit {
 public:
  PartUnit(KernelLoader& loader, size_t part, llvm::orc::SymbolFlagsMap symbols)
      : MaterializationUnit(Interface(std::move(symbols), nullptr)), loader_(loader), part_(part) {}

  llvm::StringRef getName() const override { return "skald"; }

  void materialize(std::unique_ptr<llvm::orc::MaterializationResponsibility> wanted) override {
    const std::string* object = loader_.object(part_);
    if (object == nullptr) return wanted->failMaterialization();
    // The object is read where it is.
    loader_.jit_->getObjLinkingLayer().emit(
        std::move(wanted),
        llvm::MemoryBuffer::getMemBuffer(*object, "skald", /*RequiresNullTerminator=*/false));
  }

 private:
  void discard(const llvm::orc::JITDylib&, const llvm::orc::SymbolStringPtr&) override {}

  KernelLoader& loader_;
  size_t part_;
};

KernelLoader::KernelLoader(ProgramImage image)
    : image_(std::move(image)),
      rows_(image_.kernels.size()),
      kernel_parts_(image_.kernels.size()),
      states_(image_.parts.size(), PartState::kUntouched),
      taken_(image_.parts.size()) {
  for (KernelRow& row : rows_) row.loader = this;
  std::unordered_map<std::string_view, uint32_t> parts;  // by symbol
  for (size_t part = 0; part < image_.parts.size(); ++part)
    for (const std::string& symbol : image_.parts[part].symbols)
      parts[symbol] = static_cast<uint32_t>(part);
  for (size_t k = 0; k < image_.kernels.size(); ++k)
    kernel_parts_[k] = parts.at(image_.kernels[k].symbol);
  // Kernels and entry points are reached by addresses that are handed out, never directly.
  std::unordered_set<std::string> roots;
  for (const ProgramImage::Kernel& kernel : image_.kernels) roots.insert(kernel.symbol);
  for (const ProgramImage::Entry& entry : image_.entries) roots.insert(entry.symbol);
  for (size_t part = 0; part < states_.size(); ++part) {
    const std::vector<std::string>& symbols = image_.parts[part].symbols;
    if (symbols.empty() || roots.contains(symbols.front())) states_[part] = PartState::kDone;
    from_cache_ |= !image_.parts[part].object.empty();
  }
}

KernelLoader::~KernelLoader() {
  stop();
}

Result<Unit> KernelLoader::start() {
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(host_cpu().triple)};
  llvm::orc::LLJITBuilder jit_builder;
  // All that a linker wants to know of the layout is how symbols are written.  Without the rest no
  // code generator is made, which takes longer than to load a small program.
  jit_builder.setJITTargetMachineBuilder(std::move(builder))
      .setDataLayout(llvm::DataLayout("e-m:e"))
      .setCompileFunctionCreator([](const llvm::orc::JITTargetMachineBuilder&) {
        return llvm::Expected<std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>>(
            std::make_unique<NoCompiler>());
      })
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
      .setLinkProcessSymbolsByDefault(false);
  auto jit = jit_builder.create();
  if (!jit) return Failure(text_of(jit.takeError()));
  jit_ = std::move(*jit);
  // Errors come back from lookups.
  jit_->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  llvm::orc::JITDylib& library = jit_->getMainJITDylib();
  library.addGenerator(std::make_unique<OutsideSymbols>(jit_->getDataLayout().getGlobalPrefix()));
  llvm::orc::SymbolMap ours;
  ours[jit_->mangleAndIntern(kKernelTable)] = {llvm::orc::ExecutorAddr::fromPtr(rows_.data()),
                                               llvm::JITSymbolFlags::Exported};
  ours[jit_->mangleAndIntern(kPrepareKernel)] = {
      llvm::orc::ExecutorAddr::fromPtr(&prepare_kernel),
      llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(ours)));
  for (size_t part = 0; part < image_.parts.size() && !error; ++part) {
    llvm::orc::SymbolFlagsMap symbols;
    for (const std::string& symbol : image_.parts[part].symbols)
      symbols[jit_->mangleAndIntern(symbol)] =
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
    error = library.define(std::make_unique<PartUnit>(*this, part, std::move(symbols)));
  }
  if (error) return Failure(text_of(std::move(error)));
  return Unit{};
}

const std::string* KernelLoader::object(size_t part) {
  {
    const std::lock_guard lock(mutex_);
    if (states_[part] == PartState::kUntouched) states_[part] = PartState::kStarted;
  }
  std::string& object = image_.parts[part].object;
  if (!object.empty()) return &object;
  // ORC asks once for each part, so nobody else is here with the same one.
  try {
    Result<std::string> code = compile_part(image_, part);
    const std::lock_guard lock(mutex_);
    if (code) {
      object = std::move(*code);
      ++compiled_;
      return &object;
    }
    failure_ = code.error();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
  }
  return nullptr;
}

// LLVM 19 may lose sight of what a part with recursive functions needs (its blocks depend on each
// other in a circle), and then hands out addresses of code that calls parts which are not
// executable yet, or never will be.  So all parts that others call directly are waited for here.
std::string KernelLoader::settle() {
  const auto started = [this]() -> std::optional<size_t> {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(states_.begin(), states_.end(), PartState::kStarted);
    if (found == states_.end()) return std::nullopt;
    return static_cast<size_t>(found - states_.begin());
  };
  // A part may start others until it is there itself: it has addresses before it asks for theirs.
  while (const std::optional<size_t> part = started()) {
    auto found = jit_->lookup(image_.parts[*part].symbols.front());
    std::string problem = found ? std::string() : text_of(found.takeError());
    const std::lock_guard lock(mutex_);
    states_[*part] = PartState::kDone;
    if (lost_.empty()) lost_ = std::move(problem);
  }
  const std::lock_guard lock(mutex_);
  return lost_;
}

Result<void*> KernelLoader::find(const std::string& symbol) {
  auto found = jit_->lookup(symbol);
  std::string problem = found ? settle() : text_of(found.takeError());
  if (!problem.empty()) return Failure(std::move(problem));
  return found->toPtr<void*>();
}

Result<void*> KernelLoader::address(const std::string& symbol) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = addresses_.find(symbol); known != addresses_.end()) return known->second;
    ++callers_;
  }
  changed_.notify_all();
  Result<void*> found = find(symbol);
  const std::lock_guard lock(mutex_);
  --callers_;
  changed_.notify_all();
  if (found) {
    addresses_[symbol] = *found;
    return found;
  }
  if (error_) std::rethrow_exception(error_);
  return failure_.empty() ? std::move(found) : Failure(failure_);
}

void* KernelLoader::prepare(KernelRow& row) {
  const auto number = static_cast<size_t>(&row - rows_.data());
  const ProgramImage::Kernel& kernel = image_.kernels[number];
  expect(kernel.group);
  surprised_ = true;
  {
    // Never on this thread: it may be deep in a recursion, and LLVM needs much of a stack.
    std::unique_lock lock(mutex_);
    ++waiting_;
    // Another call may have begun since, or a loop is in a later round.
    if (is_left_out(kernel.group)) foreseen_.clear();
    next_ = number + 1;
    reached_.assign(image_.groups.size(), false);
    for (uint32_t group = kernel.group; group != kSurelyRun; group = image_.groups[group].around)
      reached_[group] = true;
    reached_[kSurelyRun] = true;
    queue_.push_front(number);
    start_threads(image_.bitcode.empty() ? 1 : 2);
    changed_.notify_all();
    changed_.wait(lock, [&] { return row.code != nullptr || failed_.contains(number); });
    --waiting_;
  }
  if (void* code = row.code.load(std::memory_order_acquire)) return code;
  // There is generated code between here and everybody who could catch something.
  std::string problem;
  try {
    problem = address(kernel.symbol).error();
  } catch (const std::exception& bug) {
    problem = bug.what();
  }
  std::fprintf(stderr,
               "internal error: %s\nThis is a bug in Skald, not in your program.  Please "
               "report it.\n",
               problem.c_str());
  std::_Exit(1);
}

void KernelLoader::expect(uint32_t group) {
  const std::lock_guard lock(mutex_);
  if (group >= expected_.size()) expected_.resize(group + 1);
  if (expected_[group] || stopping_) return;
  expected_[group] = true;
  // What comes from the cache is only linked, which the first call does soon enough; and what
  // earlier runs did not need is not compiled for this one before it asks.
  if (from_cache_) return;
  for (size_t k = 0; k < image_.kernels.size(); ++k)
    if (image_.kernels[k].group == group && rows_[k].code == nullptr) queue_.push_back(k);
  start_threads(queue_.size());
  changed_.notify_all();
}

void KernelLoader::expect_call(std::string_view entry, std::span<const int64_t> args,
                               std::span<const int64_t> tuning, int64_t threads) {
  if (image_.foresight == nullptr || !surprised_.exchange(false)) return;
  std::vector<Reach> reach =
      image_.foresight->of_call(entry, args, tuning, threads, image_.groups.size());
  for (uint32_t group = 0; group < reach.size(); ++group)
    if (reach[group] == Reach::kReached) expect(group);
  const std::lock_guard lock(mutex_);
  foreseen_ = std::move(reach);
}

bool KernelLoader::is_left_out(uint32_t group) const {
  while (!foreseen_.empty() && foreseen_[group] != Reach::kLeftOut && group != kSurelyRun)
    group = image_.groups[group].around;
  return !foreseen_.empty() && foreseen_[group] == Reach::kLeftOut;
}

void KernelLoader::start_threads(size_t jobs) {
  while (threads_.size() < std::min(most_threads(), jobs))
    threads_.emplace_back([this] { work(); });
}

bool KernelLoader::take(size_t kernel) {
  const uint32_t part = kernel_parts_[kernel];
  if (rows_[kernel].code != nullptr || taken_[part]) return false;
  taken_[part] = true;
  return true;
}

std::optional<uint32_t> KernelLoader::take_work() {
  // Host code is wanted first: it is not to share its core while nobody waits for a kernel.
  if (waiting_ == 0 && busy_ + callers_ >= most_threads()) return std::nullopt;
  while (!queue_.empty()) {
    const size_t kernel = queue_.front();
    queue_.pop_front();
    if (take(kernel)) return kernel_parts_[kernel];
  }
  if (waiting_ == 0) return std::nullopt;
  const std::optional<size_t> kernel = likely_next();
  if (!kernel || !take(*kernel)) return std::nullopt;
  return kernel_parts_[*kernel];
}

std::optional<int> KernelLoader::branches_to(uint32_t group) const {
  if (is_left_out(group)) return std::nullopt;
  int branches = 0;
  while (!reached_[group]) {
    const ProgramImage::Group& arm = image_.groups[group];
    const bool is_second = arm.rival != kSurelyRun && arm.rival < group;
    if (arm.rival != kSurelyRun && reached_[arm.rival]) return std::nullopt;
    // Ways to lower kernels write what suits few sizes first, and the rest after it.
    branches += is_second ? 1 : 2;
    group = arm.around;
  }
  return branches;
}

std::optional<size_t> KernelLoader::likely_next() {
  std::optional<size_t> best;
  int least = 0;
  const size_t end = std::min(rows_.size(), next_ + kLookAhead);
  for (size_t k = next_; k < end; ++k) {
    const uint32_t part = kernel_parts_[k];
    if (rows_[k].code != nullptr || taken_[part]) continue;
    // As in `expect`.
    if (from_cache_ && image_.parts[part].object.empty()) continue;
    const std::optional<int> branches = branches_to(image_.kernels[k].group);
    if (!branches || (best && *branches >= least)) continue;
    best = k;
    least = *branches;
  }
  return best;
}

void KernelLoader::load_kernels(uint32_t part) {
  for (size_t k = 0; k < rows_.size(); ++k) {
    if (kernel_parts_[k] != part) continue;
    if (const Result<void*> found = find(image_.kernels[k].symbol)) {
      rows_[k].code.store(*found, std::memory_order_release);
      continue;
    }
    // Reported to whoever needs the kernel.
    const std::lock_guard lock(mutex_);
    failed_.insert(k);
  }
}

void KernelLoader::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::optional<uint32_t> part;
    const auto has_work = [&] { return stopping_ || (part = take_work()).has_value(); };
    // A process may have thousands of programs, of which nobody wants a kernel any more.
    const bool found = changed_.wait_for(lock, kPatience, has_work);
    if (stopping_) return;
    if (!found && queue_.empty() && waiting_ == 0) {
      const auto own =
          std::ranges::find(threads_, std::this_thread::get_id(), &std::thread::get_id);
      std::thread thread = std::move(*own);
      threads_.erase(own);
      lock.unlock();
      return join_later(std::move(thread));
    }
    if (!found) continue;
    ++busy_;
    lock.unlock();
    bool goes_on = false;
    {
      const WorkOfProcess work;
      goes_on = static_cast<bool>(work);
      if (goes_on) load_kernels(*part);
    }
    lock.lock();
    --busy_;
    changed_.notify_all();
    if (!goes_on) return;
  }
}

void KernelLoader::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool KernelLoader::has_compiled() {
  const std::lock_guard lock(mutex_);
  return compiled_ > 0;
}

ProgramImage KernelLoader::image_so_far() {
  const std::lock_guard lock(mutex_);
  return image_;
}

}  // namespace skald::cpu
