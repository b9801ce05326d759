// SPDX-License-Identifier: Apache-2.0
// Takes two rows of a stencil at a time.
//
//   for (r = b; r < e) {                        for (i = b; i < e; i += 2) {
//     up = …; down = …;                           i2 = i + 1;  up, down, up2, down2 = …;
//     simd for (j = 0; j < m) {                   if (i2 < e && down == i2 && i == up2) {
//       x = a[up*m + j];                            simd for (j = 0; j < m) {
//       y = a[r*m + j];                               x = a[up*m + j];
//       z = a[down*m + j];                 →          y = a[i*m + j];
//       c[r*m + j] = f(x, y, z);                      z = a[down*m + j];
//     }                                               w = a[down2*m + j];
//   }                                                 c[i*m + j] = f(x, y, z);
//                                                     c[i2*m + j] = f(y, z, w);
//                                                   }
//                                                 } else { the loop as it was, for i and i2 }
//                                               }
//
// What the two rows load from the same places is loaded once, and what they compute from it is
// computed once.  Which places those are is guessed from an example; the branch sees to it that the
// guess holds, so it may be wrong: at the borders of a torus it is.
//
// Only the rows of a parallel range are taken together, which may run in any order.
//
// Stage    imp for the cpu.
// Needs    rows that run in lanes (`narrow`).
// Gives    loops over pairs of rows, with the old loop in a branch.
// Keeps    everything else.
// Cost     quadratic in the size of a row, of which there are at most kMostInRow statements.
// Tests    tests/golden/passes/imp/pairs/*.imp, tests/golden/stages/pairs_imp.fut
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "imp/analysis/facts.h"
#include "imp/ir/visit.h"
#include "imp/passes/pairs/example.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

// Longer bodies are not worth the time to compile them a second time, and twice as long.
constexpr size_t kMostInRow = 96;
// Equalities that decide whether two rows are taken together.
constexpr size_t kMostEqualities = 6;

bool is_i64(const Operand& operand, int64_t value) {
  const Const* c = core::as_const(operand);
  return c != nullptr && c->type == Prim::kI64 && core::int_value(*c) == value;
}

bool counts_by_one(const For& loop) {
  return loop.type == Prim::kI64 && is_i64(loop.step, 1);
}

void use_names(Exp& exp, const auto& use) {
  visit_exp(exp, [&](auto& e) {
    std::apply([&](auto&... field) { (detail::operands_of(field, use), ...); },
               std::remove_cvref_t<decltype(e)>::fields(e));
  });
}

bool same_exp(const Exp& a, const Exp& b) {
  if (a.index() != b.index()) return false;
  return visit_exp(a, [&](const auto& e) {
    using E = std::remove_cvref_t<decltype(e)>;
    return E::fields(e) == E::fields(std::get<E>(b));
  });
}

// The two rows as they are being written.
class Pair {
 public:
  Pair(Program& prog, Facts& facts, const For& rows) : prog_(prog), facts_(facts), rows_(rows) {}

