// SPDX-License-Identifier: Apache-2.0
// Reductions and scans whose operators work on small arrays of constant shape become reductions and
// scans of that many scalars: parallel ones, whose accumulators are registers.
//
//   before   soac(n, {ms}, \{m : [2][2]i32} -> {m}, scan {one} \{a : [2][2]i32, b : [2][2]i32} ->
//   …) after    let {e0} = one[0, 0]  …
//            soac(n, {ms}, \{m} -> let {m0} = m[0, 0] … in {m0, m1, m2, m3},
//              scan {e0, e1, e2, e3} \{a0, …, b3} -> … in {c0, c1, c2, c3},
//              post \{c0, c1, c2, c3} -> let {c} = array(i32, {c0, c1, c2, c3}) … in {c})
//
// Operators that are a map over long rows stay: flatten turns those inside out.
//
// Stage    SOACS → SOACS.
// Needs    simplify has run: constant sizes are constants.
// Gives    operators whose code needs an array in memory, and large ones, stay as they are.
// Keeps    types, checks, hints; the order in which an operator combines.
// Cost     at most kMostUnrolled statements for each operator.
// Tests    tests/golden/passes/scalarise/*.core, tests/programs/scan/small_arrays.fut
//
// Small arrays that iterations make and update are scalars, too (small_arrays.cpp).
//
// Read next: unrolling.h.
#include "core/ir/visit.h"
#include "passes/flatten/flatten.h"
#include "passes/passes.h"
#include "passes/scalarise/small_arrays.h"
#include "passes/scalarise/unrolling.h"

