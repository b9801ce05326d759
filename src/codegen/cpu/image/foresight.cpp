// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/image/foresight.h"

#include <algorithm>
#include <bit>

#include "imp/ir/visit.h"
#include "runtime/abi.h"

namespace skald::cpu {

namespace {

using core::Prim;
using Step = Foresight::Step;
using Kind = Step::Kind;

// A call is not worth more steps than take some tens of microseconds.
constexpr int kMostSteps = 20'000;
constexpr int kDeepestCall = 16;
// The slot of what cannot be known.
constexpr uint32_t kNowhere = 0;
// Slots of constants have this bit until it is known how many others there are.
constexpr uint32_t kIsConstant = uint32_t{1} << 31;

uint64_t chunk_size(uint64_t count, uint64_t least) {
  return static_cast<uint64_t>(
      skald_rt_chunk_size(static_cast<int64_t>(count), static_cast<int64_t>(least)));
}

uint64_t low_bits(uint64_t bits, Prim type) {
  const int width = type == Prim::kBool ? 1 : 8 * prim_size(type);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

// imp → steps.
class Reader {
 public:
  Reader(const imp::Program& prog, const EmittedGroups& groups,
         const std::vector<std::string>& params)
      : prog_(prog), groups_(groups), params_(params) {}

  Foresight::Function read(const imp::Function& fn) {
    Foresight::Function out;
    out.entry = fn.entry.value_or("");
    const auto group = groups_.functions.find(fn.name);
    if (group != groups_.functions.end()) out.group = group->second;
    for (const imp::Decl& param : fn.params) {
      out.params.push_back(param.type.is_block() ? kNowhere : slot(param.name));
      out.types.push_back(param.type.is_block() ? Prim::kI64 : param.type.prim);
    }
    std::vector<uint32_t> assigned;
    out.steps = body(fn.body, assigned);
    return out;
  }

  std::vector<uint64_t> constants;
  uint32_t variables = 1;

 private:
  uint32_t slot(core::Name name) {
    const auto [place, is_new] = slots_.try_emplace(name.id, variables);
    if (is_new) ++variables;
    return place->second;
  }
  uint32_t use(const core::Operand& operand) {
    if (const core::Const* known = core::as_const(operand)) {
      constants.push_back(known->bits);
      return static_cast<uint32_t>(constants.size() - 1) | kIsConstant;
    }
    const auto found = slots_.find(core::as_name(operand)->id);
    return found == slots_.end() ? kNowhere : found->second;
  }

  Step step(const core::Value& e) { return {.a = use(e.arg)}; }
  Step step(const core::Bitcast& e) { return {.a = use(e.arg)}; }
  Step step(const core::UnOp& e) {
    return {.kind = Kind::kUnary, .a = use(e.arg), .unary = core::scalar_fn(e.op, e.type)};
  }
  Step step(const core::Convert& e) {
    return {.kind = Kind::kUnary, .a = use(e.arg), .unary = core::convert_fn(e.from, e.to)};
  }
  Step step(const core::BinOp& e) { return binary(e.lhs, e.rhs, core::scalar_fn(e.op, e.type)); }
  Step step(const core::CmpOp& e) { return binary(e.lhs, e.rhs, core::scalar_fn(e.op, e.type)); }
  Step step(const core::TernOp& e) {
    Step out{.kind = Kind::kTernary, .ternary = core::scalar_fn(e.op, e.type)};
    out.a = use(e.a), out.b = use(e.b), out.c = use(e.c);
    return out;
  }
  Step step(const core::Select& e) {
    Step out{.kind = Kind::kSelect};
    out.a = use(e.cond), out.b = use(e.then), out.c = use(e.otherwise);
    return out;
  }
  Step binary(const core::Operand& a, const core::Operand& b, core::BinFn fn) {
    Step out{.kind = Kind::kBinary, .binary = fn};
    out.a = use(a), out.b = use(b);
    return out;
  }

  // Everything else makes or changes memory, or runs elsewhere.
  template <class Node>
  void read(const Node&, std::vector<Step>&, std::vector<uint32_t>&) {}

  void read(const imp::Let& n, std::vector<Step>& out, std::vector<uint32_t>&) {
    Step made;
    imp::visit_exp(n.exp, [&](const auto& e) { made = step(e); });
    made.dst = slot(n.name);
    out.push_back(std::move(made));
  }
  void read(const imp::Var& n, std::vector<Step>& out, std::vector<uint32_t>&) {
    Step made{.a = use(n.init)};
    made.dst = slot(n.name);
    out.push_back(std::move(made));
  }
  void read(const imp::Assign& n, std::vector<Step>& out, std::vector<uint32_t>& assigned) {
    out.push_back({.dst = slot(n.var), .a = use(n.value)});
    assigned.push_back(slot(n.var));
  }
  void read(const imp::ChunkSize& n, std::vector<Step>& out, std::vector<uint32_t>&) {
    out.push_back(binary(n.count, n.least, chunk_size));
    out.back().dst = slot(n.name);
  }
  void read(const imp::Workers& n, std::vector<Step>& out, std::vector<uint32_t>&) {
    out.push_back({.kind = Kind::kWorkers, .dst = slot(n.name)});
  }
  void read(const imp::Tunable& n, std::vector<Step>& out, std::vector<uint32_t>&) {
    const auto row = std::find(params_.begin(), params_.end(), n.param) - params_.begin();
    out.push_back({.kind = Kind::kTunable,
                   .dst = slot(n.name),
                   .a = use(n.fallback),
                   .row = static_cast<uint32_t>(row)});
  }
  void read(const imp::If& n, std::vector<Step>& out, std::vector<uint32_t>& assigned) {
    Step made{.kind = Kind::kBranch, .a = use(n.cond)};
    const auto arms = groups_.branches.find(&n);
    if (arms != groups_.branches.end()) made.arms = arms->second;
    made.then = body(n.then_body, made.assigned);
    made.otherwise = body(n.else_body, made.assigned);
    add(std::move(made), out, assigned);
  }
  void read(const imp::For& n, std::vector<Step>& out, std::vector<uint32_t>& assigned) {
    Step made{.kind = Kind::kFor};
    made.a = use(n.begin);
    made.b = use(n.end);
    made.binary = core::scalar_fn(core::CmpOpKind::kLt, n.type);
    made.dst = slot(n.var);
    made.then = body(n.body, made.assigned);
    add(std::move(made), out, assigned);
  }
  void read(const imp::While& n, std::vector<Step>& out, std::vector<uint32_t>& assigned) {
    Step made{.kind = Kind::kWhile, .a = use(n.cond)};
    made.then = body(n.body, made.assigned);
    add(std::move(made), out, assigned);
  }
  void read(const imp::Call& n, std::vector<Step>& out, std::vector<uint32_t>&) {
    Step made{.kind = Kind::kCall};
    made.callee = static_cast<uint32_t>(prog_.find(n.fn) - prog_.functions.data());
    const imp::Function& callee = prog_.functions[made.callee];
    for (size_t i = 0; i < n.args.size(); ++i)
      made.args.push_back(callee.params[i].type.is_block() ? kNowhere : use(n.args[i]));
    out.push_back(std::move(made));
  }

  static void add(Step made, std::vector<Step>& out, std::vector<uint32_t>& assigned) {
    assigned.insert(assigned.end(), made.assigned.begin(), made.assigned.end());
    out.push_back(std::move(made));
  }
  std::vector<Step> body(const imp::Body& body, std::vector<uint32_t>& assigned) {
    std::vector<Step> out;
    for (const imp::Stmt& stmt : body.stmts)
      imp::visit(stmt.node, [&](const auto& node) { read(node, out, assigned); });
    return out;
  }

  const imp::Program& prog_;
  const EmittedGroups& groups_;
  const std::vector<std::string>& params_;
  std::unordered_map<uint32_t, uint32_t> slots_;  // by name
};

void place_constants(std::vector<Step>& steps, uint32_t first) {
  const auto place = [&](uint32_t& slot) {
    if ((slot & kIsConstant) != 0) slot = first + (slot & ~kIsConstant);
  };
  for (Step& step : steps) {
    place(step.a), place(step.b), place(step.c);
    for (uint32_t& arg : step.args) place(arg);
    place_constants(step.then, first);
    place_constants(step.otherwise, first);
  }
}

// The first run of a call, without its memory.
class Walk {
 public:
  Walk(const std::vector<Foresight::Function>& functions, uint32_t variables,
       std::span<const uint64_t> constants, std::span<const int64_t> tuning, int64_t threads,
       size_t groups)
      : reach(groups, Reach::kUnknown),
        functions_(functions),
        tuning_(tuning),
        threads_(threads),
        values_(variables),
        known_(variables, false) {
    values_.insert(values_.end(), constants.begin(), constants.end());
    known_.resize(values_.size(), true);
  }

  void set(uint32_t slot, uint64_t bits, bool known) {
    if (slot == kNowhere) return;
    values_[slot] = bits;
    known_[slot] = known;
  }

  void call(const Foresight::Function& fn) {
    if (depth_ == kDeepestCall) return;
    ++depth_;
    mark(fn.group, Reach::kReached);
    run(fn.steps);
    --depth_;
  }

  std::vector<Reach> reach;

 private:
  void mark(uint32_t group, Reach what) { reach[group] = std::max(reach[group], what); }

  void run(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (++steps_ > kMostSteps) return;
      run(step);
    }
  }

  void run(const Step& step) {
    const bool has_a = known_[step.a];
    switch (step.kind) {
      case Kind::kMove: return set(step.dst, values_[step.a], has_a);
      case Kind::kUnary: return set(step.dst, has_a ? step.unary(values_[step.a]) : 0, has_a);
      case Kind::kBinary: {
        const bool all = has_a && known_[step.b];
        return set(step.dst, all ? step.binary(values_[step.a], values_[step.b]) : 0, all);
      }
      case Kind::kTernary: {
        const bool all = has_a && known_[step.b] && known_[step.c];
        return set(step.dst,
                   all ? step.ternary(values_[step.a], values_[step.b], values_[step.c]) : 0, all);
      }
      case Kind::kSelect: {
        const uint32_t from = values_[step.a] != 0 ? step.b : step.c;
        return set(step.dst, values_[from], has_a && known_[from]);
      }
      case Kind::kTunable: {
        const int64_t chosen = step.row < tuning_.size() ? tuning_[step.row] : 0;
        return chosen != 0 ? set(step.dst, static_cast<uint64_t>(chosen), true)
                           : set(step.dst, values_[step.a], has_a);
      }
      case Kind::kWorkers: return set(step.dst, static_cast<uint64_t>(threads_), true);
      case Kind::kBranch: return branch(step);
      case Kind::kFor:
        if (has_a && known_[step.b] && step.binary(values_[step.a], values_[step.b]) == 0) return;
        set(step.dst, values_[step.a], has_a);
        return loop(step);
      case Kind::kWhile:
        if (has_a && values_[step.a] == 0) return;
        return loop(step);
      case Kind::kCall: {
        const Foresight::Function& callee = functions_[step.callee];
        for (size_t i = 0; i < step.args.size(); ++i)
          set(callee.params[i], values_[step.args[i]], known_[step.args[i]]);
        return call(callee);
      }
    }
  }

  void branch(const Step& step) {
    if (!known_[step.a]) return forget(step);
    const bool yes = values_[step.a] != 0;
    if (step.arms.yes != 0) mark(step.arms.yes, yes ? Reach::kReached : Reach::kLeftOut);
    if (step.arms.no != 0) mark(step.arms.no, yes ? Reach::kLeftOut : Reach::kReached);
    run(yes ? step.then : step.otherwise);
  }
  void loop(const Step& step) {
    run(step.then);
    forget(step);
  }
  void forget(const Step& step) {
    for (const uint32_t slot : step.assigned) known_[slot] = false;
  }

  const std::vector<Foresight::Function>& functions_;
  std::span<const int64_t> tuning_;
  int64_t threads_;
  std::vector<uint64_t> values_;
  std::vector<bool> known_;
  int steps_ = 0, depth_ = 0;
};

}  // namespace

Foresight::Foresight(const imp::Program& prog, const EmittedGroups& groups,
                     const std::vector<std::string>& params) {
  Reader reader(prog, groups, params);
  for (const imp::Function& fn : prog.functions) functions_.push_back(reader.read(fn));
  constants_ = std::move(reader.constants);
  variables_ = reader.variables;
  for (Function& fn : functions_) place_constants(fn.steps, variables_);
}

std::vector<Reach> Foresight::of_call(std::string_view entry, std::span<const int64_t> args,
                                      std::span<const int64_t> tuning, int64_t threads,
                                      size_t groups) const {
  Walk walk(functions_, variables_, constants_, tuning, threads, groups);
  const auto fn = std::ranges::find(functions_, entry, &Function::entry);
  if (fn == functions_.end()) return std::move(walk.reach);
  for (size_t i = 0; i < std::min(args.size(), fn->params.size()); ++i)
    walk.set(fn->params[i], low_bits(static_cast<uint64_t>(args[i]), fn->types[i]), true);
  walk.call(*fn);
  return std::move(walk.reach);
}

}  // namespace skald::cpu
