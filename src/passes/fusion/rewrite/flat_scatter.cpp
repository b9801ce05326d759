// SPDX-License-Identifier: Apache-2.0
// A scatter over flattened arrays, one of which a kernel in the same block makes over a grid.
//
//   before   let {k} = mul_i64(n, m)
//            let {yss} = kernel(grid(n, m), …)
//            let {s} = kernel(flat(k), \{i} ->
//                let {row} = quot_i64(i, m)
//                let {first} = mul_i64(row, m)
//                let {column} = sub_i64(i, first)
//                let {y} = yss[row, column] … in {place, value}, scatter 2)
//
//   after    let {yss} = kernel(grid(n, m), …)
//            let {s} = kernel(grid(n, m), \{row, column} ->
//                let {y} = yss[row, column] … in {place, value}, scatter 2)
//
// Then fusion makes them one, also if the first one scans its rows.
#include "passes/fusion/rewrite/flat_scatter.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// The statements that find row and column; none of them is there alone.
struct Places {
  const Stmt *row = nullptr, *first = nullptr, *column = nullptr;
};

const BinOp* is_op(const Stmt& stmt, BinOpKind op) {
  const BinOp* e = as<BinOp>(stmt.exp);
  return e != nullptr && e->op == op && e->type == Prim::kI64 ? e : nullptr;
}

// Where the index of a flat kernel is used for row and column of rows of this length only.
std::optional<Places> find_places(const Lambda& pull, const Operand& length) {
  const Operand index{pull.params[0].name};
  Places found;
  for (const Stmt& stmt : pull.body.stmts) {
    if (const BinOp* e = is_op(stmt, BinOpKind::kQuot);
        e != nullptr && e->lhs == index && e->rhs == length && found.row == nullptr)
      found.row = &stmt;
    else if (const BinOp* p = is_op(stmt, BinOpKind::kMul);
             p != nullptr && found.row != nullptr && found.first == nullptr &&
             p->lhs == Operand{found.row->pat[0].name} && p->rhs == length)
      found.first = &stmt;
    else if (const BinOp* d = is_op(stmt, BinOpKind::kSub);
             d != nullptr && found.first != nullptr && found.column == nullptr && d->lhs == index &&
             d->rhs == Operand{found.first->pat[0].name})
      found.column = &stmt;
  }
  if (found.column == nullptr) return std::nullopt;
  // For nothing else.
  const auto is_used = [&](Name name) {
    return std::ranges::any_of(pull.body.stmts,
                               [&](const Stmt& stmt) {
                                 const bool is_place = &stmt == found.row || &stmt == found.first ||
                                                       &stmt == found.column;
                                 return !is_place && free_names(stmt).contains(name);
                               }) ||
           std::ranges::find(pull.body.result, Operand{name}) != pull.body.result.end();
  };
  if (is_used(pull.params[0].name) || is_used(found.first->pat[0].name)) return std::nullopt;
  return found;
}

bool only_scatters(const Kernel& kernel) {
  return kernel.domain.kind == Domain::kFlat && kernel.post.empty() && !kernel.guarded &&
         std::ranges::all_of(kernel.sinks,
                             [](const Sink& sink) { return sink.kind == Sink::kScatter; });
}

// Arrays of the block that kernels make over grids of two dimensions.
using Made = std::unordered_map<Name, Domain>;

// The grid of an array that the thunk reads at its row and column.
const Domain* grid_of(const Lambda& pull, const Made& made) {
  for (const Stmt& stmt : pull.body.stmts) {
    const Index* read = as<Index>(stmt.exp);
    if (read == nullptr) continue;
    const auto found = made.find(read->array);
    if (found == made.end()) continue;
    const std::optional<Places> places = find_places(pull, found->second.dims[1]);
    if (places && is_own_read(stmt, {places->row->pat[0].name, places->column->pat[0].name}))
      return &found->second;
  }
  return nullptr;
}

bool is_product(const Operand& size, const Domain& grid, const Products& products) {
  const Name* name = as_name(size);
  if (name == nullptr) return false;
  const auto found = products.find(*name);
  return found != products.end() && found->second.lhs == grid.dims[0] &&
         found->second.rhs == grid.dims[1];
}

void unflatten(Kernel& kernel, const Domain& grid) {
  Lambda& pull = kernel.pull;
  const Places places = *find_places(pull, grid.dims[1]);
  const Type type = pull.params[0].type;
  const Name row = places.row->pat[0].name, first = places.first->pat[0].name,
             column = places.column->pat[0].name;
  pull.params = {{row, type}, {column, type}};
  std::erase_if(pull.body.stmts, [&](const Stmt& stmt) {
    return stmt.pat.size() == 1 &&
           (stmt.pat[0].name == row || stmt.pat[0].name == first || stmt.pat[0].name == column);
  });
  kernel.domain = grid;
}

}  // namespace

void find_products(const Body& body, Products& products) {
  for (const Stmt& stmt : body.stmts) {
    if (const BinOp* e = is_op(stmt, BinOpKind::kMul)) products.emplace(stmt.pat[0].name, *e);
    if (as<Kernel>(stmt.exp) != nullptr) continue;
    for_each_body(stmt.exp, [&](const Body& inner) { find_products(inner, products); });
  }
}

void unflatten_scatters(Body& body, const Products& products, PassContext& ctx) {
  Made made;
  for (Stmt& stmt : body.stmts) {
    Kernel* kernel = as<Kernel>(stmt.exp);
    if (kernel == nullptr) continue;
    if (stmt.hints.empty() && only_scatters(*kernel)) {
      const Domain* grid = grid_of(kernel->pull, made);
      if (grid != nullptr && is_product(kernel->domain.dims[0], *grid, products) &&
          ctx.may_rewrite("unflatten-scatter"))
        unflatten(*kernel, *grid);
    }
    if (kernel->domain.kind != Domain::kGrid || kernel->domain.dims.size() != 2) continue;
    for (const Param& p : stmt.pat)
      if (p.type.shape == kernel->domain.dims) made.emplace(p.name, kernel->domain);
  }
}

}  // namespace skald::passes::fusion
