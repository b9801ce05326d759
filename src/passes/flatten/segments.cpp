// SPDX-License-Identifier: Apache-2.0
// Irregular nests: rows of different lengths lie one after another, and one kernel runs over all
// their elements.
//
//   map(n, {starts, lengths}, \{o, k} ->              lengths   2 0 3
//     is = iota(k)                                    offsets   0 2 2 5
//     s = reduce(k, {is}, \{j} -> xs[o + j]))         segments  0 0 2 2 2
//                                                     position  0 1 0 1 2
// becomes
//   kernel(flat(n), \{i} -> lengths[i], scan (+))     ends of the segments; with a 0 in front,
//   offsets kernel(seg(n, total; offsets), \{s, j, p} -> xs[starts[s] + j], reduce (+))
//   kernel(flat(n), …)                                what follows the reduction, if anything does
//
// Code before the inner SOAC is repeated at every element if it is cheap, otherwise the first
// kernel stores its value for every segment; elements read it through their segment.  Nothing is
// replicated.  The same kernels, with the elements stored, make a flatmap.
#include "passes/flatten/segments.h"

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/segment_nest.h"
#include "passes/kernels/sequentialise.h"

namespace skald::passes {

using namespace core;

namespace {

// The function with a map over its data at the end, which copies elements.
Lambda with_copying_map(Program& prog, const FlatMap& flat) {
  Lambda fn = copy_with_fresh_names(flat.fn, prog.names);
  Soac map;
  map.width = fn.body.result[0];
  std::vector<Param> pat;
  for (size_t k = 1; k <= static_cast<size_t>(flat.data); ++k) {
    const Type row = row_type(fn.results[k].type);
    map.inputs.push_back(std::get<Name>(fn.body.result[k]));
    map.fn.params.push_back({prog.names.fresh("x"), row});
    map.fn.results.push_back({{}, row});
    map.fn.body.result.emplace_back(map.fn.params.back().name);
    pat.push_back({prog.names.fresh("data"), array_of(map.width, row)});
    fn.body.result[k] = pat.back().name;
  }
  fn.body.stmts.push_back({std::move(pat), std::move(map)});
  return fn;
}

bool kernels_of_flatmap(Builder& out, Stmt& stmt, const FlatMap& flat, const Lambda& fn) {
  Program& prog = out.program();
  SegmentNest segments(prog, flat.width, flat.inputs, fn, stmt.loc);
  if (!segments.match(&fn.body.result[0])) return false;
  // The data must be exactly results of the inner map, and the length its width.
  const auto data = static_cast<size_t>(flat.data);
  const std::vector<Operand>& results = fn.body.result;
  const Stmt& inner = segments.inner_stmt();
  if (!segments.inner().reduces.empty()) return false;
  std::vector<size_t> order;
  for (size_t k = 0; k < data; ++k) {
    const auto found = std::find_if(inner.pat.begin(), inner.pat.end(), [&](const Param& p) {
      return results[1 + k] == Operand{p.name};
    });
    if (found == inner.pat.end()) return false;
    order.push_back(static_cast<size_t>(found - inner.pat.begin()));
  }
  const std::vector<Operand> further(results.begin() + 1 + static_cast<ptrdiff_t>(data),
                                     results.end());
  if (segments.needs_inner(further)) return false;
  std::vector<Operand> more = {segments.inner().width};
  std::vector<Type> types = {scalar_type(Prim::kI64)};
  for (size_t k = 0; k < further.size(); ++k) {
    more.push_back(further[k]);
    types.push_back(fn.results[1 + data + k].type);
  }

  const Loc before = out.loc();
  out.set_loc(stmt.loc);
  const std::vector<Name> stored = segments.first_kernel(out, more, types);
  Param &total = stmt.pat[0], &lengths = stmt.pat[1], &flags = stmt.pat[2], &offsets = stmt.pat[3];
  out.let_pat({total}, Value{segments.total()});
  out.let_pat({lengths}, Value{stored[0]});
  const Name starts =
      out.let1(offsets.type,
               Index{segments.offsets(), {DimSlice{false, const_i64(0), flat.width, const_i64(1)}}},
               "starts");
  out.let_pat({offsets}, Copy{starts});
  for (size_t k = 0; k < further.size(); ++k)
    out.let_pat({stmt.pat[4 + data + k]}, Value{stored[1 + k]});

  Kernel kernel = segments.element_kernel();
  // A flag where a segment begins, then the data.
  Body& body = kernel.pull.body;
  Builder end(prog);
  for (Stmt& s : body.stmts) end.append(std::move(s));
  std::vector<Operand> values = {
      end.cmpop(CmpOpKind::kEq, Prim::kI64, kernel.pull.params[1].name, const_i64(0), "first")};
  std::vector<Ret> value_types = {{{}, scalar_type(Prim::kBool)}};
  std::vector<Param> pat = {flags};
  kernel.sinks.push_back({Sink::kOut, 1});
  for (size_t k = 0; k < data; ++k) {
    values.push_back(body.result[order[k]]);
    value_types.push_back(kernel.pull.results[order[k]]);
    pat.push_back(stmt.pat[4 + k]);
    kernel.sinks.push_back({Sink::kOut, 1});
  }
  kernel.pull.results = std::move(value_types);
  kernel.pull.body = end.finish(std::move(values));
  // The kernel's types say the total; the pattern's name for it is a copy.
  out.let_pat(std::move(pat), std::move(kernel));
  out.set_loc(before);
  return true;
}

}  // namespace

bool flatmap_kernels(Builder& out, Stmt& stmt) {
  const FlatMap& flat = *as<FlatMap>(stmt.exp);
  if (stmt.hints.sequential || stmt.hints.sequential_outer || !stmt.tokens.empty()) return false;
  return kernels_of_flatmap(out, stmt, flat, flat.fn) ||
         (flat.data > 0 &&
          kernels_of_flatmap(out, stmt, flat, with_copying_map(out.program(), flat)));
}

std::optional<Body> segmented_version(Program& prog, const Stmt& stmt) {
  const Soac* map = as<Soac>(stmt.exp);
  if (map == nullptr || !map->is_map() || stmt.hints.sequential || stmt.hints.sequential_outer ||
      stmt.hints.sequential_inner || stmt.hints.flattening.sequentialise_nonuniform ||
      !stmt.tokens.empty())
    return std::nullopt;
  SegmentNest segments(prog, map->width, map->inputs, map->fn, stmt.loc);
  if (!segments.match()) return std::nullopt;
  const Soac& inner = segments.inner();
  const std::vector<Operand>& results = map->fn.body.result;
  size_t reduced = 0;
  for (const Operator& op : inner.reduces) reduced += op.neutral.size();
  if (reduced == 0 || inner.fn.results.size() != reduced || !segments.uses_only_reductions(results))
    return std::nullopt;

  Builder out(prog);
  out.set_loc(stmt.loc);
  segments.first_kernel(out, {}, {});
  Kernel elements = segments.element_kernel();
  std::vector<Param> pat;
  std::unordered_map<Name, Name> known;
  size_t at = 0;
  for (const Operator& op : inner.reduces) {
    Sink sink{Sink::kReduce, static_cast<int>(op.neutral.size())};
    Operator copy{copy_with_fresh_names(op.fn, prog.names), op.neutral, op.commutative};
    sequentialise(copy.fn.body, prog);
    sink.op.push_back(std::move(copy));
    elements.sinks.push_back(std::move(sink));
    for (size_t k = 0; k < op.neutral.size(); ++k, ++at) {
      const Param& p = segments.inner_stmt().pat[at];
      pat.push_back({prog.names.fresh_like(p.name), array_of(map->width, p.type)});
      known.emplace(p.name, pat.back().name);
    }
  }
  out.let_pat(std::move(pat), std::move(elements));
  // What follows, unless the results are those of the reductions.
  std::vector<Operand> direct;
  for (const Operand& result : results) {
    const Name* name = as_name(result);
    const auto found = name == nullptr ? known.end() : known.find(*name);
    if (found != known.end() &&
        std::find(direct.begin(), direct.end(), Operand{found->second}) == direct.end())
      direct.emplace_back(found->second);
  }
  if (direct.size() == results.size()) return out.finish(std::move(direct));
  std::vector<Type> types, arrays;
  for (const Ret& ret : map->fn.results) {
    types.push_back(ret.type);
    arrays.push_back(array_of(map->width, ret.type));
  }
  Kernel last;
  last.domain.dims = {map->width};
  last.pull = segments.per_segment(results, types, known);
  for (size_t k = 0; k < results.size(); ++k) last.sinks.push_back({Sink::kOut, 1});
  const std::vector<Name> names = out.let(arrays, std::move(last), "map_res");
  return out.finish({names.begin(), names.end()});
}

}  // namespace skald::passes
