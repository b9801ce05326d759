// SPDX-License-Identifier: Apache-2.0
// Branches around parallel code, for a batch.
//
// A branch whose condition is the same for all instances is a branch of the host.  Otherwise the
// instances are sorted into two batches; a batch that is empty runs nothing, which is also what
// ends recursion.  Regular results are scattered back; irregular ones are copied once, each
// instance from the side it took.  A side that only names values runs on all instances instead
// of a batch of its own: nothing is gathered for it.
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

// One side as a body of host code whose results are the state of `types`.
Body Lifter::side(Batch& child, const Body& body, const std::vector<Type>& types,
                  const std::vector<Form>& forms) {
  Builder code(prog_);
  code.set_loc(loc_);
  Builder* const before = out_;
  out_ = &code;
  lift_body(child, body);
  std::vector<Operand> values;
  if (!refused_) values = state_values(child, body.result, types, forms);
  out_ = before;
  return code.finish(std::move(values));
}

// The checks that a branch or loop waits for are run for every instance before it.  What it needs
// first, one of `needed`, is stored behind them.
bool Lifter::check_before(Batch& b, const Stmt& stmt, const std::vector<Operand>& needed) {
  if (stmt.tokens.empty()) return true;
  for (const Operand& operand : needed) {
    const Name* name = as_name(operand);
    if (name == nullptr || find(b, *name).value == nullptr || !type_of(*name).is_scalar() ||
        type_of(*name).kind != Type::kArray)
      continue;
    const Type type = type_of(*name);
    const std::vector<Name> arrays = per_instance(
        b, {type},
        [&](Point& at) -> std::vector<Operand> {
          const Operand value = bring(at, operand);
          std::vector<Name> tokens;
          for (const Name token : stmt.tokens)
            tokens.push_back(std::get<Name>(bring(at, Operand{token})));
          return {at.body.let1(type, Value{value}, "checked", std::move(tokens))};
        },
        "checked");
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = arrays[0];
    b.values.insert_or_assign(*name, value);
    return true;
  }
  return false;
}

void Lifter::lift_if(Batch& b, const Stmt& stmt, const If& node) {
  if (!check_before(b, stmt, {node.cond})) return refuse("a branch behind a check");
  for (const Param& p : stmt.pat)
    if (p.type.kind != Type::kArray && p.type.kind != Type::kAcc)
      return refuse("a branch gives a token");
  const auto host = host_operand(b, node.cond);
  if (!host) return if_by_batches(b, stmt, node);
  const std::vector<Form> forms = forms_of(b, stmt.pat);
  std::vector<Type> types;
  for (const Param& p : stmt.pat) types.push_back(p.type);
  const std::vector<Param> pattern = state_pattern(b, stmt.pat, b.width);
  Body sides[2];
  const Body* const sources[2] = {&node.then_body, &node.else_body};
  const std::unordered_map<Name, HostAcc> accs = accs_;
  for (size_t s = 0; s < 2; ++s) {
    Batch child;
    child.width = b.width;
    child.parent = &b;
    child.depth = b.depth;
    sides[s] = side(child, *sources[s], types, forms);
    if (refused_) return;
    accs_ = accs;
  }
  std::vector<Name> names;
  for (const Param& p : pattern) names.push_back(p.name);
  out_->let_pat(pattern, If{*host, std::move(sides[0]), std::move(sides[1])});
  bind_state(b, stmt.pat, names);
}