namespace skald::passes {

using namespace core;

namespace {

// The scalars of one operand of all operators of a SOAC.
constexpr int64_t kMaxScalars = 32;
constexpr size_t kMostUnrolled = 512;
// Rows that are at least this long fill vectors: a map over them is left to flatten.
constexpr int64_t kLongRow = 8;

bool has_check(const Stmt& stmt) {
  bool found = as<Assert>(stmt.exp) != nullptr;
  for_each_body(stmt.exp, [&](const Body& inner) {
    for (const Stmt& each : inner.stmts) found = found || has_check(each);
  });
  return found;
}

class Scalarise {
 public:
  Scalarise(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void walk(Body& body) {
    Builder out(prog_);
    for (Stmt& stmt : body.stmts) {
      for_each_body(stmt.exp, [&](Body& inner) { walk(inner); });
      if (Soac* soac = as<Soac>(stmt.exp); soac != nullptr && fits(*soac) && rewrite(out, stmt))
        continue;
      out.append(std::move(stmt));
    }
    body = out.finish(std::move(body.result));
  }

 private:
  static std::vector<Operator*> operators(Soac& soac) {
    std::vector<Operator*> ops;
    for (Operator& op : soac.scans) ops.push_back(&op);
    for (Operator& op : soac.reduces) ops.push_back(&op);
    return ops;
  }

  static bool fits(Soac& soac) {
    if (!has_array_operator(soac)) return false;
    for (const Param& p : soac.fn.params)
      if (p.type.kind != Type::kArray) return false;
    int64_t scalars = 0;
    for (const Operator* op : operators(soac)) {
      int64_t here = 0;
      for (size_t v = 0; v < op->neutral.size(); ++v) {
        const std::optional<int64_t> count = scalar_count(op->fn.params[v].type);
        if (!count || *count == 0) return false;
        here += *count;
      }
      if (here >= kLongRow && mapped_operator(*op) != nullptr) {
        const Type& type = op->fn.params[0].type;
        if (int_value(*as_const(type.shape[0])) >= kLongRow) return false;
      }
      scalars += here;
    }
    return scalars <= kMaxScalars;
  }

  // Several values, each a scalar or all elements of an array.
  static std::vector<Operand> scalars_of(const std::vector<SmallValue>& values) {
    std::vector<Operand> result;
    for (const SmallValue& value : values) {
      if (const auto* array = std::get_if<SmallArray>(&value))
        result.insert(result.end(), array->elems.begin(), array->elems.end());
      else
        result.push_back(std::get<Operand>(value));
    }
    return result;
  }

  std::vector<Operand> taken_apart(Builder& out, const Operand& value, const Type& type) {
    if (type.is_scalar()) return {value};
    return load_elements(out, std::get<Name>(value), type).elems;
  }

  // Parameters for the scalars of `type`, and the value they make up.
  SmallValue params_for(std::vector<Param>& params, Name like, const Type& type) {
    const auto one = [&] {
      params.push_back({prog_.names.fresh_like(like), scalar_type(type.elem)});
      return Operand{params.back().name};
    };
    if (type.is_scalar()) return one();
    SmallArray array{type.elem, *constant_shape(type), {}};
    const int64_t count = *scalar_count(type);
    for (int64_t k = 0; k < count; ++k) array.elems.push_back(one());
    return array;
  }

  std::optional<Lambda> scalar_operator(const Operator& op) {
    Lambda fn;
    std::vector<SmallValue> args;
    for (const Param& p : op.fn.params) args.push_back(params_for(fn.params, p.name, p.type));
    Builder body(prog_);
    Unrolling unrolling(prog_, kMostUnrolled);
    const std::optional<std::vector<SmallValue>> results = unrolling.apply(body, op.fn, args);
    if (!results || body.stmts().size() > kMostUnrolled) return std::nullopt;
    for (const Stmt& stmt : body.stmts())
      if (has_check(stmt) && !ctx_.device().operators_may_fail) return std::nullopt;
    const std::vector<Operand> scalars = scalars_of(*results);
    if (2 * scalars.size() != fn.params.size()) return std::nullopt;
    for (size_t k = 0; k < scalars.size(); ++k) fn.results.push_back({{}, fn.params[k].type});
    fn.body = body.finish(scalars);
    return fn;
  }

  // The reductions' results are arrays again.
  void arrays_again(Builder& out, Stmt stmt, const std::vector<Type>& folded) {
    std::vector<Param> pat;
    std::vector<std::pair<Param, std::vector<Operand>>> made;
    for (size_t k = 0; k < folded.size(); ++k) {
      if (folded[k].is_scalar()) {
        pat.push_back(stmt.pat[k]);
        continue;
      }
      std::vector<Operand> elems;
      const int64_t count = *scalar_count(folded[k]);
      for (int64_t e = 0; e < count; ++e) {
        pat.push_back({prog_.names.fresh_like(stmt.pat[k].name), scalar_type(folded[k].elem)});
        elems.emplace_back(pat.back().name);
      }
      made.emplace_back(stmt.pat[k], std::move(elems));
    }
    for (size_t k = folded.size(); k < stmt.pat.size(); ++k) pat.push_back(stmt.pat[k]);
    stmt.pat = std::move(pat);
    const Loc loc = stmt.loc;
    out.append(std::move(stmt));
    out.set_loc(loc);
    for (auto& [param, elems] : made) {
      const Type row = scalar_type(param.type.elem);
      if (param.type.rank() == 1) {
        out.let_pat({param}, ArrayLit{row, std::move(elems)});
        continue;
      }
      const Operand count = const_i64(static_cast<int64_t>(elems.size()));
      const Name flat = out.let1(array_of(count, row), ArrayLit{row, std::move(elems)}, "elems");
      out.let_pat({param}, Reshape{flat, param.type.shape});
    }
  }

  bool rewrite(Builder& out, Stmt& stmt) {
    Soac& soac = *as<Soac>(stmt.exp);
    const std::vector<Operator*> ops = operators(soac);
    std::vector<Lambda> fns;
    for (const Operator* op : ops) {
      std::optional<Lambda> fn = scalar_operator(*op);
      if (!fn) {
        ctx_.explain("an operator on arrays needs memory, or is too long");
        return false;
      }
      fns.push_back(std::move(*fn));
    }
    if (!ctx_.may_rewrite("scalarise")) return false;
    out.set_loc(stmt.loc);

    // The thunk gives scalars, then what else it gave.
    std::vector<Type> scanned, folded;
    for (size_t k = 0; k < ops.size(); ++k)
      for (size_t v = 0; v < ops[k]->neutral.size(); ++v)
        (k < soac.scans.size() ? scanned : folded).push_back(ops[k]->fn.params[v].type);
    Builder thunk(prog_);
    for (Stmt& inner : soac.fn.body.stmts) thunk.append(std::move(inner));
    thunk.set_loc(stmt.loc);
    std::vector<Operand> values;
    std::vector<Ret> types;
    const size_t taken = scanned.size() + folded.size();
    for (size_t k = 0; k < soac.fn.results.size(); ++k) {
      const Operand value = soac.fn.body.result[k];
      if (k >= taken) {
        values.push_back(value);
        types.push_back(soac.fn.results[k]);
        continue;
      }
      const Type& type = k < scanned.size() ? scanned[k] : folded[k - scanned.size()];
      for (const Operand& scalar : taken_apart(thunk, value, type)) {
        values.push_back(scalar);
        types.push_back({{}, scalar_type(type.elem)});
      }
    }
    const std::vector<Ret> further(
        types.end() - static_cast<ptrdiff_t>(soac.fn.results.size() - taken), types.end());
    soac.fn.body = thunk.finish(std::move(values));
    soac.fn.results = std::move(types);

    for (size_t k = 0; k < ops.size(); ++k) {
      std::vector<Operand> neutral;
      for (size_t v = 0; v < ops[k]->neutral.size(); ++v)
        for (const Operand& scalar :
             taken_apart(out, ops[k]->neutral[v], ops[k]->fn.params[v].type))
          neutral.push_back(scalar);
      ops[k]->neutral = std::move(neutral);
      ops[k]->fn = std::move(fns[k]);
    }
    if (!soac.scans.empty()) put_together(soac, scanned, further, stmt.loc);

    arrays_again(out, std::move(stmt), folded);
    return true;
  }

  // The post-function gets scalars and makes arrays of them.
  void put_together(Soac& soac, const std::vector<Type>& scanned, const std::vector<Ret>& further,
                    Loc loc) {
    Lambda post;
    Builder body(prog_);
    body.set_loc(loc);
    std::vector<Operand> values;
    for (const Type& type : scanned) {
      const std::vector<Operand> elems =
          scalars_of({params_for(post.params, prog_.names.fresh("scanned"), type)});
      values.push_back(type.is_scalar() ? elems[0] : Operand{store_elements(body, type, elems)});
    }
    for (const Ret& ret : further) {
      post.params.push_back({prog_.names.fresh("x"), ret.type});
      values.emplace_back(post.params.back().name);
    }
    if (soac.post.empty()) {
      for (const Type& type : scanned) post.results.push_back({{}, type});
      for (const Ret& ret : further) post.results.push_back(ret);
      post.body = body.finish(std::move(values));
      soac.post.push_back(std::move(post));
      return;
    }
    Lambda& before = soac.post[0];
    Substitution subst;
    for (size_t k = 0; k < values.size(); ++k) subst.emplace(before.params[k].name, values[k]);
    substitute(before.body, subst);
    for (Stmt& stmt : before.body.stmts) body.append(std::move(stmt));
    post.results = std::move(before.results);
    post.body = body.finish(std::move(before.body.result));
    soac.post[0] = std::move(post);
  }

  Program& prog_;
  PassContext& ctx_;
};

}  // namespace

Program scalarise_operators(Program prog, PassContext& ctx) {
  for (size_t k = 0; k < prog.functions.size(); ++k) {
    Body body = std::move(prog.functions[k].body);
    Scalarise(prog, ctx).walk(body);
    if (ctx.may_rewrite()) scalarise_small_arrays(body);
    prog.functions[k].body = std::move(body);
  }
  return prog;
}

}  // namespace skald::passes
