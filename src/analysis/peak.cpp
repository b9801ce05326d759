// SPDX-License-Identifier: Apache-2.0
// Runs a function over formulas instead of numbers: `alloc` adds, `free` subtracts, branches take
// the larger side, and the largest sums are kept.
#include "analysis/peak.h"

#include <algorithm>
#include <map>

#include "core/ir/visit.h"
#include "support/prim.h"

namespace skald::analysis {

using namespace core;

namespace {

// A polynomial in the sizes: factors, sorted, with their coefficient.
using Amount = std::map<std::vector<Name>, int64_t>;

constexpr int kMaxExpansion = 30;
constexpr size_t kMaxCandidates = 4;

Amount sum(Amount a, const Amount& b, int64_t factor = 1) {
  for (const auto& [names, count] : b)
    if ((a[names] += count * factor) == 0) a.erase(names);
  return a;
}

Amount product(const Amount& a, const Amount& b) {
  Amount result;
  for (const auto& [x, m] : a) {
    for (const auto& [y, n] : b) {
      std::vector<Name> names = x;
      names.insert(names.end(), y.begin(), y.end());
      std::sort(names.begin(), names.end());
      result[names] += m * n;
    }
  }
  return result;
}

int64_t coefficient(const Amount& a, const std::vector<Name>& names) {
  const auto found = a.find(names);
  return found == a.end() ? 0 : found->second;
}

// Is a at least b for all sizes, as far as the coefficients tell?
bool covers(const Amount& a, const Amount& b) {
  for (const auto& [names, count] : b)
    if (coefficient(a, names) < count) return false;
  return std::all_of(a.begin(), a.end(),
                     [&](const auto& term) { return term.second >= coefficient(b, term.first); });
}

// At least both.
Amount larger(const Amount& a, const Amount& b) {
  if (covers(a, b)) return a;
  if (covers(b, a)) return b;
  Amount result = a;
  for (const auto& [names, count] : b) result[names] = std::max(result[names], count);
  return result;
}

class PeakFinder {
 public:
  PeakFinder(const Program& prog, std::vector<std::string>& active)
      : prog_(prog), active_(active) {}

  void function(const Function& fn) {
    State state;
    body(fn.body, state, false);
  }
  const std::vector<Amount>& peaks() const { return peaks_; }
  MemoryUse use;

 private:
  // What is alive, and how much of it goes when a name is freed.
  struct State {
    Amount live = {};
    std::unordered_map<Name, Amount> owned = {};
  };

  Amount value(const Operand& operand, int depth = 0) const {
    if (const Const* c = as_const(operand)) {
      const int64_t number = int_value(*c);
      return number == 0 ? Amount{} : Amount{{{}, number}};
    }
    const Name name = *as_name(operand);
    const auto found = defs_.find(name);
    if (found == defs_.end() || depth > kMaxExpansion) return {{{name}, 1}};
    const auto of = [&](const Operand& o) { return value(o, depth + 1); };
    if (const Value* v = as<Value>(*found->second)) return of(v->arg);
    // Overflow and loops that do not run.
    if (const Select* select = as<Select>(*found->second)) {
      if (as_const(select->otherwise) != nullptr) return of(select->then);
    }
    if (const BinOp* op = as<BinOp>(*found->second); op != nullptr && op->type == Prim::kI64) {
      if (op->op == BinOpKind::kMul) return product(of(op->lhs), of(op->rhs));
      if (op->op == BinOpKind::kAdd) return sum(of(op->lhs), of(op->rhs));
      if (op->op == BinOpKind::kSub) return sum(of(op->lhs), of(op->rhs), -1);
      if (op->op == BinOpKind::kMax) return larger(of(op->lhs), of(op->rhs));
    }
    return {{{name}, 1}};
  }

  void note(const Amount& amount) {
    if (!recording_) return;
    for (const Amount& peak : peaks_)
      if (covers(peak, amount)) return;
    std::erase_if(peaks_, [&](const Amount& peak) { return covers(amount, peak); });
    if (peaks_.size() < kMaxCandidates)
      peaks_.push_back(amount);
    else
      peaks_.back() = larger(peaks_.back(), amount);
  }

  // What a body hands on of the blocks it made, by position.
  std::vector<Amount> body(const Body& body, State& state, bool in_loop) {
    const Amount before = state.live;
    for (const Stmt& stmt : body.stmts) this->stmt(stmt, state, in_loop);
    std::vector<Amount> handed_on;
    for (const Operand& result : body.result) {
      const Name* name = as_name(result);
      const auto found = name == nullptr ? state.owned.end() : state.owned.find(*name);
      handed_on.push_back(found == state.owned.end() ? Amount{} : found->second);
    }
    return handed_on;
  }

  void own(const std::vector<Param>& pat, const std::vector<Amount>& amounts, State& state) {
    for (size_t k = 0; k < pat.size(); ++k) {
      if (pat[k].type.kind != Type::kMem || amounts[k].empty()) continue;
      state.owned[pat[k].name] = amounts[k];
      state.live = sum(state.live, amounts[k]);
    }
    note(state.live);
  }

