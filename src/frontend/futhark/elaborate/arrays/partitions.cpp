// SPDX-License-Identifier: Apache-2.0
// Combinators whose results have as many rows as they find.
#include "frontend/futhark/elaborate/arrays/soacs.h"
#include "frontend/futhark/elaborate/bodies/lambdas.h"
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/types/placeholders.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

std::vector<ValuePtr> Soacs::partition_rows(
    const ValuePtr& xs, int classes, const std::function<Operand(const ValuePtr&)>& class_of) {
  core::Partition part;
  part.width = *xs->rep->dim.op;
  part.classes = classes;
  part.inputs = inputs_of(code_, *xs, part.width);
  RepPtr elem = xs->rep->elem;
  const auto with_class = [&](const Args& rows) {
    return tuple_value({scalar_value(Prim::kI64, class_of(rows[0])), rows[0]});
  };
  part.fn = lambda_to(code_, {elem}, with_class, tuple_rep({prim_rep(Prim::kI64), elem}));
  std::vector<core::Param> pat;
  std::vector<Name> sizes;
  for (int i = 0; i < classes; ++i) {
    sizes.push_back(code_.fresh("size"));
    pat.push_back({sizes.back(), core::scalar_type(Prim::kI64)});
  }
  std::vector<ValuePtr> out;
  for (int i = 0; i < classes; ++i) {
    RepPtr rep = array_rep(sizes[static_cast<size_t>(i)], elem);
    std::vector<Operand> leaves;
    for (auto& type : leaf_types(*rep)) {
      Name name = code_.fresh("part");
      leaves.emplace_back(name);
      pat.push_back({name, type});
    }
    out.push_back(make_value(rep, leaves));
  }
  code_.emit_pat(std::move(pat), std::move(part));
  return out;
}

ValuePtr Soacs::filter(const Args& args, const Use& use) {
  Use inner{use.span};
  return partition_rows(args.at(1), 1, [&](const ValuePtr& row) {
    Operand keep = scalar_of(*evaluator_.apply(args[0], {row}, inner));
    return code_.emit1(core::scalar_type(Prim::kI64),
                       core::Select{keep, core::const_i64(0), core::const_i64(1)}, "class");
  })[0];
}

ValuePtr Soacs::partition(int classes, const Args& args, const Use& use) {
  Use inner{use.span};
  std::vector<ValuePtr> parts = partition_rows(args.back(), classes, [&](const ValuePtr& row) {
    // The first predicate that holds decides.
    std::vector<Operand> holds;
    for (int i = 0; i + 1 < classes; ++i)
      holds.push_back(scalar_of(*evaluator_.apply(args[static_cast<size_t>(i)], {row}, inner)));
    Operand cls = core::const_i64(classes - 1);
    for (size_t i = holds.size(); i-- > 0;)
      cls = code_.emit1(core::scalar_type(Prim::kI64),
                        core::Select{holds[i], core::const_i64(static_cast<int64_t>(i)), cls},
                        "class");
    return cls;
  });
  return tuple_value(std::move(parts));
}

