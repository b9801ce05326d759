// SPDX-License-Identifier: Apache-2.0
// A loop that copies its parameter to change the copy changes the parameter instead.
//
//   before   loop {xs_1 = as_0} … do                after   let {bs_5} = copy(as_0)
//              … xs_1 …                                     loop {xs_1 = bs_5} … do
//              let {ys_2} = copy(xs_1)                        … xs_1 …
//              let {zs_3} = ys_2 with [i] = …                 let {ys_2} = xs_1
//              in {zs_3}                                      let {zs_3} = ys_2 with [i] = …
//                                                             in {zs_3}
//
// Needed is that the round does not look at the parameter after the copy, and that what it hands on
// in its place is new and handed on once.  The initial value is copied before the loop, because
// somebody else may look at it; in an enclosing loop that copy may be needless in turn.
//
// Nor is a new array copied that nobody looks at afterwards, in its own block or elsewhere.
#include "passes/memory/copies.h"

#include <algorithm>

#include "analysis/memory_sharing.h"
#include "core/edit/free_names.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

class CopyRemover {
 public:
  CopyRemover(Program& prog, Function& fn, PassContext& ctx)
      : prog_(prog), fn_(fn), ctx_(ctx), sharing_(fn) {}

  // One copy; false if there is none that can go.
  bool remove_one() { return body(fn_.body); }

