// SPDX-License-Identifier: Apache-2.0
// Module expressions: application, ascription, paths, imports.
#include "frontend/futhark/elaborate/functions/modules.h"

namespace skald::futhark::elab {

// "a/b" and "../c/d" give "c/d".
static std::string join_path(const std::string& from, const std::string& path) {
  if (!path.empty() && path[0] == '/') return path;
  std::vector<std::string> parts;
  std::string text = path;
  size_t slash = from.rfind('/');
  if (slash != std::string::npos) text = from.substr(0, slash + 1) + path;
  size_t at = 0;
  while (at <= text.size()) {
    size_t end = text.find('/', at);
    if (end == std::string::npos) end = text.size();
    std::string part = text.substr(at, end - at);
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != "." && !(part.empty() && !parts.empty())) {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) out += (i ? "/" : "") + parts[i];
  return out;
}

ValuePtr Modules::restrict(ValuePtr module, const ModTypeExp* mt, const Env& env) {
  module = force(module);
  if (!mt || module->kind != Value::kModule) return module;
  Value v = *module;
  v.restricted = mt;
  v.restricted_env = env;
  return std::make_shared<const Value>(std::move(v));
}

void Modules::names_of(const ModTypeExp& mt, const Env& env, std::set<std::string>& terms,
                       std::set<std::string>& types, int depth) {
  if (depth > 100) return;
  if (const auto* m = std::get_if<MTParens>(&mt.node))
    return names_of(*m->inner, env, terms, types, depth + 1);
  if (const auto* m = std::get_if<MTWith>(&mt.node))
    return names_of(*m->inner, env, terms, types, depth + 1);
  if (const auto* m = std::get_if<MTVar>(&mt.node)) {
    const std::pair<const ModTypeExp*, Env>* found = nullptr;
    if (m->name.quals.empty()) {
      found = lookup_mod_type(env, m->name.name);
    } else {
      ValuePtr module = lookup_term(env, m->name.quals[0]);
      std::vector<std::string> path(m->name.quals.begin() + 1, m->name.quals.end());
      path.push_back(m->name.name);
      if (module) module = module_at(module, path);
      if (module) {
        auto it = module->module->mod_types.find(m->name.name);
        if (it != module->module->mod_types.end()) found = &it->second;
      }
    }
    SKALD_CHECK(found, "the module type {} is not bound", m->name.name);
    return names_of(*found->first, found->second, terms, types, depth + 1);
  }
  if (const auto* m = std::get_if<MTSpecs>(&mt.node)) {
    for (const auto& spec : m->specs) {
      if (const auto* s = std::get_if<SpecVal>(&spec->node)) terms.insert(s->name.name);
      if (const auto* s = std::get_if<SpecModule>(&spec->node)) terms.insert(s->name.name);
      if (const auto* s = std::get_if<SpecType>(&spec->node)) types.insert(s->name.name);
      if (const auto* s = std::get_if<SpecInclude>(&spec->node))
        names_of(*s->type, env, terms, types, depth + 1);
    }
  }
}

ValuePtr Modules::force(const ValuePtr& v) {
  if (v->kind != Value::kLazy || !v->lazy->module) return v;
  const Lazy& lazy = *v->lazy;
  if (lazy.forced) return lazy.forced;
  SKALD_CHECK(!lazy.running, "a module that depends on itself");
  lazy.running = true;
  ValuePtr module = force(module_exp(*lazy.module, lazy.env, lazy.file, nullptr));
  bind_members(lazy.module_dec->bindings, module, nullptr, nullptr);
  if (lazy.module_dec->type) module = restrict(module, lazy.module_dec->type.get(), lazy.env);
  lazy.forced = module;
  lazy.running = false;
  return module;
}

ValuePtr Modules::module_at(const ValuePtr& module, const std::vector<std::string>& path) {
  ValuePtr m = force(module);
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (m->kind != Value::kModule) return nullptr;
    auto it = m->module->terms.find(path[i]);
    if (it == m->module->terms.end()) return nullptr;
    m = force(it->second);
  }
  return m->kind == Value::kModule ? m : nullptr;
}

