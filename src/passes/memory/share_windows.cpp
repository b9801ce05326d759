// SPDX-License-Identifier: Apache-2.0
// Parts of arrays that go through calls, loops and branches become the whole array and a start.
//
//   before   fun f (n : i64, xs : [n]i32) =        after   fun f (n, size, all : [size]i32, start)
//   =
//              …                                             let {xs} = all[start for n]
//              let {part} = xs[m for k]                      …
//              let {r} = call f(k, part)                     let {at} = start + m
//                                                            let {r} = call f(k, size, all, at)
//
// Without it every call copies its part (plan-memory), and a search that halves an array takes as
// many steps as the array has elements.  Parameters of a function change if it calls itself with a
// part, or others do and it hands on nothing else; those of loops if every round makes a part of
// the same array; results of branches if both sides take them from one array.
//
// Stage    KERNELS.
// Needs    consumption rules hold; places of arrays are decided (`place`).
// Gives    calls, loops and branches that copy less.
// Keeps    results and checks; parameters that are consumed; entry points.
// Cost     linear in the size of the program, times the depth of loops that turn out otherwise.
// Tests    tests/golden/passes/share_windows/*.core, tests/programs/windows
#include "core/edit/builder.h"
#include "core/ir/visit.h"
#include "passes/memory/windows.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

class WindowSharing {
 public:
  WindowSharing(Program& prog, PassContext& ctx, const Function& fn, const WindowParams& wanted)
      : prog_(prog),
        windows_(fn),
        wanted_(wanted),
        shares_(ctx.may_rewrite("branches and loops of a function")) {}

  void function(Function& fn) {
    std::vector<Stmt> heads;
    const auto found = wanted_.find(fn.name);
    if (found != wanted_.end()) {
      std::vector<Param> params;
      for (size_t k = 0; k < fn.params.size(); ++k) {
        if (found->second[k])
          split(fn.params[k], params, heads);
        else
          params.push_back(std::move(fn.params[k]));
      }
      fn.params = std::move(params);
    }
    body(fn.body, std::move(heads));
  }

 private:
  // Where an array begins in its base, as a sum.
  using Terms = std::vector<Operand>;
  struct Place {
    Name base;
    Terms start;
  };

  Place place(Name array) const {
    const auto found = places_.find(array);
    return found == places_.end() ? Place{array, {}} : found->second;
  }
  const Type& type(Name array) const {
    const auto found = types_.find(array);
    return found == types_.end() ? windows_.type(array) : found->second;
  }
  Operand start(Builder& out, Name array) const {
    Operand sum = const_i64(0);
    for (const Operand& term : place(array).start) sum = out.size_add(sum, term);
    return sum;
  }

  Stmt slice(Param window, Name base, Name from, Loc loc) {
    std::vector<DimSlice> dims = {{false, from, window.type.shape[0]}};
    for (size_t k = 1; k < window.type.shape.size(); ++k)
      dims.push_back({false, const_i64(0), window.type.shape[k]});
    places_[window.name] = {base, {from}};
    return {{std::move(window)}, Index{base, std::move(dims)}, {}, {}, loc};
  }
  Param start_param(Name array) {
    return {prog_.names.fresh(fmt::format("{}_start", prog_.names.base(array))),
            scalar_type(Prim::kI64)};
  }

  // A parameter that becomes a base, its size and a start.
  void split(Param& param, std::vector<Param>& params, std::vector<Stmt>& heads) {
    const Param size{prog_.names.fresh("size"), scalar_type(Prim::kI64)};
    Param base{prog_.names.fresh_like(param.name), param.type};
    base.type.shape[0] = size.name;
    types_[base.name] = base.type;
    const Param from = start_param(param.name);
    params.push_back(size);
    params.push_back(base);
    params.push_back(from);
    heads.push_back(slice(std::move(param), base.name, from.name, {}));
  }

  void body(Body& body, std::vector<Stmt> heads = {}) {
    Builder out(prog_);
    for (Stmt& head : heads) out.append(std::move(head));
    const std::vector<Operand> results = body.result;
    for (Stmt& each : body.stmts) stmt(out, std::move(each));
    body = out.finish(results);
  }

