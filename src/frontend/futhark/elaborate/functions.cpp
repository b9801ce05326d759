// SPDX-License-Identifier: Apache-2.0
// Functions of core: those too large or too recursive to be inlined, and top-level constants.
//
// A core function's parameters are first the sizes that occur in the shapes of the arguments, then
// the leaves of the arguments, then whatever its closure arguments captured (found as the free
// names of the finished body).  Results likewise: sizes that are first known at the end, then
// leaves.
#include "core/rename.h"
#include "core/visit.h"
#include "frontend/futhark/check/walk.h"
#include "frontend/futhark/elaborate/accs.h"
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

namespace {

// Functions that made more names than this when inlined are called from then on.
constexpr size_t kInlineLimit = 400;

// How many instances of one function may be under construction at a time.
constexpr int kMaxRunning = 32;

bool has_attr(const Dec* dec, std::string_view name) {
  if (!dec) return false;
  for (const auto& attr : dec->attrs)
    if (attr.name == name) return true;
  return false;
}

bool contains_static(const Value& v) {
  if (v.kind == Value::kRecord) {
    for (const auto& field : v.fields)
      if (contains_static(*field.second)) return true;
    return false;
  }
  return v.kind != Value::kDyn;
}

// Identity of the static parts of a value.
void static_key(const Value& v, std::string& out) {
  if (v.kind == Value::kRecord) {
    for (const auto& field : v.fields) static_key(*field.second, out);
  } else if (v.kind == Value::kClosure) {
    const Closure& c = *v.closure;
    const void* code = c.def       ? static_cast<const void*>(c.def)
                       : c.let_fun ? static_cast<const void*>(c.let_fun)
                       : c.lambda  ? static_cast<const void*>(c.lambda)
                                   : static_cast<const void*>(c.path);
    out += fmt::format("<{}:{}:{}:{}", static_cast<int>(c.code), code, c.name,
                       static_cast<const void*>(c.env.get()));
    for (const auto& arg : c.args) {
      if (arg->kind == Value::kDyn)
        for (const auto& leaf : arg->leaves) {
          if (const auto* n = core::as_name(leaf)) out += fmt::format(" {}", n->id);
          if (const auto* k = core::as_const(leaf)) out += fmt::format(" ={}", k->bits);
        }
      static_key(*arg, out);
    }
    out += ">";
  }
}

}  // namespace

// Whether a definition's own name occurs in an expression.
static bool mentions(const Exp& e, const Ident& self) {
  auto same = [&](const QualName& name, uint32_t id) {
    return name.quals.empty() && name.name == self.name &&
           (id == 0 || self.id == 0 || id == self.id);
  };
  if (const auto* v = std::get_if<EVar>(&e.node)) return same(v->name, v->id);
  // Built-in operators have no id.
  auto is_op = [&](const auto* n) { return n && n->id != 0 && same(n->op, n->id); };
  bool found = is_op(std::get_if<EBinary>(&e.node)) || is_op(std::get_if<EOpSection>(&e.node)) ||
               is_op(std::get_if<ELeftSection>(&e.node)) ||
               is_op(std::get_if<ERightSection>(&e.node));
  for_each_child(e, [&](const Exp& child) { found = found || mentions(child, self); });
  return found;
}

// A textual occurrence of the own name is enough: being wrong costs an inlining.
bool Elaborator::is_recursive(const DVal& def) {
  return mentions(*def.body, def.name);
}

bool Elaborator::wants_function(const Closure& c, const std::vector<ValuePtr>& args) {
  const DVal& def = *c.def;
  auto [it, fresh] = recursive_.try_emplace(&def, false);
  if (fresh) it->second = is_recursive(def);
  if (it->second) return true;
  if (def.result_type && contains_arrow(*def.result_type)) return false;
  for (const auto& arg : args)
    if (contains_static(*arg) || contains_acc(*arg)) return false;
  if (has_attr(c.dec, "noinline")) return true;
  if (has_attr(c.dec, "inline")) return false;
  auto cost = inline_cost_.find(&def);
  return cost != inline_cost_.end() && cost->second > kInlineLimit;
}