  // The loop over pairs, without its other branch; empty if that does not pay.
  std::optional<For> write() {
    const For* columns = row_loop();
    if (columns == nullptr || !look_at(columns->body)) return std::nullopt;
    const Name first = prog_.names.fresh_like(rows_.var);
    const Operand second = let(Prim::kI64, add(first, 1), "next", before_);
    Example example(facts_);
    constexpr int64_t kSomeRow = 500;
    example.set(first, kSomeRow);
    example_ = &example;
    const Name column = prog_.names.fresh_like(columns->var);
    varying_.emplace(column, 0);
    names_[rows_.var] = {first, second};
    names_[columns->var] = {column, column};
    for (size_t row = 0; row < 2; ++row) {
      for (const Stmt& stmt : rows_.body.stmts)
        if (const auto* n = as<Let>(stmt)) copy_let(*n, row);
      for (size_t k = 0; k < columns->body.stmts.size(); ++k) {
        place_ = k;
        const Stmt& stmt = columns->body.stmts[k];
        if (const auto* n = as<Let>(stmt)) copy_let(*n, row);
        if (const auto* n = as<Load>(stmt)) copy_load(*n, row);
      }
    }
    if (2 * shared_ < loads_ || shared_ < 2 || equal_.size() > kMostEqualities) return std::nullopt;
    interleave();
    for (size_t row = 0; row < 2; ++row)
      for (const Stmt& stmt : columns->body.stmts)
        if (const auto* n = as<Store>(stmt))
          inside_.push_back(
              Stmt{Store{n->type, n->block, in_row(n->index, row), in_row(n->value, row)}});
    For both{.var = column,
             .type = Prim::kI64,
             .begin = in_row(columns->begin, 0),
             .end = in_row(columns->end, 0),
             .step = const_i64(1),
             .body = Body(std::move(inside_)),
             .hint = LoopHint::kSimd};
    drop_unused(both.body);
    equal_.emplace_back(in_row(columns->begin, 0), in_row(columns->begin, 1));
    equal_.emplace_back(in_row(columns->end, 0), in_row(columns->end, 1));
    Operand together = let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kI64, second, rows_.end},
                           "both", before_);
    for (const auto& [a, b] : equal_) {
      if (a == b) continue;
      const Operand same =
          let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, a, b}, "same", before_);
      together = let(Prim::kBool, core::BinOp{BinOpKind::kAnd, Prim::kBool, together, same},
                     "together", before_);
    }
    std::vector<Stmt> then;
    then.push_back(Stmt{std::move(both)});
    before_.push_back(Stmt{If{together, Body(std::move(then)), Body()}});
    return For{.var = first,
               .type = Prim::kI64,
               .begin = rows_.begin,
               .end = rows_.end,
               .step = const_i64(2),
               .body = Body(std::move(before_)),
               .mark = rows_.mark};
  }

 private:
  static Exp add(const Operand& a, int64_t b) {
    return core::BinOp{BinOpKind::kAdd, Prim::kI64, a, const_i64(b)};
  }

  // The loop over columns, if a row is nothing but that.
  const For* row_loop() const {
    const std::vector<Stmt>& stmts = rows_.body.stmts;
    if (stmts.empty()) return nullptr;
    for (size_t k = 0; k + 1 < stmts.size(); ++k)
      if (as<Let>(stmts[k]) == nullptr) return nullptr;
    const For* columns = as<For>(stmts.back());
    if (columns == nullptr || columns->hint != LoopHint::kSimd || !counts_by_one(*columns))
      return nullptr;
    return columns;
  }

  // Straight code that does not read what it writes?
  static bool look_at(const Body& body) {
    if (body.stmts.size() > kMostInRow) return false;
    std::unordered_set<Name> read, written;
    for (const Stmt& stmt : body.stmts) {
      if (const auto* n = as<Load>(stmt))
        read.insert(n->block);
      else if (const auto* n = as<Store>(stmt))
        written.insert(n->block);
      else if (as<Let>(stmt) == nullptr)
        return false;
    }
    return std::ranges::none_of(written, [&](Name block) { return read.contains(block); });
  }

  Operand in_row(const Operand& operand, size_t row) const {
    const Name* name = core::as_name(operand);
    const auto found = name == nullptr ? names_.end() : names_.find(*name);
    return found == names_.end() ? operand : found->second[row];
  }
  bool is_varying(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    return name != nullptr && varying_.contains(*name);
  }

  Operand let(Prim type, Exp exp, std::string_view base, std::vector<Stmt>& out) {
    const Name name = prog_.names.fresh(base);
    facts_.define(name, exp);
    out.push_back(Stmt{Let{name, type, std::move(exp)}});
    return name;
  }

  // The last statement of `inside_` binds a name that is to stand at a place.
  void add_varying(Name name, size_t place) {
    varying_.emplace(name, place);
    places_.push_back(place);
  }
  size_t place_of(const Operand& operand) const {
    return is_varying(operand) ? varying_.at(*core::as_name(operand)) : 0;
  }

  // The two rows side by side, as far as the second one does not need what the first one has later:
  // so fewer values are alive at a time.
  void interleave() {
    std::vector<size_t> order(inside_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t k) { return places_[k]; });
    std::vector<Stmt> sorted;
    for (const size_t k : order) sorted.push_back(std::move(inside_[k]));
    inside_ = std::move(sorted);
  }

  // What is the same in all columns is computed before them.
  void copy_let(const Let& n, size_t row) {
    Exp exp = n.exp;
    bool varies = false;
    use_names(exp, [&](Operand& o) {
      o = in_row(o, row);
      varies = varies || is_varying(o);
    });
    std::vector<Stmt>& out = varies ? inside_ : before_;
    const auto known = std::ranges::find_if(out, [&](const Stmt& stmt) {
      const Let* let = as<Let>(stmt);
      return let != nullptr && let->type == n.type && same_exp(let->exp, exp);
    });
    if (known != out.end()) {
      names_[n.name][row] = as<Let>(*known)->name;
      return;
    }
    size_t place = place_;
    use_names(exp, [&](Operand& o) { place = std::max(place, place_of(o)); });
    const Operand made = let(n.type, std::move(exp), std::string(prog_.names.base(n.name)), out);
    if (varies) add_varying(*core::as_name(made), place);
    names_[n.name][row] = made;
  }

  void copy_load(const Load& n, size_t row) {
    const Operand index = in_row(n.index, row);
    if (row == 1 && index == in_row(n.index, 0)) {
      names_[n.name][1] = names_.at(n.name)[0];
      return;
    }
    const Operand* known = find_load(n, index, row == 1);
    loads_ += row;
    if (row == 1 && known != nullptr) ++shared_;
    if (known != nullptr) {
      names_[n.name][row] = *known;
      return;
    }
    const Name name = prog_.names.fresh_like(n.name);
    inside_.push_back(Stmt{Load{name, n.type, n.block, index}});
    add_varying(name, std::max(place_, place_of(index)));
    loaded_.push_back({n.block, n.type, index, name});
    names_[n.name][row] = name;
  }

  // An earlier load that is from the same place, or likely to be.
  const Operand* find_load(const Load& n, const Operand& index, bool guess) {
    for (const Loaded& load : loaded_) {
      if (load.block != n.block || load.type != n.type) continue;
      const size_t before = equal_.size();
      if (are_equal(load.index, index) && (guess || equal_.size() == before)) return &load.value;
      equal_.resize(before);
    }
    return nullptr;
  }

  // Are they the same if what is the same in all columns has equal values?  Notes which.
  bool are_equal(const Operand& a, const Operand& b) {
    if (a == b) return true;
    if (!is_varying(a) && !is_varying(b)) {
      const auto x = example_->value(a, Prim::kI64), y = example_->value(b, Prim::kI64);
      if (!x || !y || x->bits != y->bits) return false;
      const std::pair<Operand, Operand> both(a, b);
      if (std::ranges::find(equal_, both) == equal_.end()) equal_.push_back(both);
      return true;
    }
    const Exp *x = facts_.definition(a), *y = facts_.definition(b);
    if (x == nullptr || y == nullptr) return false;
    const auto *p = std::get_if<core::BinOp>(x), *q = std::get_if<core::BinOp>(y);
    if (p == nullptr || q == nullptr || p->op != q->op || p->type != Prim::kI64 ||
        q->type != Prim::kI64)
      return false;
    return are_equal(p->lhs, q->lhs) && are_equal(p->rhs, q->rhs);
  }

  struct Loaded {
    Name block;
    Prim type;
    Operand index, value;
  };

  Program& prog_;
  Facts& facts_;
  const For& rows_;
  Example* example_ = nullptr;
  std::unordered_map<Name, std::array<Operand, 2>> names_;  // in each of the rows
  // What differs from column to column, and the statement of a row that it stands beside.
  std::unordered_map<Name, size_t> varying_;
  size_t place_ = 0;
  std::vector<Stmt> before_, inside_;
  std::vector<size_t> places_;  // of the statements inside
  std::vector<Loaded> loaded_;
  std::vector<std::pair<Operand, Operand>> equal_;
  size_t loads_ = 0, shared_ = 0;  // of the second row
};

