// SPDX-License-Identifier: Apache-2.0
// Rule 2: a map whose result is read at computed places moves to these places.
//
//   before   let {ys} = map(n, {xs}, \{x} -> f in {y})
//            let {zs} = map(m, {is}, \{i} -> … let {a} = ys[i] …)
//
//   after    let {zs} = map(m, {is}, \{i} -> … let {x} = xs[i] f let {a} = y …)
//
// The work is done again at every place.  The check that made ys[i] safe makes xs[i] safe: the
// sizes are the same.  Inputs must not be consumed in the block, because they are now read later.
//
// As SOACs, cheap functions move, to few places, none of them inside a further loop.  As kernels,
// slices, shifts, transposes and reversals are subscripts, so stencils over a mapped array and maps
// over a transposed one come here.  There the cost model is finer: a few reads and cheap statements
// altogether; or, at one place that meets every point at most once (the reader's indices in another
// order), nearly anything.
#include "passes/fusion/rewrite/gather.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// Of a SOAC.
constexpr size_t kMaxInputs = 2;
constexpr size_t kMaxRepeatedStatements = 6;
// Reads and statements of one copy, times the places it goes to.
constexpr size_t kMaxReadsAgain = 6;
constexpr size_t kMaxStatementsAgain = 24;
constexpr size_t kMaxStatementsOnce = 64;

size_t cost_again(const Stmt& stmt) {
  if (as<Value>(stmt.exp) != nullptr) return 0;
  return static_cast<size_t>(machine::cost_of(operator_class(stmt.exp)).scalar);
}

bool is_point_read(const Stmt& stmt) {
  const Index* e = as<Index>(stmt.exp);
  return e != nullptr && stmt.pat[0].type.is_scalar() &&
         std::ranges::all_of(e->slice, [](const DimSlice& d) { return d.is_index; });
}

// What moving a statement would repeat; nothing if it cannot be moved.
struct Work {
  size_t reads = 0, statements = 0;
};

std::optional<Work> work_of(const Soac& soac) {
  const std::vector<Stmt>& stmts = soac.fn.body.stmts;
  const auto is_slow = [](const Stmt& stmt) {
    return operator_class(stmt.exp) == OperatorClass::kFunction;
  };
  const auto is_scalar = [](const auto& p) { return p.type.is_scalar(); };
  if (!soac.is_map() || soac.inputs.size() > kMaxInputs || stmts.size() > kMaxRepeatedStatements ||
      !is_speculatable(soac.fn.body) || std::ranges::any_of(stmts, is_slow) ||
      !std::ranges::all_of(soac.fn.params, is_scalar) ||
      !std::ranges::all_of(soac.fn.results, is_scalar))
    return std::nullopt;
  return Work{std::max<size_t>(soac.inputs.size(), 1), 0};
}

// Adds the work of reads, scalar code and branches of such; false if there is anything else.
bool add_work(const Body& body, Work& work) {
  return std::ranges::all_of(body.stmts, [&](const Stmt& stmt) {
    if (!stmt.tokens.empty()) return false;
    if (is_point_read(stmt)) {
      ++work.reads;
      return true;
    }
    if (const If* branch = as<If>(stmt.exp)) {
      ++work.statements;
      const auto is_scalar = [](const Param& p) { return p.type.is_scalar(); };
      return std::ranges::all_of(stmt.pat, is_scalar) && add_work(branch->then_body, work) &&
             add_work(branch->else_body, work);
    }
    work.statements += cost_again(stmt);
    return is_scalar_operator(stmt.exp);
  });
}

std::optional<Work> work_of(const Kernel& kernel) {
  if (kernel.guarded || kernel.domain.kind == Domain::kSeg || !kernel.post.empty())
    return std::nullopt;
  for (const Sink& sink : kernel.sinks)
    if (sink.kind != Sink::kOut) return std::nullopt;
  Work work;
  if (!add_work(kernel.pull.body, work)) return std::nullopt;
  for (const Ret& r : kernel.pull.results)
    if (!r.type.is_scalar()) return std::nullopt;
  return work;
}

// Something that may move: a result of a map, or all results of a kernel.
struct Movable {
  size_t stmt = 0;
  bool is_kernel = false;
  Work work = {};
  size_t uses = 0;
  size_t sites = 0;      // reads of single points in operations of the block
  bool own = true;       // all at the reader's own index: left to the fusion engine
  bool permuted = true;  // all by the reader's indices in some order
};

