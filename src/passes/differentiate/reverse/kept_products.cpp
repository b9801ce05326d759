// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/reverse/kept_products.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/early/sums_in_maps.h"

namespace skald::passes::ad {

namespace {

// Are all arrays made from `outer` read in an order that the numbers of maps give?  Then what they
// get is a sum for each place.
bool reads_in_order(const Lambda& fn, NameSet outer, NameSet numbers) {
  for (const Stmt& stmt : fn.body.stmts) {
    if (const auto* soac = as<Soac>(stmt.exp)) {
      NameSet inner = outer, more = numbers;
      for (size_t k = 0; k < soac->inputs.size(); ++k) {
        const Param& p = soac->fn.params[k];
        if (outer.contains(soac->inputs[k])) inner.insert(p.name);
        if (p.type.kind == Type::kArray && p.type.is_scalar() && p.type.elem == Prim::kI64)
          more.insert(p.name);
      }
      if (!reads_in_order(soac->fn, inner, more)) return false;
      continue;
    }
    const auto* index = as<Index>(stmt.exp);
    if (index == nullptr || !outer.contains(index->array)) continue;
    for (const DimSlice& dim : index->slice)
      if (as_const(dim.start) == nullptr && !numbers.contains(*as_name(dim.start))) return false;
    outer.insert(stmt.pat[0].name);
  }
  return true;
}

// Are sums and products all it computes, and are products made of nothing that it sums up?  Then
// its rule needs only what it takes, and may as well be two: others would compute sums once more.
bool is_linear(const Body& body, NameSet summed) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* soac = as<Soac>(stmt.exp)) {
      if (!is_linear(soac->fn.body, summed)) return false;
      for (const Operator& op : soac->reduces)
        if (!is_addition(op.fn)) return false;
      for (const Name input : soac->inputs)
        if (summed.contains(input)) return false;
      bool only_maps = true;
      if (!soac->reduces.empty() || holds_sums(soac->fn.body, only_maps))
        for (const Param& p : stmt.pat) summed.insert(p.name);
      continue;
    }
    const auto* bin = as<BinOp>(stmt.exp);
    const bool adds = bin != nullptr && (bin->op == BinOpKind::kAdd || bin->op == BinOpKind::kSub);
    const bool multiplies = bin != nullptr && bin->op == BinOpKind::kMul;
    if (!adds && !multiplies && as<Index>(stmt.exp) == nullptr &&
        as<Rearrange>(stmt.exp) == nullptr)
      return false;
    const bool is_sum =
        std::ranges::any_of(free_names(stmt.exp), [&](Name name) { return summed.contains(name); });
    if (is_sum && !adds) return false;
    if (is_sum) summed.insert(stmt.pat[0].name);
  }
  return true;
}

class Finder {
 public:
  Finder(const Loop& loop, Session& session, const std::function<bool(Name)>& is_active)
      : loop_(loop), session_(session), is_active_(is_active) {
    for (size_t k = 0; k < loop.params.size(); ++k) {
      const Param& p = loop.params[k].param;
      params_.insert_or_assign(p.name, k);
      if (p.type.is_array() && is_active(p.name)) states_.push_back(p.type);
    }
    for (const Stmt& stmt : loop.body.stmts)
      for (const Param& p : stmt.pat) made_.insert_or_assign(p.name, &stmt);
  }

  std::vector<KeptProduct> find() {
    std::vector<KeptProduct> found;
    for (const Stmt& stmt : loop_.body.stmts) {
      const auto* soac = as<Soac>(stmt.exp);
      bool only_maps = true;
      if (soac == nullptr || !soac->is_map() || stmt.pat.size() != 1 ||
          !is_active_(stmt.pat[0].name) || !holds_sums(soac->fn.body, only_maps) || !only_maps ||
          !fits_one_of(stmt.pat[0].type, states_))
        continue;
      KeptProduct product{.value = stmt.pat[0].name, .type = stmt.pat[0].type};
      product.is_summed_later = sum_later(stmt, *soac, product);
      found.push_back(std::move(product));
    }
    return found;
  }

 private:
  const Stmt* made(Name name) const {
    const auto found = made_.find(name);
    return found == made_.end() ? nullptr : found->second;
  }

  bool sum_later(const Stmt& stmt, const Soac& soac, KeptProduct& product) {
    if (!is_linear(soac.fn.body, {})) return false;
    NameSet seen;
    std::vector<const Stmt*> views;
    for (const Name name : free_names(stmt.exp))
      if (!collect(name, product, views, seen)) return false;
    NameSet active;
    for (const Name name : product.outer)
      if (is_active_(name)) active.insert(name);
    product.outer = std::move(active);
    if (product.outer.empty()) return false;
    NameSet inner = product.outer;
    for (size_t k = 0; k < soac.inputs.size(); ++k)
      if (product.outer.contains(soac.inputs[k])) inner.insert(soac.fn.params[k].name);
    if (!reads_in_order(soac.fn, inner, {})) return false;
    Substitution subst;
    for (RoundInput& input : product.inputs) {
      input.type = session_.type_of(input.name);
      input.copied = session_.prog.names.fresh_like(input.name);
      subst.emplace(input.name, input.copied);
    }
    for (const Stmt* view : views)
      product.copy.push_back(copy_with_fresh_names(*view, session_.prog.names, subst));
    product.copy.push_back(copy_with_fresh_names(stmt, session_.prog.names, subst));
    product.copy.back().tokens.clear();
    return true;
  }

