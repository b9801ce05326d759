// SPDX-License-Identifier: Apache-2.0
// Rule 5, PERMUTE → REDUCE: a reduction whose operator commutes need not see the rows in order.
//
//   before   let {rs} = ys[n-1 for n by -1]
//            let {s} = soac(n, {rs}, f, reduce commutative op)
//
//   after    let {s} = soac(n, {ys}, f, reduce commutative op)
//
// Then it can be merged with what makes or reads ys.  Orders are what views say: reversals,
// transpositions that are flattened, rotations (both parts of an array, the last one first).  Where
// a reduction reads several arrays, all of them must be in the same order.
#include "passes/fusion/rewrite/reorder.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// One view on the way from an array to what is read; equal ones move elements alike.
struct ViewStep {
  enum Kind : uint8_t { kReverse, kRearrange, kRotate, kReshape };
  Kind kind = kReshape;
  std::vector<int> dims = {};  // kReverse: 1 if reversed; kRearrange: the permutation
  std::vector<Operand> shape =
      {};  // kReshape: of the result; kRotate: where the second part begins
  friend bool operator==(const ViewStep&, const ViewStep&) = default;
};

struct Viewed {
  Name source;
  std::vector<ViewStep> steps;
  bool moved = false;
};

struct Defs {
  std::unordered_map<Name, const Stmt*> made_by;
  std::unordered_map<Name, const Type*> types;
  const ArrayTypes& outer;

  const Stmt* maker(Name name) const {
    const auto found = made_by.find(name);
    return found == made_by.end() ? nullptr : found->second;
  }
  const Type* type(Name name) const {
    const auto found = types.find(name);
    if (found != types.end()) return found->second;
    const auto outside = outer.find(name);
    return outside == outer.end() ? nullptr : &outside->second;
  }
};

bool is_one(const Operand& o, int64_t value) {
  const Const* c = as_const(o);
  return c != nullptr && int_value(*c) == value;
}

// All of the dimension, forwards (1) or backwards (-1); 0: something else.
int whole_dim(const DimSlice& dim, const Operand& size) {
  if (dim.is_index || !(dim.count == size)) return 0;
  if (is_one(dim.stride, 1) && is_one(dim.start, 0)) return 1;
  // All indices are in bounds, so a slice that is as long begins at the end.
  return is_one(dim.stride, -1) ? -1 : 0;
}

// array[start for count], contiguous, of one dimension.
const DimSlice* plain_part(const Defs& defs, Name part, Name& array) {
  const Stmt* stmt = defs.maker(part);
  const Index* e = stmt == nullptr || !stmt->tokens.empty() ? nullptr : as<Index>(stmt->exp);
  if (e == nullptr || e->slice.size() != 1 || e->slice[0].is_index ||
      !is_one(e->slice[0].stride, 1))
    return nullptr;
  array = e->array;
  return e->slice.data();
}

// The step from the operand of a view, which it puts into `array`, to the view.
std::optional<ViewStep> step_of(const Defs& defs, const Stmt& stmt, Name& array) {
  if (!stmt.tokens.empty()) return std::nullopt;
  if (const auto* e = as<Index>(stmt.exp)) {
    const Type* type = defs.type(e->array);
    if (type == nullptr || e->slice.size() > type->shape.size()) return std::nullopt;
    ViewStep step{ViewStep::kReverse};
    for (size_t k = 0; k < e->slice.size(); ++k) {
      const int way = whole_dim(e->slice[k], type->shape[k]);
      if (way == 0) return std::nullopt;
      step.dims.push_back(way < 0 ? 1 : 0);
    }
    array = e->array;
    return step;
  }
  if (const auto* e = as<Rearrange>(stmt.exp)) {
    array = e->array;
    return ViewStep{ViewStep::kRearrange, e->perm};
  }
  if (const auto* e = as<Reshape>(stmt.exp)) {
    array = e->array;
    return ViewStep{ViewStep::kReshape, {}, e->shape};
  }
  if (const auto* e = as<Concat>(stmt.exp)) {
    // The end, then the beginning, and together as long as the array.
    Name first = {}, second = {};
    if (e->dim != 0 || e->arrays.size() != 2) return std::nullopt;
    const DimSlice* end = plain_part(defs, e->arrays[0], first);
    const DimSlice* begin = plain_part(defs, e->arrays[1], second);
    if (end == nullptr || begin == nullptr || !(first == second) || !is_one(begin->start, 0) ||
        !(begin->count == end->start))
      return std::nullopt;
    const Type* type = defs.type(first);
    if (type == nullptr || type->rank() != 1 || !(type->shape[0] == stmt.pat[0].type.shape[0]))
      return std::nullopt;
    array = first;
    return ViewStep{ViewStep::kRotate, {}, {end->start}};
  }
  return std::nullopt;
}

