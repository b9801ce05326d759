// SPDX-License-Identifier: Apache-2.0
#include "passes/totals/totals_of_rounds.h"

#include <algorithm>
#include <optional>

#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/ir/name_map.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

// An element that gets the total of a SOAC in each round.
struct AddedTotal {
  std::vector<DimSlice> place;
  size_t soac = 0, result = 0;  // statement of the body, and which of its results
};

bool adds(const Operator& op) {
  if (op.neutral.size() != 1 || op.fn.params.size() != 2 || op.fn.body.stmts.size() != 1)
    return false;
  const Const* zero = as_const(op.neutral[0]);
  const auto* sum = as<BinOp>(op.fn.body.stmts[0].exp);
  const Operand a = op.fn.params[0].name, b = op.fn.params[1].name;
  return zero != nullptr && zero->bits == 0 && is_float(zero->type) && sum != nullptr &&
         sum->op == BinOpKind::kAdd &&
         ((sum->lhs == a && sum->rhs == b) || (sum->lhs == b && sum->rhs == a)) &&
         op.fn.body.result[0] == Operand(op.fn.body.stmts[0].pat[0].name);
}

// One parameter of one loop.
class AddedUp {
 public:
  AddedUp(const Loop& loop, size_t param) : loop_(loop), param_(param) {
    for (size_t s = 0; s < loop.body.stmts.size(); ++s) {
      for (const Param& p : loop.body.stmts[s].pat) made_.insert_or_assign(p.name, s);
      for (const Name name : free_names(loop.body.stmts[s])) count(name);
    }
    for (const Operand& o : loop.body.result)
      if (const Name* name = as_name(o)) count(*name);
  }

  // The elements, if that is all the parameter is for; `gone`: statements that they do not need.
  std::optional<std::vector<AddedTotal>> find(std::vector<size_t>& gone) {
    const Param& param = loop_.params[param_].param;
    if (loop_.form != Loop::kFor || !param.type.is_array() || !is_float(param.type.elem))
      return std::nullopt;
    Operand at = loop_.body.result[param_];
    while (at != Operand(param.name)) {
      const Stmt* stmt = single(at);
      if (stmt == nullptr) return std::nullopt;
      chain_.insert(stmt->pat[0].name);
      gone.push_back(made_.find(stmt->pat[0].name)->second);
      if (const auto* copy = as<Copy>(stmt->exp)) {
        at = copy->array;
        continue;
      }
      const auto* update = as<Update>(stmt->exp);
      if (update == nullptr || update->slice.size() != param.type.shape.size()) return std::nullopt;
      updates_.push_back(update);
      at = update->array;
    }
    chain_.insert(param.name);
    std::vector<AddedTotal> found;
    for (const Update* update : updates_) {
      const auto total = total_of(*update, gone);
      if (!total || std::ranges::any_of(found, [&](const AddedTotal& other) {
            return other.place == total->place;
          }))
        return std::nullopt;
      found.push_back(*total);
    }
    // Nobody else looks at the array.
    size_t uses = 0;
    for (const Name name : chain_) uses += uses_[name];
    if (found.empty() || uses != chain_.size() + found.size()) return std::nullopt;
    return found;
  }

 private:
  void count(Name name) {
    const auto at = uses_.find(name);
    uses_.insert_or_assign(name, at == uses_.end() ? 1 : at->second + 1);
  }
  const Stmt* single(const Operand& value) const {
    const Name* name = as_name(value);
    const auto at = name == nullptr ? made_.end() : made_.find(*name);
    if (at == made_.end()) return nullptr;
    const Stmt& stmt = loop_.body.stmts[at->second];
    return stmt.pat.size() == 1 && stmt.tokens.empty() ? &stmt : nullptr;
  }
  bool is_used_once(const Operand& value) { return uses_[std::get<Name>(value)] == 1; }

