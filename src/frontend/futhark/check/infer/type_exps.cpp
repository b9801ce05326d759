// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/infer/type_exps.h"

#include <algorithm>

#include "frontend/futhark/check/base/size_exp.h"
#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

namespace {

void append(TypeExpResult& to, const TypeExpResult& from) {
  to.anonymous.insert(to.anonymous.end(), from.anonymous.begin(), from.anonymous.end());
  to.exts.insert(to.exts.end(), from.exts.begin(), from.exts.end());
  to.sizes.insert(to.sizes.end(), from.sizes.begin(), from.sizes.end());
  to.lifted = std::max(to.lifted, from.lifted);
}

// "t [n] a": how a type with parameters is used.
std::string example_of(const std::string& name, const std::vector<TParam>& params) {
  std::string out = name;
  for (const TParam& p : params) out += p.is_size ? " [" + p.name.base + "]" : " " + p.name.base;
  return out;
}

bool may_contain_array(const Type* t) {
  switch (t->kind) {
    case Type::kPrim:
    case Type::kArrow: return false;
    case Type::kRecord:
      return std::ranges::any_of(t->fields, [](auto& x) { return may_contain_array(x.second); });
    case Type::kSum:
      return std::ranges::any_of(t->constrs, [](auto& c) {
        return std::ranges::any_of(c.second, [](const Type* p) { return may_contain_array(p); });
      });
    default: return true;
  }
}

}  // namespace

void TypeExps::check_duplicates_in_type(const TypeExp& te,
                                        std::unordered_map<std::string, Span>& seen) {
  auto see = [&](const Ident& name) {
    auto [it, is_new] = seen.emplace(name.name, name.span);
    if (!is_new)
      report_.error("duplicate-name", name.span,
                    "Name " + quote(name.name) + " also bound at " + ctx_.where(it->second),
                    {{it->second, "first bound here"}});
  };
  auto sub = [&](const TypeExp& t) {
    auto copy = seen;
    check_duplicates_in_type(t, copy);
  };
  if (auto* t = std::get_if<TEArrow>(&te.node)) {
    if (t->param) see(*t->param);
    sub(*t->from);
    sub(*t->to);
  } else if (auto* p = std::get_if<TEParens>(&te.node)) {
    sub(*p->inner);
  } else if (auto* u = std::get_if<TEUnique>(&te.node)) {
    sub(*u->inner);
  } else if (auto* x = std::get_if<TEExists>(&te.node)) {
    for (const Ident& d : x->dims) see(d);
    sub(*x->inner);
  } else if (auto* tup = std::get_if<TETuple>(&te.node)) {
    for (const auto& e : tup->elems) sub(*e);
  } else if (auto* rec = std::get_if<TERecord>(&te.node)) {
    for (const auto& e : rec->fields) sub(*e.type);
  } else if (auto* sum = std::get_if<TESum>(&te.node)) {
    for (const auto& c : sum->constrs)
      for (const auto& e : c.payload) sub(*e);
  } else if (auto* app = std::get_if<TEApply>(&te.node)) {
    sub(*app->fn);
    if (app->type_arg) sub(*app->type_arg);
  }
}

TypeExpResult TypeExps::type_exp(TypeExp& te) {
  std::unordered_map<std::string, Span> seen;
  check_duplicates_in_type(te, seen);
  TypeExpResult r = eval_type(te);
  report_.type_size(te.span);
  d_.type_exps[&te] = r;
  return r;
}

const Exp* TypeExps::eval_size(Exp* size, TypeExpResult& out) {
  if (!size) {
    out.anonymous.push_back(f_.fresh("d"));
    return f_.size_var(out.anonymous.back());
  }
  const bool outer = std::exchange(locals_.in_size, true);
  infer_.size_exp(*size);
  locals_.in_size = outer;
  if (!can_be_size(*size)) {
    report_.error("size-expression-bind", size->span, "Size expression with binding is forbidden");
    out.anonymous.push_back(f_.fresh("d"));
    return f_.size_var(out.anonymous.back());
  }
  out.sizes.push_back(size);
  return size;
}

