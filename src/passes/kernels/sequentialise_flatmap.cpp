// SPDX-License-Identifier: Apache-2.0
// flatmap → loops.  How long its results are is known only afterwards.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"

namespace skald::passes {

using namespace core;

namespace {

bool has_loop(const Stmt& stmt) {
  if (as<Call>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr) return true;
  bool found = false;
  for_each_body(stmt.exp, [&](const Body& inner) {
    found = found || std::ranges::any_of(inner.stmts, has_loop);
  });
  return found;
}

// Where the length of a row, or one of its further values, comes from code that takes long.  Such
// code must not run twice: a function that calls itself there would double its work at each level.
bool takes_long(const FlatMap& flat) {
  NameSet needed;
  const auto need = [&](const Operand& value) {
    if (const Name* name = as_name(value)) needed.insert(*name);
  };
  const std::vector<Operand>& results = flat.fn.body.result;
  need(results[0]);
  for (size_t k = 1 + static_cast<size_t>(flat.data); k < results.size(); ++k) need(results[k]);
  for (size_t k = flat.fn.body.stmts.size(); k-- > 0;) {
    const Stmt& stmt = flat.fn.body.stmts[k];
    if (std::ranges::none_of(stmt.pat, [&](const Param& p) { return needed.contains(p.name); }))
      continue;
    if (has_loop(stmt)) return true;
    for (const Name name : free_names(stmt)) needed.insert(name);
  }
  return false;
}

void mark_starts(Builder& out, Param flags, const Name lengths, const Name offsets,
                 const Operand& width, Loc loc) {
  Program& prog = out.program();
  const Type i64 = scalar_type(Prim::kI64);
  LoopBuilder loop(prog, width, loc);
  const Name none = out.let1(flags.type, Replicate{flags.type.shape, const_bool(false)}, "flags");
  const Name carried = loop.carry(flags.type, none, "flags");
  Builder& body = loop.body();
  const Name length = body.let1(i64, Index{lengths, {DimSlice{true, loop.index()}}}, "length");
  const Name start = body.let1(i64, Index{offsets, {DimSlice{true, loop.index()}}}, "start");
  const Operand some = body.cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), length, "some");
  const Type type = flags.type;
  std::vector<Operand> next = update_if(body, some, {type}, {carried}, [&](Builder& then) {
    return std::vector<Operand>{write_row(then, type, carried, {start}, const_bool(true))};
  });
  std::vector<Param> pat;
  pat.push_back(std::move(flags));
  loop.finish(out, std::move(pat), std::move(next), {});
}

// Arrays with room for `need` rows: these, or larger ones that begin with what they have.
struct Room {
  Operand capacity;
  std::vector<Operand> arrays;
};
Room with_room(Builder& out, const Operand& capacity, const std::vector<Name>& arrays,
               const std::vector<Type>& rows, const Operand& used, const Operand& need) {
  Program& prog = out.program();
  const Type i64 = scalar_type(Prim::kI64);
  const Operand full = out.cmpop(CmpOpKind::kLt, Prim::kI64, capacity, need, "full");
  Builder then(prog), otherwise(prog);
  then.set_loc(out.loc());
  const Operand twice = then.size_mul(capacity, const_i64(2));
  const Operand larger = then.binop(BinOpKind::kMax, Prim::kI64, twice, need, "capacity");
  std::vector<Operand> grown = {larger}, same = {capacity};
  const DimSlice begin{false, const_i64(0), used, const_i64(1)};
  for (size_t k = 0; k < arrays.size(); ++k) {
    const Type type = array_of(larger, rows[k]);
    const Name room = then.let1(type, Scratch{type.elem, type.shape}, "room");
    const Name old = then.let1(array_of(used, rows[k]), Index{arrays[k], {begin}}, "old");
    grown.emplace_back(then.let1(type, Update{room, {begin}, old}, "room"));
    same.emplace_back(arrays[k]);
  }
  std::vector<Param> pat = {{prog.names.fresh("capacity"), i64}};
  Room result{pat[0].name, {}};
  for (const Type& row : rows) {
    pat.push_back({prog.names.fresh("room"), array_of(result.capacity, row)});
    result.arrays.emplace_back(pat.back().name);
  }
  out.let_pat(std::move(pat),
              If{full, then.finish(std::move(grown)), otherwise.finish(std::move(same))});
  return result;
}

