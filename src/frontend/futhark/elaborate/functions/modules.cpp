// SPDX-License-Identifier: Apache-2.0
// Declarations one after the other; each sees those before it.
#include "frontend/futhark/elaborate/functions/modules.h"

namespace skald::futhark::elab {

namespace {

constexpr std::string_view kPrelude = "/prelude/";

// "a/b" and "../c/d" give "c/d".
std::string join_path(const std::string& from, const std::string& path) {
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

ValuePtr module_value(std::shared_ptr<Module> module) {
  Value v;
  v.kind = Value::kModule;
  v.module = std::move(module);
  return std::make_shared<const Value>(std::move(v));
}

ValuePtr functor_value(Functor f) {
  Value v;
  v.kind = Value::kFunctor;
  v.functor = std::make_shared<const Functor>(std::move(f));
  return std::make_shared<const Value>(std::move(v));
}

}  // namespace

std::shared_ptr<Frame> Modules::new_frame() {
  frames_.push_back(std::make_shared<Frame>());
  return frames_.back();
}

Modules::~Modules() {
  // Frames hold closures, which hold environments, which hold frames.
  for (auto& frame : frames_) {
    frame->terms.clear();
    frame->types.clear();
    frame->mod_types.clear();
    frame->term_ids.clear();
    frame->type_ids.clear();
  }
}

std::vector<Modules::Entry> Modules::load_files(const CheckedProgram& checked,
                                                const std::vector<std::string>& names) {
  std::vector<Entry> entries;
  auto prelude = new_frame();
  Exports opened{prelude, nullptr, std::make_shared<Module>(), ""};
  for (const auto& file : checked.files) {
    Exports out{new_frame(), enter_frame(nullptr, prelude, prelude->seq),
                std::make_shared<Module>(), file->import_path};
    for (const auto& dec : file->ast.decs) {
      const Env before = out.now();
      declaration(*dec, out, false);
      const auto* def = std::get_if<DVal>(&dec->node);
      if (!def || file != checked.files.back()) continue;
      bool wanted = def->is_entry || def->name.name == "main";
      for (const auto& name : names) wanted = wanted || name == def->name.name;
      // What is declared further down means nothing here.
      const Env& sees = def->sees_itself ? out.now() : before;
      if (wanted) entries.push_back({def, dec.get(), sees});
    }
    ValuePtr module = module_value(out.module);
    files_[file->import_path] = module;
    if (file->import_path == "/prelude/prelude") {
      ++prelude->seq;
      open_module(*module, opened, true);
    }
  }
  return entries;
}

Env Modules::open_in(const ValuePtr& module, const Env& env) {
  Exports out{new_frame(), env, std::make_shared<Module>(), ""};
  open_module(*module, out, true);
  return out.now();
}

void Modules::declare_term(Exports& out, const std::string& name, uint32_t id, ValuePtr v,
                           bool local) {
  if (id) {
    out.frame->term_ids[id] = v;
    ids_.add_term(id, v);
  }
  if (!local) out.module->terms[name] = v;
  out.frame->terms[name].emplace_back(out.frame->seq, std::move(v));
}

void Modules::declare_value(const Dec& dec, const DVal& d, Exports& out, bool local) {
  Env before = out.now();
  ++out.frame->seq;
  if (d.params.empty()) {
    Value v;
    v.kind = Value::kLazy;
    Lazy lazy;
    lazy.constant = &d;
    lazy.dec = &dec;
    lazy.env = before;
    v.lazy = std::make_shared<const Lazy>(std::move(lazy));
    declare_term(out, d.name.name, d.name.id, std::make_shared<const Value>(std::move(v)), local);
  } else {
    // The function sees itself, unless it was found to mean an earlier one.
    Closure c;
    c.code = Closure::kDef;
    c.def = &d;
    c.dec = &dec;
    c.env = d.sees_itself ? out.now() : before;
    declare_term(out, d.name.name, d.name.id, closure_value(std::move(c)), local);
  }
}

void Modules::declare_type(const DType& d, Exports& out, bool local) {
  TypeBinding binding;
  for (const auto& p : d.params) binding.params.push_back(&p);
  binding.type = d.type;
  binding.env = out.now();
  ++out.frame->seq;
  if (d.name.id) out.frame->type_ids[d.name.id] = binding;
  if (!local) out.module->types[d.name.name] = binding;
  out.frame->types[d.name.name].emplace_back(out.frame->seq, std::move(binding));
}

void Modules::declare_module(const DModule& d, Exports& out, bool local) {
  Env before = out.now();
  ++out.frame->seq;
  ValuePtr value;
  if (!d.params.empty()) {
    Functor f;
    f.param = &d.params[0];
    f.module_dec = &d;
    f.next_param = 1;
    f.env = before;
    f.file = out.file;
    value = functor_value(std::move(f));
  } else {
    Value v;
    v.kind = Value::kLazy;
    Lazy lazy;
    lazy.module = d.body.get();
    lazy.module_dec = &d;
    lazy.env = before;
    lazy.file = out.file;
    v.lazy = std::make_shared<const Lazy>(std::move(lazy));
    value = std::make_shared<const Value>(std::move(v));
    if (!out.file.starts_with(kPrelude)) {
      value = module_exp(*d.body, before, out.file, out.frame.get());
      bind_members(d.bindings, value, nullptr, out.frame.get());
      if (d.type) value = restrict(value, d.type.get(), before);
    }
  }
  declare_term(out, d.name.name, d.name.id, value, local);
}

void Modules::declaration(const Dec& dec, Exports& out, bool local) {
  if (const auto* d = std::get_if<DLocal>(&dec.node)) {
    declaration(*d->inner, out, true);
    return;
  }
  if (const auto* d = std::get_if<DVal>(&dec.node)) return declare_value(dec, *d, out, local);
  if (const auto* d = std::get_if<DType>(&dec.node)) return declare_type(*d, out, local);
  if (const auto* d = std::get_if<DModType>(&dec.node)) {
    auto entry = std::make_pair(static_cast<const ModTypeExp*>(d->body.get()), out.now());
    ++out.frame->seq;
    if (!local) out.module->mod_types[d->name.name] = entry;
    out.frame->mod_types[d->name.name].emplace_back(out.frame->seq, std::move(entry));
    return;
  }
  if (const auto* d = std::get_if<DModule>(&dec.node)) return declare_module(*d, out, local);
  if (const auto* d = std::get_if<DOpen>(&dec.node)) {
    ValuePtr module = force(module_exp(*d->module, out.now(), out.file, out.frame.get()));
    ++out.frame->seq;
    open_module(*module, out, local);
    return;
  }
  const auto& d = std::get<DImport>(dec.node);
  ValuePtr module = imported(d.path, out.file);
  ++out.frame->seq;
  open_module(*module, out, true);
}

void Modules::open_module(const Value& module, Exports& out, bool local) {
  SKALD_CHECK(module.kind == Value::kModule, "opening something that is no module");
  std::set<std::string> terms, types;
  if (module.restricted) names_of(*module.restricted, module.restricted_env, terms, types);
  for (const auto& [name, v] : module.module->terms)
    if (!module.restricted || terms.count(name)) declare_term(out, name, 0, v, local);
  for (const auto& [name, t] : module.module->types) {
    if (module.restricted && !types.count(name)) continue;
    out.frame->types[name].emplace_back(out.frame->seq, t);
    if (!local) out.module->types[name] = t;
  }
  if (module.restricted) return;
  for (const auto& [name, t] : module.module->mod_types) {
    out.frame->mod_types[name].emplace_back(out.frame->seq, t);
    if (!local) out.module->mod_types[name] = t;
  }
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
