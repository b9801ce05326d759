// SPDX-License-Identifier: Apache-2.0
// First-order array intrinsics, and the table of all intrinsics.
#include "frontend/futhark/elaborate/elab.h"
#include "frontend/futhark/elaborate/notes.h"

namespace skald::futhark::elab {

ValuePtr Elaborator::copy(const ValuePtr& v) {
  RepPtr rep = rep_of(*v);
  if (!is_first_order(*rep)) return v;
  std::vector<Operand> leaves = leaves_of(*v);
  std::vector<core::Type> types = leaf_types(*rep);
  for (size_t i = 0; i < leaves.size(); ++i)
    if (types[i].is_array())
      leaves[i] = emit1(types[i], core::Copy{std::get<Name>(leaves[i])}, "copy");
  return make_value(rep, std::move(leaves));
}

ValuePtr Elaborator::reshape(const elab::Value& array, const RepPtr& target, const Tokens& tokens) {
  std::vector<core::Type> types = leaf_types(*target);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i)
    leaves.push_back(emit1(types[i],
                           core::Reshape{std::get<Name>(array.leaves.at(i)), types[i].shape},
                           "reshaped", tokens));
  return make_value(target, std::move(leaves));
}

ValuePtr Elaborator::zip_values(const std::vector<ValuePtr>& arrays) {
  Operand width = *arrays[0]->rep->dim.op;
  std::vector<RepPtr> elems;
  std::vector<Operand> leaves;
  for (const auto& array : arrays) {
    ValuePtr v = with_width(array, width);
    elems.push_back(v->rep->elem);
    append_leaves(*v, leaves);
  }
  ValuePtr v = make_value(array_rep(width, tuple_rep(std::move(elems))), std::move(leaves));
  share(*v);
  return v;
}

ValuePtr Elaborator::replicate(const Operand& n, const ValuePtr& v, const Tokens& tokens) {
  RepPtr rep = array_rep(n, rep_of(*v));
  std::vector<core::Type> types = leaf_types(*rep);
  std::vector<Operand> leaves = leaves_of(*v);
  for (size_t i = 0; i < leaves.size(); ++i)
    leaves[i] = emit1(types[i], core::Replicate{{n}, leaves[i]}, "rep", tokens);
  return make_value(rep, std::move(leaves));
}

