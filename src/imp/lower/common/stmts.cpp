// SPDX-License-Identifier: Apache-2.0
// Statements of host code and of kernels' thunks.
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/common/function.h"
#include "imp/lower/common/lane_code.h"

namespace skald::imp {

using core::as;

Operand FunctionLowering::value(const Operand& operand) const {
  const Name* name = core::as_name(operand);
  if (name == nullptr) return operand;
  const auto found = alias.find(*name);
  return found == alias.end() ? operand : found->second;
}

Name FunctionLowering::block(Name name) const {
  return std::get<Name>(value(name));
}

void FunctionLowering::body(Code& code, const core::Body& body) {
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    const core::Stmt& s = body.stmts[k];
    if (k + 1 < body.stmts.size() && target.can_fill_later(*this, s, body.stmts[k + 1])) {
      remember(s.pat[0]);
      late_fill = &s;
      continue;
    }
    const size_t before = code.size();
    stmt(code, s);
    if (options.loop_places) code.place_loops(before, s.loc);
    SKALD_CHECK(late_fill == nullptr, "an array is not filled");
  }
}

bool FunctionLowering::scalar_stmt(Code& code, const core::Stmt& stmt) {
  const auto let = [&](auto node) {
    core::Exp exp = std::move(node);
    core::map_operands(exp, [&](const Operand& o) { return value(o); });
    code.add(Let{stmt.pat[0].name, stmt.pat[0].type.elem,
                 Exp(std::move(*core::as<decltype(node)>(exp)))});
    return true;
  };
  if (const auto* node = as<core::Opaque>(stmt.exp)) return let(core::Value{node->arg});
  if (const auto* node = as<core::Value>(stmt.exp)) return let(*node);
  if (const auto* node = as<core::UnOp>(stmt.exp)) return let(*node);
  if (const auto* node = as<core::BinOp>(stmt.exp)) return let(*node);
  if (const auto* node = as<core::CmpOp>(stmt.exp)) return let(*node);
  if (const auto* node = as<core::TernOp>(stmt.exp)) return let(*node);
  if (const auto* node = as<core::Convert>(stmt.exp)) return let(*node);
  if (const auto* node = as<core::Bitcast>(stmt.exp)) return let(*node);
  if (const auto* node = as<core::Select>(stmt.exp)) return let(*node);
  return false;
}

void FunctionLowering::stmt(Code& code, const core::Stmt& stmt) {
  if (const auto* node = as<core::If>(stmt.exp)) return branch(code, stmt, *node);
  if (const auto* node = as<core::Loop>(stmt.exp)) return loop(code, stmt, *node);
  if (const auto* node = as<core::Call>(stmt.exp)) return call(code, stmt, *node);
  if (const auto* node = as<core::Assert>(stmt.exp)) {
    Check check{value(node->cond), node->message, stmt.loc};
    for (MessagePart& part : check.message)
      if (Operand* operand = std::get_if<Operand>(&part)) *operand = value(*operand);
    return code.add(std::move(check));
  }
  if (as<core::Alloc>(stmt.exp) != nullptr || as<core::Free>(stmt.exp) != nullptr)
    return memory_stmt(code, stmt);
  if (const auto* node = as<core::Tunable>(stmt.exp))
    return code.add(
        Tunable{stmt.pat[0].name, node->param, node->param_class, value(node->fallback)});
  if (const auto* node = as<core::Opaque>(stmt.exp)) trace(code, stmt, *node);
  for (const core::Param& p : stmt.pat) remember(p);
  if (const auto* node = as<core::Kernel>(stmt.exp)) {
    const size_t before = code.size();
    target.kernel(*this, code, stmt, *node);
    // What the kernel needs for itself.
    if (parallel_depth == 0) code.place_allocs(before, stmt.loc);
    return;
  }
  const bool array_result = !stmt.pat.empty() && stmt.pat[0].type.is_array();
  const bool copies = array_result && (as<core::Value>(stmt.exp) != nullptr ||
                                       as<core::Opaque>(stmt.exp) != nullptr);
  if (copies) return;
  if (!array_result && scalar_stmt(code, stmt)) return;
  SKALD_CHECK(array_stmt(code, stmt), "no lowering for a node of kind {}", stmt.exp.index());
}

