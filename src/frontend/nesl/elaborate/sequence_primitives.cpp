// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>

#include "frontend/nesl/elaborate/primitives.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

using core::BinOpKind;

struct Fold {
  BinOpKind op;
  bool is_scan;
};

const std::map<std::string, Fold>& folds() {
  static const std::map<std::string, Fold> table = {
      {"sum", {BinOpKind::kAdd, false}},      {"product", {BinOpKind::kMul, false}},
      {"max_val", {BinOpKind::kMax, false}},  {"min_val", {BinOpKind::kMin, false}},
      {"any", {BinOpKind::kOr, false}},       {"all", {BinOpKind::kAnd, false}},
      {"parity", {BinOpKind::kXor, false}},   {"plus_scan", {BinOpKind::kAdd, true}},
      {"mult_scan", {BinOpKind::kMul, true}}, {"max_scan", {BinOpKind::kMax, true}},
      {"min_scan", {BinOpKind::kMin, true}},  {"or_scan", {BinOpKind::kOr, true}},
      {"and_scan", {BinOpKind::kAnd, true}},  {"xor_scan", {BinOpKind::kXor, true}},
  };
  return table;
}

core::Const neutral_of(BinOpKind op, Prim prim) {
  const bool is_max = op == BinOpKind::kMax;
  if (is_max || op == BinOpKind::kMin) {
    if (prim == Prim::kF64) {
      const double infinity = std::numeric_limits<double>::infinity();
      return core::const_float(prim, is_max ? -infinity : infinity);
    }
    if (prim == Prim::kU8) return core::const_int(prim, is_max ? 0 : 255);
    return core::const_i64(is_max ? std::numeric_limits<int64_t>::min()
                                  : std::numeric_limits<int64_t>::max());
  }
  if (prim == Prim::kBool) return core::const_bool(op == BinOpKind::kAnd);
  const int number = op == BinOpKind::kMul ? 1 : op == BinOpKind::kAnd ? -1 : 0;
  return prim == Prim::kF64 ? core::const_float(prim, number) : core::const_int(prim, number);
}

// Exclusive: every place has what comes before it.  The elements move one place on before the scan,
// not its results after it, so that scan and what uses them are one kernel.
Value exclusive_scan(Elaborator& elab, const Value& sequence, BinOpKind op) {
  Code& code = elab.code();
  const Prim prim = prim_of(element_of(sequence)->kind);
  const Operand& n = length_of(sequence);
  const core::Const neutral = neutral_of(op, prim);
  const Operand shifted =
      code.map(n, {code.iota(n)}, {Prim::kI64}, {prim}, [&](const std::vector<Operand>& i) {
        const Operand is_first = code.equal(i[0], core::const_i64(0));
        const Operand before = elab.builder().binop(
            BinOpKind::kMax, Prim::kI64, elab.builder().size_sub(i[0], core::const_i64(1)),
            core::const_i64(0));
        const Operand element = code.read(sequence.parts[1], prim, before);
        return std::vector<Operand>{elab.builder().let1(
            core::scalar_type(prim), core::Select{is_first, neutral, element}, "s")};
      })[0];
  return {sequence.shape, {n, code.scan(n, shifted, prim, op, neutral)}};
}

// Indices, after a check that all of them are between 0 and n.
Value checked_indices(Elaborator& elab, const std::string& what, const Value& indices,
                      const Operand& n) {
  Code& code = elab.code();
  const Operand checked =
      code.map(length_of(indices), {indices.parts[1]}, {Prim::kI64}, {Prim::kI64},
               [&](const std::vector<Operand>& i) {
                 const Operand above = code.at_most(core::const_i64(0), i[0]);
                 const Operand fits = elab.builder().logical_and(above, code.less(i[0], n));
                 const std::vector<Name> tokens =
                     code.check(fits, {fmt::format("{}: index ", what), i[0],
                                       std::string(" is not in a sequence of length "), n});
                 return std::vector<Operand>{elab.builder().let1(core::scalar_type(Prim::kI64),
                                                                 core::Value{i[0]}, "i", tokens)};
               })[0];
  return {indices.shape, {length_of(indices), checked}};
}

std::pair<Value, Value> unzipped(const Value& pairs) {
  const ShapeRef& pair = element_of(pairs);
  const auto first = static_cast<std::ptrdiff_t>(column_count(*pair->args[0]));
  Value a{sequence_shape(pair->args[0]), {length_of(pairs)}};
  Value b{sequence_shape(pair->args[1]), {length_of(pairs)}};
  a.parts.insert(a.parts.end(), pairs.parts.begin() + 1, pairs.parts.begin() + 1 + first);
  b.parts.insert(b.parts.end(), pairs.parts.begin() + 1 + first, pairs.parts.end());
  return {a, b};
}