class Pairing {
 public:
  Pairing(Program& prog, const Function& fn, PassContext& ctx)
      : prog_(prog), ctx_(ctx), facts_(fn) {}

  // `range` is what the body is directly inside of, apart from branches.
  void body(Body& body, const ParallelRange* range) {
    for (Stmt& stmt : body.stmts) {
      auto* loop = as<For>(stmt);
      if (loop != nullptr && range != nullptr && is_over_rows(*loop, *range)) {
        pair(stmt);
        continue;
      }
      const auto* inner_range = as<ParallelRange>(stmt);
      const ParallelRange* inner = inner_range != nullptr    ? inner_range
                                   : as<If>(stmt) != nullptr ? range
                                                             : nullptr;
      for_each_body(stmt, [&](Body& next) { this->body(next, inner); });
    }
  }

 private:
  // for (r = begin / m; r < (end - 1) / m + 1): each row has points of the range.
  bool is_over_rows(const For& loop, const ParallelRange& range) const {
    if (loop.hint != LoopHint::kNone || !counts_by_one(loop)) return false;
    const auto binop = [&](const Operand& operand, BinOpKind op) -> const core::BinOp* {
      const Exp* exp = facts_.definition(operand);
      const auto* e = exp == nullptr ? nullptr : std::get_if<core::BinOp>(exp);
      return e != nullptr && e->op == op && e->type == Prim::kI64 ? e : nullptr;
    };
    const core::BinOp* first = binop(loop.begin, BinOpKind::kQuot);
    const core::BinOp* after = binop(loop.end, BinOpKind::kAdd);
    if (first == nullptr || after == nullptr || !is_i64(after->rhs, 1)) return false;
    const core::BinOp* last = binop(after->lhs, BinOpKind::kQuot);
    if (last == nullptr || last->rhs != first->rhs || first->lhs != Operand{range.begin})
      return false;
    const core::BinOp* point = binop(last->lhs, BinOpKind::kSub);
    return point != nullptr && point->lhs == Operand{range.end} && is_i64(point->rhs, 1);
  }

