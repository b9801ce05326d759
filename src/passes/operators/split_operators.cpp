// SPDX-License-Identifier: Apache-2.0
// A histogram whose components have nothing to do with each other becomes several.
//
//   before   hist 3 to [m_0] {xs_1, ys_2} with {0f32, 1i32} \{a_3, b_4, c_5, d_6} ->
//                let {t_7 : f32} = add_f32(a_3, c_5)
//                let {t_8 : i32} = max_i32(b_4, d_6)
//                in {t_7, t_8}
//
//   after    hist 2 to [m_0] {xs_1} with {0f32} \{a_3, c_5} ->
//                let {t_7 : f32} = add_f32(a_3, c_5)
//                in {t_7},
//            hist 2 to [m_0] {ys_2} with {1i32} \{b_4, d_6} ->
//                let {t_8 : i32} = max_i32(b_4, d_6)
//                in {t_8}
//
// Threads update the bins of a histogram at once.  What has several components needs a lock then,
// or a word that holds them all; one component alone often is an instruction of the device.
//
// Stage    KERNELS, and only for devices with groups of threads.
// Needs    unique names; best after fuse-kernels.
// Gives    operators of histograms whose components depend on each other, but for kernels with a
//          post-function.
// Keeps    types and values.
// Cost     the size of an operator times the number of its parts.
// Tests    tests/golden/passes/split_operators/*.core, tests/programs/hist/components.fut
#include <algorithm>
#include <numeric>
#include <ranges>
#include <unordered_map>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

// Components that depend on each other, in the order of their first ones.
using Parts = std::vector<std::vector<size_t>>;

// Which parameters each name of the operator comes from.
class Sources {
 public:
  explicit Sources(const Lambda& fn) {
    for (size_t k = 0; k < fn.params.size(); ++k) of_[fn.params[k].name] = {k};
    for (const Stmt& stmt : fn.body.stmts) {
      std::vector<size_t> all;
      for (const Name name : free_names(stmt)) {
        const std::vector<size_t> some = of(name);
        all.insert(all.end(), some.begin(), some.end());
      }
      std::ranges::sort(all);
      all.erase(std::unique(all.begin(), all.end()), all.end());
      for (const Param& p : stmt.pat) of_[p.name] = all;
    }
  }
  std::vector<size_t> of(const Operand& operand) const {
    const Name* name = as_name(operand);
    const auto found = name == nullptr ? of_.end() : of_.find(*name);
    return found == of_.end() ? std::vector<size_t>{} : found->second;
  }

 private:
  std::unordered_map<Name, std::vector<size_t>> of_;
};

Parts parts_of(const Operator& op) {
  const size_t components = op.neutral.size();
  const Sources sources(op.fn);
  std::vector<size_t> part(components);
  std::iota(part.begin(), part.end(), size_t{0});
  const auto join = [&](size_t a, size_t b) {
    const size_t kept = std::min(part[a], part[b]), gone = std::max(part[a], part[b]);
    std::ranges::replace(part, gone, kept);
  };
  for (size_t k = 0; k < components; ++k)
    for (const size_t source : sources.of(op.fn.body.result[k])) join(k, source % components);
  Parts parts;
  for (size_t first = 0; first < components; ++first) {
    std::vector<size_t> members;
    for (size_t k = first; k < components; ++k)
      if (part[k] == first) members.push_back(k);
    if (!members.empty()) parts.push_back(std::move(members));
  }
  return parts;
}

// May parts of the operator be left out?
bool is_plain(const Body& body) {
  return std::ranges::all_of(body.stmts, [](const Stmt& stmt) {
    bool plain = as<Assert>(stmt.exp) == nullptr && stmt.tokens.empty();
    for_each_body(stmt.exp, [&](const Body& inner) { plain = plain && is_plain(inner); });
    return plain;
  });
}

