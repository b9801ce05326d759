// SPDX-License-Identifier: Apache-2.0
// Branches around parallel code, for a batch.
//
// A branch whose condition is the same for all instances is a branch of the host.  Otherwise the
// instances are sorted into two batches; a batch that is empty runs nothing, which is also what
// ends recursion.  Regular results are scattered back; irregular ones are copied once, each
// instance from the side it took.  A side that only names values runs on all instances instead
// of a batch of its own: nothing is gathered for it.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "core/ir/visit.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/state.h"
#include "passes/lift/control/control.h"

namespace skald::passes::lift {

using namespace core;

bool check_before(Lifting& lifting, Batch& b, const Stmt& stmt,
                  const std::vector<Operand>& needed) {
  if (stmt.tokens.empty()) return true;
  for (const Operand& operand : needed) {
    const Name* name = as_name(operand);
    if (name == nullptr || b.find(*name).value == nullptr ||
        !lifting.facts.type_of(*name).is_scalar() ||
        lifting.facts.type_of(*name).kind != Type::kArray)
      continue;
    const Type type = lifting.facts.type_of(*name);
    const std::vector<Name> arrays = per_instance(
        lifting, b, {type},
        [&](Point& at) -> std::vector<Operand> {
          const Operand value = at.bring(operand);
          std::vector<Name> tokens = at.bring_tokens(stmt.tokens);
          return {at.body.let1(type, Value{value}, "checked", std::move(tokens))};
        },
        "checked");
    b.bind(*name, in_rows(arrays[0]));
    return true;
  }
  return false;
}

// A branch that instances take differently.
struct Branching {
  const Stmt& stmt;
  std::vector<Form> forms;  // by result
  std::vector<Type> types;
  Name conds;                                     // by instance: the condition
  std::array<Name, 2> counts = {}, members = {};  // by side: how many instances take it, and which
  // What the sides give, as arrays over all instances: rows, or the starts of segments.
  std::vector<Name> merged = {};  // by result; for rows
  // By side and irregular result.
  std::array<std::vector<Name>, 2> starts = {}, data = {};
  // By side and result: what lies in pieces, for the instances that take the side; and by side
  // which of these an instance is.
  std::array<std::unordered_map<size_t, Pieces>, 2> pieces = {};
  std::array<Name, 2> positions = {};
};

// Which instances take which side.
static void sort_instances(Lifting& lifting, const Batch& b, Branching& branching) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  Kernel sort;
  sort.domain.dims = {b.width};
  const Name i = lifting.prog.names.fresh("i");
  sort.pull.params = {{i, i64}};
  sort.pull.results = {{{}, i64}, {{}, i64}};
  {
    Builder body(lifting.prog);
    const Name c = body.let1(boolean, Index{branching.conds, {DimSlice{true, i}}}, "c");
    const Name which = body.let1(i64, Select{c, const_i64(0), const_i64(1)}, "side");
    sort.pull.body = body.finish({which, i});
  }
  Sink sink{Sink::kPartition, 2};
  sink.classes = 2;
  sort.sinks.push_back(std::move(sink));
  std::array<Name, 2>&counts = branching.counts, &members = branching.members;
  for (Name& count : counts) count = lifting.prog.names.fresh("batch");
  for (Name& list : members) list = lifting.prog.names.fresh("members");
  lifting.out->let_pat({{counts[0], i64},
                        {counts[1], i64},
                        {members[0], array_of(counts[0], i64)},
                        {members[1], array_of(counts[1], i64)}},
                       std::move(sort));
}

// What a side gives that none of the instances takes.
static Body nothing_given(Lifting& lifting, const std::vector<Param>& pattern,
                          const std::vector<Name>& untouched) {
  Builder skip(lifting.prog);
  std::vector<Operand> nothing;
  const Operand none = const_i64(0);
  size_t next_acc = 0;
  for (const Param& p : pattern) {
    if (p.type.kind == Type::kAcc) {
      nothing.emplace_back(untouched[next_acc++]);
      continue;
    }
    if (p.type.is_scalar()) {
      nothing.push_back(none);
      continue;
    }
    Type type = p.type;
    // Data of no elements.
    if (std::ranges::any_of(pattern,
                            [&](const Param& q) { return type.shape[0] == Operand{q.name}; }))
      type.shape[0] = none;
    nothing.emplace_back(skip.let1(type, Scratch{type.elem, type.shape}, "nothing"));
  }
  return skip.finish(std::move(nothing));
}

