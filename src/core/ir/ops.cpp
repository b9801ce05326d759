// SPDX-License-Identifier: Apache-2.0
#include "core/ir/ops.h"

#include <iterator>

namespace skald::core {

namespace {

#define SKALD_MNEMONIC(enumerator, mnemonic) mnemonic,
constexpr std::string_view kBinOps[] = {SKALD_CORE_BINOPS(SKALD_MNEMONIC)};
constexpr std::string_view kUnOps[] = {SKALD_CORE_UNOPS(SKALD_MNEMONIC)};
constexpr std::string_view kCmpOps[] = {SKALD_CORE_CMPOPS(SKALD_MNEMONIC)};
constexpr std::string_view kTernOps[] = {SKALD_CORE_TERNOPS(SKALD_MNEMONIC)};
#undef SKALD_MNEMONIC

template <class Kind, size_t N>
std::optional<Kind> find_mnemonic(const std::string_view (&table)[N], std::string_view text) {
  for (size_t i = 0; i < N; ++i)
    if (table[i] == text) return static_cast<Kind>(i);
  return std::nullopt;
}

bool is_number(Prim type) {
  return type != Prim::kBool;
}

}  // namespace

std::string_view mnemonic(BinOpKind op) {
  return kBinOps[static_cast<size_t>(op)];
}
std::string_view mnemonic(UnOpKind op) {
  return kUnOps[static_cast<size_t>(op)];
}
std::string_view mnemonic(CmpOpKind op) {
  return kCmpOps[static_cast<size_t>(op)];
}
std::string_view mnemonic(TernOpKind op) {
  return kTernOps[static_cast<size_t>(op)];
}

std::optional<BinOpKind> binop_from_mnemonic(std::string_view text) {
  return find_mnemonic<BinOpKind>(kBinOps, text);
}
std::optional<UnOpKind> unop_from_mnemonic(std::string_view text) {
  return find_mnemonic<UnOpKind>(kUnOps, text);
}
std::optional<CmpOpKind> cmpop_from_mnemonic(std::string_view text) {
  return find_mnemonic<CmpOpKind>(kCmpOps, text);
}
std::optional<TernOpKind> ternop_from_mnemonic(std::string_view text) {
  return find_mnemonic<TernOpKind>(kTernOps, text);
}

bool is_legal(BinOpKind op, Prim type) {
  switch (op) {
    case BinOpKind::kAdd:
    case BinOpKind::kSub:
    case BinOpKind::kMul:
    case BinOpKind::kDiv:
    case BinOpKind::kMod:
    case BinOpKind::kPow:
    case BinOpKind::kMin:
    case BinOpKind::kMax: return is_number(type);
    case BinOpKind::kQuot:
    case BinOpKind::kRem:
    case BinOpKind::kShl:
    case BinOpKind::kShr:
    case BinOpKind::kLshr:
    case BinOpKind::kAshr:
    case BinOpKind::kMulHi: return is_int(type);
    case BinOpKind::kAnd:
    case BinOpKind::kOr:
    case BinOpKind::kXor: return is_int(type) || type == Prim::kBool;
    case BinOpKind::kAtan2:
    case BinOpKind::kAtan2Pi:
    case BinOpKind::kHypot:
    case BinOpKind::kCopysign:
    case BinOpKind::kNextafter:
    case BinOpKind::kLdexp: return is_float(type);
  }
  return false;
}

bool is_legal(UnOpKind op, Prim type) {
  switch (op) {
    case UnOpKind::kNeg:
    case UnOpKind::kAbs:
    case UnOpKind::kSgn: return is_number(type);
    case UnOpKind::kNot: return is_int(type) || type == Prim::kBool;
    case UnOpKind::kPopc:
    case UnOpKind::kClz:
    case UnOpKind::kCtz: return is_int(type);
    default: return is_float(type);
  }
}

bool is_legal(CmpOpKind, Prim) {
  return true;
}

bool is_legal(TernOpKind op, Prim type) {
  return op == TernOpKind::kMadHi ? is_int(type) : is_float(type);
}

Prim result_type(UnOpKind op, Prim type) {
  switch (op) {
    case UnOpKind::kPopc:
    case UnOpKind::kClz:
    case UnOpKind::kCtz: return Prim::kI32;
    case UnOpKind::kIsNan:
    case UnOpKind::kIsInf: return Prim::kBool;
    default: return type;
  }
}

bool is_commutative(BinOpKind op) {
  switch (op) {
    case BinOpKind::kAdd:
    case BinOpKind::kMul:
    case BinOpKind::kMin:
    case BinOpKind::kMax:
    case BinOpKind::kAnd:
    case BinOpKind::kOr:
    case BinOpKind::kXor:
    case BinOpKind::kMulHi:
    case BinOpKind::kHypot: return true;
    default: return false;
  }
}

bool is_associative(BinOpKind op, Prim type) {
  return is_legal(op, type) && is_commutative(op) && op != BinOpKind::kMulHi &&
         op != BinOpKind::kHypot;
}

}  // namespace skald::core
