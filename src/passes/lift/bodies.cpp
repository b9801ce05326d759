// SPDX-License-Identifier: Apache-2.0
// Bodies for a batch: what stands together as scalar code is one kernel, calls wait for each other,
// everything else is lifted statement by statement.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/lift/instance_kernel.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

void Lifter::lift_body(Batch& b, const Body& body) {
  Walk walk{body};
  for (size_t i = 0; i < body.stmts.size(); ++i) {
    walk.uses.push_back(free_names(body.stmts[i]));
    for (const Name name : walk.uses[i]) walk.users[name].push_back(i);
  }
  for (const Operand& result : body.result)
    if (const Name* name = as_name(result)) walk.users[*name].push_back(body.stmts.size());
  std::vector<size_t> todo(body.stmts.size());
  for (size_t i = 0; i < todo.size(); ++i) todo[i] = i;
  // Calls wait until all that does not depend on them is done: then they are one batch.
  while (!todo.empty() && !refused_) {
    std::vector<size_t> later;
    std::vector<const Stmt*> calls;
    Names blocked;
    for (const size_t i : todo) {
      if (refused_) return;
      const Stmt& stmt = body.stmts[i];
      const bool waits =
          std::ranges::any_of(walk.uses[i], [&](Name name) { return blocked.contains(name); });
      const Call* call = as<Call>(stmt.exp);
      const bool is_call = !waits && call != nullptr && is_parallel_call(*call);
      // Writes that are combined need not wait for others.
      if (waits || is_call)
        for (const Param& p : stmt.pat)
          if (p.type.kind != Type::kAcc || !combines(p.name)) blocked.insert(p.name);
      if (waits)
        later.push_back(i);
      else if (is_call)
        calls.push_back(&stmt);
      else
        process(b, walk, i);
    }
    flush(b, walk);
    if (!refused_ && !calls.empty()) run_calls(b, calls);
    todo = std::move(later);
  }
}

void Lifter::process(Batch& b, Walk& walk, size_t i) {
  const Stmt& stmt = walk.body.stmts[i];
  loc_ = stmt.loc;
  out_->set_loc(loc_);
  if (gives_acc(stmt)) {
    if (as<Value>(stmt.exp) != nullptr || as<Opaque>(stmt.exp) != nullptr) return;
    flush(b, walk);
    if (!refused_) lift_accumulation(b, stmt);
    return;
  }
  const bool host = std::ranges::all_of(
      walk.uses[i], [&](Name name) { return host_operand(b, Operand{name}).has_value(); });
  const auto grouped = [&](Name name) {
    return std::ranges::any_of(walk.group, [&](size_t g) {
      return std::ranges::any_of(walk.body.stmts[g].pat,
                                 [&](const Param& p) { return p.name == name; });
    });
  };
  const bool in_group = std::ranges::any_of(walk.uses[i], grouped);
  if (host && !in_group && analysis::is_total(stmt)) {
    Substitution subst;
    for (const Name name : walk.uses[i])
      if (find(b, name).value != nullptr) subst.emplace(name, *host_operand(b, Operand{name}));
    Stmt copy = copy_with_fresh_names(stmt, prog_.names, subst);
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      Lifted value;
      value.host = copy.pat[k].name;
      b.values.insert_or_assign(stmt.pat[k].name, value);
      types_.insert_or_assign(copy.pat[k].name, copy.pat[k].type);
    }
    return out_->append(std::move(copy));
  }
  if (is_code(stmt)) {
    Lifted value;
    value.kind = Lifted::kCode;
    value.code = &stmt;
    for (const Param& p : stmt.pat) b.values.insert_or_assign(p.name, value);
    return;
  }
  if (reshape_segments(b, stmt)) return;
  // Names of a group are not host values, although they are not known yet.
  const auto in_one_kernel = [&] {
    for (const Param& p : stmt.pat) {
      Lifted placeholder;
      placeholder.kind = Lifted::kRows;
      b.values.insert_or_assign(p.name, placeholder);
    }
    walk.group.push_back(i);
  };
  const bool lifts = needs_lifting(stmt);
  const auto* concat = as<Concat>(stmt.exp);
  const bool joins = concat != nullptr && !host_operand(b, concat->size).has_value();
  if (!lifts && !joins) return in_one_kernel();
  flush(b, walk);
  if (refused_) return;
  bool done = false;
  if (const auto* soac = as<Soac>(stmt.exp))
    done = lift_soac(b, stmt, *soac);
  else if (const auto* part = as<Partition>(stmt.exp))
    done = lift_partition(b, stmt, *part);
  else if (const auto* scatter = as<Scatter>(stmt.exp))
    done = lift_scatter(b, stmt, *scatter);
  else if (const auto* hist = as<Hist>(stmt.exp))
    done = lift_hist(b, stmt, *hist);
  else if (const auto* with = as<WithAcc>(stmt.exp))
    done = lift_with_acc(b, stmt, *with);
  else if (concat != nullptr)
    done = lift_concat(b, stmt, *concat);
  else if (const auto* branch = as<If>(stmt.exp)) {
    lift_if(b, stmt, *branch);
    done = true;
  } else if (const auto* loop = as<Loop>(stmt.exp)) {
    lift_loop(b, stmt, *loop);
    done = true;
  }
  if (!done) in_one_kernel();
}