ValuePtr Elaborator::unzip_value(const std::vector<ValuePtr>& args) {
  const ValuePtr& xs = args.at(0);
  std::vector<ValuePtr> parts;
  size_t next = 0;
  for (const auto& [field, elem] : xs->rep->elem->fields) {
    auto count = static_cast<size_t>(leaf_count(*elem));
    std::vector<Operand> leaves(xs->leaves.begin() + static_cast<std::ptrdiff_t>(next),
                                xs->leaves.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
    parts.push_back(make_value(array_rep(xs->rep->dim, elem), std::move(leaves)));
  }
  return tuple_value(std::move(parts));
}

ValuePtr Elaborator::concat(const std::vector<ValuePtr>& args) {
  const ValuePtr& xs = args.at(0);
  Operand size = b().size_add(*xs->rep->dim.op, *args.at(1)->rep->dim.op);
  ValuePtr ys = coerce(args[1], array_rep(*args[1]->rep->dim.op, xs->rep->elem),
                       {std::string("arguments to concat differ in their row shapes")});
  RepPtr rep = array_rep(size, xs->rep->elem);
  std::vector<core::Type> types = leaf_types(*rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::Concat node{0, size, {std::get<Name>(xs->leaves[i]), std::get<Name>(ys->leaves.at(i))}};
    leaves.push_back(emit1(types[i], std::move(node), "concat"));
  }
  return make_value(rep, std::move(leaves));
}

ValuePtr Elaborator::rotate(const std::vector<ValuePtr>& args) {
  // The two parts, exchanged.
  const ValuePtr& xs = args.at(1);
  Operand n = *xs->rep->dim.op, one = core::const_i64(1);
  Operand divisor = b().binop(BinOpKind::kMax, Prim::kI64, n, one);
  Operand r = b().binop(BinOpKind::kMod, Prim::kI64, scalar_of(*args.at(0)), divisor);
  ValuePtr back = index_value(*xs, {{false, r, b().size_sub(n, r), one}}, {});
  ValuePtr front = index_value(*xs, {{false, core::const_i64(0), r, one}}, {});
  std::vector<core::Type> types = leaf_types(*xs->rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::Concat node{0, n, {std::get<Name>(back->leaves[i]), std::get<Name>(front->leaves[i])}};
    leaves.push_back(emit1(types[i], std::move(node), "rotated"));
  }
  return make_value(xs->rep, std::move(leaves));
}

ValuePtr Elaborator::transpose(const std::vector<ValuePtr>& args) {
  const Rep& outer = *args.at(0)->rep;
  const Rep& inner = *outer.elem;
  RepPtr rep = array_rep(inner.dim, array_rep(outer.dim, inner.elem));
  std::vector<core::Type> types = leaf_types(*rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    core::Rearrange node{std::get<Name>(args[0]->leaves.at(i)), {1, 0}};
    for (int d = 2; d < types[i].rank(); ++d) node.perm.push_back(d);
    leaves.push_back(emit1(types[i], std::move(node), "transposed"));
  }
  return make_value(rep, std::move(leaves));
}

ValuePtr Elaborator::unflatten(const std::vector<ValuePtr>& args) {
  Operand n = scalar_of(*args.at(0)), m = scalar_of(*args.at(1));
  Operand old = *args.at(2)->rep->dim.op;
  const Operand zero = core::const_i64(0);
  Operand ok = b().cmpop(CmpOpKind::kEq, Prim::kI64, old, b().size_mul(n, m));
  ok = b().logical_and(ok, b().cmpop(CmpOpKind::kLe, Prim::kI64, zero, n));
  ok = b().logical_and(ok, b().cmpop(CmpOpKind::kLe, Prim::kI64, zero, m));
  Tokens tokens =
      check(ok, {std::string("Cannot unflatten array of shape ["), old,
                 std::string("] to array of shape ["), n, std::string("]["), m, std::string("]")});
  return reshape(*args[2], array_rep(n, array_rep(m, args[2]->rep->elem)), tokens);
}

ValuePtr Elaborator::array_intrinsic(const std::string& name, const std::vector<ValuePtr>& args,
                                     const Use& use) {
  (void)use;
  if (name == "zip") return zip_values(args);
  if (name == "unzip") return unzip_value(args);
  if (name == "manifest") return copy(args.at(0));
  if (name == "length") return scalar_value(Prim::kI64, *args.at(0)->rep->dim.op);
  if (name == "replicate") {
    Operand n = scalar_of(*args.at(0));
    Operand ok = b().cmpop(CmpOpKind::kLe, Prim::kI64, core::const_i64(0), n);
    std::vector<MessagePart> message = {std::string("Range 0..1..<"), n,
                                        std::string(" is invalid.")};
    CheckNotes notes;
    if (const auto factors = factors_of(n)) notes.product(factors->first, factors->second);
    notes.add_to(message);
    Tokens tokens = check(ok, std::move(message));
    return replicate(n, args.at(1), tokens);
  }
  if (name == "concat") return concat(args);
  if (name == "rotate") return rotate(args);
  if (name == "transpose") return transpose(args);
  if (name == "flatten") {
    const Rep& outer = *args.at(0)->rep;
    Operand size = b().size_mul(*outer.dim.op, *outer.elem->dim.op);
    return reshape(*args[0], array_rep(size, outer.elem->elem), {});
  }
  if (name == "unflatten") return unflatten(args);
  return nullptr;
}

ValuePtr Elaborator::intrinsic(const std::string& name, std::vector<ValuePtr> args,
                               const Closure& c, const Use& use_at) {
  // Applied through another function, the type of the result is that of the intrinsic's own use.
  Use use = use_at;
  if (!use.type && c.use_type) {
    const Type* t = c.use_type;
    size_t n = 1;
    is_intrinsic(name, &n);
    for (size_t i = 0; i < n && t && t->kind == Type::kArrow; ++i) t = t->to;
    use.type = t;
    use.env = c.use_env;
  }
  if (name == "map") return map_intrinsic(args, use);
  if (name == "reduce") return reduce_intrinsic(args, false, use);
  if (name == "reduce_comm") return reduce_intrinsic(args, true, use);
  if (name == "scan") return scan_intrinsic(args, use);
  if (name == "hist_1d") return hist_intrinsic(1, args, use);
  if (name == "hist_2d") return hist_intrinsic(2, args, use);
  if (name == "hist_3d") return hist_intrinsic(3, args, use);
  if (name == "scatter" || name == "scatter_1d") return scatter_intrinsic(1, args);
  if (name == "scatter_2d") return scatter_intrinsic(2, args);
  if (name == "scatter_3d") return scatter_intrinsic(3, args);
  if (name == "filter") return filter_intrinsic(args, use);
  if (name == "partition") return legacy_partition(args, use);
  if (name == "partition_2") return partition_intrinsic(2, args, use);
  if (name == "partition_3") return partition_intrinsic(3, args, use);
  if (name == "flatmap") return flatmap_intrinsic(args, use);
  if (name == "jvp2" || name == "vjp2" || name == "jmp2" || name == "mjp2" || name == "with_vjp" ||
      name == "with_vjp_tape")
    return limitation(use.span, "automatic differentiation", use.type, use.env);
  if (ValuePtr v = array_intrinsic(name, args, use)) return v;
  if (ValuePtr v = acc_intrinsic(name, args, use)) return v;
  if (ValuePtr v = prim_intrinsic(name, args)) return v;
  SKALD_BUG("unknown intrinsic {}", name);
}

}  // namespace skald::futhark::elab
