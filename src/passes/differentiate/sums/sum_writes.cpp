// SPDX-License-Identifier: Apache-2.0
// Turns writes to accumulators into sums where each place is known beforehand.
//
// Reverse mode gives arrays that a map reads from outside an accumulator
// (docs/adr/0031).  Often the iterations write to all of the array, in order:
//
//   before   with_acc(zeros, \acc ->                 after   map (\j -> map (\k
//   ->
//              map (\i -> map (\j -> map (\k ->                reduce (+) 0
//              (map (\i -> f i j k)))))
//                update_acc(acc, {j, k}, f i j k)))))
//
// The maps that an index names become a map around a reduction over the others.
// No two iterations write to the same place then.  Indices may be moved by a
// constant and brought back into the array at its ends, as those of stencils;
// then each place adds up what those iterations would have written to it
// (shapes.h).  What is left is a product of matrices, a sum of rows, …, which
// other passes know well.
//
// Stage    SOACS.
// Needs    unique names; after fusion and simplify, so that writes are next to
// what they write. Gives    no property that others rely on. Keeps    values,
// except that sums may be computed in another order. Cost     linear in the
// size of the nests.  What the sum and the rest of the nest both need is
//          computed twice, or stored if that is much.
// Tests    tests/golden/passes/sum_writes/*.core, tests/programs/ad/sums.fut
#include <algorithm>
#include <functional>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/differentiate/sums/repeated.h"
#include "passes/passes.h"
#include "passes/totals/totals_of_rounds.h"

namespace skald::passes {

using namespace core;

namespace ad {

namespace {

// Cheaper to run than to branch around.
bool is_short(const Body& body) {
  constexpr size_t kMostStatements = 32;
  return body.stmts.size() <= kMostStatements && std::ranges::none_of(body.stmts, is_heavy);
}

class SumWrites {
 public:
  SumWrites(Session& session, PassContext& ctx) : session_(session), ctx_(ctx) {}

  void visit(Body& body) {
    std::vector<Stmt> old = std::move(body.stmts);
    Emit out(session_);
    for (Stmt& stmt : old) {
      out.set_loc(stmt.loc);
      around_.note(stmt);
      for_each_body(stmt.exp, [&](Body& inner) { visit(inner); });
      if (as<WithAcc>(stmt.exp) != nullptr)
        with_acc(std::move(stmt), out);
      else
        out.append(std::move(stmt));
    }
    body.stmts = out.b().finish({}).stmts;
  }

  int changes() const { return changes_; }

 private:
  // A reduction with + over the numbers below `width`.
  Operand sum(const Operand& width, const Type& type, Emit& out,
              const std::function<Operand(Emit&, const Operand&)>& f) {
    Soac soac;
    soac.width = width;
    const Type numbers = array_of(width, scalar_type(Prim::kI64));
    soac.inputs = {
        out.let1(numbers, Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "numbers")};
    const Name i = out.fresh("i");
    soac.fn.params = {{.name = i, .type = scalar_type(Prim::kI64)}};
    session_.learn(soac.fn.params);
    Emit in(session_, out.loc());
    const Operand term = f(in, i);
    soac.fn.results = {{.type = type}};
    soac.fn.body = in.finish({term});
    soac.reduces.push_back({addition(session_, {type}), {Operand(Const{type.elem, 0})}, true});
    return out.let1(type, std::move(soac), "sum");
  }