  void stmt(Builder& out, Stmt stmt) {
    out.set_loc(stmt.loc);
    WindowStep step;
    if (is_window_step(stmt, windows_, step)) {
      Place from = place(step.array);
      if (!(step.start == Operand{const_i64(0)})) from.start.push_back(step.start);
      places_[stmt.pat[0].name] = std::move(from);
      return out.append(std::move(stmt));
    }
    if (as<If>(stmt.exp) != nullptr) return branch(out, std::move(stmt));
    if (as<Loop>(stmt.exp) != nullptr) return loop(out, std::move(stmt));
    if (Call* node = as<Call>(stmt.exp)) call(out, *node);
    for_each_body(stmt.exp, [&](Body& inner) { body(inner); });
    out.append(std::move(stmt));
  }

  void call(Builder& out, Call& call) {
    const auto found = wanted_.find(call.fn);
    if (found == wanted_.end()) return;
    std::vector<Operand> args;
    for (size_t k = 0; k < call.args.size(); ++k) {
      if (!found->second[k]) {
        args.push_back(call.args[k]);
        continue;
      }
      const Name array = *as_name(call.args[k]);
      const Name base = place(array).base;
      args.push_back(type(base).shape[0]);
      args.push_back(base);
      args.push_back(start(out, array));
    }
    call.args = std::move(args);
  }

  // Starts instead of the results that are windows.
  void end_with_starts(Body& body, const std::vector<bool>& is_window) {
    Builder out(prog_);
    std::vector<Operand> results = std::move(body.result);
    for (Stmt& each : body.stmts) out.append(std::move(each));
    for (size_t k = 0; k < results.size(); ++k)
      if (is_window[k]) results[k] = start(out, *as_name(results[k]));
    body = out.finish(std::move(results));
  }

  // The statement with starts in its pattern, then the windows.
  void append_with_windows(Builder& out, Stmt stmt, const std::vector<bool>& is_window) {
    std::vector<Stmt> after;
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (!is_window[k]) continue;
      Param window = std::move(stmt.pat[k]);
      stmt.pat[k] = start_param(window.name);
      const Name base = base_of(window.name);
      after.push_back(slice(std::move(window), base, stmt.pat[k].name, stmt.loc));
    }
    out.append(std::move(stmt));
    for (Stmt& each : after) out.append(std::move(each));
  }

  // Bases that are windows of a function's parameter lead to what the parameter became.
  Name base_of(Name array) const { return place(windows_.base(array)).base; }

  void branch(Builder& out, Stmt stmt) {
    If& node = *as<If>(stmt.exp);
    for (Body* side : {&node.then_body, &node.else_body}) body(*side);
    std::vector<bool> is_window(stmt.pat.size());
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      const Name array = stmt.pat[k].name;
      if (!shares_ || windows_.base(array) == array) continue;
      if (node.then_body.result[k] == node.else_body.result[k])
        places_[array] = place(*as_name(node.then_body.result[k]));
      else
        is_window[k] = true;
    }
    for (Body* side : {&node.then_body, &node.else_body}) end_with_starts(*side, is_window);
    append_with_windows(out, std::move(stmt), is_window);
  }

  void loop(Builder& out, Stmt stmt) {
    Loop& node = *as<Loop>(stmt.exp);
    std::vector<bool> is_window(stmt.pat.size());
    std::vector<Stmt> heads;
    for (size_t k = 0; k < node.params.size(); ++k) {
      LoopParam& p = node.params[k];
      const Name array = p.param.name;
      if (!shares_ || windows_.base(array) == array) continue;
      const Name init = *as_name(p.init);
      if (node.body.result[k] == Operand{array}) {
        places_[array] = place(init);
        places_[stmt.pat[k].name] = place(init);
        continue;
      }
      is_window[k] = true;
      p.init = start(out, init);
      Param window = std::move(p.param);
      p.param = start_param(array);
      heads.push_back(slice(std::move(window), base_of(array), p.param.name, stmt.loc));
    }
    body(node.body, std::move(heads));
    end_with_starts(node.body, is_window);
    append_with_windows(out, std::move(stmt), is_window);
  }

  Program& prog_;
  const Windows windows_;
  const WindowParams& wanted_;
  const bool shares_;
  std::unordered_map<Name, Place> places_;
  std::unordered_map<Name, Type> types_;  // of new arrays
};

}  // namespace

Program share_windows(Program prog, PassContext& ctx) {
  const WindowParams found = find_window_params(prog);
  WindowParams wanted;
  for (const Function& fn : prog.functions)
    if (found.contains(fn.name) && ctx.may_rewrite("parameters of a function"))
      wanted[fn.name] = found.at(fn.name);
  for (Function& fn : prog.functions) WindowSharing(prog, ctx, fn, wanted).function(fn);
  return prog;
}

}  // namespace skald::passes
