// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/infer/generalise.h"

#include <algorithm>

namespace skald::futhark {

namespace {

// The variables of a type with all links followed, in the order they are written.
void collect_metas(const Type* t, std::vector<uint32_t>& out, IdSet& seen) {
  if (!t || !t->has(Type::kMetas)) return;
  switch (t->kind) {
    case Type::kMeta:
      if (seen.insert(t->meta).second) out.push_back(t->meta);
      return;
    case Type::kArray: return collect_metas(t->elem, out, seen);
    case Type::kRecord:
      for (const auto& [name, field] : t->fields) collect_metas(field, out, seen);
      return;
    case Type::kSum:
      for (const auto& [name, payload] : t->constrs)
        for (const Type* p : payload) collect_metas(p, out, seen);
      return;
    case Type::kArrow: collect_metas(t->from, out, seen); return collect_metas(t->to, out, seen);
    case Type::kNamed:
      for (const TypeArg& a : t->args) collect_metas(a.type, out, seen);
      return;
    default: return;
  }
}

std::string names_of(const Meta& m) {
  std::string out;
  for (const auto& [name, t] : m.fields) out += (out.empty() ? "" : ", ") + name;
  for (const auto& [name, t] : m.constrs) out += (out.empty() ? "#" : ", #") + name;
  return out;
}

// "#none | #some i32": a type that has all constructors that were seen.
std::string sum_example(Unifier& uni, const Meta& m) {
  std::string out;
  for (const auto& [name, payload] : m.constrs) {
    out += (out.empty() ? "#" : " | #") + name;
    for (const Type* t : payload) out += " " + uni.show(t);
  }
  return out;
}

// "{x: f32, y: f32}": what the type might be.
std::string record_example(const Meta& m) {
  std::string out;
  for (const auto& [name, t] : m.fields) out += (out.empty() ? "" : ", ") + name + ": f32";
  return "{" + out + "}";
}

}  // namespace

void check_instantiations(DefState& d) {
  for (const DefState::Inst& i : d.insts) {
    if (i.lifted == Liftedness::kLifted) continue;
    const Type* t = d.uni.zonk(i.type);
    const std::string when = "\nWhen instantiating type parameter of " + quote(i.name);
    if (!is_function_free(t)) {
      d.report.error("functional-type", i.span,
                     "Type\n" + indented(d.uni.show(t)) + "\nfound to be functional." + when);
      return;
    }
    for_each_named(t, [&](const Type* n) {
      if (n->lifted <= i.lifted) return;
      auto at = d.ctx.bound_at.find(n->name.id);
      std::string what = at == d.ctx.bound_at.end() ? "Type " + quote(n->name.base)
                                                    : "Type parameter " + quote(n->name.base) +
                                                          " bound at " + d.ctx.where(at->second);
      d.report.error(
          "lifted-type", i.span,
          what +
              (i.lifted == Liftedness::kUnlifted ? " is lifted and cannot be an array element."
                                                 : " is lifted and may be a functional type.") +
              when);
    });
  }
}

std::vector<TParam> generalise_unsized(DefState& d, const Type* type, bool allow_params) {
  std::vector<TParam> params;
  std::vector<uint32_t> visible;
  type = d.uni.zonk(type);
  if (d.ctx.f.arena().too_large()) return params;  // Who asked reports it.
  IdSet seen;
  collect_metas(type, visible, seen);
  int number = 0;
  for (uint32_t id : visible) {
    Meta& m = d.uni.meta(id);
    if (m.kind != Meta::kFree || !allow_params) continue;
    std::string base(1, static_cast<char>('a' + number % 26));
    if (number >= 26) base += std::to_string(number / 26);
    ++number;
    const VName name = d.ctx.f.fresh(base);
    params.push_back({name, false, m.lifted, m.span});
    m.kind = Meta::kLinked;
    m.link = d.ctx.f.named(name, m.lifted);
  }
  for (uint32_t id = 0; id < d.uni.count(); ++id) {
    Meta& m = d.uni.meta(id);
    switch (m.kind) {
      case Meta::kLinked: break;
      case Meta::kFree:
        m.kind = Meta::kLinked;
        m.link = d.ctx.f.unit();
        break;
      case Meta::kPrims: {
        const bool i32 = m.prims & prim_bit(Prim::kI32), f64 = m.prims & prim_bit(Prim::kF64);
        if (!i32 && !f64) {
          d.report.error("ambiguous-type", m.span,
                         "Type is ambiguous.\nAdd a type annotation to disambiguate the type");
        } else if (seen.contains(id)) {
          d.ctx.warn("defaulting", m.span,
                     std::string("Defaulting ambiguous type to ") + (i32 ? "i32" : "f64"));
        }
        m.kind = Meta::kLinked;
        m.link = d.ctx.f.prim(i32 ? Prim::kI32 : Prim::kF64);
        break;
      }
      case Meta::kRecord:
        d.report.error("ambiguous-type", m.span,
                       "Type is ambiguous.\nMust be a record with fields: " + names_of(m), {},
                       "give it a type where it is bound, as in `(r: " + record_example(m) + ")`");
        break;
      case Meta::kSum:
        d.report.error("ambiguous-type", m.span,
                       "Type is ambiguous.\nMust be a sum type with constructors: " + names_of(m),
                       {}, "write the type down, as in `" + sum_example(d.uni, m) + "`");
        break;
    }
  }
  return params;
}

}  // namespace skald::futhark