// The part of an operator that computes these components.
Operator operator_of(const Operator& whole, const std::vector<size_t>& members, NameTable& names) {
  Operator part;
  part.commutative = whole.commutative;
  const size_t components = whole.neutral.size();
  Substitution renamed;
  for (const size_t side : {size_t{0}, components}) {
    for (const size_t k : members) {
      Param p = whole.fn.params[side + k];
      const Name fresh = names.fresh_like(p.name);
      renamed[p.name] = fresh;
      p.name = fresh;
      part.fn.params.push_back(std::move(p));
    }
  }
  NameSet needed;
  for (const size_t k : members)
    if (const Name* name = as_name(whole.fn.body.result[k])) needed.insert(*name);
  std::vector<const Stmt*> kept;
  for (const Stmt& stmt : std::views::reverse(whole.fn.body.stmts)) {
    const auto used = [&](const Param& p) { return needed.contains(p.name); };
    if (!std::ranges::any_of(stmt.pat, used)) continue;
    for (const Name name : free_names(stmt)) needed.insert(name);
    kept.push_back(&stmt);
  }
  for (const Stmt* stmt : std::views::reverse(kept))
    part.fn.body.stmts.push_back(copy_with_fresh_names(*stmt, names, renamed));
  for (const size_t k : members) {
    part.neutral.push_back(whole.neutral[k]);
    part.fn.results.push_back(whole.fn.results[k]);
    part.fn.body.result.push_back(whole.fn.body.result[k]);
    substitute(part.fn.body.result.back(), renamed);
  }
  return part;
}

class SplitOperators {
 public:
  SplitOperators(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void body(Body& block) {
    for (Stmt& stmt : block.stmts) {
      for_each_body(stmt.exp, [&](Body& inner) { body(inner); });
      if (Kernel* kernel = as<Kernel>(stmt.exp); kernel != nullptr && kernel->post.empty())
        split(stmt, *kernel);
    }
  }

 private:
  // What the kernel becomes, sink by sink.
  struct Result {
    std::vector<Sink> sinks;
    std::vector<Param> pat;
    std::vector<Operand> values;
    std::vector<Ret> types;
  };

  void split(Stmt& stmt, Kernel& kernel) {
    Result next;
    size_t value = 0, result = 0;
    const auto take_values = [&](size_t count) {
      for (size_t k = 0; k < count; ++k, ++value) take_value(kernel, value, next);
    };
    if (kernel.guarded) take_values(1);
    bool changed = false;
    for (Sink& sink : kernel.sinks) {
      const auto count = static_cast<size_t>(sink.count);
      const size_t results = sink.dests.empty() ? count : sink.dests.size();
      const Parts parts =
          sink.kind == Sink::kHist && is_plain(sink.op[0].fn.body) ? parts_of(sink.op[0]) : Parts{};
      if (parts.size() > 1 && ctx_.may_rewrite("split")) {
        changed = true;
        for (const std::vector<size_t>& members : parts)
          take_part(stmt, kernel, sink, members, value, result, next);
        value += count;
        if (ctx_.explains())
          ctx_.explain(
              fmt::format("a histogram of {} components becomes {}", results, parts.size()));
      } else {
        take_values(count);
        next.pat.insert(next.pat.end(), stmt.pat.begin() + static_cast<ptrdiff_t>(result),
                        stmt.pat.begin() + static_cast<ptrdiff_t>(result + results));
        next.sinks.push_back(std::move(sink));
      }
      result += results;
    }
    kernel.sinks = std::move(next.sinks);
    if (!changed) return;
    stmt.pat = std::move(next.pat);
    kernel.pull.body.result = std::move(next.values);
    kernel.pull.results = std::move(next.types);
  }

  static void take_value(const Kernel& kernel, size_t value, Result& to) {
    to.values.push_back(kernel.pull.body.result[value]);
    to.types.push_back(kernel.pull.results[value]);
  }

  // Some components of a histogram whose values and results begin at `value` and `result`.
  void take_part(const Stmt& stmt, const Kernel& kernel, const Sink& whole,
                 const std::vector<size_t>& members, size_t value, size_t result, Result& to) {
    const size_t rank = whole.shape.size();
    const size_t of_write = rank + whole.dests.size();
    const size_t writes = static_cast<size_t>(whole.count) / of_write;
    Sink part{Sink::kHist, static_cast<int>(writes * (rank + members.size()))};
    part.op.push_back(operator_of(whole.op[0], members, prog_.names));
    part.shape = whole.shape;
    for (size_t w = 0; w < writes; ++w) {
      const size_t first = value + w * of_write;
      for (size_t k = 0; k < rank; ++k) take_value(kernel, first + k, to);
      for (const size_t k : members) take_value(kernel, first + rank + k, to);
    }
    for (const size_t k : members) {
      part.dests.push_back(whole.dests[k]);
      to.pat.push_back(stmt.pat[result + k]);
    }
    to.sinks.push_back(std::move(part));
  }

  Program& prog_;
  PassContext& ctx_;
};

}  // namespace

Program split_operators(Program prog, PassContext& ctx) {
  if (!ctx.device().groups) return prog;
  for (Function& fn : prog.functions) SplitOperators(prog, ctx).body(fn.body);
  return prog;
}

}  // namespace skald::passes
