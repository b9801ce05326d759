// SPDX-License-Identifier: Apache-2.0
// Partition and flatmap in reverse mode.
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

// The rows of a class came from known places: the same partition, of the numbers of rows, says
// which.  Cotangents go back there; rows that were dropped get zero.
void Reverse::partition(Stmt& stmt, Partition& e, Emit& out) {
  const size_t values = e.inputs.size() - 1;
  const auto classes = static_cast<size_t>(e.classes);
  const Type number = scalar_type(Prim::kI64);
  Partition places;
  places.width = e.width;
  places.classes = e.classes;
  places.inputs = {e.inputs[0],
                   out.let1(array_of(e.width, number),
                            Iota{Prim::kI64, e.width, const_i64(0), const_i64(1)}, "numbers")};
  for (int k = 0; k < 2; ++k) {
    const Name x = out.fresh("x");
    const Type type = k == 0 ? row_type(session_.type_of(e.inputs[0])) : number;
    places.fn.params.push_back({.name = x, .type = type});
    places.fn.results.push_back({.type = type});
    places.fn.body.result.emplace_back(x);
  }
  session_.learn(places.fn.params);
  std::vector<Param> pat;
  for (size_t c = 0; c < classes; ++c) pat.push_back({.name = out.fresh("size"), .type = number});
  for (size_t c = 0; c < classes; ++c)
    pat.push_back({.name = out.fresh("places"), .type = array_of(Operand(pat[c].name), number)});
  const std::vector<Param> found = pat;
  out.let_pat(std::move(pat), std::move(places), stmt.tokens);
  for (size_t k = 0; k < values; ++k) {
    if (!active(e.inputs[1 + k])) continue;
    const Type type = session_.type_of(e.inputs[1 + k]);
    Operand bar = out.zero(type);
    for (size_t c = 0; c < classes; ++c) {
      const auto part = find(stmt.pat[classes + c * values + k].name);
      if (!part) continue;
      const Type mine = array_of(Operand(found[c].name), row_type(type));
      Scatter back;
      back.width = found[c].name;
      back.inputs = {found[classes + c].name, std::get<Name>(out.coerce(*part, mine))};
      for (const Type& row : {number, row_type(type)}) {
        const Name x = out.fresh("x");
        back.fn.params.push_back({.name = x, .type = row});
        back.fn.results.push_back({.type = row});
        back.fn.body.result.emplace_back(x);
      }
      session_.learn(back.fn.params);
      back.dests.push_back({{e.width}, std::get<Name>(bar)});
      bar = out.let1(type, std::move(back), "bar");
    }
    add(e.inputs[1 + k], bar, out, Own::kYes);
  }
}

// A map over the rows that runs the function again; each row cuts its part out of the cotangents of
// the long arrays.
void Reverse::flatmap(Stmt& stmt, FlatMap& e, Emit& out) {
  RowRule rule{.width = e.width, .inputs = e.inputs, .rows = e.inputs.size()};
  rule.fn.params = e.fn.params;
  const Name offset = out.fresh("offset");
  rule.inputs.push_back(stmt.pat[3].name);
  rule.fn.params.push_back({.name = offset, .type = scalar_type(Prim::kI64)});
  const auto data = static_cast<size_t>(e.data);
  Seeds whole_bars, rows(e.fn.results.size());
  for (size_t k = 1; k < e.fn.results.size(); ++k) {
    const auto bar = find(stmt.pat[3 + k].name);
    if (!bar || k <= data) {
      whole_bars.push_back(bar);
      continue;
    }
    const Name row = out.fresh("bar");
    rule.inputs.push_back(std::get<Name>(*bar));
    rule.fn.params.push_back({.name = row, .type = e.fn.results[k].type});
    rows[k] = row;
    whole_bars.push_back(bar);
  }
  session_.learn(rule.fn.params);
  const Operand length = e.fn.body.result[0];
  rule.fn.body = std::move(e.fn.body);
  rule.seeds = [&](Emit& in) {
    Seeds seeds = rows;
    for (size_t k = 1; k <= data; ++k)
      if (whole_bars[k - 1])
        seeds[k] = in.index(std::get<Name>(*whole_bars[k - 1]),
                            {{.is_index = false, .start = offset, .count = length}});
    return seeds;
  };
  map_rows(std::move(rule), stmt.tokens, out);
}

}  // namespace skald::passes::ad
