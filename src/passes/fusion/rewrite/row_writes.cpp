// SPDX-License-Identifier: Apache-2.0
// A nest of maps, and histograms or scatters of what it makes, as one with_acc.
//
//   with_acc(acc [k] {dest} with op, \{a} ->
//     map(n, {a, xs}, \{b, x} -> …
//       (the function of the inner map and the histogram's, for column 0)
//       let {c} = update_acc(b, {i}, {v})
//       (the same for column 1)
//       let {d} = update_acc(c, {j}, {w}) …
//
// Levels of a few columns are written out, so that a row's code runs once for all of them; others
// stay maps.  A short row that is made in another way is made as a whole, and then read.
#include "passes/fusion/rewrite/row_writes.h"

#include <utility>

#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

class RowWrites {
 public:
  RowWrites(Program& prog, const RowNest& nest, size_t kept, std::vector<FlatWrites> writes,
            Loc loc)
      : prog_(prog), nest_(nest), kept_(kept), writes_(std::move(writes)), loc_(loc) {}

  Stmt with_acc(Stmt stmt, std::vector<Stmt>& before) {
    Builder out(prog_);
    out.set_loc(loc_);
    std::vector<Name> rows;
    for (FlatWrites& flat : writes_) {
      std::vector<std::optional<size_t>>& values = flat.values;
      for (size_t k = 0; k < values.size(); ++k) {
        if (values[k]) continue;
        const Type type = array_of(nest_.shape, flat.fn.params[k].type);
        rows.push_back(out.let1(type, Reshape{flat.inputs[k], nest_.shape}, "rows"));
      }
    }
    for (Stmt& each : out.stmts()) before.push_back(std::move(each));
    out.stmts().clear();
    WithAcc node;
    std::vector<Param> pat;
    std::vector<Name> accs;
    for (FlatWrites& flat : writes_) {
      size_t index = 0, result = 0;
      for (const AccInput& dest : flat.dests) index += dest.shape.size();
      for (AccInput& dest : flat.dests) {
        Type type;
        type.kind = Type::kAcc;
        type.shape = dest.shape;
        sums_.push_back(flat.pat[result].name);
        for (size_t k = 0; k < dest.arrays.size(); ++k)
          type.acc_elems.push_back(flat.fn.results[index + result++].type);
        node.inputs.push_back({dest.shape, dest.arrays, std::move(dest.op)});
        accs.push_back(prog_.names.fresh("acc"));
        node.fn.params.push_back({accs.back(), type});
        node.fn.results.push_back({{}, type});
        types_.push_back(type);
      }
      pat.insert(pat.end(), flat.pat.begin(), flat.pat.end());
    }
    std::vector<Param> kept;
    std::vector<Operand> results;
    for (const size_t r : nest_.kept) {
      Param p = stmt.pat[r];
      pat.push_back(p);
      node.fn.results.push_back({{}, p.type});
      p.name = prog_.names.fresh_like(p.name);
      kept.push_back(p);
      results.emplace_back(p.name);
    }
    level(out, 0, std::move(*as<Soac>(stmt.exp)), rows, accs, std::move(kept), stmt.tokens);
    results.insert(results.begin(), accs.begin(), accs.end());
    node.fn.body = out.finish(std::move(results));
    return {std::move(pat), std::move(node), {}, {}, loc_};
  }

 private:
  // A level that stays a map.  `accs` are those before it, and then those after.
  void level(Builder& out, size_t number, Soac map, const std::vector<Name>& rows,
             std::vector<Name>& accs, std::vector<Param> kept, const std::vector<Name>& tokens) {
    std::vector<Operand> own, inside;
    for (size_t k = 0; k < kept.size(); ++k) own.push_back(map.fn.body.result[nest_.kept[k]]);
    std::vector<Name> inner_accs;
    std::vector<Param> params, pat;
    std::vector<Ret> results;
    std::vector<Name> inputs = accs;
    for (size_t k = 0; k < accs.size(); ++k) {
      inner_accs.push_back(prog_.names.fresh("acc"));
      params.push_back({inner_accs.back(), types_[k]});
      results.push_back({{}, types_[k]});
      accs[k] = prog_.names.fresh_like(sums_[k]);
      pat.push_back({accs[k], types_[k]});
    }
    params.insert(params.end(), map.fn.params.begin(), map.fn.params.end());
    inputs.insert(inputs.end(), map.inputs.begin(), map.inputs.end());
    const std::vector<Operand> rest(nest_.shape.begin() + static_cast<ptrdiff_t>(number) + 1,
                                    nest_.shape.end());
    for (size_t k = 0; k < rows.size(); ++k) {
      const Name row = prog_.names.fresh("row");
      params.push_back({row, array_of(rest, row_type(k))});
      inputs.push_back(rows[k]);
      inside.emplace_back(row);
    }
    for (size_t k = 0; k < kept.size(); ++k) results.push_back(map.fn.results[nest_.kept[k]]);
    Builder body(prog_);
    body.set_loc(loc_);
    point(body, number, std::move(map.fn.body), inside, inner_accs);
    std::vector<Operand> given(inner_accs.begin(), inner_accs.end());
    given.insert(given.end(), own.begin(), own.end());
    pat.insert(pat.end(), kept.begin(), kept.end());
    map.fn = Lambda{std::move(params), std::move(results), body.finish(std::move(given))};
    map.inputs = std::move(inputs);
    out.let_pat(std::move(pat), std::move(map), tokens);
  }

