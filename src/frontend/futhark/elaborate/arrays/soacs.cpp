// SPDX-License-Identifier: Apache-2.0
// The second-order array intrinsics: map, reduce, scan, histograms, scatter, filter, flatmap.
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

RepPtr Elaborator::settle(Block& block, const RepPtr& rep, const RepPtr& hint) {
  std::unordered_set<Name> inner = bound_names(block);
  return zip_dims(rep, hint, [&](const Dim& dim, const Dim* wanted) {
    Dim out = dim;
    const Name* name = core::as_name(*dim.op);
    if (!name || !inner.count(*name)) return out;
    if (hoist(block, inner, *name, true)) return out;
    std::optional<Operand> known = wanted ? try_dim(*wanted) : std::nullopt;
    SKALD_CHECK(known, "the size of a function's result is not known outside");
    out.op = *known;
    return out;
  });
}

void Elaborator::prune(Block& block) {
  std::unordered_set<Name> used;
  for (const Operand& leaf : leaves_of(*block.value))
    if (const Name* n = core::as_name(leaf)) used.insert(*n);
  for (const auto& stmt : block.stmts) {
    if (core::as<core::Convert>(stmt.exp)) continue;
    for (Name n : core::free_names(stmt)) used.insert(n);
  }
  for (size_t i = block.stmts.size(); i-- > 0;) {
    const core::Stmt& stmt = block.stmts[i];
    const auto* convert = core::as<core::Convert>(stmt.exp);
    if (!convert) continue;
    if (!used.count(stmt.pat[0].name)) {
      block.stmts.erase(block.stmts.begin() + static_cast<std::ptrdiff_t>(i));
    } else if (const Name* n = core::as_name(convert->arg)) {
      used.insert(*n);
    }
  }
}

LambdaResult Elaborator::lambda(const std::vector<RepPtr>& params,
                                const std::function<ValuePtr(const std::vector<ValuePtr>&)>& f,
                                const RepPtr& hint, bool exact, std::string_view base) {
  std::vector<core::Param> core_params;
  std::vector<ValuePtr> args;
  for (const RepPtr& rep : params) {
    std::vector<Operand> leaves;
    for (auto& type : leaf_types(*rep)) {
      Name name = prog_.names.fresh(base);
      leaves.emplace_back(name);
      core_params.push_back({name, type});
    }
    args.push_back(make_value(rep, std::move(leaves)));
  }
  Block body = block(core_params, [&] { return f(args); });
  RepPtr rep = rep_of(*body.value);
  SKALD_CHECK(is_first_order(*rep), "a function value as the result of a parallel function");
  LambdaResult out;
  out.rep = exact ? hint : settle(body, rep, hint);
  extend(body, [&] {
    return coerce(body.value, out.rep, {std::string("unexpected lambda result size")});
  });
  if (body.stmts.size() < 16) prune(body);
  out.fn.params = std::move(body.params);
  for (auto& type : leaf_types(*out.rep)) out.fn.results.push_back({{}, type});
  out.fn.body = core::Body(std::move(body.stmts), leaves_of(*body.value));
  return out;
}

RepPtr Elaborator::elem_hint(const Use& use, const char* field) {
  if (!use.type) return nullptr;
  RepPtr rep = resolve(use.type, use.env);
  if (field) {
    if (rep->kind != Rep::kRecord) return nullptr;
    RepPtr found;
    for (const auto& f : rep->fields)
      if (f.first == field) found = f.second;
    rep = found;
  }
  return rep && rep->kind == Rep::kArray ? rep->elem : nullptr;
}

ValuePtr Elaborator::with_width(const ValuePtr& array, const Operand& width) {
  if (*array->rep->dim.op == width) return array;
  return coerce(array, array_rep(width, array->rep->elem), {});
}

std::vector<Name> Elaborator::inputs_of(const elab::Value& array, const Operand& width) {
  ValuePtr v = with_width(std::make_shared<const elab::Value>(array), width);
  std::vector<Name> names;
  for (const Operand& leaf : v->leaves) names.push_back(std::get<Name>(leaf));
  return names;
}

static std::vector<core::Type> arrays_over(const Operand& width,
                                           const std::vector<core::Type>& rows) {
  std::vector<core::Type> out;
  for (const auto& row : rows) out.push_back(core::array_of(width, row));
  return out;
}

