// SPDX-License-Identifier: Apache-2.0
// Nodes with bodies and lambdas: branches, loops, calls, SOACs, kernels.
#include "core/interp/compile/compiler.h"
#include "support/bug.h"

namespace skald::core::interp {

// ---- control -----------------------------------------------------------------------------------

void Compiler::node(const If& exp) {
  auto* code = out_.make<IfCode>();
  const Slot cond = scalar(exp.cond);
  // What dies at the branch dies inside the branch that is taken.
  const Owned dying(deaths_->names.begin(), deaths_->names.end());
  code->then_code = body(exp.then_body, dying);
  code->else_code = body(exp.else_body, dying);
  code->pat = pats();
  Instr instr{.op = Op::kIf, .a = cond};
  instr.node = code;
  emit(instr);
}

void Compiler::node(const Loop& exp) {
  auto* code = out_.make<LoopCode>();
  code->is_while = exp.form == Loop::kWhile;
  for (const LoopParam& p : exp.params) code->init.push_back(take(p.init));
  std::vector<Binding> params;
  Owned owned;
  // Types of parameters may mention later ones, so all names come first.
  for (const LoopParam& p : exp.params) {
    declare(p.param);
    owned.insert(p.param.name);
  }
  for (const LoopParam& p : exp.params) params.push_back(declare(std::vector<Param>{p.param})[0]);
  if (code->is_while) {
    code->cond = scalar(exp.cond);
  } else {
    code->bound = scalar(exp.bound);
    code->var = declare(exp.var).slot;
    code->bound_is_signed = is_signed_int(exp.var.type.elem);
    code->bound_bits = prim_bits(exp.var.type.elem);
  }
  code->body = body(exp.body, owned);
  code->carry = carry(code->body.results, std::move(params));
  code->pat = pats();
  emit_node(Op::kLoop, code);
}

void Compiler::node(const Call& exp) {
  auto* code = out_.make<CallCode>();
  code->fn = exp.fn;
  code->args = take_all(exp.args);
  code->pat = pats();
  code->loc = stmt_->loc;
  emit_node(Op::kCall, code);
}

// ---- SOACs -------------------------------------------------------------------------------------

OperatorCode Compiler::op(const Operator& op) {
  OperatorCode code;
  for (const Operand& neutral : op.neutral) code.neutral.push_back(read(neutral));
  code.fn = lambda(op.fn);
  SKALD_CHECK(code.fn.params.size() == 2 * op.neutral.size(),
              "interpreter: an operator on {} values has {} parameters", op.neutral.size(),
              code.fn.params.size());
  const auto middle = code.fn.params.begin() + static_cast<std::ptrdiff_t>(op.neutral.size());
  code.carry = carry(code.fn.code.results, std::vector<Binding>(code.fn.params.begin(), middle));
  return code;
}

TargetCode Compiler::target(const std::vector<Operand>& shape, const std::vector<Name>& arrays,
                            const Operator* op) {
  TargetCode code;
  code.shape = scalars(shape);
  for (Name name : arrays) {
    need_rank(name, shape.size(), false);
    code.arrays.push_back(take(name));
  }
  if (op != nullptr) code.op = this->op(*op);
  return code;
}

void Compiler::node(const Soac& exp) {
  auto* code = out_.make<SoacCode>();
  code->width = scalar(exp.width);
  code->inputs = read_all(exp.inputs);
  code->fn = lambda(exp.fn);
  for (const Operator& scan : exp.scans) code->scans.push_back(op(scan));
  for (const Operator& reduce : exp.reduces) code->reduces.push_back(op(reduce));
  if (!exp.post.empty()) code->post = lambda(exp.post[0]);
  code->pat = pats();
  emit_node(Op::kSoac, code);
}

void Compiler::node(const Hist& exp) {
  auto* code = out_.make<WriteCode>();
  code->width = scalar(exp.width);
  code->inputs = read_all(exp.inputs);
  for (const HistOp& hist : exp.ops)
    code->targets.push_back(target(hist.shape, hist.dests, &hist.op));
  code->fn = lambda(exp.fn);
  code->pat = pats();
  emit_node(Op::kHist, code);
}

void Compiler::node(const Scatter& exp) {
  auto* code = out_.make<WriteCode>();
  code->width = scalar(exp.width);
  code->inputs = read_all(exp.inputs);
  for (const ScatterDest& dest : exp.dests)
    code->targets.push_back(target(dest.shape, {dest.dest}, nullptr));
  code->fn = lambda(exp.fn);
  code->pat = pats();
  emit_node(Op::kScatter, code);
}

template <class Code>
Code* Compiler::row_code(const auto& exp) {
  auto* code = out_.make<Code>();
  code->width = scalar(exp.width);
  code->inputs = read_all(exp.inputs);
  code->fn = lambda(exp.fn);
  code->pat = pats();
  return code;
}

void Compiler::node(const Partition& exp) {
  auto* code = row_code<PartitionCode>(exp);
  code->classes = exp.classes;
  emit_node(Op::kPartition, code);
}

void Compiler::node(const FlatMap& exp) {
  auto* code = row_code<FlatMapCode>(exp);
  code->data = exp.data;
  emit_node(Op::kFlatMap, code);
}

void Compiler::node(const WithAcc& exp) {
  auto* code = out_.make<WithAccCode>();
  for (const AccInput& input : exp.inputs)
    code->inputs.push_back(
        target(input.shape, input.arrays, input.op.empty() ? nullptr : &input.op[0]));
  code->fn = lambda(exp.fn);
  code->pat = pats();
  emit_node(Op::kWithAcc, code);
}

void Compiler::node(const UpdateAcc& exp) {
  auto* code = out_.make<UpdateAccCode>();
  code->acc = find(exp.acc).slot;
  code->indices = scalars(exp.indices);
  for (const Operand& value : exp.values) code->values.push_back(read(value));
  code->dst = pat(0).slot;
  emit_node(Op::kUpdateAcc, code);
}

// ---- derivatives -------------------------------------------------------------------------------

// Whoever interprets a program with derivatives runs the pass `differentiate` before.
void Compiler::node(const Jvp&) {
  SKALD_BUG("interpreter: jvp is left");
}
void Compiler::node(const Vjp&) {
  SKALD_BUG("interpreter: vjp is left");
}
void Compiler::node(const WithVjp&) {
  SKALD_BUG("interpreter: with_vjp is left");
}

// ---- kernels -----------------------------------------------------------------------------------

void Compiler::node(const Kernel& exp) {
  auto* code = out_.make<KernelCode>();
  code->domain = exp.domain.kind;
  code->dims = scalars(exp.domain.dims);
  SKALD_CHECK(!code->dims.empty(), "interpreter: a kernel without dimensions");
  if (exp.domain.kind == Domain::kSeg) {
    SKALD_CHECK(code->dims.size() == 2 && exp.domain.offsets.size() == 1,
                "interpreter: a segmented kernel needs two sizes and offsets");
    need_rank(exp.domain.offsets[0], 1, true);
    code->offsets = find(exp.domain.offsets[0]).slot;
  }
  code->guarded = exp.guarded;
  code->pull = lambda(exp.pull);
  for (const Sink& sink : exp.sinks) {
    SinkCode out{sink.kind, sink.count, sink.classes};
    if (sink.kind == Sink::kScatter || sink.kind == Sink::kHist)
      out.target = target(sink.shape, sink.dests, sink.op.empty() ? nullptr : &sink.op[0]);
    else if (!sink.op.empty())
      out.op = op(sink.op[0]);
    out.late = sink.late;
    code->sinks.push_back(std::move(out));
  }
  if (!exp.post.empty()) code->post = lambda(exp.post[0]);
  code->pat = pats();
  emit_node(Op::kKernel, code);
}

}  // namespace skald::core::interp
