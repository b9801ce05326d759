// SPDX-License-Identifier: Apache-2.0
// Gives every array a memory block and an index function.
//
//   before   let {ys_2 : [n_0]i32} = copy(xs_1)
//            let {y_3 : i32} = index(ys_2, [5i64])
//
//   after    let {bytes_4 : i64} = …n_0 * 4…
//            let {ys_mem_5 : mem} = alloc(bytes_4)
//            let {ys_2 : [n_0]i32 @ ys_mem_5} = copy(xs_1)
//            let {y_3 : i32} = index(ys_2, [5i64])
//
// Stage    KERNELS → MEMORY; the conventions are at the end of core/ir/exp.h.
// Needs    consumption rules hold: an array that is updated is not used afterwards.
// Gives    places for all arrays.
// Keeps    everything else.
// Cost     linear in the size of the program.
// Tests    tests/golden/passes/plan_memory/*.core; programs on the cpu back end
#include "passes/memory/plan.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/memory/copies.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

bool is_dense(const MemLoc& loc) {
  return loc.strides.empty();
}
bool is_whole_block(const MemLoc& loc) {
  return is_dense(loc) && loc.offset == Operand{const_i64(0)};
}

}  // namespace

// Results that must fill a block from its beginning.
ResultTargets Planner::fill_blocks(const std::vector<bool>& wanted) {
  ResultTargets targets(wanted.size());
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (!wanted[k]) continue;
    targets[k] = Target{};
    targets[k]->kind = Target::kWhole;
  }
  return targets;
}

const MemLoc& Planner::place(Name array) const {
  const auto found = places_.find(array);
  SKALD_CHECK(found != places_.end(), "no place for {}", prog_.names.text(array));
  return found->second;
}

void Planner::put(Param& param, MemLoc loc) {
  param.mem = {loc};
  places_[param.name] = std::move(loc);
}

// a * b, or the largest i64 if that does not fit: such an allocation fails cleanly.
Operand Planner::saturating_mul(Builder& out, const Operand& a, const Operand& b) {
  if (a == Operand{const_i64(1)}) return b;
  if (b == Operand{const_i64(1)}) return a;
  const Operand product = out.binop(BinOpKind::kMul, Prim::kI64, a, b, "bytes");
  if (as_const(product) != nullptr) return product;
  const Operand high = out.binop(BinOpKind::kMulHi, Prim::kI64, a, b, "high");
  const Operand small = out.cmpop(CmpOpKind::kEq, Prim::kI64, high, const_i64(0), "small");
  const Operand positive = out.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), product, "positive");
  const Operand fits = out.logical_and(small, positive);
  return out.let1(scalar_type(Prim::kI64), Select{fits, product, const_i64(INT64_MAX)}, "bytes");
}

MemLoc Planner::allocate(Builder& out, const Type& type, std::string_view base) {
  Operand bytes = const_i64(prim_size(type.elem));
  for (const Operand& dim : type.shape) bytes = saturating_mul(out, bytes, dim);
  return {out.let1(mem_type(type.space), Alloc{bytes}, fmt::format("{}_mem", base))};
}

std::vector<Operand> Planner::strides(Builder& out, Name array, const Type& type) {
  const MemLoc& loc = place(array);
  if (!is_dense(loc)) return loc.strides;
  std::vector<Operand> result(type.shape.size());
  Operand stride = const_i64(1);
  for (size_t k = type.shape.size(); k-- > 0;) {
    result[k] = stride;
    if (k > 0) stride = out.size_mul(stride, type.shape[k]);
  }
  return result;
}

