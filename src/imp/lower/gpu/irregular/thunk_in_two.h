// SPDX-License-Identifier: Apache-2.0
// A thunk that is run at several points at once: what it reads before its first check, at all of
// them, then the rest, at all of them.  No compiler would move loads to before the check of another
// point, and a thread would wait for each load.
#pragma once

#include <algorithm>
#include <vector>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/kernel/writer.h"

namespace skald::imp {

class ThunkInTwo {
 public:
  explicit ThunkInTwo(KernelWriter& kernel);

  // How many points can be kept in registers, at most `wanted`; 1 if it is not worth it.
  int64_t most_points(int64_t wanted) const;
  bool has_first() const { return !first_.body.stmts.empty(); }
  bool may_fail() const { return may_fail_; }

  // Of the points of a batch: what the rest needs of the first part, and what the thunk gives.
  struct Kept {
    std::vector<Name> between, values;
  };
  Kept make_room(Code& code, int64_t points) const;
  void run_first(Code& code, const Kept& kept, const Operand& k,
                 const std::vector<Operand>& indices) const;
  void run_rest(Code& code, const Kept& kept, const Operand& k,
                const std::vector<Operand>& indices) const;
  std::vector<Operand> values(Code& code, const Kept& kept, const Operand& k) const;

 private:
  KernelWriter& kernel_;
  core::Lambda first_, rest_;
  std::vector<Prim> between_, values_;
  bool is_simple_ = true, may_fail_ = false;
};

namespace thunk_in_two {

// Of the registers of a thread, for what is kept.
inline constexpr int64_t kPrivateBytes = 96;
inline constexpr size_t kMostStatements = 48;

inline bool binds_scalars(const core::Stmt& stmt) {
  return std::ranges::all_of(stmt.pat, [](const core::Param& p) { return p.type.is_scalar(); });
}

// Reads and arithmetic.
inline bool only_reads(const core::Stmt& stmt) {
  return binds_scalars(stmt) &&
         (core::is_scalar_operator(stmt.exp) || core::as<core::Index>(stmt.exp) != nullptr);
}

inline int64_t register_bytes(const std::vector<Prim>& types) {
  int64_t bytes = 0;
  for (const Prim type : types) bytes += std::max<int64_t>(prim_size(type), 4);
  return bytes;
}

}  // namespace thunk_in_two

inline ThunkInTwo::ThunkInTwo(KernelWriter& kernel) : kernel_(kernel) {
  core::Lambda pull = core::copy_with_fresh_names(kernel.node.pull, kernel.fn.prog.names);
  std::vector<core::Stmt>& stmts = pull.body.stmts;
  is_simple_ = !kernel.node.guarded && stmts.size() <= thunk_in_two::kMostStatements;
  for (const core::Stmt& stmt : stmts) {
    const bool checks = core::as<core::Assert>(stmt.exp) != nullptr;
    may_fail_ = may_fail_ || checks;
    is_simple_ = is_simple_ && (checks || thunk_in_two::only_reads(stmt));
  }
  for (const core::Ret& ret : pull.results) {
    is_simple_ = is_simple_ && ret.type.is_scalar();
    values_.push_back(ret.type.elem);
  }
  if (!is_simple_) return;
  const auto first_check = std::ranges::find_if_not(stmts, thunk_in_two::only_reads);
  const size_t cut = may_fail_ ? static_cast<size_t>(first_check - stmts.begin()) : 0;
  first_.params = rest_.params = pull.params;
  // What crosses the cut is what was read; arithmetic is done again.
  core::NameSet needed;
  const auto need = [&](const core::Stmt& stmt) {
    for (const Name name : core::free_names(stmt)) needed.insert(name);
  };
  for (size_t k = cut; k < stmts.size(); ++k) need(stmts[k]);
  for (const Operand& result : pull.body.result)
    if (const Name* name = core::as_name(result)) needed.insert(*name);
  std::vector<size_t> again;
  for (size_t k = cut; k-- > 0;) {
    const core::Param& p = stmts[k].pat[0];
    if (!needed.contains(p.name)) continue;
    if (core::is_scalar_operator(stmts[k].exp)) {
      again.push_back(k);
      need(stmts[k]);
      continue;
    }
    first_.results.push_back({{}, p.type});
    first_.body.result.emplace_back(p.name);
    rest_.params.push_back(p);
    between_.push_back(p.type.elem);
  }
  core::Substitution subst;
  const auto repeat = [&](size_t k) {
    rest_.body.stmts.push_back(core::copy_with_fresh_names(stmts[k], kernel.fn.prog.names, subst));
  };
  for (size_t k = again.size(); k-- > 0;) repeat(again[k]);
  for (size_t k = cut; k < stmts.size(); ++k) repeat(k);
  rest_.results = std::move(pull.results);
  rest_.body.result = std::move(pull.body.result);
  for (Operand& result : rest_.body.result) core::substitute(result, subst);
  for (size_t k = 0; k < cut; ++k) first_.body.stmts.push_back(std::move(stmts[k]));
}

inline int64_t ThunkInTwo::most_points(int64_t wanted) const {
  if (!is_simple_) return 1;
  const int64_t bytes =
      thunk_in_two::register_bytes(between_) + thunk_in_two::register_bytes(values_);
  return std::clamp<int64_t>(thunk_in_two::kPrivateBytes / std::max<int64_t>(bytes, 1), 1, wanted);
}

inline ThunkInTwo::Kept ThunkInTwo::make_room(Code& code, int64_t points) const {
  const auto rooms = [&](const std::vector<Prim>& types, std::string_view what) {
    std::vector<Name> blocks;
    for (const Prim type : types)
      blocks.push_back(code.alloc(Space::kPrivate, const_i64(points * prim_size(type)), what));
    return blocks;
  };
  return {rooms(between_, "between"), rooms(values_, "kept")};
}

inline void ThunkInTwo::run_first(Code& code, const Kept& kept, const Operand& k,
                                  const std::vector<Operand>& indices) const {
  const std::vector<Operand> found = kernel_.fn.apply(code, first_, indices);
  for (size_t v = 0; v < found.size(); ++v)
    code.add(Store{between_[v], kept.between[v], k, found[v]});
}

inline void ThunkInTwo::run_rest(Code& code, const Kept& kept, const Operand& k,
                                 const std::vector<Operand>& indices) const {
  std::vector<Operand> args = indices;
  for (size_t v = 0; v < between_.size(); ++v)
    args.push_back(code.load(between_[v], kept.between[v], k, "between"));
  const std::vector<Operand> found = kernel_.fn.apply(code, rest_, args);
  for (size_t v = 0; v < found.size(); ++v)
    code.add(Store{values_[v], kept.values[v], k, found[v]});
}

inline std::vector<Operand> ThunkInTwo::values(Code& code, const Kept& kept,
                                               const Operand& k) const {
  std::vector<Operand> found;
  for (size_t v = 0; v < values_.size(); ++v)
    found.push_back(code.load(values_[v], kept.values[v], k, "kept"));
  return found;
}

}  // namespace skald::imp
