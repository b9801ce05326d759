// SPDX-License-Identifier: Apache-2.0
// The cpu back end: core → kernels → memory → imp → machine code, run on all cores.
#include "codegen/cpu/compile.h"
#include "core/print.h"
#include "core/rename.h"
#include "driver/backends.h"
#include "imp/lower/lower.h"
#include "imp/verify.h"
#include "runtime/context.h"
#include "runtime/cpu/parallel.h"
#include "runtime/entry_call.h"

namespace skald::driver {

using runtime::Value;

namespace {

// A deep copy: passes use their program up, and the caller keeps the original.
core::Program copy_of(const core::Program& prog) {
  core::Program copy;
  copy.stage = prog.stage;
  copy.names = prog.names;
  copy.locs = prog.locs;
  for (const core::Function& fn : prog.functions)
    copy.functions.push_back(core::copy_with_fresh_names(fn, copy.names));
  return copy;
}

std::vector<runtime::ValueType> slot_types(const std::vector<core::Ret>& results) {
  std::vector<runtime::ValueType> types;
  for (const core::Ret& ret : results) types.push_back({ret.type.elem, ret.type.rank()});
  return types;
}

class CpuBackend : public Backend {
 public:
  CpuBackend(cpu::CompiledProgram code, core::LocTable locs, int threads)
      : code_(std::move(code)),
        locs_(std::move(locs)),
        pool_(std::make_unique<runtime::ThreadPool>(threads)) {}

  Result<std::vector<Value>, RunFailure> run(const core::Function& entry,
                                             std::vector<Value> args) override {
    Result<std::vector<Value>> all = with_sizes(entry, std::move(args));
    if (!all) return Failure(RunFailure{"Error: " + all.error()});
    const SkaldEntry call = code_.entry(entry.entry->name);
    SKALD_CHECK(call != nullptr, "no code for entry point {}", entry.entry->name);
    // The program may update unique arguments in place, so they must not be shared.
    if (Result<Unit> owned = own_unique(entry, *all); !owned)
      return Failure(RunFailure{"Error: " + owned.error()});
    const std::vector<int64_t> in = runtime::pack_slots(*all);
    const std::vector<runtime::ValueType> types = slot_types(entry.results);
    std::vector<int64_t> out(static_cast<size_t>(runtime::slot_count(types)));
    SkaldContext context(pool_.get());
    int32_t status = 0;
    pool_->run([&] { status = call(&context, in.data(), out.data()); });
    if (status != 0) return Failure(RunFailure{failure_text(context)});
    Result<std::vector<Value>> results = runtime::unpack_slots(types, out);
    if (!results) return Failure(RunFailure{"Error: " + results.error()});
    results->erase(results->begin(), results->begin() + entry.entry->result_sizes);
    return std::move(*results);
  }

 private:
  static Result<Unit> own_unique(const core::Function& entry, std::vector<Value>& args) {
    for (size_t k = 0; k < args.size(); ++k) {
      if (!entry.params[k].unique || args[k].shape.empty() || args[k].data.block() == nullptr ||
          args[k].data.block()->refs == 1)
        continue;
      Result<Value> copy = Value::allocate(args[k].type, args[k].shape);
      if (!copy) return copy.failure();
      if (copy->data.bytes() > 0)
        std::memcpy(copy->data.data(), args[k].data.data(),
                    static_cast<size_t>(copy->data.bytes()));
      args[k] = std::move(*copy);
    }
    return Unit{};
  }

  std::string failure_text(const SkaldContext& context) const {
    const std::optional<runtime::RunError> error = context.errors.error();
    SKALD_CHECK(error.has_value(), "the program stopped without a reason");
    if (error->id == SKALD_RT_OUT_OF_MEMORY)
      return fmt::format("Error: out of memory: the program asked for {} bytes", error->values[0]);
    if (error->id < 0) return runtime_failure(error->id);
    const cpu::FailureMessage& message = code_.failure(error->id);
    std::string text;
    size_t next = 0;
    for (const auto& part : message.parts) {
      if (const std::string* words = std::get_if<std::string>(&part)) {
        text += *words;
        continue;
      }
      const auto value = static_cast<uint64_t>(error->values.at(next++));
      const Prim type = std::get<Prim>(part);
      text += type == Prim::kBool ? (value != 0 ? "true" : "false") : plain_number({type, value});
    }
    return run_failure_text(text, locs_.backtrace(message.loc));
  }

  static std::string runtime_failure(int64_t id) {
    return id == SKALD_RT_STACK_OVERFLOW
               ? "Error: stack overflow: the recursion is too deep"
               : fmt::format("Error: the program failed with code {}", id);
  }

  static std::string plain_number(core::Const c) {
    c.bits &= prim_size(c.type) == 8 ? UINT64_MAX : (uint64_t{1} << (8 * prim_size(c.type))) - 1;
    if (is_unsigned_int(c.type)) return std::to_string(c.bits);
    if (is_float(c.type)) return core::print(c);
    return std::to_string(core::int_value(c));
  }

  cpu::CompiledProgram code_;
  core::LocTable locs_;
  std::unique_ptr<runtime::ThreadPool> pool_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cpu_backend(const core::Program& prog,
                                                  const BackendOptions& options) {
  Result<core::Program> lowered =
      passes::run_passes(copy_of(prog), passes::pipeline_to(core::Stage::kMemory), options.passes);
  if (!lowered) return lowered.failure();
  const imp::Program code = imp::lower(*lowered);
  if (options.passes.verify) imp::verify_or_bug(code, "after lowering to imp");
  Result<cpu::CompiledProgram> compiled = cpu::compile(code);
  if (!compiled) return compiled.failure();
  std::unique_ptr<Backend> backend =
      std::make_unique<CpuBackend>(std::move(*compiled), code.locs, options.threads);
  return backend;
}

}  // namespace skald::driver
