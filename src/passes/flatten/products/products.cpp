// SPDX-License-Identifier: Apache-2.0
#include "passes/flatten/products/products.h"

#include <algorithm>
#include <optional>

#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/edit/plain.h"
#include "core/edit/rename.h"
#include "core/ir/name_map.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

// Sums over fewer products than this (known when the program is compiled) are no work for tiles.
constexpr int64_t kFewProducts = 8;

bool only_folds(const Soac& soac) {
  return soac.scans.empty() && soac.post.empty() && !soac.reduces.empty();
}

// Is the operator x + y on floats, for each of its values?
bool adds_floats(const Operator& op) {
  const size_t n = op.neutral.size();
  for (size_t k = 0; k < n; ++k) {
    const auto defines = [&](const Stmt& s) {
      return Operand(s.pat[0].name) == op.fn.body.result[k];
    };
    const auto at = std::ranges::find_if(op.fn.body.stmts, defines);
    const auto* plus = at == op.fn.body.stmts.end() ? nullptr : as<BinOp>(at->exp);
    const Operand a = op.fn.params[k].name, b = op.fn.params[n + k].name;
    if (plus == nullptr || plus->op != BinOpKind::kAdd || !is_float(plus->type) ||
        !((plus->lhs == a && plus->rhs == b) || (plus->lhs == b && plus->rhs == a)))
      return false;
  }
  return op.fn.body.stmts.size() == n;
}

// An element of an array at a place that the point knows.
bool is_element(const Stmt& stmt) {
  const auto* e = as<Index>(stmt.exp);
  return e != nullptr && stmt.tokens.empty() && stmt.pat[0].type.is_scalar();
}

// Sums, products and the like of numbers: cheap enough to be computed for each panel of a tile.
bool is_cheap_factor(const Stmt& stmt) {
  if (const auto* e = as<BinOp>(stmt.exp))
    return is_float(e->type) &&
           (e->op == BinOpKind::kAdd || e->op == BinOpKind::kSub || e->op == BinOpKind::kMul);
  const auto* e = as<UnOp>(stmt.exp);
  return e != nullptr && is_float(e->type) && e->op == UnOpKind::kNeg;
}

// What a function multiplies: a parameter, or an element that it reads, or what it computes from
// such with little code.
struct Factor {
  size_t param = 0;
  std::vector<const Stmt*> code = {};  // none for a parameter; the last one gives the value
};

// Adds the code for a value, without what is there already.
bool collect_code(const Soac& soac, const Operand& value, std::vector<const Stmt*>& code) {
  const auto defines = [&](const Stmt& s) { return Operand(s.pat[0].name) == value; };
  const auto at = std::ranges::find_if(soac.fn.body.stmts, defines);
  if (at == soac.fn.body.stmts.end() || std::ranges::find(code, &*at) != code.end()) return true;
  if (is_element(*at)) {
    // The place must be known without the rest of the function.
    for (const Stmt& stmt : soac.fn.body.stmts)
      for (const Param& p : stmt.pat)
        if (free_names(*at).contains(p.name)) return false;
  } else if (!is_cheap_factor(*at)) {
    return false;
  } else {
    bool fits = true;
    for_each_operand(at->exp,
                     [&](const Operand& o) { fits = fits && collect_code(soac, o, code); });
    if (!fits) return false;
  }
  code.push_back(&*at);
  return true;
}

std::optional<Factor> factor_of(const Soac& soac, const Operand& value) {
  for (size_t k = 0; k < soac.fn.params.size(); ++k)
    if (Operand(soac.fn.params[k].name) == value) return Factor{.param = k};
  Factor factor;
  if (!collect_code(soac, value, factor.code) || factor.code.empty()) return std::nullopt;
  return factor;
}

struct Product {
  Factor left, right;
};

// A sum of products as a tree: the products, and whether there is nothing else.
struct ProductTerms {
  std::vector<Product> products;
  bool fits = true;
};

void collect_terms(const Soac& soac, const Operand& value, ProductTerms& terms) {
  const auto at = std::ranges::find_if(
      soac.fn.body.stmts, [&](const Stmt& s) { return Operand(s.pat[0].name) == value; });
  const auto* e = at == soac.fn.body.stmts.end() ? nullptr : as<BinOp>(at->exp);
  if (e != nullptr && e->op == BinOpKind::kAdd) {
    collect_terms(soac, e->lhs, terms);
    collect_terms(soac, e->rhs, terms);
    return;
  }
  const bool product = e != nullptr && e->op == BinOpKind::kMul;
  const auto left = product ? factor_of(soac, e->lhs) : std::nullopt;
  const auto right = product ? factor_of(soac, e->rhs) : std::nullopt;
  terms.fits = terms.fits && left && right;
  if (left && right) terms.products.push_back({*left, *right});
}

