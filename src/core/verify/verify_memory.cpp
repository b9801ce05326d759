// SPDX-License-Identifier: Apache-2.0
// Stage MEMORY: what is freed is not used afterwards, and is freed once, by the body that made it.
//
// A name that stands for a block of another name (results of branches and loops) is a reference of
// its own, so only names are followed here.  What the interpreter finds besides: frees poison the
// block, and new blocks hold no zeros.
#include <unordered_map>
#include <unordered_set>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "core/verify/verifier.h"

namespace skald::core::detail {

namespace {

class MemoryChecker {
 public:
  MemoryChecker(const Program& prog, Problems& problems) : prog_(prog), problems_(problems) {}

  void function(const Function& fn) {
    problems_.function = &fn;
    for (const Param& p : fn.params) bind(p);
    body(fn.body);
    problems_.stmt = nullptr;
  }

 private:
  void bind(const Param& p) {
    for (const MemLoc& loc : p.mem) block_of_[p.name] = loc.block;
  }
  void use(Name name) {
    if (freed_.contains(name)) problems_.add("{} is used after it was freed", text(name));
    const auto found = block_of_.find(name);
    if (found != block_of_.end() && freed_.contains(found->second))
      problems_.add("{} is used after its block {} was freed", text(name), text(found->second));
  }
  std::string text(Name name) const { return prog_.names.text(name); }

  void body(const Body& body) {
    std::unordered_set<Name> made;
    for (const Stmt& stmt : body.stmts) {
      if (problems_.full()) return;
      problems_.stmt = &stmt;
      if (const Free* node = as<Free>(stmt.exp)) {
        if (!made.contains(node->block))
          problems_.add("{} is freed by a body that did not make it", text(node->block));
        else if (!freed_.insert(node->block).second)
          problems_.add("{} is freed twice", text(node->block));
        continue;
      }
      for_each_operand(stmt.exp, [&](const Operand& o) {
        if (const Name* name = as_name(o)) use(*name);
      });
      for_each_param(stmt.exp, [&](const Param& p) { bind(p); });
      for_each_body(stmt.exp, [&](const Body& inner) { this->body(inner); });
      problems_.stmt = &stmt;
      for (const Param& p : stmt.pat) {
        if (p.type.kind == Type::kMem) made.insert(p.name);
        for (const MemLoc& loc : p.mem) use(loc.block);
        bind(p);
      }
    }
    problems_.stmt = nullptr;
    for (const Operand& result : body.result)
      if (const Name* name = as_name(result)) use(*name);
  }

  const Program& prog_;
  Problems& problems_;
  std::unordered_map<Name, Name> block_of_;
  std::unordered_set<Name> freed_;
};

}  // namespace

void check_memory(const Program& prog, Problems& problems) {
  for (const Function& fn : prog.functions) MemoryChecker(prog, problems).function(fn);
  problems.function = nullptr;
}

}  // namespace skald::core::detail
