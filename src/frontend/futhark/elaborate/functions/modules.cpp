// SPDX-License-Identifier: Apache-2.0
// Declarations one after the other; each sees those before it.
#include "frontend/futhark/elaborate/functions/modules.h"

namespace skald::futhark::elab {

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
    if (!module.restricted || terms.contains(name)) declare_term(out, name, 0, v, local);
  for (const auto& [name, t] : module.module->types) {
    if (module.restricted && !types.contains(name)) continue;
    out.frame->types[name].emplace_back(out.frame->seq, t);
    if (!local) out.module->types[name] = t;
  }
  if (module.restricted) return;
  for (const auto& [name, t] : module.module->mod_types) {
    out.frame->mod_types[name].emplace_back(out.frame->seq, t);
    if (!local) out.module->mod_types[name] = t;
  }
}

}  // namespace skald::futhark::elab