// `a <- iv`, but what is written to one place, and what is there, goes together.
Value combined(Elaborator& elab, const std::string& name, const Value& a, const Value& pairs) {
  const BinOpKind op = name == "plus_write" ? BinOpKind::kAdd : BinOpKind::kMin;
  const auto [indices, values] = unzipped(pairs);
  const Value checked = checked_indices(elab, name, indices, length_of(a));
  return {
      a.shape,
      {length_of(a), elab.code().combined(length_of(a), a.parts[1], op, neutral_of(op, Prim::kI64),
                                          length_of(pairs), checked.parts[1], values.parts[1])}};
}

Value element(Elaborator& elab, const Value& sequence, const Operand& index) {
  Code& code = elab.code();
  const Operand above = code.at_most(core::const_i64(0), index);
  const Operand fits = elab.builder().logical_and(above, code.less(index, length_of(sequence)));
  const std::vector<Name> tokens =
      code.check(fits, {std::string("index "), index,
                        std::string(" is not in a sequence of length "), length_of(sequence)});
  return element_at(code, sequence, index, tokens);
}

// Sequences of the same length; the second gets the first one's.
Value same_length(Elaborator& elab, const std::string& what, const Value& a, const Value& b) {
  if (length_of(a) == length_of(b)) return b;
  const std::vector<Name> tokens =
      elab.code().check(elab.code().equal(length_of(a), length_of(b)),
                        {fmt::format("{}: the sequences have different lengths: ", what),
                         length_of(a), std::string(" and "), length_of(b)});
  return with_length(elab.code(), b, length_of(a), tokens);
}

Value zipped(const Value& a, const Value& b) {
  Value both{sequence_shape(pair_shape(element_of(a), element_of(b))), a.parts};
  both.parts.insert(both.parts.end(), b.parts.begin() + 1, b.parts.end());
  return both;
}

Value distributed(Elaborator& elab, const Value& value, const Operand& count) {
  Code& code = elab.code();
  if (code.is_length(count)) return repeated(code, value, count);
  const std::vector<Name> tokens =
      code.check(code.at_most(core::const_i64(0), count),
                 {std::string("dist needs a length of at least 0, but got "), count});
  Operand n = count;
  if (!tokens.empty())
    n = elab.builder().let1(core::scalar_type(Prim::kI64), core::Value{count}, "n", tokens);
  return repeated(code, value, n);
}

Value part_of(Elaborator& elab, const Value& sequence, const Operand& start, const Operand& end) {
  Code& code = elab.code();
  core::Builder& b = elab.builder();
  const Operand above = code.at_most(core::const_i64(0), start);
  const Operand forward = code.at_most(start, end);
  const Operand below = code.at_most(end, length_of(sequence));
  const Operand inside = b.logical_and(forward, below);
  const Operand fits = b.logical_and(above, inside);
  const std::vector<Name> tokens =
      code.check(fits, {std::string("a sequence of length "), length_of(sequence),
                        std::string(" has no part from "), start, std::string(" to "), end});
  Operand count = b.size_sub(end, start);
  return slice_of(code, sequence, start, count, tokens);
}

}  // namespace

std::optional<Value> sequence_primitive(Elaborator& elab, const std::string& name, const Value& arg,
                                        Span span) {
  Code& code = elab.code();
  if (const auto fold = folds().find(name); fold != folds().end()) {
    if (fold->second.is_scan) return exclusive_scan(elab, arg, fold->second.op);
    const Prim prim = prim_of(element_of(arg)->kind);
    return Value{element_of(arg),
                 {code.reduce(length_of(arg), arg.parts[1], prim, fold->second.op,
                              neutral_of(fold->second.op, prim))}};
  }
  if (name == "#") {
    code.mark_length(length_of(arg));
    return scalar_value(Shape::kInt, length_of(arg));
  }
  if (name == "flatten") return flattened(code, arg);
  if (name == "unzip") {
    const auto [a, b] = unzipped(arg);
    return pair_of(a, b);
  }
  if (name == "print_string") {
    elab.print(arg, span);
    return scalar_value(Shape::kBool, core::const_bool(true));
  }
  if (arg.shape->kind != Shape::kPair) return std::nullopt;
  const Value a = first_of(arg), b = second_of(arg);
  if (name == "elt") return element(elab, a, b.parts[0]);
  if (name == "dist") return distributed(elab, a, b.parts[0]);
  if (name == "zip") return zipped(a, same_length(elab, "zip", a, b));
  if (name == "++") return appended(code, a, b);
  if (name == "->") return gathered(code, a, checked_indices(elab, "->", b, length_of(a)));
  if (name == "<-") {
    const auto [indices, values] = unzipped(b);
    return written(code, a, checked_indices(elab, "<-", indices, length_of(a)), values);
  }
  if (name == "plus_write" || name == "min_write") return combined(elab, name, a, b);
  if (name == "cut") return partitioned(code, a, b, Lengths::kRight);
  if (name == "partition") return partitioned(code, a, b, Lengths::kAny);
  if (name == "subseq") return part_of(elab, a, b.parts[0], b.parts[1]);
  return std::nullopt;
}

}  // namespace skald::nesl
