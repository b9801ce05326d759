// SPDX-License-Identifier: Apache-2.0
// The monomorphic primitives of the module `intrinsics`.
//
// Whatever type the operands really have, the result goes back to that type.
#include "core/scalar/scalar.h"
#include "frontend/futhark/elaborate/scalars/operators.h"
#include "frontend/futhark/elaborate/scalars/primitive_names.h"

namespace skald::futhark::elab {

Operand Operators::same_bits(Prim from, Prim to, const Operand& x) {
  if (from == to) return x;
  bool reversible = is_int(from) && is_int(to) && prim_size(from) == prim_size(to);
  const Name* name = core::as_name(x);
  if (reversible && name)
    if (auto it = reread_.find(*name); it != reread_.end()) return it->second;
  Operand out = code_.b().convert(from, to, x);
  if (const Name* n = core::as_name(out); n && reversible) reread_.emplace(*n, x);
  return out;
}

ValuePtr Operators::primitive(const std::string& name, const std::vector<ValuePtr>& args) {
  std::optional<Primitive> fn = primitive_of_name(name);
  if (!fn) return nullptr;
  // An operand, read as `type`.
  auto read = [&](size_t i, Prim type) {
    Prim have = args.at(i)->rep->prim;
    Operand x = scalar_of(*args[i]);
    return same_bits(have, type, x);
  };
  Prim own = args.at(0)->rep->prim;
  auto back = [&](Prim type, const Operand& x) {
    if (type == own || !is_int(type) || !is_int(own)) return scalar_value(type, x);
    return scalar_value(own, same_bits(type, own, x));
  };
  Prim t = fn->type;
  switch (fn->kind) {
    case Primitive::kBin: {
      if (fn->bin == BinOpKind::kLdexp)
        return scalar_value(t, code_.b().binop(fn->bin, t, read(0, t), read(1, Prim::kI32)));
      Operand x = read(0, t), y = read(1, t);
      if (fn->up) {
        Operand less = code_.b().binop(BinOpKind::kSub, t, y, core::const_int(t, 1));
        x = code_.b().binop(BinOpKind::kAdd, t, x, less);
      }
      if (fn->checked && fn->bin == BinOpKind::kPow) return back(t, power(t, x, y));
      if (fn->checked) return back(t, division(fn->bin, t, x, y));
      return back(t, code_.b().binop(fn->bin, t, x, y));
    }
    case Primitive::kUn: {
      Operand r = code_.b().unop(fn->un, t, read(0, t));
      Prim result = core::result_type(fn->un, t);
      return result == t ? back(t, r) : scalar_value(result, r);
    }
    case Primitive::kTern:
      return back(t, code_.b().ternop(fn->tern, t, read(0, t), read(1, t), read(2, t)));
    case Primitive::kCmp:
      return scalar_value(Prim::kBool, code_.b().cmpop(fn->cmp, t, read(0, t), read(1, t)));
    case Primitive::kConv: {
      Operand r = code_.b().convert(t, fn->target, read(0, t));
      if (fn->target != fn->result) r = code_.b().convert(fn->target, fn->result, r);
      return scalar_value(fn->result, r);
    }
    case Primitive::kSign: return scalar_value(as_signed(own), read(0, as_signed(own)));
    case Primitive::kUnsign: return scalar_value(as_unsigned(own), read(0, as_unsigned(own)));
    case Primitive::kToBits:
    case Primitive::kFromBits: {
      Prim bits = signed_int(8 * prim_size(t));
      bool to = fn->kind == Primitive::kToBits;
      Prim from_type = to ? t : bits, to_type = to ? bits : t;
      Operand x = read(0, from_type);
      if (const auto* c = core::as_const(x))
        return scalar_value(to_type, core::eval_bitcast(from_type, to_type, *c));
      return scalar_value(to_type, code_.emit1(core::scalar_type(to_type),
                                               core::Bitcast{from_type, to_type, x}, "bits"));
    }
  }
  return nullptr;
}

}  // namespace skald::futhark::elab
