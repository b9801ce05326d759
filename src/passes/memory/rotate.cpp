// SPDX-License-Identifier: Apache-2.0
// Two blocks that take turns, for an array that every round of a loop replaces (buffers.cpp).
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/fields.h"
#include "core/ir/visit.h"
#include "passes/memory/buffers.h"

namespace skald::passes {

using namespace core;

namespace {

// The position of the statement that binds `name`.
std::optional<size_t> binding_of(const Body& body, Name name) {
  for (size_t k = 0; k < body.stmts.size(); ++k)
    for (const Param& p : body.stmts[k].pat)
      if (p.name == name) return k;
  return std::nullopt;
}

// All names that some code uses, also those that it binds.
struct Mentioned {
  NameSet names = {};
  void bind(Name) {}
  void use(const Operand& operand) {
    if (const Name* name = as_name(operand)) names.insert(*name);
  }
  void use(Name name) { names.insert(name); }
};

// Removes those of these allocations that nobody uses any more, at any depth of branches.
void remove_allocs(Body& body, const std::vector<Name>& blocks, const NameSet& used) {
  std::erase_if(body.stmts, [&](const Stmt& stmt) {
    return as<Alloc>(stmt.exp) != nullptr && !used.contains(stmt.pat[0].name) &&
           std::find(blocks.begin(), blocks.end(), stmt.pat[0].name) != blocks.end();
  });
  for (Stmt& stmt : body.stmts)
    if (as<If>(stmt.exp) != nullptr)
      for_each_body(stmt.exp, [&](Body& inner) { remove_allocs(inner, blocks, used); });
}

size_t position_in(const std::vector<Param>& pat, Name name) {
  size_t k = 0;
  while (!(pat[k].name == name)) ++k;
  return k;
}

}  // namespace

void Buffers::Replaced::add(Name block, const Operand& size) {
  if (apply || std::find(allocs.begin(), allocs.end(), block) != allocs.end()) return;
  allocs.push_back(block);
  bytes.push_back(size);
}

bool Buffers::used_later(const Scopes& scopes, Name block) const {
  analysis::BlockClasses classes(block_of_);
  for (const Scope& scope : scopes)
    for (size_t k = 0; k < scope.at; ++k) classes.add(scope.body->stmts[k]);
  const auto is_used = [&](const NameSet& names) {
    return std::any_of(names.begin(), names.end(), [&](Name name) {
      const Name used = block_of_(name);
      return used && classes.of(used) == classes.of(block);
    });
  };
  for (const Scope& scope : scopes)
    for (size_t k = scope.at + 1; k < scope.body->stmts.size(); ++k)
      if (is_used(free_names(scope.body->stmts[k]))) return true;
  const Scope& last = scopes.back();
  return is_used(free_names(as<Loop>(last.body->stmts[last.at].exp)->body));
}

std::optional<Buffers::Spares> Buffers::rotate(Scopes scopes, const Operand& result, Spares spares,
                                               Replaced& replaced) {
  const Name name = *as_name(result);
  // Another result was the same block.
  if (name == spares.next) return Spares{spares.after, spares.next, true};
  std::optional<size_t> at;
  while (!scopes.empty() && !(at = binding_of(*scopes.back().body, name))) scopes.pop_back();
  // The block that the round began with, or one from outside the loop.
  if (scopes.empty()) return spares;
  scopes.back().at = *at;
  Body& body = *scopes.back().body;
  Stmt& stmt = body.stmts[*at];
  if (const Alloc* alloc = as<Alloc>(stmt.exp)) {
    replaced.add(name, alloc->bytes);
    if (!replaced.apply) return Spares{spares.next, spares.after, true};
    substitute(body, {{name, spares.next}});
    return Spares{spares.after, spares.next, true};
  }
  if (as<If>(stmt.exp) != nullptr) return rotate_branch(scopes, stmt, name, spares, replaced);
  if (as<Loop>(stmt.exp) != nullptr) return rotate_loop(scopes, name, spares, replaced);
  return std::nullopt;
}

std::optional<Buffers::Spares> Buffers::rotate_branch(const Scopes& scopes, Stmt& stmt, Name name,
                                                      Spares spares, Replaced& replaced) {
  If& branch = *as<If>(stmt.exp);
  const size_t k = position_in(stmt.pat, name);
  bool written = false;
  for (Body* side : {&branch.then_body, &branch.else_body}) {
    Scopes inner = scopes;
    inner.push_back({side, 0});
    const std::optional<Spares> after = rotate(inner, side->result[k], spares, replaced);
    if (!after) return std::nullopt;
    written = written || after->written;
    if (!replaced.apply) continue;
    side->result.emplace_back(after->next);
    side->result.emplace_back(after->after);
  }
  if (!replaced.apply) return Spares{spares.next, spares.after, written};
  const Name next = prog_.names.fresh("spare"), after = prog_.names.fresh("spare");
  for (const Name spare : {next, after}) {
    stmt.pat.push_back({spare, Type(stmt.pat[k].type)});
    block_of_.add(stmt.pat.back());
  }
  return Spares{next, after, written};
}

std::optional<Buffers::Spares> Buffers::rotate_loop(Scopes scopes, Name name, Spares spares,
                                                    Replaced& replaced) {
  Body& body = *scopes.back().body;
  Stmt& stmt = body.stmts[scopes.back().at];
  Loop& inner = *as<Loop>(stmt.exp);
  const size_t k = position_in(stmt.pat, name);
  const auto found = rotating_.find(inner.params[k].param.name);
  if (found == rotating_.end()) return std::nullopt;
  const auto [p, q] = found->second;
  const Name init = *as_name(inner.params[k].init);
  // Its second round writes the block that our round began with.
  if (!replaced.apply && used_later(scopes, replaced.current)) return std::nullopt;
  const std::optional<Spares> before = rotate(scopes, init, spares, replaced);
  if (!before) return std::nullopt;
  if (!replaced.apply) {
    for (const size_t spare : {p, q}) {
      const Name block = *as_name(inner.params[spare].init);
      if (block == init) continue;  // It gave up its initial value.
      const std::optional<size_t> made = binding_of(body, block);
      if (!made || as<Alloc>(body.stmts[*made].exp) == nullptr) return std::nullopt;
      replaced.add(block, as<Alloc>(body.stmts[*made].exp)->bytes);
    }
    return Spares{spares.next, spares.after, true};
  }
  inner.params[p].init = before->next;
  inner.params[q].init = before->after;
  return Spares{stmt.pat[p].name, stmt.pat[q].name, true};
}

const Alloc* Buffers::alloc_of(const Around& around, Name block) const {
  const auto find = [&](const std::vector<Stmt>& stmts) -> const Alloc* {
    for (const Stmt& stmt : stmts)
      if (const Alloc* alloc = as<Alloc>(stmt.exp); alloc != nullptr && stmt.pat[0].name == block)
        return alloc;
    return nullptr;
  };
  if (const Alloc* alloc = find(around.before)) return alloc;
  for (const Around& branch : branches_)
    if (const Alloc* alloc = find(branch.before)) return alloc;
  return nullptr;
}

bool Buffers::can_give_up(const Around& around, const Stmt& stmt, size_t k,
                          const std::vector<Operand>& bytes) const {
  const Loop& loop = *as<Loop>(stmt.exp);
  const Name init = *as_name(loop.params[k].init);
  // Allocated here, with the right size.
  const Alloc* alloc = alloc_of(around, init);
  if (alloc == nullptr ||
      !std::ranges::all_of(bytes, [&](const Operand& b) { return values_.same(b, alloc->bytes); }))
    return false;
  std::vector<Around> all = branches_;
  all.push_back(around);
  analysis::BlockClasses classes(block_of_);
  for (const Around& each : all)
    for (const Stmt& before : each.before) classes.add(before);
  const Name wanted = classes.of(init);
  const auto is_init = [&](Name name) {
    const Name block = block_of_(name);
    return block && classes.of(block) == wanted;
  };
  for (size_t j = 0; j < loop.params.size(); ++j) {
    if (j == k || j == k + 1) continue;
    if (const Name* name = as_name(loop.params[j].init); name && is_init(*name)) return false;
  }
  for (const Name name : free_names(loop.body))
    if (is_init(name)) return false;
  for (const Around& each : all) {
    for (size_t j = each.at + 1; j < each.body.stmts.size(); ++j)
      for (const Name name : free_names(each.body.stmts[j]))
        if (is_init(name)) return false;
    for (const Operand& result : each.body.result)
      if (const Name* name = as_name(result); name && is_init(*name)) return false;
  }
  return true;
}

bool Buffers::hands_on_alone(const Loop& loop, size_t k, const analysis::BlockClasses& classes) {
  const Name mine = classes.of(*as_name(loop.body.result[k]));
  const Name current = classes.of(loop.params[k].param.name);
  for (size_t j = 0; j < loop.params.size(); ++j) {
    if (j == k || loop.params[j].param.type.kind != Type::kMem) continue;
    const Name other = classes.of(*as_name(loop.body.result[j]));
    if (other == mine || other == current) return false;
  }
  return true;
}

bool Buffers::rotate_result(const Around& around, Stmt& stmt, size_t k, Inside& inside) {
  Loop& loop = *as<Loop>(stmt.exp);
  const Name param = loop.params[k].param.name;
  const Operand result = loop.body.result[k];
  if (result == Operand{param}) return false;
  analysis::BlockClasses classes(block_of_);
  classes.add(loop.body);
  if (!hands_on_alone(loop, k, classes)) return false;
  Replaced replaced{false, param};
  const std::optional<Spares> possible = rotate({{&loop.body, 0}}, result, {}, replaced);
  if (!possible || replaced.allocs.empty()) return false;
  std::vector<Operand> bytes;
  for (const Operand& each : replaced.bytes) bytes.push_back(unguarded(each, inside.scalars));
  for (const Operand& each : bytes)
    if (!is_invariant(each, inside)) return false;
  if (!ctx_.may_rewrite("double buffer")) return false;

  const bool gives_up = can_give_up(around, stmt, k, bytes);
  Builder before(prog_);
  before.set_loc(stmt.loc);
  const Operand size = guarded_bytes(bytes, loop, inside, before);
  const std::string base = fmt::format("{}_buffer", prog_.names.base(param));
  const Type mem = loop.params[k].param.type;
  const Name first = before.let1(mem, Alloc{size}, base);
  const Name second =
      gives_up ? *as_name(loop.params[k].init) : before.let1(mem, Alloc{size}, base);
  Body made = before.finish({});
  block_of_.add(made);
  for (Stmt& each : made.stmts) around.before.push_back(std::move(each));

  const Spares spares{prog_.names.fresh("spare"), prog_.names.fresh("spare")};
  replaced.apply = true;
  const std::optional<Spares> after = rotate({{&loop.body, 0}}, result, spares, replaced);
  rotating_[param] = {loop.params.size(), loop.params.size() + 1};
  for (const auto& [spare, init] :
       {std::pair(spares.next, first), std::pair(spares.after, second)}) {
    loop.params.push_back({{spare, mem}, init});
    block_of_.add(loop.params.back().param);
    stmt.pat.push_back({prog_.names.fresh("spare"), mem});
    block_of_.add(stmt.pat.back());
    inside.bound.insert(spare);
  }
  loop.body.result.emplace_back(after->next);
  loop.body.result.emplace_back(after->after);
  Mentioned mentioned;
  detail::walk_deep(loop.body, mentioned);
  remove_allocs(loop.body, replaced.allocs, mentioned.names);
  return true;
}

}  // namespace skald::passes