TypeExpResult TypeExps::eval_type(TypeExp& te) {
  TypeExpResult out;
  out.type = f_.unit();
  if (auto* t = std::get_if<TEVar>(&te.node)) {
    TypeEntry* entry = names_.type(t->name);
    if (!entry) {
      out.type = locals_.unknown(NameKind::kType, t->name, te.span);
      return out;
    }
    if (entry->broken) {
      report_.fail_silently();
      out.type = uni_.wrong(te.span);
      return out;
    }
    if (!entry->def.params.empty()) {
      report_.error("type-arguments", te.span,
                    "Type constructor " + quote(qual_text(t->name)) + " used without any arguments",
                    {},
                    "its definition has " + std::to_string(entry->def.params.size()) +
                        ", so write `" + example_of(qual_text(t->name), entry->def.params) + "`");
      out.type = uni_.wrong(te.span);
      return out;
    }
    out.lifted = entry->lifted;
    out.type = apply_type_def(f_, entry->def, {}, &out.exts);
    return out;
  }
  if (auto* t = std::get_if<TEParens>(&te.node)) return eval_type(*t->inner);
  if (auto* t = std::get_if<TETuple>(&te.node)) {
    std::vector<const Type*> ts;
    for (auto& e : t->elems) {
      TypeExpResult r = eval_type(*e);
      append(out, r);
      ts.push_back(r.type);
    }
    out.type = f_.tuple(ts);
    return out;
  }
  if (auto* t = std::get_if<TERecord>(&te.node)) return eval_record(*t, te);
  if (auto* t = std::get_if<TEArray>(&te.node)) return eval_array(*t, te);
  if (auto* t = std::get_if<TEUnique>(&te.node)) {
    out = eval_type(*t->inner);
    if (!may_contain_array(out.type))
      ctx_.warn("unique-no-effect", te.span,
                "Declaring " + quote(pretty(*out.type)) + " as unique has no effect");
    out.type = f_.with_unique(out.type, true);
    return out;
  }
  if (std::holds_alternative<TEApply>(te.node)) return eval_apply(te);
  if (auto* t = std::get_if<TEArrow>(&te.node)) return eval_arrow(*t);
  if (auto* t = std::get_if<TEExists>(&te.node)) return eval_exists(*t, te);
  if (auto* t = std::get_if<TESum>(&te.node)) return eval_sum(*t, te);
  return out;
}

TypeExpResult TypeExps::eval_record(TERecord& t, const TypeExp& te) {
  TypeExpResult out;
  std::vector<std::pair<std::string, const Type*>> fields;
  for (auto& e : t.fields) {
    TypeExpResult r = eval_type(*e.type);
    append(out, r);
    if (std::ranges::any_of(fields, [&](auto& x) { return x.first == e.name.name; }))
      report_.error("duplicate-field", te.span, "Duplicate record fields in " + pretty(te));
    else
      fields.emplace_back(e.name.name, r.type);
  }
  out.type = f_.record(std::move(fields));
  return out;
}

TypeExpResult TypeExps::eval_array(TEArray& t, const TypeExp& te) {
  TypeExpResult out;
  const Exp* size = eval_size(t.size.get(), out);
  if (!t.size) {
    ctx_.bound_at[out.anonymous.back().id] = {te.span.file, te.span.begin, te.span.begin + 2};
    // An anonymous size counts as existential of the type around it.
    out.exts.push_back(out.anonymous.back());
    out.anonymous.pop_back();
  }
  TypeExpResult r = eval_type(*t.elem);
  append(out, r);
  if (r.lifted != Liftedness::kUnlifted) {
    const bool functions = r.lifted == Liftedness::kLifted;
    report_.error("lifted-element", te.span,
                  std::string("Cannot create array with elements of ") +
                      (functions ? "lifted" : "size-lifted") + " type " + quote(pretty(*t.elem)) +
                      (functions ? " (might contain function)" : " (might cause irregular array)"));
  }
  out.type = f_.array({size}, r.type);
  return out;
}

TypeExpResult TypeExps::eval_arrow(TEArrow& t) {
  TypeExpResult out;
  TypeExpResult from = eval_type(*t.from);
  Names::Mark mark(names_);
  VName param;
  if (t.param) {
    locals_.bind_value(*t.param, erase_sizes(f_, from.type));
    param = {t.param->name, t.param->id};
    d_.locals[param.id]->sized = from.type;
    d_.locals[param.id]->used = true;
  }
  TypeExpResult to = eval_type(*t.to);
  out.anonymous = from.anonymous;
  out.anonymous.insert(out.anonymous.end(), from.exts.begin(), from.exts.end());
  out.anonymous.insert(out.anonymous.end(), to.anonymous.begin(), to.anonymous.end());
  out.sizes = from.sizes;
  out.sizes.insert(out.sizes.end(), to.sizes.begin(), to.sizes.end());
  out.lifted = Liftedness::kLifted;
  out.type = f_.arrow(from.type, to.type, param, to.exts);
  return out;
}

