// SPDX-License-Identifier: Apache-2.0
// Modules: declarations, opening, ascription, parametric modules, files.
//
// Modules of the prelude are evaluated when first used, all others where they stand.
//
//   modules.cpp      files and declarations
//   module_exps.cpp  module expressions, module types
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/check.h"
#include "frontend/futhark/elaborate/values/known_ids.h"

namespace skald::futhark::elab {

// Where the files of the prelude lie.
inline constexpr std::string_view kPrelude = "/prelude/";

class Modules {
 public:
  explicit Modules(KnownIds& ids) : ids_(ids) {}
  ~Modules();
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  // A definition that the outside may call, with what it sees.
  struct Entry {
    const DVal* def;
    const Dec* dec;
    Env env;
  };
  // All declarations of all files.  Gives the entry points of the last one; `names`: further ones.
  std::vector<Entry> load_files(const CheckedProgram& checked,
                                const std::vector<std::string>& names);
  // A module of the prelude is evaluated now, if it was not before.
  ValuePtr force(const ValuePtr& v);
  // The environment with the members of a module.
  Env open_in(const ValuePtr& module, const Env& env);

 private:
  // What a file or a module declares.
  struct Exports {
    std::shared_ptr<Frame> frame;
    Env outer;
    std::shared_ptr<Module> module;
    std::string file;

    Env now() const { return enter_frame(outer, frame, frame->seq); }
  };
  void declaration(const Dec& dec, Exports& out, bool local);
  void declare_value(const Dec& dec, const DVal& d, Exports& out, bool local);
  void declare_type(const DType& d, Exports& out, bool local);
  void declare_module(const DModule& d, Exports& out, bool local);
  void declare_term(Exports& out, const std::string& name, uint32_t id, ValuePtr v, bool local);
  void open_module(const Value& module, Exports& out, bool local);
  // `frame`: of the declarations that will see what is bound here.
  ValuePtr module_exp(const ModExp& m, const Env& env, const std::string& file, Frame* frame);
  ValuePtr module_var(const QualName& name, const Env& env);
  ValuePtr apply_functor(const Functor& f, const ValuePtr& arg, Frame* frame);
  ValuePtr imported(const std::string& path, const std::string& from);
  Env bind_members(const std::vector<ModBinding>& bindings, const ValuePtr& module, Env env,
                   Frame* frame);
  // The module in which the last step of a path is found.
  ValuePtr module_at(const ValuePtr& module, const std::vector<std::string>& path);
  void names_of(const ModTypeExp& mt, const Env& env, std::set<std::string>& terms,
                std::set<std::string>& types, int depth = 0);
  ValuePtr restrict(ValuePtr module, const ModTypeExp* mt, const Env& env);
  std::shared_ptr<Frame> new_frame();

  KnownIds& ids_;
  std::vector<std::shared_ptr<Frame>> frames_;       // emptied at the end: they are part of cycles
  std::unordered_map<std::string, ValuePtr> files_;  // import path → module
};

}  // namespace skald::futhark::elab
