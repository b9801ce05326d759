// SPDX-License-Identifier: Apache-2.0
// What the outside asks for: a map or flatmap whose iterations are the instances of a batch.
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;
using namespace lift;

namespace {

// Larger bodies are left to one thread per instance.
constexpr size_t kMaxLifted = 600;

bool asked_for_loops(const Stmt& stmt) {
  return stmt.hints.sequential || stmt.hints.sequential_outer || stmt.hints.sequential_inner ||
         stmt.hints.flattening.sequentialise_nonuniform;
}

}  // namespace

// The iterations of a map as one batch, its code in `out`, which stays the current one.
Batch Lifter::lift_iterations(Builder& out, Loc loc, const Operand& width,
                              const std::vector<Name>& inputs, const Lambda& fn) {
  out.set_loc(loc);
  lifting_.out = &out;
  lifting_.loc = loc;
  lifting_.consumed = analysis::consumed_names(fn.body, lifting_.prog);
  lifting_.refused = false;
  lifting_.accs.clear();
  Batch b;
  b.width = width;
  for (size_t k = 0; k < fn.params.size(); ++k) {
    if (fn.params[k].type.kind == Type::kAcc) {
      lifting_.accs.insert_or_assign(lifting_.facts.accs().root_of(fn.params[k].name),
                                     HostAcc{inputs[k], fn.params[k].type});
      continue;
    }
    b.values.emplace(fn.params[k].name, in_rows(inputs[k]));
  }
  lifting_.lift_body(b, fn.body);
  return b;
}

std::optional<Body> Lifter::lift_map(const Stmt& stmt, bool must, ScalarLoops loops) {
  const Soac& map = *as<Soac>(stmt.exp);
  if (!map.is_map() || asked_for_loops(stmt) || statement_count(stmt) > kMaxLifted)
    return std::nullopt;
  if (!gives_acc(stmt) && (!lifting_.facts.needs_lifting(map.fn.body) || !stmt.tokens.empty()))
    return std::nullopt;
  if (!must && lifting_.statements + statement_count(stmt) >
                   static_cast<size_t>(lifting_.ctx.device().lifted_statements)) {
    lifting_.ctx.report_limit(
        "an irregular nest runs one thread per iteration: lifting it would make the program too "
        "large");
    return std::nullopt;
  }
  lifting_.statements += statement_count(stmt);
  for (const Param& p : map.fn.params)
    if (p.type.kind != Type::kArray && p.type.kind != Type::kAcc) return std::nullopt;
  Builder out(lifting_.prog);
  Builder* const before = lifting_.out;
  // How many there are is known only when the checks have passed, so nothing runs before.
  Operand width = map.width;
  out.set_loc(stmt.loc);
  if (!stmt.tokens.empty())
    width = out.let1(scalar_type(Prim::kI64), Value{width}, "width", stmt.tokens);
  lifting_.scalar_loops = loops == ScalarLoops::kLifted;
  Batch b = lift_iterations(out, stmt.loc, width, map.inputs, map.fn);
  lifting_.scalar_loops = false;
  std::vector<Operand> results;
  Names given(map.inputs.begin(), map.inputs.end());
  for (size_t k = 0; k < map.fn.results.size() && !lifting_.refused; ++k) {
    if (map.fn.results[k].type.kind == Type::kAcc) {
      results.emplace_back(lifting_.host_acc(map.fn.body.result[k]).name);
      continue;
    }
    const Type type = b.host_type(map.fn.results[k].type);
    Name rows = rows_of(lifting_, b, map.fn.body.result[k], type);
    // What a map gives is its own.
    if (!given.insert(rows).second || lifting_.from_calls.contains(rows))
      rows = lifting_.out->let1(array_of(b.width, type), Copy{rows}, "copy");
    if (!stmt.tokens.empty()) {
      const Type known = array_of(map.width, type);
      rows = lifting_.out->let1(known, Reshape{rows, known.shape}, "rows");
    }
    results.emplace_back(rows);
  }
  lifting_.out = before;
  if (lifting_.refused) return std::nullopt;
  return out.finish(std::move(results));
}

bool Lifter::lift_flatmap(Builder& out, const Stmt& stmt) {
  const FlatMap& flat = *as<FlatMap>(stmt.exp);
  if (asked_for_loops(stmt) || !stmt.tokens.empty() || statement_count(stmt) > kMaxLifted)
    return false;
  for (const Param& p : flat.fn.params)
    if (p.type.kind != Type::kArray) return false;
  Builder code(lifting_.prog);
  Builder* const before = lifting_.out;
  Batch b = lift_iterations(code, stmt.loc, flat.width, flat.inputs, flat.fn);
  const auto data = static_cast<size_t>(flat.data);
  const Type i64 = scalar_type(Prim::kI64);
  const Operand& length = flat.fn.body.result[0];
  if (lifting_.refused) {
    lifting_.out = before;
    return false;
  }
  const Name lengths = rows_of(lifting_, b, length, i64);
  // One kernel reads all rows and marks where they begin.
  const Batch::Segments segments =
      scan_lengths(lifting_, b, [&](Point& at) { return at.bring(length); });
  const Space space = space_of(lifting_, segments);
  Kernel kernel = open(space, b);
  Builder body(lifting_.prog);
  body.set_loc(lifting_.loc);
  Point at{lifting_, b, body, space.s};
  std::vector<Operand> values = {
      body.cmpop(CmpOpKind::kEq, Prim::kI64, space.j, const_i64(0), "first")};
  kernel.pull.results = {{{}, scalar_type(Prim::kBool)}};
  kernel.sinks.push_back({Sink::kOut, 1});
  for (size_t k = 1; k <= data; ++k) {
    const Type row = b.host_type(row_type(flat.fn.results[k].type));
    values.push_back(at.element(space, std::get<Name>(flat.fn.body.result[k]), row));
    kernel.pull.results.push_back({{}, row});
    kernel.sinks.push_back({Sink::kOut, 1});
  }
  kernel.pull.body = body.finish(std::move(values));
  sequentialise(kernel.pull.body, lifting_.prog);
  code.let_pat({stmt.pat[0]}, Value{segments.total});
  const Name own = code.let1(stmt.pat[1].type, Copy{lengths}, "lengths");
  code.let_pat({stmt.pat[1]}, Value{own});
  const Name starts =
      code.let1(stmt.pat[3].type,
                Index{segments.offsets, {DimSlice{false, const_i64(0), flat.width}}}, "starts");
  code.let_pat({stmt.pat[3]}, Copy{starts});
  std::vector<Param> pat = {stmt.pat[2]};
  for (size_t k = 0; k < data; ++k) pat.push_back(stmt.pat[4 + k]);
  code.let_pat(std::move(pat), std::move(kernel));
  for (size_t k = 1 + data; k < flat.fn.results.size(); ++k) {
    const Type type = b.host_type(flat.fn.results[k].type);
    const Name rows = rows_of(lifting_, b, flat.fn.body.result[k], type);
    code.let_pat({stmt.pat[3 + k]}, Copy{rows});
  }
  lifting_.out = before;
  if (lifting_.refused) return false;
  for (Stmt& s : code.finish({}).stmts) out.append(std::move(s));
  return true;
}

}  // namespace skald::passes
