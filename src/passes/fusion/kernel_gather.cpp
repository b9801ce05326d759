// SPDX-License-Identifier: Apache-2.0
// Rule 2 at stage KERNELS: a kernel that only maps, and whose results are read at places other than
// the reader's own index, moves to these places.
//
//   before   let {ys} = kernel(flat(n), \{i} -> let {x} = xs[i] f in {y}, out 1)
//            let {zs} = kernel(flat(m), \{j} -> … let {a} = ys[j] let {b} = ys[k] …, out 1)
//
//   after    let {zs} = kernel(flat(m), \{j} -> … let {x} = xs[j] f let {a} = y
//                                               let {x'} = xs[k] f' let {b} = y' …, out 1)
//
// By now slices, shifts, transposes and reversals are subscripts, so stencils over a mapped array
// and maps over a transposed one come here.  The work is done again at every place, hence the cost
// model: a few reads and cheap statements altogether; or, at one place that meets every point at
// most once (the reader's indices in another order), nearly anything.
#include "passes/fusion/kernel_gather.h"

#include <algorithm>
#include <map>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// Reads and statements of one copy, times the places it goes to.
constexpr size_t kMaxReadsAgain = 6;
constexpr size_t kMaxStatementsAgain = 24;
constexpr size_t kMaxStatementsOnce = 64;
// A slow operator counts like so many others.
constexpr size_t kSlow = 12;

size_t cost(const Stmt& stmt) {
  if (const UnOp* e = as<UnOp>(stmt.exp)) {
    const bool quick = e->op == UnOpKind::kNeg || e->op == UnOpKind::kNot ||
                       e->op == UnOpKind::kAbs || e->op == UnOpKind::kSgn;
    return quick ? 1 : kSlow;
  }
  if (const BinOp* e = as<BinOp>(stmt.exp)) {
    const bool slow = e->op == BinOpKind::kPow || e->op == BinOpKind::kAtan2 ||
                      e->op == BinOpKind::kAtan2Pi || e->op == BinOpKind::kHypot;
    return slow ? kSlow : 1;
  }
  return as<Value>(stmt.exp) != nullptr ? 0 : 1;
}

bool is_point_read(const Stmt& stmt) {
  const Index* e = as<Index>(stmt.exp);
  return e != nullptr && stmt.pat[0].type.is_scalar() && stmt.tokens.empty() &&
         std::ranges::all_of(e->slice, [](const DimSlice& d) { return d.is_index; });
}

// What moving a kernel would repeat; nothing if it cannot be moved.
struct Work {
  size_t reads = 0, statements = 0;
};
std::optional<Work> work_of(const Stmt& stmt) {
  const Kernel* kernel = as<Kernel>(stmt.exp);
  if (kernel == nullptr || kernel->guarded || kernel->domain.kind == Domain::kSeg ||
      !kernel->post.empty() || !stmt.tokens.empty() || !stmt.hints.empty())
    return std::nullopt;
  for (const Sink& sink : kernel->sinks)
    if (sink.kind != Sink::kOut) return std::nullopt;
  Work work;
  for (const Stmt& inner : kernel->pull.body.stmts) {
    if (is_point_read(inner)) {
      ++work.reads;
      continue;
    }
    const bool simple = inner.tokens.empty() &&
                        (as<Value>(inner.exp) != nullptr || as<UnOp>(inner.exp) != nullptr ||
                         as<BinOp>(inner.exp) != nullptr || as<CmpOp>(inner.exp) != nullptr ||
                         as<TernOp>(inner.exp) != nullptr || as<Convert>(inner.exp) != nullptr ||
                         as<Bitcast>(inner.exp) != nullptr || as<Select>(inner.exp) != nullptr);
    if (!simple) return std::nullopt;
    work.statements += cost(inner);
  }
  for (const Ret& r : kernel->pull.results)
    if (!r.type.is_scalar()) return std::nullopt;
  return work;
}

struct MovableKernel {
  size_t stmt = 0;
  size_t uses = 0;                      // of all its results
  std::vector<const Stmt*> sites = {};  // reads in other kernels
  bool own = true;                      // all at the reader's own index: left to the fusion engine
  bool permuted = true;                 // all by the reader's indices in some order
};

class Sites {
 public:
  Sites(std::vector<MovableKernel>& candidates, const std::unordered_map<Name, size_t>& by_array)
      : candidates_(candidates), by_array_(by_array) {}

