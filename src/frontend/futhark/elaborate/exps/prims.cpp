// SPDX-License-Identifier: Apache-2.0
// The monomorphic primitives of the module `intrinsics`: add32, fdiv64, sext_i8_i32, sqrt32, …
//
// A name is a stem, a width and sometimes two types.  Integers come as signed types; a stem that
// reads its operands as unsigned says so ("udiv").  Whatever type the operands really have, the
// result goes back to that type.
#include <charconv>

#include "core/scalar/scalar.h"
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

namespace {

struct PrimFn {
  enum Kind : uint8_t { kBin, kUn, kTern, kCmp, kConv, kSign, kUnsign, kToBits, kFromBits } kind;
  BinOpKind bin = BinOpKind::kAdd;
  UnOpKind un = UnOpKind::kNeg;
  TernOpKind tern = TernOpKind::kFma;
  CmpOpKind cmp = CmpOpKind::kEq;
  Prim type = Prim::kI32;    // what the operands are read as
  Prim target = Prim::kI32;  // of a conversion: computed type, then
  Prim result = Prim::kI32;  // the type by the name
  bool checked = false;      // division and power
  bool up = false;           // division that rounds up
  size_t arity() const { return kind == kBin || kind == kCmp ? 2 : kind == kTern ? 3 : 1; }
};

Prim signed_int(int width) {
  return width == 8 ? Prim::kI8 : width == 16 ? Prim::kI16 : width == 32 ? Prim::kI32 : Prim::kI64;
}
Prim unsigned_int(int width) {
  return unsigned_of_width(width / 8);
}
Prim float_type(int width) {
  return width == 16 ? Prim::kF16 : width == 32 ? Prim::kF32 : Prim::kF64;
}
Prim as_unsigned(Prim p) {
  return is_signed_int(p) ? unsigned_of_width(prim_size(p)) : p;
}
Prim as_signed(Prim p) {
  return is_unsigned_int(p) ? signed_int(prim_bits(p)) : p;
}

enum class Read : uint8_t { kSigned, kUnsigned, kFloat };

// Operators that go by a name and a width.
struct BinName {
  std::string_view name;
  BinOpKind op;
  Read read;
  bool checked = false;
};
constexpr BinName kBins[] = {{"add", BinOpKind::kAdd, Read::kSigned},
                             {"sub", BinOpKind::kSub, Read::kSigned},
                             {"mul", BinOpKind::kMul, Read::kSigned},
                             {"sdiv", BinOpKind::kDiv, Read::kSigned, true},
                             {"udiv", BinOpKind::kDiv, Read::kUnsigned, true},
                             {"smod", BinOpKind::kMod, Read::kSigned, true},
                             {"umod", BinOpKind::kMod, Read::kUnsigned, true},
                             {"squot", BinOpKind::kQuot, Read::kSigned, true},
                             {"srem", BinOpKind::kRem, Read::kSigned, true},
                             {"smin", BinOpKind::kMin, Read::kSigned},
                             {"umin", BinOpKind::kMin, Read::kUnsigned},
                             {"fmin", BinOpKind::kMin, Read::kFloat},
                             {"smax", BinOpKind::kMax, Read::kSigned},
                             {"umax", BinOpKind::kMax, Read::kUnsigned},
                             {"fmax", BinOpKind::kMax, Read::kFloat},
                             {"shl", BinOpKind::kShl, Read::kSigned},
                             {"lshr", BinOpKind::kLshr, Read::kSigned},
                             {"ashr", BinOpKind::kAshr, Read::kSigned},
                             {"and", BinOpKind::kAnd, Read::kSigned},
                             {"or", BinOpKind::kOr, Read::kSigned},
                             {"xor", BinOpKind::kXor, Read::kSigned},
                             {"pow", BinOpKind::kPow, Read::kSigned, true},
                             {"upow", BinOpKind::kPow, Read::kUnsigned},
                             {"fadd", BinOpKind::kAdd, Read::kFloat},
                             {"fsub", BinOpKind::kSub, Read::kFloat},
                             {"fmul", BinOpKind::kMul, Read::kFloat},
                             {"fdiv", BinOpKind::kDiv, Read::kFloat},
                             {"fmod", BinOpKind::kMod, Read::kFloat},
                             {"fpow", BinOpKind::kPow, Read::kFloat},
                             {"smul_hi", BinOpKind::kMulHi, Read::kSigned},
                             {"umul_hi", BinOpKind::kMulHi, Read::kUnsigned},
                             {"atan2", BinOpKind::kAtan2, Read::kFloat},
                             {"atan2pi", BinOpKind::kAtan2Pi, Read::kFloat},
                             {"hypot", BinOpKind::kHypot, Read::kFloat},
                             {"copysign", BinOpKind::kCopysign, Read::kFloat},
                             {"nextafter", BinOpKind::kNextafter, Read::kFloat},
                             {"ldexp", BinOpKind::kLdexp, Read::kFloat}};

struct CmpName {
  std::string_view name;
  CmpOpKind op;
  Read read;
};
constexpr CmpName kCmps[] = {
    {"slt", CmpOpKind::kLt, Read::kSigned},   {"sle", CmpOpKind::kLe, Read::kSigned},
    {"ult", CmpOpKind::kLt, Read::kUnsigned}, {"ule", CmpOpKind::kLe, Read::kUnsigned},
    {"lt", CmpOpKind::kLt, Read::kFloat},     {"le", CmpOpKind::kLe, Read::kFloat},
    {"flt", CmpOpKind::kLt, Read::kFloat},    {"fle", CmpOpKind::kLe, Read::kFloat}};

struct UnName {
  std::string_view name;
  UnOpKind op;
  Read read;
};
constexpr UnName kUns[] = {
    {"complement", UnOpKind::kNot, Read::kSigned}, {"abs", UnOpKind::kAbs, Read::kSigned},
    {"fabs", UnOpKind::kAbs, Read::kFloat},        {"ssignum", UnOpKind::kSgn, Read::kSigned},
    {"usignum", UnOpKind::kSgn, Read::kUnsigned},  {"fsignum", UnOpKind::kSgn, Read::kFloat},
    {"neg", UnOpKind::kNeg, Read::kSigned},        {"fneg", UnOpKind::kNeg, Read::kFloat},
    {"popc", UnOpKind::kPopc, Read::kSigned},      {"clz", UnOpKind::kClz, Read::kSigned},
    {"ctz", UnOpKind::kCtz, Read::kSigned}};

struct TernName {
  std::string_view name;
  TernOpKind op;
  Read read;
};
constexpr TernName kTerns[] = {{"fma", TernOpKind::kFma, Read::kFloat},
                               {"mad", TernOpKind::kMad, Read::kFloat},
                               {"lerp", TernOpKind::kLerp, Read::kFloat},
                               {"smad_hi", TernOpKind::kMadHi, Read::kSigned},
                               {"umad_hi", TernOpKind::kMadHi, Read::kUnsigned}};

std::optional<PrimFn> sized(const std::string& stem, int width) {
  auto type = [&](Read read) {
    return read == Read::kSigned     ? signed_int(width)
           : read == Read::kUnsigned ? unsigned_int(width)
                                     : float_type(width);
  };
  for (const BinName& bin : kBins)
    if (bin.name == stem) {
      PrimFn fn{PrimFn::kBin};
      fn.bin = bin.op;
      fn.type = type(bin.read);
      fn.checked = bin.checked;
      return fn;
    }
  for (const CmpName& cmp : kCmps)
    if (cmp.name == stem) {
      PrimFn fn{PrimFn::kCmp};
      fn.cmp = cmp.op;
      fn.type = type(cmp.read);
      return fn;
    }
  for (const UnName& un : kUns)
    if (un.name == stem) {
      PrimFn fn{PrimFn::kUn};
      fn.un = un.op;
      fn.type = type(un.read);
      return fn;
    }
  for (const TernName& tern : kTerns)
    if (tern.name == stem) {
      PrimFn fn{PrimFn::kTern};
      fn.tern = tern.op;
      fn.type = type(tern.read);
      return fn;
    }
  if (stem == "to_bits" || stem == "from_bits") {
    PrimFn fn{stem == "to_bits" ? PrimFn::kToBits : PrimFn::kFromBits};
    fn.type = float_type(width);
    return fn;
  }
  // Functions of one float go by the operator's own name.
  if (width != 8)
    if (auto un = core::unop_from_mnemonic(stem); un && core::is_legal(*un, float_type(width))) {
      PrimFn fn{PrimFn::kUn};
      fn.un = *un;
      fn.type = float_type(width);
      return fn;
    }
  return std::nullopt;
}

// stem_A_B, where the second `_` is at `last` and the first at `before`.
std::optional<PrimFn> decode_conversion(const std::string& name, size_t before, size_t last) {
  auto from = prim_from_name(name.substr(before + 1, last - before - 1));
  auto to = prim_from_name(name.substr(last + 1));
  std::string stem = name.substr(0, before);
  if (from && to) {
    PrimFn fn{PrimFn::kConv};
    fn.type = *from;
    fn.target = fn.result = *to;
    if (stem == "fptobits" || stem == "bitstofp") {
      fn.kind = stem == "fptobits" ? PrimFn::kToBits : PrimFn::kFromBits;
      fn.type = stem == "fptobits" ? *from : *to;
      return fn;
    }
    if (stem == "zext" || stem == "uitofp") fn.type = as_unsigned(*from);
    if (stem == "sext" || stem == "sitofp") fn.type = as_signed(*from);
    if (stem == "fptoui") fn.target = as_unsigned(*to);
    if (stem == "fptosi") fn.target = as_signed(*to);
    return fn;
  }
  return std::nullopt;
}

std::optional<PrimFn> decode_logical(const std::string& name) {
  if (name == "not") {
    PrimFn fn{PrimFn::kUn};
    fn.un = UnOpKind::kNot;
    fn.type = Prim::kBool;
    return fn;
  }
  if (name == "llt" || name == "lle") {
    PrimFn fn{PrimFn::kCmp};
    fn.cmp = name == "llt" ? CmpOpKind::kLt : CmpOpKind::kLe;
    fn.type = Prim::kBool;
    return fn;
  }
  if (name == "logand" || name == "logor") {
    PrimFn fn{PrimFn::kBin};
    fn.bin = name == "logand" ? BinOpKind::kAnd : BinOpKind::kOr;
    fn.type = Prim::kBool;
    return fn;
  }
  return std::nullopt;
}

std::optional<PrimFn> decode(const std::string& name) {
  // stem_A_B
  size_t last = name.rfind('_');
  size_t before =
      last == std::string::npos || last == 0 ? std::string::npos : name.rfind('_', last - 1);
  if (before != std::string::npos)
    if (auto fn = decode_conversion(name, before, last)) return fn;
  if (last != std::string::npos) {
    std::string stem = name.substr(0, last);
    if (auto type = prim_from_name(name.substr(last + 1))) {
      PrimFn fn{PrimFn::kCmp};
      fn.type = *type;
      if (stem == "eq") return fn;
      if (stem == "ne") {
        fn.cmp = CmpOpKind::kNe;
        return fn;
      }
      if (stem == "sign" || stem == "unsign") {
        fn.kind = stem == "sign" ? PrimFn::kSign : PrimFn::kUnsign;
        return fn;
      }
      if (stem == "neg" || stem == "not") {
        fn.kind = PrimFn::kUn;
        fn.un = stem == "neg" ? UnOpKind::kNeg : UnOpKind::kNot;
        return fn;
      }
    }
  }
  if (auto fn = decode_logical(name)) return fn;
  // A number that is part of the stem is set off: log10_64.
  for (int width : {8, 16, 32, 64}) {
    std::string suffix = std::to_string(width);
    if (name.size() <= suffix.size() || !name.ends_with(suffix)) continue;
    std::string stem = name.substr(0, name.size() - suffix.size());
    if (stem.back() == '_') stem.pop_back();
    bool safe = stem.ends_with("_safe");
    if (safe) stem.resize(stem.size() - 5);
    bool up = stem == "sdiv_up" || stem == "udiv_up";
    if (up) stem.resize(4);
    if (auto fn = sized(stem, width)) {
      fn->checked = fn->checked && !safe;
      fn->up = up;
      return fn;
    }
  }
  return std::nullopt;
}

struct ArrayFn {
  std::string_view name;
  size_t arity;
};
constexpr ArrayFn kArrayFns[] = {{"map", 2},
                                 {"reduce", 3},
                                 {"reduce_comm", 3},
                                 {"scan", 3},
                                 {"hist_1d", 6},
                                 {"hist_2d", 6},
                                 {"hist_3d", 6},
                                 {"scatter", 3},
                                 {"scatter_1d", 3},
                                 {"scatter_2d", 3},
                                 {"scatter_3d", 3},
                                 {"zip", 2},
                                 {"unzip", 1},
                                 {"concat", 2},
                                 {"transpose", 1},
                                 {"flatten", 1},
                                 {"unflatten", 3},
                                 {"manifest", 1},
                                 {"partition", 3},
                                 {"filter", 2},
                                 {"partition_2", 2},
                                 {"partition_3", 3},
                                 {"flatmap", 2},
                                 {"replicate", 2},
                                 {"rotate", 2},
                                 {"acc_write", 3},
                                 {"scatter_stream", 3},
                                 {"hist_stream", 5},
                                 {"flat_index_2d", 6},
                                 {"flat_index_3d", 8},
                                 {"flat_index_4d", 10},
                                 {"flat_update_2d", 5},
                                 {"flat_update_3d", 6},
                                 {"flat_update_4d", 7},
                                 {"jvp2", 3},
                                 {"vjp2", 3},
                                 {"jmp2", 3},
                                 {"mjp2", 3},
                                 {"with_vjp", 3},
                                 {"with_vjp_tape", 3},
                                 {"length", 1}};

}  // namespace

