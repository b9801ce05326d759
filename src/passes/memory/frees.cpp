// SPDX-License-Identifier: Apache-2.0
// Gives blocks back after their last use.
//
//   before   let {m_1 : mem} = alloc(…)          after   let {m_1 : mem} = alloc(…)
//            let {xs_2 @ m_1} = …                        let {xs_2 @ m_1} = …
//            let {y_3} = … xs_2 …                        let {y_3} = … xs_2 …
//            let {z_4} = …                               let {} = free(m_1)
//                                                        let {z_4} = …
//
// Stage    MEMORY; the last pass there.
// Needs    no frees yet.
// Gives    a free for every block bound in a body, unless it is among the results.  It gives back
//          one reference: if another name stands for the same block, the block stays.
// Keeps    everything else.
// Cost     linear.
// Tests    tests/golden/passes/free_memory/*.core
#include "passes/memory/frees.h"

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

// Finds, for every block made in a body, the last statement that uses it: by name, or through an
// array that lives in it.
class LastUses {
 public:
  explicit LastUses(const Body& body) {
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      const Stmt& stmt = body.stmts[k];
      for (const Name name : free_names(stmt)) use(name, k);
      for (const Param& p : stmt.pat) {
        if (p.type.kind == Type::kMem) last_[p.name] = k;
        for (const MemLoc& loc : p.mem) {
          block_of_[p.name] = loc.block;
          use(loc.block, k);
        }
      }
    }
    for (const Operand& result : body.result)
      if (const Name* name = as_name(result)) use(*name, body.stmts.size());
  }

  // The blocks to free after each statement, in a fixed order.
  std::vector<std::vector<Name>> by_statement(size_t count) const {
    std::vector<std::vector<Name>> result(count);
    for (const auto& [block, stmt] : last_)
      if (stmt < count) result[stmt].push_back(block);
    for (std::vector<Name>& blocks : result) std::sort(blocks.begin(), blocks.end());
    return result;
  }

 private:
  void use(Name name, size_t stmt) {
    const auto array = block_of_.find(name);
    const auto found = last_.find(array == block_of_.end() ? name : array->second);
    if (found != last_.end()) found->second = std::max(found->second, stmt);
  }

  NameMap<size_t> last_;
  NameMap<Name> block_of_;
};

}  // namespace

void insert_frees(Body& body) {
  for (Stmt& stmt : body.stmts) for_each_body(stmt.exp, [&](Body& inner) { insert_frees(inner); });
  const auto frees = LastUses(body).by_statement(body.stmts.size());
  std::vector<Stmt> stmts;
  stmts.reserve(body.stmts.size());
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    stmts.push_back(std::move(body.stmts[k]));
    for (const Name block : frees[k]) stmts.push_back({{}, Free{block}});
  }
  body.stmts = std::move(stmts);
}

Program free_memory(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions)
    if (ctx.may_rewrite()) insert_frees(fn.body);
  return prog;
}

}  // namespace skald::passes
