// SPDX-License-Identifier: Apache-2.0
// Calls of core functions: which instance of a function a call needs, and the call.
#include <functional>
#include <map>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "frontend/futhark/elaborate/functions/core_functions.h"
#include "frontend/futhark/elaborate/functions/instances.h"
#include "frontend/futhark/elaborate/types/placeholders.h"
#include "frontend/futhark/elaborate/values/accs.h"

namespace skald::futhark::elab {

namespace {

// How many instances of one function may be under construction at a time.
constexpr int kMaxRunning = 32;

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

ValuePtr CoreFunctions::instantiate_call(const CoreFn& info, const std::vector<Operand>& sizes,
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
      leaf = code_.consume(leaf, type);
    }
    if (p.type.is_scalar()) subst[p.name] = leaf;
    call.args.push_back(leaf);
  }
  if (!info.running) call.args.insert(call.args.end(), info.captured.begin(), info.captured.end());
  std::vector<core::Param> pat;
  for (Name size : info.result_sizes) {
    Name fresh = code_.fresh("size");
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
    Name name = code_.fresh("res");
    if (type.is_array())
      for (size_t i = 0; i < leaves.size(); ++i)
        if (info.leaf_params[i].type.is_array() && !info.leaf_params[i].unique)
          code_.sharing().add_alias(name, leaves[i]);
    results.emplace_back(name);
    pat.push_back({name, type});
  }
  code_.emit_pat(std::move(pat), std::move(call));
  return make_value(rep, results);
}

// Type and size parameters that no argument tells are evaluated here, and are part of the key: the
// function gets to see the operands of the one who calls it.
Env CoreFunctions::settle_instance(const Closure& c, Env env, const std::vector<ValuePtr>& args,
                                   std::string& key) {
  const DVal& def = *c.def;
  std::unordered_set<uint32_t> open(def.type_param_ids.begin(), def.type_param_ids.end());
  for (const auto& p : def.tparams) open.insert(p.name.id);
  Env probe = env;
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i]->kind != Value::kClosure)
      types_.bind_sizes(probe, def.params[i]->type, rep_of(*args[i]), &open);
  auto text = [&](const Operand& op) {
    const Name* n = core::as_name(op);
    return n ? fmt::format("%{}", n->id) : fmt::format("={}", core::as_const(op)->bits);
  };
  for (uint32_t id : def.type_param_ids) {
    if (!open.contains(id)) continue;
    if (const TypeBinding* t = lookup_type_id(env, id)) {
      RepPtr rep = t->rep ? t->rep : types_.resolve(t->type, t->env);
      if (!is_first_order(*rep)) continue;
      TypeBinding settled;
      settled.rep = types_.force(rep);
      std::vector<Operand> dims;
      key += "|" + rep_key(*settled.rep, dims);
      for (const Operand& dim : dims) key += text(dim);
      env = bind_type(env, {}, id, std::move(settled));
    } else if (ValuePtr v = lookup_term_id(env, id); v && v->kind == Value::kSize) {
      std::optional<Operand> size = types_.try_size(v->size.exp, v->size.env);
      if (!size) continue;
      key += "|" + text(*size);
      env = bind_term(env, {}, id, scalar_value(Prim::kI64, *size));
    }
  }
  return env;
}

// The arguments of a recursive call, as the function sees them.
static std::vector<ValuePtr> own_params(const std::vector<ValuePtr>& args,
                                        const std::vector<Operand>& dims, const CoreFn& info) {
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
    return make_value(rep, own);
  };
  for (const auto& arg : args) params.push_back(as_param(arg));
  return params;
}

// A recursive call: the declared type says what comes back.
void CoreFunctions::declare_result(const DVal& def, const Env& env,
                                   const std::vector<ValuePtr>& params, CoreFn& info) {
  const Env inner = bind_params(types_, def, params, env);
  std::vector<RepPtr> accs;
  for (const ValuePtr& param : params) add_accs(*param, accs);
  size_t next_acc = 0;
  RepPtr rep = with_accs(types_.resolve(def.result_type, inner), accs, next_acc);
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
      d.op = types_.try_size(dim.exp, dim.env);
    }
    if (!d.op) {
      Name size = code_.fresh("size");
      info.result_sizes.push_back(size);
      d.op = size;
    }
    return d;
  });
  info.result = info.declared;
}

ValuePtr CoreFunctions::call(const Closure& c, const Env& outer, const std::vector<ValuePtr>& args,
                             const Use& use) {
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
  if (code_.mode().unsafe) key += "|unsafe";

  auto [it, fresh] = functions_.try_emplace(key);
  CoreFn& info = it->second;
  std::vector<Operand> leaves;
  for (const auto& arg : args) append_leaves(*arg, leaves);
  if (fresh) {
    if (running_[&def] > kMaxRunning) {
      functions_.erase(it);
      return limitation(code_, types_, "a recursive function with this many instances", use);
    }
    info.name = function_name(def.name.name);
    info.running = true;
    info.generic = generic;
    ++running_[&def];
    bool ok = build(c, env, args, info);
    --running_[&def];
    info.running = false;
    info.inlined = !ok;
  } else if (info.running && !info.declared) {
    declare_result(def, env, own_params(args, dims, info), info);
  }
  if (info.inlined) {
    SKALD_CHECK(!recursive_[&def], "a recursive function with a static result");
    return nullptr;
  }
  if (!info.result) info.result = info.declared;
  return instantiate_call(info, dims, leaves);
}

}  // namespace skald::futhark::elab
