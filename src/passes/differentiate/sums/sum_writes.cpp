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

#include "core/ir/visit.h"
#include "passes/differentiate/sums/shapes.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace ad {

namespace {

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

  // What the site writes to a place, without the maps that are summed over: the
  // values of all iterations that write there.
  struct Terms {
    const Site& site;
    const WrittenShape& shape;
    const NameMap<Definition>& inside;
    std::vector<Operand> places = {}, at = {};
    std::vector<Store> stores = {};
    bool failed = false;
  };
  Operand term(Terms& terms, Prim type, Emit& out) {
    Point point(session_, terms.inside, terms.site.path, terms.at, terms.stores, out);
    const Operand value = point.scalar(terms.site.value);
    terms.failed = terms.failed || point.failed();
    return point.failed() ? Operand(Const{type, 0}) : value;
  }
  Operand terms_from(Terms& terms, size_t d, Prim type, Emit& out) {
    if (d == terms.shape.dims.size()) return term(terms, type, out);
    if (terms.shape.dims[d].fixed) return terms_from(terms, d + 1, type, out);
    std::optional<Operand> sum;
    for (const Writer& writer : writers(terms.shape.dims[d], terms.places[d], out)) {
      terms.at[terms.shape.dims[d].level] = writer.iteration;
      Operand value = const_i64(0);
      if (writer.condition) {
        If node;
        node.cond = *writer.condition;
        Emit yes(session_, out.loc());
        const Operand found = terms_from(terms, d + 1, type, yes);
        node.then_body = yes.finish({found});
        node.else_body = Body({}, {Operand(Const{type, 0})});
        value = out.let1(scalar_type(type), std::move(node), "term");
      } else {
        value = terms_from(terms, d + 1, type, out);
      }
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
    if (a.is_part || b.is_part) return false;
    return std::ranges::equal(a.dims, b.dims, {}, &WrittenDim::width, &WrittenDim::width);
  }

  // old + the sums of what the sites write, which write to the same places;
  // nothing if it cannot be computed so.
  std::optional<Operand> sums(std::vector<Terms>& group, const Operand& old, Emit& out) {
    const WrittenShape& shape = group[0].shape;
    const Type array = session_.type_of(old), type = scalar_type(array.elem);
    const auto failed = [&] { return std::ranges::any_of(group, &Terms::failed); };
    std::vector<Operand> places;
    const std::function<Operand(Emit&, size_t)> outer = [&](Emit& in, size_t d) -> Operand {
      if (d < shape.dims.size() && shape.dims[d].fixed) {
        places.push_back(*shape.dims[d].fixed);
        return outer(in, d + 1);
      }
      if (d < shape.dims.size())
        return in.map(shape.dims[d].width, {}, [&](Emit& deeper, const Emit::Rows& rows) {
          places.push_back(rows[0]);
          return Emit::Rows{outer(deeper, d + 1)};
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
    if (!shape.is_part) return result;
    std::vector<DimSlice> part;
    for (const WrittenDim& dim : shape.dims)
      part.push_back(dim.fixed ? at_index(*dim.fixed) : whole(dim.width));
    const Name own = out.let1(array, Copy{std::get<Name>(old)}, "own");
    return out.let1(array, Update{own, part, result}, "bar");
  }

  // Accumulator k; the code that computes its array goes to `after`.
  bool replace(Stmt& stmt, size_t k, Emit& after) {
    WithAcc& e = *as<WithAcc>(stmt.exp);
    const AccInput& input = e.inputs[k];
    if (input.arrays.size() != 1 || input.op.empty() || !is_addition(input.op[0].fn) ||
        !session_.type_of(e.fn.params[k].name).acc_elems[0].is_scalar())
      return false;
    const auto sites = find_sites(e.fn.body, e.fn.params[k].name);
    if (!sites) return false;
    Operand array = input.arrays[0];
    std::vector<std::pair<const Site*, Store>> stores;
    Emit made(session_, stmt.loc);
    std::vector<NameMap<Definition>> inside;
    std::vector<WrittenShape> shapes;
    for (const Site& site : *sites) {
      if (site.path.empty()) return false;
      inside.push_back(definitions(e.fn, site.path));
      auto shape = written_shape(site, input, inside.back(), around_);
      if (!shape) return false;
      shapes.push_back(std::move(*shape));
    }
    for (size_t first = 0; first < sites->size();) {
      std::vector<Terms> group;
      size_t s = first;
      for (; s < sites->size() && (s == first || same_places(shapes[first], shapes[s])); ++s)
        group.push_back({.site = (*sites)[s], .shape = shapes[s], .inside = inside[s]});
      const auto result = sums(group, array, made);
      if (!result) return false;
      array = *result;
      for (const Terms& terms : group)
        for (const Store& store : terms.stores) stores.emplace_back(&terms.site, store);
      first = s;
    }
    if (!ctx_.may_rewrite()) return false;
    for (const auto& [site, store] : stores) {
      const Param given = give_back(site->path, store, made);
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
    after.bind(result.name, result.type, array);
    ++changes_;
    return true;
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

  void with_acc(Stmt stmt, Emit& out) {
    Emit after(session_, stmt.loc);
    WithAcc& e = *as<WithAcc>(stmt.exp);
    for (size_t k = e.inputs.size(); k-- > 0;) replace(stmt, k, after);
    if (e.inputs.empty()) {
      for (Stmt& s : e.fn.body.stmts) out.append(std::move(s));
      for (size_t k = 0; k < stmt.pat.size(); ++k)
        out.bind(stmt.pat[k].name, stmt.pat[k].type, e.fn.body.result[k]);
    } else {
      out.append(std::move(stmt));
    }
    for (Stmt& s : after.b().finish({}).stmts) out.append(std::move(s));
  }

  Session& session_;
  PassContext& ctx_;
  Surroundings around_;
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
  prog = fuse_soacs(std::move(prog), ctx);
  return remove_dead_code(simplify(std::move(prog), ctx), ctx);
}

}  // namespace skald::passes