  // What the nest stores for the sites, and for which of them.
  struct Stores {
    std::vector<Store> values;
    std::vector<const Site*> sites;
  };
  // What the site writes to a place, without the maps that are summed over: the
  // values of all iterations that write there.
  struct Terms {
    const Site& site;
    const WrittenShape& shape;
    const NameMap<Definition>& inside;
    Stores& stores;
    std::vector<Operand> places = {}, at = {};
    bool failed = false;
  };
  Operand term(Terms& terms, Prim type, Emit& out) {
    Point point(session_, terms.inside, terms.site.path, terms.at, terms.stores.values, out);
    const Operand value = point.scalar(terms.site.value);
    for (const Stmt* copy : point.copies())
      made_.copied.insert_or_assign(copy->pat[0].name, cost_of_statement(*copy));
    terms.stores.sites.resize(terms.stores.values.size(), &terms.site);
    terms.failed = terms.failed || point.failed();
    return point.failed() ? Operand(Const{type, 0}) : value;
  }
  // What one iteration of the map of dimension d writes.
  Operand terms_of(Terms& terms, size_t d, const Operand& iteration, Prim type, Emit& out) {
    terms.at[terms.shape.dims[d].level] = iteration;
    return terms_from(terms, d + 1, type, out);
  }
  // The same where a condition holds, otherwise 0.  Short code runs always, at an iteration that
  // exists, so that neighbouring places do the same and can be lanes of one vector.
  Operand term_if(Terms& terms, size_t d, const Writer& writer, Prim type, Emit& out) {
    const Operand zero = Const{type, 0};
    Emit always(session_, out.loc());
    Operand iteration = writer.iteration;
    if (!writer.exists) {
      const Operand last =
          always.bin(BinOpKind::kSub, Prim::kI64, terms.shape.dims[d].width, const_i64(1));
      if (terms.shape.dims[d].offset > 0)
        iteration = always.bin(BinOpKind::kMax, Prim::kI64, iteration, const_i64(0));
      iteration = always.bin(BinOpKind::kMin, Prim::kI64, last, iteration);
    }
    const Operand value = terms_of(terms, d, iteration, type, always);
    Body straight = always.finish({value});
    if (is_short(straight)) {
      for (Stmt& stmt : straight.stmts) out.append(std::move(stmt));
      return out.select(*writer.condition, value, zero);
    }
    If node;
    node.cond = *writer.condition;
    Emit yes(session_, out.loc());
    const Operand found = terms_of(terms, d, writer.iteration, type, yes);
    node.then_body = yes.finish({found});
    node.else_body = Body({}, {zero});
    return out.let1(scalar_type(type), std::move(node), "term");
  }
  Operand terms_from(Terms& terms, size_t d, Prim type, Emit& out) {
    if (d == terms.shape.dims.size()) return term(terms, type, out);
    if (terms.shape.dims[d].fixed) return terms_from(terms, d + 1, type, out);
    std::optional<Operand> sum;
    for (const Writer& writer : writers(terms.shape.dims[d], terms.places[d], out)) {
      const Operand value = writer.condition ? term_if(terms, d, writer, type, out)
                                             : terms_of(terms, d, writer.iteration, type, out);
      sum = sum ? out.add(*sum, value, scalar_type(type)) : value;
    }
    return *sum;
  }

  // Without the maps that an index names.
  Operand summed(Terms& terms, size_t k, const Type& type, Emit& out) {
    const std::vector<size_t>& levels = terms.shape.summed;
    if (k == levels.size()) return terms_from(terms, 0, type.elem, out);
    const Operand width = as<Soac>(terms.site.path[levels[k]]->exp)->width;
    return sum(width, type, out, [&](Emit& in, const Operand& i) {
      terms.at[levels[k]] = i;
      return summed(terms, k + 1, type, in);
    });
  }

  static bool same_places(const WrittenShape& a, const WrittenShape& b) {
    return std::ranges::equal(a.dims, b.dims, [](const WrittenDim& x, const WrittenDim& y) {
      return x.fixed == y.fixed && (x.fixed || x.width == y.width);
    });
  }
  // Parts with other constant indices have no place in common.
  static bool are_apart(const WrittenShape& a, const WrittenShape& b) {
    for (size_t d = 0; d < a.dims.size(); ++d)
      if (a.dims[d].fixed && b.dims[d].fixed && *a.dims[d].fixed != *b.dims[d].fixed) return true;
    return false;
  }

