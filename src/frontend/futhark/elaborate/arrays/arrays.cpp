// SPDX-License-Identifier: Apache-2.0
// First-order array functions, on all leaves of their arguments.
#include "frontend/futhark/elaborate/arrays/arrays.h"

#include "frontend/futhark/elaborate/arrays/slices.h"
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/code/notes.h"

namespace skald::futhark::elab {

ValuePtr copy(Code& code, const ValuePtr& v) {
  RepPtr rep = rep_of(*v);
  if (!is_first_order(*rep)) return v;
  std::vector<Operand> leaves = leaves_of(*v);
  std::vector<core::Type> types = leaf_types(*rep);
  for (size_t i = 0; i < leaves.size(); ++i)
    if (types[i].is_array())
      leaves[i] = code.emit1(types[i], core::Copy{std::get<Name>(leaves[i])}, "copy");
  return make_value(rep, leaves);
}

static ValuePtr reshape(Code& code, const Value& array, const RepPtr& target,
                        const Tokens& tokens) {
  std::vector<core::Type> types = leaf_types(*target);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i)
    leaves.push_back(code.emit1(types[i],
                                core::Reshape{std::get<Name>(array.leaves.at(i)), types[i].shape},
                                "reshaped", tokens));
  return make_value(target, leaves);
}

static ValuePtr zip_values(Code& code, const std::vector<ValuePtr>& arrays) {
  Operand width = *arrays[0]->rep->dim.op;
  std::vector<RepPtr> elems;
  std::vector<Operand> leaves;
  for (const auto& array : arrays) {
    ValuePtr v = with_width(code, array, width);
    elems.push_back(v->rep->elem);
    append_leaves(*v, leaves);
  }
  ValuePtr v = make_value(array_rep(width, tuple_rep(std::move(elems))), leaves);
  code.sharing().share(*v);
  return v;
}

static ValuePtr replicate(Code& code, const Operand& n, const ValuePtr& v, const Tokens& tokens) {
  RepPtr rep = array_rep(n, rep_of(*v));
  std::vector<core::Type> types = leaf_types(*rep);
  std::vector<Operand> leaves = leaves_of(*v);
  for (size_t i = 0; i < leaves.size(); ++i)
    leaves[i] = code.emit1(types[i], core::Replicate{{n}, leaves[i]}, "rep", tokens);
  return make_value(rep, leaves);
}

