// SPDX-License-Identifier: Apache-2.0
// Marks calls of a recursive function that do not need each other: they may run side by side
// (Call::beside).
//
//   before   call (i64 n_1, heap a_2) = "f"(k_3, b_4);    after   …
//            free(b_4);                                           bool c_9 = lt_i64(1024i64, …);
//            i64 m_5 = add_i64(n_1, 1i64);                        call beside c_9 (…) = "f"(…);
//            call (i64 n_6, heap c_7) = "f"(k_8, b_8);            call (…) = "f"(…);
//                                                                 free(b_4);
//                                                                 i64 m_5 = …
//
// Scalar code between two calls moves before or behind both.  Checks stay between them, and so does
// what copies a slice to be the argument of a call.  Anything else between them ends the group;
// functions that change their arguments, and programs that print, have none.
// What a call takes is guessed from the elements of its arguments; functions without arrays are
// left alone.  Results do not depend on it.
//
// Stage    imp for the cpu.
// Needs    Function::arrays, which lowering writes.
// Gives    calls with `beside`; no function has `arrays`.
// Keeps    the order of checks, and what each call gets.
// Cost     quadratic in the statements from the first of such calls to the last.
// Tests    tests/golden/passes/imp/forks/*.imp, tests/golden/stages/beside_imp.fut
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "imp/ir/code.h"
#include "imp/ir/visit.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

// All calls but the largest one have more elements than this together: some microseconds.
constexpr int64_t kWorthIt = 1024;

bool has_trace_statement(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (as<Trace>(stmt) != nullptr) return true;
    bool inside = false;
    for_each_body(stmt, [&](const Body& inner) { inside = inside || has_trace_statement(inner); });
    if (inside) return true;
  }
  return false;
}

// Must it wait for the check before it?
bool may_trap(const Exp& exp) {
  const auto* op = std::get_if<core::BinOp>(&exp);
  if (op == nullptr || !is_int(op->type)) return false;
  switch (op->op) {
    case BinOpKind::kDiv:
    case BinOpKind::kMod:
    case BinOpKind::kQuot:
    case BinOpKind::kRem:
    case BinOpKind::kPow: return true;
    default: return false;
  }
}

bool uses_any(const Stmt& stmt, const std::unordered_set<Name>& names) {
  bool found = false;
  for_each_use(stmt, [&](const Operand& o) {
    if (const Name* name = core::as_name(o)) found = found || names.contains(*name);
  });
  for_each_body(stmt, [&](const Body& body) {
    for (const Stmt& inner : body.stmts) found = found || uses_any(inner, names);
  });
  return found;
}

// Of what makes a block for a call: does it change nothing else?
bool writes_only(const Stmt& stmt, const std::unordered_set<Name>& blocks) {
  if (const auto* copy = as<CopyBytes>(stmt)) return blocks.contains(copy->dest);
  bool only = true;
  for_each_body(stmt, [&](const Body& body) {
    for (const Stmt& inner : body.stmts) only = only && writes_only(inner, blocks);
  });
  return only;
}

class ForkMarker {
 public:
  ForkMarker(Program& prog, const Function& fn, PassContext& ctx)
      : prog_(prog), fn_(fn), ctx_(ctx) {}

  void run(Body& body) {
    for (Stmt& stmt : body.stmts)
      if (as<If>(stmt) != nullptr || as<For>(stmt) != nullptr || as<While>(stmt) != nullptr)
        for_each_body(stmt, [&](Body& inner) { run(inner); });
    std::vector<Stmt> out;
    size_t next = 0;
    while (next < body.stmts.size()) {
      if (is_self_call(body.stmts[next]))
        next = group(body.stmts, next, out);
      else
        out.push_back(std::move(body.stmts[next++]));
    }
    body.stmts = std::move(out);
  }

 private:
  bool is_self_call(const Stmt& stmt) const {
    const auto* call = as<Call>(stmt);
    return call != nullptr && call->fn == fn_.name;
  }

