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
#include "passes/kernels/accumulators.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/straighten.h"
#include "passes/lift/instance_kernel.h"
#include "passes/lift/lift.h"
#include "support/bug.h"

namespace skald::passes {

using namespace core;

namespace {

// Maps that write lie in each other at most so deep.
constexpr int kMaxWriteDepth = 3;

}  // namespace

Name Lifter::root_of(const Operand& acc) const {
  const Name name = std::get<Name>(acc);
  const auto found = roots_.find(name);
  return found == roots_.end() ? name : found->second;
}

Lifter::HostAcc& Lifter::host_acc(const Operand& acc) {
  const auto found = accs_.find(root_of(acc));
  SKALD_CHECK(found != accs_.end(), "an accumulator comes from nowhere");
  return found->second;
}

bool Lifter::combines(Name acc) const {
  const auto found = kinds_.find(root_of(acc));
  return found != kinds_.end() && found->second == AccKind::kCombines;
}

// A copy that lasts, with writes that can run in parallel.
const Body& Lifter::straightened(const Body& body) {
  Body straight = copy_with_fresh_names(body, prog_.names);
  note(straight);
  straighten_writes(prog_, straight, [&](Name acc) { return combines(acc); });
  // Statements that lifting refers to must stay where they are.
  synthetic_.push_back({{}, If{const_bool(true), std::move(straight), {}}});
  const Body& result = as<If>(synthetic_.back().exp)->then_body;
  note(result);
  return result;
}

// ---- a write

// Where an instance's index is in the accumulator of the host.
std::vector<Operand> Lifter::acc_place(Point& at, const Operand& acc,
                                       std::vector<Operand> indices) {
  const HostAcc& host = host_acc(acc);
  if (host.owner == nullptr) return indices;
  const Operand instance = index_of(at, host.owner);
  if (!host.starts) {
    indices.insert(indices.begin(), instance);
    return indices;
  }
  Builder& body = at.body;
  const Type i64 = scalar_type(Prim::kI64);
  const Operand length = bring(at, type_of(std::get<Name>(acc)).shape[0]);
  const Operand low = body.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), indices[0], "low");
  const Operand high = body.cmpop(CmpOpKind::kLt, Prim::kI64, indices[0], length, "high");
  const Name start = body.let1(i64, Index{host.starts, {DimSlice{true, instance}}}, "start");
  const Operand place = body.size_add(start, indices[0]);
  const Operand inside = body.logical_and(low, high);
  return {body.let1(i64, Select{inside, place, const_i64(-1)}, "at")};
}