bool Elaborator::is_intrinsic(const std::string& name, size_t* arity) {
  for (const ArrayFn& fn : kArrayFns)
    if (fn.name == name) {
      *arity = fn.arity;
      return true;
    }
  if (auto fn = decode(name)) {
    *arity = fn->arity();
    return true;
  }
  return false;
}

// Converts; there and back again between signed and unsigned gives the first operand.
Operand Elaborator::same_bits(Prim from, Prim to, const Operand& x) {
  if (from == to) return x;
  bool reversible = is_int(from) && is_int(to) && prim_size(from) == prim_size(to);
  const Name* name = core::as_name(x);
  if (reversible && name)
    if (auto it = reread_.find(*name); it != reread_.end()) return it->second;
  Operand out = b().convert(from, to, x);
  if (const Name* n = core::as_name(out); n && reversible) reread_.emplace(*n, x);
  return out;
}

ValuePtr Elaborator::prim_intrinsic(const std::string& name, const std::vector<ValuePtr>& args) {
  std::optional<PrimFn> fn = decode(name);
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
    case PrimFn::kBin: {
      if (fn->bin == BinOpKind::kLdexp)
        return scalar_value(t, b().binop(fn->bin, t, read(0, t), read(1, Prim::kI32)));
      Operand x = read(0, t), y = read(1, t);
      if (fn->up) {
        Operand less = b().binop(BinOpKind::kSub, t, y, core::const_int(t, 1));
        x = b().binop(BinOpKind::kAdd, t, x, less);
      }
      if (fn->checked && fn->bin == BinOpKind::kPow) return back(t, power(t, x, y));
      if (fn->checked) return back(t, checked_division(fn->bin, t, x, y));
      return back(t, b().binop(fn->bin, t, x, y));
    }
    case PrimFn::kUn: {
      Operand r = b().unop(fn->un, t, read(0, t));
      Prim result = core::result_type(fn->un, t);
      return result == t ? back(t, r) : scalar_value(result, r);
    }
    case PrimFn::kTern: return back(t, b().ternop(fn->tern, t, read(0, t), read(1, t), read(2, t)));
    case PrimFn::kCmp:
      return scalar_value(Prim::kBool, b().cmpop(fn->cmp, t, read(0, t), read(1, t)));
    case PrimFn::kConv: {
      Operand r = b().convert(t, fn->target, read(0, t));
      if (fn->target != fn->result) r = b().convert(fn->target, fn->result, r);
      return scalar_value(fn->result, r);
    }
    case PrimFn::kSign: return scalar_value(as_signed(own), read(0, as_signed(own)));
    case PrimFn::kUnsign: return scalar_value(as_unsigned(own), read(0, as_unsigned(own)));
    case PrimFn::kToBits:
    case PrimFn::kFromBits: {
      Prim bits = signed_int(8 * prim_size(t));
      bool to = fn->kind == PrimFn::kToBits;
      Prim from_type = to ? t : bits, to_type = to ? bits : t;
      Operand x = read(0, from_type);
      if (const auto* c = core::as_const(x))
        return scalar_value(to_type, core::eval_bitcast(from_type, to_type, *c));
      return scalar_value(
          to_type, emit1(core::scalar_type(to_type), core::Bitcast{from_type, to_type, x}, "bits"));
    }
  }
  return nullptr;
}

}  // namespace skald::futhark::elab