ValuePtr Elaborator::map_intrinsic(const std::vector<ValuePtr>& args, const Use& use) {
  const ValuePtr& xs = args.at(1);
  Operand width = *xs->rep->dim.op;
  Use inner{use.span};
  LambdaResult fn = lambda(
      {xs->rep->elem},
      [&](const std::vector<ValuePtr>& rows) { return call1(args[0], rows[0], inner); },
      elem_hint(use), false, "x");
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
        for (Name root : roots_of(std::get<Name>(leaves.back()))) shared_.insert(root);
      } else {
        leaves.push_back(emit1(types[i], core::Replicate{{width}, result}, "rep"));
      }
    }
    return make_value(rep, std::move(leaves));
  }
  core::Soac soac;
  soac.width = width;
  soac.inputs = inputs_of(*xs, width);
  soac.fn = std::move(fn.fn);
  return make_value(rep, emit(types, std::move(soac), "map_res"));
}

core::Operator Elaborator::operator_of(const ValuePtr& fn, const ValuePtr& neutral,
                                       const RepPtr& elem, bool commutative, const Use& use) {
  core::Operator op;
  ValuePtr ne =
      coerce(neutral, elem,
             {std::string("Row shape of input array does not match shape of neutral element")});
  op.neutral = leaves_of(*ne);
  Use inner{use.span};
  op.fn = std::move(
      lambda(
          {elem, elem},
          [&](const std::vector<ValuePtr>& args) { return call2(fn, args[0], args[1], inner); },
          elem, true, "x")
          .fn);
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
  op.commutative = commutative || (known && k > 0);
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

ValuePtr Elaborator::reduce_intrinsic(const std::vector<ValuePtr>& args, bool comm,
                                      const Use& use) {
  const ValuePtr& xs = args.at(2);
  RepPtr elem = xs->rep->elem;
  std::vector<core::Type> rows = leaf_types(*elem);
  if (rows.empty()) return args.at(1);
  core::Soac soac;
  soac.width = *xs->rep->dim.op;
  soac.inputs = inputs_of(*xs, soac.width);
  soac.reduces.push_back(operator_of(args[0], args[1], elem, comm, use));
  soac.fn = identity(rows, prog_.names);
  return make_value(elem, emit(rows, std::move(soac), "red_res"));
}

ValuePtr Elaborator::scan_intrinsic(const std::vector<ValuePtr>& args, const Use& use) {
  const ValuePtr& xs = args.at(2);
  RepPtr elem = xs->rep->elem;
  std::vector<core::Type> rows = leaf_types(*elem);
  if (rows.empty()) return xs;
  core::Soac soac;
  soac.width = *xs->rep->dim.op;
  soac.inputs = inputs_of(*xs, soac.width);
  soac.scans.push_back(operator_of(args[0], args[1], elem, false, use));
  soac.fn = identity(rows, prog_.names);
  std::vector<core::Type> types = arrays_over(soac.width, rows);
  return make_value(xs->rep, emit(types, std::move(soac), "scan_res"));
}

ValuePtr Elaborator::hist_intrinsic(int rank, const std::vector<ValuePtr>& args, const Use& use) {
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
  ValuePtr vs = coerce(args.at(5), array_rep(hist.width, elem),
                       {std::string("Row shape of value array does not match row shape of hist "
                                    "target")});
  op.op = operator_of(args[2], args[3], elem, true, use);
  for (size_t i = 0; i < types.size(); ++i) op.dests.push_back(consume(dest->leaves[i], types[i]));
  hist.ops.push_back(std::move(op));
  hist.inputs = inputs_of(*is, hist.width);
  std::vector<Name> values = inputs_of(*vs, hist.width);
  hist.inputs.insert(hist.inputs.end(), values.begin(), values.end());
  std::vector<core::Type> all(hist.inputs.size() - rows.size(), core::scalar_type(Prim::kI64));
  all.insert(all.end(), rows.begin(), rows.end());
  hist.fn = identity(all, prog_.names);
  return make_value(dest->rep, emit(types, std::move(hist), "hist"));
}

ValuePtr Elaborator::scatter_intrinsic(int rank, const std::vector<ValuePtr>& args) {
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
  ValuePtr vs = coerce(args.at(2), array_rep(scatter.width, elem),
                       {std::string("Row shape of value array does not match row shape of scatter "
                                    "target")});
  for (size_t i = 0; i < types.size(); ++i)
    scatter.dests.push_back({shape, consume(dest->leaves[i], types[i])});
  scatter.inputs = inputs_of(*is, scatter.width);
  std::vector<Name> values = inputs_of(*vs, scatter.width);
  scatter.inputs.insert(scatter.inputs.end(), values.begin(), values.end());
  std::vector<core::Type> all(scatter.inputs.size() - rows.size(), core::scalar_type(Prim::kI64));
  all.insert(all.end(), rows.begin(), rows.end());
  core::Lambda each = identity(all, prog_.names);
  // The same indices for every destination.
  auto n_indices = static_cast<std::ptrdiff_t>(all.size() - rows.size());
  std::vector<Operand> indices(each.body.result.begin(), each.body.result.begin() + n_indices);
  std::vector<core::Ret> index_types(each.results.begin(), each.results.begin() + n_indices);
  for (size_t i = 1; i < rows.size(); ++i) {
    each.body.result.insert(each.body.result.begin(), indices.begin(), indices.end());
    each.results.insert(each.results.begin(), index_types.begin(), index_types.end());
  }
  scatter.fn = std::move(each);
  return make_value(dest->rep, emit(types, std::move(scatter), "scattered"));
}

std::vector<ValuePtr> Elaborator::partition_rows(
    const ValuePtr& xs, int classes, const std::function<Operand(const ValuePtr&)>& class_of) {
  core::Partition part;
  part.width = *xs->rep->dim.op;
  part.classes = classes;
  part.inputs = inputs_of(*xs, part.width);
  RepPtr elem = xs->rep->elem;
  part.fn =
      std::move(lambda(
                    {elem},
                    [&](const std::vector<ValuePtr>& rows) {
                      return tuple_value({scalar_value(Prim::kI64, class_of(rows[0])), rows[0]});
                    },
                    tuple_rep({prim_rep(Prim::kI64), elem}), true, "x")
                    .fn);
  std::vector<core::Param> pat;
  std::vector<Name> sizes;
  for (int i = 0; i < classes; ++i) {
    sizes.push_back(prog_.names.fresh("size"));
    pat.push_back({sizes.back(), core::scalar_type(Prim::kI64)});
  }
  std::vector<ValuePtr> out;
  for (int i = 0; i < classes; ++i) {
    RepPtr rep = array_rep(sizes[static_cast<size_t>(i)], elem);
    std::vector<Operand> leaves;
    for (auto& type : leaf_types(*rep)) {
      Name name = prog_.names.fresh("part");
      leaves.emplace_back(name);
      pat.push_back({name, type});
    }
    out.push_back(make_value(rep, std::move(leaves)));
  }
  b().set_hints(hints_);
  b().let_pat(std::move(pat), std::move(part));
  b().set_hints({});
  return out;
}

ValuePtr Elaborator::filter_intrinsic(const std::vector<ValuePtr>& args, const Use& use) {
  Use inner{use.span};
  return partition_rows(args.at(1), 1, [&](const ValuePtr& row) {
    Operand keep = scalar_of(*call1(args[0], row, inner));
    return emit1(core::scalar_type(Prim::kI64),
                 core::Select{keep, core::const_i64(0), core::const_i64(1)}, "class");
  })[0];
}

ValuePtr Elaborator::partition_intrinsic(int classes, const std::vector<ValuePtr>& args,
                                         const Use& use) {
  Use inner{use.span};
  std::vector<ValuePtr> parts = partition_rows(args.back(), classes, [&](const ValuePtr& row) {
    // The first predicate that holds decides.
    std::vector<Operand> holds;
    for (int i = 0; i + 1 < classes; ++i)
      holds.push_back(scalar_of(*call1(args[static_cast<size_t>(i)], row, inner)));
    Operand cls = core::const_i64(classes - 1);
    for (size_t i = holds.size(); i-- > 0;)
      cls = emit1(core::scalar_type(Prim::kI64),
                  core::Select{holds[i], core::const_i64(static_cast<int64_t>(i)), cls}, "class");
    return cls;
  });
  return tuple_value(std::move(parts));
}

ValuePtr Elaborator::legacy_partition(const std::vector<ValuePtr>& args, const Use& use) {
  const Operand count = scalar_of(*args.at(0));
  const auto* k = core::as_const(count);
  if (!k || core::int_value(*k) < 0 || core::int_value(*k) > 64)
    return limitation(use.span,
                      "intrinsics.partition with a number of classes that is not constant",
                      use.type, use.env);
  int classes = static_cast<int>(core::int_value(*k));
  Use inner{use.span};
  std::vector<ValuePtr> parts = partition_rows(args.at(2), classes + 1, [&](const ValuePtr& row) {
    ValuePtr cls = call1(args[1], row, inner);
    Operand c = b().convert(cls->rep->prim, Prim::kI64, scalar_of(*cls));
    Operand last = core::const_i64(classes);
    const Operand not_low = b().cmpop(CmpOpKind::kLe, Prim::kI64, core::const_i64(0), c);
    const Operand not_high = b().cmpop(CmpOpKind::kLt, Prim::kI64, c, last);
    Operand ok = b().logical_and(not_low, not_high);
    return emit1(core::scalar_type(Prim::kI64), core::Select{ok, c, last}, "class");
  });
  const Operand width = *args[2]->rep->dim.op;
  std::vector<core::Type> types = leaf_types(*args[2]->rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::Concat concat{0, width, {}};
    for (const auto& part : parts) concat.arrays.push_back(std::get<Name>(part->leaves.at(i)));
    leaves.push_back(emit1(types[i], std::move(concat), "parts"));
  }
  core::ArrayLit sizes{core::scalar_type(Prim::kI64), {}};
  for (int i = 0; i < classes; ++i)
    sizes.elems.push_back(*parts[static_cast<size_t>(i)]->rep->dim.op);
  Operand n = core::const_i64(classes);
  Operand size_array =
      emit1(core::array_of(n, core::scalar_type(Prim::kI64)), std::move(sizes), "sizes");
  return tuple_value({make_value(args[2]->rep, std::move(leaves)),
                      make_value(array_rep(n, prim_rep(Prim::kI64)), {size_array})});
}

ValuePtr Elaborator::flatmap_intrinsic(const std::vector<ValuePtr>& args, const Use& use) {
  const ValuePtr& xs = args.at(1);
  core::FlatMap node;
  node.width = *xs->rep->dim.op;
  node.inputs = inputs_of(*xs, node.width);
  std::vector<core::Param> params;
  std::vector<Operand> row_leaves;
  for (auto& type : leaf_types(*xs->rep->elem)) {
    Name name = prog_.names.fresh("x");
    row_leaves.emplace_back(name);
    params.push_back({name, type});
  }
  ValuePtr row = make_value(xs->rep->elem, row_leaves);
  Use inner{use.span};
  Block body = block(params, [&] { return call1(args[0], row, inner); });
  ValuePtr data = project(body.value, "0"), more = project(body.value, "1");
  Operand length = *data->rep->dim.op;
  RepPtr elem = settle(body, data->rep->elem, elem_hint(use, "3"));
  RepPtr more_rep = settle(body, rep_of(*more), elem_hint(use, "4"));
  extend(body, [&] {
    std::vector<MessagePart> message = {std::string("unexpected lambda result size")};
    return tuple_value(
        {coerce(data, array_rep(length, elem), message), coerce(more, more_rep, message)});
  });
  Name k = prog_.names.fresh("k");
  node.fn.params = std::move(body.params);
  node.fn.results.push_back({k, core::scalar_type(Prim::kI64)});
  std::vector<core::Type> data_types = leaf_types(*array_rep(k, elem));
  std::vector<core::Type> more_types = leaf_types(*more_rep);
  for (auto& type : data_types) node.fn.results.push_back({{}, type});
  for (auto& type : more_types) node.fn.results.push_back({{}, type});
  node.data = static_cast<int>(data_types.size());
  std::vector<Operand> results = {length};
  append_leaves(*body.value, results);
  node.fn.body = core::Body(std::move(body.stmts), std::move(results));

  Name total = prog_.names.fresh("total");
  core::Type lengths = core::array_of(node.width, core::scalar_type(Prim::kI64));
  core::Type flags = core::array_of(Operand(total), core::scalar_type(Prim::kBool));
  std::vector<core::Param> pat = {{total, core::scalar_type(Prim::kI64)},
                                  {prog_.names.fresh("lengths"), lengths},
                                  {prog_.names.fresh("flags"), flags},
                                  {prog_.names.fresh("offsets"), lengths}};
  RepPtr ints = array_rep(node.width, prim_rep(Prim::kI64));
  std::vector<ValuePtr> out = {make_value(ints, {pat[1].name}),
                               make_value(array_rep(total, prim_rep(Prim::kBool)), {pat[2].name}),
                               make_value(ints, {pat[3].name})};
  for (const RepPtr& rep : {array_rep(total, elem), array_rep(node.width, more_rep)}) {
    std::vector<Operand> leaves;
    for (auto& type : leaf_types(*rep)) {
      Name name = prog_.names.fresh("flat");
      leaves.emplace_back(name);
      pat.push_back({name, type});
    }
    out.push_back(make_value(rep, std::move(leaves)));
  }
  b().set_hints(hints_);
  b().let_pat(std::move(pat), std::move(node));
  b().set_hints({});
  return tuple_value(std::move(out));
}

}  // namespace skald::futhark::elab