// The parameters that hold pieces, and their names in place of the values.
static std::vector<Param> pieces_pattern(Lifting& lifting, const Type& row, const Operand& count,
                                         Pieces& pieces) {
  const Type i64 = scalar_type(Prim::kI64);
  std::vector<Param> pattern;
  const auto bind = [&](Operand& value, const char* base, const Type& type) {
    pattern.push_back({lifting.prog.names.fresh(base), type});
    value = pattern.back().name;
  };
  for (size_t d = 0; d < pieces.data.size(); ++d) {
    bind(pieces.totals[d], "total", i64);
    bind(pieces.data[d], "pieces", array_of(pieces.totals[d], row));
  }
  for (Operand& starts : pieces.starts) bind(starts, "starts", array_of(count, i64));
  for (Operand& lengths : pieces.lengths) bind(lengths, "lengths", array_of(count, i64));
  return pattern;
}

// Runs side `s` for the instances that take it; gives the names of its state, but for pieces.
static std::vector<Name> run_side(Lifting& lifting, Batch& b, Batch& child, Branching& branching,
                                  size_t s, const Body& source) {
  std::vector<Name> names;
  // One side writes to the accumulators after the other.
  std::vector<Name> untouched;
  for (const Param& p : branching.stmt.pat)
    if (p.type.kind == Type::kAcc) untouched.push_back(lifting.host_acc(p.name).name);
  std::vector<bool> irregular;
  for (const Form form : branching.forms) irregular.push_back(form == Form::kSegments);
  const auto before =
      std::exchange(lifting.gives_pieces, {.body = &source, .results = std::move(irregular)});
  lifting.pieces.clear();
  Body run = lifted_state(lifting, child, source, branching.types, branching.forms);
  branching.pieces[s] = std::exchange(lifting.pieces, {});
  lifting.gives_pieces = before;
  if (lifting.refused) return names;
  const Name count = branching.counts[s];
  std::vector<Param> pattern;
  for (size_t k = 0; k < branching.stmt.pat.size(); ++k) {
    const Param& p = branching.stmt.pat[k];
    const auto pieces = branching.pieces[s].find(k);
    const bool whole = pieces == branching.pieces[s].end();
    for (Param& param :
         whole ? state_pattern(lifting, b, {p}, count)
               : pieces_pattern(lifting, b.host_type(row_type(p.type)), count, pieces->second)) {
      if (whole) names.push_back(param.name);
      pattern.push_back(std::move(param));
    }
  }
  Body skip = nothing_given(lifting, pattern, untouched);
  const Operand some = lifting.out->cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), count, "some");
  lifting.out->let_pat(pattern, If{some, std::move(run), std::move(skip)});
  return names;
}

