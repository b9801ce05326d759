// SPDX-License-Identifier: Apache-2.0
#include "analysis/stats.h"

#include <algorithm>
#include <map>

#include "analysis/peak.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "support/prim.h"

namespace skald::analysis {

using namespace core;

namespace {

// A polynomial in the sizes: factors, sorted, with their coefficient.
using Formula = std::map<std::vector<std::string>, int64_t>;

void add(Formula& to, const Formula& from) {
  for (const auto& [factors, count] : from) to[factors] += count;
}

std::string text(const Formula& formula) {
  std::string out;
  for (const auto& [factors, count] : formula) {
    if (count == 0) continue;
    if (!out.empty()) out += " + ";
    out += std::to_string(count);
    for (const std::string& factor : factors) out += "·" + factor;
  }
  return out.empty() ? "0" : out;
}

struct Stats {
  int kernels = 0, in_loops = 0, intermediates = 0;
  Formula reads, writes, kept;

  void merge(const Stats& other) {
    kernels += other.kernels;
    in_loops += other.in_loops;
    intermediates += other.intermediates;
    add(reads, other.reads);
    add(writes, other.writes);
    add(kept, other.kept);
  }
};

class Counter {
 public:
  explicit Counter(const Program& prog) : prog_(prog) {}

  Stats function(const Function& fn) {
    for (const Param& p : fn.params) bind(p);
    std::unordered_set<Name> results;
    for (const Operand& o : fn.body.result)
      if (const Name* name = as_name(o)) results.insert(*name);
    Stats stats = body(fn.body, results, false);
    return stats;
  }

 private:
  void bind(const Param& p) {
    if (p.type.is_array()) types_[p.name] = p.type;
  }

  // A size as factors; products that the host computes are taken apart.
  void factors(const Operand& dim, std::vector<std::string>& names, int64_t& count, int depth = 0) {
    if (const Const* c = as_const(dim)) {
      count *= std::max<int64_t>(int_value(*c), 0);
      return;
    }
    const Name name = *as_name(dim);
    const auto product = products_.find(name);
    if (product != products_.end() && depth < 20) {
      factors(product->second.first, names, count, depth + 1);
      factors(product->second.second, names, count, depth + 1);
      return;
    }
    names.emplace_back(prog_.names.base(name));
  }
  Formula bytes(const Type& type) {
    std::vector<std::string> names;
    int64_t count = prim_size(type.elem);
    for (const Operand& dim : type.shape) factors(dim, names, count);
    std::ranges::sort(names);
    return {{names, count}};
  }

  // With what the results are views of.
  static std::unordered_set<Name> with_sources(const Body& body, std::unordered_set<Name> results) {
    for (size_t k = body.stmts.size(); k-- > 0;) {
      const Stmt& stmt = body.stmts[k];
      if (stmt.pat.size() != 1 || !results.contains(stmt.pat[0].name)) continue;
      if (const auto* e = as<Rearrange>(stmt.exp)) results.insert(e->array);
      if (const auto* e = as<Reshape>(stmt.exp)) results.insert(e->array);
      if (const auto* e = as<Value>(stmt.exp))
        if (const Name* name = as_name(e->arg)) results.insert(*name);
      // A row or element is less than what was stored.
      const auto* e = as<Index>(stmt.exp);
      if (e != nullptr && std::ranges::none_of(e->slice, &DimSlice::is_index))
        results.insert(e->array);
    }
    return results;
  }

