// SPDX-License-Identifier: Apache-2.0
// Accumulators (acc_write, scatter_stream, hist_stream) and flat indexing.
#include "frontend/futhark/elaborate/accs.h"

#include <algorithm>

#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

RepPtr map_acc_sizes(const RepPtr& rep, const std::function<Operand(const Operand&)>& f) {
  if (rep->kind == Rep::kRecord) {
    auto fields = rep->fields;
    for (auto& field : fields) field.second = map_acc_sizes(field.second, f);
    return record_rep(std::move(fields));
  }
  if (rep->kind != Rep::kAcc) return rep;
  Rep out = *rep;
  for (Operand& dim : out.acc.shape) dim = f(dim);
  for (core::Type& elem : out.acc.acc_elems)
    for (Operand& dim : elem.shape) dim = f(dim);
  return std::make_shared<const Rep>(std::move(out));
}

void add_accs(const Value& v, std::vector<RepPtr>& out) {
  if (v.kind == Value::kRecord)
    for (const auto& field : v.fields) add_accs(*field.second, out);
  if (v.kind == Value::kDyn && v.rep->kind == Rep::kAcc) out.push_back(v.rep);
}

RepPtr with_accs(const RepPtr& rep, const std::vector<RepPtr>& accs, size_t& next) {
  if (rep->kind == Rep::kRecord) {
    auto fields = rep->fields;
    for (auto& field : fields) field.second = with_accs(field.second, accs, next);
    return record_rep(std::move(fields));
  }
  if (rep->kind != Rep::kUnknown || accs.empty()) return rep;
  return accs[std::min(next++, accs.size() - 1)];
}

bool contains_acc(const Value& v) {
  if (v.kind == Value::kRecord) {
    for (const auto& field : v.fields)
      if (contains_acc(*field.second)) return true;
    return false;
  }
  return v.kind == Value::kDyn && v.rep->kind == Rep::kAcc;
}

ValuePtr Elaborator::acc_stream(bool hist, const std::vector<ValuePtr>& args, const Use& use) {
  const ValuePtr &dest = args.at(0), &fn = args.at(hist ? 3 : 1), &xs = args.at(hist ? 4 : 2);
  RepPtr elem = dest->rep->elem;
  Operand size = *dest->rep->dim.op, width = *xs->rep->dim.op;
  std::vector<core::Type> types = leaf_types(*dest->rep), rows = leaf_types(*elem);
  core::AccInput input{{size}, {}, {}};
  if (hist) input.op.push_back(operator_of(args[1], args[2], elem, true, use));
  for (size_t i = 0; i < types.size(); ++i)
    input.arrays.push_back(consume(dest->leaves[i], types[i]));
  Rep acc_rep;
  acc_rep.kind = Rep::kAcc;
  acc_rep.acc.kind = core::Type::kAcc;
  acc_rep.acc.shape = {size};
  acc_rep.acc.acc_elems = rows;
  RepPtr acc = std::make_shared<const Rep>(std::move(acc_rep));
  Use inner{use.span};
  core::WithAcc node;
  node.fn = std::move(lambda(
                          {acc},
                          [&](const std::vector<ValuePtr>& outer) {
                            LambdaResult each = lambda(
                                {acc, xs->rep->elem},
                                [&](const std::vector<ValuePtr>& row) {
                                  return apply(fn, {row[0], row[1]}, inner);
                                },
                                acc, true, "x");
                            core::Soac soac;
                            soac.width = width;
                            soac.inputs = {std::get<Name>(outer[0]->leaves[0])};
                            std::vector<Name> more = inputs_of(*xs, width);
                            soac.inputs.insert(soac.inputs.end(), more.begin(), more.end());
                            soac.fn = std::move(each.fn);
                            return make_value(acc, {emit1(acc->acc, std::move(soac), "acc")});
                          },
                          acc, true, "acc")
                          .fn);
  node.inputs.push_back(std::move(input));
  return make_value(dest->rep, emit(types, std::move(node), "acc_res"));
}