TypeExpResult TypeExps::eval_exists(TEExists& t, const TypeExp& te) {
  TypeExpResult out;
  Names::Mark mark(names_);
  for (Ident& d : t.dims) locals_.bind_value(d, f_.i64());
  TypeExpResult r = eval_type(*t.inner);
  const Witnesses w = size_witnesses(r.type);
  for (Ident& d : t.dims) {
    if (!w.witnessed.contains(d.id))
      report_.error("unused-existential", te.span,
                    "Existential size " + quote(d.name) + " not used as array size");
    out.exts.push_back({d.name, d.id});
  }
  append(out, r);
  out.type = r.type;
  out.lifted = std::max(r.lifted, Liftedness::kSizeLifted);
  return out;
}

TypeExpResult TypeExps::eval_sum(TESum& t, const TypeExp& te) {
  TypeExpResult out;
  std::vector<std::pair<std::string, std::vector<const Type*>>> constrs;
  for (auto& c : t.constrs) {
    std::vector<const Type*> payload;
    for (auto& e : c.payload) {
      TypeExpResult r = eval_type(*e);
      append(out, r);
      payload.push_back(r.type);
    }
    if (std::ranges::any_of(constrs, [&](auto& x) { return x.first == c.name.name; }))
      report_.error("duplicate-constructor", te.span, "Duplicate constructors in " + pretty(te));
    else
      constrs.emplace_back(c.name.name, std::move(payload));
  }
  if (constrs.size() >= 256)
    report_.error("too-many-constructors", te.span,
                  "Sum types must have less than 256 constructors");
  out.type = f_.sum(std::move(constrs));
  return out;
}

TypeExpResult TypeExps::eval_apply(TypeExp& te) {
  TypeExpResult out;
  out.type = f_.unit();
  std::vector<TEApply*> chain;
  TypeExp* root = &te;
  while (true) {
    if (auto* app = std::get_if<TEApply>(&root->node)) {
      chain.push_back(app);
      root = app->fn.get();
    } else if (auto* parens = std::get_if<TEParens>(&root->node);
               parens && std::holds_alternative<TEVar>(parens->inner->node)) {
      root = parens->inner.get();
    } else {
      break;
    }
  }
  std::ranges::reverse(chain);
  auto* var = std::get_if<TEVar>(&root->node);
  if (!var) {
    report_.error("type-arguments", root->span,
                  "Type " + quote(pretty(*root)) + " is not a type constructor");
    return out;
  }
  TypeEntry* entry = names_.type(var->name);
  out.type = uni_.wrong(te.span);
  if (!entry) {
    locals_.unknown(NameKind::kType, var->name, root->span);
    return out;
  }
  if (entry->broken) {
    report_.fail_silently();
    return out;
  }
  const auto& params = entry->def.params;
  if (params.size() != chain.size()) {
    report_.error("type-arguments", te.span,
                  "Type constructor " + quote(qual_text(var->name)) + " requires " +
                      std::to_string(params.size()) + " arguments, but provided " +
                      std::to_string(chain.size()),
                  {}, "write `" + example_of(qual_text(var->name), params) + "`");
    return out;
  }
  out.lifted = entry->lifted;
  std::vector<TypeArg> args;
  std::vector<VName> arg_exts;
  for (size_t i = 0; i < chain.size(); ++i) {
    const bool is_size = chain[i]->type_arg == nullptr;
    if (is_size != params[i].is_size) {
      report_.error(
          "type-arguments", te.span,
          "Type argument " +
              (is_size ? "[" + (chain[i]->size_arg ? pretty(*chain[i]->size_arg) : "") + "]"
                       : pretty(*chain[i]->type_arg)) +
              " not valid for a type parameter " +
              (params[i].is_size ? "[" + params[i].name.base + "]" : "'" + params[i].name.base));
      return out;
    }
    TypeExpResult arg;
    if (is_size) {
      const Exp* size = eval_size(chain[i]->size_arg.get(), arg);
      args.push_back({nullptr, {size}});
    } else {
      arg = eval_type(*chain[i]->type_arg);
      args.push_back({f_.with_unique(arg.type, false)});
    }
    arg_exts.insert(arg_exts.end(), arg.anonymous.begin(), arg.anonymous.end());
    arg.anonymous.clear();
    arg_exts.insert(arg_exts.end(), arg.exts.begin(), arg.exts.end());
    arg.exts.clear();
    append(out, arg);
  }
  out.type = apply_type_def(f_, entry->def, args, &out.exts);
  out.exts.insert(out.exts.end(), arg_exts.begin(), arg_exts.end());
  return out;
}

}  // namespace skald::futhark