// The terms of each value of a reduction that does nothing but sum products up.
std::vector<ProductTerms> sums_of_products(const Soac& soac) {
  if (!only_folds(soac) || !std::ranges::all_of(soac.reduces, adds_floats)) return {};
  size_t values = 0;
  for (const Operator& op : soac.reduces) values += op.neutral.size();
  if (values != soac.fn.results.size()) return {};
  std::vector<ProductTerms> sums(values);
  for (size_t k = 0; k < values; ++k) {
    collect_terms(soac, soac.fn.body.result[k], sums[k]);
    if (!sums[k].fits) return {};
  }
  return sums;
}

Soac dot_of(Program& prog, const Soac& soac, const Product& product, Prim type) {
  Soac dot;
  dot.width = soac.width;
  Substitution subst;
  const auto take = [&](size_t k) {
    const Name old = soac.fn.params[k].name;
    if (subst.contains(old)) return;
    const Name param = prog.names.fresh_like(old);
    dot.inputs.push_back(soac.inputs[k]);
    dot.fn.params.push_back({.name = param, .type = soac.fn.params[k].type});
    subst.emplace(old, param);
  };
  Builder in(prog);
  const auto value_of = [&](const Factor& factor) -> Operand {
    if (factor.code.empty()) {
      take(factor.param);
      return subst.at(soac.fn.params[factor.param].name);
    }
    Name last = {};
    for (const Stmt* stmt : factor.code) {
      const NameSet used = free_names(*stmt);
      for (size_t k = 0; k < soac.fn.params.size(); ++k)
        if (used.contains(soac.fn.params[k].name)) take(k);
      Stmt copy = copy_with_fresh_names(*stmt, prog.names, subst);
      last = copy.pat[0].name;
      in.append(std::move(copy));
    }
    return last;
  };
  const Operand left = value_of(product.left), right = value_of(product.right);
  const Operand value = in.binop(BinOpKind::kMul, type, left, right);
  dot.fn.results = {{.type = scalar_type(type)}};
  dot.fn.body = in.finish({value});
  Operator plus{.neutral = {Operand(Const{type, 0})}, .commutative = true};
  const Name a = prog.names.fresh("a"), b = prog.names.fresh("b");
  plus.fn.params = {{.name = a, .type = scalar_type(type)}, {.name = b, .type = scalar_type(type)}};
  plus.fn.results = {{.type = scalar_type(type)}};
  Builder add(prog);
  const Operand sum = add.binop(BinOpKind::kAdd, type, a, b);
  plus.fn.body = add.finish({sum});
  dot.reduces.push_back(std::move(plus));
  return dot;
}

bool zero_neutral(const Soac& soac) {
  return std::ranges::all_of(soac.reduces, [](const Operator& op) {
    return std::ranges::all_of(op.neutral, [](const Operand& o) {
      const Const* c = as_const(o);
      return c != nullptr && c->bits == 0;
    });
  });
}

bool can_split(const Body& body, int depth) {
  return std::ranges::any_of(body.stmts, [&](const Stmt& stmt) {
    const auto* soac = as<Soac>(stmt.exp);
    if (soac == nullptr) return false;
    size_t products = 0;
    if (depth >= 2 && zero_neutral(*soac))
      for (const ProductTerms& terms : sums_of_products(*soac)) products += terms.products.size();
    return products > 1 || can_split(soac->fn.body, depth + 1);
  });
}

void split_in(Program& prog, Body& body, int depth) {
  Builder out(prog);
  for (Stmt& stmt : body.stmts) {
    Soac* soac = as<Soac>(stmt.exp);
    std::vector<ProductTerms> sums;
    size_t products = 0;
    if (soac != nullptr && depth >= 2 && zero_neutral(*soac)) sums = sums_of_products(*soac);
    for (const ProductTerms& terms : sums) products += terms.products.size();
    if (products < 2) {
      if (soac != nullptr) split_in(prog, soac->fn.body, depth + 1);
      out.append(std::move(stmt));
      continue;
    }
    out.set_loc(stmt.loc);
    for (size_t k = 0; k < sums.size(); ++k) {
      const Type type = stmt.pat[k].type;
      std::optional<Operand> total;
      for (const Product& product : sums[k].products) {
        const Name dot =
            out.let1(type, dot_of(prog, *soac, product, type.elem), "dot", stmt.tokens);
        total = total ? out.binop(BinOpKind::kAdd, type.elem, *total, dot) : Operand(dot);
      }
      out.let_pat({stmt.pat[k]}, Value{*total});
    }
  }
  body.stmts = out.finish({}).stmts;
}

