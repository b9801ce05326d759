// SPDX-License-Identifier: Apache-2.0
#include "passes/early/round_products.h"

#include <algorithm>

#include "analysis/aliases.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/edit/strip_mine.h"
#include "core/ir/visit.h"
#include "passes/early/sums_in_maps.h"

namespace skald::passes {

using namespace core;

namespace {

using TypeOf = std::function<Type(Name)>;

// Code that may run although the loop has no round: it cannot fail, and makes nothing but values.
bool is_harmless(const Body& body) {
  return std::ranges::all_of(body.stmts, [](const Stmt& stmt) {
    if (const auto* soac = as<Soac>(stmt.exp))
      return stmt.hints.empty() && soac->scans.empty() && soac->post.empty() &&
             is_harmless(soac->fn.body) &&
             std::ranges::all_of(soac->reduces,
                                 [](const Operator& op) { return is_harmless(op.fn.body); });
    return is_scalar_operator(stmt.exp) || as<Index>(stmt.exp) != nullptr ||
           as<Rearrange>(stmt.exp) != nullptr || as<Reshape>(stmt.exp) != nullptr;
  });
}

class RoundFinder {
 public:
  RoundFinder(const Loop& loop, const TypeOf& type_of) : loop_(loop), type_of_(type_of) {
    for (const LoopParam& p : loop.params) params_.insert(p.param.name);
    for (size_t k = 0; k < loop.body.stmts.size(); ++k)
      for (const Param& p : loop.body.stmts[k].pat) made_.insert_or_assign(p.name, k);
  }

  std::vector<RoundProduct> find() {
    std::vector<RoundProduct> found;
    if (loop_.form != Loop::kFor || loop_.var.type.elem != Prim::kI64) return found;
    for (size_t k = 0; k < loop_.body.stmts.size(); ++k)
      if (auto product = product_at(k)) found.push_back(std::move(*product));
    return found;
  }

 private:
  bool is_outside(const Operand& operand) const {
    const Name* name = as_name(operand);
    return name == nullptr ||
           (*name != loop_.var.name && !params_.contains(*name) && !made_.contains(*name));
  }
  const Stmt* made(const Operand& operand) const {
    const Name* name = as_name(operand);
    const auto found = name == nullptr ? made_.end() : made_.find(*name);
    return found == made_.end() ? nullptr : &loop_.body.stmts[found->second];
  }
  bool has_outside_tokens(const Stmt& stmt) const {
    return std::ranges::all_of(stmt.tokens, [&](Name token) { return is_outside(token); });
  }

  // An array of floats whose sizes are known before the loop.
  bool is_storable(const Type& type) const {
    return type.is_array() && is_float(type.elem) &&
           std::ranges::all_of(type.shape, [&](const Operand& dim) { return is_outside(dim); });
  }

  std::optional<RoundProduct> product_at(size_t at) const {
    const Stmt& stmt = loop_.body.stmts[at];
    const auto* soac = as<Soac>(stmt.exp);
    bool only_maps = true;
    if (soac == nullptr || !soac->is_map() || !stmt.hints.empty() || !has_outside_tokens(stmt) ||
        !is_harmless(soac->fn.body) || !holds_sums(soac->fn.body, only_maps) || !only_maps)
      return std::nullopt;
    RoundProduct product{.at = at};
    for (const Param& p : stmt.pat) {
      if (!is_storable(p.type)) return std::nullopt;
      product.types.push_back(p.type);
    }
    bool reads_outside = false;
    NameSet seen;
    for (const Name name : free_names(stmt))
      if (!collect(name, product, seen, reads_outside)) return std::nullopt;
    if (product.rows.empty() || !reads_outside) return std::nullopt;
    std::ranges::sort(product.views);
    return product;
  }

  // Where a name comes from; false if it cannot be had before the loop.
  bool collect(Name name, RoundProduct& product, NameSet& seen, bool& reads_outside) const {
    if (!seen.insert(name).second) return true;
    if (is_outside(name)) {
      reads_outside = reads_outside || type_of_(name).is_array();
      return true;
    }
    const Stmt* stmt = made(name);
    if (stmt == nullptr) return false;
    if (auto row = row_of(*stmt)) {
      product.rows.push_back(std::move(*row));
      return true;
    }
    if (stmt->pat.size() != 1 || !has_outside_tokens(*stmt) ||
        (!is_scalar_operator(stmt->exp) && as<Index>(stmt->exp) == nullptr &&
         as<Rearrange>(stmt->exp) == nullptr && as<Reshape>(stmt->exp) == nullptr))
      return false;
    // Views of rows are not the same in all rounds.
    const size_t rows = product.rows.size();
    for (const Name needed : free_names(*stmt))
      if (!collect(needed, product, seen, reads_outside) || product.rows.size() > rows ||
          is_row(product, needed))
        return false;
    product.views.push_back(made_.find(name)->second);
    return true;
  }
  static bool is_row(const RoundProduct& product, Name name) {
    return std::ranges::find(product.rows, name, &RoundRow::name) != product.rows.end();
  }