struct Movables {
  std::vector<Movable> list;
  std::unordered_map<Name, size_t> by_array;

  void find(const Body& body) {
    for (size_t s = 0; s < body.stmts.size(); ++s) {
      const Stmt& stmt = body.stmts[s];
      if (!stmt.tokens.empty() || !stmt.hints.empty()) continue;
      const Soac* soac = as<Soac>(stmt.exp);
      const Kernel* kernel = as<Kernel>(stmt.exp);
      std::optional<Work> work;
      if (soac != nullptr) work = work_of(*soac);
      if (kernel != nullptr) work = work_of(*kernel);
      if (!work) continue;
      for (const Param& p : stmt.pat) {
        by_array.emplace(p.name, list.size());
        if (soac != nullptr) list.push_back({s, false, *work});
      }
      if (kernel != nullptr) list.push_back({s, true, *work});
    }
  }
  Movable* at(const Operand& o) {
    const Name* name = as_name(o);
    const auto found = name == nullptr ? by_array.end() : by_array.find(*name);
    return found == by_array.end() ? nullptr : &list[found->second];
  }
};

// Counts uses, and those among them that a movable may go to.
class Sites {
 public:
  explicit Sites(Movables& movables) : movables_(movables) {}

  // A read in the block itself is done once; it stays, and so does the map.
  void in_block(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      uses(stmt);
      reader_ = as<Kernel>(stmt.exp);
      for_each_body(stmt.exp, [&](const Body& inner) {
        const bool is_near = reader_ == nullptr || &inner == &reader_->pull.body;
        is_near ? near(inner) : far(inner);
      });
    }
    results(body);
  }

 private:
  void uses(const Stmt& stmt) {
    for_each_operand(stmt.exp, [&](const Operand& o) {
      if (Movable* m = movables_.at(o)) ++m->uses;
    });
  }
  void results(const Body& body) {
    for (const Operand& o : body.result)
      if (Movable* m = movables_.at(o)) ++m->uses;
  }
  void far(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      uses(stmt);
      for_each_body(stmt.exp, [&](const Body& inner) { far(inner); });
    }
    results(body);
  }
  // The function of an operation and branches in it, but not its loops.
  void near(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      uses(stmt);
      const Index* e = as<Index>(stmt.exp);
      Movable* m = e == nullptr ? nullptr : movables_.at(e->array);
      // Kernels move to kernels only.
      if (m != nullptr && is_point_read(stmt) && m->is_kernel == (reader_ != nullptr)) {
        ++m->sites;
        m->own = m->own && reader_ != nullptr && is_own_read(stmt, own_index(*reader_));
        m->permuted = m->permuted && is_permuted(*e);
      }
      const bool is_branch = as<If>(stmt.exp) != nullptr;
      for_each_body(stmt.exp, [&](const Body& inner) { is_branch ? near(inner) : far(inner); });
    }
    results(body);
  }
  // As many different indices as the reader has, each once.
  bool is_permuted(const Index& e) const {
    if (reader_ == nullptr || reader_->domain.kind == Domain::kSeg ||
        e.slice.size() != reader_->pull.params.size())
      return false;
    return std::ranges::all_of(reader_->pull.params, [&](const Param& p) {
      return std::ranges::any_of(e.slice,
                                 [&](const DimSlice& d) { return d.start == Operand{p.name}; });
    });
  }

  Movables& movables_;
  const Kernel* reader_ = nullptr;
};

bool pays(const Movable& m) {
  if (m.sites == 0 || m.sites != m.uses || m.own) return false;
  if (m.sites == 1 && m.permuted) return m.work.statements <= kMaxStatementsOnce;
  return m.work.reads * m.sites <= kMaxReadsAgain &&
         m.work.statements * m.sites <= kMaxStatementsAgain;
}

// Sides of a branch that cost less than this are both computed where they are computed again: in
// vectors both are anyway, and straight code may be scanned in registers.
constexpr size_t kCheapSides =
    static_cast<size_t>(machine::cost_of(OperatorClass::kFunction).scalar);

bool are_cheap_sides(const If& branch) {
  Work work;
  return is_speculatable(branch.then_body) && is_speculatable(branch.else_body) &&
         add_work(branch.then_body, work) && add_work(branch.else_body, work) && work.reads == 0 &&
         work.statements < kCheapSides;
}