  // Where the name comes from; false if it cannot be had after the loop.
  bool collect(Name name, KeptProduct& product, std::vector<const Stmt*>& views,
               NameSet& seen) const {
    if (!seen.insert(name).second) return true;
    if (name == loop_.var.name && loop_.form == Loop::kFor) return false;
    if (const auto at = params_.find(name); at != params_.end()) {
      if (loop_.params[at->second].param.type.kind != Type::kArray) return false;
      product.inputs.push_back({.name = name, .param = at->second});
      return true;
    }
    const Stmt* stmt = made(name);
    if (stmt == nullptr) {
      product.outer.insert(name);
      return true;
    }
    if (const auto row = row_of(*stmt)) {
      product.inputs.push_back({.kind = RoundInput::Kind::kRow, .name = name, .array = *row});
      return true;
    }
    if (is_same_in_all_rounds(*stmt)) {
      for (const Name needed : free_names(*stmt))
        if (!collect(needed, product, views, seen)) return false;
      views.push_back(stmt);
      product.outer.insert(name);
      return true;
    }
    const Type type = session_.type_of(name);
    if (type.kind != Type::kArray || !fits_one_of(type, states_)) return false;
    product.inputs.push_back({.kind = RoundInput::Kind::kValue, .name = name});
    return true;
  }

  bool is_same_in_all_rounds(const Stmt& stmt) const {
    if (as<Index>(stmt.exp) == nullptr && as<Rearrange>(stmt.exp) == nullptr) return false;
    return stmt.tokens.empty() && std::ranges::all_of(free_names(stmt), [&](Name name) {
             if (name == loop_.var.name || params_.contains(name)) return false;
             const Stmt* inner = made(name);
             return inner == nullptr || is_same_in_all_rounds(*inner);
           });
  }

  // The array if that is its row of the round.
  std::optional<Name> row_of(const Stmt& stmt) const {
    const auto* index = as<Index>(stmt.exp);
    if (index == nullptr || loop_.form != Loop::kFor || loop_.var.type.elem != Prim::kI64 ||
        index->slice.size() != 1 || !index->slice[0].is_index ||
        index->slice[0].start != Operand(loop_.var.name) || params_.contains(index->array) ||
        made(index->array) != nullptr || is_active_(index->array) ||
        session_.type_of(index->array).shape[0] != loop_.bound)
      return std::nullopt;
    return index->array;
  }

  const Loop& loop_;
  Session& session_;
  const std::function<bool(Name)>& is_active_;
  NameMap<size_t> params_;
  NameMap<const Stmt*> made_;
  std::vector<Type> states_;
};

}  // namespace

std::vector<KeptProduct> find_products(const Loop& loop, Session& session,
                                       const std::function<bool(Name)>& is_active) {
  return Finder(loop, session, is_active).find();
}

WholeProduct whole_product(KeptProduct& product, const Operand& rounds,
                           const std::function<Name(const RoundInput&)>& all_of, Emit& out) {
  Stmt row = std::move(product.copy.back());
  product.copy.pop_back();
  Soac& soac = *as<Soac>(row.exp);
  const auto from_round = [&](Name name) {
    return std::ranges::find(product.inputs, name, &RoundInput::copied);
  };
  const auto is_from_round = [&](Name name) { return from_round(name) != product.inputs.end(); };
  // Rows of arrays from outside have their own name for the number of rounds.
  const auto fitting = [&](const RoundInput& input, std::vector<Operand> shape) {
    Type wanted = input.type;
    wanted.shape = std::move(shape);
    return std::get<Name>(out.coerce(all_of(input), wanted));
  };
  Soac whole;
  Type type = array_of(rounds, product.type);
  if (std::ranges::all_of(soac.inputs, is_from_round) &&
      std::ranges::none_of(free_names(soac.fn), is_from_round)) {
    whole.width = out.bin(BinOpKind::kMul, Prim::kI64, rounds, soac.width);
    for (const Name name : soac.inputs) {
      const RoundInput& input = *from_round(name);
      std::vector<Operand> shape = input.type.shape;
      shape[0] = whole.width;
      whole.inputs.push_back(fitting(input, std::move(shape)));
    }
    type = product.type;
    type.shape[0] = whole.width;
    whole.fn = std::move(soac.fn);
  } else {
    whole.width = rounds;
    for (const RoundInput& input : product.inputs) {
      whole.inputs.push_back(fitting(input, array_of(rounds, input.type).shape));
      whole.fn.params.push_back({.name = input.copied, .type = input.type});
    }
    whole.fn.results = {{.type = product.type}};
    whole.fn.body.result = {row.pat[0].name};
    whole.fn.body.stmts.push_back(std::move(row));
  }
  const Name result = out.fresh("products");
  WholeProduct made{.type = type};
  made.body.stmts = std::move(product.copy);
  made.body.stmts.push_back(
      {.pat = {{.name = result, .type = type}}, .exp = std::move(whole), .loc = out.loc()});
  made.body.result = {result};
  out.session().learn(made.body);
  return made;
}

}  // namespace skald::passes::ad
