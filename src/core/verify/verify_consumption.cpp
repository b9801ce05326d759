// SPDX-License-Identifier: Apache-2.0
// Consumption: nothing uses an array after it was consumed.
//
// Every array has *roots*: the names that its memory may first have been bound to.  A new array is
// its own root; a view (value, opaque, index, flat_index, reshape, rearrange) has the roots of its
// source; the result of a branch has those of both sides that exist outside; a result of a call
// that is not unique may be a view of any argument that the call does not consume.  Consuming an
// array marks its roots, and using an array with a marked root is a problem.
//
//   consume   update, flat_update, destinations of scatter, hist and kernels, arrays of with_acc,
//             arguments for unique parameters of functions, initial values of unique parameters of
//             loops; and an input of a SOAC whose rows are consumed inside
//   may not   parameters of functions and loops that are not unique; arrays from outside a body
//   that
//             runs several times (of loops and lambdas)
//
// In doubt a program is accepted: results of SOACs count as new arrays.
#include "core/ir/sharing.h"
#include "core/ir/visit.h"
#include "core/verify/verifier.h"

namespace skald::core::detail {

namespace {

using Roots = std::vector<Name>;

class Consumption {
 public:
  Consumption(const Program& prog, Problems& problems) : prog_(prog), problems_(problems) {
    for (const Function& fn : prog.functions) functions_.emplace(fn.name, &fn);
  }

  void function(const Function& fn) {
    problems_.function = &fn;
    for (const Param& p : fn.params)
      add_root(p, p.unique ? Consumable::kYes : Consumable::kNotUnique);
    body(fn.body);
    problems_.stmt = nullptr;
    roots_.clear();
    root_info_.clear();
    consumed_.clear();
  }

 private:
  enum class Consumable : uint8_t { kYes, kNotUnique };
  struct RootInfo {
    // How many repeated bodies are around the binding.
    int level;
    Consumable consumable;
    // Grows with every root: tells inner roots from outer ones.
    size_t serial;
  };

  std::string text(Name name) const { return prog_.names.text(name); }

  void add_root(const Param& param, Consumable consumable = Consumable::kYes) {
    if (!param.type.is_array()) return;
    roots_[param.name] = {param.name};
    root_info_[param.name] = {level_, consumable, serial_++};
  }
  void add_view(const Param& param, Roots roots) {
    if (!param.type.is_array()) return;
    if (roots.empty())
      add_root(param);
    else
      roots_[param.name] = std::move(roots);
  }
  const Roots& roots_of(const Operand& o) const {
    static const Roots kNone;
    const Name* name = as_name(o);
    if (!name) return kNone;
    const auto found = roots_.find(*name);
    return found == roots_.end() ? kNone : found->second;
  }
  bool overlap(const Operand& a, const Operand& b) const {
    for (Name root : roots_of(a))
      for (Name other : roots_of(b))
        if (root == other) return true;
    return false;
  }

  void use(const Operand& o) {
    for (Name root : roots_of(o)) {
      if (!consumed_.contains(root)) continue;
      if (root == *as_name(o))
        problems_.add("{} is used after it was consumed", text(root));
      else
        problems_.add("{} is used after {}, with which it may share memory, was consumed",
                      text(*as_name(o)), text(root));
      return;
    }
  }

  void consume(const Operand& o) {
    for (Name root : roots_of(o)) {
      const RootInfo& info = root_info_.at(root);
      if (info.consumable == Consumable::kNotUnique)
        problems_.add("consumes {}, which is not unique", text(root));
      else if (info.level < level_)
        problems_.add("consumes {}, which is bound outside of a body that runs several times",
                      text(root));
      consumed_.insert(root);
    }
  }

  // The roots of a body's result that exist outside of it.
  Roots outer_roots(const Operand& result, size_t serial_outside) const {
    Roots outer;
    for (Name root : roots_of(result))
      if (root_info_.at(root).serial < serial_outside) outer.push_back(root);
    return outer;
  }
  static void join(Roots& to, const Roots& from) {
    for (Name root : from)
      if (std::find(to.begin(), to.end(), root) == to.end()) to.push_back(root);
  }

  void body(const Body& body) {
    for (const Stmt& s : body.stmts) {
      if (problems_.full()) return;
      stmt(s);
    }
    for (const Operand& o : body.result) use(o);
  }

  void stmt(const Stmt& stmt) {
    const Stmt* outer = problems_.stmt;
    problems_.stmt = &stmt;
    for_each_operand(stmt.exp, [&](const Operand& o) { use(o); });
    exp(stmt);
    for (const Param& p : stmt.pat)
      if (!roots_.contains(p.name)) add_root(p);
    problems_.stmt = outer;
  }

