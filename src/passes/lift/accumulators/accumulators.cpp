// SPDX-License-Identifier: Apache-2.0
// Accumulators in a batch: all instances write to one accumulator of the host.
//
//   map(n, {acc, …}, \{acc, …} ->           after   kernel(flat(n), \{s} -> {i[s], v[s]},
//     update_acc(acc, {i}, {v})                            hist to acc)
//     map(k, {acc, …}, \{acc, …} ->                 kernel(seg(n, total; offsets), …,
//       update_acc(acc, {…}, {…})))                        hist to acc)
//
// Every write becomes a kernel of its own, so the writes of one instance stay in order.  Which
// accumulator a name stands for is known by its root, the parameter of the with_acc or function
// that it comes from: the host has one version of it at a time, whatever the instances call theirs.
//
// A with_acc inside a batch has an accumulator in which every instance has its part.
#include "passes/lift/accumulators/accumulators.h"

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/accumulators.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/straighten.h"
#include "passes/lift/batch/instance_kernel.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/control/control.h"
#include "passes/lift/parallel/parallel.h"

namespace skald::passes::lift {

using namespace core;

namespace {
// Maps that write lie in each other at most so deep.
constexpr int kMaxWriteDepth = 3;
}  // namespace

const Body& straightened(Lifting& lifting, const Body& body) {
  Body straight = copy_with_fresh_names(body, lifting.prog.names);
  lifting.facts.note(straight);
  straighten_writes(lifting.prog, straight,
                    [&](Name acc) { return lifting.facts.accs().combines(acc); });
  const Body& result = lifting.keep(std::move(straight));
  lifting.facts.note(result);
  return result;
}

// Where an instance's index is in the accumulator of the host.
static std::vector<Operand> acc_place(Lifting& lifting, Point& at, const Operand& acc,
                                      std::vector<Operand> indices) {
  const HostAcc& host = lifting.host_acc(acc);
  if (host.owner == nullptr) return indices;
  const Operand instance = at.index_of(host.owner);
  if (!host.starts) {
    indices.insert(indices.begin(), instance);
    return indices;
  }
  Builder& body = at.body;
  const Type i64 = scalar_type(Prim::kI64);
  const Operand length = at.bring(lifting.facts.type_of(std::get<Name>(acc)).shape[0]);
  const Operand low = body.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), indices[0], "low");
  const Operand high = body.cmpop(CmpOpKind::kLt, Prim::kI64, indices[0], length, "high");
  const Name start = body.let1(i64, Index{host.starts, {DimSlice{true, instance}}}, "start");
  const Operand place = body.size_add(start, indices[0]);
  const Operand inside = body.logical_and(low, high);
  return {body.let1(i64, Select{inside, place, const_i64(-1)}, "at")};
}

// The sink gets its operator when accumulators become arrays.
static void add_write(Lifting& lifting, Point& at, Kernel& kernel, const Operand& acc,
                      const std::vector<Operand>& indices, const std::vector<Operand>& values,
                      std::vector<Operand>& given) {
  const HostAcc& host = lifting.host_acc(acc);
  const std::vector<Operand> place = acc_place(lifting, at, acc, indices);
  Sink sink{Sink::kHist, static_cast<int>(place.size() + values.size())};
  sink.shape = host.type.shape;
  sink.dests = {host.name};
  kernel.sinks.push_back(std::move(sink));
  for (const Operand& index : place) {
    given.push_back(index);
    kernel.pull.results.push_back({{}, scalar_type(Prim::kI64)});
  }
  for (size_t k = 0; k < values.size(); ++k) {
    given.push_back(values[k]);
    kernel.pull.results.push_back({{}, host.type.acc_elems[k]});
  }
}

static void lift_update(Lifting& lifting, Batch& b, const Stmt& stmt, const UpdateAcc& update) {
  for (const Type& elem : stmt.pat[0].type.acc_elems)
    if (!elem.is_scalar()) return lifting.refuse("rows are written to an accumulator");
  Names needed;
  for (const auto* operands : {&update.indices, &update.values})
    for (const Operand& operand : *operands)
      if (const Name* name = as_name(operand)) needed.insert(*name);
  store_costly(lifting, b, needed);
  InstanceKernel kernel(lifting.prog, b.width, lifting.loc);
  Point at{lifting, b, kernel.body, kernel.s};
  std::vector<Operand> indices, values;
  for (const Operand& index : update.indices) indices.push_back(at.bring(index));
  for (const Operand& value : update.values) values.push_back(at.bring(value));
  if (!stmt.tokens.empty()) {
    std::vector<Name> tokens = at.bring_tokens(stmt.tokens);
    indices[0] =
        at.body.let1(scalar_type(Prim::kI64), Value{indices[0]}, "checked", std::move(tokens));
  }
  add_write(lifting, at, kernel.kernel, update.acc, indices, values, kernel.given);
  HostAcc& host = lifting.host_acc(update.acc);
  kernel.results = {host.type};
  host.name = kernel.finish(*lifting.out, "acc")[0];
}

