// SPDX-License-Identifier: Apache-2.0
#include "passes/simplify/env.h"

#include "core/edit/plain.h"
#include "core/ir/sharing.h"
#include "core/ir/visit.h"

namespace skald::passes::simplify_rules {

using namespace core;

std::shared_ptr<const Exp> copy_of(const Exp& exp) {
  if (holds_code(exp)) return nullptr;
  return std::make_shared<const Exp>(plain_copy(exp));
}

Operand Env::now(const Operand& o) const {
  const Name* name = as_name(o);
  if (name == nullptr) return o;
  const auto found = known_.find(*name);
  return found == known_.end() ? o : found->second;
}

// The value gets the uses of the name.
void Env::set_known(Name name, Operand value) {
  if (const Name* other = as_name(value)) {
    uses_[*other] += uses(name);
    if (is_kept_apart(name)) apart_.insert(*other);
  }
  known_[name] = std::move(value);
}

std::vector<Name> Env::tokens(Name name) const {
  const auto found = tokens_.find(name);
  return found == tokens_.end() ? std::vector<Name>{} : found->second;
}

const Exp* Env::definition(Name name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : found->second.get();
}

const Type* Env::type(Name name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : &found->second;
}

void Env::remember(const Param& param) {
  if (param.type.is_array()) types_[param.name] = param.type;
  blocks_[param.name] = block_;
}

void Env::bind(const Param& param) {
  remember(param);
  if (!param.type.is_array()) return;
  for (const Operand& dim : param.type.shape) facts_.is_size(dim);
}

void Env::know_indices(const std::vector<Name>& inputs, const Lambda& fn) {
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Iota* iota = definition_as<Iota>(inputs[k]);
    if (iota != nullptr && iota->start == Operand{const_int(iota->type, 0)} &&
        iota->step == Operand{const_int(iota->type, 1)} && iota->type == Prim::kI64)
      facts_.is_index(fn.params[k].name, iota->count);
  }
}

namespace {

// Is the class always one of those that there are?
bool is_class(const Operand& cls, const Partition& part, int depth) {
  if (const Const* c = as_const(cls)) return int_value(*c) >= 0 && int_value(*c) < part.classes;
  constexpr int kMaxChoices = 8;
  if (depth > kMaxChoices) return false;
  for (const Stmt& stmt : part.fn.body.stmts) {
    const Select* select = as<Select>(stmt.exp);
    if (select != nullptr && cls == Operand{stmt.pat[0].name})
      return is_class(select->then, part, depth + 1) &&
             is_class(select->otherwise, part, depth + 1);
  }
  return false;
}

bool keeps_all(const Partition& part) {
  return is_class(part.fn.body.result[0], part, 0);
}

}  // namespace

const std::vector<Name>* Env::classes_beside(Name size, const Operand& whole) const {
  const auto found = classes_.find(size);
  if (found == classes_.end() || !(now(found->second->whole) == whole)) return nullptr;
  return &found->second->sizes;
}

// The sizes of what statements bind give no facts: there may have been a check that they rely on.
void Env::define(const Stmt& stmt, std::shared_ptr<const Exp> copy) {
  for (const Param& p : stmt.pat) remember(p);
  const Exp& exp = stmt.exp;
  // Nobody has to check the sizes that these give.
  if (const Partition* part = as<Partition>(exp)) {
    Classes all{part->width, {}};
    for (size_t c = 0; c < static_cast<size_t>(part->classes); ++c) {
      facts_.is_size(stmt.pat[c].name);
      all.sizes.push_back(stmt.pat[c].name);
    }
    if (keeps_all(*part)) {
      const auto shared = std::make_shared<const Classes>(std::move(all));
      for (const Name size : shared->sizes) classes_[size] = shared;
    }
  }
  if (as<FlatMap>(exp) != nullptr) facts_.is_size(stmt.pat[0].name);
  const bool fresh = as<Soac>(exp) || as<Hist>(exp) || as<Scatter>(exp) || as<Partition>(exp) ||
                     as<FlatMap>(exp) || as<Kernel>(exp) || as<Concat>(exp) || as<Copy>(exp) ||
                     as<Update>(exp) || as<Replicate>(exp) || as<Iota>(exp) || as<ArrayLit>(exp);
  if (fresh)
    for (const Param& p : stmt.pat)
      if (p.type.is_array()) fresh_.insert(p.name);
  if (const Call* call = as<Call>(exp)) {
    const auto is_array = [](const Param& p) { return p.type.is_array(); };
    bool own = std::count_if(stmt.pat.begin(), stmt.pat.end(), is_array) == 1;
    for (const Operand& arg : call->args)
      if (const Name* name = as_name(arg); name != nullptr && type(*name) != nullptr)
        own = own && is_fresh(*name) && uses(*name) == 1;
    for (const Param& p : stmt.pat)
      if (own && is_array(p)) unshared_.insert(p.name);
  }
  if (stmt.pat.size() != 1) return;
  const Name name = stmt.pat[0].name;
  if (!stmt.tokens.empty()) tokens_[name] = stmt.tokens;
  if (copy == nullptr) copy = copy_of(exp);
  if (copy == nullptr) return;
  facts_.defined(name, *copy);
  definitions_[name] = std::move(copy);
}