// The place of array[slice].
MemLoc Planner::slice_place(Builder& out, Name array, const std::vector<DimSlice>& slice) {
  const Type& type = types_.at(array);
  const std::vector<Operand> from = strides(out, array, type);
  MemLoc loc = place(array);
  // Dense stays dense if only leading dimensions are fixed or cut at their beginning or end.
  bool dense = is_dense(loc);
  bool kept = false;
  std::vector<Operand> result;
  for (size_t k = 0; k < type.shape.size(); ++k) {
    if (k >= slice.size()) {
      result.push_back(from[k]);
      kept = true;
      continue;
    }
    loc.offset = out.size_add(loc.offset, out.size_mul(slice[k].start, from[k]));
    if (slice[k].is_index) {
      dense = dense && !kept;
      continue;
    }
    const bool whole = slice[k].start == Operand{const_i64(0)} && slice[k].count == type.shape[k];
    dense = dense && slice[k].stride == Operand{const_i64(1)} && (!kept || whole);
    kept = true;
    result.push_back(out.size_mul(slice[k].stride, from[k]));
  }
  loc.strides = dense ? std::vector<Operand>{} : std::move(result);
  return loc;
}

// A copy of the array, in the place that `choose` gives for its type.
Name Planner::copied(Builder& out, Name array, const std::function<MemLoc(const Type&)>& choose) {
  Param copy{prog_.names.fresh_like(array), types_.at(array)};
  put(copy, choose(copy.type));
  types_[copy.name] = copy.type;
  const Name name = copy.name;
  std::vector<Param> pat;
  pat.push_back(std::move(copy));
  out.let_pat(std::move(pat), Copy{array});
  return name;
}

// The array itself if it fills its block from the beginning, else a copy that does.
Name Planner::whole_block(Builder& out, Name array) {
  if (is_whole_block(place(array))) return array;
  return copied(out, array,
                [&](const Type& type) { return allocate(out, type, prog_.names.base(array)); });
}

// Adds the block before every array among the operands; the arrays are made to fill their blocks.
// `wanted(k)` says which arrays need it.
std::vector<Operand> Planner::with_blocks(Builder& out, const std::vector<Operand>& values,
                                          const std::function<bool(size_t)>& wanted) {
  std::vector<Operand> result;
  for (size_t k = 0; k < values.size(); ++k) {
    const Name* name = as_name(values[k]);
    if (name == nullptr || !wanted(k)) {
      result.push_back(values[k]);
      continue;
    }
    const Name whole = whole_block(out, *name);
    result.push_back(place(whole).block);
    result.push_back(whole);
  }
  return result;
}

// The pattern with a new block in front of every array that `wanted` names; the others get `known`.
std::vector<Param> Planner::pattern_with_blocks(std::vector<Param> pat,
                                                const std::function<bool(size_t)>& wanted,
                                                const std::function<MemLoc(size_t)>& known) {
  std::vector<Param> result;
  for (size_t k = 0; k < pat.size(); ++k) {
    Param& p = pat[k];
    if (p.type.is_array()) {
      types_[p.name] = p.type;
      if (wanted(k)) {
        const Name block = prog_.names.fresh(fmt::format("{}_mem", prog_.names.base(p.name)));
        result.push_back({block, mem_type(p.type.space)});
        put(p, {block});
      } else {
        put(p, known(k));
      }
    }
    result.push_back(std::move(p));
  }
  return result;
}

void Planner::kernel(Builder& out, Stmt stmt) {
  Kernel* node = as<Kernel>(stmt.exp);
  // Results that update a destination stay in its place; a partition gets room for all rows.
  std::vector<Name> dests(stmt.pat.size());
  std::vector<bool> partitioned(stmt.pat.size());
  const std::vector<size_t> first = analysis::first_results(*node);
  for (size_t s = 0; s < node->sinks.size(); ++s) {
    const Sink& sink = node->sinks[s];
    for (size_t k = 0; k < sink.dests.size(); ++k) dests[first[s] + k] = sink.dests[k];
    if (sink.kind != Sink::kPartition) continue;
    for (int k = 0; k < sink.classes * sink.count; ++k)
      partitioned[first[s] + static_cast<size_t>(k)] = true;
  }
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    Param& p = stmt.pat[k];
    if (!p.type.is_array()) continue;
    types_[p.name] = p.type;
    if (dests[k]) {
      put(p, place(dests[k]));
      continue;
    }
    Param room = p;
    if (partitioned[k]) room.type.shape[0] = node->domain.dims[0];
    put(p, place_or_allocate(out, room));
  }
  plan_pull(stmt, *node);
  for (Sink& sink : node->sinks)
    for (Operator& op : sink.op) plan_lambda(op.fn);
  for (Lambda& post : node->post) plan_lambda(post);
  out.append(std::move(stmt));
}