// One loop, which appends rows to arrays that grow.
void append_rows(Builder& out, Stmt stmt) {
  Program& prog = out.program();
  FlatMap flat = std::move(*as<FlatMap>(stmt.exp));
  const auto data = static_cast<size_t>(flat.data);
  const Type i64 = scalar_type(Prim::kI64);
  LoopBuilder loop(prog, flat.width, stmt.loc);
  const Name sum = loop.carry(i64, const_i64(0), "total");
  std::vector<Name> arrays;
  std::vector<Type> types;
  std::vector<Param> pat = {stmt.pat[0]};
  const auto carry_array = [&](const Param& p) {
    const Name start =
        out.let1(p.type, Scratch{p.type.elem, p.type.shape}, prog.names.base(p.name));
    types.push_back(p.type);
    arrays.push_back(loop.carry(p.type, start, prog.names.base(p.name)));
    pat.push_back(p);
  };
  carry_array(stmt.pat[1]);
  carry_array(stmt.pat[3]);
  for (size_t k = 4 + data; k < stmt.pat.size(); ++k) carry_array(stmt.pat[k]);
  const Operand first = out.binop(BinOpKind::kMax, Prim::kI64, flat.width, const_i64(16), "room");
  const Name capacity = loop.carry(i64, first, "capacity");
  const Name last = prog.names.fresh("capacity");
  pat.push_back({last, i64});
  std::vector<Name> rooms, filled;
  std::vector<Type> rows;
  for (size_t k = 0; k < data; ++k) {
    rows.push_back(row_type(stmt.pat[4 + k].type));
    const Type type = array_of(first, rows.back());
    const Name start = out.let1(type, Scratch{type.elem, type.shape}, "room");
    rooms.push_back(loop.carry(array_of(capacity, rows.back()), start, "room"));
    filled.push_back(prog.names.fresh("room"));
    pat.push_back({filled.back(), array_of(last, rows.back())});
  }
  Builder& body = loop.body();
  const auto inputs = read_rows(body, flat.inputs, flat.fn.params, loop.index());
  const auto values = inline_lambda(body, std::move(flat.fn), inputs);
  std::vector<Operand> next = {body.size_add(sum, values[0])};
  const Operand need = next[0];
  next.push_back(write_row(body, types[0], arrays[0], {loop.index()}, values[0]));
  next.push_back(write_row(body, types[1], arrays[1], {loop.index()}, sum));
  for (size_t k = 2; k < arrays.size(); ++k)
    next.push_back(write_row(body, types[k], arrays[k], {loop.index()}, values[1 + data + k - 2]));
  const Room room = with_room(body, capacity, rooms, rows, sum, need);
  next.push_back(room.capacity);
  const DimSlice place{false, sum, values[0], const_i64(1)};
  for (size_t k = 0; k < data; ++k)
    next.push_back(body.let1(array_of(room.capacity, rows[k]),
                             Update{std::get<Name>(room.arrays[k]), {place}, values[1 + k]},
                             "room"));
  loop.finish(out, std::move(pat), std::move(next), std::move(stmt.tokens));
  const DimSlice used{false, const_i64(0), stmt.pat[0].name, const_i64(1)};
  for (size_t k = 0; k < data; ++k) out.let_pat({stmt.pat[4 + k]}, Index{filled[k], {used}});
  mark_starts(out, stmt.pat[2], stmt.pat[1].name, stmt.pat[3].name, flat.width, stmt.loc);
}

}  // namespace