  // The sums of what the sites write, which write to the same places, and what is there in `old`;
  // nothing if it cannot be computed so.
  std::optional<Operand> sums(std::vector<Terms>& group, const Operand& old, Emit& out) {
    const WrittenShape& shape = group[0].shape;
    const Type array = session_.type_of(old), type = scalar_type(array.elem);
    const auto failed = [&] { return std::ranges::any_of(group, &Terms::failed); };
    const std::vector<size_t> order = order_of_maps(shape);
    std::vector<Operand> places(shape.dims.size(), const_i64(0));
    for (size_t d = 0; d < places.size(); ++d)
      if (shape.dims[d].fixed) places[d] = *shape.dims[d].fixed;
    const std::function<Operand(Emit&, size_t)> outer = [&](Emit& in, size_t m) -> Operand {
      if (m < order.size())
        return in.map(shape.dims[order[m]].width, {}, [&](Emit& deeper, const Emit::Rows& rows) {
          places[order[m]] = rows[0];
          return Emit::Rows{outer(deeper, m + 1)};
        })[0];
      std::vector<DimSlice> place;
      for (const Operand& index : places) place.push_back(at_index(index));
      std::optional<Operand> total;
      if (!around_.zeros.contains(std::get<Name>(old)))
        total = in.index(std::get<Name>(old), place);
      for (Terms& terms : group) {
        terms.places = places;
        terms.at.assign(terms.site.path.size(), const_i64(0));
        const Operand more = summed(terms, 0, type, in);
        total = total ? in.add(*total, more, type) : more;
      }
      return *total;
    };
    const Operand result = outer(out, 0);
    if (failed()) return std::nullopt;
    return in_order_of_dims(result, order, out);
  }

  // The maps over places, outermost first: those of few iterations, as far as that is known, come
  // first, because the innermost two are what products of matrices are made of.
  static std::vector<size_t> order_of_maps(const WrittenShape& shape) {
    std::vector<size_t> order;
    for (size_t d = 0; d < shape.dims.size(); ++d)
      if (!shape.dims[d].fixed) order.push_back(d);
    if (order.size() < 3 || shape.summed.empty()) return order;
    std::ranges::stable_partition(
        order, [&](size_t d) { return as_const(shape.dims[d].width) != nullptr; });
    return order;
  }
  Operand in_order_of_dims(const Operand& result, const std::vector<size_t>& order, Emit& out) {
    if (std::ranges::is_sorted(order)) return result;
    std::vector<size_t> dims = order;
    std::ranges::sort(dims);
    const Type made = session_.type_of(result);
    Type type = made;
    std::vector<int> perm;
    for (size_t k = 0; k < dims.size(); ++k) {
      const auto at = std::ranges::find(order, dims[k]) - order.begin();
      perm.push_back(static_cast<int>(at));
      type.shape[k] = made.shape[static_cast<size_t>(at)];
    }
    return out.let1(type, Rearrange{std::get<Name>(result), perm}, "turned");
  }
  // The array with these sums in it.
  Operand put(const WrittenShape& shape, const Operand& old, const Operand& result, Emit& out) {
    if (!shape.is_part) return result;
    const Type array = session_.type_of(old);
    std::vector<DimSlice> part;
    for (const WrittenDim& dim : shape.dims)
      part.push_back(dim.fixed ? at_index(*dim.fixed) : whole(dim.width));
    const Name own = out.let1(array, Copy{std::get<Name>(old)}, "own");
    return out.let1(array, Update{own, part, result}, "bar");
  }