  Stats body(const Body& body, const std::unordered_set<Name>& given, bool in_loop) {
    Stats stats;
    const std::unordered_set<Name> results = with_sources(body, given);
    for (const Stmt& stmt : body.stmts) {
      for (const Param& p : stmt.pat) bind(p);
      if (const BinOp* op = as<BinOp>(stmt.exp); op != nullptr && op->op == BinOpKind::kMul)
        products_.emplace(stmt.pat[0].name, std::pair(op->lhs, op->rhs));
      bool threshold = as<Tunable>(stmt.exp) != nullptr;
      if (as<BinOp>(stmt.exp) != nullptr || as<CmpOp>(stmt.exp) != nullptr)
        for_each_operand(
            stmt.exp, [&](const Operand& o) { threshold = threshold || is_choice_of_version(o); });
      if (threshold) thresholds_.insert(stmt.pat[0].name);
      if (const Kernel* kernel = as<Kernel>(stmt.exp)) {
        stats.merge(one_kernel(stmt, *kernel, results, in_loop));
      } else if (const If* branch = as<If>(stmt.exp)) {
        Stats then =
            this->body(branch->then_body, results_of(stmt, branch->then_body, results), in_loop);
        Stats otherwise =
            this->body(branch->else_body, results_of(stmt, branch->else_body, results), in_loop);
        const bool first = then.kernels >= otherwise.kernels;
        stats.merge(first != is_choice_of_version(branch->cond) ? then : otherwise);
      } else if (const Loop* loop = as<Loop>(stmt.exp)) {
        for (const LoopParam& p : loop->params) bind(p.param);
        std::unordered_set<Name> carried;
        for (const Operand& o : loop->body.result)
          if (const Name* name = as_name(o)) carried.insert(*name);
        stats.merge(this->body(loop->body, carried, true));
      } else if (const Call* call = as<Call>(stmt.exp)) {
        const Function* callee = prog_.find(call->fn);
        if (callee != nullptr && active_.insert(call->fn).second) {
          Stats inner = function(*callee);
          if (in_loop) inner.in_loops = inner.kernels;
          stats.merge(inner);
          active_.erase(call->fn);
        }
      } else if (copies(stmt.exp)) {
        // Done by the runtime without a kernel, but it moves bytes all the same.
        add(stats.writes, bytes(stmt.pat[0].type));
      }
    }
    return stats;
  }

  // Does the condition compare with a tunable threshold?  Then the simpler version counts.
  bool is_choice_of_version(const Operand& cond) const {
    const Name* name = as_name(cond);
    return name != nullptr && thresholds_.contains(*name);
  }

  static bool copies(const Exp& exp) {
    return as<Copy>(exp) != nullptr || as<Concat>(exp) != nullptr ||
           as<Replicate>(exp) != nullptr || as<Iota>(exp) != nullptr;
  }

  static std::unordered_set<Name> results_of(const Stmt& stmt, const Body& body,
                                             const std::unordered_set<Name>& outer) {
    std::unordered_set<Name> results;
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      if (const Name* name = as_name(body.result[k]); name && outer.contains(stmt.pat[k].name))
        results.insert(*name);
    return results;
  }

  Stats one_kernel(const Stmt& stmt, const Kernel& kernel, const std::unordered_set<Name>& results,
                   bool in_loop) {
    Stats stats;
    stats.kernels = 1;
    stats.in_loops = in_loop ? 1 : 0;
    std::unordered_set<Name> dests;
    for (const Sink& sink : kernel.sinks) dests.insert(sink.dests.begin(), sink.dests.end());
    for (const Name name : free_names(stmt.exp)) {
      const auto type = types_.find(name);
      if (type != types_.end() && !dests.contains(name)) add(stats.reads, bytes(type->second));
    }
    for (const Param& p : stmt.pat) {
      if (!p.type.is_array()) continue;
      add(stats.writes, bytes(p.type));
      if (results.contains(p.name)) continue;
      ++stats.intermediates;
      add(stats.kept, bytes(p.type));
    }
    return stats;
  }

  const Program& prog_;
  std::unordered_map<Name, Type> types_;
  std::unordered_map<Name, std::pair<Operand, Operand>> products_;
  std::unordered_set<std::string> active_;
  // Names that depend on a tunable parameter.
  std::unordered_set<Name> thresholds_;
};

}  // namespace

std::string kernel_stats(const Program& prog) {
  std::string out;
  for (const Function& fn : prog.functions) {
    if (!fn.entry) continue;
    const Stats stats = Counter(prog).function(fn);
    out += fmt::format("entry {}: {} kernels, {} in loops\n", fn.entry->name, stats.kernels,
                       stats.in_loops);
    out +=
        fmt::format("  reads {} bytes, writes {} bytes\n", text(stats.reads), text(stats.writes));
    out += fmt::format("  {} intermediate arrays", stats.intermediates);
    if (stats.intermediates > 0) out += fmt::format(" of {} bytes", text(stats.kept));
    out += "\n";
    if (prog.stage != Stage::kMemory) continue;
    const MemoryUse use = memory_use(prog, fn);
    out += fmt::format(
        "  peak {} bytes besides the arguments; {} allocations, {} in loops, {} in kernels\n",
        use.peak, use.allocations, use.in_loops, use.in_kernels);
  }
  return out;
}

}  // namespace skald::analysis
