// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/irregular/thunk_in_steps.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::imp {

namespace {

// Of the registers of a thread, for what is kept.
constexpr int64_t kBatchBytes = 96;
constexpr size_t kMostOfThunk = 48;

bool binds_scalars(const core::Stmt& stmt) {
  return std::ranges::all_of(stmt.pat, [](const core::Param& p) { return p.type.is_scalar(); });
}

bool is_check(const core::Stmt& stmt) {
  return core::as<core::Assert>(stmt.exp) != nullptr;
}

bool is_arithmetic(const core::Stmt& stmt) {
  return binds_scalars(stmt) && core::is_scalar_operator(stmt.exp);
}

bool is_read(const core::Stmt& stmt) {
  return binds_scalars(stmt) && core::as<core::Index>(stmt.exp) != nullptr;
}

int64_t register_bytes(Prim type) {
  return std::max<int64_t>(prim_size(type), 4);
}

}  // namespace

Prim kept_as(const core::Lambda& pull, size_t result) {
  const Prim type = pull.results[result].type.elem;
  const Name* name = core::as_name(pull.body.result[result]);
  for (const core::Stmt& stmt : pull.body.stmts) {
    const auto* convert = core::as<core::Convert>(stmt.exp);
    if (name == nullptr || convert == nullptr || stmt.pat[0].name != *name) continue;
    const bool fits = convert->from == Prim::kBool || convert->from == Prim::kI8;
    if (fits && type == Prim::kI64) return Prim::kI8;
  }
  return type;
}

Operand as_type(Code& code, Prim from, Prim to, const Operand& value) {
  return from == to ? value : code.let(to, core::Convert{from, to, value}, "kept");
}

// Statements [0, reads) come before the first check, [reads, checks) are checks and what they need.
struct ThunkInSteps::Cuts {
  explicit Cuts(const std::vector<core::Stmt>& stmts) {
    const auto first = std::ranges::find_if(stmts, is_check);
    if (first == stmts.end()) return;
    reads = checks = static_cast<size_t>(first - stmts.begin());
    for (size_t k = reads; k < stmts.size() && !is_read(stmts[k]); ++k)
      if (is_check(stmts[k])) checks = k + 1;
  }
  size_t reads = 0, checks = 0;
};

ThunkInSteps::ThunkInSteps(KernelWriter& kernel) : kernel_(kernel) {
  core::Lambda pull = core::copy_with_fresh_names(kernel.node.pull, kernel.fn.prog.names);
  const std::vector<core::Stmt>& stmts = pull.body.stmts;
  is_simple_ = !kernel.node.guarded && stmts.size() <= kMostOfThunk &&
               std::ranges::all_of(stmts, [](const core::Stmt& stmt) {
                 return is_check(stmt) || is_arithmetic(stmt) || is_read(stmt);
               });
  for (const core::Ret& ret : pull.results) {
    is_simple_ = is_simple_ && ret.type.is_scalar();
    values_.push_back(ret.type.elem);
    kept_.push_back(kept_as(pull, values_.size() - 1));
  }
  if (!is_simple_) return;
  const Cuts cuts(stmts);
  rest_may_fail_ =
      std::any_of(stmts.begin() + static_cast<ptrdiff_t>(cuts.checks), stmts.end(), is_check);
  make_reads(pull, cuts);
  if (cuts.checks > cuts.reads) {
    checks_ = later_step(pull, cuts.reads, cuts.checks);
    fits_ = later_step(pull, cuts.reads, cuts.checks);
    std::vector<Operand> conditions;
    for (const core::Stmt& stmt : fits_.body.stmts)
      if (const auto* check = core::as<core::Assert>(stmt.exp)) conditions.push_back(check->cond);
    std::erase_if(fits_.body.stmts, is_check);
    for (const Operand& condition : conditions) {
      fits_.results.push_back({{}, core::scalar_type(Prim::kBool)});
      fits_.body.result.push_back(condition);
    }
  }
  rest_ = later_step(pull, cuts.checks, stmts.size());
}

// What crosses the cut is what was read; arithmetic is done again.
void ThunkInSteps::make_reads(core::Lambda& pull, const Cuts& cuts) {
  const std::vector<core::Stmt>& stmts = pull.body.stmts;
  core::NameSet needed;
  const auto need = [&](const core::Stmt& stmt) {
    for (const Name name : core::free_names(stmt)) needed.insert(name);
  };
  for (size_t k = cuts.reads; k < stmts.size(); ++k) need(stmts[k]);
  for (const Operand& result : pull.body.result)
    if (const Name* name = core::as_name(result)) needed.insert(*name);
  for (size_t k = cuts.reads; k-- > 0;) {
    if (!needed.contains(stmts[k].pat[0].name)) continue;
    if (is_read(stmts[k]))
      between_.push_back(stmts[k].pat[0]);
    else
      need(stmts[k]);
  }
  reads_.params = pull.params;
  core::Substitution subst;
  for (size_t k = 0; k < cuts.reads; ++k)
    reads_.body.stmts.push_back(
        core::copy_with_fresh_names(stmts[k], kernel_.fn.prog.names, subst));
  for (const core::Param& p : between_) {
    reads_.results.push_back({{}, p.type});
    reads_.body.result.emplace_back(p.name);
  }
  for (Operand& result : reads_.body.result) core::substitute(result, subst);
}