Viewed look_through(const Defs& defs, Name input) {
  constexpr int kMaxSteps = 20;
  Viewed viewed{input, {}};
  for (int k = 0; k < kMaxSteps; ++k) {
    const Stmt* stmt = defs.maker(viewed.source);
    if (stmt == nullptr || stmt->pat.size() != 1) break;
    std::optional<ViewStep> step = step_of(defs, *stmt, viewed.source);
    if (!step) break;
    viewed.moved = viewed.moved || step->kind != ViewStep::kReshape;
    viewed.steps.push_back(std::move(*step));
  }
  return viewed;
}

// Reductions and nothing else, of rows that are scalars.
bool reduces_scalars(const Soac& soac) {
  size_t values = 0;
  for (const Operator& op : soac.reduces) values += op.neutral.size();
  return soac.scans.empty() && soac.post.empty() && !soac.reduces.empty() &&
         values == soac.fn.results.size() && takes_scalars(soac.fn) && !soac.inputs.empty();
}

std::optional<std::string> why_in_order(const Soac& soac, const std::vector<Viewed>& inputs,
                                        const Defs& defs) {
  if (std::ranges::any_of(soac.reduces, [](const Operator& op) { return !op.commutative; }))
    return "the operator does not commute";
  for (const Viewed& viewed : inputs) {
    if (viewed.steps != inputs[0].steps) return "its inputs are in different orders";
    const Type *a = defs.type(viewed.source), *b = defs.type(inputs[0].source);
    if (a == nullptr || b == nullptr || a->shape != b->shape)
      return "its inputs are in different orders";
  }
  return std::nullopt;
}

bool rotates(const std::vector<Viewed>& inputs) {
  return std::ranges::any_of(inputs[0].steps,
                             [](const ViewStep& step) { return step.kind == ViewStep::kRotate; });
}

bool is_consumed(const Body& body, const std::vector<Viewed>& inputs, analysis::Aliases& aliases) {
  std::unordered_set<Name> roots;
  for (const Viewed& viewed : inputs)
    for (const Name root : aliases.roots(viewed.source)) roots.insert(root);
  for (const Stmt& stmt : body.stmts)
    for (const Name root : aliases.consumed(stmt))
      if (roots.contains(root)) return true;
  return false;
}

// A view that nobody looks at any more would make its source seem needed.
void remove_dead_views(Body& body) {
  NameSet used;
  for (const Operand& o : body.result)
    if (const Name* name = as_name(o)) used.insert(*name);
  std::vector<Stmt> kept;
  for (size_t s = body.stmts.size(); s-- > 0;) {
    Stmt& stmt = body.stmts[s];
    const bool is_view = as<Index>(stmt.exp) != nullptr || as<Reshape>(stmt.exp) != nullptr ||
                         as<Rearrange>(stmt.exp) != nullptr || as<Concat>(stmt.exp) != nullptr;
    if (is_view && !used.contains(stmt.pat[0].name)) continue;
    used.merge(free_names(stmt));
    kept.push_back(std::move(stmt));
  }
  std::ranges::reverse(kept);
  body.stmts = std::move(kept);
}

}  // namespace

bool drop_orders(Body& body, Program& prog, const ArrayTypes& types, analysis::Aliases& aliases,
                 PassContext& ctx, bool explain) {
  Defs defs{{}, {}, types};
  // Statements are looked at while others are inserted, so the new ones wait.
  std::vector<std::pair<size_t, Stmt>> views;
  bool any = false;
  for (size_t s = 0; s < body.stmts.size(); ++s) {
    Stmt& stmt = body.stmts[s];
    for (const Param& p : stmt.pat) {
      defs.made_by[p.name] = &stmt;
      defs.types[p.name] = &p.type;
    }
    Soac* soac = as<Soac>(stmt.exp);
    if (soac == nullptr || !reduces_scalars(*soac)) continue;
    std::vector<Viewed> inputs;
    for (const Name input : soac->inputs) inputs.push_back(look_through(defs, input));
    if (std::ranges::none_of(inputs, &Viewed::moved)) continue;
    std::optional<std::string> why = why_in_order(*soac, inputs, defs);
    // A rotation is a copy, so what it was made from may have changed since.
    if (!why && rotates(inputs) && is_consumed(body, inputs, aliases))
      why = "the rotated array changes";
    if (why) {
      if (explain)
        ctx.explain(fmt::format("read in order: {}: {}", prog.names.text(stmt.pat[0].name), *why));
      continue;
    }
    if (!ctx.may_rewrite("drop-order")) continue;
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Type& type = *defs.type(inputs[k].source);
      soac->inputs[k] = inputs[k].source;
      if (type.rank() == 1 && type.shape[0] == soac->width) continue;
      const Name flat = prog.names.fresh_like(inputs[k].source);
      Stmt view{{}, Reshape{inputs[k].source, {soac->width}}, {}, {}, stmt.loc};
      view.pat.push_back({flat, array_of(soac->width, scalar_type(type.elem))});
      views.emplace_back(s, std::move(view));
      soac->inputs[k] = flat;
    }
    any = true;
  }
  for (size_t k = views.size(); k-- > 0;)
    body.stmts.insert(body.stmts.begin() + static_cast<ptrdiff_t>(views[k].first),
                      std::move(views[k].second));
  if (any) remove_dead_views(body);
  return any;
}

}  // namespace skald::passes::fusion