// Branches with cheap sides become choices.
void straighten(std::vector<Stmt>& stmts) {
  std::vector<Stmt> out;
  for (Stmt& stmt : stmts) {
    If* branch = as<If>(stmt.exp);
    if (branch == nullptr || !are_cheap_sides(*branch)) {
      out.push_back(std::move(stmt));
      continue;
    }
    for (Body* side : {&branch->then_body, &branch->else_body}) {
      straighten(side->stmts);
      for (Stmt& inner : side->stmts) out.push_back(std::move(inner));
    }
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      Stmt choice{{},
                  Select{branch->cond, branch->then_body.result[k], branch->else_body.result[k]},
                  {},
                  {},
                  stmt.loc};
      choice.pat.push_back(stmt.pat[k]);
      out.push_back(std::move(choice));
    }
  }
  stmts = std::move(out);
}

// By array: the statement that makes it.
using Moved = std::unordered_map<Name, const Stmt*>;

// The code for the point that the read asks for.
void expand(std::vector<Stmt>& out, Stmt read, const Stmt& producer, Program& prog) {
  const Index e = *as<Index>(read.exp);
  size_t result = 0;
  while (!(producer.pat[result].name == e.array)) ++result;
  const Kernel* kernel = as<Kernel>(producer.exp);
  const Lambda& code = kernel != nullptr ? kernel->pull : as<Soac>(producer.exp)->fn;
  Substitution subst;
  for (size_t k = 0; k < code.params.size(); ++k) {
    const Name param = code.params[k].name;
    if (kernel != nullptr) {
      subst.emplace(param, e.slice[k].start);
      continue;
    }
    const Name row = prog.names.fresh_like(param);
    Stmt input{{}, Index{as<Soac>(producer.exp)->inputs[k], e.slice}, read.tokens, {}, read.loc};
    input.pat.push_back({row, code.params[k].type});
    out.push_back(std::move(input));
    subst.emplace(param, row);
  }
  Body copy = copy_with_fresh_names(code.body, prog.names, std::move(subst));
  if (kernel != nullptr) straighten(copy.stmts);
  for (Stmt& inner : copy.stmts) {
    // What made this read safe makes those safe that it stands for.
    if (kernel != nullptr) inner.tokens = read.tokens;
    out.push_back(std::move(inner));
  }
  read.exp = Value{copy.result[result]};
  out.push_back(std::move(read));
}

void expand_reads(Body& body, const Moved& moved, Program& prog) {
  std::vector<Stmt> out;
  for (Stmt& stmt : body.stmts) {
    for_each_body(stmt.exp, [&](Body& inner) { expand_reads(inner, moved, prog); });
    const Index* e = as<Index>(stmt.exp);
    const auto found = e == nullptr ? moved.end() : moved.find(e->array);
    if (found == moved.end())
      out.push_back(std::move(stmt));
    else
      expand(out, std::move(stmt), *found->second, prog);
  }
  body.stmts = std::move(out);
}

}  // namespace

void inline_gathers(Body& body, Program& prog, analysis::Aliases& aliases, PassContext& ctx) {
  Movables movables;
  movables.find(body);
  if (movables.list.empty()) return;
  Sites(movables).in_block(body);
  std::unordered_set<Name> consumed;
  for (const Stmt& stmt : body.stmts) consumed.merge(aliases.consumed(stmt));
  Moved moved;
  for (size_t m = 0; m < movables.list.size(); ++m) {
    const Movable& movable = movables.list[m];
    const Stmt& stmt = body.stmts[movable.stmt];
    if (!pays(movable)) continue;
    bool safe = true;
    for (const Name name : free_names(stmt)) {
      // One at a time: an array that is itself moved would have to be expanded again.
      safe = safe && !moved.contains(name);
      for (const Name root : aliases.roots(name)) safe = safe && !consumed.contains(root);
    }
    if (!safe || !ctx.may_rewrite("gather")) continue;
    for (const Param& p : stmt.pat)
      if (movables.by_array.at(p.name) == m) moved.emplace(p.name, &stmt);
  }
  if (moved.empty()) return;
  // The block stays as it is while copies are taken from it; nested code is rewritten in place.
  const auto is_moved = [&](const Stmt& stmt) {
    return as<Kernel>(stmt.exp) != nullptr && !stmt.pat.empty() && moved.contains(stmt.pat[0].name);
  };
  for (Stmt& stmt : body.stmts)
    if (!is_moved(stmt))
      for_each_body(stmt.exp, [&](Body& inner) { expand_reads(inner, moved, prog); });
  std::erase_if(body.stmts, is_moved);
}

}  // namespace skald::passes::fusion
