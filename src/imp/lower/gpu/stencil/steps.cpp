// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds apply one stencil of two dimensions to an array: one launch does several
// rounds, so that memory is read and written once for all of them (step_kernel.h).
//
//   for (i < n) { b = stencil(a); a, b = b, a }
//
// becomes
//
//   if the array is large:  for (i < n / 4) { b = stencil⁴(a); a, b = b, a }
//                           for (i < n % 4) { b = stencil(a); a, b = b, a }
//   else:                   the loop as it is
//
// Each point of each step is computed as before, so results are the same.
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "imp/lower/gpu/stencil/stencil.h"
#include "imp/lower/gpu/stencil/step_kernel.h"

namespace skald::imp {

namespace {

// So many groups keep a large device busy.
constexpr int64_t kLeastStepGroups = 512;
// Points that cost more would not wait for memory anyway.
constexpr size_t kMostOperations = 64;

// How many steps one launch does: registers hold their rows.
int64_t steps_at_once(Prim type) {
  return prim_size(type) > 4 ? 2 : 4;
}

class StencilLoop {
 public:
  StencilLoop(FunctionLowering& fn, const core::Stmt& stmt, const core::Loop& loop)
      : fn_(fn), stmt_(stmt), loop_(loop) {}

  // The only statement of the loop's body, if it is a kernel of the device.
  const core::Kernel* kernel() const {
    if (loop_.form != core::Loop::kFor || loop_.body.stmts.size() != 1) return nullptr;
    const auto* kernel = core::as<core::Kernel>(loop_.body.stmts[0].exp);
    return kernel == nullptr || kernel->space == core::Space::kHost ? nullptr : kernel;
  }
  WhyNot why_not();
  void write(Code& code);

 private:
  const core::Stmt& inner() const { return loop_.body.stmts[0]; }
  void rounds(Code& code, int64_t steps, const Operand& count);

  FunctionLowering& fn_;
  const core::Stmt& stmt_;
  const core::Loop& loop_;
  const core::Param* array_ = nullptr;
  Stencil stencil_ = {};
};

WhyNot StencilLoop::why_not() {
  const core::Kernel& node = *kernel();
  if (node.domain.kind != core::Domain::kGrid || node.domain.dims.size() != 2)
    return "there are not two dimensions";
  if (node.sinks.size() != 1 || node.sinks[0].kind != core::Sink::kOut || node.guarded ||
      !node.post.empty() || node.pull.body.result.size() != 1)
    return "the kernel of the loop makes something else than one array";
  // The array that is the kernel's result afterwards.
  for (size_t k = 0; k < loop_.params.size(); ++k) {
    const core::Param& param = loop_.params[k].param;
    if (param.type.is_array() && loop_.body.result[k] == Operand{inner().pat[0].name})
      array_ = &param;
    else if (param.type.is_array() || param.type.is_scalar())
      return "the loop has other variables";
  }
  if (array_ == nullptr) return "the next round does not get what the kernel makes";
  if (array_->type.shape != node.domain.dims) return "array and points have different sizes";
  FoundStencil found = find_stencil(node, array_->name, array_->type.elem);
  if (!found.stencil) return found.why_not;
  stencil_ = std::move(*found.stencil);
  if (stencil_.reach == 0) return "points read nothing but their own place";
  if (stencil_.reach > 1) return "points read further than their neighbours";
  if (fn_.place(array_->name).loc.block == fn_.place(inner().pat[0].name).loc.block)
    return "the array is changed in place";
  if (stencil_.operations > kMostOperations) return "points cost too much";
  if (core::free_names(node.pull).contains(loop_.var.name))
    return "points depend on the number of the round";
  return std::nullopt;
}

void StencilLoop::rounds(Code& code, int64_t steps, const Operand& count) {
  const Prim type = loop_.var.type.elem;
  StepKernel kernel(fn_, *this->kernel(), stencil_, steps);
  Code body(code.program());
  const std::vector<core::Operand>& dims = this->kernel()->domain.dims;
  kernel.launch(body, fn_.place(array_->name), fn_.place(inner().pat[0].name), fn_.value(dims[0]),
                fn_.value(dims[1]));
  fn_.assign_next(body, loop_);
  code.add(For{code.fresh("round"), type, Const{type, 0}, count, Const{type, 1}, body.finish()});
}

void StencilLoop::write(Code& code) {
  const int64_t steps = steps_at_once(stencil_.type);
  const Prim type = loop_.var.type.elem;
  fn_.begin_loop(code, loop_);
  const std::vector<core::Operand>& dims = kernel()->domain.dims;
  const Operand bound = fn_.value(loop_.bound);
  StepKernel several(fn_, *kernel(), stencil_, steps);
  const Operand groups = several.count_groups(code, fn_.value(dims[0]), fn_.value(dims[1]));
  const Operand per = Const{type, static_cast<uint64_t>(steps)};
  const auto part = [&](Code& at, BinOpKind op) {
    return at.let(type, core::BinOp{op, type, bound, per}, "rounds");
  };
  code.branch(
      code.less_i64(const_i64(kLeastStepGroups - 1), groups),
      [&](Code& at) {
        rounds(at, steps, part(at, BinOpKind::kQuot));
        rounds(at, 1, part(at, BinOpKind::kRem));
      },
      [&](Code& at) { fn_.plain_rounds(at, loop_); });
  fn_.end_loop(stmt_, loop_);
}

}  // namespace

bool write_steps(FunctionLowering& fn, DeviceTarget& device, Code& code, const core::Stmt& stmt,
                 const core::Loop& loop) {
  StencilLoop steps(fn, stmt, loop);
  const core::Kernel* kernel = steps.kernel();
  if (kernel == nullptr) return false;
  for (const core::LoopParam& p : loop.params) fn.remember(p.param);
  for (const core::Param& p : loop.body.stmts[0].pat) fn.remember(p);
  GpuKernel gpu(fn, device, loop.body.stmts[0], *kernel);
  WhyNot why = disabled(gpu.kernel, kStepsName);
  if (!why && !gpu.kernel.facts.scalar_code)
    why = "points are more than scalar code that cannot fail";
  if (!why) why = steps.why_not();
  if (why) {
    explain_refused(gpu.kernel, kStepsName, *why);
    return false;
  }
  explain_taken(gpu.kernel, kStepsName);
  steps.write(code);
  return true;
}

}  // namespace skald::imp
