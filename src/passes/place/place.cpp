// SPDX-License-Identifier: Apache-2.0
// Decides where every kernel runs and where every array lies.
//
//   before   let {ys_2 : [n_0]i32} =            after   let {ys_2 : [n_0]i32 @device} =
//              kernel(… xs_1[i] …)                        kernel @device(… xs_1[i] …)
//            let {zs_3 : [n_0]i32} =                    let {ys_4 : [n_0]i32} = copy(ys_2)
//              kernel(… call f(ys_2[i]) …)              let {zs_5 : [n_0]i32} =
//            in {zs_3}                                    kernel(… call f.host(ys_4[i]) …)
//                                                       let {zs_3 : [n_0]i32 @device} = copy(zs_5)
//                                                       in {zs_3}
//
// Kernels run on the device, except those that it cannot run (host_only.h).  Arrays lie there too,
// except those that only kernels on the host need (array_classes.h).  An array that is needed
// elsewhere is copied: once, where it is first needed, but before the loops that it does not change
// in.  Host code may read and write single elements of arrays on the device.
//
// Stage    KERNELS, and only for devices with a memory of their own.
// Needs    the last passes that make or merge kernels have run.
// Gives    spaces for all arrays and kernels; functions that kernels on the host call have
// variants. Keeps    everything else. Cost     linear, times the depth of loops for each copy.
// Tests    tests/golden/passes/place/*.core, tests/programs/recursion
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/edit/spaces.h"
#include "core/ir/name_map.h"
#include "core/ir/visit.h"
#include "passes/passes.h"
#include "passes/place/array_classes.h"
#include "passes/place/host_only.h"
#include "support/bug.h"

namespace skald::passes {

using namespace core;

namespace {

class Placer {
 public:
  Placer(Program& prog, Function& fn, PassContext& ctx)
      : prog_(prog), fn_(fn), ctx_(ctx), classes_(fn) {}

  void run() {
    scopes_.emplace_back();
    for (Param& p : fn_.params) bind(p);
    for (Ret& ret : fn_.results)
      if (ret.type.is_array()) ret.type.space = Space::kDevice0;
    place(fn_.body, [&](size_t) { return Space::kDevice0; });
  }

 private:
  // The body that is being written, and what is known in it.
  struct Scope {
    std::vector<Stmt> stmts = {};
    bool is_loop = false;
    NameSet bound = {};            // arrays
    NameMap<Name> elsewhere = {};  // the same arrays in the other space
  };

  bool is_array(const Operand& o) const {
    const Name* name = as_name(o);
    return name != nullptr && types_.contains(*name);
  }

  void bind(Param& p) {
    if (!p.type.is_array()) return;
    p.type.space = classes_.space(p.name, ctx_);
    types_[p.name] = p.type;
    scopes_.back().bound.insert(p.name);
  }

  // The array in that space, copied if need be.
  Name in_space(Name array, Space space) {
    if (types_.at(array).space == space) return array;
    for (size_t k = scopes_.size(); k-- > 0;)
      if (const auto found = scopes_[k].elsewhere.find(array); found != scopes_[k].elsewhere.end())
        return found->second;
    // It does not change in loops around which it is bound.
    size_t at = scopes_.size() - 1;
    for (size_t k = at; k > 0 && !scopes_[k].bound.contains(array); --k)
      if (scopes_[k].is_loop) at = k - 1;
    if (at + 1 < scopes_.size() && !ctx_.may_rewrite("copy before a loop")) at = scopes_.size() - 1;
    const Name copy = prog_.names.fresh_like(array);
    scopes_[at].stmts.push_back(copy_stmt(copy, array, space));
    scopes_[at].elsewhere[array] = copy;
    return copy;
  }

  void explain_copy(Name array, Space space) const {
    if (ctx_.explains())
      ctx_.explain(fmt::format("{} is copied to {}", prog_.names.text(array), space_name(space)));
  }

  Stmt copy_stmt(Name copy, Name array, Space space) {
    explain_copy(array, space);
    Type type = types_.at(array);
    type.space = space;
    return {{{copy, std::move(type)}}, Copy{array}, {}, {}, loc_};
  }

  // `result_space(k)` is where result k must be, if it is an array.
  template <class F>
  void place(Body& body, F&& result_space) {
    std::vector<Stmt> stmts = std::move(body.stmts);
    for (Stmt& stmt : stmts) place(std::move(stmt));
    for (size_t k = 0; k < body.result.size(); ++k)
      if (is_array(body.result[k]))
        body.result[k] = in_space(std::get<Name>(body.result[k]), result_space(k));
    body.stmts = std::move(scopes_.back().stmts);
    scopes_.pop_back();
  }