// Statements [begin, end) of the thunk after its reads, with the arithmetic before them that they
// need; the last step has the thunk's results.
core::Lambda ThunkInSteps::later_step(const core::Lambda& pull, size_t begin, size_t end) const {
  const std::vector<core::Stmt>& stmts = pull.body.stmts;
  const bool is_last = end == stmts.size();
  core::NameSet needed;
  const auto need = [&](const core::Stmt& stmt) {
    for (const Name name : core::free_names(stmt)) needed.insert(name);
  };
  for (size_t k = begin; k < end; ++k) need(stmts[k]);
  if (is_last)
    for (const Operand& result : pull.body.result)
      if (const Name* name = core::as_name(result)) needed.insert(*name);
  std::vector<size_t> taken;
  for (size_t k = begin; k-- > 0;) {
    if (!is_arithmetic(stmts[k]) || !needed.contains(stmts[k].pat[0].name)) continue;
    taken.push_back(k);
    need(stmts[k]);
  }
  std::ranges::reverse(taken);
  for (size_t k = begin; k < end; ++k) taken.push_back(k);

  core::Lambda step;
  step.params = pull.params;
  step.params.insert(step.params.end(), between_.begin(), between_.end());
  core::Substitution subst;
  for (core::Param& p : step.params) {
    const Name own = kernel_.fn.prog.names.fresh_like(p.name);
    subst.emplace(p.name, own);
    p.name = own;
  }
  for (const size_t k : taken)
    step.body.stmts.push_back(core::copy_with_fresh_names(stmts[k], kernel_.fn.prog.names, subst));
  if (is_last) {
    step.results = pull.results;
    step.body.result = pull.body.result;
    for (Operand& result : step.body.result) core::substitute(result, subst);
  }
  return step;
}

int64_t ThunkInSteps::most_points(int64_t wanted) const {
  if (!is_simple_) return 1;
  int64_t bytes = 0;
  for (const core::Param& p : between_) bytes += register_bytes(p.type.elem);
  for (const Prim type : kept_) bytes += register_bytes(type);
  return std::clamp<int64_t>(kBatchBytes / std::max<int64_t>(bytes, 1), 1, wanted);
}

ThunkInSteps::Kept ThunkInSteps::make_room(Code& code, int64_t points) const {
  const auto room = [&](Prim type, std::string_view what) {
    return code.alloc(Space::kPrivate, const_i64(points * prim_size(type)), what);
  };
  Kept kept;
  for (const core::Param& p : between_) kept.between.push_back(room(p.type.elem, "between"));
  for (const Prim type : kept_) kept.values.push_back(room(type, "kept"));
  return kept;
}

void ThunkInSteps::read(Code& code, const Kept& kept, const Operand& k,
                        const std::vector<Operand>& indices) const {
  const std::vector<Operand> found = kernel_.fn.apply(code, reads_, indices);
  for (size_t v = 0; v < found.size(); ++v)
    code.add(Store{between_[v].type.elem, kept.between[v], k, found[v]});
}

std::vector<Operand> ThunkInSteps::arguments(Code& code, const Kept& kept, const Operand& k,
                                             const std::vector<Operand>& indices) const {
  std::vector<Operand> found = indices;
  for (size_t v = 0; v < between_.size(); ++v)
    found.push_back(code.load(between_[v].type.elem, kept.between[v], k, "between"));
  return found;
}

Operand ThunkInSteps::fits(Code& code, const Kept& kept, const Operand& k,
                           const std::vector<Operand>& indices) const {
  Operand all = core::const_bool(true);
  for (const Operand& holds : kernel_.fn.apply(code, fits_, arguments(code, kept, k, indices)))
    all = code.both(all, holds, "fits");
  return all;
}

void ThunkInSteps::check(Code& code, const Kept& kept, const Operand& k,
                         const std::vector<Operand>& indices) const {
  kernel_.fn.apply(code, checks_, arguments(code, kept, k, indices));
}

void ThunkInSteps::finish(Code& code, const Kept& kept, const Operand& k,
                          const std::vector<Operand>& indices) const {
  const std::vector<Operand> found =
      kernel_.fn.apply(code, rest_, arguments(code, kept, k, indices));
  for (size_t v = 0; v < found.size(); ++v)
    code.add(Store{kept_[v], kept.values[v], k, as_type(code, values_[v], kept_[v], found[v])});
}

std::vector<Operand> ThunkInSteps::values(Code& code, const Kept& kept, const Operand& k) const {
  std::vector<Operand> found;
  for (size_t v = 0; v < values_.size(); ++v)
    found.push_back(
        as_type(code, kept_[v], values_[v], code.load(kept_[v], kept.values[v], k, "kept")));
  return found;
}

}  // namespace skald::imp
