// SPDX-License-Identifier: Apache-2.0
#include "imp/verify.h"

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "imp/print.h"
#include "imp/visit.h"
#include "support/bug.h"

namespace skald::imp {

namespace {

struct Binding {
  Type type;
  bool assignable = false;
  int parallel_depth = 0;  // how many parallel loops were open where it was bound
};

class Verifier {
 public:
  Verifier(const Program& prog, std::vector<std::string>& problems)
      : prog_(prog), problems_(problems) {}

  void function(const Function& fn);

 private:
  void complain(std::string what) {
    std::string where = fmt::format("in \"{}\"", fn_->name);
    if (stmt_ != nullptr) where += fmt::format(", at `{}`", print_head(*stmt_, prog_));
    problems_.push_back(fmt::format("{}: {}", where, what));
  }
  void bind(Name name, Type type, bool assignable) {
    if (!name) complain("binds no name");
    if (!bound_.insert(name.id).second)
      complain(fmt::format("{} is bound twice", prog_.names.text(name)));
    scope_[name.id] = {type, assignable, parallel_depth_};
  }
  const Binding* lookup(Name name) {
    auto found = scope_.find(name.id);
    if (found != scope_.end()) return &found->second;
    complain(fmt::format("{} is not in scope", prog_.names.text(name)));
    return nullptr;
  }
  void want(const Operand& o, Prim type, std::string_view what) {
    if (const Const* c = core::as_const(o)) {
      if (c->type != type)
        complain(fmt::format("{} is {}, not {}", what, prim_name(c->type), prim_name(type)));
    } else if (const Binding* b = lookup(*core::as_name(o))) {
      if (b->type.is_block())
        complain(fmt::format("{} is a block", what));
      else if (b->type.prim != type)
        complain(fmt::format("{} is {}, not {}", what, prim_name(b->type.prim), prim_name(type)));
    }
  }
  void want_i64(const Operand& o, std::string_view what) { want(o, Prim::kI64, what); }
  const Binding* want_block(Name name) {
    const Binding* b = lookup(name);
    if (b != nullptr && !b->type.is_block()) {
      complain(fmt::format("{} is not a block", prog_.names.text(name)));
      return nullptr;
    }
    return b;
  }
  void want_heap(Name name) {
    const Binding* b = want_block(name);
    if (b != nullptr && !is_owning(b->type.space))
      complain(fmt::format("{} is not a heap block", prog_.names.text(name)));
  }
  // The group's own memory is another kind of memory: its pointers do not mix with others.
  void want_shared(Name name) {
    const Binding* b = want_block(name);
    if (b != nullptr && b->type.space != Space::kShared)
      complain(fmt::format("{} is not a shared block", prog_.names.text(name)));
  }
  void want_assignable(Name name) {
    const Binding* b = lookup(name);
    if (b == nullptr) return;
    if (!b->assignable) complain(fmt::format("{} is not a variable", prog_.names.text(name)));
    if (b->parallel_depth != parallel_depth_)
      complain(fmt::format("{} is assigned inside a parallel loop", prog_.names.text(name)));
  }

  // Gives the names that they bind, whose scope is still open.
  std::vector<Name> statements(const Body& body) {
    std::vector<Name> here;
    for (const Stmt& stmt : body.stmts) {
      stmt_ = &stmt;
      check_node(stmt);
      stmt_ = &stmt;
      if (const auto* call = as<Call>(stmt); call != nullptr && call->may_fork())
        beside(*call, std::span(body.stmts).subspan(&stmt - body.stmts.data() + 1));
      const bool assignable = as<Var>(stmt) || as<BlockVar>(stmt);
      for_each_binder(stmt, [&](Name name, Type type, BinderScope scope) {
        if (scope != BinderScope::kOuter) return;
        bind(name, type, assignable);
        here.push_back(name);
      });
    }
    return here;
  }
  void body(const Body& body) {
    for (Name name : statements(body)) scope_.erase(name.id);
  }
  // What follows a call that runs beside the next one.
  void beside(const Call& call, std::span<const Stmt> rest) {
    want(call.beside, Prim::kBool, "the condition");
    for (const Stmt& stmt : rest) {
      const auto* next = as<Call>(stmt);
      if (next == nullptr && as<Check>(stmt) == nullptr && !prepares_call(stmt)) break;
      bool needs = false;
      for_each_use(stmt, [&](const Operand& o) {
        for (const Decl& d : call.results) needs = needs || o == Operand{d.name};
      });
      if (needs) return complain("what runs beside a call needs its results");
      if (next == nullptr) continue;
      if (!next->may_fork()) return;
      if (next->beside != call.beside) return complain("calls in a row with different conditions");
    }
    complain("no call follows");
  }
  // A body with names of its own statement in front.
  void inner(const Stmt& stmt, const Body& inner_body, bool parallel) {
    parallel_depth_ += parallel ? 1 : 0;
    std::vector<Name> here;
    for_each_binder(stmt, [&](Name name, Type type, BinderScope scope) {
      if (scope != BinderScope::kInner) return;
      bind(name, type, false);
      here.push_back(name);
    });
    body(inner_body);
    if (const auto* update = as<AtomicUpdate>(stmt)) after_update(*update);
    for (Name name : here) scope_.erase(name.id);
    parallel_depth_ -= parallel ? 1 : 0;
  }
  // The result is computed inside the body, so its scope is opened once more for it.
  void after_update(const AtomicUpdate& n) {
    std::vector<Name> here;
    for (const Stmt& s : n.body.stmts)
      for_each_binder(s, [&](Name name, Type type, BinderScope scope) {
        if (scope != BinderScope::kOuter) return;
        scope_[name.id] = {type, false, parallel_depth_};
        here.push_back(name);
      });
    want(n.result, n.type, "the new value");
    for (Name name : here) scope_.erase(name.id);
  }