  void place(Stmt stmt) {
    loc_ = stmt.loc;
    if (as<Kernel>(stmt.exp) != nullptr) return place_kernel(std::move(stmt));
    if (Loop* loop = as<Loop>(stmt.exp)) {
      place_loop(*loop);
    } else if (If* branch = as<If>(stmt.exp)) {
      for (Body* side : {&branch->then_body, &branch->else_body}) {
        scopes_.emplace_back();
        place(*side, [&](size_t k) { return classes_.space(stmt.pat[k].name, ctx_); });
      }
    } else if (const Copy* copy = as<Copy>(stmt.exp)) {
      // The program's own copy may be one from space to space.
      const Space to = classes_.space(stmt.pat[0].name, ctx_);
      if (types_.at(copy->array).space != to) explain_copy(copy->array, to);
    } else {
      place_operands(stmt);
    }
    for (Param& p : stmt.pat) bind(p);
    scopes_.back().stmts.push_back(std::move(stmt));
  }

  void place_loop(Loop& loop) {
    for (LoopParam& p : loop.params)
      if (p.param.type.is_array())
        p.init = in_space(std::get<Name>(p.init), classes_.space(p.param.name, ctx_));
    scopes_.emplace_back().is_loop = true;
    for (LoopParam& p : loop.params) bind(p.param);
    place(loop.body, [&](size_t k) { return loop.params[k].param.type.space; });
  }

  // Calls, views, updates and what makes arrays: operands are where the results are.
  void place_operands(Stmt& stmt) {
    const bool is_call = as<Call>(stmt.exp) != nullptr;
    const bool gives_array = !stmt.pat.empty() && stmt.pat[0].type.is_array();
    if (!is_call && !gives_array) return;
    const Space space = is_call ? Space::kDevice0 : classes_.space(stmt.pat[0].name, ctx_);
    if (ArrayLit* literal = as<ArrayLit>(stmt.exp); literal && literal->row.is_array())
      literal->row.space = space;
    map_operands(stmt.exp, [&](const Operand& o) {
      return is_array(o) ? Operand{in_space(std::get<Name>(o), space)} : o;
    });
  }

  void place_kernel(Stmt stmt) {
    Kernel& kernel = *as<Kernel>(stmt.exp);
    Substitution there;
    for (const Name name : free_names(stmt.exp)) {
      if (!types_.contains(name)) continue;
      const Name same = in_space(name, kernel.space);
      if (!(same == name)) there.emplace(name, same);
    }
    substitute(stmt.exp, there);
    set_space(kernel, kernel.space);
    // Results that are wanted elsewhere.
    const Space space = kernel.space;
    std::vector<std::pair<Name, Name>> moved;
    for (Param& p : stmt.pat) {
      bind(p);
      if (!p.type.is_array() || p.type.space == space) continue;
      const Name made = prog_.names.fresh_like(p.name);
      moved.emplace_back(p.name, made);
      p.name = made;
      p.type.space = space;
      types_[made] = p.type;
      scopes_.back().bound.insert(made);
    }
    Scope& scope = scopes_.back();
    scope.stmts.push_back(std::move(stmt));
    for (const auto& [name, made] : moved) {
      scope.stmts.push_back(copy_stmt(name, made, types_.at(name).space));
      scope.elsewhere[name] = made;
    }
  }

  Program& prog_;
  Function& fn_;
  PassContext& ctx_;
  ArrayClasses classes_;
  std::vector<Scope> scopes_;
  NameMap<Type> types_;
  Loc loc_ = {};
};

// Where the user wrote it, not where the prelude did.
std::string name_of_kernel(const Program& prog, Loc loc) {
  while (prog.locs[loc].caller.index != 0) loc = prog.locs[loc].caller;
  const std::string& place = prog.locs[loc].text;
  return place.empty() ? "a kernel" : "the kernel at " + place;
}

// Says of the kernels in a body where they run, and collects a line for each that stays behind.
void place_kernels(Body& body, const Program& prog, const HostOnly& host_only,
                   std::vector<std::string>& notes) {
  for (Stmt& stmt : body.stmts) {
    Kernel* kernel = as<Kernel>(stmt.exp);
    if (kernel == nullptr) {
      for_each_body(stmt.exp, [&](Body& inner) { place_kernels(inner, prog, host_only, notes); });
      continue;
    }
    const char* why = host_only.why(*kernel);
    kernel->space = why == nullptr ? Space::kDevice0 : Space::kHost;
    if (why == nullptr) continue;
    std::string note = fmt::format("{} runs on the host, one iteration after the other: {}",
                                   name_of_kernel(prog, stmt.loc), why);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
}

}  // namespace

Program place_arrays(Program prog, PassContext& ctx) {
  if (!ctx.device().own_space || prog.stage != Stage::kKernels) return prog;
  std::vector<std::string> notes;
  {
    const HostOnly host_only(prog);
    for (Function& fn : prog.functions) place_kernels(fn.body, prog, host_only, notes);
  }
  for (const std::string& note : notes) {
    ctx.note(note);
    ctx.explain(note);
  }
  for (Function& fn : prog.functions) Placer(prog, fn, ctx).run();
  add_host_variants(prog);
  return prog;
}

}  // namespace skald::passes
