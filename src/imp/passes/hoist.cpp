// SPDX-License-Identifier: Apache-2.0
// In code for devices, slow operators that give the same in every round of a loop are computed
// before it.
//
//   before   for (i …) { p = pow(x, 1.5); s = add(s, mul(p, i)); }
//
//   after    p = pow(x, 1.5); for (i …) { s = add(s, mul(p, i)); }
//
// Nests whose levels became one kernel compute what belongs to a row at each of its points.  The
// compilers of devices move simple operators themselves; functions and divisions have branches
// inside, and stay where they are.  What such an operator needs moves with it; all else stays, so
// that no register is held for what costs less than a register.
//
// Target   devices; launches and the functions that they call.
// Needs    nothing.
// Gives    no slow operator in a loop, outside of branches, on what the loop does not change.
// Keeps    everything else, all results too: operators of imp have no effects and cannot fail.
// Cost     linear in the code times the depth of loops.
// Tests    tests/golden/passes/imp/hoist/*.imp
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/scalar/operator_class.h"
#include "imp/passes/device_code.h"
#include "imp/passes/passes.h"
#include "imp/passes/scalar_exps.h"

namespace skald::imp {

namespace {

class Hoisting {
 public:
  explicit Hoisting(PassContext& ctx) : ctx_(ctx) {}

  void rewrite(Body& body) {
    std::vector<Stmt> stmts;
    std::vector<size_t> hoisted;  // in `stmts`
    for (Stmt& stmt : body.stmts) {
      for_each_body(stmt, [&](Body& inner) { rewrite(inner); });
      if (auto* loop = as<For>(stmt)) move_out(loop->body, loop->var, stmts, hoisted);
      if (auto* loop = as<While>(stmt)) move_out(loop->body, {}, stmts, hoisted);
      stmts.push_back(std::move(stmt));
    }
    body = Body(std::move(stmts));
  }

 private:
  // The numbers of those that are the same in every round and slow, and what they need.
  std::unordered_set<size_t> movable(const Body& body, Name counter) const {
    std::unordered_map<Name, int> changes;
    collect_bound(body, changes);
    if (counter) changes[counter] = 1;
    std::unordered_map<Name, size_t> same;  // names that do not change, and where they are bound
    std::vector<size_t> slow;
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      const auto* let = as<Let>(body.stmts[k]);
      if (let == nullptr) continue;
      bool fits = true;
      each_operand(let->exp, [&](const Operand& operand) {
        const Name* name = core::as_name(operand);
        fits = fits && (name == nullptr || !changes.contains(*name) || same.contains(*name));
      });
      if (!fits) continue;
      same.emplace(let->name, k);
      if (core::is_slow(let->exp) && !core::divides_by_constant(let->exp)) slow.push_back(k);
    }
    std::unordered_set<size_t> moved;
    while (!slow.empty()) {
      const size_t k = slow.back();
      slow.pop_back();
      if (!moved.insert(k).second) continue;
      each_operand(as<Let>(body.stmts[k])->exp, [&](const Operand& operand) {
        const Name* name = core::as_name(operand);
        if (name == nullptr) return;
        if (const auto found = same.find(*name); found != same.end()) slow.push_back(found->second);
      });
    }
    return moved;
  }

  void move_out(Body& body, Name counter, std::vector<Stmt>& out, std::vector<size_t>& hoisted) {
    const std::unordered_set<size_t> moved = movable(body, counter);
    if (moved.empty() || !ctx_.may_rewrite()) return;
    std::vector<Stmt> kept;
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      if (!moved.contains(k)) {
        kept.push_back(std::move(body.stmts[k]));
        continue;
      }
      Let& let = *as<Let>(body.stmts[k]);
      each_operand(let.exp, [&](Operand& operand) {
        const Name* name = core::as_name(operand);
        if (name == nullptr) return;
        if (const auto found = known_as_.find(*name); found != known_as_.end())
          operand = found->second;
      });
      if (const Let* known = find(let, out, hoisted)) {
        known_as_.emplace(let.name, known->name);
        let.exp = core::Value{known->name};
        kept.push_back(std::move(body.stmts[k]));
        continue;
      }
      hoisted.push_back(out.size());
      out.push_back(std::move(body.stmts[k]));
    }
    body = Body(std::move(kept));
  }

  // What an earlier loop of the same body has given already.  Variables may have changed since.
  static const Let* find(const Let& let, const std::vector<Stmt>& out,
                         const std::vector<size_t>& hoisted) {
    for (const size_t k : hoisted) {
      const Let& known = *as<Let>(out[k]);
      if (is_same(known.exp, let.exp) && !reads_changed(let.exp, out, k)) return &known;
    }
    return nullptr;
  }
  static bool reads_changed(const Exp& exp, const std::vector<Stmt>& out, size_t since) {
    std::unordered_map<Name, int> changed;
    for (size_t k = since + 1; k < out.size(); ++k) {
      if (const auto* assign = as<Assign>(out[k])) ++changed[assign->var];
      for_each_body(out[k], [&](const Body& inner) { collect_bound(inner, changed); });
    }
    bool reads = false;
    each_operand(exp, [&](const Operand& operand) {
      const Name* name = core::as_name(operand);
      reads = reads || (name != nullptr && changed.contains(*name));
    });
    return reads;
  }

  PassContext& ctx_;
  std::unordered_map<Name, Name> known_as_;
};

}  // namespace

Program hoist_operators(Program prog, PassContext& ctx) {
  for_each_device_body(
      prog, [&](Body& body, const std::vector<Operand>&) { Hoisting(ctx).rewrite(body); });
  return prog;
}

}  // namespace skald::imp
