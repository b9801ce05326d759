// SPDX-License-Identifier: Apache-2.0
// Types as the user names them, sizes in front, results one by one.
#include "frontend/futhark/elaborate/functions/entry.h"

#include "core/ir/visit.h"
#include "frontend/futhark/elaborate/code/attributes.h"
#include "frontend/futhark/elaborate/functions/core_functions.h"
#include "frontend/futhark/elaborate/functions/instances.h"
#include "frontend/futhark/elaborate/types/patterns.h"
#include "frontend/futhark/elaborate/values/reps.h"
#include "frontend/futhark/pretty/pretty.h"

namespace skald::futhark::elab {

namespace {

const TypeExp* ascribed_type(const Pat& pat) {
  if (const auto* p = std::get_if<PParens>(&pat.node)) return ascribed_type(*p->inner);
  if (const auto* p = std::get_if<PAttr>(&pat.node)) return ascribed_type(*p->inner);
  if (const auto* p = std::get_if<PAscript>(&pat.node)) return p->type.get();
  return nullptr;
}

const TypeExp* strip_unique(const TypeExp* t) {
  while (t) {
    if (const auto* u = std::get_if<TEUnique>(&t->node)) {
      t = u->inner.get();
    } else if (const auto* p = std::get_if<TEParens>(&t->node)) {
      t = p->inner.get();
    } else {
      return t;
    }
  }
  return t;
}

// The way the user names a type; never with an uniqueness star.
std::string type_text(const TypeExp* written, const Type* type) {
  if (const TypeExp* t = strip_unique(written)) return pretty(*t);
  if (!type) return "";
  Type plain = *type;
  plain.unique = false;
  return pretty(plain);
}

// See EntryValue::layout.  `type` may be null where only the representation is known.
std::string layout_text(const Type* type, const Rep& rep) {
  if (type != nullptr && type->kind == Type::kNamed)
    return fmt::format("{}/{}", type->name.base, leaf_count(rep));
  const auto sub_type = [&](Type::Kind kind, const auto& get) -> const Type* {
    return type != nullptr && type->kind == kind ? get(*type) : nullptr;
  };
  if (rep.kind == Rep::kPrim) return std::string(prim_name(rep.prim));
  if (rep.kind == Rep::kArray)
    return "[]" +
           layout_text(sub_type(Type::kArray, [](const Type& t) { return t.elem; }), *rep.elem);
  std::string text;
  if (rep.kind == Rep::kRecord) {
    bool tuple = rep.fields.size() != 1;
    for (size_t i = 0; i < rep.fields.size(); ++i)
      tuple = tuple && rep.fields[i].first == std::to_string(i);
    for (size_t i = 0; i < rep.fields.size(); ++i) {
      const auto field = [i](const Type& t) -> const Type* {
        return i < t.fields.size() ? t.fields[i].second : nullptr;
      };
      text += (i == 0 ? "" : ", ") + (tuple ? "" : rep.fields[i].first + ": ") +
              layout_text(sub_type(Type::kRecord, field), *rep.fields[i].second);
    }
    return tuple ? "(" + text + ")" : "{" + text + "}";
  }
  for (size_t i = 0; i < rep.constrs.size(); ++i) {
    text += (i == 0 ? "#" : " | #") + rep.constrs[i].first;
    for (size_t j = 0; j < rep.constrs[i].second.size(); ++j) {
      const auto payload = [i, j](const Type& t) -> const Type* {
        const bool known = i < t.constrs.size() && j < t.constrs[i].second.size();
        return known ? t.constrs[i].second[j] : nullptr;
      };
      text += " " + layout_text(sub_type(Type::kSum, payload), *rep.constrs[i].second[j]);
    }
  }
  return "(" + text + ")";
}

// Empty for what the core type says as well.
std::string entry_layout(const Type* type, const Rep& rep) {
  const std::string text = layout_text(type, rep);
  return text.find_first_of("({/") == std::string::npos ? "" : text;
}

}  // namespace

// An entry point on its way to core.
struct EntryPoints::Parts {
  Env env;
  core::EntryPoint entry;
  std::vector<core::Param> sizes, leaves;
  std::vector<ValuePtr> args;
  // Sizes that must be what the types say.
  std::vector<std::pair<Name, Dim>> to_check;
};

// A size that a definition without parameters gives, such as `def n : i64 = 115`.
std::optional<Operand> EntryPoints::constant_size(const Dim& dim) {
  std::optional<Operand> size;
  const Block tried = code_.block({}, [&]() -> ValuePtr {
    size = types_.try_dim(dim);
    return nullptr;
  });
  const bool known = size && tried.stmts.empty() && core::as_const(*size) != nullptr;
  return known ? size : std::nullopt;
}

// Every size that is not the value of an earlier parameter becomes a parameter in front.
Dim EntryPoints::parameter_size(const Dim& dim, Parts& parts) {
  if (dim.op) return dim;
  Dim d;
  const auto* v = dim.exp ? std::get_if<EVar>(&dim.exp->node) : nullptr;
  if (dim.exp && std::holds_alternative<ELiteral>(dim.exp->node)) {
    d.op = types_.try_size(dim.exp, dim.env);
  } else if (v) {
    ValuePtr found = lookup_term_id(parts.env, v->id);
    if (!found) found = lookup_term_id(dim.env, v->id);
    if (found && found->kind == Value::kDyn) d.op = found->leaves.at(0);
    if (!d.op) d.op = constant_size(dim);
  }
  if (d.op) return d;
  Name name = code_.fresh(v ? v->name.name : "n");
  parts.sizes.push_back({name, core::scalar_type(Prim::kI64)});
  d.op = name;
  if (v && v->name.quals.empty() && !ids_.term(dim.env, v->id))
    parts.env = bind_term(parts.env, v->name.name, v->id, scalar_value(Prim::kI64, name));
  else if (dim.exp)
    parts.to_check.emplace_back(name, dim);
  return d;
}

// False if the type cannot cross the border.
bool EntryPoints::add_parameter(const Type* type, const std::string& name, const TypeExp* written,
                                Parts& parts) {
  RepPtr rep = map_dims(types_.resolve(type, parts.env),
                        [&](const Dim& dim) { return parameter_size(dim, parts); });
  if (!is_first_order(*rep)) return false;
  std::vector<bool> unique = unique_leaves(type, rep);
  std::vector<Operand> ops;
  std::vector<core::Type> types = leaf_types(*rep);
  for (size_t i = 0; i < types.size(); ++i) {
    core::Param p{code_.fresh(name.empty() ? "x" : name), types[i],
                  unique[i] && types[i].is_array()};
    ops.emplace_back(p.name);
    parts.leaves.push_back(p);
  }
  parts.args.push_back(make_value(rep, ops));
  parts.entry.params.push_back({name, type_text(written, type), type && type->unique,
                                static_cast<int>(types.size()), entry_layout(type, *rep)});
  return true;
}

Block EntryPoints::make_body(const DVal& def, const Type* result_type, const Parts& parts,
                             const std::vector<core::Param>& params) {
  return code_.block(params, [&] {
    for (const auto& [name, dim] : parts.to_check)
      if (auto want = types_.try_dim(dim)) {
        Operand ok = code_.b().cmpop(CmpOpKind::kEq, Prim::kI64, name, *want);
        code_.b().check(ok, {std::string("entry point arguments have invalid sizes.")});
      }
    Env inner = bind_params(types_, def, parts.args, parts.env);
    code_.name_body(def.name.name, *def.body);
    ValuePtr v = evaluator_.exp(*def.body, inner);
    const auto rest = parts.args.begin() + static_cast<std::ptrdiff_t>(def.params.size());
    std::vector<ValuePtr> more(rest, parts.args.end());
    return more.empty()
               ? v
               : evaluator_.apply(v, std::move(more), {def.body->span, result_type, inner});
  });
}

// The results as the user sees them: those of a tuple one by one.
static void add_results(const DVal& def, const Type* result_type, const Rep& rep,
                        core::EntryPoint& entry) {
  auto result = [&](const TypeExp* written, const Type* type, const Rep& r) {
    entry.results.push_back(
        {"", type_text(written, type), type && type->unique, leaf_count(r), entry_layout(type, r)});
  };
  const TypeExp* written = strip_unique(def.result.get());
  const auto* tuple = written ? std::get_if<TETuple>(&written->node) : nullptr;
  if (tuple && result_type && tuple->elems.size() != result_type->fields.size()) tuple = nullptr;
  if (result_type && is_tuple(*result_type) && rep.kind == Rep::kRecord) {
    for (size_t i = 0; i < rep.fields.size(); ++i)
      result(tuple ? tuple->elems[i].get() : nullptr, result_type->fields[i].second,
             *rep.fields[i].second);
  } else {
    result(written, result_type, rep);
  }
}

void EntryPoints::add(const DVal& def, const Dec& dec, const Env& outer) {
  core::Function fn;
  fn.name = "entry_" + def.name.name;
  fn.loc = code_.place(def.name.span);
  fn.hints.inlining = inlining_of(dec.attrs);
  const Code::InFunction in_function(code_, fn.loc);
  Parts parts{outer, {}, {}, {}, {}, {}};
  parts.entry.name = def.name.name;
  parts.entry.property = property_of(dec.attrs);
  bool ok = true;
  for (const auto& pat : def.params) {
    ok = ok && add_parameter(pat->type, pattern_name(*pat), ascribed_type(*pat), parts);
    if (ok) parts.env = bind_pattern(types_, *pat, parts.args.back(), parts.env);
  }
  // A definition without parameters may still be a function.
  const Type* result_type = def.result_type;
  for (; ok && result_type && result_type->kind == Type::kArrow; result_type = result_type->to)
    ok = add_parameter(result_type->from, "", nullptr, parts);
  if (!ok) {
    code_.diagnostics().limitation(def.name.span, "an entry point with parameters of this type");
    return;
  }
  parts.entry.sizes = static_cast<int>(parts.sizes.size());
  fn.params = parts.sizes;
  fn.params.insert(fn.params.end(), parts.leaves.begin(), parts.leaves.end());
  Block body = make_body(def, result_type, parts, fn.params);
  RepPtr rep = rep_of(*body.value);
  if (!is_first_order(*rep)) {
    code_.diagnostics().limitation(def.name.span, "an entry point with a result of this type");
    return;
  }
  CoreFn info;
  finish_function(code_, fn, info, std::move(body), unique_leaves(result_type, rep));
  parts.entry.result_sizes = static_cast<int>(info.result_sizes.size());
  add_results(def, result_type, *rep, parts.entry);
  fn.entry = std::move(parts.entry);
  code_.program().functions.push_back(std::move(fn));
}

}  // namespace skald::futhark::elab
