// SPDX-License-Identifier: Apache-2.0
// Building functions of core.
#include "frontend/futhark/elaborate/functions/core_functions.h"

#include <algorithm>
#include <cctype>
#include <functional>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/elaborate/code/attributes.h"
#include "frontend/futhark/elaborate/code/blocks.h"
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/functions/instances.h"
#include "frontend/futhark/elaborate/types/patterns.h"
#include "frontend/futhark/elaborate/values/accs.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

namespace {

// Functions that made more names than this when inlined are called from then on.
constexpr size_t kInlineLimit = 400;

bool contains_static(const Value& v) {
  if (v.kind == Value::kRecord) {
    for (const auto& field : v.fields)
      if (contains_static(*field.second)) return true;
    return false;
  }
  return v.kind != Value::kDyn;
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

bool CoreFunctions::wants_function(const Closure& c, const std::vector<ValuePtr>& args) {
  const DVal& def = *c.def;
  auto [it, fresh] = recursive_.try_emplace(&def, false);
  // A textual occurrence of the own name is enough: being wrong costs an inlining.
  if (fresh) it->second = mentions(*def.body, def.name);
  if (it->second) return true;
  if (def.result_type && contains_arrow(*def.result_type)) return false;
  for (const auto& arg : args)
    if (contains_static(*arg) || contains_acc(*arg)) return false;
  const core::Inlining asked = c.dec ? inlining_of(c.dec->attrs) : core::Inlining::kFree;
  if (asked != core::Inlining::kFree) return asked == core::Inlining::kNever;
  auto cost = inline_cost_.find(&def);
  return cost != inline_cost_.end() && cost->second > kInlineLimit;
}

void CoreFunctions::note_inlined(const DVal& def, size_t cost) {
  size_t& known = inline_cost_[&def];
  known = std::max(known, cost);
}

std::string CoreFunctions::function_name(const std::string& base) {
  std::string clean;
  for (char ch : base)
    clean += std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' ? ch : '_';
  if (clean.empty() || std::isdigit(static_cast<unsigned char>(clean[0]))) clean = "f" + clean;
  int& n = names_used_[clean];
  return n++ == 0 ? clean : fmt::format("{}_{}", clean, n);
}

// Sizes known only inside become further results: replaces each by a fresh name.
static RepPtr with_result_sizes(Code& code, const RepPtr& rep,
                                const std::unordered_set<Name>& inner, std::vector<Name>& sizes,
                                std::vector<Operand>& values) {
  return map_dims(rep, [&](const Dim& dim) {
    Dim d = dim;
    const Name* name = core::as_name(*d.op);
    if (!name || !inner.contains(*name)) return d;
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] == Operand(*name)) {
        d.op = sizes[i];
        return d;
      }
    values.emplace_back(*name);
    sizes.push_back(code.fresh("size"));
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

void finish_function(Code& code, core::Function& fn, CoreFn& info, Block body,
                     const std::vector<bool>& unique) {
  RepPtr rep = rep_of(*body.value);
  std::vector<Name> sizes;
  std::vector<Operand> size_values;
  if (info.declared) {
    // A recursive call has promised a shape in terms of parameters and of `result_sizes`.
    sizes = info.result_sizes;
    size_values.assign(sizes.size(), core::const_i64(0));
    std::vector<bool> have(sizes.size(), false);
    RepPtr target = zip_dims(info.declared, rep, [&](const Dim& dim, const Dim* got) {
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
    code.extend(body, [&] { return coerce(code, body.value, target, {}); });
    info.result = info.declared;
  } else {
    std::unordered_set<Name> inner = bound_names(body);
    for (const auto& p : body.params) inner.erase(p.name);
    for (const auto& stmt : code.function()->prologue)
      for (const auto& p : stmt.pat) inner.insert(p.name);
    info.result = with_result_sizes(code, rep, inner, sizes, size_values);
    info.result_sizes = sizes;
  }
  // A result promised to be fresh must not be shared with anybody.
  code.extend(body, [&] {
    RepPtr r = rep_of(*body.value);
    std::vector<Operand> leaves = leaves_of(*body.value);
    std::vector<core::Type> types = leaf_types(*r);
    for (size_t i = 0; i < leaves.size(); ++i)
      if (i < unique.size() && unique[i] && types[i].is_array() &&
          code.sharing().is_shared(std::get<Name>(leaves[i])))
        leaves[i] = code.emit1(types[i], core::Copy{std::get<Name>(leaves[i])}, "copy");
    return make_value(r, leaves);
  });
  std::vector<core::Stmt> stmts = std::move(code.function()->prologue);
  for (auto& stmt : body.stmts) stmts.push_back(std::move(stmt));
  std::vector<Operand> result = size_values;
  append_leaves(*body.value, result);
  fn.body = core::Body(std::move(stmts), std::move(result));
  for (Name size : sizes) fn.results.push_back({size, core::scalar_type(Prim::kI64)});
  std::vector<core::Type> types = leaf_types(*info.result);
  for (size_t i = 0; i < types.size(); ++i)
    fn.results.push_back({{}, types[i], i < unique.size() && unique[i] && types[i].is_array()});
}

// Parameters: one for each size that occurs, then the leaves.  Gives the arguments as seen inside.
std::vector<ValuePtr> CoreFunctions::make_params(const DVal& def, const std::vector<ValuePtr>& args,
                                                 CoreFn& info, std::vector<core::Param>& params) {
  std::vector<Operand> dims;
  for (const auto& arg : args) rep_key(*rep_of(*arg), dims, info.generic);
  for (size_t i = 0; i < dims.size(); ++i) {
    info.size_params.push_back(code_.fresh("n"));
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
      core::Param p{code_.fresh(base), types[i], unique[i] && types[i].is_array()};
      leaves.emplace_back(p.name);
      info.leaf_params.push_back(p);
      params.push_back(p);
    }
    return make_value(rep, leaves);
  };
  for (size_t i = 0; i < args.size(); ++i)
    inner_args.push_back(parameter(args[i], def.params[i]->type, pattern_base(*def.params[i])));
  return inner_args;
}

// What closures captured is passed along.
void CoreFunctions::pass_captured(core::Function& fn, CoreFn& info) {
  std::unordered_set<Name> free = core::free_names(fn.body);
  for (const auto& ret : fn.results)
    for (const auto& d : ret.type.shape)
      if (const Name* n = core::as_name(d)) free.insert(*n);
  for (const auto& p : fn.params) free.erase(p.name);
  for (const auto& ret : fn.results) free.erase(ret.name);
  std::vector<Name> captured(free.begin(), free.end());
  std::sort(captured.begin(), captured.end());
  // Types of captured arrays may mention more names.
  std::vector<std::pair<Name, core::Type>> extra;
  for (size_t i = 0; i < captured.size(); ++i) {
    std::optional<core::Type> type = code_.type_of(captured[i]);
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
    Name fresh = code_.program().names.fresh_like(name);
    lifted[name] = fresh;
    own.emplace_back(fresh);
    info.captured.emplace_back(name);
  }
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
}

bool CoreFunctions::build(const Closure& c, const Env& outer, const std::vector<ValuePtr>& args,
                          CoreFn& info) {
  const DVal& def = *c.def;
  core::Function fn;
  fn.name = info.name;
  fn.loc = code_.place(def.name.span);
  if (c.dec) fn.hints.inlining = inlining_of(c.dec->attrs);

  std::vector<ValuePtr> inner_args = make_params(def, args, info, fn.params);

  {
    // The body, in a world of its own.
    const Code::InFunction in_function(code_, fn.loc);
    FoundSizes outer_sizes = ids_.exchange_sizes({});
    Block body = code_.block(fn.params, [&] {
      return evaluator_.exp(*def.body, bind_params(types_, def, inner_args, outer));
    });
    ids_.exchange_sizes(std::move(outer_sizes));
    RepPtr rep = rep_of(*body.value);
    if (!is_first_order(*rep)) return false;
    finish_function(code_, fn, info, std::move(body), unique_leaves(def.result_type, rep));
  }
  pass_captured(fn, info);
  code_.program().functions.push_back(std::move(fn));
  return true;
}

}  // namespace skald::futhark::elab