std::string Elaborator::function_name(const std::string& base) {
  std::string clean;
  for (char ch : base)
    clean += std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' ? ch : '_';
  if (clean.empty() || std::isdigit(static_cast<unsigned char>(clean[0]))) clean = "f" + clean;
  int& n = names_used_[clean];
  return n++ == 0 ? clean : fmt::format("{}_{}", clean, n);
}

std::optional<core::Type> Elaborator::type_of_name(Name name) const {
  for (const Scope* s = scope_; s; s = s->parent) {
    for (const auto& p : s->params)
      if (p.name == name) return p.type;
    for (const auto& stmt : s->builder.stmts())
      for (const auto& p : stmt.pat)
        if (p.name == name) return p.type;
  }
  if (fn_)
    for (const auto& stmt : fn_->prologue)
      for (const auto& p : stmt.pat)
        if (p.name == name) return p.type;
  return std::nullopt;
}

// Sizes known only inside become further results: replaces each by a fresh name.
RepPtr Elaborator::with_result_sizes(const RepPtr& rep, const std::unordered_set<Name>& inner,
                                     std::vector<Name>& sizes, std::vector<Operand>& values) {
  return map_dims(rep, [&](const Dim& dim) {
    Dim d = dim;
    const Name* name = core::as_name(*d.op);
    if (!name || !inner.count(*name)) return d;
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] == Operand(*name)) {
        d.op = sizes[i];
        return d;
      }
    values.emplace_back(*name);
    sizes.push_back(prog_.names.fresh("size"));
    d.op = sizes.back();
    return d;
  });
}

static void append_args(core::Body& body, const std::string& fn, const std::vector<Operand>& more) {
  for (auto& stmt : body.stmts) {
    if (auto* call = core::as<core::Call>(stmt.exp); call && call->fn == fn)
      call->args.insert(call->args.end(), more.begin(), more.end());
    core::for_each_body(stmt.exp, [&](core::Body& inner) { append_args(inner, fn, more); });
  }
}

void Elaborator::finish_function(core::Function& fn, CoreFn& info, Block body,
                                 const RepPtr& declared, const std::vector<bool>& unique) {
  RepPtr rep = rep_of(*body.value);
  std::vector<Name> sizes;
  std::vector<Operand> size_values;
  if (declared) {
    // A recursive call has promised a shape in terms of parameters and of `result_sizes`.
    sizes = info.result_sizes;
    size_values.assign(sizes.size(), core::const_i64(0));
    std::vector<bool> have(sizes.size(), false);
    RepPtr target = zip_dims(declared, rep, [&](const Dim& dim, const Dim* got) {
      Dim d = dim;
      const Name* n = core::as_name(*d.op);
      for (size_t i = 0; n && i < sizes.size(); ++i) {
        if (!(sizes[i] == *n)) continue;
        if (!have[i] && got && got->op) {
          size_values[i] = *got->op;
          have[i] = true;
        }
        d.op = size_values[i];
      }
      return d;
    });
    extend(body, [&] { return coerce(body.value, target, {}); });
    info.result = declared;
  } else {
    std::unordered_set<Name> inner = bound_names(body);
    for (const auto& p : body.params) inner.erase(p.name);
    for (const auto& stmt : fn_->prologue)
      for (const auto& p : stmt.pat) inner.insert(p.name);
    info.result = with_result_sizes(rep, inner, sizes, size_values);
    info.result_sizes = sizes;
  }
  // A result promised to be fresh must not be shared with anybody.
  extend(body, [&] {
    RepPtr r = rep_of(*body.value);
    std::vector<Operand> leaves = leaves_of(*body.value);
    std::vector<core::Type> types = leaf_types(*r);
    for (size_t i = 0; i < leaves.size(); ++i)
      if (i < unique.size() && unique[i] && types[i].is_array() &&
          is_shared(std::get<Name>(leaves[i])))
        leaves[i] = emit1(types[i], core::Copy{std::get<Name>(leaves[i])}, "copy");
    return make_value(r, std::move(leaves));
  });
  std::vector<core::Stmt> stmts = std::move(fn_->prologue);
  for (auto& stmt : body.stmts) stmts.push_back(std::move(stmt));
  std::vector<Operand> result = size_values;
  append_leaves(*body.value, result);
  fn.body = core::Body(std::move(stmts), std::move(result));
  for (Name size : sizes) fn.results.push_back({size, core::scalar_type(Prim::kI64)});
  std::vector<core::Type> types = leaf_types(*info.result);
  for (size_t i = 0; i < types.size(); ++i)
    fn.results.push_back({{}, types[i], i < unique.size() && unique[i] && types[i].is_array()});
}