int Env::block_of(Name name) const {
  const auto found = blocks_.find(name);
  return found == blocks_.end() ? -1 : found->second;
}

int Env::uses(Name name) const {
  const auto found = uses_.find(name);
  return found == uses_.end() ? 0 : found->second;
}

void Env::keep_apart(const Operand& o) {
  if (const Name* name = as_name(o)) apart_.insert(*name);
}

void Env::keep_rows_apart(const Exp& exp) {
  size_t arrays = 0, rows = 0;
  for_each_param(exp, [&](const Param& p) { arrays += p.type.is_array() ? 1 : 0; });
  if (arrays == 0) return;
  const auto inputs = [&](const std::vector<Name>& names, const Lambda& fn) {
    for (size_t k = 0; k < names.size(); ++k) {
      if (!fn.params[k].type.is_array()) continue;
      keep_apart(names[k]);
      ++rows;
    }
  };
  for (const AppliedFunction& applied : functions_of(exp))
    if (applied.inputs != nullptr) inputs(*applied.inputs, *applied.fn);
  // Other functions take arrays too: their neutral elements, or anything.
  if (rows != arrays) for_each_operand(exp, [&](const Operand& o) { keep_apart(o); });
}

void Env::count(const Body& body) {
  const auto use = [&](const Operand& o) {
    if (const Name* name = as_name(o)) ++uses_[*name];
  };
  const auto use_type = [&](const Type& type, const auto& self) -> void {
    for (const Operand& dim : type.shape) use(dim);
    for (const Type& elem : type.acc_elems) self(elem, self);
  };
  for (const Stmt& stmt : body.stmts) {
    for_each_operand(stmt.exp, use);
    for (const Name token : stmt.tokens) ++uses_[token];
    for (const Param& p : stmt.pat) {
      use_type(p.type, use_type);
      for (const MemLoc& loc : p.mem) {
        ++uses_[loc.block];
        use(loc.offset);
        for (const Operand& stride : loc.strides) use(stride);
      }
    }
    if (const auto* e = as<Update>(stmt.exp)) {
      keep_apart(e->array);
      keep_apart(e->value);
    } else if (const auto* e = as<FlatUpdate>(stmt.exp)) {
      keep_apart(e->array);
      keep_apart(e->value);
    } else if (const auto* e = as<Copy>(stmt.exp)) {
      // It may take the place of its copy.
      keep_apart(e->array);
    } else if (const auto* e = as<Concat>(stmt.exp); e != nullptr && e->arrays.size() == 1) {
      // Becomes a copy.
      keep_apart(e->arrays[0]);
    } else if (const auto* e = as<Call>(stmt.exp)) {
      for (const Operand& arg : e->args) keep_apart(arg);
    } else if (const auto* e = as<Loop>(stmt.exp)) {
      for (const LoopParam& p : e->params) keep_apart(p.init);
    } else if (is_view(stmt.exp)) {
      // A view may be consumed in the name of its source.
      if (!stmt.pat.empty() && stmt.pat[0].type.is_array())
        for_each_operand(stmt.exp, [&](const Operand& o) { keep_apart(o); });
    } else {
      for (const Operand& o : consumed_by(stmt.exp, nullptr)) keep_apart(o);
    }
    // Rows of an input may be consumed.
    keep_rows_apart(stmt.exp);
    for_each_body(stmt.exp, [&](const Body& inner) { count(inner); });
  }
  for (const Operand& o : body.result) {
    use(o);
    keep_apart(o);
  }
}

namespace {

bool cannot_fail(const Body& body, Env& env) {
  for (const Stmt& stmt : body.stmts) {
    const Loop* loop = as<Loop>(stmt.exp);
    const Call* call = as<Call>(stmt.exp);
    bool total = as<Assert>(stmt.exp) == nullptr && as<Opaque>(stmt.exp) == nullptr &&
                 (loop == nullptr || loop->form == Loop::kFor) &&
                 (call == nullptr || env.is_total_constant(call->fn));
    for_each_body(stmt.exp, [&](const Body& inner) { total = total && cannot_fail(inner, env); });
    if (!total) return false;
  }
  return true;
}

}  // namespace

bool Env::is_total_constant(const std::string& fn) {
  // While it is looked at it counts as one that may fail: recursion ends here.
  const auto [known, is_new] = total_constants_.emplace(fn, false);
  if (!is_new) return known->second;
  const Function* callee = prog_.find(fn);
  if (callee == nullptr || !callee->params.empty() || !callee->hints.once) return false;
  const bool total = cannot_fail(callee->body, *this);
  return total_constants_[fn] = total;
}

void Env::count_uses(const Function& fn) {
  uses_.clear();
  apart_.clear();
  count(fn.body);
  const auto use_type = [&](const Type& type) {
    for (const Operand& dim : type.shape)
      if (const Name* name = as_name(dim)) ++uses_[*name];
  };
  for (const Param& p : fn.params) use_type(p.type);
  for (const Ret& r : fn.results) use_type(r.type);
}

Stmt Env::make(Type type, Exp exp, std::string_view base, Loc loc, Name* name) {
  *name = prog_.names.fresh(base);
  Stmt stmt{{}, std::move(exp), {}, {}, loc};
  stmt.pat.push_back({*name, std::move(type)});
  return stmt;
}

}  // namespace skald::passes::simplify_rules