  void check_node(const Stmt& stmt);
  void check_exp(const Let& n);

  const Program& prog_;
  std::vector<std::string>& problems_;
  const Function* fn_ = nullptr;
  const Stmt* stmt_ = nullptr;
  int parallel_depth_ = 0;
  bool in_launch_ = false;
  int attempts_ = 0;        // that we are in
  bool may_order_ = false;  // in parallel chunks, before their `ordered`
  // After an `ordered` in one branch: where there may be another one, in which branch on what
  // value.
  std::optional<std::pair<Name, bool>> other_order_;
  std::unordered_map<uint32_t, Binding> scope_;
  std::unordered_set<uint32_t> bound_;

  friend struct Checks;
};

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
    if ((n.space == Space::kShared || n.space == Space::kGroup) && !v.in_launch_)
      v.complain("memory of a group outside a launch");
  }
  void operator()(const BlockVar& n) const {
    if (n.space == Space::kScratch) v.complain("scratch names cannot be assigned");
    if (!n.init) return;
    if (n.space == Space::kShared)
      v.want_shared(n.init);
    else if (is_owning(n.space))
      v.want_heap(n.init);
    else
      v.want_block(n.init);
  }
  void operator()(const BlockAssign& n) const {
    v.want_assignable(n.var);
    const Binding* var = v.want_block(n.var);
    if (var != nullptr && var->type.space == Space::kShared)
      v.want_shared(n.value);
    else if (var != nullptr && is_owning(var->type.space))
      v.want_heap(n.value);
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
  }
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
    if (!may_order || after_then == after_else || cond == nullptr) return;
    const Binding* bound = v.lookup(*cond);
    if (bound != nullptr && !bound->assignable) v.other_order_ = {*cond, after_then};
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
    v.inner(stmt, n.body, true);
    v.may_order_ = outer;
    v.other_order_ = other;
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
    v.inner(stmt, n.body, false);
  }
  void operator()(const MyTurn&) const {
    if (!v.may_order_) v.complain("`my_turn` after `ordered`, or not in parallel chunks");
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
    if (!core::is_legal(n.op, n.type)) v.complain("the operator is not defined on this type");
  }
  void operator()(const AtomicUpdate& n) const {
    v.want_block(n.block);
    v.want_i64(n.index, "the index");
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
    v.inner(stmt, n.body, true);
    v.in_launch_ = false;
  }
  void operator()(const Barrier&) const {
    if (!v.in_launch_) v.complain("a barrier outside a launch");
    if (v.attempts_ > 1) v.complain("a barrier inside an attempt in another one");
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
        v.want_heap(*name);
      else
        v.want_block(*name);
    } else {
      v.complain("a constant where a block is needed");
    }
  }
  for (size_t i = 0; i < n.results.size(); ++i)
    if (n.results[i].type != callee->results[i]) v.complain("a result of the wrong type");
}

void Verifier::check_node(const Stmt& stmt) {
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

void Verifier::function(const Function& fn) {
  fn_ = &fn;
  stmt_ = nullptr;
  scope_.clear();
  for (const Decl& d : fn.params) {
    bind(d.name, d.type, false);
    if (d.type.is_block() && !is_owning(d.type.space) && d.type.space != Space::kView)
      complain("a parameter in a space of its own");
  }
  if (fn.once && !fn.params.empty()) complain("computed once, but with parameters");
  for (const Type& t : fn.results)
    if (t.is_block() && !is_owning(t.space)) complain("returns a block that is not heap");
  // The results are names of the outermost scope, so it must still be open.
  statements(fn.body);
  stmt_ = nullptr;
  if (fn.ret.size() != fn.results.size()) return complain("a wrong number of results");
  for (size_t i = 0; i < fn.ret.size(); ++i) {
    if (!fn.results[i].is_block())
      want(fn.ret[i], fn.results[i].prim, "a result");
    else if (const Name* name = core::as_name(fn.ret[i]))
      want_heap(*name);
    else
      complain("a constant where a block is needed");
  }
}

}  // namespace

std::vector<std::string> verify(const Program& prog) {
  std::vector<std::string> problems;
  Verifier verifier(prog, problems);
  std::unordered_set<std::string> names;
  for (const Function& fn : prog.functions) {
    if (!names.insert(fn.name).second)
      problems.push_back(fmt::format("two functions \"{}\"", fn.name));
    verifier.function(fn);
  }
  return problems;
}

void verify_or_bug(const Program& prog, std::string_view when) {
  const std::vector<std::string> problems = verify(prog);
  if (problems.empty()) return;
  std::string text;
  for (size_t i = 0; i < problems.size() && i < 5; ++i) text += "\n  " + problems[i];
  SKALD_BUG("imp is not well formed after {}:{}", when, text);
}

}  // namespace skald::imp