Env Modules::bind_members(const std::vector<ModBinding>& bindings, const ValuePtr& module, Env env,
                          Frame* frame) {
  for (const ModBinding& binding : bindings) {
    if (binding.path.empty()) continue;
    ValuePtr inside = module_at(module, binding.path);
    if (!inside) continue;
    const std::string& name = binding.path.back();
    if (binding.is_type) {
      auto it = inside->module->types.find(name);
      if (it == inside->module->types.end()) continue;
      const TypeBinding& t = it->second;
      // An abstract type seen again under its own id says nothing.
      if (t.type && t.type->kind == Type::kNamed && t.type->name.id == binding.id) continue;
      ids_.add_type(binding.id, t);
      if (frame) frame->type_ids[binding.id] = t;
      env = bind_type(env, {}, binding.id, t);
    } else {
      auto it = inside->module->terms.find(name);
      if (it == inside->module->terms.end()) continue;
      ids_.add_term(binding.id, it->second);
      if (frame) frame->term_ids[binding.id] = it->second;
      env = bind_term(env, {}, binding.id, it->second);
    }
  }
  return env;
}

ValuePtr Modules::apply_functor(const Functor& f, const ValuePtr& arg, Frame* frame) {
  ValuePtr seen = restrict(arg, f.param->type.get(), f.env);
  Env env = bind_term(f.env, f.param->name.name, f.param->name.id, seen);
  env = bind_members(f.param->bindings, seen, env, nullptr);
  if (f.lambda) {
    ValuePtr m = module_exp(*f.lambda->body, env, f.file, nullptr);
    if (!f.lambda->result) return m;
    bind_members(f.lambda->bindings, m, nullptr, frame);
    return restrict(m, f.lambda->result.get(), env);
  }
  const DModule& d = *f.module_dec;
  if (f.next_param < d.params.size()) {
    Functor next = f;
    next.param = &d.params[f.next_param];
    next.next_param = f.next_param + 1;
    next.env = env;
    return functor_value(std::move(next));
  }
  ValuePtr m = module_exp(*d.body, env, f.file, nullptr);
  if (!d.type) return m;
  bind_members(d.bindings, m, nullptr, frame);
  return restrict(m, d.type.get(), env);
}

ValuePtr Modules::module_var(const QualName& name, const Env& env) {
  ValuePtr v;
  if (name.quals.empty()) {
    v = lookup_term(env, name.name);
  } else {
    v = lookup_term(env, name.quals[0]);
    std::vector<std::string> path(name.quals.begin() + 1, name.quals.end());
    path.push_back(name.name);
    if (v) v = module_at(v, path);
    if (v) {
      auto it = v->module->terms.find(name.name);
      v = it == v->module->terms.end() ? nullptr : it->second;
    }
  }
  SKALD_CHECK(v, "the module {} is not bound", name.name);
  return force(v);
}

ValuePtr Modules::module_exp(const ModExp& m, const Env& env, const std::string& file,
                             Frame* frame) {
  if (const auto* n = std::get_if<MVar>(&m.node)) return module_var(n->name, env);
  if (const auto* n = std::get_if<MParens>(&m.node)) return module_exp(*n->inner, env, file, frame);
  if (const auto* n = std::get_if<MDecs>(&m.node)) {
    Exports out{new_frame(), env, std::make_shared<Module>(), file};
    for (const auto& dec : n->decs) declaration(*dec, out, false);
    return module_value(out.module);
  }
  if (const auto* n = std::get_if<MAscript>(&m.node)) {
    ValuePtr inner = force(module_exp(*n->inner, env, file, frame));
    bind_members(n->bindings, inner, nullptr, frame);
    return restrict(inner, n->type.get(), env);
  }
  if (const auto* n = std::get_if<MLambda>(&m.node)) {
    Functor f;
    f.param = &n->param;
    f.lambda = n;
    f.env = env;
    f.file = file;
    return functor_value(std::move(f));
  }
  if (const auto* n = std::get_if<MApply>(&m.node)) {
    ValuePtr fn = module_exp(*n->fn, env, file, frame);
    ValuePtr arg = module_exp(*n->arg, env, file, frame);
    SKALD_CHECK(fn->kind == Value::kFunctor, "applying a module that is not parametric");
    ValuePtr result = apply_functor(*fn->functor, arg, frame);
    bind_members(n->bindings, result, nullptr, frame);
    return result;
  }
  return imported(std::get<MImport>(m.node).path, file);
}

ValuePtr Modules::imported(const std::string& path, const std::string& from) {
  std::string below = path.starts_with('/') ? join_path("", path.substr(1)) : path;
  for (const std::string& candidate :
       {join_path(from, path), below, std::string(kPrelude) + path}) {
    auto it = files_.find(candidate);
    if (it != files_.end()) return it->second;
  }
  SKALD_BUG("the file {} is not loaded", path);
}

}  // namespace skald::futhark::elab
