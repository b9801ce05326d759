// SPDX-License-Identifier: Apache-2.0
// Stems, widths and types.
#include "frontend/futhark/elaborate/scalars/primitive_names.h"

namespace skald::futhark::elab {

using core::BinOpKind;
using core::CmpOpKind;
using core::TernOpKind;
using core::UnOpKind;

Prim signed_int(int width) {
  return width == 8 ? Prim::kI8 : width == 16 ? Prim::kI16 : width == 32 ? Prim::kI32 : Prim::kI64;
}
Prim as_unsigned(Prim p) {
  return is_signed_int(p) ? unsigned_of_width(prim_size(p)) : p;
}
Prim as_signed(Prim p) {
  return is_unsigned_int(p) ? signed_int(prim_bits(p)) : p;
}

namespace {

Prim unsigned_int(int width) {
  return unsigned_of_width(width / 8);
}
Prim float_type(int width) {
  return width == 16 ? Prim::kF16 : width == 32 ? Prim::kF32 : Prim::kF64;
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

std::optional<Primitive> sized(const std::string& stem, int width) {
  auto type = [&](Read read) {
    return read == Read::kSigned     ? signed_int(width)
           : read == Read::kUnsigned ? unsigned_int(width)
                                     : float_type(width);
  };
  for (const BinName& bin : kBins)
    if (bin.name == stem) {
      Primitive fn{Primitive::kBin};
      fn.bin = bin.op;
      fn.type = type(bin.read);
      fn.checked = bin.checked;
      return fn;
    }
  for (const CmpName& cmp : kCmps)
    if (cmp.name == stem) {
      Primitive fn{Primitive::kCmp};
      fn.cmp = cmp.op;
      fn.type = type(cmp.read);
      return fn;
    }
  for (const UnName& un : kUns)
    if (un.name == stem) {
      Primitive fn{Primitive::kUn};
      fn.un = un.op;
      fn.type = type(un.read);
      return fn;
    }
  for (const TernName& tern : kTerns)
    if (tern.name == stem) {
      Primitive fn{Primitive::kTern};
      fn.tern = tern.op;
      fn.type = type(tern.read);
      return fn;
    }
  if (stem == "to_bits" || stem == "from_bits") {
    Primitive fn{stem == "to_bits" ? Primitive::kToBits : Primitive::kFromBits};
    fn.type = float_type(width);
    return fn;
  }
  // Functions of one float go by the operator's own name.
  if (width != 8)
    if (auto un = core::unop_from_mnemonic(stem); un && core::is_legal(*un, float_type(width))) {
      Primitive fn{Primitive::kUn};
      fn.un = *un;
      fn.type = float_type(width);
      return fn;
    }
  return std::nullopt;
}

// stem_A_B, where the second `_` is at `last` and the first at `before`.
std::optional<Primitive> decode_conversion(const std::string& name, size_t before, size_t last) {
  auto from = prim_from_name(name.substr(before + 1, last - before - 1));
  auto to = prim_from_name(name.substr(last + 1));
  std::string stem = name.substr(0, before);
  if (from && to) {
    Primitive fn{Primitive::kConv};
    fn.type = *from;
    fn.target = fn.result = *to;
    if (stem == "fptobits" || stem == "bitstofp") {
      fn.kind = stem == "fptobits" ? Primitive::kToBits : Primitive::kFromBits;
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

std::optional<Primitive> decode_logical(const std::string& name) {
  if (name == "not") {
    Primitive fn{Primitive::kUn};
    fn.un = UnOpKind::kNot;
    fn.type = Prim::kBool;
    return fn;
  }
  if (name == "llt" || name == "lle") {
    Primitive fn{Primitive::kCmp};
    fn.cmp = name == "llt" ? CmpOpKind::kLt : CmpOpKind::kLe;
    fn.type = Prim::kBool;
    return fn;
  }
  if (name == "logand" || name == "logor") {
    Primitive fn{Primitive::kBin};
    fn.bin = name == "logand" ? BinOpKind::kAnd : BinOpKind::kOr;
    fn.type = Prim::kBool;
    return fn;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Primitive> primitive_of_name(const std::string& name) {
  // stem_A_B
  size_t last = name.rfind('_');
  size_t before =
      last == std::string::npos || last == 0 ? std::string::npos : name.rfind('_', last - 1);
  if (before != std::string::npos)
    if (auto fn = decode_conversion(name, before, last)) return fn;
  if (last != std::string::npos) {
    std::string stem = name.substr(0, last);
    if (auto type = prim_from_name(name.substr(last + 1))) {
      Primitive fn{Primitive::kCmp};
      fn.type = *type;
      if (stem == "eq") return fn;
      if (stem == "ne") {
        fn.cmp = CmpOpKind::kNe;
        return fn;
      }
      if (stem == "sign" || stem == "unsign") {
        fn.kind = stem == "sign" ? Primitive::kSign : Primitive::kUnsign;
        return fn;
      }
      if (stem == "neg" || stem == "not") {
        fn.kind = Primitive::kUn;
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

}  // namespace skald::futhark::elab
