// SPDX-License-Identifier: Apache-2.0
// Combinators whose results have the width of their inputs, or less.
#include "frontend/futhark/elaborate/arrays/soacs.h"

#include "core/ir/visit.h"
#include "frontend/futhark/elaborate/bodies/lambdas.h"
#include "frontend/futhark/elaborate/code/coerce.h"

namespace skald::futhark::elab {

RepPtr Soacs::elem_hint(const Use& use, const char* field) {
  if (!use.type) return nullptr;
  RepPtr rep = types_.resolve(use.type, use.env);
  if (field) {
    if (rep->kind != Rep::kRecord) return nullptr;
    RepPtr found;
    for (const auto& f : rep->fields)
      if (f.first == field) found = f.second;
    rep = found;
  }
  return rep && rep->kind == Rep::kArray ? rep->elem : nullptr;
}

static std::vector<core::Type> arrays_over(const Operand& width,
                                           const std::vector<core::Type>& rows) {
  std::vector<core::Type> out;
  for (const auto& row : rows) out.push_back(core::array_of(width, row));
  return out;
}

ValuePtr Soacs::map(const Args& args, const Use& use) {
  const ValuePtr& xs = args.at(1);
  Operand width = *xs->rep->dim.op;
  Use inner{use.span};
  LambdaResult fn = lambda(
      code_, types_, {xs->rep->elem},
      [&](const std::vector<ValuePtr>& rows) {
        return evaluator_.apply(args[0], {rows[0]}, inner);
      },
      elem_hint(use));
  RepPtr rep = array_rep(width, fn.rep);
  std::vector<core::Type> types = leaf_types(*rep);
  if (types.empty()) return make_value(rep, {});
  if (fn.fn.body.stmts.empty()) {
    // Rearranging components costs nothing, and a constant row is a replicate.
    std::vector<Operand> leaves;
    for (size_t i = 0; i < types.size(); ++i) {
      const Operand& result = fn.fn.body.result[i];
      const Name* name = core::as_name(result);
      size_t k = 0;
      while (name && k < fn.fn.params.size() && !(fn.fn.params[k].name == *name)) ++k;
      if (name && k < fn.fn.params.size()) {
        leaves.push_back(xs->leaves.at(k));
        code_.sharing().share(std::get<Name>(leaves.back()));
      } else {
        leaves.push_back(code_.emit1(types[i], core::Replicate{{width}, result}, "rep"));
      }
    }
    return make_value(rep, leaves);
  }
  core::Soac soac;
  soac.width = width;
  soac.inputs = inputs_of(code_, *xs, width);
  soac.fn = std::move(fn.fn);
  return make_value(rep, code_.emit(types, std::move(soac), "map_res"));
}

core::Operator Soacs::operator_of(const ValuePtr& fn, const ValuePtr& neutral, const RepPtr& elem,
                                  Commutative commutative, const Use& use) {
  core::Operator op;
  ValuePtr ne =
      coerce(code_, neutral, elem,
             {std::string("Row shape of input array does not match shape of neutral element")});
  op.neutral = leaves_of(*ne);
  Use inner{use.span};
  op.fn = lambda_to(
      code_, {elem, elem},
      [&](const Args& args) { return evaluator_.apply(fn, {args[0], args[1]}, inner); }, elem);
  // Operators that are commutative by what they are.
  size_t k = op.neutral.size();
  bool known = op.fn.body.stmts.size() == k;
  for (size_t i = 0; i < k && known; ++i) {
    known = false;
    for (const auto& stmt : op.fn.body.stmts) {
      const auto* bin = core::as<core::BinOp>(stmt.exp);
      if (!bin || !core::is_commutative(bin->op)) continue;
      Operand x = op.fn.params[i].name, y = op.fn.params[i + k].name;
      if (op.fn.body.result[i] == Operand(stmt.pat[0].name) &&
          ((bin->lhs == x && bin->rhs == y) || (bin->lhs == y && bin->rhs == x)))
        known = true;
    }
  }
  op.commutative = commutative == Commutative::kYes || (known && k > 0);
  return op;
}

// The function that gives back its arguments.
static core::Lambda identity(const std::vector<core::Type>& rows, core::NameTable& names) {
  core::Lambda fn;
  for (const auto& row : rows) {
    Name name = names.fresh("x");
    fn.params.push_back({name, row});
    fn.results.push_back({{}, row});
    fn.body.result.emplace_back(name);
  }
  return fn;
}

ValuePtr Soacs::reduce(const Args& args, Commutative commutative, const Use& use) {
  const ValuePtr& xs = args.at(2);
  RepPtr elem = xs->rep->elem;
  std::vector<core::Type> rows = leaf_types(*elem);
  if (rows.empty()) return args.at(1);
  core::Soac soac;
  soac.width = *xs->rep->dim.op;
  soac.inputs = inputs_of(code_, *xs, soac.width);
  soac.reduces.push_back(operator_of(args[0], args[1], elem, commutative, use));
  soac.fn = identity(rows, code_.program().names);
  return make_value(elem, code_.emit(rows, std::move(soac), "red_res"));
}

ValuePtr Soacs::scan(const Args& args, const Use& use) {
  const ValuePtr& xs = args.at(2);
  RepPtr elem = xs->rep->elem;
  std::vector<core::Type> rows = leaf_types(*elem);
  if (rows.empty()) return xs;
  core::Soac soac;
  soac.width = *xs->rep->dim.op;
  soac.inputs = inputs_of(code_, *xs, soac.width);
  soac.scans.push_back(operator_of(args[0], args[1], elem, Commutative::kNo, use));
  soac.fn = identity(rows, code_.program().names);
  std::vector<core::Type> types = arrays_over(soac.width, rows);
  return make_value(xs->rep, code_.emit(types, std::move(soac), "scan_res"));
}

ValuePtr Soacs::hist(int rank, const Args& args, const Use& use) {
  const ValuePtr &dest = args.at(1), &is = args.at(4);
  core::Hist hist;
  hist.width = *is->rep->dim.op;
  RepPtr elem = dest->rep;
  core::HistOp op;
  for (int d = 0; d < rank; ++d) {
    op.shape.push_back(*elem->dim.op);
    elem = elem->elem;
  }
  std::vector<core::Type> rows = leaf_types(*elem), types = leaf_types(*dest->rep);
  if (rows.empty()) return dest;
  ValuePtr vs = coerce(code_, args.at(5), array_rep(hist.width, elem),
                       {std::string("Row shape of value array does not match row shape of hist "
                                    "target")});
  op.op = operator_of(args[2], args[3], elem, Commutative::kYes, use);
  for (size_t i = 0; i < types.size(); ++i)
    op.dests.push_back(code_.consume(dest->leaves[i], types[i]));
  hist.ops.push_back(std::move(op));
  hist.inputs = inputs_of(code_, *is, hist.width);
  std::vector<Name> values = inputs_of(code_, *vs, hist.width);
  hist.inputs.insert(hist.inputs.end(), values.begin(), values.end());
  std::vector<core::Type> all(hist.inputs.size() - rows.size(), core::scalar_type(Prim::kI64));
  all.insert(all.end(), rows.begin(), rows.end());
  hist.fn = identity(all, code_.program().names);
  return make_value(dest->rep, code_.emit(types, std::move(hist), "hist"));
}

ValuePtr Soacs::scatter(int rank, const Args& args) {
  const ValuePtr &dest = args.at(0), &is = args.at(1);
  core::Scatter scatter;
  scatter.width = *is->rep->dim.op;
  RepPtr elem = dest->rep;
  std::vector<Operand> shape;
  for (int d = 0; d < rank; ++d) {
    shape.push_back(*elem->dim.op);
    elem = elem->elem;
  }
  std::vector<core::Type> rows = leaf_types(*elem), types = leaf_types(*dest->rep);
  if (rows.empty()) return dest;
  ValuePtr vs = coerce(code_, args.at(2), array_rep(scatter.width, elem),
                       {std::string("Row shape of value array does not match row shape of scatter "
                                    "target")});
  for (size_t i = 0; i < types.size(); ++i)
    scatter.dests.push_back({shape, code_.consume(dest->leaves[i], types[i])});
  scatter.inputs = inputs_of(code_, *is, scatter.width);
  std::vector<Name> values = inputs_of(code_, *vs, scatter.width);
  scatter.inputs.insert(scatter.inputs.end(), values.begin(), values.end());
  std::vector<core::Type> all(scatter.inputs.size() - rows.size(), core::scalar_type(Prim::kI64));
  all.insert(all.end(), rows.begin(), rows.end());
  core::Lambda each = identity(all, code_.program().names);
  // The same indices for every destination.
  auto n_indices = static_cast<std::ptrdiff_t>(all.size() - rows.size());
  std::vector<Operand> indices(each.body.result.begin(), each.body.result.begin() + n_indices);
  std::vector<core::Ret> index_types(each.results.begin(), each.results.begin() + n_indices);
  for (size_t i = 1; i < rows.size(); ++i) {
    each.body.result.insert(each.body.result.begin(), indices.begin(), indices.end());
    each.results.insert(each.results.begin(), index_types.begin(), index_types.end());
  }
  scatter.fn = std::move(each);
  return make_value(dest->rep, code_.emit(types, std::move(scatter), "scattered"));
}

}  // namespace skald::futhark::elab
