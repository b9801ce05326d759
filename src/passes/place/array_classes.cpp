// SPDX-License-Identifier: Apache-2.0
#include "passes/place/array_classes.h"

#include "core/edit/free_names.h"
#include "core/ir/sharing.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

ArrayClasses::ArrayClasses(const Function& fn) {
  for (const Param& p : fn.params) {
    if (!p.type.is_array()) continue;
    arrays_.insert(p.name);
    want(p.name, Space::kDevice0);
  }
  add(fn.body);
  // Results of functions are wanted on the device.
  for (const Operand& result : fn.body.result)
    if (const Name* name = as_name(result); name != nullptr && arrays_.contains(*name)) {
      const Class& found = classes_[root(*name)];
      if (!found.on_host) want(*name, Space::kDevice0);
    }
  // From the last to the first: where an array goes is known before it is made.
  for (size_t k = handed_on_.size(); k-- > 0;) {
    const auto& [array, to] = handed_on_[k];
    const Class from = classes_[root(array)], whole = classes_[root(to)];
    if (!from.on_device && !from.on_host && whole.on_host && !whole.on_device) join(array, to);
  }
}

void ArrayClasses::hand_on(const Operand& array, Name to) {
  if (const Name* name = as_name(array); name != nullptr && arrays_.contains(*name))
    handed_on_.emplace_back(*name, to);
}

Space ArrayClasses::space(Name array, PassContext& ctx) {
  Class& found = classes_[root(array)];
  if (!found.asked) {
    found.asked = true;
    found.stays = found.on_host && !found.on_device && ctx.may_rewrite("array stays on the host");
  }
  return found.stays ? Space::kHost : Space::kDevice0;
}

Name ArrayClasses::root(Name array) {
  Name at = array;
  while (classes_[at].parent) at = classes_[at].parent;
  // Short ways for the next time.
  while (classes_[array].parent) {
    const Name next = classes_[array].parent;
    classes_[array].parent = at;
    array = next;
  }
  return at;
}

void ArrayClasses::join(const Operand& a, Name b) {
  const Name* name = as_name(a);
  if (name == nullptr || !arrays_.contains(*name)) return;
  const Name from = root(*name), to = root(b);
  if (from == to) return;
  Class& joined = classes_[from];
  Class& whole = classes_[to];
  whole.on_device = whole.on_device || joined.on_device;
  whole.on_host = whole.on_host || joined.on_host;
  joined.parent = to;
}

void ArrayClasses::want(Name array, Space space) {
  Class& found = classes_[root(array)];
  (space == Space::kHost ? found.on_host : found.on_device) = true;
}

void ArrayClasses::add(const Body& body) {
  for (const Stmt& stmt : body.stmts) add(stmt);
}

void ArrayClasses::add(const Stmt& stmt) {
  for (const Param& p : stmt.pat)
    if (p.type.is_array()) arrays_.insert(p.name);
  if (const Kernel* kernel = as<Kernel>(stmt.exp)) return add_kernel(stmt, *kernel);
  if (const Loop* loop = as<Loop>(stmt.exp)) {
    for (const LoopParam& p : loop->params) {
      if (!p.param.type.is_array()) continue;
      arrays_.insert(p.param.name);
      hand_on(p.init, p.param.name);
    }
    add(loop->body);
    for (size_t k = 0; k < loop->params.size(); ++k) {
      const Param& p = loop->params[k].param;
      if (!p.type.is_array()) continue;
      join(loop->body.result[k], p.name);
      join(stmt.pat[k].name, p.name);
    }
    return;
  }
  if (const If* branch = as<If>(stmt.exp)) {
    for (const Body* side : {&branch->then_body, &branch->else_body}) {
      add(*side);
      for (size_t k = 0; k < stmt.pat.size(); ++k)
        if (stmt.pat[k].type.is_array()) join(side->result[k], stmt.pat[k].name);
    }
    return;
  }
  if (as<Call>(stmt.exp) != nullptr) {
    for (const Param& p : stmt.pat)
      if (p.type.is_array()) want(p.name, Space::kDevice0);
    return;
  }
  if (stmt.pat.size() != 1 || !stmt.pat[0].type.is_array()) return;
  if (const auto source = view_of(stmt.exp)) join(*source, stmt.pat[0].name);
  const Name made = stmt.pat[0].name;
  if (const Update* update = as<Update>(stmt.exp)) {
    join(update->array, made);
    hand_on(update->value, made);
  } else if (const FlatUpdate* flat = as<FlatUpdate>(stmt.exp)) {
    join(flat->array, made);
    hand_on(flat->value, made);
  } else if (const Concat* concat = as<Concat>(stmt.exp)) {
    for (const Name part : concat->arrays) hand_on(part, made);
  } else if (const ArrayLit* literal = as<ArrayLit>(stmt.exp)) {
    for (const Operand& row : literal->elems) hand_on(row, made);
  } else if (const Replicate* replicate = as<Replicate>(stmt.exp)) {
    hand_on(replicate->value, made);
  }
}

void ArrayClasses::add_kernel(const Stmt& stmt, const Kernel& kernel) {
  for (const Name name : free_names(stmt.exp))
    if (arrays_.contains(name)) want(name, kernel.space);
  for (const Param& p : stmt.pat)
    if (p.type.is_array()) want(p.name, kernel.space);
}

}  // namespace skald::passes