void FunctionLowering::memory_stmt(Code& code, const core::Stmt& stmt) {
  if (const auto* node = as<core::Free>(stmt.exp)) {
    if (parallel_depth == 0 || target.in_group() || flows.is_counted(node->block))
      code.add(Free{block(node->block)});
    return;
  }
  const bool scratch = parallel_depth > 0 && !flows.is_counted(stmt.pat[0].name);
  const Space space = target.in_group() ? Space::kShared
                      : scratch         ? Space::kScratch
                                        : target.owned(*this, stmt.pat[0].type.space);
  const Operand bytes = value(as<core::Alloc>(stmt.exp)->bytes);
  code.add(Alloc{stmt.pat[0].name, space, bytes, stmt.loc});
}

// Without a tag the place says which trace it is.
void FunctionLowering::trace(Code& code, const core::Stmt& stmt, const core::Opaque& node) {
  // Devices have nowhere to print to; such kernels run on the host.
  if (!target.can_print(*this)) return;
  if (!stmt.hints.trace.wanted) return;
  const std::string& tag = stmt.hints.trace.tag;
  const core::Type& type = stmt.pat[0].type;
  const std::string& place_text = prog.locs[prog.locs.outside_prelude(stmt.loc)].text;
  Trace out{tag.empty() ? place_text : tag, type.elem, {}, const_i64(0), type.shape};
  for (Operand& dim : out.shape) dim = value(dim);
  if (type.is_scalar()) {
    out.block = code.alloc(Space::kScratch, const_i64(8), "traced");
    code.add(Store{type.elem, out.block, const_i64(0), value(node.arg)});
  } else {
    const ArrayPlace& source = place(std::get<Name>(node.arg));
    const Operand bytes = code.mul_i64(element_count(code, type), const_i64(prim_size(type.elem)));
    const Space space =
        parallel_depth > 0 ? Space::kScratch : target.owned(*this, source.type.space);
    out.block = code.alloc(space, bytes, "traced");
    ArrayPlace dest{type, {out.block, const_i64(0), {}}};
    dest.type.space = source.type.space;
    copy(code, dest, source);
  }
  code.add(std::move(out));
}

// Names for blocks that loops and branches hand on.
Space FunctionLowering::space_of(const core::Param& handed_on) const {
  // gpu/place.cpp finds out about those of a group.
  const bool is_view = parallel_depth > 0 && !flows.is_counted(handed_on.name);
  return is_view && !target.in_group() ? Space::kView : target.owned(*this, handed_on.type.space);
}

Space FunctionLowering::temporary(core::Space space) const {
  if (target.in_group()) return Space::kShared;
  return parallel_depth > 0 ? Space::kScratch : target.owned(*this, space);
}

// Scalars and blocks among the results become variables that both branches assign.
void FunctionLowering::branch(Code& code, const core::Stmt& stmt, const core::If& node) {
  if (only_chooses(stmt)) {
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      code.add(Let{stmt.pat[k].name, stmt.pat[k].type.elem,
                   core::Select{value(node.cond), value(node.then_body.result[k]),
                                value(node.else_body.result[k])}});
    return;
  }
  for (const core::Param& p : stmt.pat) {
    if (p.type.kind == core::Type::kMem)
      code.add(BlockVar{p.name, space_of(p), {}});
    else if (p.type.is_scalar())
      code.add(Var{p.name, p.type.elem, Const{p.type.elem, 0}});
  }
  const auto side = [&](const core::Body& taken) {
    return [&](Code& inner) {
      body(inner, taken);
      for (size_t k = 0; k < stmt.pat.size(); ++k) {
        const core::Param& p = stmt.pat[k];
        if (p.type.kind == core::Type::kMem)
          inner.add(BlockAssign{p.name, block(std::get<Name>(taken.result[k]))});
        else if (p.type.is_scalar())
          inner.add(Assign{p.name, value(taken.result[k])});
      }
    };
  };
  code.branch(value(node.cond), side(node.then_body), side(node.else_body));
  for (const core::Param& p : stmt.pat) remember(p);
}