  std::optional<RoundRow> row_of(const Stmt& stmt) const {
    if (stmt.pat.size() != 1 || !std::ranges::all_of(stmt.pat[0].type.shape, [&](const Operand& d) {
          return is_outside(d);
        }))
      return std::nullopt;
    if (const auto* fit = as<Reshape>(stmt.exp)) {
      const Stmt* source = made(fit->array);
      auto row = source == nullptr ? std::nullopt : row_of(*source);
      if (!row || row->type.rank() != stmt.pat[0].type.rank()) return std::nullopt;
      row->name = stmt.pat[0].name;
      row->type = stmt.pat[0].type;
      return row;
    }
    const auto* index = as<Index>(stmt.exp);
    if (index == nullptr || index->slice.size() != 1 || !index->slice[0].is_index ||
        !is_outside(index->array) || !stmt.pat[0].type.is_array())
      return std::nullopt;
    RoundRow row{.name = stmt.pat[0].name, .type = stmt.pat[0].type, .array = index->array};
    if (!is_round(index->slice[0].start, row.offset)) return std::nullopt;
    row.is_all = row.offset.empty() && type_of_(index->array).shape[0] == loop_.bound;
    // What is read in all rounds without a check exists.
    if (!row.is_all && !stmt.tokens.empty()) return std::nullopt;
    return row;
  }

  // Is it the number of the round plus what is the same in all of them?
  bool is_round(const Operand& number, std::vector<RoundRow::Term>& offset) const {
    if (number == Operand(loop_.var.name)) return true;
    const Stmt* stmt = made(number);
    if (stmt == nullptr) return false;
    if (const auto* value = as<Value>(stmt->exp)) return is_round(value->arg, offset);
    const auto* sum = as<BinOp>(stmt->exp);
    if (sum == nullptr || sum->type != Prim::kI64) return false;
    if (sum->op == BinOpKind::kSub && is_outside(sum->rhs)) {
      offset.push_back({sum->rhs, true});
      return is_round(sum->lhs, offset);
    }
    if (sum->op != BinOpKind::kAdd) return false;
    for (const auto& [same, more] : {std::pair{sum->lhs, sum->rhs}, {sum->rhs, sum->lhs}}) {
      if (!is_outside(same)) continue;
      offset.push_back({same});
      return is_round(more, offset);
    }
    return false;
  }

  const Loop& loop_;
  const TypeOf& type_of_;
  NameSet params_;
  NameMap<size_t> made_;
};

// Is the value consumed in the loop, or part of its result?
bool needs_own(const Loop& loop, Name value, const Program& prog) {
  analysis::Aliases aliases(prog);
  for (const LoopParam& p : loop.params) aliases.add(p.param);
  const auto is_value = [&](Name name) {
    const auto roots = aliases.roots(name);
    return std::ranges::find(roots, value) != roots.end();
  };
  for (const Stmt& stmt : loop.body.stmts)
    if (aliases.consumed(stmt).contains(value)) return true;
  return std::ranges::any_of(loop.body.result, [&](const Operand& result) {
    return as_name(result) != nullptr && is_value(*as_name(result));
  });
}

class WholeMaker {
 public:
  WholeMaker(Program& prog, const TypeOf& type_of, const Operand& rounds, Builder& out)
      : prog_(prog), type_of_(type_of), rounds_(rounds), out_(out) {}