bool Elaborator::build_function(const Closure& c, const Env& outer,
                                const std::vector<ValuePtr>& args, CoreFn& info) {
  const DVal& def = *c.def;
  core::Function fn;
  fn.name = info.name;
  fn.loc = place(def.name.span);
  if (c.dec)
    for (const auto& attr : c.dec->attrs)
      if (attr.name == "noinline" || attr.name == "inline") fn.attrs.push_back(attr.name);

  // Parameters: one for each size that occurs, then the leaves.
  std::vector<Operand> dims;
  for (const auto& arg : args) rep_key(*rep_of(*arg), dims, info.generic);
  std::vector<core::Param> params;
  for (size_t i = 0; i < dims.size(); ++i) {
    info.size_params.push_back(prog_.names.fresh("n"));
    params.push_back({info.size_params.back(), core::scalar_type(Prim::kI64)});
  }
  auto renamed = [&](const RepPtr& rep) {
    const auto own = [&](const Operand& dim) {
      for (size_t i = 0; i < dims.size(); ++i)
        if (dim == dims[i]) return Operand{info.size_params[i]};
      return dim;
    };
    return map_acc_sizes(map_dims(rep,
                                  [&](const Dim& dim) {
                                    Dim d = dim;
                                    if (d.op) d.op = own(*d.op);
                                    return d;
                                  }),
                         own);
  };
  std::vector<ValuePtr> inner_args;
  std::function<ValuePtr(const ValuePtr&, const Type*, const std::string&)> parameter =
      [&](const ValuePtr& arg, const Type* type, const std::string& base) -> ValuePtr {
    if (arg->kind == Value::kRecord) {
      std::vector<std::pair<std::string, ValuePtr>> fields;
      for (const auto& [name, v] : arg->fields) {
        const Type* t = nullptr;
        if (type && type->kind == Type::kRecord)
          for (const auto& f : type->fields)
            if (f.first == name) t = f.second;
        fields.emplace_back(name, parameter(v, t, base));
      }
      return record_value(std::move(fields));
    }
    if (arg->kind != Value::kDyn) return arg;
    RepPtr rep = renamed(arg->rep);
    std::vector<bool> unique = unique_leaves(type, rep);
    std::vector<Operand> leaves;
    std::vector<core::Type> types = leaf_types(*rep);
    for (size_t i = 0; i < types.size(); ++i) {
      core::Param p{prog_.names.fresh(base), types[i], unique[i] && types[i].is_array()};
      leaves.emplace_back(p.name);
      info.leaf_params.push_back(p);
      params.push_back(p);
    }
    return make_value(rep, std::move(leaves));
  };
  for (size_t i = 0; i < args.size(); ++i)
    inner_args.push_back(parameter(args[i], def.params[i]->type, pattern_base(*def.params[i])));

  // The body, in a world of its own.
  FnContext context;
  FnContext* old_fn = fn_;
  core::Loc old_loc = loc_, old_caller = caller_;
  bool old_unsafe = unsafe_;
  fn_ = &context;
  loc_ = fn.loc;
  caller_ = {};
  std::vector<std::pair<uint32_t, ValuePtr>> old_log;
  std::swap(old_log, size_log_);
  Block body = block(params, [&] {
    Env env = bind_params(def.params, def.type_param_ids, def.tparams, inner_args, outer);
    return exp(*def.body, env);
  });
  std::swap(old_log, size_log_);
  RepPtr rep = rep_of(*body.value);
  bool ok = is_first_order(*rep);
  if (ok)
    finish_function(fn, info, std::move(body), info.declared, unique_leaves(def.result_type, rep));
  fn_ = old_fn;
  loc_ = old_loc;
  caller_ = old_caller;
  unsafe_ = old_unsafe;
  if (!ok) return false;

  // What closures captured is passed along.
  std::unordered_set<Name> free = core::free_names(fn.body);
  for (const auto& ret : fn.results)
    for (const auto& d : ret.type.shape)
      if (const Name* n = core::as_name(d)) free.insert(*n);
  for (const auto& p : params) free.erase(p.name);
  for (const auto& ret : fn.results) free.erase(ret.name);
  std::vector<Name> captured(free.begin(), free.end());
  std::sort(captured.begin(), captured.end());
  // Types of captured arrays may mention more names.
  std::vector<std::pair<Name, core::Type>> extra;
  for (size_t i = 0; i < captured.size(); ++i) {
    std::optional<core::Type> type = type_of_name(captured[i]);
    SKALD_CHECK(type, "a captured name is not in scope");
    for (const auto& d : type->shape)
      if (const Name* n = core::as_name(d))
        if (std::find(captured.begin(), captured.end(), *n) == captured.end())
          captured.push_back(*n);
    extra.emplace_back(captured[i], *type);
  }
  // Sizes first, so that parameter types refer to what comes before.
  std::stable_sort(extra.begin(), extra.end(), [](const auto& x, const auto& y) {
    return x.second.rank() == 0 && y.second.rank() > 0;
  });
  core::Substitution lifted;
  std::vector<Operand> own;
  for (const auto& [name, type] : extra) {
    Name fresh = prog_.names.fresh_like(name);
    lifted[name] = fresh;
    own.emplace_back(fresh);
    info.captured.emplace_back(name);
  }
  fn.params = std::move(params);
  if (!extra.empty()) {
    append_args(fn.body, fn.name, own);
    core::substitute(fn.body, lifted);
    for (auto& p : fn.params) core::substitute(p.type, lifted);
    for (auto& ret : fn.results) core::substitute(ret.type, lifted);
    for (size_t i = 0; i < extra.size(); ++i) {
      core::Type type = extra[i].second;
      core::substitute(type, lifted);
      fn.params.push_back({std::get<Name>(own[i]), type});
    }
  }
  prog_.functions.push_back(std::move(fn));
  return true;
}