  void in_block(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      const Kernel* kernel = as<Kernel>(stmt.exp);
      uses(stmt);
      if (kernel == nullptr) {
        for_each_body(stmt.exp, [&](const Body& inner) { anywhere(inner); });
        continue;
      }
      reader_ = kernel;
      in_pull(kernel->pull.body);
      for (const Lambda& post : kernel->post) anywhere(post.body);
      for (const Sink& sink : kernel->sinks)
        for (const Operator& op : sink.op) anywhere(op.fn.body);
    }
    results(body);
  }

 private:
  MovableKernel* at(const Operand& o) {
    const Name* name = as_name(o);
    const auto found = name == nullptr ? by_array_.end() : by_array_.find(*name);
    return found == by_array_.end() ? nullptr : &candidates_[found->second];
  }
  void uses(const Stmt& stmt) {
    for_each_operand(stmt.exp, [&](const Operand& o) {
      if (MovableKernel* c = at(o)) ++c->uses;
    });
  }
  void results(const Body& body) {
    for (const Operand& o : body.result)
      if (MovableKernel* c = at(o)) ++c->uses;
  }
  void anywhere(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      uses(stmt);
      for_each_body(stmt.exp, [&](const Body& inner) { anywhere(inner); });
    }
    results(body);
  }
  // The thunk and branches in it, but not its loops.
  void in_pull(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      uses(stmt);
      const Index* e = as<Index>(stmt.exp);
      if (MovableKernel* c = e == nullptr ? nullptr : at(e->array); c && is_whole_read(stmt)) {
        c->sites.push_back(&stmt);
        c->own = c->own && is_own_read(stmt, own_index(*reader_));
        c->permuted = c->permuted && is_permuted(*e);
      }
      const bool enter = as<If>(stmt.exp) != nullptr;
      for_each_body(stmt.exp, [&](const Body& inner) { enter ? in_pull(inner) : anywhere(inner); });
    }
    results(body);
  }
  static bool is_whole_read(const Stmt& stmt) {
    const Index* e = as<Index>(stmt.exp);
    return stmt.pat[0].type.is_scalar() &&
           std::ranges::all_of(e->slice, [](const DimSlice& d) { return d.is_index; });
  }
  // As many different indices as the reader has, each once.
  bool is_permuted(const Index& e) const {
    if (reader_->domain.kind == Domain::kSeg || e.slice.size() != reader_->pull.params.size())
      return false;
    return std::ranges::all_of(reader_->pull.params, [&](const Param& p) {
      return std::ranges::any_of(e.slice,
                                 [&](const DimSlice& d) { return d.start == Operand{p.name}; });
    });
  }

  std::vector<MovableKernel>& candidates_;
  const std::unordered_map<Name, size_t>& by_array_;
  const Kernel* reader_ = nullptr;
};

bool pays(const MovableKernel& c, const Work& work) {
  const size_t sites = c.sites.size();
  if (sites == 0 || sites != c.uses || c.own) return false;
  if (sites == 1 && c.permuted) return work.statements <= kMaxStatementsOnce;
  return work.reads * sites <= kMaxReadsAgain && work.statements * sites <= kMaxStatementsAgain;
}

// The kernel's code for the point that the read asks for.
void expand(std::vector<Stmt>& out, Stmt read, const Stmt& producer, Program& prog) {
  const Kernel& kernel = *as<Kernel>(producer.exp);
  const Index& e = *as<Index>(read.exp);
  size_t result = 0;
  while (!(producer.pat[result].name == e.array)) ++result;
  Substitution subst;
  for (size_t k = 0; k < kernel.pull.params.size(); ++k)
    subst.emplace(kernel.pull.params[k].name, e.slice[k].start);
  Body copy = copy_with_fresh_names(kernel.pull.body, prog.names, std::move(subst));
  for (Stmt& inner : copy.stmts) {
    // What made this read safe makes those safe that it stands for.
    inner.tokens = read.tokens;
    out.push_back(std::move(inner));
  }
  read.exp = Value{copy.result[result]};
  out.push_back(std::move(read));
}

void rewrite(Body& body, const std::unordered_map<Name, const Stmt*>& chosen, Program& prog) {
  std::vector<Stmt> out;
  for (Stmt& stmt : body.stmts) {
    for_each_body(stmt.exp, [&](Body& inner) { rewrite(inner, chosen, prog); });
    const Index* e = as<Index>(stmt.exp);
    const auto found = e == nullptr ? chosen.end() : chosen.find(e->array);
    if (found == chosen.end())
      out.push_back(std::move(stmt));
    else
      expand(out, std::move(stmt), *found->second, prog);
  }
  body.stmts = std::move(out);
}

}  // namespace

void inline_kernel_gathers(Body& body, Program& prog, analysis::Aliases& aliases,
                           PassContext& ctx) {
  std::vector<MovableKernel> candidates;
  std::vector<Work> works;
  std::unordered_map<Name, size_t> by_array;
  for (size_t s = 0; s < body.stmts.size(); ++s) {
    const std::optional<Work> work = work_of(body.stmts[s]);
    if (!work) continue;
    for (const Param& p : body.stmts[s].pat) by_array.emplace(p.name, candidates.size());
    candidates.push_back({s});
    works.push_back(*work);
  }
  if (candidates.empty()) return;
  Sites(candidates, by_array).in_block(body);
  std::unordered_set<Name> consumed;
  for (const Stmt& stmt : body.stmts) consumed.merge(aliases.consumed(stmt));
  std::unordered_map<Name, const Stmt*> chosen;
  std::unordered_set<size_t> moved;
  for (size_t c = 0; c < candidates.size(); ++c) {
    const Stmt& stmt = body.stmts[candidates[c].stmt];
    if (!pays(candidates[c], works[c])) continue;
    bool safe = true;
    for (const Name name : free_names(stmt)) {
      // One at a time: an array that is itself moved would have to be expanded again.
      safe = safe && !chosen.contains(name);
      for (const Name root : aliases.roots(name)) safe = safe && !consumed.contains(root);
    }
    if (!safe || !ctx.may_rewrite("gather")) continue;
    for (const Param& p : stmt.pat) chosen.emplace(p.name, &stmt);
    moved.insert(candidates[c].stmt);
  }
  if (chosen.empty()) return;
  for (size_t s = 0; s < body.stmts.size(); ++s)
    if (!moved.contains(s))
      for_each_body(body.stmts[s].exp, [&](Body& inner) { rewrite(inner, chosen, prog); });
  size_t s = 0;
  std::erase_if(body.stmts, [&](const Stmt&) { return moved.contains(s++); });
}

}  // namespace skald::passes::fusion