  void pair(Stmt& stmt) {
    For& rows = *as<For>(stmt);
    std::optional<For> pairs = Pair(prog_, facts_, rows).write();
    if (!pairs || !ctx_.may_rewrite("rows in pairs")) return;
    // One after the other: from this row to the next, or to the last one.
    std::vector<Stmt> apart;
    const auto let = [&](BinOpKind op, const Operand& a, const Operand& b) -> Operand {
      const Name name = prog_.names.fresh("stop");
      apart.push_back(Stmt{Let{name, Prim::kI64, core::BinOp{op, Prim::kI64, a, b}}});
      return name;
    };
    const Operand stop =
        let(BinOpKind::kMin, let(BinOpKind::kAdd, pairs->var, const_i64(2)), rows.end);
    rows.begin = pairs->var;
    rows.end = stop;
    apart.push_back(std::move(stmt));
    as<If>(pairs->body.stmts.back())->else_body = Body(std::move(apart));
    drop_unused(pairs->body);
    stmt = Stmt{std::move(*pairs)};
  }

  Program& prog_;
  PassContext& ctx_;
  Facts facts_;
};

}  // namespace

Program pair_rows(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) Pairing(prog, fn, ctx).body(fn.body, nullptr);
  return prog;
}

}  // namespace skald::imp