ValuePtr Elaborator::instantiate_call(const CoreFn& info, const std::vector<Operand>& sizes,
                                      const std::vector<Operand>& leaves) {
  core::Call call{info.name, sizes};
  core::Substitution subst;
  for (size_t i = 0; i < info.size_params.size(); ++i) subst[info.size_params[i]] = sizes.at(i);
  for (size_t i = 0; i < info.leaf_params.size(); ++i) {
    const core::Param& p = info.leaf_params[i];
    Operand leaf = leaves.at(i);
    if (p.unique) {
      core::Type type = p.type;
      core::substitute(type, subst);
      leaf = consume(leaf, type);
    }
    if (p.type.is_scalar()) subst[p.name] = leaf;
    call.args.push_back(leaf);
  }
  if (!info.running) call.args.insert(call.args.end(), info.captured.begin(), info.captured.end());
  std::vector<core::Param> pat;
  for (Name size : info.result_sizes) {
    Name fresh = prog_.names.fresh("size");
    subst[size] = fresh;
    pat.push_back({fresh, core::scalar_type(Prim::kI64)});
  }
  RepPtr rep = map_dims(info.result, [&](const Dim& dim) {
    Dim d = dim;
    core::substitute(*d.op, subst);
    return d;
  });
  rep = map_acc_sizes(rep, [&](Operand dim) {
    core::substitute(dim, subst);
    return dim;
  });
  std::vector<Operand> results;
  for (auto& type : leaf_types(*rep)) {
    Name name = prog_.names.fresh("res");
    if (type.is_array())
      for (size_t i = 0; i < leaves.size(); ++i)
        if (info.leaf_params[i].type.is_array() && !info.leaf_params[i].unique)
          add_alias(name, leaves[i]);
    results.emplace_back(name);
    pat.push_back({name, type});
  }
  if (!attrs_.empty()) b().set_attrs(attrs_);
  b().let_pat(std::move(pat), std::move(call));
  b().set_attrs({});
  return make_value(rep, std::move(results));
}