 private:
  bool body(Body& body) {
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      bool changed = false;
      for_each_body(body.stmts[k].exp,
                    [&](Body& inner) { changed = changed || this->body(inner); });
      if (changed || loop(body, k) || last_look(body, k)) return true;
    }
    return false;
  }

  bool loop(Body& around, size_t at) {
    Loop* loop = as<Loop>(around.stmts[at].exp);
    if (loop == nullptr) return false;
    for (size_t k = 0; k < loop->body.stmts.size(); ++k) {
      const Copy* copy = as<Copy>(loop->body.stmts[k].exp);
      if (copy == nullptr) continue;
      for (size_t p = 0; p < loop->params.size(); ++p) {
        const Param& param = loop->params[p].param;
        // A copy to another space is no copy of the parameter that could be left out.
        if (param.type.space != loop->body.stmts[k].pat[0].type.space) continue;
        if (!(param.name == copy->array) || !can_go(*loop, k, p)) continue;
        if (!ctx_.may_rewrite("copy out of a loop")) return false;
        loop->body.stmts[k].exp = Value{copy->array};
        copy_before(around, at, p);
        return true;
      }
    }
    return false;
  }

  // A copy of an array that is new in this block, is looked at before, but not afterwards.
  bool last_look(Body& body, size_t at) {
    Stmt& stmt = body.stmts[at];
    const Copy* copy = as<Copy>(stmt.exp);
    if (copy == nullptr || sharing_.type(copy->array).space != stmt.pat[0].type.space) return false;
    NameSet bound;
    for (size_t k = 0; k < at; ++k) collect(body.stmts[k], bound);
    for (const Name root : sharing_.roots(copy->array)) {
      if (!bound.contains(root) || !new_.contains(root)) return false;
      for (size_t k = at + 1; k < body.stmts.size(); ++k)
        for (const Name used : free_names(body.stmts[k]))
          if (shares(used, root)) return false;
      for (const Operand& result : body.result)
        if (const Name* name = as_name(result); name != nullptr && shares(*name, root))
          return false;
    }
    if (!bound.contains(copy->array) || !ctx_.may_rewrite("copy at the last look")) return false;
    stmt.exp = Value{copy->array};
    return true;
  }

  bool shares(Name name, Name root) const {
    const analysis::MemorySharing::Roots& roots = sharing_.roots(name);
    return std::binary_search(roots.begin(), roots.end(), root);
  }

  // `copy` is the position of the copy in the loop's body.
  bool can_go(const Loop& loop, size_t copy, size_t param) const {
    const Name name = loop.params[param].param.name;
    for (size_t k = copy + 1; k < loop.body.stmts.size(); ++k)
      for (const Name used : free_names(loop.body.stmts[k]))
        if (shares(used, name)) return false;
    NameSet bound;
    collect(loop.body, bound);
    const Name* result = as_name(loop.body.result[param]);
    if (result == nullptr) return false;
    for (const Name root : sharing_.roots(*result)) {
      if (!bound.contains(root) || !new_.contains(root)) return false;
      for (size_t k = 0; k < loop.body.result.size(); ++k) {
        const Name* other = as_name(loop.body.result[k]);
        if (k != param && other != nullptr && shares(*other, root)) return false;
      }
    }
    // The copy goes where the parameter is: only as the parameter's next value.
    const Name made = loop.body.stmts[copy].pat[0].name;
    for (size_t k = 0; k < loop.body.result.size(); ++k) {
      const Name* other = as_name(loop.body.result[k]);
      if (other == nullptr) continue;
      if (shares(*other, name) || (k != param && shares(*other, made))) return false;
    }
    return true;
  }

  // The names bound at any depth; those of new arrays, and of joins of arrays, go to new_ too.
  void collect(const Body& body, NameSet& bound) const {
    for (const Stmt& stmt : body.stmts) collect(stmt, bound);
  }
  void collect(const Stmt& stmt, NameSet& bound) const {
    const bool is_new = as<Iota>(stmt.exp) != nullptr || as<Replicate>(stmt.exp) != nullptr ||
                        as<Copy>(stmt.exp) != nullptr || as<Concat>(stmt.exp) != nullptr ||
                        as<ArrayLit>(stmt.exp) != nullptr || as<Scratch>(stmt.exp) != nullptr ||
                        as<Kernel>(stmt.exp) != nullptr || as<If>(stmt.exp) != nullptr ||
                        as<Loop>(stmt.exp) != nullptr;
    for (const Param& p : stmt.pat) {
      bound.insert(p.name);
      if (is_new) new_.insert(p.name);
    }
    for_each_param(stmt.exp, [&](const Param& p) {
      bound.insert(p.name);
      new_.insert(p.name);
    });
    for_each_body(stmt.exp, [&](const Body& inner) { collect(inner, bound); });
  }

  void copy_before(Body& around, size_t at, size_t param) {
    Stmt& stmt = around.stmts[at];
    Loop& loop = *as<Loop>(stmt.exp);
    Operand& init = loop.params[param].init;
    const Name array = *as_name(init);
    // A copy made for this alone.
    for (const Stmt& before : around.stmts)
      if (as<Copy>(before.exp) != nullptr && before.pat[0].name == array &&
          uses(around, array) == 1)
        return;
    const Name copied = prog_.names.fresh_like(array);
    Stmt copy{{{copied, sharing_.type(array)}}, Copy{array}, {}, {}, stmt.loc};
    init = copied;
    around.stmts.insert(around.stmts.begin() + static_cast<ptrdiff_t>(at), std::move(copy));
  }

  static int uses(const Body& body, Name name) {
    int count = 0;
    for (const Stmt& stmt : body.stmts) {
      if (!free_names(stmt).contains(name)) continue;
      ++count;
      // Several times in one statement counts as more.
      if (const Loop* loop = as<Loop>(stmt.exp)) {
        int inits = 0;
        for (const LoopParam& p : loop->params) inits += p.init == Operand{name} ? 1 : 0;
        count += inits > 1 || free_names(loop->body).contains(name) ? 1 : 0;
      }
    }
    for (const Operand& result : body.result) count += result == Operand{name} ? 1 : 0;
    return count;
  }

  Program& prog_;
  Function& fn_;
  PassContext& ctx_;
  analysis::MemorySharing sharing_;
  mutable NameSet new_;
};

bool has_copy(const Body& body) {
  return std::ranges::any_of(body.stmts, [](const Stmt& stmt) {
    bool found = as<Copy>(stmt.exp) != nullptr;
    for_each_body(stmt.exp, [&](const Body& inner) { found = found || has_copy(inner); });
    return found;
  });
}

}  // namespace

void remove_needless_copies(Program& prog, Function& fn, PassContext& ctx) {
  if (!has_copy(fn.body)) return;
  // Every removal changes what shares memory, so it is found out anew.
  constexpr int kMaxCopies = 100;
  for (int k = 0; k < kMaxCopies; ++k)
    if (!CopyRemover(prog, fn, ctx).remove_one()) return;
}

}  // namespace skald::passes
