// SPDX-License-Identifier: Apache-2.0
// What has to be true of each kind of statement.
#include "imp/ir/visit.h"
#include "imp/verify/legality.h"
#include "imp/verify/verifier.h"

namespace skald::imp {

// One call operator for each node.
struct Checks {
  Verifier& v;
  const Stmt& stmt;

  void operator()(const Let& n) const { v.check_exp(n); }
  void operator()(const Var& n) const { v.want(n.init, n.type, "the initial value"); }
  void operator()(const Assign& n) const {
    v.want_assignable(n.var);
    if (const Binding* b = v.lookup(n.var)) {
      if (b->type.is_block()) return v.complain("assigns a block");
      v.want(n.value, b->type.prim, "the value");
    }
  }
  void operator()(const Tunable& n) const { v.want_i64(n.fallback, "the number"); }
  void operator()(const Load& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
  }
  void operator()(const Store& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
    v.want(n.value, n.type, "the value");
  }
  void operator()(const Alloc& n) const {
    v.want_i64(n.bytes, "the size");
    if (n.space == Space::kView) v.complain("allocates a view");
    if (n.space == Space::kPrivate && core::as_const(n.bytes) == nullptr)
      v.complain("private memory whose size is no constant");
    if ((n.space == Space::kShared || n.space == Space::kGroup) && !v.in_launch_)
      v.complain("memory of a group outside a launch");
  }
  void operator()(const BlockVar& n) const {
    if (n.space == Space::kScratch || n.space == Space::kPrivate)
      v.complain("scratch and private names cannot be assigned");
    if (!n.init) return;
    if (n.space == Space::kShared)
      v.want_shared(n.init);
    else if (is_owning(n.space))
      v.want_heap(n.init, n.space);
    else
      v.want_block(n.init);
  }
  void operator()(const BlockAssign& n) const {
    v.want_assignable(n.var);
    const Binding* var = v.want_block(n.var);
    if (var != nullptr && var->type.space == Space::kShared)
      v.want_shared(n.value);
    else if (var != nullptr && is_owning(var->type.space))
      v.want_heap(n.value, var->type.space);
    else
      v.want_block(n.value);
  }
  void operator()(const Free& n) const {
    v.want_heap(n.block);
    if (const Binding* b = v.lookup(n.block); b && b->parallel_depth != v.parallel_depth_)
      v.complain("frees a block of the code around a parallel loop");
    for (const Decl& d : v.fn_->params)
      if (d.name == n.block) v.complain("frees a parameter");
  }
  void operator()(const CopyBytes& n) const {
    v.want_block(n.dest);
    v.want_block(n.src);
    v.want_i64(n.dest_offset, "the offset");
    v.want_i64(n.src_offset, "the offset");
    v.want_i64(n.bytes, "the size");
    const bool is_wide = n.bytes == Operand{const_i64(kWideBytes)};
    if (n.elements && v.in_launch_ && !is_wide) v.complain("a wide copy of other than 16 bytes");
  }
  void operator()(const Misaligned& n) const { v.want_block(n.block); }
  void operator()(const Fill& n) const {
    v.want_block(n.block);
    v.want_i64(n.start, "the start");
    v.want_i64(n.count, "the count");
    v.want(n.value, n.type, "the value");
  }
  void operator()(const Trace& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
    for (const Operand& dim : n.shape) v.want_i64(dim, "a dimension");
  }
  void operator()(const If& n) const {
    v.want(n.cond, Prim::kBool, "the condition");
    const bool may_order = v.may_order_;
    const Name* cond = core::as_name(n.cond);
    // May there be an `ordered` after the branch?
    const auto branch = [&](const Body& body, bool holds) {
      const bool is_other =
          cond != nullptr && v.other_order_ && *v.other_order_ == std::pair(*cond, holds);
      v.may_order_ = may_order || is_other;
      v.body(body);
      if (is_other && !v.may_order_) v.other_order_.reset();
      return v.may_order_;
    };
    const bool after_then = branch(n.then_body, true);
    const bool after_else = branch(n.else_body, false);
    v.may_order_ = may_order && after_then && after_else;
    // The second one is reached only by chunks that run alone.
    if (may_order && after_then && !after_else && cond != nullptr && v.my_turn_ == *cond)
      v.other_order_ = {*cond, true};
  }
  void operator()(const For& n) const {
    if (!is_int(n.type)) v.complain("counts in a type that is no integer");
    v.want(n.begin, n.type, "the begin");
    v.want(n.end, n.type, "the end");
    v.want(n.step, n.type, "the step");
    v.inner(stmt, n.body, false);
  }
  void operator()(const While& n) const {
    v.want(n.cond, Prim::kBool, "the condition");
    v.body(n.body);
  }
  void operator()(const Call& n) const;
  void operator()(const Check& n) const {
    v.want(n.cond, Prim::kBool, "the condition");
    for (const MessagePart& part : n.message)
      if (const auto* o = std::get_if<Operand>(&part))
        if (const Name* name = core::as_name(*o))
          if (const Binding* b = v.lookup(*name); b && b->type.is_block())
            v.complain("a message shows a block");
    if (n.loc.index >= v.prog_.locs.size()) v.complain("no such place");
  }
  void operator()(const ParallelFor& n) const {
    v.want_i64(n.count, "the count");
    v.want_i64(n.grain, "the grain");
    v.inner(stmt, n.body, true);
  }
  void operator()(const ParallelRange& n) const {
    v.want_i64(n.count, "the count");
    v.want_i64(n.grain, "the grain");
    v.inner(stmt, n.body, true);
  }
  void operator()(const ParallelChunks& n) const {
    v.want_i64(n.count, "the count");
    v.want_i64(n.size, "the size");
    const bool outer = std::exchange(v.may_order_, true);
    const auto other = std::exchange(v.other_order_, std::nullopt);
    const auto turn = std::exchange(v.my_turn_, std::nullopt);
    v.inner(stmt, n.body, true);
    v.may_order_ = outer;
    v.other_order_ = other;
    v.my_turn_ = turn;
  }
  void operator()(const TransposeBlock& n) const {
    v.want_block(n.dest);
    v.want_block(n.src);
    for (const Operand* o : {&n.dest_start, &n.dest_stride, &n.src_start, &n.src_stride})
      v.want_i64(*o, "a place");
    v.want_i64(n.rows, "the rows");
    v.want_i64(n.columns, "the columns");
  }
  void operator()(const ScanBlock& n) const {
    v.want_block(n.dest);
    v.want_block(n.src);
    v.want_block(n.carry);
    v.want_i64(n.start, "the start");
    v.want_i64(n.src_start, "the start");
    v.want_i64(n.count, "the count");
    if (!can_scan_block(n.op, n.type)) v.complain("the operator does not scan blocks");
  }
  void operator()(const ScanRows& n) const {
    v.want_block(n.dest);
    v.want_block(n.src);
    v.want_i64(n.start, "the start");
    v.want_i64(n.src_start, "the start of the source");
    v.want_i64(n.count, "the count");
    v.want_i64(n.length, "the length of a row");
    if (!can_scan_block(n.op, n.type) || is_float(n.type))
      v.complain("the operator does not scan rows");
  }
  void operator()(const Earlier& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
    v.want(n.value, n.type, "the value");
    v.want(n.none, n.type, "the value before the first");
    v.want_i64(n.by, "the distance");
    const core::Const* by = core::as_const(n.by);
    if (by == nullptr || core::int_value(*by) < 1) v.complain("the distance is no number above 0");
  }
  void operator()(const Collect& n) const {
    v.want(n.cond, Prim::kBool, "the condition");
    v.want_assignable(n.next);
    v.want_i64(n.next, "the place");
    if (n.members.empty()) v.complain("collects nothing");
    for (const Collected& each : n.members) {
      v.want_block(each.block);
      v.want(each.value, each.type, "the value");
    }
  }
  void operator()(const Ordered& n) const {
    if (!v.may_order_) v.complain("`ordered` twice, or not in parallel chunks");
    v.may_order_ = false;
    for (const auto& [id, binding] : v.scope_)
      if (binding.parallel_depth == v.parallel_depth_ && binding.type.is_block() &&
          is_owning(binding.type.space))
        v.complain("a block that the chunk owns lives across `ordered`");
    v.inner(stmt, n.body, false);
  }
  void operator()(const MyTurn& n) const {
    if (!v.may_order_) v.complain("`my_turn` after `ordered`, or not in parallel chunks");
    v.my_turn_ = n.name;
  }
  void operator()(const ChunkSize& n) const {
    v.want_i64(n.count, "the count");
    v.want_i64(n.least, "the least size");
  }
  void operator()(const Workers&) const {}
  void operator()(const Atomic& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
    v.want(n.value, n.type, "the value");
    for (const Operand& value : n.further) v.want(value, n.type, "the value");
    if (!n.further.empty() && !v.in_launch_)
      v.complain("several atomic operators outside a launch");
    if (!core::is_legal(n.op, n.type)) v.complain("the operator is not defined on this type");
  }
  void operator()(const FetchAdd& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
    v.want(n.value, n.type, "the value");
    if (n.type != Prim::kI32 && n.type != Prim::kI64)
      v.complain("fetch_add on a type that is neither i32 nor i64");
  }
  void operator()(const AtomicUpdate& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
    if (n.given) v.want(n.value, n.type, "the value");
    if (n.neutral.size() > (n.given ? 1 : 0)) v.complain("a neutral element of no operator");
    for (const Operand& neutral : n.neutral) v.want(neutral, n.type, "the neutral element");
    v.inner(stmt, n.body, false);
  }
  void operator()(const Launch& n) const {
    if (v.in_launch_ || v.fn_->kind == FunctionKind::kDevice)
      return v.complain("launches from inside a launch");
    v.want_i64(n.groups, "the number of groups");
    v.want_i64(n.scratch, "the scratch memory");
    v.want_i64(n.threads, "the number of threads");
    v.want_i64(n.shared, "the shared memory");
    const Const* threads = core::as_const(n.threads);
    if (threads != nullptr &&
        (core::int_value(*threads) < 1 || core::int_value(*threads) > kMostThreads))
      v.complain("a group has too many threads, or none");
    v.in_launch_ = true;
    // A number that is known when the program runs is checked by the interpreter.
    v.whole_warps_ = threads == nullptr || core::int_value(*threads) % kWarpThreads == 0;
    v.inner(stmt, n.body, true);
    v.in_launch_ = false;
  }
  void operator()(const Barrier&) const {
    if (!v.in_launch_) v.complain("a barrier outside a launch");
    if (v.attempts_ > 1) v.complain("a barrier inside an attempt in another one");
  }
  void warp_meets() const {
    if (!v.in_launch_) return v.complain("threads of a warp meet outside a launch");
    if (!v.whole_warps_) v.complain("threads of a warp meet in a group that has no whole warps");
    if (v.attempts_ > 1) v.complain("threads of a warp meet inside an attempt in another one");
  }
  void operator()(const WarpMeet&) const { warp_meets(); }
  void operator()(const Shuffle& n) const {
    warp_meets();
    v.want(n.value, n.type, "the value");
    v.want_i64(n.lane, "the lane");
  }
  void operator()(const QuickQuotient& n) const {
    v.want(n.lhs, Prim::kF64, "the dividend");
    v.want(n.rhs, Prim::kF64, "the divisor");
  }
  void operator()(const Ballot& n) const {
    warp_meets();
    v.want(n.value, Prim::kBool, "the value");
  }
  void operator()(const Fence&) const {}
  void operator()(const MatrixSum& n) const {
    v.want_block(n.c);
    v.want_block(n.a);
    v.want_block(n.b);
    if (!v.in_launch_) v.complain("matrices outside a launch");
  }
  void operator()(const Stop&) const {
    if (v.attempts_ == 0) v.complain("`stop` outside an attempt");
  }
  void operator()(const Attempt& n) const {
    if (!v.in_launch_) v.complain("an attempt outside a launch");
    v.want_i64(n.position, "the position");
    ++v.attempts_;
    v.inner(stmt, n.body, false);
    --v.attempts_;
  }
  void operator()(const Locked& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
    for (const Meeting& each : n.meetings) v.want(each.own, each.type, "what meets");
    v.inner(stmt, n.body, false);
  }
};

void Checks::operator()(const Call& n) const {
  const Function* callee = v.prog_.find(n.fn);
  if (callee == nullptr) return v.complain("no such function");
  const bool on_device = v.in_launch_ || v.fn_->kind == FunctionKind::kDevice;
  if (on_device != (callee->kind == FunctionKind::kDevice))
    return v.complain("calls a function of the other kind");
  if (callee->params.size() != n.args.size()) return v.complain("a wrong number of arguments");
  if (callee->results.size() != n.results.size()) return v.complain("a wrong number of results");
  for (size_t i = 0; i < n.args.size(); ++i) {
    const Type& type = callee->params[i].type;
    if (!type.is_block()) {
      v.want(n.args[i], type.prim, "an argument");
    } else if (const Name* name = core::as_name(n.args[i])) {
      if (is_owning(type.space))
        v.want_heap(*name, type.space);
      else
        v.want_block(*name);
    } else {
      v.complain("a constant where a block is needed");
    }
  }
  for (size_t i = 0; i < n.results.size(); ++i)
    if (n.results[i].type != callee->results[i]) v.complain("a result of the wrong type");
}

void Verifier::check_place(const Stmt& stmt) {
  const bool on_device = in_launch_ || fn_->kind == FunctionKind::kDevice;
  const Place place = prog_.target == Target::kCpu ? Place::kCpu
                      : on_device                  ? Place::kDeviceKernel
                                                   : Place::kDeviceHost;
  if (!is_legal(stmt.node, place))
    complain(fmt::format("`{}` is not legal in {}", node_words(stmt.node), place_name(place)));
  for_each_binder(stmt, [&](Name, Type type, BinderScope) {
    if (type.is_block() && !is_legal(type.space, place))
      complain(fmt::format("its kind of block is not legal in {}", place_name(place)));
  });
}

void Verifier::check_node(const Stmt& stmt) {
  check_place(stmt);
  visit(stmt.node, Checks{*this, stmt});
}

void Verifier::check_exp(const Let& n) {
  Prim result = n.type;
  const auto legal = [&](bool ok) {
    if (!ok) complain("the operator is not defined on this type");
  };
  if (const auto* e = std::get_if<core::Value>(&n.exp)) {
    want(e->arg, n.type, "the operand");
  } else if (const auto* e = std::get_if<core::UnOp>(&n.exp)) {
    legal(core::is_legal(e->op, e->type));
    want(e->arg, e->type, "the operand");
    result = core::result_type(e->op, e->type);
  } else if (const auto* e = std::get_if<core::BinOp>(&n.exp)) {
    legal(core::is_legal(e->op, e->type));
    want(e->lhs, e->type, "the left operand");
    want(e->rhs, e->op == BinOpKind::kLdexp ? Prim::kI32 : e->type, "the right operand");
    result = e->type;
  } else if (const auto* e = std::get_if<core::CmpOp>(&n.exp)) {
    legal(core::is_legal(e->op, e->type));
    want(e->lhs, e->type, "the left operand");
    want(e->rhs, e->type, "the right operand");
    result = Prim::kBool;
  } else if (const auto* e = std::get_if<core::TernOp>(&n.exp)) {
    legal(core::is_legal(e->op, e->type));
    for (const Operand* o : {&e->a, &e->b, &e->c}) want(*o, e->type, "an operand");
    result = e->type;
  } else if (const auto* e = std::get_if<core::Convert>(&n.exp)) {
    want(e->arg, e->from, "the operand");
    result = e->to;
  } else if (const auto* e = std::get_if<core::Bitcast>(&n.exp)) {
    want(e->arg, e->from, "the operand");
    if (prim_size(e->from) != prim_size(e->to)) complain("bitcast between different widths");
    result = e->to;
  } else if (const auto* e = std::get_if<core::Select>(&n.exp)) {
    want(e->cond, Prim::kBool, "the condition");
    want(e->then, n.type, "an operand");
    want(e->otherwise, n.type, "an operand");
  }
  if (result != n.type)
    complain(fmt::format("gives {}, not {}", prim_name(result), prim_name(n.type)));
}

}  // namespace skald::imp
