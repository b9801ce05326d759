// SPDX-License-Identifier: Apache-2.0
// Flat indexing: places of an array by strides.
#include "frontend/futhark/elaborate/arrays/arrays.h"

namespace skald::futhark::elab {

// The smallest and the largest position must be inside.
static Tokens flat_check(Code& code, const Operand& offset, const Operand& size,
                         const std::vector<core::FlatDim>& dims) {
  Operand low = offset, high = offset;
  std::vector<MessagePart> message = {std::string("Flat slice out of bounds: "), size,
                                      std::string(" and [")};
  for (size_t i = 0; i < dims.size(); ++i) {
    Operand span =
        code.b().size_mul(code.b().size_sub(dims[i].count, core::const_i64(1)), dims[i].stride);
    low = code.b().binop(BinOpKind::kMin, Prim::kI64, low, code.b().size_add(low, span));
    high = code.b().binop(BinOpKind::kMax, Prim::kI64, high, code.b().size_add(high, span));
    if (i) message.emplace_back(std::string(", "));
    message.emplace_back(std::string("("));
    message.emplace_back(dims[i].count);
    message.emplace_back(std::string(", "));
    message.emplace_back(dims[i].stride);
    message.emplace_back(std::string(")"));
  }
  message.emplace_back(std::string("]"));
  const Operand not_low = code.b().cmpop(CmpOpKind::kLe, Prim::kI64, core::const_i64(0), low);
  const Operand not_high = code.b().cmpop(CmpOpKind::kLt, Prim::kI64, high, size);
  Operand ok = code.b().logical_and(not_low, not_high);
  return code.check(ok, std::move(message));
}

ValuePtr flat_intrinsic(Code& code, const std::string& name, const std::vector<ValuePtr>& args) {
  const bool index = name.starts_with("flat_index_");
  if (!index && !name.starts_with("flat_update_")) return nullptr;
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
  const Tokens tokens = flat_check(code, offset, size, dims);
  if (index) {
    RepPtr rep = elem;
    for (size_t i = dims.size(); i-- > 0;) rep = array_rep(dims[i].count, rep);
    std::vector<core::Type> types = leaf_types(*rep);
    std::vector<Operand> leaves;
    for (size_t i = 0; i < types.size(); ++i)
      leaves.push_back(
          code.emit1(types[i], core::FlatIndex{std::get<Name>(array->leaves.at(i)), offset, dims},
                     "flat", tokens));
    return make_value(rep, leaves);
  }
  std::vector<core::Type> types = leaf_types(*array->rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::FlatUpdate node{code.consume(array->leaves[i], types[i]), offset, dims,
                          std::get<Name>(args.back()->leaves.at(i))};
    leaves.push_back(code.emit1(types[i], std::move(node), "flat", tokens));
  }
  return make_value(array->rep, leaves);
}

}  // namespace skald::futhark::elab
