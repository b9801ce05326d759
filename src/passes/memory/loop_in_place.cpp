// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds change their array where it is.
//
//   before   loop {m_1 : mem = m_0, xs_2 @ m_1 = …} … do        after   loop {m_1 : mem = m_0, …} …
//   do
//              let {b_3 : mem} = alloc(b)
//              let {ys_4 @ b_3} = kernel(… xs_2[i] …)                     let {ys_4 @ m_1} =
//              kernel(…) in {b_3, ys_4}                                             in {m_1, ys_4}
//
// The kernel must read only what it writes (own_rows.h), the new block must be as large as the
// initial one, nobody may look at the old value
// afterwards, and the initial value must be the loop's to change.  Of a branch each side decides
// for itself; a side that cannot still writes to a spare block (buffers.cpp).
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/memory/buffers.h"
#include "passes/memory/own_rows.h"

namespace skald::passes {

using namespace core;

bool Buffers::write_in_place(const Around& around, Stmt& stmt, size_t k) {
  Loop& loop = *as<Loop>(stmt.exp);
  const Name param = loop.params[k].param.name;
  const Operand result = loop.body.result[k];
  if (result == Operand{param}) return false;
  InPlace in_place{param, analysis::BlockClasses(block_of_)};
  in_place.classes.add(loop.body);
  if (!hands_on_alone(loop, k, in_place.classes) || !can_give_up(around, stmt, k, {})) return false;
  if (const Alloc* alloc = alloc_of(around, *as_name(loop.params[k].init)))
    in_place.bytes = alloc->bytes;
  for (const LoopParam& p : loop.params)
    if (!p.param.mem.empty()) in_place.arrays[p.param.name] = &p.param;
  return write_in_place({{&loop.body, 0}}, result, in_place);
}

// Is the block that every round asks for as large as the initial one, or smaller?  An array may
// grow from round to round.
bool Buffers::is_as_large(const Scopes& scopes, Operand bytes, const Operand& initial) const {
  const auto guarded = [&](Name name) -> const Select* {
    for (const Scope& scope : scopes)
      for (const Stmt& stmt : scope.body->stmts)
        if (stmt.pat.size() == 1 && stmt.pat[0].name == name) return as<Select>(stmt.exp);
    return nullptr;
  };
  while (!values_.same(bytes, initial)) {
    // The guard that an inner loop put around it.
    const Name* name = as_name(bytes);
    const Select* select = name == nullptr ? nullptr : guarded(*name);
    if (select == nullptr || !(select->otherwise == Operand{const_i64(0)})) return false;
    bytes = Operand(select->then);
  }
  return true;
}

bool Buffers::write_in_place(Scopes scopes, const Operand& result, InPlace& in_place) {
  const Name name = *as_name(result);
  Body& body = *scopes.back().body;
  const auto binds = [&](const Stmt& each) {
    return std::ranges::any_of(each.pat, [&](const Param& p) { return p.name == name; });
  };
  size_t at = 0;
  while (at < body.stmts.size() && !binds(body.stmts[at])) ++at;
  if (at == body.stmts.size()) return false;
  Stmt& stmt = body.stmts[at];
  if (If* branch = as<If>(stmt.exp)) {
    size_t k = 0;
    while (!(stmt.pat[k].name == name)) ++k;
    scopes.back().at = at;
    bool changed = false;
    for (Body* side : {&branch->then_body, &branch->else_body}) {
      Scopes inner = scopes;
      inner.push_back({side, 0});
      const Operand handed_on = side->result[k];
      changed = write_in_place(inner, handed_on, in_place) || changed;
    }
    return changed;
  }
  const Alloc* alloc = as<Alloc>(stmt.exp);
  if (alloc == nullptr || !is_as_large(scopes, alloc->bytes, in_place.bytes)) return false;

  const auto is_param = [&](Name other) {
    const Name block = block_of_(other);
    return block && in_place.classes.of(block) == in_place.classes.of(in_place.block);
  };
  const auto mentions = [&](const Stmt& each, const auto& is_it) {
    for (const Name used : free_names(each))
      if (is_it(used)) return true;
    return false;
  };
  // The first statement with the new block writes it.
  const auto is_new = [&](Name other) { return block_of_(other) == name; };
  size_t writer = at + 1;
  while (writer < body.stmts.size() && !mentions(body.stmts[writer], is_new)) ++writer;
  if (writer == body.stmts.size()) return false;
  // Nobody wants the old value after it.
  scopes.back().at = writer;
  for (const Scope& scope : scopes) {
    for (size_t k = scope.at + 1; k < scope.body->stmts.size(); ++k)
      if (mentions(scope.body->stmts[k], is_param)) return false;
    for (const Operand& each : scope.body->result)
      if (const Name* other = as_name(each); other != nullptr && is_param(*other)) return false;
  }
  NameMap<const Param*> arrays = in_place.arrays;
  for (const Scope& scope : scopes)
    for (size_t k = 0; k < scope.at; ++k)
      for (const Param& p : scope.body->stmts[k].pat)
        if (!p.mem.empty()) arrays[p.name] = &p;
  const WriteOver question{block_of_,
                           values_,
                           name,
                           [&](Name block) { return is_param(block); },
                           [&](Name block) { return block == in_place.block; },
                           [&](Name array) -> const Param* {
                             const auto found = arrays.find(array);
                             return found == arrays.end() ? nullptr : found->second;
                           }};
  if (!can_write_over(body.stmts[writer], question) || !ctx_.may_rewrite("loop in place"))
    return false;
  substitute(body, {{name, in_place.block}});
  remove_self_copies(body.stmts[writer], in_place.block, values_);
  body.stmts.erase(body.stmts.begin() + static_cast<ptrdiff_t>(at));
  return true;
}

}  // namespace skald::passes
