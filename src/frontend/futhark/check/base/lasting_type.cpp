// SPDX-License-Identifier: Apache-2.0
// Types that outlive the definition they were found in.
#include <unordered_map>

#include "frontend/futhark/check/base/size_exp.h"
#include "frontend/futhark/check/base/type_ops.h"
#include "frontend/futhark/check/base/walk.h"

namespace skald::futhark {

namespace {

class LastingCopy {
 public:
  explicit LastingCopy(TypeFactory& f) : f_(f) {}

  const Type* type(const Type* t) {
    if (!t || t->lasting) return t;
    if (t->parts <= kSmall) return copy(*t);
    // What is shared in a large type stays shared: written out it may be far larger.
    if (auto it = made_.find(t); it != made_.end()) return it->second;
    const Type* made = copy(*t);
    made_.emplace(t, made);
    return made;
  }

 private:
  static constexpr uint32_t kSmall = 16;

  const Type* copy(Type t) {
    t.size.exp = size(t.size.exp);
    t.elem = type(t.elem);
    for (auto& [name, field] : t.fields) field = type(field);
    for (auto& [name, payload] : t.constrs)
      for (const Type*& part : payload) part = type(part);
    t.from = type(t.from);
    t.to = type(t.to);
    for (TypeArg& arg : t.args) arg = {type(arg.type), {size(arg.size.exp)}};
    return f_.make(std::move(t));
  }

  const Exp* size(const Exp* e) {
    if (!e) return e;
    if (auto* v = std::get_if<EVar>(&e->node); v && v->name.quals.empty() && v->fields.empty())
      return f_.size_var({v->name.name, v->id});
    Exp out = copy_size(*e, {}, [&](const Type* t) { return type(t); });
    forget_instances(out);
    return f_.keep(std::move(out));
  }

  // What polymorphic names were used at matters to who evaluates the expression.
  static void forget_instances(Exp& e) {
    if (auto* v = std::get_if<EVar>(&e.node)) v->inst.clear();
    if (auto* b = std::get_if<EBinary>(&e.node)) b->inst.clear();
    if (auto* s = std::get_if<EOpSection>(&e.node)) s->inst.clear();
    if (auto* s = std::get_if<ELeftSection>(&e.node)) s->inst.clear();
    if (auto* s = std::get_if<ERightSection>(&e.node)) s->inst.clear();
    for_each_child(e, [](Exp& child) { forget_instances(child); });
  }

  TypeFactory& f_;
  std::unordered_map<const Type*, const Type*> made_;
};

}  // namespace

const Type* lasting_type(TypeFactory& f, const Type* t) {
  if (!t || t->lasting) return t;
  const TypeFactory::Use lasting(f, f.lasting());
  return LastingCopy(f).type(t);
}

}  // namespace skald::futhark