ValuePtr Soacs::partition_by_number(const Args& args, const Use& use) {
  const Operand count = scalar_of(*args.at(0));
  const auto* k = core::as_const(count);
  if (!k || core::int_value(*k) < 0 || core::int_value(*k) > 64)
    return limitation(code_, types_,
                      "intrinsics.partition with a number of classes that is not constant", use);
  int classes = static_cast<int>(core::int_value(*k));
  Use inner{use.span};
  std::vector<ValuePtr> parts = partition_rows(args.at(2), classes + 1, [&](const ValuePtr& row) {
    ValuePtr cls = evaluator_.apply(args[1], {row}, inner);
    Operand c = code_.b().convert(cls->rep->prim, Prim::kI64, scalar_of(*cls));
    Operand last = core::const_i64(classes);
    const Operand not_low = code_.b().cmpop(CmpOpKind::kLe, Prim::kI64, core::const_i64(0), c);
    const Operand not_high = code_.b().cmpop(CmpOpKind::kLt, Prim::kI64, c, last);
    Operand ok = code_.b().logical_and(not_low, not_high);
    return code_.emit1(core::scalar_type(Prim::kI64), core::Select{ok, c, last}, "class");
  });
  const Operand width = *args[2]->rep->dim.op;
  std::vector<core::Type> types = leaf_types(*args[2]->rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::Concat concat{0, width, {}};
    for (const auto& part : parts) concat.arrays.push_back(std::get<Name>(part->leaves.at(i)));
    leaves.push_back(code_.emit1(types[i], std::move(concat), "parts"));
  }
  core::ArrayLit sizes{core::scalar_type(Prim::kI64), {}};
  for (int i = 0; i < classes; ++i)
    sizes.elems.push_back(*parts[static_cast<size_t>(i)]->rep->dim.op);
  Operand n = core::const_i64(classes);
  Operand size_array =
      code_.emit1(core::array_of(n, core::scalar_type(Prim::kI64)), std::move(sizes), "sizes");
  return tuple_value({make_value(args[2]->rep, leaves),
                      make_value(array_rep(n, prim_rep(Prim::kI64)), {size_array})});
}

ValuePtr Soacs::flatmap(const Args& args, const Use& use) {
  const ValuePtr& xs = args.at(1);
  core::FlatMap node;
  node.width = *xs->rep->dim.op;
  node.inputs = inputs_of(code_, *xs, node.width);
  std::vector<core::Param> params;
  std::vector<Operand> row_leaves;
  for (auto& type : leaf_types(*xs->rep->elem)) {
    Name name = code_.fresh("x");
    row_leaves.emplace_back(name);
    params.push_back({name, type});
  }
  ValuePtr row = make_value(xs->rep->elem, row_leaves);
  Use inner{use.span};
  Block body = code_.block(params, [&] { return evaluator_.apply(args[0], {row}, inner); });
  ValuePtr data = project(body.value, "0"), more = project(body.value, "1");
  Operand length = *data->rep->dim.op;
  RepPtr elem = settle(code_, types_, body, data->rep->elem, elem_hint(use, "3"));
  RepPtr more_rep = settle(code_, types_, body, rep_of(*more), elem_hint(use, "4"));
  code_.extend(body, [&] {
    std::vector<MessagePart> message = {std::string("unexpected lambda result size")};
    return tuple_value({coerce(code_, data, array_rep(length, elem), message),
                        coerce(code_, more, more_rep, message)});
  });
  Name k = code_.fresh("k");
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

  Name total = code_.fresh("total");
  core::Type lengths = core::array_of(node.width, core::scalar_type(Prim::kI64));
  core::Type flags = core::array_of(Operand(total), core::scalar_type(Prim::kBool));
  std::vector<core::Param> pat = {{total, core::scalar_type(Prim::kI64)},
                                  {code_.fresh("lengths"), lengths},
                                  {code_.fresh("flags"), flags},
                                  {code_.fresh("offsets"), lengths}};
  RepPtr ints = array_rep(node.width, prim_rep(Prim::kI64));
  std::vector<ValuePtr> out = {make_value(ints, {pat[1].name}),
                               make_value(array_rep(total, prim_rep(Prim::kBool)), {pat[2].name}),
                               make_value(ints, {pat[3].name})};
  for (const RepPtr& rep : {array_rep(total, elem), array_rep(node.width, more_rep)}) {
    std::vector<Operand> leaves;
    for (auto& type : leaf_types(*rep)) {
      Name name = code_.fresh("flat");
      leaves.emplace_back(name);
      pat.push_back({name, type});
    }
    out.push_back(make_value(rep, leaves));
  }
  code_.emit_pat(std::move(pat), std::move(node));
  return tuple_value(std::move(out));
}

}  // namespace skald::futhark::elab