// Type and size parameters that no argument tells are evaluated here, and are part of the key: the
// function gets to see the operands of the one who calls it.
Env Elaborator::settle_instance(const Closure& c, Env env, const std::vector<ValuePtr>& args,
                                std::string& key) {
  const DVal& def = *c.def;
  std::unordered_set<uint32_t> open(def.type_param_ids.begin(), def.type_param_ids.end());
  for (const auto& p : def.tparams) open.insert(p.name.id);
  Env probe = env;
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i]->kind != Value::kClosure)
      bind_sizes(probe, def.params[i]->type, rep_of(*args[i]), &open);
  auto text = [&](const Operand& op) {
    const Name* n = core::as_name(op);
    return n ? fmt::format("%{}", n->id) : fmt::format("={}", core::as_const(op)->bits);
  };
  for (uint32_t id : def.type_param_ids) {
    if (!open.count(id)) continue;
    if (const TypeBinding* t = lookup_type_id(env, id)) {
      RepPtr rep = t->rep ? t->rep : resolve(t->type, t->env);
      if (!is_first_order(*rep)) continue;
      TypeBinding settled;
      settled.rep = force(rep);
      std::vector<Operand> dims;
      key += "|" + rep_key(*settled.rep, dims);
      for (const Operand& dim : dims) key += text(dim);
      env = bind_type(env, {}, id, std::move(settled));
    } else if (ValuePtr v = lookup_term_id(env, id); v && v->kind == Value::kSize) {
      std::optional<Operand> size = try_size(v->size.exp, v->size.env);
      if (!size) continue;
      key += "|" + text(*size);
      env = bind_term(env, {}, id, scalar_value(Prim::kI64, *size));
    }
  }
  return env;
}

ValuePtr Elaborator::call_function(const Closure& c, const Env& outer,
                                   const std::vector<ValuePtr>& args, const Use& use) {
  const DVal& def = *c.def;
  const bool generic = recursive_[&def];
  std::vector<Operand> dims;
  std::string key =
      fmt::format("{}|{}|", static_cast<const void*>(&def), static_cast<const void*>(c.env.get()));
  kept_.push_back(c.env);
  std::string statics;
  for (const auto& arg : args) {
    key += rep_key(*rep_of(*arg), dims, generic) + ",";
    static_key(*arg, statics);
  }
  key += statics;
  Env env = settle_instance(c, outer, args, key);
  if (unsafe_) key += "|unsafe";

  auto [it, fresh] = functions_.try_emplace(key);
  CoreFn& info = it->second;
  std::vector<Operand> leaves;
  for (const auto& arg : args) append_leaves(*arg, leaves);
  if (fresh) {
    if (running_[&def] > kMaxRunning) {
      functions_.erase(it);
      return limitation(use.span, "a recursive function with this many instances", use.type,
                        use.env);
    }
    info.name = function_name(def.name.name);
    info.running = true;
    info.generic = generic;
    ++running_[&def];
    bool ok = build_function(c, env, args, info);
    --running_[&def];
    info.running = false;
    info.inlined = !ok;
  } else if (info.running && !info.declared) {
    // A recursive call: the declared type says what comes back.
    Env inner = c.env;
    std::vector<ValuePtr> params;
    size_t next = 0;
    std::function<ValuePtr(const ValuePtr&)> as_param = [&](const ValuePtr& arg) -> ValuePtr {
      if (arg->kind == Value::kRecord) {
        std::vector<std::pair<std::string, ValuePtr>> fields;
        for (const auto& f : arg->fields) fields.emplace_back(f.first, as_param(f.second));
        return record_value(std::move(fields));
      }
      if (arg->kind != Value::kDyn) return arg;
      std::vector<Operand> own;
      RepPtr rep = map_dims(arg->rep, [&](const Dim& dim) {
        Dim d = dim;
        for (size_t i = 0; i < dims.size(); ++i)
          if (dims[i] == *d.op) d.op = info.size_params.at(i);
        return d;
      });
      rep = map_acc_sizes(rep, [&](const Operand& dim) {
        for (size_t i = 0; i < dims.size(); ++i)
          if (dims[i] == dim) return Operand{info.size_params.at(i)};
        return dim;
      });
      for (size_t i = 0; i < arg->leaves.size(); ++i)
        own.emplace_back(info.leaf_params.at(next++).name);
      return make_value(rep, std::move(own));
    };
    for (const auto& arg : args) params.push_back(as_param(arg));
    inner = bind_params(def.params, def.type_param_ids, def.tparams, params, env);
    std::vector<RepPtr> accs;
    for (const ValuePtr& param : params) add_accs(*param, accs);
    size_t next_acc = 0;
    RepPtr rep = with_accs(resolve(def.result_type, inner), accs, next_acc);
    std::map<std::string, Name> by_name;
    info.declared = map_dims(rep, [&](const Dim& dim) {
      Dim d;
      const auto* v = dim.exp ? std::get_if<EVar>(&dim.exp->node) : nullptr;
      if (dim.op) {
        d.op = dim.op;
      } else if (v && v->name.quals.empty()) {
        ValuePtr found = lookup_term_id(dim.env, v->id);
        if (found && found->kind == Value::kDyn) {
          const Name* n = core::as_name(found->leaves[0]);
          bool is_param = !n;
          for (Name p : info.size_params) is_param = is_param || (n && p == *n);
          for (const auto& p : info.leaf_params) is_param = is_param || (n && p.name == *n);
          if (is_param) d.op = found->leaves[0];
        }
      } else if (dim.exp && std::holds_alternative<ELiteral>(dim.exp->node)) {
        d.op = try_size(dim.exp, dim.env);
      }
      if (!d.op) {
        Name size = prog_.names.fresh("size");
        info.result_sizes.push_back(size);
        d.op = size;
      }
      return d;
    });
    info.result = info.declared;
  }
  if (info.inlined) {
    SKALD_CHECK(!recursive_[&def], "a recursive function with a static result");
    return nullptr;
  }
  if (!info.result) info.result = info.declared;
  return instantiate_call(info, dims, leaves);
}