// Scalar code that stands together runs in one kernel, one point per instance.
void Lifter::flush(Batch& b, Walk& walk) {
  if (walk.group.empty() || refused_) return;
  const std::vector<size_t> group = std::move(walk.group);
  walk.group.clear();
  std::vector<const Stmt*> stmts;
  std::vector<Param> regular, irregular;
  for (const size_t i : group) {
    stmts.push_back(&walk.body.stmts[i]);
    for (const Param& p : walk.body.stmts[i].pat) {
      const std::vector<size_t>& users = walk.users[p.name];
      const bool outside = std::ranges::any_of(users, [&](size_t user) {
        return std::find(group.begin(), group.end(), user) == group.end();
      });
      if (!outside) continue;
      if (p.type.kind != Type::kArray) return refuse("a value that cannot be stored");
      (form_of(b, p.type) == Form::kRegular ? regular : irregular).push_back(p);
    }
  }
  // Statements of the group are read in place, not from placeholders.
  for (const Stmt* stmt : stmts)
    for (const Param& p : stmt->pat) b.values.erase(p.name);
  if (!irregular.empty()) {
    // Sizes that the group computes come first.
    std::vector<Param> sizes;
    for (const Param& p : irregular)
      for (const Operand& dim : p.type.shape)
        for (const Stmt* stmt : stmts)
          for (const Param& bound : stmt->pat)
            if (dim == Operand{bound.name} &&
                std::ranges::none_of(sizes, [&](const Param& s) { return s.name == bound.name; }))
              sizes.push_back(bound);
    // And so does what code between these statements may need for the sizes.
    for (const Param& p : regular)
      if (std::ranges::none_of(sizes, [&](const Param& s) { return s.name == p.name; }))
        sizes.push_back(p);
    write_rows(b, stmts, sizes, {});
    regular.clear();
  }
  if (!refused_) write_rows(b, stmts, regular, irregular);
}

// Runs the statements for every instance and stores values: regular ones as rows, irregular ones
// one after another.
void Lifter::write_rows(Batch& b, const std::vector<const Stmt*>& stmts,
                        const std::vector<Param>& regular, const std::vector<Param>& irregular) {
  if (regular.empty() && irregular.empty()) return;
  const Type i64 = scalar_type(Prim::kI64);
  std::vector<Batch::Segments> segments;
  for (const Param& p : irregular) {
    const bool flat = form_of(b, p.type) == Form::kFlatSegments;
    segments.push_back(scan_lengths(b, [&](Point& at) { return element_count(at, p.type, flat); }));
  }
  InstanceKernel kernel(prog_, b.width, loc_);
  Builder& body = kernel.body;
  Point at{b, body, kernel.s};
  for (const Stmt* stmt : stmts) {
    bring_all(at, free_names(*stmt));
    body.append(copy_with_fresh_names(*stmt, prog_.names, at.subst));
  }
  for (const Param& p : regular) {
    const Type type = host_type(b, p.type);
    kernel.give(type, bring(at, Operand{p.name}));
  }
  for (size_t k = 0; k < irregular.size(); ++k) {
    const Param& p = irregular[k];
    const bool flat = form_of(b, p.type) == Form::kFlatSegments;
    const Type row = flat ? scalar_type(p.type.elem) : host_type(b, row_type(p.type));
    const Name start =
        body.let1(i64, Index{segments[k].offsets, {DimSlice{true, kernel.s}}}, "start");
    Type here = p.type;
    for (Operand& dim : here.shape) substitute(dim, at.subst);
    Operand length = here.shape[0];
    Operand value = p.name;
    substitute(value, at.subst);
    if (flat && here.rank() > 1) {
      for (size_t d = 1; d < here.shape.size(); ++d) length = body.size_mul(length, here.shape[d]);
      const Type line = array_of(length, row);
      value = body.let1(line, Reshape{std::get<Name>(value), {length}}, "line");
    }
    kernel.give_rows(*out_, row, segments[k].total, {start, length, value});
  }
  const std::vector<Name> arrays = kernel.finish(*out_, "stored");
  bind_rows(b, regular, arrays);
  for (size_t k = 0; k < irregular.size(); ++k) {
    Space space;
    space.offsets = segments[k].offsets;
    space.total = segments[k].total;
    bind_output(b, irregular[k], space, arrays[regular.size() + k]);
    b.values.at(irregular[k].name).flat = form_of(b, irregular[k].type) == Form::kFlatSegments;
  }
}

}  // namespace skald::passes