// The smallest and the largest position must be inside.
Tokens Elaborator::flat_check(const Operand& offset, const Operand& size,
                              const std::vector<core::FlatDim>& dims) {
  Operand low = offset, high = offset;
  std::vector<MessagePart> message = {std::string("Flat slice out of bounds: "), size,
                                      std::string(" and [")};
  for (size_t i = 0; i < dims.size(); ++i) {
    Operand span = b().size_mul(b().size_sub(dims[i].count, core::const_i64(1)), dims[i].stride);
    low = b().binop(BinOpKind::kMin, Prim::kI64, low, b().size_add(low, span));
    high = b().binop(BinOpKind::kMax, Prim::kI64, high, b().size_add(high, span));
    if (i) message.emplace_back(std::string(", "));
    message.emplace_back(std::string("("));
    message.emplace_back(dims[i].count);
    message.emplace_back(std::string(", "));
    message.emplace_back(dims[i].stride);
    message.emplace_back(std::string(")"));
  }
  message.emplace_back(std::string("]"));
  const Operand not_low = b().cmpop(CmpOpKind::kLe, Prim::kI64, core::const_i64(0), low);
  const Operand not_high = b().cmpop(CmpOpKind::kLt, Prim::kI64, high, size);
  Operand ok = b().logical_and(not_low, not_high);
  return check(ok, std::move(message));
}

ValuePtr Elaborator::flat_intrinsic(const std::string& name, const std::vector<ValuePtr>& args) {
  const bool index = name.starts_with("flat_index_");
  const ValuePtr& array = args.at(0);
  Operand offset = scalar_of(*args.at(1)), size = *array->rep->dim.op;
  std::vector<core::FlatDim> dims;
  RepPtr elem = array->rep->elem;
  if (index) {
    for (size_t i = 2; i + 1 < args.size(); i += 2)
      dims.push_back({scalar_of(*args[i]), scalar_of(*args[i + 1])});
  } else {
    const Rep* rep = args.back()->rep.get();
    for (size_t i = 2; i + 1 < args.size(); ++i, rep = rep->elem.get())
      dims.push_back({*rep->dim.op, scalar_of(*args[i])});
  }
  const Tokens tokens = flat_check(offset, size, dims);
  if (index) {
    RepPtr rep = elem;
    for (size_t i = dims.size(); i-- > 0;) rep = array_rep(dims[i].count, rep);
    std::vector<core::Type> types = leaf_types(*rep);
    std::vector<Operand> leaves;
    for (size_t i = 0; i < types.size(); ++i)
      leaves.push_back(emit1(types[i],
                             core::FlatIndex{std::get<Name>(array->leaves.at(i)), offset, dims},
                             "flat", tokens));
    return make_value(rep, std::move(leaves));
  }
  std::vector<core::Type> types = leaf_types(*array->rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::FlatUpdate node{consume(array->leaves[i], types[i]), offset, dims,
                          std::get<Name>(args.back()->leaves.at(i))};
    leaves.push_back(emit1(types[i], std::move(node), "flat", tokens));
  }
  return make_value(array->rep, std::move(leaves));
}

ValuePtr Elaborator::acc_intrinsic(const std::string& name, const std::vector<ValuePtr>& args,
                                   const Use& use) {
  if (name == "acc_write") {
    const ValuePtr& acc = args.at(0);
    core::UpdateAcc node{
        std::get<Name>(acc->leaves.at(0)), {scalar_of(*args.at(1))}, leaves_of(*args.at(2))};
    return make_value(acc->rep, {emit1(acc->rep->acc, std::move(node), "acc")});
  }
  if (name == "scatter_stream" || name == "hist_stream")
    return acc_stream(name == "hist_stream", args, use);
  const bool flat = name.starts_with("flat_index_") || name.starts_with("flat_update_");
  return flat ? flat_intrinsic(name, args) : nullptr;
}

}  // namespace skald::futhark::elab