  std::optional<AddedTotal> total_of(const Update& update, std::vector<size_t>& gone) {
    for (const DimSlice& dim : update.slice)
      if (!dim.is_index || as_const(dim.start) == nullptr) return std::nullopt;
    const Stmt* stmt = single(update.value);
    const auto* sum = stmt == nullptr ? nullptr : as<BinOp>(stmt->exp);
    if (sum == nullptr || sum->op != BinOpKind::kAdd || !is_used_once(update.value))
      return std::nullopt;
    gone.push_back(made_.find(stmt->pat[0].name)->second);
    for (const auto& [element, total] : {std::pair{sum->lhs, sum->rhs}, {sum->rhs, sum->lhs}}) {
      const Stmt* read = single(element);
      const auto* index = read == nullptr ? nullptr : as<Index>(read->exp);
      if (index == nullptr || !chain_.contains(index->array) || index->slice != update.slice ||
          !is_used_once(element))
        continue;
      auto found = total_at(total);
      if (!found) continue;
      gone.push_back(made_.find(read->pat[0].name)->second);
      found->place = update.slice;
      return found;
    }
    return std::nullopt;
  }

  std::optional<AddedTotal> total_at(const Operand& value) {
    const Name* name = as_name(value);
    const auto at = name == nullptr ? made_.end() : made_.find(*name);
    if (at == made_.end() || !is_used_once(value)) return std::nullopt;
    const Stmt& stmt = loop_.body.stmts[at->second];
    const auto* soac = as<Soac>(stmt.exp);
    if (soac == nullptr || !soac->scans.empty() || !soac->post.empty()) return std::nullopt;
    const Name* width = as_name(soac->width);
    if (width != nullptr && (made_.contains(*width) || *width == loop_.var.name ||
                             std::ranges::any_of(loop_.params, [&](const LoopParam& p) {
                               return p.param.name == *width;
                             })))
      return std::nullopt;
    AddedTotal found{.soac = at->second};
    while (stmt.pat[found.result].name != *name) ++found.result;
    if (found.result >= soac->reduces.size()) return std::nullopt;
    for (size_t k = 0; k <= found.result; ++k)
      if (soac->reduces[k].neutral.size() != 1) return std::nullopt;
    if (!adds(soac->reduces[found.result])) return std::nullopt;
    return found;
  }

  const Loop& loop_;
  size_t param_;
  NameMap<size_t> made_;
  NameMap<size_t> uses_;
  NameSet chain_;  // what the array is called
  std::vector<const Update*> updates_;
};

// x + y, from two inputs or as an operator.
Lambda addition_of(Program& prog, const Type& type) {
  Builder in(prog);
  Lambda fn;
  fn.params = {{prog.names.fresh("a"), type}, {prog.names.fresh("b"), type}};
  fn.results = {{.type = type}};
  const Operand sum =
      in.binop(BinOpKind::kAdd, type.elem, fn.params[0].name, fn.params[1].name, "sum");
  fn.body = in.finish({sum});
  return fn;
}

// The reduction becomes a result of the map, and the last one.
Name give_terms(Program& prog, Stmt& stmt, size_t result) {
  Soac& soac = *as<Soac>(stmt.exp);
  const auto at = static_cast<ptrdiff_t>(result);
  const auto to_end = [&](auto& list) {
    std::rotate(list.begin() + at, list.begin() + at + 1, list.end());
  };
  soac.reduces.erase(soac.reduces.begin() + at);
  to_end(soac.fn.results);
  to_end(soac.fn.body.result);
  to_end(stmt.pat);
  Param& given = stmt.pat.back();
  given = {prog.names.fresh_like(given.name), array_of(soac.width, given.type)};
  return given.name;
}

class TotalsOfRounds {
 public:
  explicit TotalsOfRounds(Program& prog) : prog_(prog) {}

  void visit(Body& body) {
    Builder out(prog_);
    for (Stmt& stmt : body.stmts) {
      for_each_body(stmt.exp, [&](Body& inner) { visit(inner); });
      if (as<Loop>(stmt.exp) != nullptr)
        loop(std::move(stmt), out);
      else
        out.append(std::move(stmt));
    }
    body.stmts = out.finish({}).stmts;
  }
  int changes = 0;