  // Appends the calls from `first` on that may run side by side, with what stands between them;
  // gives the first statement that is left.
  size_t group(std::vector<Stmt>& stmts, size_t first, std::vector<Stmt>& out) {
    enum Place : uint8_t { kBefore, kAmong, kBehind };
    std::vector<Place> places;
    std::unordered_set<Name> later;     // what is known only after the calls
    std::unordered_set<Name> prepared;  // blocks made for a call
    size_t calls = 0, last = first;     // behind the last call
    bool checked = false;
    for (size_t k = first; k < stmts.size(); ++k) {
      const Stmt& stmt = stmts[k];
      const bool waits = uses_any(stmt, later);
      Place place = kBehind;
      if (is_self_call(stmt) && !waits) {
        place = kAmong;
        ++calls;
        last = k + 1;
        for_each_binder(stmt, [&](Name name, Type, BinderScope) { later.insert(name); });
      } else if (const auto* let = as<Let>(stmt)) {
        if (checked && may_trap(let->exp)) break;
        place = waits ? kBehind : kBefore;
        if (waits) later.insert(let->name);
      } else if (as<Check>(stmt) != nullptr && !waits) {
        place = kAmong;
        checked = true;
      } else if (prepares_call(stmt) && writes_only(stmt, waits ? later : prepared)) {
        // Copies that wait fill blocks of their own, such as the first part of a concatenation.
        place = waits ? kBehind : kAmong;
        if (const auto* alloc = as<Alloc>(stmt)) (waits ? later : prepared).insert(alloc->name);
      } else if (as<Free>(stmt) == nullptr) {
        break;
      }
      places.push_back(place);
    }
    places.resize(last - first);
    prepared.clear();
    for (size_t k = first; k < last; ++k)
      if (const auto* alloc = as<Alloc>(stmts[k]); alloc && places[k - first] == kAmong)
        prepared.insert(alloc->name);
    for (size_t k = first; k < stmts.size(); ++k)
      if ((k >= last || places[k - first] == kBehind) && as<Free>(stmts[k]) == nullptr &&
          uses_any(stmts[k], prepared))
        calls = 0;
    for (const Operand& result : fn_.ret)
      if (const Name* name = core::as_name(result); name && prepared.contains(*name)) calls = 0;
    if (calls < 2 || !ctx_.may_rewrite("calls side by side")) {
      out.push_back(std::move(stmts[first]));
      return first + 1;
    }
    const auto move_all = [&](Place place) {
      for (size_t k = first; k < last; ++k)
        if (places[k - first] == place) out.push_back(std::move(stmts[k]));
    };
    move_all(kBefore);
    std::vector<Call*> together;
    for (size_t k = first; k < last; ++k)
      if (Call* call = as<Call>(stmts[k])) together.push_back(call);
    const Operand worth = worth_it(together, out);
    for (size_t k = 0; k + 1 < together.size(); ++k) together[k]->beside = worth;
    move_all(kAmong);
    move_all(kBehind);
    return last;
  }

  // Do all but the largest have enough elements?
  Operand worth_it(const std::vector<Call*>& calls, std::vector<Stmt>& out) {
    Code code(prog_);
    Operand sum = const_i64(0), most = const_i64(0);
    for (const Call* call : calls) {
      const Operand size = elements(code, *call);
      sum = code.add_i64(sum, size);
      most = code.max_i64(most, size);
    }
    const Operand worth = code.less_i64(const_i64(kWorthIt), code.sub_i64(sum, most));
    for (Stmt& stmt : code.finish().stmts) out.push_back(std::move(stmt));
    return worth;
  }

  Operand elements(Code& code, const Call& call) {
    std::unordered_map<Name, Operand> given;
    for (size_t k = 0; k < fn_.params.size(); ++k) given[fn_.params[k].name] = call.args[k];
    Operand sum = const_i64(0);
    for (const std::vector<Operand>& shape : fn_.arrays) {
      Operand size = const_i64(1);
      for (const Operand& dim : shape) {
        const Name* name = core::as_name(dim);
        size = code.mul_i64(size, name ? given.at(*name) : dim);
      }
      sum = code.add_i64(sum, size);
    }
    return sum;
  }

  Program& prog_;
  const Function& fn_;
  PassContext& ctx_;
};

}  // namespace

Program mark_forks(Program prog, PassContext& ctx) {
  const auto prints = [](const Function& fn) { return has_trace_statement(fn.body); };
  // Lines that a program prints come in order.
  const bool in_order = std::ranges::any_of(prog.functions, prints);
  for (Function& fn : prog.functions) {
    if (!in_order && !fn.arrays.empty()) {
      Body body = std::move(fn.body);
      ForkMarker(prog, fn, ctx).run(body);
      fn.body = std::move(body);
    }
    fn.arrays.clear();
  }
  return prog;
}

}  // namespace skald::imp