void FunctionLowering::loop(Code& code, const core::Stmt& stmt, const core::Loop& node) {
  if (special_loop && special_loop(code, stmt)) return;
  if (target.loop(*this, code, stmt, node)) return;
  begin_loop(code, node);
  plain_rounds(code, node);
  end_loop(stmt, node);
}

void FunctionLowering::begin_loop(Code& code, const core::Loop& node) {
  for (const core::LoopParam& p : node.params) {
    if (p.param.type.kind == core::Type::kMem)
      code.add(BlockVar{p.param.name, space_of(p.param), block(std::get<Name>(p.init))});
    else if (p.param.type.is_scalar())
      code.add(Var{p.param.name, p.param.type.elem, value(p.init)});
  }
  for (const core::LoopParam& p : node.params) remember(p.param);
}

void FunctionLowering::plain_rounds(Code& code, const core::Loop& node) {
  Code inner(prog);
  body(inner, node.body);
  assign_next(inner, node);
  if (node.form == core::Loop::kFor) {
    const Prim type = node.var.type.elem;
    code.add(For{node.var.name, type, Const{type, 0}, value(node.bound), Const{type, 1},
                 inner.finish()});
  } else {
    code.add(While{value(node.cond), inner.finish()});
  }
}

// The pattern's names stand for the variables, which nothing assigns any more.
void FunctionLowering::end_loop(const core::Stmt& stmt, const core::Loop& node) {
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    const core::Param& p = node.params[k].param;
    if (p.type.kind == core::Type::kMem || p.type.is_scalar()) alias[stmt.pat[k].name] = p.name;
  }
  for (const core::Param& p : stmt.pat) remember(p);
}

// The parameters get their next values, all at once: a result that is itself a parameter is saved
// first.
void FunctionLowering::assign_next(Code& code, const core::Loop& node) {
  std::unordered_set<Name> params;
  for (const core::LoopParam& p : node.params) params.insert(p.param.name);
  std::vector<Operand> next;
  for (size_t k = 0; k < node.params.size(); ++k) {
    const core::Param& p = node.params[k].param;
    Operand result = value(node.body.result[k]);
    const Name* name = core::as_name(result);
    if (name != nullptr && params.contains(*name) && !(*name == p.name)) {
      if (p.type.kind == core::Type::kMem) {
        const Name saved = code.fresh("saved");
        code.add(BlockVar{saved, space_of(p), *name});
        result = saved;
      } else if (p.type.is_scalar()) {
        result = code.let(p.type.elem, core::Value{result}, "saved");
      }
    }
    next.push_back(result);
  }
  for (size_t k = 0; k < node.params.size(); ++k) {
    const core::Param& p = node.params[k].param;
    if (next[k] == Operand{p.name}) continue;
    if (p.type.kind == core::Type::kMem)
      code.add(BlockAssign{p.name, std::get<Name>(next[k])});
    else if (p.type.is_scalar())
      code.add(Assign{p.name, next[k]});
  }
}

void FunctionLowering::call(Code& code, const core::Stmt& stmt, const core::Call& node) {
  Call call{{}, target.callee(*this, node.fn), {}, stmt.loc};
  for (const core::Param& p : stmt.pat) {
    if (p.type.kind == core::Type::kMem)
      call.results.push_back({p.name, imp::block(target.owned(*this, p.type.space))});
    if (p.type.is_scalar()) call.results.push_back({p.name, scalar(p.type.elem)});
  }
  for (const Operand& arg : node.args) {
    const Name* name = core::as_name(arg);
    // An array is passed as its block, which comes before it.
    if (name != nullptr && arrays.contains(*name)) continue;
    call.args.push_back(value(arg));
  }
  code.add(std::move(call));
  for (const core::Param& p : stmt.pat) remember(p);
}

std::vector<Operand> FunctionLowering::apply(Code& code, const core::Lambda& fn,
                                             const std::vector<Operand>& args) {
  core::Substitution subst;
  for (size_t k = 0; k < args.size(); ++k) subst.emplace(fn.params[k].name, args[k]);
  const core::Body copy = core::copy_with_fresh_names(fn.body, prog.names, std::move(subst));
  flows.add(copy);
  body(code, copy);
  std::vector<Operand> results;
  for (const Operand& result : copy.result) results.push_back(value(result));
  return results;
}

}  // namespace skald::imp
