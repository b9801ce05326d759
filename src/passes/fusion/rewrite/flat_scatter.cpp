// SPDX-License-Identifier: Apache-2.0
// A scatter or histogram over flattened arrays, one of which a kernel in the same block makes over
// a grid.
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
// Then fusion makes them one, also if the first one scans its rows.  Both may have the same
// dimensions before these.
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

// Where the last index of a kernel is used for row and column of rows of this length only.
std::optional<Places> find_places(const Lambda& pull, const Operand& length) {
  const Operand index{pull.params.back().name};
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
  if (is_used(pull.params.back().name) || is_used(found.first->pat[0].name)) return std::nullopt;
  return found;
}

// Scatters and histograms take their points in any order.
bool only_writes(const Kernel& kernel) {
  return kernel.domain.kind != Domain::kSeg && kernel.post.empty() && !kernel.guarded &&
         std::ranges::all_of(kernel.sinks, [](const Sink& sink) {
           return sink.kind == Sink::kScatter || sink.kind == Sink::kHist;
         });
}

// Arrays of the block that kernels make over grids.
using Made = std::unordered_map<Name, Domain>;

bool is_product(const Operand& size, const Operand& a, const Operand& b, const Products& products) {
  const Name* name = as_name(size);
  if (name == nullptr) return false;
  const auto found = products.find(*name);
  return found != products.end() && found->second.lhs == a && found->second.rhs == b;
}

// Are the last two dimensions of the grid the last one of the other, and those before the same?
bool is_finer(const Domain& grid, const Domain& other, const Products& products) {
  const size_t last = other.dims.size() - 1;
  return grid.dims.size() == other.dims.size() + 1 &&
         std::equal(other.dims.begin(), other.dims.end() - 1, grid.dims.begin()) &&
         is_product(other.dims[last], grid.dims[last], grid.dims[last + 1], products);
}

// The grid of an array that the thunk reads at its row and column.
const Domain* grid_of(const Kernel& kernel, const Made& made, const Products& products) {
  for (const Stmt& stmt : kernel.pull.body.stmts) {
    const Index* read = as<Index>(stmt.exp);
    if (read == nullptr) continue;
    const auto found = made.find(read->array);
    if (found == made.end() || !is_finer(found->second, kernel.domain, products)) continue;
    const std::optional<Places> places = find_places(kernel.pull, found->second.dims.back());
    if (!places) continue;
    std::vector<Name> index = own_index(kernel);
    index.back() = places->row->pat[0].name;
    index.push_back(places->column->pat[0].name);
    if (is_own_read(stmt, index)) return &found->second;
  }
  return nullptr;
}

void unflatten(Kernel& kernel, const Domain& grid) {
  Lambda& pull = kernel.pull;
  const Places places = *find_places(pull, grid.dims.back());
  const Type type = pull.params.back().type;
  const Name row = places.row->pat[0].name, first = places.first->pat[0].name,
             column = places.column->pat[0].name;
  pull.params.back() = {row, type};
  pull.params.push_back({column, type});
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
    if (stmt.hints.empty() && only_writes(*kernel)) {
      const Domain* grid = grid_of(*kernel, made, products);
      if (grid != nullptr && ctx.may_rewrite("unflatten-scatter")) unflatten(*kernel, *grid);
    }
    if (kernel->domain.kind != Domain::kGrid) continue;
    for (const Param& p : stmt.pat)
      if (p.type.shape == kernel->domain.dims) made.emplace(p.name, kernel->domain);
  }
}

}  // namespace skald::passes::fusion