// Looks for products.  Levels are the SOACs around a statement, from 0.
class ProductFinder {
 public:
  // `with_sums`: sums of several products count too, and several sums at once.
  explicit ProductFinder(bool with_sums) : with_sums_(with_sums) {}
  bool look(const Soac& nest) {
    visit(nest, 0);
    return found_ && regular_;
  }
  // Does some product have a factor that is the same in all iterations of the outermost map?
  bool is_shared() const { return shared_; }

 private:
  using Levels = uint64_t;
  // The nest computes it, so that it has to be stored for the product.  One such factor is worth
  // that: each of its elements is used by all iterations of the map that it does not follow.
  static constexpr Levels kComputed = Levels{1} << 63;

  static bool is_view(const Stmt& stmt) {
    return as<Index>(stmt.exp) != nullptr || as<Rearrange>(stmt.exp) != nullptr;
  }

  Levels levels_of(const Operand& operand) const {
    const Name* name = as_name(operand);
    const auto found = name == nullptr ? levels_.end() : levels_.find(*name);
    return found == levels_.end() ? 0 : found->second;
  }

  void visit(const Soac& soac, int level) {
    const auto scalar = [](const Operator& op) {
      return std::ranges::all_of(op.fn.params, [](const Param& p) { return p.type.is_scalar(); });
    };
    if (!soac.scans.empty() || !soac.post.empty() || !std::ranges::all_of(soac.reduces, scalar) ||
        levels_of(soac.width) != 0 || level > 60) {
      regular_ = false;
      return;
    }
    for (size_t k = 0; k < soac.inputs.size(); ++k) {
      if (soac.fn.params[k].type.kind != Type::kArray) regular_ = false;
      levels_[soac.fn.params[k].name] = levels_of(soac.inputs[k]) | Levels{1} << level;
    }
    for (const Stmt& stmt : soac.fn.body.stmts) {
      Levels all = 0;
      for (const Name name : free_names(stmt)) all |= levels_of(name);
      for (const Param& p : stmt.pat) levels_[p.name] = all | (is_view(stmt) ? 0 : kComputed);
      if (!holds_code(stmt.exp)) continue;
      const auto* inner = as<Soac>(stmt.exp);
      if (inner == nullptr)
        regular_ = false;
      else if (level >= 1 && is_product(*inner))
        found_ = true;
      else
        visit(*inner, level + 1);
    }
  }

  bool is_product(const Soac& soac) {
    const std::vector<ProductTerms> sums = sums_of_products(soac);
    const bool single = sums.size() == 1 && sums[0].products.size() == 1;
    if (!single && !with_sums_) return false;
    const Const* width = as_const(soac.width);
    if (width != nullptr && int_value(*width) < kFewProducts) return false;
    return std::ranges::any_of(sums, [&](const ProductTerms& terms) {
      return std::ranges::any_of(terms.products,
                                 [&](const Product& product) { return is_product(soac, product); });
    });
  }

  bool is_product(const Soac& soac, const Product& product) {
    const Levels a = levels_of(soac, product.left), b = levels_of(soac, product.right);
    if ((a & b & kComputed) != 0) return false;
    const Levels left = a & ~kComputed, right = b & ~kComputed;
    if ((left & ~right) == 0 || (right & ~left) == 0) return false;
    shared_ = shared_ || ((left & right) & 1) == 0;
    return true;
  }

  Levels levels_of(const Soac& soac, const Factor& factor) const {
    if (factor.code.empty()) return levels_of(soac.inputs[factor.param]);
    Levels all = 0;
    const auto add = [&](Name name) {
      for (size_t k = 0; k < soac.fn.params.size(); ++k)
        if (soac.fn.params[k].name == name) all |= levels_of(soac.inputs[k]);
      all |= levels_of(name);
    };
    for (const Stmt* stmt : factor.code)
      for (const Name name : free_names(*stmt)) add(name);
    return all;
  }

  const bool with_sums_;
  NameMap<Levels> levels_;
  bool found_ = false, regular_ = true, shared_ = false;
};

}  // namespace

std::optional<Stmt> with_sums_of_products_apart(Program& prog, const Stmt& stmt) {
  const auto* nest = as<Soac>(stmt.exp);
  if (nest == nullptr || !can_split(nest->fn.body, 1)) return std::nullopt;
  Substitution subst;
  Stmt apart = copy_with_fresh_names(stmt, prog.names, subst);
  split_in(prog, as<Soac>(apart.exp)->fn.body, 1);
  if (!has_matrix_products(apart.exp)) return std::nullopt;
  apart.pat = stmt.pat;
  return apart;
}

bool has_shared_products(const Exp& exp) {
  const auto* soac = as<Soac>(exp);
  ProductFinder finder(true);
  return soac != nullptr && finder.look(*soac) && finder.is_shared();
}

bool has_matrix_products(const Exp& exp) {
  const auto* soac = as<Soac>(exp);
  return soac != nullptr && ProductFinder(false).look(*soac);
}

}  // namespace skald::passes