  // The values of all rounds, for each result.
  std::vector<Name> make(const Loop& loop, const RoundProduct& product) {
    Substitution subst;
    std::vector<Name> copied;
    for (const RoundRow& row : product.rows) {
      copied.push_back(prog_.names.fresh_like(row.name));
      subst.insert_or_assign(row.name, copied.back());
    }
    for (const size_t view : product.views)
      out_.append(copy_with_fresh_names(loop.body.stmts[view], prog_.names, subst));
    const Stmt& old = loop.body.stmts[product.at];
    Stmt stmt = copy_with_fresh_names(old, prog_.names, subst);
    Soac& soac = *as<Soac>(stmt.exp);
    const auto is_row = [&](Name name) { return std::ranges::find(copied, name) != copied.end(); };
    std::vector<Type> whole;
    for (const Type& type : product.types) whole.push_back(array_of(rounds_, type));
    out_.set_loc(old.loc);
    Soac made;
    if (std::ranges::all_of(soac.inputs, is_row) &&
        std::ranges::none_of(free_names(soac.fn), is_row)) {
      // One map over rows of all rounds.
      made.width = out_.size_mul(rounds_, soac.width);
      for (const Name input : soac.inputs) {
        const auto k = static_cast<size_t>(std::ranges::find(copied, input) - copied.begin());
        std::vector<Operand> shape = product.rows[k].type.shape;
        shape[0] = made.width;
        made.inputs.push_back(all_of(product.rows[k], std::move(shape)));
      }
      std::vector<Type> flat = product.types;
      for (Type& type : flat) type.shape[0] = made.width;
      made.fn = std::move(soac.fn);
      std::vector<Name> values = out_.let(flat, std::move(made), "early", old.tokens);
      for (size_t k = 0; k < values.size(); ++k)
        values[k] = out_.let1(whole[k], Reshape{values[k], whole[k].shape}, "early");
      return values;
    }
    made.width = rounds_;
    for (size_t k = 0; k < copied.size(); ++k) {
      const Type& type = product.rows[k].type;
      made.inputs.push_back(all_of(product.rows[k], array_of(rounds_, type).shape));
      made.fn.params.push_back({.name = copied[k], .type = type});
    }
    for (size_t k = 0; k < product.types.size(); ++k) {
      made.fn.results.push_back({.type = product.types[k]});
      made.fn.body.result.emplace_back(stmt.pat[k].name);
    }
    made.fn.body.stmts.push_back(std::move(stmt));
    return out_.let(whole, std::move(made), "early", old.tokens);
  }

 private:
  // The rows of all rounds, as an array of that shape.
  Name all_of(const RoundRow& row, std::vector<Operand> shape) {
    Name array = row.array;
    Type type = type_of_(array);
    if (!row.is_all) {
      Operand start = const_i64(0);
      for (const RoundRow::Term& term : row.offset)
        start =
            term.is_negative ? out_.size_sub(start, term.value) : out_.size_add(start, term.value);
      type.shape[0] = rounds_;
      array = out_.let1(type, Index{array, {{.is_index = false, .start = start, .count = rounds_}}},
                        "rows");
    }
    if (type.shape == shape) return array;
    type.shape = std::move(shape);
    return out_.let1(type, Reshape{array, type.shape}, "rows");
  }

  Program& prog_;
  const TypeOf& type_of_;
  Operand rounds_;
  Builder& out_;
};

}  // namespace

std::vector<RoundProduct> find_round_products(const Loop& loop, const TypeOf& type_of) {
  return RoundFinder(loop, type_of).find();
}

void move_round_products(Loop& loop, const std::vector<RoundProduct>& products, Program& prog,
                         const TypeOf& type_of, Builder& out) {
  const bool counts_rows = std::ranges::any_of(products, [](const RoundProduct& product) {
    return std::ranges::any_of(product.rows, &RoundRow::is_all);
  });
  const Operand rounds = counts_rows ? loop.bound : rounds_of(out, loop);
  WholeMaker maker(prog, type_of, rounds, out);
  std::vector<std::vector<Name>> values;
  for (const RoundProduct& product : products) values.push_back(maker.make(loop, product));
  // From the last one, as there may be more statements then.
  for (size_t k = products.size(); k-- > 0;) {
    const auto at = loop.body.stmts.begin() + static_cast<ptrdiff_t>(products[k].at);
    std::vector<Stmt> rows;
    for (size_t r = 0; r < values[k].size(); ++r) {
      const Param& value = at->pat[r];
      Index row{values[k][r], {{.start = loop.var.name}}};
      if (!needs_own(loop, value.name, prog)) {
        rows.push_back({.pat = {value}, .exp = std::move(row), .loc = at->loc});
        continue;
      }
      const Name view = prog.names.fresh("row");
      rows.push_back(
          {.pat = {{.name = view, .type = value.type}}, .exp = std::move(row), .loc = at->loc});
      rows.push_back({.pat = {value}, .exp = Copy{view}, .loc = at->loc});
    }
    loop.body.stmts.insert(loop.body.stmts.erase(at), std::make_move_iterator(rows.begin()),
                           std::make_move_iterator(rows.end()));
  }
}

void learn_types(const Body& body, NameMap<Type>& types) {
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) types.insert_or_assign(p.name, p.type);
    for_each_param(stmt.exp, [&](const Param& p) { types.insert_or_assign(p.name, p.type); });
    for_each_body(stmt.exp, [&](const Body& inner) { learn_types(inner, types); });
  }
}

}  // namespace skald::passes