// Puts what side `s` gave where it belongs.  `simple`: for all instances, those that took the other
// side among them.
static void put_back(Lifting& lifting, Batch& b, const Operand& width, Branching& branching,
                     size_t s, bool simple, const std::vector<Name>& names) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  const std::vector<Param>& pat = branching.stmt.pat;
  Kernel put;
  put.domain.dims = {width};
  const Name m = lifting.prog.names.fresh("m");
  put.pull.params = {{m, i64}};
  Builder body(lifting.prog);
  Operand place = m;
  if (!simple) {
    place = body.let1(i64, Index{branching.members[s], {DimSlice{true, m}}}, "at");
  } else {
    // Only those that take this side are written.
    const Name c = body.let1(boolean, Index{branching.conds, {DimSlice{true, m}}}, "c");
    place = s == 0 ? body.let1(i64, Select{c, m, const_i64(-1)}, "at")
                   : body.let1(i64, Select{c, const_i64(-1), m}, "at");
  }
  std::vector<Operand> values;
  std::vector<Type> results;
  std::vector<Name*> written;  // where the names of the results go
  // Without `dest`, to a new array.
  const auto write_value = [&](const Operand& value, const Type& row, Name dest, Name& to) {
    values.push_back(place);
    values.push_back(value);
    const Type all = array_of(b.width, row);
    if (!dest) dest = lifting.out->let1(all, Scratch{all.elem, all.shape}, "starts");
    put.pull.results.push_back({{}, i64});
    put.pull.results.push_back({{}, row});
    Sink sink{Sink::kScatter, 2};
    sink.shape = {b.width};
    sink.dests = {dest};
    put.sinks.push_back(std::move(sink));
    results.push_back(all);
    written.push_back(&to);
  };
  const auto write = [&](Name from, const Type& row, Name dest, Name& to) {
    write_value(body.let1(row, Index{from, {DimSlice{true, m}}}, "v"), row, dest, to);
  };
  if (!branching.pieces[s].empty()) write_value(m, i64, Name{}, branching.positions[s]);
  size_t at = 0;
  branching.starts[s].reserve(pat.size());
  for (size_t k = 0; k < pat.size(); ++k) {
    if (branching.forms[k] == Form::kHost) {
      lifting.host_acc(pat[k].name).name = names[at++];
      continue;
    }
    if (branching.forms[k] == Form::kRegular) {
      write(names[at++], b.host_type(branching.types[k]), branching.merged[k], branching.merged[k]);
      continue;
    }
    if (branching.pieces[s].contains(k)) {
      branching.starts[s].emplace_back();
      branching.data[s].emplace_back();
      continue;
    }
    Name& start = branching.starts[s].emplace_back(simple ? names[at + 1] : Name{});
    if (!simple) write(names[at + 1], i64, Name{}, start);
    branching.data[s].push_back(names[at + 2]);
    at += 3;
  }
  if (results.empty()) return;
  put.pull.body = body.finish(std::move(values));
  const std::vector<Name> arrays = lifting.out->let(results, std::move(put), "merged");
  for (size_t k = 0; k < written.size(); ++k) *written[k] = arrays[k];
}

// Element j of what lies in pieces, from the one of so many first ones that has it.
static Operand element_of_pieces(Builder& code, const Pieces& pieces, size_t piece,
                                 const Operand& instance, const Operand& j, const Type& row) {
  const Type i64 = scalar_type(Prim::kI64);
  const auto at = [&](Builder& here, const Operand& array, const char* what) {
    return here.let1(i64, Index{std::get<Name>(array), {DimSlice{true, instance}}}, what);
  };
  const auto element = [&](Builder& here) {
    const Operand place = here.size_add(at(here, pieces.starts[piece], "start"), j);
    const Name data = std::get<Name>(pieces.data[pieces.data_of[piece]]);
    return Operand{here.let1(row, Index{data, {DimSlice{true, place}}}, "x")};
  };
  if (piece + 1 == pieces.starts.size()) return element(code);
  const Name length = at(code, pieces.lengths[piece], "length");
  const Operand mine = code.cmpop(CmpOpKind::kLt, Prim::kI64, j, length, "mine");
  Builder yes(code.program()), no(code.program());
  const Operand first = element(yes);
  const Operand rest =
      element_of_pieces(no, pieces, piece + 1, instance, no.size_sub(j, length), row);
  return code.let1(row, If{mine, yes.finish({first}), no.finish({rest})}, "x");
}

// Irregular result `k`, the `r`th of them: every element from the side its instance took.
static void merge_irregular(Lifting& lifting, Batch& b, const Branching& branching, size_t k,
                            size_t r) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  const Type& type = branching.types[k];
  const bool flat = branching.forms[k] == Form::kFlatSegments;
  const Type row = flat ? scalar_type(type.elem) : b.host_type(row_type(type));
  Space space;
  if (!flat) {
    space = space_of(lifting, b, type.shape[0], {});
  } else {
    const Batch::Segments segments =
        scan_lengths(lifting, b, [&](Point& at) { return at.element_count(type, true); });
    space.offsets = segments.offsets;
    space.total = segments.total;
    space = with_indices(lifting, space);
  }
  Kernel copy = open(space, b);
  Builder body(lifting.prog);
  const Name c = body.let1(boolean, Index{branching.conds, {DimSlice{true, space.s}}}, "c");
  Body sides[2];
  for (size_t s = 0; s < 2; ++s) {
    Builder read(lifting.prog);
    if (const auto pieces = branching.pieces[s].find(k); pieces != branching.pieces[s].end()) {
      const Name instance =
          read.let1(i64, Index{branching.positions[s], {DimSlice{true, space.s}}}, "instance");
      const Operand x = element_of_pieces(read, pieces->second, 0, instance, space.j, row);
      sides[s] = read.finish({x});
      continue;
    }
    const Name start =
        read.let1(i64, Index{branching.starts[s][r], {DimSlice{true, space.s}}}, "start");
    const Name x = read.let1(
        row, Index{branching.data[s][r], {DimSlice{true, read.size_add(start, space.j)}}}, "x");
    sides[s] = read.finish({x});
  }
  const Name x = body.let1(row, If{c, std::move(sides[0]), std::move(sides[1])}, "x");
  copy.pull.results = {{{}, row}};
  copy.pull.body = body.finish({x});
  copy.sinks.push_back({Sink::kOut, 1});
  const Name data = lifting.out->let1(array_of(space.total, row), std::move(copy), "merged");
  bind_output(lifting, b, branching.stmt.pat[k], space, data);
  b.values.at(branching.stmt.pat[k].name).flat = flat;
}