ValuePtr Elaborator::constant(const Lazy& lazy, const Env& use_env,
                              const std::vector<TypeInst>& inst, const Type* type, Span span) {
  const DVal& def = *lazy.constant;
  Closure c;
  c.code = Closure::kDef;
  c.def = &def;
  c.inst = &inst;
  c.use_type = type;
  c.use_env = use_env;
  Env env = bind_instance(c, def.type_param_ids, def.tparams, def.type, lazy.env);
  bool polymorphic = !def.type_param_ids.empty() || !def.tparams.empty();
  bool is_static = def.type && contains_arrow(*def.type);
  const Exp* body = def.body.get();
  while (const auto* parens = std::get_if<EParens>(&body->node)) body = parens->inner.get();
  bool simple =
      std::holds_alternative<ELiteral>(body->node) || std::holds_alternative<EVar>(body->node) ||
      std::holds_alternative<ENegate>(body->node) ||
      (def.type && def.type->kind == Type::kPrim && std::holds_alternative<EBinary>(body->node));
  if (polymorphic || is_static || simple) return inline_body(*def.body, env, {span});

  if (fn_)
    if (auto it = fn_->constants.find(&lazy); it != fn_->constants.end()) return it->second;
  std::string key = fmt::format("const|{}", static_cast<const void*>(&lazy));
  auto [it, fresh] = functions_.try_emplace(key);
  CoreFn& info = it->second;
  if (fresh) {
    kept_.push_back(lazy.env);
    info.name = function_name(def.name.name);
    info.running = true;
    Closure code;
    code.code = Closure::kDef;
    code.def = &def;
    code.dec = lazy.dec;
    size_t before = prog_.functions.size();
    // No scope around: a constant sees nothing of the function that uses it.
    Scope* old = scope_;
    scope_ = nullptr;
    bool ok = build_function(code, env, {}, info);
    scope_ = old;
    if (scope_) b().set_loc(loc_);
    info.running = false;
    info.inlined = !ok;
    if (ok && prog_.functions.size() > before) prog_.functions.back().attrs.emplace_back("once");
  }
  if (info.inlined) return inline_body(*def.body, env, {span});
  // Called at the start of the function under construction.
  Scope top{core::Builder(prog_), {}, scope_};
  top.builder.set_loc(loc_);
  scope_ = &top;
  ValuePtr v = instantiate_call(info, {}, {});
  std::vector<core::Stmt> stmts = std::move(top.builder.finish({}).stmts);
  scope_ = top.parent;
  for (auto& stmt : stmts) fn_->prologue.push_back(std::move(stmt));
  share(*v);
  fn_->constants[&lazy] = v;
  return v;
}

}  // namespace skald::futhark::elab