// Rows of outputs are built in place, unless they are so small that they fit registers.
void Planner::plan_pull(Stmt& stmt, Kernel& kernel) {
  constexpr int64_t kSmall = 512;
  ResultTargets targets(kernel.pull.results.size());
  const bool plain = kernel.post.empty() && !kernel.guarded && kernel.domain.kind != Domain::kSeg;
  size_t value = kernel.guarded ? 1 : 0, result = 0;
  for (const Sink& sink : kernel.sinks) {
    for (size_t k = 0; k < static_cast<size_t>(sink.count); ++k) {
      if (!plain || sink.kind != Sink::kOut) continue;
      const Type& row = kernel.pull.results[value + k].type;
      int64_t bytes = prim_size(row.elem);
      for (const Operand& dim : row.shape)
        bytes = as_const(dim) == nullptr ? INT64_MAX
                                         : std::min(kSmall + 1, bytes) * int_value(*as_const(dim));
      if (!row.is_array() || bytes <= kSmall) continue;
      Target target{Target::kOutput, stmt.pat[result + k].name};
      target.copied_by = target.dest;
      target.part = value + k;
      for (const Param& p : kernel.pull.params) target.slice.push_back({true, p.name});
      targets[value + k] = std::move(target);
    }
    value += static_cast<size_t>(sink.count);
    result += sink.dests.empty()
                  ? static_cast<size_t>(sink.kind == Sink::kPartition ? sink.classes * sink.count
                                                                      : sink.count)
                  : sink.dests.size();
  }
  now_bound(kernel.pull.params);
  plan_body(
      kernel.pull.body,
      [&](Builder& end, std::vector<Operand> results) {
        // A result that is `scratch` in the block of the output says that the row is there.
        for (size_t k = 0; k < results.size(); ++k) {
          if (!targets[k]) continue;
          const Name row = *as_name(results[k]);
          const auto built = built_.find(targets[k]->dest);
          if (built == built_.end() || !built->second.contains(k)) continue;
          Param there{prog_.names.fresh_like(row), types_.at(row)};
          put(there, place(row));
          results[k] = there.name;
          const Type type = there.type;
          end.append({{std::move(there)}, Scratch{type.elem, type.shape}});
        }
        return results;
      },
      targets);
}

// The place of a view, or nothing if the statement makes a new array.
std::optional<MemLoc> Planner::view_place(Builder& out, const Stmt& stmt) {
  if (const Value* value = as<Value>(stmt.exp)) return place(*as_name(value->arg));
  if (const Opaque* opaque = as<Opaque>(stmt.exp)) return place(*as_name(opaque->arg));
  if (const Index* index = as<Index>(stmt.exp)) return slice_place(out, index->array, index->slice);
  if (const Update* update = as<Update>(stmt.exp)) return place(update->array);
  if (const FlatUpdate* flat = as<FlatUpdate>(stmt.exp)) return place(flat->array);
  if (const FlatIndex* flat = as<FlatIndex>(stmt.exp)) {
    const Operand step = strides(out, flat->array, types_.at(flat->array))[0];
    MemLoc loc = place(flat->array);
    loc.offset = out.size_add(loc.offset, out.size_mul(flat->offset, step));
    loc.strides.clear();
    for (const FlatDim& dim : flat->dims) loc.strides.push_back(out.size_mul(dim.stride, step));
    return loc;
  }
  if (const Rearrange* rearrange = as<Rearrange>(stmt.exp)) {
    const std::vector<Operand> from = strides(out, rearrange->array, types_.at(rearrange->array));
    MemLoc loc = place(rearrange->array);
    loc.strides.clear();
    bool identity = true;
    for (size_t k = 0; k < rearrange->perm.size(); ++k) {
      identity = identity && rearrange->perm[k] == static_cast<int>(k);
      loc.strides.push_back(from[static_cast<size_t>(rearrange->perm[k])]);
    }
    return identity ? place(rearrange->array) : loc;
  }
  return std::nullopt;
}