static void if_by_batches(Lifting& lifting, Batch& b, const Stmt& stmt, const If& node) {
  Branching branching{stmt, {}, {}, rows_of(lifting, b, node.cond, scalar_type(Prim::kBool))};
  sort_instances(lifting, b, branching);
  branching.forms = forms_of(b, stmt.pat);
  for (const Param& p : stmt.pat) branching.types.push_back(p.type);
  const std::vector<Form>& forms = branching.forms;
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    branching.merged.emplace_back();
    if (forms[k] != Form::kRegular) continue;
    const Type rows = array_of(b.width, b.host_type(branching.types[k]));
    branching.merged.back() = lifting.out->let1(rows, Scratch{rows.elem, rows.shape}, "merged");
  }
  for (size_t s = 0; s < 2; ++s) {
    const Body& source = s == 0 ? node.then_body : node.else_body;
    const bool simple = source.stmts.empty();
    Batch child;
    child.parent = &b;
    child.depth = b.depth;
    child.width = simple ? b.width : Operand{branching.counts[s]};
    if (!simple) child.members = branching.members[s];
    std::vector<Name> names;
    if (simple) {
      // Values that are there for all instances already.  Sizes may be constants; they need a name
      // here only to be skipped.
      for (const Operand& value : state_values(lifting, b, source.result, branching.types, forms))
        names.push_back(as_name(value) != nullptr ? *as_name(value) : Name{});
    } else {
      names = run_side(lifting, b, child, branching, s, source);
      if (lifting.refused) return;
    }
    put_back(lifting, b, child.width, branching, s, simple, names);
  }
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] != Form::kRegular) continue;
    b.bind(stmt.pat[k].name, in_rows(branching.merged[k]));
  }
  size_t irregular = 0;
  for (size_t k = 0; k < stmt.pat.size(); ++k)
    if (forms[k] != Form::kRegular && forms[k] != Form::kHost)
      merge_irregular(lifting, b, branching, k, irregular++);
}

void lift_if(Lifting& lifting, Batch& b, const Stmt& stmt, const If& node) {
  if (!check_before(lifting, b, stmt, {node.cond}))
    return lifting.refuse("a branch behind a check");
  for (const Param& p : stmt.pat)
    if (p.type.kind != Type::kArray && p.type.kind != Type::kAcc)
      return lifting.refuse("a branch gives a token");
  const auto host = b.host_operand(node.cond);
  if (!host) return if_by_batches(lifting, b, stmt, node);
  const std::vector<Form> forms = forms_of(b, stmt.pat);
  const std::vector<Type> types = types_of(stmt.pat);
  const std::vector<Param> pattern = state_pattern(lifting, b, stmt.pat, b.width);
  Body sides[2];
  const Body* const sources[2] = {&node.then_body, &node.else_body};
  const HostAccs accs = lifting.accs;
  for (size_t s = 0; s < 2; ++s) {
    Batch child = same_instances(b);
    sides[s] = lifted_state(lifting, child, *sources[s], types, forms);
    if (lifting.refused) return;
    lifting.accs = accs;
  }
  const std::vector<Name> names = names_of(pattern);
  lifting.out->let_pat(pattern, If{*host, std::move(sides[0]), std::move(sides[1])});
  bind_state(lifting, b, stmt.pat, names);
}

}  // namespace skald::passes::lift