 private:
  void loop(Stmt stmt, Builder& out) {
    Builder after(prog_);
    after.set_loc(stmt.loc);
    out.set_loc(stmt.loc);
    for (size_t k = as<Loop>(stmt.exp)->params.size(); k-- > 0;) {
      std::vector<size_t> gone;
      const auto totals = AddedUp(*as<Loop>(stmt.exp), k).find(gone);
      if (!totals) continue;
      change(stmt, k, *totals, gone, out, after);
      ++changes;
    }
    out.append(std::move(stmt));
    for (Stmt& s : after.stmts()) out.append(std::move(s));
  }

  void change(Stmt& stmt, size_t k, const std::vector<AddedTotal>& totals,
              const std::vector<size_t>& gone, Builder& out, Builder& after) {
    Loop& loop = *as<Loop>(stmt.exp);
    const Type array = loop.params[k].param.type, type = scalar_type(array.elem);
    const auto at = static_cast<ptrdiff_t>(k);
    Name whole = after.let1(array, Copy{std::get<Name>(loop.params[k].init)}, "own");
    const Param result = stmt.pat[k];
    loop.params.erase(loop.params.begin() + at);
    loop.body.result.erase(loop.body.result.begin() + at);
    stmt.pat.erase(stmt.pat.begin() + at);
    std::vector<Stmt> adding;
    // From the last result of a SOAC on, because the places of those behind change.
    std::vector<AddedTotal> order = totals;
    std::ranges::sort(order, std::ranges::greater(), &AddedTotal::result);
    for (const AddedTotal& total : order) {
      Stmt& source = loop.body.stmts[total.soac];
      const Operand width = as<Soac>(source.exp)->width;
      const Type terms = array_of(width, type);
      const Name given = give_terms(prog_, source, total.result);
      const Name start = out.let1(terms, Replicate{{width}, Operand(Const{type.elem, 0})}, "zeros");
      const Name before = prog_.names.fresh("terms"), last = prog_.names.fresh("terms");
      Builder in(prog_);
      in.set_loc(stmt.loc);
      Soac sum{.width = width, .inputs = {before, given}, .fn = addition_of(prog_, type)};
      const Name next = in.let1(terms, std::move(sum), "terms");
      adding.push_back(std::move(in.stmts()[0]));
      loop.params.push_back({{before, terms, true}, start});
      loop.body.result.emplace_back(next);
      stmt.pat.push_back({last, terms});
      const Name element = after.let1(type, Index{whole, total.place}, "element");
      const Operand more = after.binop(BinOpKind::kAdd, type.elem, element,
                                       after.let1(type, total_of(last, width, type), "total"));
      whole = after.let1(array, Update{whole, total.place, more}, "bar");
    }
    std::vector<Stmt> kept;
    for (size_t s = 0; s < loop.body.stmts.size(); ++s)
      if (std::ranges::find(gone, s) == gone.end()) kept.push_back(std::move(loop.body.stmts[s]));
    for (Stmt& s : adding) kept.push_back(std::move(s));
    loop.body.stmts = std::move(kept);
    after.let_pat({result}, Reshape{whole, result.type.shape});
  }

  Soac total_of(Name terms, const Operand& width, const Type& type) {
    Soac soac{.width = width, .inputs = {terms}};
    const Name x = prog_.names.fresh("x");
    soac.fn.params = {{x, type}};
    soac.fn.results = {{.type = type}};
    soac.fn.body.result = {x};
    soac.reduces.push_back({addition_of(prog_, type), {Operand(Const{type.elem, 0})}, true});
    return soac;
  }

  Program& prog_;
};

}  // namespace

int add_totals_after_loops(Program& prog, Body& body) {
  TotalsOfRounds totals(prog);
  totals.visit(body);
  return totals.changes;
}

}  // namespace skald::passes