// The sink gets its operator when accumulators become arrays.
void Lifter::add_write(Point& at, Kernel& kernel, const Operand& acc,
                       const std::vector<Operand>& indices, const std::vector<Operand>& values,
                       std::vector<Operand>& given) {
  const HostAcc& host = host_acc(acc);
  const std::vector<Operand> place = acc_place(at, acc, indices);
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

void Lifter::lift_update(Batch& b, const Stmt& stmt, const UpdateAcc& update) {
  for (const Type& elem : stmt.pat[0].type.acc_elems)
    if (!elem.is_scalar()) return refuse("rows are written to an accumulator");
  Names needed;
  for (const auto* operands : {&update.indices, &update.values})
    for (const Operand& operand : *operands)
      if (const Name* name = as_name(operand)) needed.insert(*name);
  store_costly(b, needed);
  InstanceKernel kernel(prog_, b.width, loc_);
  Point at{b, kernel.body, kernel.s};
  std::vector<Operand> indices, values;
  for (const Operand& index : update.indices) indices.push_back(bring(at, index));
  for (const Operand& value : update.values) values.push_back(bring(at, value));
  if (!stmt.tokens.empty()) {
    std::vector<Name> tokens;
    for (const Name token : stmt.tokens)
      tokens.push_back(std::get<Name>(bring(at, Operand{token})));
    indices[0] =
        at.body.let1(scalar_type(Prim::kI64), Value{indices[0]}, "checked", std::move(tokens));
  }
  add_write(at, kernel.kernel, update.acc, indices, values, kernel.given);
  HostAcc& host = host_acc(update.acc);
  kernel.results = {host.type};
  host.name = kernel.finish(*out_, "acc")[0];
}

// ---- statements

void Lifter::lift_accumulation(Batch& b, const Stmt& stmt) {
  for (const Param& p : stmt.pat)
    if (p.type.kind == Type::kAcc && !accs_.contains(root_of(p.name)))
      return refuse("an accumulator comes from elsewhere");
  if (const auto* update = as<UpdateAcc>(stmt.exp)) return lift_update(b, stmt, *update);
  if (const auto* branch = as<If>(stmt.exp)) return lift_if(b, stmt, *branch);
  if (const auto* soac = as<Soac>(stmt.exp)) {
    if (!lift_accumulating_map(b, stmt, *soac) && !refused_)
      refuse("a map inside writes to an accumulator in a way that is not lifted");
    return;
  }
  if (const auto* loop = as<Loop>(stmt.exp)) {
    // What is scalar code but for its writes costs less in one thread than a launch each round.
    if (loop->form == Loop::kWhile && !needs_lifting(loop->body))
      return refuse("a while loop writes to an accumulator");
    if (!needs_lifting(loop->body))
      return refuse(
          "a loop writes to an accumulator in an order that matters, or carries other values too");
    return lift_loop(b, stmt, *loop);
  }
  refuse(as<Call>(stmt.exp) != nullptr ? "a function that is not lifted writes to an accumulator"
                                       : "an accumulator is used in a way that is not lifted");
}

bool Lifter::lift_accumulating_map(Batch& b, const Stmt& stmt, const Soac& soac) {
  if (!soac.is_map()) return false;
  bool regular = true;
  for (const Ret& ret : soac.fn.results)
    regular = regular && (ret.type.kind == Type::kAcc || form_of(b, ret.type) == Form::kRegular);
  if (!regular || !writes_once(soac) || needs_lifting(soac.fn.body))
    return b.depth < kMaxWriteDepth && lift_nested(b, stmt, soac);
  // The function gives places and values instead of writing.
  Stmt plain{stmt.pat, copy_with_fresh_names(stmt.exp, prog_.names)};
  const AccumulatorWrites taken = take_writes(plain);
  Soac& map = *as<Soac>(plain.exp);
  for (size_t k = map.inputs.size(); k-- > 0;) {
    if (map.fn.params[k].type.kind != Type::kAcc) continue;
    map.inputs.erase(map.inputs.begin() + static_cast<std::ptrdiff_t>(k));
    map.fn.params.erase(map.fn.params.begin() + static_cast<std::ptrdiff_t>(k));
  }
  for (const Name name : analysis::consumed_names(map.fn.body, prog_)) consumed_.insert(name);
  Names needed = free_names(map.fn);
  needed.insert(map.inputs.begin(), map.inputs.end());
  store_costly(b, needed);
  const Space space = space_of(b, map.width, checks_of(b, stmt, map.inputs));
  Kernel kernel = open(space, b);
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, space.s};
  std::vector<Ret> types;
  std::vector<Operand> values = point_values(at, space, map.inputs, map.fn, types);
  if (space.grid && !stmt.tokens.empty()) {
    std::vector<Name> tokens;
    for (const Name token : stmt.tokens)
      tokens.push_back(std::get<Name>(bring(at, Operand{token})));
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
    add_write(at, kernel, write.acc, indices, elements, given);
    results.push_back(host_acc(write.acc).type);
    const auto kind = kinds_.find(root_of(write.acc));
    overwrites = overwrites && kind != kinds_.end() && kind->second == AccKind::kOverwrites;
  }
  const std::vector<Operand> points =
      space.grid ? std::vector<Operand>{b.width, space.inner} : std::vector<Operand>{space.total};
  for (; next < values.size(); ++next) {
    const Type type = host_type(b, types[next].type);
    given.push_back(values[next]);
    kernel.pull.results.push_back({{}, type});
    kernel.sinks.push_back({Sink::kOut, 1});
    results.push_back(array_of(points, type));
  }
  kernel.pull.body = body.finish(std::move(given));
  sequentialise(kernel.pull.body, prog_);
  if (!space.grid && !overwrites) kernel = on_flat_domain(std::move(kernel), space);
  const std::vector<Name> arrays = out_->let(results, std::move(kernel), "written");
  for (size_t k = 0; k < plain.pat.size(); ++k) {
    if (k < taken.writes.size())
      host_acc(taken.writes[k].acc).name = arrays[k];
    else
      bind_output(b, plain.pat[k], space, arrays[k]);
  }
  return true;
}

}  // namespace skald::passes