  // The array after the writes of all sites.  Those that write to the same places are summed
  // together; sums for places that have nothing in common do not wait for each other, so that
  // fusion can make one nest of them.
  std::optional<Operand> after_writes(std::vector<Terms> all, const Operand& start, Emit& out) {
    Operand array = start, base = start;
    std::vector<std::pair<const WrittenShape*, Operand>> ready;
    const auto put_all = [&] {
      for (const auto& [shape, result] : ready) array = put(*shape, array, result, out);
      base = array;
      ready.clear();
    };
    while (!all.empty()) {
      const WrittenShape& shape = all[0].shape;
      std::vector<Terms> group, rest;
      for (Terms& terms : all)
        (same_places(shape, terms.shape) ? group : rest).push_back(std::move(terms));
      const auto apart = [&](const auto& r) { return are_apart(*r.first, shape); };
      if (!std::ranges::all_of(ready, apart)) put_all();
      const auto result = sums(group, base, out);
      if (!result) return std::nullopt;
      ready.emplace_back(&shape, *result);
      all = std::move(rest);
    }
    put_all();
    return array;
  }

  // Accumulator k; the code that computes its array goes to `after`.
  bool replace(Stmt& stmt, size_t k, Emit& after) {
    WithAcc& e = *as<WithAcc>(stmt.exp);
    const AccInput& input = e.inputs[k];
    if (input.arrays.size() != 1 || input.op.empty() || !is_addition(input.op[0].fn) ||
        !session_.type_of(e.fn.params[k].name).acc_elems[0].is_scalar())
      return false;
    const auto sites = find_sites(e.fn.body, e.fn.params[k].name);
    if (!sites || std::ranges::any_of(*sites, [](const Site& s) { return s.path.empty(); }))
      return false;
    std::vector<NameMap<Definition>> inside;
    for (const Site& site : *sites) inside.push_back(definitions(e.fn, site.path));
    Emit made(session_, stmt.loc);
    const size_t known = stores_.values.size();
    const auto array = sums_of_sites(*sites, input, inside, stores_, made);
    if (!array || !ctx_.may_rewrite()) {
      stores_.values.resize(known);
      stores_.sites.resize(known);
      return false;
    }
    for (size_t s = known; s < stores_.values.size(); ++s) {
      const Store& store = stores_.values[s];
      const Param given = give_back(stores_.sites[s]->path, store, made);
      e.fn.results.push_back({.type = given.type});
      e.fn.body.result.emplace_back(given.name);
      stmt.pat.push_back({.name = store.array, .type = given.type});
    }
    const Param result = stmt.pat[result_at(e, k)];
    drop_accumulator(e.fn.body, e.fn.params[k].name);
    stmt.pat.erase(stmt.pat.begin() + static_cast<ptrdiff_t>(result_at(e, k)));
    erase_nth(e.fn.params, k);
    erase_nth(e.fn.results, k);
    erase_nth(e.fn.body.result, k);
    erase_nth(e.inputs, k);
    for (Stmt& s : made.b().finish({}).stmts) after.append(std::move(s));
    after.bind(result.name, result.type, *array);
    ++changes_;
    return true;
  }

  std::optional<Operand> sums_of_sites(const std::vector<Site>& sites, const AccInput& input,
                                       const std::vector<NameMap<Definition>>& inside,
                                       Stores& stores, Emit& made) {
    std::vector<WrittenShape> shapes;
    for (size_t s = 0; s < sites.size(); ++s) {
      auto shape = written_shape(sites[s], input, inside[s], around_);
      if (!shape) return std::nullopt;
      made_.note(sites[s], *shape);
      shapes.push_back(std::move(*shape));
    }
    std::vector<Terms> all;
    for (size_t s = 0; s < sites.size(); ++s)
      all.push_back({sites[s], shapes[s], inside[s], stores});
    return after_writes(std::move(all), input.arrays[0], made);
  }

  template <class T>
  static void erase_nth(std::vector<T>& list, size_t at) {
    list.erase(list.begin() + static_cast<ptrdiff_t>(at));
  }
  static size_t result_at(const WithAcc& e, size_t k) {
    size_t at = 0;
    for (size_t j = 0; j < k; ++j) at += e.inputs[j].arrays.size();
    return at;
  }

