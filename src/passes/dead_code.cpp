// SPDX-License-Identifier: Apache-2.0
// Removes statements whose results nobody uses, and functions nobody calls.
//
//   before   let {a_3 : i32} = add_i32(x_1, 1i32)
//            let {b_4 : i32} = mul_i32(x_1, 2i32)
//            in {b_4}
//
//   after    let {b_4 : i32} = mul_i32(x_1, 2i32)
//            in {b_4}
//
// Stage    any.
// Needs    unique names.
// Gives    no statement, at any depth, binds only unused names.  An unused check goes too: Futhark
// allows
//          unused assertions to be removed.
// Keeps    types, and the order of the statements that stay.
// Cost     linear in the size of the program.
// Tests    tests/golden/passes/dead_code/*.core
#include <algorithm>
#include <ranges>

#include "core/ir/name_map.h"
#include "core/ir/visit.h"
#include "passes/pass.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

// Freeing memory and tracing matter although they bind nothing that is used.
bool has_effect(const Stmt& stmt) {
  if (as<Free>(stmt.exp) != nullptr) return true;
  bool effect = stmt.hints.trace.wanted;
  for_each_body(stmt.exp, [&](const Body& body) {
    for (const Stmt& inner : body.stmts) effect = effect || has_effect(inner);
  });
  return effect;
}

// Inside a SOAC a check is paid for in every iteration.
enum class Where : uint8_t { kHost, kSoac };

class DeadCode {
 public:
  explicit DeadCode(PassContext& ctx) : ctx_(ctx) {}

  // Walks backwards, so that every use of a name is seen before its binding.
  void clean(Body& body, Where where) {
    for (const Operand& value : body.result) use(value);
    std::vector<Stmt> kept;
    kept.reserve(body.stmts.size());
    for (Stmt& stmt : body.stmts | std::views::reverse) {
      if (!any_live(stmt.pat) && !has_effect(stmt) && !is_host_check(stmt, where) &&
          ctx_.may_rewrite())
        continue;
      keep(stmt, where);
      kept.push_back(std::move(stmt));
    }
    std::ranges::reverse(kept);
    body.stmts = std::move(kept);
  }

 private:
  static bool is_host_check(const Stmt& stmt, Where where) {
    return where == Where::kHost && as<Assert>(stmt.exp) != nullptr;
  }
  void keep(Stmt& stmt, Where where) {
    const bool same = as<If>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr;
    for_each_body(stmt.exp, [&](Body& inner) { clean(inner, same ? where : Where::kSoac); });
    for_each_operand(stmt.exp, [&](const Operand& value) { use(value); });
    for (const Name token : stmt.tokens) live_.insert(token);
    for (const Param& p : stmt.pat) {
      for (const Operand& dim : p.type.shape) use(dim);
      for (const Type& elem : p.type.acc_elems)
        for (const Operand& dim : elem.shape) use(dim);
      for (const MemLoc& loc : p.mem) {
        live_.insert(loc.block);
        use(loc.offset);
        for (const Operand& stride : loc.strides) use(stride);
      }
    }
  }
  void use(const Operand& value) {
    if (const Name* name = as_name(value)) live_.insert(*name);
  }
  bool any_live(const std::vector<Param>& pat) const {
    return std::ranges::any_of(pat, [&](const Param& p) { return live_.contains(p.name); });
  }

  PassContext& ctx_;
  // One set serves all scopes, because names are unique.
  NameSet live_;
};

void collect_calls(const Body& body, std::vector<std::string>& calls) {
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp)) calls.push_back(call->fn);
    for_each_body(stmt.exp, [&](const Body& inner) { collect_calls(inner, calls); });
  }
}

void remove_uncalled_functions(Program& prog) {
  std::unordered_set<std::string> reached;
  std::vector<std::string> work;
  for (const Function& fn : prog.functions)
    if (fn.entry) work.push_back(fn.name);
  // A program without entry points (a golden test) keeps everything.
  if (work.empty()) return;
  while (!work.empty()) {
    const std::string name = std::move(work.back());
    work.pop_back();
    if (!reached.insert(name).second) continue;
    if (const Function* fn = prog.find(name)) collect_calls(fn->body, work);
  }
  std::erase_if(prog.functions, [&](const Function& fn) { return !reached.contains(fn.name); });
}

}  // namespace

Program remove_dead_code(Program prog, PassContext& ctx) {
  remove_uncalled_functions(prog);
  for (Function& fn : prog.functions) DeadCode(ctx).clean(fn.body, Where::kHost);
  return prog;
}

}  // namespace skald::passes