// Two loops: the first finds the lengths and keeps the regular results, the second computes the
// rows again and writes them where they belong.  Where that would take long, one loop.
void sequentialise_flatmap(Builder& out, Stmt stmt) {
  Program& prog = out.program();
  if (takes_long(*as<FlatMap>(stmt.exp))) return append_rows(out, std::move(stmt));
  FlatMap flat = std::move(*as<FlatMap>(stmt.exp));
  const auto data = static_cast<size_t>(flat.data);
  const Type i64 = scalar_type(Prim::kI64);
  Param &total = stmt.pat[0], &lengths = stmt.pat[1], &flags = stmt.pat[2], &offsets = stmt.pat[3];
  Lambda again = copy_with_fresh_names(flat.fn, prog.names);

  LoopBuilder first(prog, flat.width, stmt.loc);
  const Name sum = first.carry(i64, const_i64(0), "total");
  std::vector<Name> arrays;
  std::vector<Type> types;
  const auto carry_array = [&](LoopBuilder& loop, const Param& p) {
    const Name start =
        out.let1(p.type, Scratch{p.type.elem, p.type.shape}, prog.names.base(p.name));
    types.push_back(p.type);
    arrays.push_back(loop.carry(p.type, start, prog.names.base(p.name)));
  };
  carry_array(first, lengths);
  carry_array(first, offsets);
  for (size_t k = 4 + data; k < stmt.pat.size(); ++k) carry_array(first, stmt.pat[k]);
  {
    Builder& body = first.body();
    const auto rows = read_rows(body, flat.inputs, flat.fn.params, first.index());
    const auto values = inline_lambda(body, std::move(flat.fn), rows);
    std::vector<Operand> next = {body.size_add(sum, values[0])};
    next.push_back(write_row(body, types[0], arrays[0], {first.index()}, values[0]));
    next.push_back(write_row(body, types[1], arrays[1], {first.index()}, sum));
    for (size_t k = 2; k < arrays.size(); ++k)
      next.push_back(
          write_row(body, types[k], arrays[k], {first.index()}, values[1 + data + k - 2]));
    std::vector<Param> pat;
    pat.push_back(std::move(total));
    pat.push_back(lengths);
    pat.push_back(offsets);
    for (size_t k = 4 + data; k < stmt.pat.size(); ++k) pat.push_back(std::move(stmt.pat[k]));
    first.finish(out, std::move(pat), std::move(next), stmt.tokens);
  }

  LoopBuilder second(prog, flat.width, stmt.loc);
  arrays.clear();
  types.clear();
  const Name no_flags =
      out.let1(flags.type, Replicate{flags.type.shape, const_bool(false)}, "flags");
  types.push_back(flags.type);
  arrays.push_back(second.carry(flags.type, no_flags, "flags"));
  for (size_t k = 0; k < data; ++k) carry_array(second, stmt.pat[4 + k]);
  Builder& body = second.body();
  const auto rows = read_rows(body, flat.inputs, again.params, second.index());
  const auto values = inline_lambda(body, std::move(again), rows);
  const Name start = body.let1(i64, Index{offsets.name, {DimSlice{true, second.index()}}}, "start");
  const Operand some = body.cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), values[0], "some");
  std::vector<Operand> next = update_if(body, some, {types[0]}, {arrays[0]}, [&](Builder& then) {
    return std::vector<Operand>{write_row(then, types[0], arrays[0], {start}, const_bool(true))};
  });
  for (size_t k = 0; k < data; ++k)
    next.push_back(body.let1(
        types[1 + k],
        Update{arrays[1 + k], {DimSlice{false, start, values[0], const_i64(1)}}, values[1 + k]},
        "data"));
  std::vector<Param> pat;
  pat.push_back(std::move(flags));
  for (size_t k = 0; k < data; ++k) pat.push_back(std::move(stmt.pat[4 + k]));
  second.finish(out, std::move(pat), std::move(next), std::move(stmt.tokens));
}

}  // namespace skald::passes