static bool lift_accumulating_map(Lifting& lifting, Batch& b, const Stmt& stmt, const Soac& soac) {
  if (!soac.is_map()) return false;
  bool regular = true;
  for (const Ret& ret : soac.fn.results)
    regular = regular && (ret.type.kind == Type::kAcc || b.form_of(ret.type) == Form::kRegular);
  if (!regular || !writes_once(soac) || lifting.facts.needs_lifting(soac.fn.body))
    return b.depth < kMaxWriteDepth && lift_nested(lifting, b, stmt, soac);
  // The function gives places and values instead of writing.
  Stmt plain{stmt.pat, copy_with_fresh_names(stmt.exp, lifting.prog.names)};
  const AccumulatorWrites taken = take_writes(plain);
  Soac& map = *as<Soac>(plain.exp);
  for (size_t k = map.inputs.size(); k-- > 0;) {
    if (map.fn.params[k].type.kind != Type::kAcc) continue;
    map.inputs.erase(map.inputs.begin() + static_cast<std::ptrdiff_t>(k));
    map.fn.params.erase(map.fn.params.begin() + static_cast<std::ptrdiff_t>(k));
  }
  for (const Name name : analysis::consumed_names(map.fn.body, lifting.prog))
    lifting.consumed.insert(name);
  Names needed = free_names(map.fn);
  needed.insert(map.inputs.begin(), map.inputs.end());
  store_costly(lifting, b, needed);
  const Space space = space_of(lifting, b, map.width, checks_of(b, stmt, map.inputs));
  Kernel kernel = open(space, b);
  Builder body(lifting.prog);
  body.set_loc(lifting.loc);
  Point at{lifting, b, body, space.s};
  std::vector<Ret> types;
  std::vector<Operand> values = at.values(space, map.inputs, map.fn, types);
  if (space.grid && !stmt.tokens.empty()) {
    std::vector<Name> tokens = at.bring_tokens(stmt.tokens);
    values[0] = body.let1(types[0].type, Value{values[0]}, "checked", std::move(tokens));
  }
  std::vector<Operand> given;
  std::vector<Type> results;
  size_t next = 0;
  const auto take = [&](size_t count) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(next);
    next += count;
    return std::vector<Operand>(from, from + static_cast<std::ptrdiff_t>(count));
  };
  bool overwrites = true;
  for (const AccumulatorWrites::Write& write : taken.writes) {
    const std::vector<Operand> indices = take(write.type.shape.size());
    const std::vector<Operand> elements = take(write.type.acc_elems.size());
    add_write(lifting, at, kernel, write.acc, indices, elements, given);
    results.push_back(lifting.host_acc(write.acc).type);
    overwrites = overwrites && lifting.facts.accs().overwrites(write.acc);
  }
  const std::vector<Operand> points = shape_of(space, b);
  for (; next < values.size(); ++next) {
    const Type type = b.host_type(types[next].type);
    given.push_back(values[next]);
    kernel.pull.results.push_back({{}, type});
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(points, type));
  }
  kernel.pull.body = body.finish(std::move(given));
  sequentialise(kernel.pull.body, lifting.prog);
  if (!space.grid && !overwrites) kernel = on_flat_domain(lifting, std::move(kernel), space);
  const std::vector<Name> arrays = lifting.out->let(results, std::move(kernel), "written");
  for (size_t k = 0; k < plain.pat.size(); ++k) {
    if (k < taken.writes.size())
      lifting.host_acc(taken.writes[k].acc).name = arrays[k];
    else
      bind_output(lifting, b, plain.pat[k], space, arrays[k]);
  }
  return true;
}

void lift_accumulation(Lifting& lifting, Batch& b, const Stmt& stmt) {
  for (const Param& p : stmt.pat)
    if (p.type.kind == Type::kAcc && !lifting.accs.contains(lifting.facts.accs().root_of(p.name)))
      return lifting.refuse("an accumulator comes from elsewhere");
  if (const auto* update = as<UpdateAcc>(stmt.exp)) return lift_update(lifting, b, stmt, *update);
  if (const auto* branch = as<If>(stmt.exp)) return lift_if(lifting, b, stmt, *branch);
  if (const auto* soac = as<Soac>(stmt.exp)) {
    if (!lift_accumulating_map(lifting, b, stmt, *soac) && !lifting.refused)
      lifting.refuse("a map inside writes to an accumulator in a way that is not lifted");
    return;
  }
  if (const auto* loop = as<Loop>(stmt.exp)) {
    // What is scalar code but for its writes costs less in one thread than a launch each round, if
    // there are few instances.
    if (!lifting.scalar_loops && !lifting.facts.needs_lifting(loop->body))
      return lifting.refuse(
          loop->form == Loop::kWhile
              ? "a while loop writes to an accumulator"
              : "a loop writes to an accumulator in an order that matters, or carries other values "
                "too");
    return lift_loop(lifting, b, stmt, *loop);
  }
  lifting.refuse(as<Call>(stmt.exp) != nullptr
                     ? "a function that is not lifted writes to an accumulator"
                     : "an accumulator is used in a way that is not lifted");
}

}  // namespace skald::passes::lift