  // The nest without the accumulators that became sums, and the sums.
  void append_rest(Stmt stmt, Emit& after, Emit& out) {
    WithAcc& e = *as<WithAcc>(stmt.exp);
    if (e.inputs.empty()) {
      for (Stmt& s : e.fn.body.stmts) out.append(std::move(s));
      for (size_t k = 0; k < stmt.pat.size(); ++k)
        out.bind(stmt.pat[k].name, stmt.pat[k].type, e.fn.body.result[k]);
    } else {
      out.append(std::move(stmt));
    }
    for (Stmt& s : after.b().finish({}).stmts) out.append(std::move(s));
  }

  void with_acc(Stmt stmt, Emit& out) {
    Emit after(session_, stmt.loc);
    WithAcc& e = *as<WithAcc>(stmt.exp);
    const int before = changes_;
    made_ = {};
    stores_ = {};
    std::optional<Stmt> old;
    const std::vector<Param> pat = stmt.pat;
    Substitution fresh;
    // Threads in groups would wait for each other's writes.
    if (!ctx_.device().groups && has_slow_code(e.fn.body))
      old = copy_with_fresh_names(stmt, session_.prog.names, fresh);
    for (size_t k = e.inputs.size(); k-- > 0;) replace(stmt, k, after);
    std::optional<int64_t> least;
    if (old && changes_ > before) least = least_sum_for_writes(made_, e, *as<WithAcc>(old->exp));
    if (!least) return append_rest(std::move(stmt), after, out);
    Emit sums(session_, stmt.loc);
    append_rest(std::move(stmt), after, sums);
    choose(pat, std::move(*old), std::move(sums), *least, out);
  }

  // Writes if each place gets many, otherwise sums.
  void choose(const std::vector<Param>& pat, Stmt writes, Emit sums, int64_t least, Emit& out) {
    Operand many = const_bool(true);
    for (const std::vector<Operand>& widths : made_.summed)
      many = out.both(many,
                      out.cmp(CmpOpKind::kLe, Prim::kI64, const_i64(least), out.product(widths)));
    If node;
    node.cond = many;
    std::vector<Operand> written, summed;
    for (const Param& p : writes.pat) written.emplace_back(p.name);
    for (const Param& p : pat) summed.emplace_back(p.name);
    node.then_body.stmts.push_back(std::move(writes));
    node.then_body.result = std::move(written);
    node.else_body = copy_with_fresh_names(sums.b().finish(std::move(summed)), session_.prog.names);
    session_.learn(node.then_body);
    session_.learn(node.else_body);
    out.let_pat(pat, std::move(node));
  }

  Session& session_;
  PassContext& ctx_;
  Surroundings around_;
  // Of the nest that is looked at.
  SumsMade made_;
  Stores stores_;
  int changes_ = 0;
};

bool has_accumulators(const Body& body) {
  return std::ranges::any_of(body.stmts, [](const Stmt& stmt) {
    bool found = as<WithAcc>(stmt.exp) != nullptr;
    for_each_body(stmt.exp, [&](const Body& inner) { found = found || has_accumulators(inner); });
    return found;
  });
}

}  // namespace

}  // namespace ad

Program sum_writes(Program prog, PassContext& ctx) {
  const auto has = [](const Function& fn) { return ad::has_accumulators(fn.body); };
  if (std::ranges::none_of(prog.functions, has)) return prog;
  ad::Session session(prog);
  for (const Function& fn : prog.functions) {
    session.learn(fn.params);
    session.learn(fn.body);
  }
  int changes = 0;
  for (Function& fn : prog.functions) {
    ad::SumWrites sums(session, ctx);
    sums.visit(fn.body);
    changes += sums.changes();
  }
  if (changes == 0) return prog;
  // What was computed for the writes alone goes, and the rest may be merged
  // again.
  prog = remove_dead_code(simplify(std::move(prog), ctx), ctx);
  if (ctx.device().groups)
    for (Function& fn : prog.functions) add_totals_after_loops(prog, fn.body);
  prog = fuse_soacs(std::move(prog), ctx);
  return remove_dead_code(simplify(std::move(prog), ctx), ctx);
}

}  // namespace skald::passes