void Lifter::if_by_batches(Batch& b, const Stmt& stmt, const If& node) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  const Name conds = rows_of(b, node.cond, boolean);
  // Which instances take which side.
  Kernel sort;
  sort.domain.dims = {b.width};
  const Name i = prog_.names.fresh("i");
  sort.pull.params = {{i, i64}};
  sort.pull.results = {{{}, i64}, {{}, i64}};
  {
    Builder body(prog_);
    const Name c = body.let1(boolean, Index{conds, {DimSlice{true, i}}}, "c");
    const Name which = body.let1(i64, Select{c, const_i64(0), const_i64(1)}, "side");
    sort.pull.body = body.finish({which, i});
  }
  Sink sink{Sink::kPartition, 2};
  sink.classes = 2;
  sort.sinks.push_back(std::move(sink));
  const Name counts[2] = {prog_.names.fresh("batch"), prog_.names.fresh("batch")};
  const Name members[2] = {prog_.names.fresh("members"), prog_.names.fresh("members")};
  out_->let_pat({{counts[0], i64},
                 {counts[1], i64},
                 {members[0], array_of(counts[0], i64)},
                 {members[1], array_of(counts[1], i64)}},
                std::move(sort));

  const std::vector<Form> forms = forms_of(b, stmt.pat);
  std::vector<Type> types;
  for (const Param& p : stmt.pat) types.push_back(p.type);
  const Body* const sources[2] = {&node.then_body, &node.else_body};
  // What each side gives, as arrays over all instances: rows, or the starts of segments.
  std::vector<Name> merged;
  std::vector<Name> side_starts[2], side_data[2];
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] != Form::kRegular) {
      merged.emplace_back();
      continue;
    }
    const Type rows = array_of(b.width, host_type(b, types[k]));
    merged.push_back(out_->let1(rows, Scratch{rows.elem, rows.shape}, "merged"));
  }
  for (size_t s = 0; s < 2; ++s) {
    const bool simple = sources[s]->stmts.empty();
    Batch child;
    child.parent = &b;
    child.depth = b.depth;
    child.width = simple ? b.width : Operand{counts[s]};
    if (!simple) child.members = members[s];
    std::vector<Name> names;
    if (simple) {
      // Values that are there for all instances already.
      size_t at = 0;
      for (const Operand& value : state_values(b, sources[s]->result, types, forms)) {
        // Sizes may be constants; they need a name here only to be skipped.
        names.push_back(as_name(value) != nullptr ? *as_name(value) : Name{});
        ++at;
      }
    } else {
      // One side writes to the accumulators after the other.
      std::vector<Name> untouched;
      for (const Param& p : stmt.pat)
        if (p.type.kind == Type::kAcc) untouched.push_back(host_acc(p.name).name);
      size_t next_acc = 0;
      Body run = side(child, *sources[s], types, forms);
      if (refused_) return;
      const std::vector<Param> pattern = state_pattern(b, stmt.pat, counts[s]);
      Builder skip(prog_);
      std::vector<Operand> nothing;
      Operand none = const_i64(0);
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
      const Operand some = out_->cmpop(CmpOpKind::kLt, Prim::kI64, const_i64(0), counts[s], "some");
      for (const Param& p : pattern) names.push_back(p.name);
      out_->let_pat(pattern, If{some, std::move(run), skip.finish(std::move(nothing))});
    }
    // Back to where they belong.
    Kernel put;
    put.domain.dims = {child.width};
    const Name m = prog_.names.fresh("m");
    put.pull.params = {{m, i64}};
    Builder body(prog_);
    Operand place = m;
    if (!simple) {
      place = body.let1(i64, Index{members[s], {DimSlice{true, m}}}, "at");
    } else {
      // Only those that take this side are written.
      const Name c = body.let1(boolean, Index{conds, {DimSlice{true, m}}}, "c");
      place = s == 0 ? body.let1(i64, Select{c, m, const_i64(-1)}, "at")
                     : body.let1(i64, Select{c, const_i64(-1), m}, "at");
    }
    std::vector<Operand> values;
    std::vector<Type> results;
    std::vector<size_t> written;
    size_t at = 0;
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (forms[k] == Form::kHost) {
        host_acc(stmt.pat[k].name).name = names[at++];
        continue;
      }
      if (forms[k] == Form::kRegular) {
        const Type row = host_type(b, types[k]);
        values.push_back(place);
        values.emplace_back(body.let1(row, Index{names[at], {DimSlice{true, m}}}, "v"));
        put.pull.results.push_back({{}, i64});
        put.pull.results.push_back({{}, row});
        Sink write{Sink::kScatter, 2};
        write.shape = {b.width};
        write.dests = {merged[k]};
        put.sinks.push_back(std::move(write));
        results.push_back(array_of(b.width, row));
        written.push_back(k);
        ++at;
        continue;
      }
      if (simple) {
        side_starts[s].push_back(names[at + 1]);
      } else {
        const Type all = array_of(b.width, i64);
        values.push_back(place);
        values.emplace_back(body.let1(i64, Index{names[at + 1], {DimSlice{true, m}}}, "v"));
        put.pull.results.push_back({{}, i64});
        put.pull.results.push_back({{}, i64});
        Sink write{Sink::kScatter, 2};
        write.shape = {b.width};
        write.dests = {out_->let1(all, Scratch{all.elem, all.shape}, "starts")};
        put.sinks.push_back(std::move(write));
        results.push_back(all);
        written.push_back(stmt.pat.size() + side_starts[s].size());
        side_starts[s].emplace_back();
      }
      side_data[s].push_back(names[at + 2]);
      at += 3;
    }
    if (!results.empty()) {
      put.pull.body = body.finish(std::move(values));
      const std::vector<Name> arrays = out_->let(results, std::move(put), "merged");
      for (size_t k = 0; k < written.size(); ++k) {
        if (written[k] < stmt.pat.size())
          merged[written[k]] = arrays[k];
        else
          side_starts[s][written[k] - stmt.pat.size()] = arrays[k];
      }
    }
  }
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] != Form::kRegular) continue;
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = merged[k];
    b.values.insert_or_assign(stmt.pat[k].name, value);
  }
  // Irregular results: every element from the side its instance took.
  size_t irregular = 0;
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular || forms[k] == Form::kHost) continue;
    const bool flat = forms[k] == Form::kFlatSegments;
    const Type row = flat ? scalar_type(types[k].elem) : host_type(b, row_type(types[k]));
    Space space;
    if (!flat) {
      space = space_of(b, types[k].shape[0], {});
    } else {
      const Batch::Segments segments =
          scan_lengths(b, [&](Point& at) { return element_count(at, types[k], true); });
      space.offsets = segments.offsets;
      space.total = segments.total;
      space = with_indices(space);
    }
    Kernel copy = open(space, b);
    Builder body(prog_);
    const Name c = body.let1(boolean, Index{conds, {DimSlice{true, space.s}}}, "c");
    Body sides[2];
    for (size_t s = 0; s < 2; ++s) {
      Builder read(prog_);
      const Name start =
          read.let1(i64, Index{side_starts[s][irregular], {DimSlice{true, space.s}}}, "start");
      const Name x = read.let1(
          row, Index{side_data[s][irregular], {DimSlice{true, read.size_add(start, space.j)}}},
          "x");
      sides[s] = read.finish({x});
    }
    const Name x = body.let1(row, If{c, std::move(sides[0]), std::move(sides[1])}, "x");
    copy.pull.results = {{{}, row}};
    copy.pull.body = body.finish({x});
    copy.sinks.push_back({Sink::kOut, 1});
    const Name data = out_->let1(array_of(space.total, row), std::move(copy), "merged");
    bind_output(b, stmt.pat[k], space, data);
    b.values.at(stmt.pat[k].name).flat = flat;
    ++irregular;
  }
}

}  // namespace skald::passes
