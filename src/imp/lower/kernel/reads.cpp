// SPDX-License-Identifier: Apache-2.0
// What the thunk of a kernel reads.
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/kernel/writer.h"

namespace skald::imp {

std::vector<Access> KernelWriter::accesses(Code& code) const {
  return find_accesses(node.pull, [&](Name array) -> std::optional<std::vector<Operand>> {
    const ArrayPlace* place = fn.find_place(array);
    if (place == nullptr) return std::nullopt;
    return strides(code, *place);
  });
}

std::pair<Name, Operand> KernelWriter::read_place(Code& code, size_t read,
                                                  const std::vector<Operand>& at) {
  const std::vector<core::Stmt>& stmts = node.pull.body.stmts;
  std::unordered_set<Name> wanted = core::free_names(stmts[read]);
  std::vector<const core::Stmt*> needed;
  for (size_t k = read; k-- > 0;) {
    const bool used = std::any_of(stmts[k].pat.begin(), stmts[k].pat.end(),
                                  [&](const core::Param& p) { return wanted.contains(p.name); });
    if (!used) continue;
    needed.insert(needed.begin(), &stmts[k]);
    for (const Name name : core::free_names(stmts[k])) wanted.insert(name);
  }
  core::Substitution subst;
  for (size_t k = 0; k < at.size(); ++k) subst[node.pull.params[k].name] = at[k];
  for (const core::Stmt* stmt : needed)
    fn.stmt(code, core::copy_with_fresh_names(*stmt, fn.prog.names, subst));
  const core::Stmt load = core::copy_with_fresh_names(stmts[read], fn.prog.names, subst);
  const auto* index = core::as<core::Index>(load.exp);
  const ArrayPlace& place = fn.place(index->array);
  std::vector<Operand> indices;
  for (const core::DimSlice& s : index->slice) indices.push_back(fn.value(s.start));
  return {place.loc.block, address(code, place, indices)};
}

}  // namespace skald::imp
