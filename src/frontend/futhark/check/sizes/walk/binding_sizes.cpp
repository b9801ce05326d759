// SPDX-License-Identifier: Apache-2.0
// Which sizes a function is polymorphic in is found when its body is known.
#include "frontend/futhark/check/sizes/walk/binding_sizes.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/sizes/walk/exp_sizes.h"

namespace skald::futhark {

const Type* BindingSizes::let(ELet& e, Span span, std::vector<VName>& ext) {
  const Type* value = exps_.exp(*e.value);
  for (Ident& s : e.sizes) {
    table_.bind_param({s.name, s.id}, s.span);
    d_.locals[s.id]->sized = f_.i64();
  }
  ++table_.level;
  patterns_.let_pattern(*e.pat, table_.norm(value), e.sizes, e.value->span);
  ++table_.level;
  const Type* body = table_.norm(exps_.exp(*e.body));
  table_.level -= 2;
  IdSet gone = patterns_.pattern_ids(*e.pat);
  if (value->kind == Type::kPrim && value->prim == Prim::kI64 && gone.size() == 1 &&
      can_substitute(body, *gone.begin(), *e.value)) {
    const uint32_t id = *gone.begin();
    if (free_sizes(body).contains(id)) {
      TypeSubst s;
      s.sizes[id] = strip_size(e.value.get());
      body = subst_type(f_, body, s);
    }
    return body;
  }
  for (const Ident& s : e.sizes) gone.insert(s.id);
  return scope_.unscope(body, span, gone, ext);
}

// The name of a parameter that its type may use, if the whole parameter has one.
static const Ident* param_name(const Pat& p) {
  if (auto* v = std::get_if<PVar>(&p.node)) return &v->name;
  if (auto* x = std::get_if<PParens>(&p.node)) return param_name(*x->inner);
  if (auto* x = std::get_if<PAttr>(&p.node)) return param_name(*x->inner);
  if (auto* x = std::get_if<PAscript>(&p.node)) return param_name(*x->inner);
  return nullptr;
}

const Type* BindingSizes::fun_type(const std::vector<Ptr<Pat>>& params, const Type* result,
                                   std::vector<VName> exts) {
  const Type* t = result;
  for (size_t i = params.size(); i-- > 0;) {
    VName name;
    if (const Ident* n = param_name(*params[i])) name = {n->name, n->id};
    t = f_.arrow(table_.norm(params[i]->type), t, name, std::move(exts));
    exts.clear();
  }
  return t;
}

const Type* BindingSizes::fun_body(const FunParts& parts, const Type* declared) {
  if (!parts.body) return declared;
  const Type* body = table_.norm(exps_.exp(*parts.body));
  // Names inside of parameter patterns cannot be seen from outside.
  IdSet hidden;
  std::unordered_map<uint32_t, std::string> names;
  for (auto& p : *parts.params) {
    const Ident* whole = param_name(*p);
    for_each_bound(*p, [&](const Ident& name, const Pat&) {
      if (whole && whole->id == name.id) return;
      hidden.insert(name.id);
      names[name.id] = name.name;
    });
  }
  std::vector<VName> ext;
  body = scope_.unscope(body, parts.span, hidden, ext);
  if (!declared) return body;
  const IdSet free = free_sizes(declared);
  std::vector<uint32_t> in_order(free.begin(), free.end());
  std::ranges::sort(in_order);
  for (uint32_t v : in_order)
    if (hidden.contains(v))
      report_.error("inaccessible-size", parts.result ? parts.result->span : parts.span,
                    "The return type annotation\n" + indented(words_.show(declared)) +
                        "\nrefers to the name " + quote(names[v]) +
                        " which is bound to an inner component of a function parameter");
  const Exp& last = result_exp(*parts.body);
  unifier_.unify(f_.with_unique(declared, false), body,
                 {last.span,
                  "return type annotation",
                  [&] {
                    return "Function body does not have expected type.\nExpected: " +
                           words_.show(declared) + "\nActual:   " + words_.show(body);
                  },
                  {{parts.result ? parts.result->span : Span{}, "the declared type"}},
                  &last,
                  SizeWhy::kResult});
  return body;
}

const Type* BindingSizes::lambda(ELambda& e, Span span) {
  const Type* unsized_result = e.result_type;
  const int outer = table_.level;
  ++table_.level;  // of the lambda
  ++table_.level;  // of its parameters
  for (auto& p : e.params) {
    patterns_.pattern(*p, nullptr, {});
    patterns_.bind_pattern(*p);
    ++table_.level;
  }
  const Type* want = fresh_.replace_metas(unsized_result, span, true);
  const Type* declared = nullptr;
  if (e.result) {
    declared = patterns_.type_exp(*e.result);
    unifier_.unify(want, f_.with_unique(declared, false),
                   {e.body->span, "lambda return type ascription"});
  }
  FunParts parts{nullptr, nullptr, &e.params, e.result.get(), e.body.get(), span};
  const Type* body = fun_body(parts, declared);
  unifier_.unify(want, body, {e.body->span, "inferred return type"});
  for (auto& p : e.params) for_each_pat(*p, [&](Pat& q) { q.type = table_.norm(q.type); });
  const Type* result = table_.norm(declared ? declared : body);

  // Unknown sizes that the body computes are existential in the result, unless parameters show
  // them.
  IdSet names, shown;
  for (auto& p : e.params) {
    if (const Ident* n = param_name(*p)) names.insert(n->id);
    for_each_size(p->type, [&](const Exp* s, SizePos, const IdSet&) { free_in_size(*s, shown); });
  }
  std::vector<VName> exts;
  for (uint32_t v : free_sizes(result)) {
    SizeVar* s = table_.find(v);
    if (s && s->kind == SizeVar::kUnknown && s->level >= table_.level && !names.contains(v) &&
        !shown.contains(v))
      exts.push_back(s->name);
  }
  std::ranges::sort(exts, {}, &VName::id);
  table_.level = outer;
  verify_params("", e.params);
  IdSet gone;
  for (const VName& x : exts) gone.insert(x.id);
  std::vector<VName> fresh;
  result = scope_.unscope(result, span, gone, fresh);
  e.result_type = result;
  return fun_type(e.params, result, fresh);
}

void BindingSizes::verify_params(const std::string& name, const std::vector<Ptr<Pat>>& params) {
  IdSet forbidden;
  for (const auto& p : params)
    for (uint32_t id : patterns_.pattern_ids(*p)) forbidden.insert(id);
  for (const auto& p : params) {
    for (uint32_t v : free_sizes(table_.norm(p->type))) {
      if (!forbidden.contains(v)) continue;
      SizeVar* s = table_.find(v);
      const std::string size = s ? s->name.base : "";
      report_.error("inaccessible-size", p->span,
                    "Invalid use of parameters in " +
                        quote(name.empty() ? "anonymous function" : name) + ".\n\nParameter " +
                        quote(pretty(*p)) + "\nrefers to size " + quote(size) +
                        ",\nwhich will not be accessible to the caller,\npossibly because it is "
                        "nested in a tuple or record.\nConsider ascribing an explicit type that "
                        "does not reference " +
                        quote(size));
      return;
    }
    if (const Ident* n = param_name(*p)) forbidden.erase(n->id);
  }
}

namespace {

// Existential sizes move to where they are first shown: ?[n].bool -> [n]bool becomes
// bool -> ?[n].[n]bool.
const Type* inject_exts(TypeFactory& f, std::vector<VName>& exts, const Type* t) {
  if (exts.empty()) return t;
  IdSet immediate;
  for_each_size(t, [&](const Exp* e, SizePos pos, const IdSet&) {
    if (pos == SizePos::kImmediate) free_in_size(*e, immediate);
  });
  std::vector<VName> here, there;
  for (const VName& x : exts) (immediate.contains(x.id) ? here : there).push_back(x);
  exts = here;
  if (there.empty()) return t;
  std::function<const Type*(const Type*)> deeper = [&](const Type* u) -> const Type* {
    switch (u->kind) {
      case Type::kRecord: {
        Type copy = *u;
        for (auto& [name, field] : copy.fields) field = deeper(field);
        return f.make(std::move(copy));
      }
      case Type::kSum: {
        Type copy = *u;
        for (auto& [name, payload] : copy.constrs)
          for (auto& p : payload) p = deeper(p);
        return f.make(std::move(copy));
      }
      case Type::kArrow: {
        Type copy = *u;
        std::vector<VName> inner = there;
        for (const VName& x : u->exts)
          if (std::ranges::find(inner, x) == inner.end()) inner.push_back(x);
        const IdSet used = free_sizes(u->to);
        std::erase_if(inner, [&](const VName& x) { return !used.contains(x.id); });
        copy.to = inject_exts(f, inner, u->to);
        copy.exts = inner;
        return f.make(std::move(copy));
      }
      default: return u;
    }
  };
  return deeper(t);
}

}  // namespace

void BindingSizes::generalise(const FunParts& parts, SizedFunction& def, const Type* result) {
  const int min_level = table_.level - static_cast<int>(parts.params->size());
  table_.collapse_insts(min_level);
  for (auto& p : *parts.params) for_each_pat(*p, [&](Pat& q) { q.type = table_.norm(q.type); });
  result = table_.norm(result);
  const Type* whole = fun_type(*parts.params, result, {});

  IdSet visible = free_sizes(whole), produced, needed;
  // Sizes bound by the parameters themselves are visible too.
  find_produced(whole, produced, needed);
  std::vector<uint32_t> order(visible.begin(), visible.end());
  std::ranges::sort(order);
  std::vector<VName> exts;
  for (uint32_t v : order) {
    SizeVar* s = table_.find(v);
    if (!s || s->level < min_level) continue;
    if (std::ranges::any_of(def.params, [&](const TParam& p) { return p.name.id == v; })) continue;
    if (s->kind == SizeVar::kFlex && !s->solution) {
      def.params.push_back({s->name, true, {}, s->span, true});
    } else if (s->kind == SizeVar::kUnknown) {
      if (needed.contains(v) && !produced.contains(v)) {
        report_.error("unknown-param-def", parts.span,
                      "Cannot generalise type of " + quote(parts.name->name) +
                          ".\n\nUnknown size " + quote(s->name.base) + " in parameter of " +
                          quote(parts.name->name) + ", which is inferred as:\n" +
                          indented(words_.show(whole)) + words_.notes_for(f_.size_var(s->name)));
      }
      if (produced.contains(v) && std::ranges::find(exts, s->name) == exts.end())
        exts.push_back(s->name);
    }
  }
  std::vector<uint32_t> in_result;
  for (uint32_t v : free_sizes(result)) in_result.push_back(v);
  std::ranges::sort(in_result);
  for (uint32_t v : in_result) {
    SizeVar* s = table_.find(v);
    if (s && s->kind == SizeVar::kUnknown && s->level >= min_level &&
        std::ranges::find(exts, s->name) == exts.end())
      exts.push_back(s->name);
  }
  def.exts = exts;
  def.result = inject_exts(f_, def.exts, result);

  IdSet used = free_sizes(def.result);
  for (auto& p : *parts.params) free_sizes(p->type, used);
  for (const TParam& p : def.params)
    if (p.is_size && !used.contains(p.name.id)) {
      report_.error("unused-size", p.span, "Size [" + p.name.base + "] unused in pattern");
      break;
    }
  for (const TParam& p : def.params) {
    // A size parameter is from now on known by name.
    if (SizeVar* s = table_.find(p.name.id)) {
      s->kind = SizeVar::kParam;
      s->solution = nullptr;
    }
  }
  def.type = fun_type(*parts.params, def.result, def.exts);
}

// The type of a function with mistakes inside: what is written is taken to be true.
void BindingSizes::assume_type(const FunParts& parts, SizedFunction& def, const Type* declared,
                               const Type* body) {
  auto is_named = [this](uint32_t id) {
    const SizeVar* v = table_.find(id);
    return !v || v->kind == SizeVar::kParam;
  };
  TypeMapper m;
  m.on_size = [&](const Exp* e) -> const Exp* {
    IdSet vars;
    e = table_.norm(e);
    free_in_size(*e, vars);
    return std::ranges::all_of(vars, is_named) ? e : table_.wrong_size();
  };
  def.result = declared ? map_type(f_, declared, m) : table_.with_wrong_sizes(body);
  def.type = map_type(f_, fun_type(*parts.params, def.result, {}), m);
}

// The type with new names for the sizes that it binds.
const Type* BindingSizes::rename_binders(const Type* t) {
  if (t->kind == Type::kRecord || t->kind == Type::kSum) {
    Type copy = *t;
    for (auto& [name, field] : copy.fields) field = rename_binders(field);
    for (auto& [name, payload] : copy.constrs)
      for (auto& p : payload) p = rename_binders(p);
    return f_.make(std::move(copy));
  }
  if (t->kind != Type::kArrow) return t;
  Type copy = *t;
  TypeSubst s;
  auto fresh = [&](VName& name) {
    const VName old = name;
    name = f_.fresh(old.base);
    s.sizes[old.id] = f_.size_var(name);
  };
  if (copy.param.id) fresh(copy.param);
  for (VName& x : copy.exts) fresh(x);
  copy.from = rename_binders(t->from);
  copy.to = rename_binders(subst_type(f_, t->to, s));
  return f_.make(std::move(copy));
}

SizedFunction BindingSizes::binding(const FunParts& parts, ValEntry* self,
                                    std::vector<TParam> tparams) {
  SizedFunction def;
  const size_t mistakes = report_.count();
  const int outer = table_.level;
  ++table_.level;
  for (const TParam& p : tparams)
    if (p.is_size) {
      table_.bind_param(p.name, p.span);
      if (auto it = d_.locals.find(p.name.id); it != d_.locals.end()) it->second->sized = f_.i64();
    }
  ++table_.level;
  for (auto& p : *parts.params) {
    patterns_.pattern(*p, nullptr, {});
    patterns_.bind_pattern(*p);
    ++table_.level;
  }
  std::vector<VName> declared_exts;
  const Type* declared = parts.result ? patterns_.type_exp(*parts.result, &declared_exts) : nullptr;
  if (self && declared) {
    self->sized = rename_binders(fun_type(*parts.params, declared, declared_exts));
    for (const TParam& p : tparams)
      if (p.is_size) self->sized_params.push_back(p);
    // Sizes left open in the parameters are inferred parameters of the recursion too.
    IdSet open = free_sizes(self->sized);
    for (uint32_t v : open) {
      SizeVar* s = table_.find(v);
      if (s && (s->kind == SizeVar::kFlex || s->kind == SizeVar::kInst) && !s->solution &&
          std::ranges::find(declared_exts, s->name) == declared_exts.end())
        self->sized_params.push_back({s->name, true, {}, s->span, true});
    }
  }
  // Without a body, what is declared existential stays so.
  if (!parts.body)
    for (const VName& x : declared_exts)
      if (SizeVar* v = table_.find(x.id)) v->kind = SizeVar::kUnknown;
  const Type* body = fun_body(parts, declared);
  for (auto& p : *parts.params) for_each_pat(*p, [&](Pat& q) { q.type = table_.norm(q.type); });
  const Type* result = declared ? table_.norm(declared) : body;
  verify_params(parts.name->name, *parts.params);
  def.params = std::move(tparams);
  if (report_.count() != mistakes) {
    assume_type(parts, def, declared, body);
  } else {
    generalise(parts, def, scope_.unscope_unknown(result));
    const bool size_poly =
        std::ranges::any_of(def.params, [](const TParam& p) { return p.is_size; });
    if (parts.params->empty() && size_poly && !def.exts.empty())
      report_.error("size-polymorphic-value", parts.span,
                    "A size-polymorphic value binding may not have a type with an existential "
                    "size.\nType of this binding is:\n" +
                        indented(words_.show(def.result)));
  }
  table_.level = outer;
  return def;
}

const Type* BindingSizes::let_fun(ELetFun& e, Span span, std::vector<VName>& ext) {
  ValEntry* entry = d_.locals[e.name.id];
  FunParts parts{&e.name, &e.tparams, &e.params, e.result.get(), e.value.get(), span};
  SizedFunction def = binding(parts, nullptr, entry->params);
  if (report_.halted()) return f_.unit();
  e.type = def.type;
  e.result_type = def.result;
  e.type_param_ids.clear();
  for (const TParam& p : def.params) e.type_param_ids.push_back(p.name.id);
  entry->sized = def.type;
  entry->sized_params = def.params;
  return scope_.unscope(table_.norm(exps_.exp(*e.body)), span, {e.name.id}, ext);
}

}  // namespace skald::futhark