  void stmt(const Stmt& stmt, State& state, bool in_loop) {
    if (stmt.pat.size() == 1) defs_[stmt.pat[0].name] = &stmt.exp;
    if (const Alloc* alloc = as<Alloc>(stmt.exp)) {
      if (recording_) {
        ++use.allocations;
        use.in_loops += in_loop ? 1 : 0;
      }
      own(stmt.pat, {value(alloc->bytes)}, state);
    } else if (const Free* free = as<Free>(stmt.exp)) {
      const auto found = state.owned.find(free->block);
      if (found == state.owned.end()) return;
      state.live = sum(state.live, found->second, -1);
      state.owned.erase(found);
    } else if (const If* branch = as<If>(stmt.exp)) {
      State then{state.live}, otherwise{state.live};
      const std::vector<Amount> a = body(branch->then_body, then, in_loop);
      const std::vector<Amount> b = body(branch->else_body, otherwise, in_loop);
      std::vector<Amount> both;
      for (size_t k = 0; k < a.size(); ++k) both.push_back(larger(a[k], b[k]));
      own(stmt.pat, both, state);
    } else if (const Loop* loop = as<Loop>(stmt.exp)) {
      this->loop(stmt, *loop, state);
    } else if (const Call* call = as<Call>(stmt.exp)) {
      this->call(stmt, *call, state, in_loop);
    } else if (as<Kernel>(stmt.exp) != nullptr && recording_) {
      for_each_body(stmt.exp, [&](const Body& inner) { count_in_kernel(inner); });
    }
  }

  // Every round begins with what the round before handed on.
  void loop(const Stmt& stmt, const Loop& loop, State& state) {
    const bool recording = std::exchange(recording_, false);
    State first{state.live};
    const std::vector<Amount> carried = body(loop.body, first, true);
    recording_ = recording;
    State again{state.live};
    std::vector<Param> params;
    for (const LoopParam& p : loop.params) params.push_back(p.param);
    if (recording_) {
      own(params, carried, again);
      body(loop.body, again, true);
    }
    own(stmt.pat, carried, state);
  }

  void call(const Stmt& stmt, const Call& call, State& state, bool in_loop) {
    const Function* callee = prog_.find(call.fn);
    if (callee != nullptr && recording_ &&
        std::find(active_.begin(), active_.end(), call.fn) == active_.end()) {
      active_.push_back(call.fn);
      PeakFinder inner(prog_, active_);
      for (size_t k = 0; k < callee->params.size() && k < call.args.size(); ++k)
        arguments_.push_back(std::make_unique<Exp>(Value{call.args[k]})),
            inner.defs_[callee->params[k].name] = arguments_.back().get();
      inner.defs_.insert(defs_.begin(), defs_.end());
      inner.function(*callee);
      active_.pop_back();
      for (const Amount& peak : inner.peaks()) note(sum(state.live, peak));
      use.allocations += inner.use.allocations;
      use.in_loops += in_loop ? inner.use.allocations : inner.use.in_loops;
      use.in_kernels += inner.use.in_kernels;
    }
    std::vector<Amount> results(stmt.pat.size());
    for (size_t k = 0; k + 1 < stmt.pat.size(); ++k) {
      if (stmt.pat[k].type.kind != Type::kMem) continue;
      const Type& type = stmt.pat[k + 1].type;
      results[k] = {{{}, prim_size(type.elem)}};
      for (const Operand& dim : type.shape) results[k] = product(results[k], value(dim));
    }
    own(stmt.pat, results, state);
  }

  void count_in_kernel(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      if (as<Alloc>(stmt.exp) != nullptr) ++use.in_kernels;
      for_each_body(stmt.exp, [&](const Body& inner) { count_in_kernel(inner); });
    }
  }

  const Program& prog_;
  std::vector<std::string>& active_;
  std::unordered_map<Name, const Exp*> defs_;
  std::vector<std::unique_ptr<Exp>> arguments_;
  std::vector<Amount> peaks_;
  bool recording_ = true;
};

std::string amount_text(const Amount& amount, const Program& prog) {
  // By the names that are printed: different names may look alike.
  std::map<std::vector<std::string>, int64_t> terms;
  for (const auto& [names, count] : amount) {
    std::vector<std::string> bases;
    for (const Name name : names) bases.emplace_back(prog.names.base(name));
    std::sort(bases.begin(), bases.end());
    terms[bases] += count;
  }
  std::string out;
  for (const auto& [bases, count] : terms) {
    if (count == 0) continue;
    const bool negative = count < 0;
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    out += std::to_string(negative ? -count : count);
    for (const std::string& base : bases) out += "·" + base;
  }
  return out.empty() ? "0" : out;
}

}  // namespace

MemoryUse memory_use(const Program& prog, const Function& fn) {
  std::vector<std::string> active = {fn.name};
  PeakFinder finder(prog, active);
  finder.function(fn);
  MemoryUse use = finder.use;
  std::vector<std::string> texts;
  for (const Amount& peak : finder.peaks()) {
    std::string text = amount_text(peak, prog);
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  }
  if (texts.empty()) texts.emplace_back("0");
  use.peak = texts[0];
  for (size_t k = 1; k < texts.size(); ++k) use.peak += ", " + texts[k];
  if (texts.size() > 1) use.peak = "max(" + use.peak + ")";
  return use;
}

}  // namespace skald::analysis