static ValuePtr unzip_value(const std::vector<ValuePtr>& args) {
  const ValuePtr& xs = args.at(0);
  std::vector<ValuePtr> parts;
  size_t next = 0;
  for (const auto& [field, elem] : xs->rep->elem->fields) {
    auto count = static_cast<size_t>(leaf_count(*elem));
    std::vector<Operand> leaves(xs->leaves.begin() + static_cast<std::ptrdiff_t>(next),
                                xs->leaves.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
    parts.push_back(make_value(array_rep(xs->rep->dim, elem), leaves));
  }
  return tuple_value(std::move(parts));
}

static ValuePtr concat(Code& code, const std::vector<ValuePtr>& args) {
  const ValuePtr& xs = args.at(0);
  Operand size = code.b().size_add(*xs->rep->dim.op, *args.at(1)->rep->dim.op);
  ValuePtr ys = coerce(code, args[1], array_rep(*args[1]->rep->dim.op, xs->rep->elem),
                       {std::string("arguments to concat differ in their row shapes")});
  RepPtr rep = array_rep(size, xs->rep->elem);
  std::vector<core::Type> types = leaf_types(*rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::Concat node{0, size, {std::get<Name>(xs->leaves[i]), std::get<Name>(ys->leaves.at(i))}};
    leaves.push_back(code.emit1(types[i], std::move(node), "concat"));
  }
  return make_value(rep, leaves);
}

static ValuePtr rotate(Code& code, const std::vector<ValuePtr>& args) {
  // The two parts, exchanged.
  const ValuePtr& xs = args.at(1);
  Operand n = *xs->rep->dim.op, one = core::const_i64(1);
  Operand divisor = code.b().binop(BinOpKind::kMax, Prim::kI64, n, one);
  Operand r = code.b().binop(BinOpKind::kMod, Prim::kI64, scalar_of(*args.at(0)), divisor);
  ValuePtr back = index_value(code, *xs, {{false, r, code.b().size_sub(n, r), one}}, {});
  ValuePtr front = index_value(code, *xs, {{false, core::const_i64(0), r, one}}, {});
  std::vector<core::Type> types = leaf_types(*xs->rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::Concat node{0, n, {std::get<Name>(back->leaves[i]), std::get<Name>(front->leaves[i])}};
    leaves.push_back(code.emit1(types[i], std::move(node), "rotated"));
  }
  return make_value(xs->rep, leaves);
}

static ValuePtr transpose(Code& code, const std::vector<ValuePtr>& args) {
  const Rep& outer = *args.at(0)->rep;
  const Rep& inner = *outer.elem;
  RepPtr rep = array_rep(inner.dim, array_rep(outer.dim, inner.elem));
  std::vector<core::Type> types = leaf_types(*rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::Rearrange node{std::get<Name>(args[0]->leaves.at(i)), {1, 0}};
    for (int d = 2; d < types[i].rank(); ++d) node.perm.push_back(d);
    leaves.push_back(code.emit1(types[i], std::move(node), "transposed"));
  }
  return make_value(rep, leaves);
}

static ValuePtr unflatten(Code& code, const std::vector<ValuePtr>& args) {
  Operand n = scalar_of(*args.at(0)), m = scalar_of(*args.at(1));
  Operand old = *args.at(2)->rep->dim.op;
  const Operand zero = core::const_i64(0);
  Operand ok = code.b().cmpop(CmpOpKind::kEq, Prim::kI64, old, code.b().size_mul(n, m));
  ok = code.b().logical_and(ok, code.b().cmpop(CmpOpKind::kLe, Prim::kI64, zero, n));
  ok = code.b().logical_and(ok, code.b().cmpop(CmpOpKind::kLe, Prim::kI64, zero, m));
  Tokens tokens = code.check(
      ok, {std::string("Cannot unflatten array of shape ["), old,
           std::string("] to array of shape ["), n, std::string("]["), m, std::string("]")});
  return reshape(code, *args[2], array_rep(n, array_rep(m, args[2]->rep->elem)), tokens);
}

ValuePtr array_intrinsic(Code& code, const std::string& name, const std::vector<ValuePtr>& args) {
  if (name == "zip") return zip_values(code, args);
  if (name == "unzip") return unzip_value(args);
  if (name == "manifest") return copy(code, args.at(0));
  if (name == "length") return scalar_value(Prim::kI64, *args.at(0)->rep->dim.op);
  if (name == "replicate") {
    Operand n = scalar_of(*args.at(0));
    Operand ok = code.b().cmpop(CmpOpKind::kLe, Prim::kI64, core::const_i64(0), n);
    std::vector<MessagePart> message = {std::string("Range 0..1..<"), n,
                                        std::string(" is invalid.")};
    CheckNotes notes;
    if (const auto factors = code.factors_of(n)) notes.product(factors->first, factors->second);
    notes.add_to(message);
    Tokens tokens = code.check(ok, std::move(message));
    return replicate(code, n, args.at(1), tokens);
  }
  if (name == "concat") return concat(code, args);
  if (name == "rotate") return rotate(code, args);
  if (name == "transpose") return transpose(code, args);
  if (name == "flatten") {
    const Rep& outer = *args.at(0)->rep;
    Operand size = code.b().size_mul(*outer.dim.op, *outer.elem->dim.op);
    return reshape(code, *args[0], array_rep(size, outer.elem->elem), {});
  }
  if (name == "unflatten") return unflatten(code, args);
  return nullptr;
}

}  // namespace skald::futhark::elab
