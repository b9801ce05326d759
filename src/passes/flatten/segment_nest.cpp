// SPDX-License-Identifier: Apache-2.0
#include "passes/flatten/segment_nest.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"

namespace skald::passes {

using namespace core;

bool SegmentNest::match(const Operand* width) {
  if (!analysis::consumed_names(fn_.body, prog_).empty()) return false;
  for (const Param& p : fn_.params) {
    if (p.type.kind != Type::kArray) return false;
    bind(p);
  }
  const auto& stmts = fn_.body.stmts;
  for (const Stmt& stmt : stmts)
    for (const Param& p : stmt.pat) bind(p);
  for (size_t i = 0; i < stmts.size(); ++i) {
    const Soac* soac = as<Soac>(stmts[i].exp);
    if (soac == nullptr || !analysis::is_parallel(stmts[i])) continue;
    if (width != nullptr ? !(soac->width == *width) : !is_local(soac->width)) continue;
    if (inner_ != nullptr && width == nullptr) return false;
    inner_ = soac;
    at_ = i;
  }
  if (inner_ == nullptr || !simple(*inner_)) return false;
  for (const Stmt& stmt : stmts) by_name(stmt);
  return find_needs();
}

std::vector<Name> SegmentNest::first_kernel(Builder& out, const std::vector<Operand>& more,
                                            const std::vector<Type>& more_types) {
  Kernel kernel;
  kernel.domain.dims = {width_};
  std::vector<Operand> results = {inner_->width};
  std::vector<Type> types = {scalar_type(Prim::kI64)};
  for (const Param& p : stored_) {
    results.emplace_back(p.name);
    types.push_back(p.type);
  }
  for (size_t k = 0; k < more.size(); ++k) {
    results.push_back(more[k]);
    types.push_back(more_types[k]);
  }
  kernel.pull = per_segment(results, types, {}, checks_);
  Sink scan{Sink::kScan, 1};
  scan.op.push_back(addition());
  kernel.sinks.push_back(std::move(scan));
  std::vector<Param> pat;
  for (size_t k = 0; k < types.size(); ++k) {
    pat.push_back({prog_.names.fresh(k == 0 ? "ends" : "stored"), array_of(width_, types[k])});
    if (k > 0) kernel.sinks.push_back({Sink::kOut, 1});
  }
  for (size_t k = 0; k < stored_.size(); ++k) stored_at_[stored_[k].name] = pat[1 + k].name;
  std::vector<Name> rest;
  for (size_t k = 1 + stored_.size(); k < pat.size(); ++k) rest.push_back(pat[k].name);
  const Name ends = pat[0].name;
  out.let_pat(std::move(pat), std::move(kernel));
  const Type i64 = scalar_type(Prim::kI64);
  const Name zero =
      out.let1(array_of(const_i64(1), i64), Replicate{{const_i64(1)}, const_i64(0)}, "zero");
  const Operand size = out.size_add(width_, const_i64(1));
  offsets_ = out.let1(array_of(size, i64), Concat{0, size, {zero, ends}}, "offsets");
  total_ = out.let1(i64, Index{offsets_, {DimSlice{true, width_}}}, "total");
  return rest;
}

Kernel SegmentNest::element_kernel() {
  Kernel kernel;
  kernel.domain.kind = Domain::kSeg;
  kernel.domain.dims = {width_, total_};
  kernel.domain.offsets = {offsets_};
  const Type i64 = scalar_type(Prim::kI64);
  const Name s = prog_.names.fresh("s"), j = prog_.names.fresh("j"), p = prog_.names.fresh("p");
  kernel.pull.params = {{s, i64}, {j, i64}, {p, i64}};
  Builder body(prog_);
  body.set_loc(loc_);
  Substitution subst;
  read_segment(body, s, subst, needed_);
  for (const Param& value : stored_)
    subst.insert_or_assign(
        value.name,
        Operand{body.let1(value.type, Index{stored_at_.at(value.name), {DimSlice{true, s}}},
                          prog_.names.base(value.name))});
  for (const size_t i : repeated_)
    body.append(copy_with_fresh_names(fn_.body.stmts[i], prog_.names, subst));
  std::vector<Operand> rows;
  for (size_t k = 0; k < inner_->inputs.size(); ++k) {
    const Type& type = inner_->fn.params[k].type;
    const Name input = inner_->inputs[k];
    if (const Stmt* made = generator(input)) {
      if (const Iota* iota = as<Iota>(made->exp)) {
        Operand start = iota->start, step = iota->step;
        substitute(start, subst);
        substitute(step, subst);
        const Operand index = body.convert(Prim::kI64, iota->type, j, "j");
        const Operand scaled = step == Operand{const_int(iota->type, 1)}
                                   ? index
                                   : body.binop(BinOpKind::kMul, iota->type, index, step, "t");
        rows.push_back(start == Operand{const_int(iota->type, 0)}
                           ? scaled
                           : body.binop(BinOpKind::kAdd, iota->type, start, scaled, "x"));
      } else {
        Operand value = as<Replicate>(made->exp)->value;
        substitute(value, subst);
        rows.push_back(value);
      }
      continue;
    }
    Operand array = input;
    substitute(array, subst);
    rows.emplace_back(
        body.let1(type, Index{*as_name(array), {DimSlice{true, j}}}, prog_.names.base(input)));
  }
  Lambda fn = copy_with_fresh_names(inner_->fn, prog_.names, subst);
  kernel.pull.results = std::move(fn.results);
  std::vector<Operand> values = inline_lambda(body, std::move(fn), rows);
  kernel.pull.body = body.finish(std::move(values));
  forget_checks(kernel.pull.body);
  sequentialise(kernel.pull.body, prog_);
  return kernel;
}

Lambda SegmentNest::per_segment(const std::vector<Operand>& results, const std::vector<Type>& types,
                                const std::unordered_map<Name, Name>& known,
                                const std::vector<Name>& checks) {
  Lambda pull;
  const Name i = prog_.names.fresh("i");
  pull.params = {{i, scalar_type(Prim::kI64)}};
  Names wanted(checks.begin(), checks.end());
  for (const Operand& result : results)
    if (const Name* name = as_name(result)) wanted.insert(*name);
  std::vector<size_t> stmts;
  for (size_t k = fn_.body.stmts.size(); k-- > 0;) {
    const Stmt& stmt = fn_.body.stmts[k];
    if (k == at_ || !binds_any(stmt, wanted)) continue;
    stmts.push_back(k);
    for (const Name name : free_names(stmt)) wanted.insert(name);
  }
  Builder body(prog_);
  body.set_loc(loc_);
  Substitution subst;
  read_segment(body, i, subst, wanted);
  for (const Param& p : inner_stmt().pat)
    if (const auto found = known.find(p.name); found != known.end() && wanted.contains(p.name))
      subst.insert_or_assign(p.name,
                             Operand{body.let1(p.type, Index{found->second, {DimSlice{true, i}}},
                                               prog_.names.base(p.name))});
  for (size_t k = stmts.size(); k-- > 0;)
    body.append(copy_with_fresh_names(fn_.body.stmts[stmts[k]], prog_.names, subst));
  std::vector<Operand> values = results;
  for (Operand& value : values) substitute(value, subst);
  if (!checks.empty()) {
    std::vector<Name> tokens;
    for (const Name check : checks) tokens.push_back(std::get<Name>(subst.at(check)));
    values[0] = body.let1(types[0], Value{values[0]}, "length", tokens);
  }
  for (const Type& type : types) pull.results.push_back({{}, type});
  pull.body = body.finish(std::move(values));
  sequentialise(pull.body, prog_);
  return pull;
}

bool SegmentNest::needs_inner(const std::vector<Operand>& results) const {
  Names wanted;
  for (const Operand& result : results)
    if (const Name* name = as_name(result)) wanted.insert(*name);
  for (size_t k = fn_.body.stmts.size(); k-- > at_;) {
    const Stmt& stmt = fn_.body.stmts[k];
    if (!binds_any(stmt, wanted)) continue;
    if (k == at_) return true;
    for (const Name name : free_names(stmt)) wanted.insert(name);
  }
  return false;
}

bool SegmentNest::uses_only_reductions(const std::vector<Operand>& results) const {
  size_t reduced = 0;
  for (const Operator& op : inner_->reduces) reduced += op.neutral.size();
  Names irregular;
  for (size_t k = reduced; k < inner_stmt().pat.size(); ++k)
    irregular.insert(inner_stmt().pat[k].name);
  for (size_t k = at_ + 1; k < fn_.body.stmts.size(); ++k)
    for (const Name name : free_names(fn_.body.stmts[k]))
      if (irregular.contains(name)) return false;
  for (const Operand& result : results)
    if (const Name* name = as_name(result); name != nullptr && irregular.contains(*name))
      return false;
  return true;
}

void SegmentNest::bind(const Param& p) {
  local_.insert(p.name);
  types_.emplace(p.name, p.type);
  if (p.type.is_array()) ranks_.emplace(p.name, p.type.rank());
}

void SegmentNest::by_name(const Stmt& stmt) {
  for (const Param& p : stmt.pat) made_by_.emplace(p.name, &stmt);
}

bool SegmentNest::is_local(const Operand& o) const {
  const Name* name = as_name(o);
  return name != nullptr && local_.contains(*name);
}

bool SegmentNest::is_regular(const Type& type) const {
  if (type.kind != Type::kArray) return false;
  return std::none_of(type.shape.begin(), type.shape.end(),
                      [&](const Operand& dim) { return is_local(dim); });
}

bool SegmentNest::binds_any(const Stmt& stmt, const Names& wanted) {
  return std::any_of(stmt.pat.begin(), stmt.pat.end(),
                     [&](const Param& p) { return wanted.contains(p.name); });
}

bool SegmentNest::simple(const Soac& soac) const {
  for (const Param& p : soac.fn.params)
    if (p.type.kind != Type::kArray) return false;
  if (!soac.post.empty() || !soac.scans.empty()) return false;
  for (const Operator& op : soac.reduces) {
    for (const Param& p : op.fn.params)
      if (!p.type.is_scalar()) return false;
    for (const Operand& ne : op.neutral)
      if (is_local(ne)) return false;
    for (const Name name : free_names(op.fn))
      if (local_.contains(name)) return false;
  }
  return std::all_of(soac.fn.results.begin(), soac.fn.results.end(),
                     [&](const Ret& ret) { return is_regular(ret.type); });
}

const Stmt* SegmentNest::generator(Name array) const {
  const auto found = made_by_.find(array);
  if (found == made_by_.end()) return nullptr;
  const Exp& exp = found->second->exp;
  if (as<Iota>(exp) != nullptr) return found->second;
  const Replicate* rep = as<Replicate>(exp);
  return rep != nullptr && rep->shape.size() == 1 ? found->second : nullptr;
}

bool SegmentNest::find_needs() {
  for (const Name name : free_names(inner_->fn)) needed_.insert(name);
  checks_ = inner_stmt().tokens;
  for (const Name input : inner_->inputs) {
    const Stmt* made = generator(input);
    if (made == nullptr) {
      needed_.insert(input);
      continue;
    }
    checks_.insert(checks_.end(), made->tokens.begin(), made->tokens.end());
    if (const Iota* iota = as<Iota>(made->exp)) {
      for (const Operand& o : {iota->start, iota->step})
        if (const Name* name = as_name(o)) needed_.insert(*name);
    } else if (const Name* name = as_name(as<Replicate>(made->exp)->value)) {
      needed_.insert(*name);
    }
  }
  for (size_t k = at_; k-- > 0;) {
    const Stmt& stmt = fn_.body.stmts[k];
    if (!binds_any(stmt, needed_)) continue;
    if (analysis::is_repeatable(stmt, ranks_)) {
      repeated_.push_back(k);
      for (const Name name : free_names(stmt)) needed_.insert(name);
      continue;
    }
    for (const Param& p : stmt.pat) {
      if (!needed_.contains(p.name)) continue;
      if (!is_regular(p.type)) return false;
      stored_.push_back(p);
    }
  }
  std::reverse(repeated_.begin(), repeated_.end());
  // A check of a segment is performed even if the segment is empty, and only once.
  std::erase_if(repeated_, [&](size_t k) {
    const Stmt& stmt = fn_.body.stmts[k];
    if (as<Assert>(stmt.exp) == nullptr) return false;
    checks_.push_back(stmt.pat[0].name);
    return true;
  });
  return true;
}

void SegmentNest::forget_checks(Body& body) const {
  for (Stmt& stmt : body.stmts) {
    std::erase_if(stmt.tokens, [&](Name token) {
      return std::find(checks_.begin(), checks_.end(), token) != checks_.end();
    });
    for_each_body(stmt.exp, [&](Body& inner) { forget_checks(inner); });
  }
}

void SegmentNest::read_segment(Builder& body, Name i, Substitution& subst, const Names& wanted) {
  for (size_t k = 0; k < fn_.params.size(); ++k) {
    const Param& p = fn_.params[k];
    if (!wanted.contains(p.name)) continue;
    subst.insert_or_assign(p.name, Operand{body.let1(p.type, Index{inputs_[k], {DimSlice{true, i}}},
                                                     prog_.names.base(p.name))});
  }
}

Operator SegmentNest::addition() {
  Operator op;
  const Type i64 = scalar_type(Prim::kI64);
  const Name a = prog_.names.fresh("a"), b = prog_.names.fresh("b");
  op.fn.params = {{a, i64}, {b, i64}};
  op.fn.results = {{{}, i64}};
  Builder body(prog_);
  const Operand sum = body.binop(BinOpKind::kAdd, Prim::kI64, a, b, "sum");
  op.fn.body = body.finish({sum});
  op.neutral = {const_i64(0)};
  op.commutative = true;
  return op;
}

}  // namespace skald::passes