  // What the function of a level does for one point; its parameters are known.
  void point(Builder& out, size_t number, Body body, const std::vector<Operand>& rows,
             std::vector<Name>& accs) {
    const bool last = number + 1 == nest_.maps();
    for (size_t s = 0; s < body.stmts.size(); ++s) {
      Stmt& stmt = body.stmts[s];
      if (last || s != nest_.inner[number]) {
        out.append(std::move(stmt));
        continue;
      }
      std::vector<Name> names;
      for (const Operand& row : rows) names.push_back(std::get<Name>(row));
      Soac& inner = *as<Soac>(stmt.exp);
      if (number + 1 < kept_)
        level(out, number + 1, std::move(inner), names, accs, {}, stmt.tokens);
      else
        columns(out, number + 1, inner, stmt.tokens, names, accs);
    }
    if (last) elements(out, number + 1, {}, body.result, rows, accs);
  }

  // The elements of a short row, of one or more dimensions, one after the other.
  void elements(Builder& out, size_t number, const std::vector<DimSlice>& at,
                const std::vector<Operand>& values, const std::vector<Operand>& rows,
                std::vector<Name>& accs) {
    if (number < nest_.shape.size()) {
      for (int64_t k = 0; k < int_value(*as_const(nest_.shape[number])); ++k) {
        std::vector<DimSlice> inner = at;
        inner.push_back({true, const_i64(k)});
        elements(out, number + 1, inner, values, rows, accs);
      }
      return;
    }
    if (at.empty()) return write(out, values, rows, accs);
    std::vector<Operand> own = values, given;
    for (const FlatWrites& flat : writes_)
      for (size_t k = 0; k < flat.values.size(); ++k) {
        if (!flat.values[k]) continue;
        const size_t r = nest_.values[*flat.values[k]];
        own[r] = out.let1(flat.fn.params[k].type, Index{std::get<Name>(values[r]), at}, "x");
      }
    for (size_t k = 0; k < rows.size(); ++k)
      given.emplace_back(out.let1(row_type(k), Index{std::get<Name>(rows[k]), at}, "x"));
    write(out, own, given, accs);
  }

  // All columns of a level, one after the other.
  void columns(Builder& out, size_t number, const Soac& map, const std::vector<Name>& tokens,
               const std::vector<Name>& rows, std::vector<Name>& accs) {
    const int64_t width = int_value(*as_const(map.width));
    const std::vector<Operand> rest(nest_.shape.begin() + static_cast<ptrdiff_t>(number) + 1,
                                    nest_.shape.end());
    for (int64_t k = 0; k < width; ++k) {
      const auto column = [&](Name array, const Type& type) {
        return out.let1(type, Index{array, {DimSlice{true, const_i64(k)}}}, "x", tokens);
      };
      Substitution subst;
      for (size_t p = 0; p < map.fn.params.size(); ++p)
        subst.emplace(map.fn.params[p].name, column(map.inputs[p], map.fn.params[p].type));
      std::vector<Operand> inside;
      for (size_t r = 0; r < rows.size(); ++r)
        inside.emplace_back(column(rows[r], array_of(rest, row_type(r))));
      point(out, number, copy_with_fresh_names(map.fn.body, prog_.names, std::move(subst)), inside,
            accs);
    }
  }

  // The functions of the histograms and scatters, and a write to each.
  void write(Builder& out, const std::vector<Operand>& values, const std::vector<Operand>& rows,
             std::vector<Name>& accs) {
    size_t row = 0, acc = 0;
    for (const FlatWrites& flat : writes_) {
      const Lambda& fn = flat.fn;
      Substitution subst;
      for (size_t k = 0; k < fn.params.size(); ++k)
        subst.emplace(fn.params[k].name,
                      flat.values[k] ? values[nest_.values[*flat.values[k]]] : rows[row++]);
      Body body = copy_with_fresh_names(fn.body, prog_.names, std::move(subst));
      for (Stmt& stmt : body.stmts) out.append(std::move(stmt));
      size_t index = 0, value = 0;
      for (const AccInput& dest : flat.dests) value += dest.shape.size();
      for (const AccInput& dest : flat.dests) {
        UpdateAcc update{accs[acc], {}, {}};
        for (size_t d = 0; d < dest.shape.size(); ++d)
          update.indices.push_back(body.result[index++]);
        for (size_t d = 0; d < dest.arrays.size(); ++d)
          update.values.push_back(body.result[value++]);
        accs[acc] = out.let1(types_[acc], std::move(update), "acc");
        ++acc;
      }
    }
  }

  // The element type of an array that is not from the nest.
  Type row_type(size_t number) const {
    for (const FlatWrites& flat : writes_)
      for (size_t k = 0; k < flat.values.size(); ++k)
        if (!flat.values[k] && number-- == 0) return flat.fn.params[k].type;
    return {};
  }

  Program& prog_;
  const RowNest& nest_;
  size_t kept_;
  std::vector<FlatWrites> writes_;
  std::vector<Type> types_;  // of the accumulators
  std::vector<Name> sums_;   // an array that each becomes
  Loc loc_;
};

}  // namespace

Stmt with_writes(Program& prog, Stmt stmt, const RowNest& nest, size_t kept,
                 std::vector<FlatWrites> writes, std::vector<Stmt>& before) {
  const Loc loc = stmt.loc;
  return RowWrites(prog, nest, kept, std::move(writes), loc).with_acc(std::move(stmt), before);
}

}  // namespace skald::passes::fusion