  void exp(const Stmt& stmt) {
    if (const std::optional<Operand> source = view_of(stmt.exp)) return view(stmt, *source);
    if (const auto* e = as<Update>(stmt.exp)) return update(e->array, e->value);
    if (const auto* e = as<FlatUpdate>(stmt.exp)) return update(e->array, e->value);
    if (const auto* e = as<If>(stmt.exp)) return branch(stmt, *e);
    if (const auto* e = as<Loop>(stmt.exp)) return loop(stmt, *e);
    if (const auto* e = as<Call>(stmt.exp)) return call(stmt, *e);
    const std::vector<AppliedFunction> functions = functions_of(stmt.exp);
    for (const Operand& dest : consumed_by(stmt.exp, nullptr)) {
      for (const AppliedFunction& applied : functions) keep_apart(dest, applied.inputs);
      consume(dest);
    }
    for (const AppliedFunction& applied : functions) apply(applied);
  }

  void view(const Stmt& stmt, const Operand& source) {
    for (const Param& p : stmt.pat) add_view(p, roots_of(source));
  }

  void update(Name array, const Operand& value) {
    if (overlap(array, value))
      problems_.add("the value {} may share memory with {}", text(*as_name(value)), text(array));
    consume(array);
  }

  void branch(const Stmt& stmt, const If& e) {
    const size_t outside = serial_;
    const std::unordered_set<Name> before = consumed_;
    std::vector<Roots> results(stmt.pat.size());
    std::unordered_set<Name> after = before;
    for (const Body* side : {&e.then_body, &e.else_body}) {
      consumed_ = before;
      body(*side);
      problems_.stmt = &stmt;
      after.insert(consumed_.begin(), consumed_.end());
      for (size_t i = 0; i < results.size() && i < side->result.size(); ++i)
        join(results[i], outer_roots(side->result[i], outside));
    }
    consumed_ = std::move(after);
    for (size_t i = 0; i < results.size(); ++i) {
      // A result built from what the branches consumed is a new array.
      std::erase_if(results[i], [&](Name root) { return consumed_.contains(root); });
      add_view(stmt.pat[i], std::move(results[i]));
    }
  }

  void loop(const Stmt& stmt, const Loop& e) {
    const size_t outside = serial_;
    for (const Operand& init : consumed_by(stmt.exp, nullptr)) consume(init);
    ++level_;
    for (const LoopParam& p : e.params)
      add_root(p.param, p.param.unique ? Consumable::kYes : Consumable::kNotUnique);
    body(e.body);
    problems_.stmt = &stmt;
    --level_;
    for (size_t i = 0; i < e.params.size() && i < stmt.pat.size(); ++i) {
      if (e.params[i].param.unique) continue;
      Roots roots = roots_of(e.params[i].init);
      join(roots, outer_roots(e.body.result[i], outside));
      add_view(stmt.pat[i], std::move(roots));
    }
  }

  void call(const Stmt& stmt, const Call& e) {
    const auto fn = functions_.find(e.fn);
    if (fn == functions_.end()) return;
    const std::vector<Param>& params = fn->second->params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (!params[i].unique) continue;
      for (size_t k = 0; k < e.args.size(); ++k)
        if (k != i && overlap(e.args[i], e.args[k]))
          problems_.add("the argument {} is consumed and may share memory with another one",
                        text(*as_name(e.args[i])));
    }
    for (const Operand& arg : consumed_by(stmt.exp, fn->second)) consume(arg);
    Roots shared;
    for (size_t i = 0; i < params.size(); ++i)
      if (!params[i].unique) join(shared, roots_of(e.args[i]));
    const std::vector<Ret>& results = fn->second->results;
    for (size_t i = 0; i < results.size() && i < stmt.pat.size(); ++i)
      if (!results[i].unique) add_view(stmt.pat[i], shared);
  }

  // What is written to must not be read row by row.
  void keep_apart(const Operand& dest, const std::vector<Name>* inputs) {
    if (inputs == nullptr) return;
    for (Name input : *inputs)
      if (overlap(dest, input))
        problems_.add("the input {} may share memory with the destination {}", text(input),
                      text(*as_name(dest)));
  }

  void apply(const AppliedFunction& applied) {
    const Lambda& fn = *applied.fn;
    const Stmt* stmt = problems_.stmt;
    if (!applied.once) {
      ++level_;
      for (const Param& p : fn.params) add_root(p);
    }
    body(fn.body);
    problems_.stmt = stmt;
    if (!applied.once) --level_;
    if (applied.inputs == nullptr) return;
    for (size_t i = 0; i < applied.inputs->size() && i < fn.params.size(); ++i)
      if (consumed_.contains(fn.params[i].name)) consume((*applied.inputs)[i]);
  }

  const Program& prog_;
  Problems& problems_;
  std::unordered_map<std::string_view, const Function*> functions_;
  std::unordered_map<Name, Roots> roots_;
  std::unordered_map<Name, RootInfo> root_info_;
  std::unordered_set<Name> consumed_;
  int level_ = 0;
  size_t serial_ = 0;
};

}  // namespace

void check_consumption(const Program& prog, Problems& problems) {
  Consumption checker(prog, problems);
  for (const Function& fn : prog.functions) checker.function(fn);
  problems.function = nullptr;
}

}  // namespace skald::core::detail