void Planner::reshape(Builder& out, Stmt stmt) {
  Reshape* node = as<Reshape>(stmt.exp);
  // With the same rank only the names of the sizes change; another rank needs a dense source.
  const bool renamed = node->shape.size() == types_.at(node->array).shape.size();
  if (!is_dense(place(node->array)) && !renamed) node->array = whole_block(out, node->array);
  put(stmt.pat[0], place(node->array));
  out.append(std::move(stmt));
}

void Planner::plan_stmt(Builder& out, Stmt stmt) {
  out.set_loc(stmt.loc);
  for (const Param& p : stmt.pat)
    if (p.type.is_array()) types_[p.name] = p.type;
  if (as<If>(stmt.exp) != nullptr) return branch(out, std::move(stmt));
  if (as<Loop>(stmt.exp) != nullptr) return loop(out, std::move(stmt));
  if (as<Call>(stmt.exp) != nullptr) return call(out, std::move(stmt));
  if (as<Kernel>(stmt.exp) != nullptr) return kernel(out, std::move(stmt));
  if (stmt.pat.empty() || !stmt.pat[0].type.is_array()) return out.append(std::move(stmt));
  if (const auto known = view_places_.find(stmt.pat[0].name); known != view_places_.end()) {
    put(stmt.pat[0], known->second);
    return out.append(std::move(stmt));
  }
  if (as<Reshape>(stmt.exp) != nullptr) return reshape(out, std::move(stmt));
  SKALD_CHECK(stmt.pat.size() == 1, "a node that gives several arrays has no memory plan");
  if (as<Concat>(stmt.exp) != nullptr) return concat(out, std::move(stmt));
  if (as<ArrayLit>(stmt.exp) != nullptr) return array_lit(out, std::move(stmt));
  std::optional<MemLoc> view = view_place(out, stmt);
  put(stmt.pat[0], view ? std::move(*view) : place_or_allocate(out, stmt.pat[0]));
  if (const Update* update = as<Update>(stmt.exp); update && built_.contains(stmt.pat[0].name)) {
    const Name array = update->array;
    stmt.exp = Value{array};
  }
  out.append(std::move(stmt));
}

void Planner::plan_body(
    Body& body,
    const std::function<std::vector<Operand>(Builder&, const std::vector<Operand>&)>& end,
    const ResultTargets& targets) {
  Builder out(prog_);
  note_scalars(body);
  targets_.merge(Targets(*sharing_, *origins_).find(body, targets));
  for (Stmt& stmt : body.stmts) {
    std::vector<Name> names;
    for (const Param& p : stmt.pat) names.push_back(p.name);
    plan_stmt(out, std::move(stmt));
    bound_.insert(names.begin(), names.end());
  }
  const std::vector<Operand> results = std::move(body.result);
  std::vector<Operand> final_results = end(out, results);
  body = out.finish(std::move(final_results));
}

void Planner::plan_lambda(Lambda& fn) {
  now_bound(fn.params);
  plan_body(fn.body, [](Builder&, const std::vector<Operand>& results) { return results; });
}

void Planner::plan_function(Function& fn) {
  const analysis::Origins origins(fn.body);
  origins_ = &origins;
  const analysis::MemorySharing sharing(fn);
  sharing_ = &sharing;
  now_bound(fn.params);
  const auto all = [](size_t) { return true; };
  fn.params = pattern_with_blocks(std::move(fn.params), all, [](size_t) { return MemLoc{}; });
  std::vector<Ret> results;
  std::vector<bool> arrays;
  for (Ret& ret : fn.results) {
    arrays.push_back(ret.type.is_array());
    if (ret.type.is_array()) results.push_back({{}, mem_type(ret.type.space)});
    results.push_back(std::move(ret));
  }
  fn.results = std::move(results);
  plan_body(
      fn.body,
      [&](Builder& end, const std::vector<Operand>& values) {
        return with_blocks(end, values, [&](size_t k) { return arrays[k]; });
      },
      fill_blocks(arrays));
}

Program plan_memory(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) {
    remove_needless_copies(prog, fn, ctx);
    Planner(prog, ctx).plan_function(fn);
  }
  prog.stage = Stage::kMemory;
  return prog;
}

}  // namespace skald::passes
