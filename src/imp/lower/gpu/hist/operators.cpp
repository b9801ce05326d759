// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/hist/choice.h"
#include "imp/lower/gpu/hist/frequent_bins.h"
#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

using core::Operator;

namespace {

constexpr int64_t kSwappedBytes = 8;

// Code that may run several times and cannot fail.
bool is_pure(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    bool pure = core::as<core::Assert>(stmt.exp) == nullptr &&
                core::as<core::Call>(stmt.exp) == nullptr &&
                core::as<core::Alloc>(stmt.exp) == nullptr;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { pure = pure && is_pure(inner); });
    if (!pure) return false;
  }
  return true;
}

// The bytes of a bin; nothing if a component is an array.
std::optional<int64_t> bytes_of_components(const Operator& op) {
  int64_t bytes = 0;
  for (size_t k = 0; k < op.neutral.size(); ++k) {
    const core::Type& type = op.fn.params[k].type;
    if (type.is_array()) return std::nullopt;
    bytes += prim_size(type.elem);
  }
  return bytes;
}

// The operator on scalars that it is, if it is one on its two arguments.
const core::BinOp* only_operator(const Operator& op) {
  if (op.neutral.size() != 1 || op.fn.body.stmts.size() != 1) return nullptr;
  const core::Stmt& stmt = op.fn.body.stmts[0];
  const core::BinOp* node = core::as<core::BinOp>(stmt.exp);
  if (node == nullptr || !(op.fn.body.result[0] == Operand{stmt.pat[0].name})) return nullptr;
  const Operand a = op.fn.params[0].name, b = op.fn.params[1].name;
  const bool both = (node->lhs == a && node->rhs == b) || (node->lhs == b && node->rhs == a);
  return both ? node : nullptr;
}

Prim bits_of(Prim type) {
  return unsigned_of_width(prim_size(type));
}

}  // namespace

std::optional<BinOpKind> atomic_operator(const Operator& op) {
  const core::BinOp* node = only_operator(op);
  if (node == nullptr) return std::nullopt;
  using enum BinOpKind;
  const bool known = node->op == kAdd || node->op == kMin || node->op == kMax || node->op == kAnd ||
                     node->op == kOr || node->op == kXor;
  return known && is_int(node->type) && prim_size(node->type) >= 4 ? std::optional(node->op)
                                                                   : std::nullopt;
}

bool is_float_sum(const Operator& op) {
  const core::BinOp* node = only_operator(op);
  return node != nullptr && node->op == BinOpKind::kAdd &&
         (node->type == Prim::kF32 || node->type == Prim::kF64);
}

bool are_float_sums(const std::vector<const Operator*>& ops) {
  return std::ranges::any_of(ops, [](const Operator* op) { return is_float_sum(*op); }) &&
         std::ranges::all_of(
             ops, [](const Operator* op) { return is_float_sum(*op) || atomic_operator(*op); });
}

std::optional<int64_t> saturation_limit(const Operator& op) {
  if (op.neutral.size() != 1 || op.fn.body.stmts.size() != 2) return std::nullopt;
  if (!(op.neutral[0] == Operand{core::const_int(Prim::kI32, 0)})) return std::nullopt;
  const core::Stmt& first = op.fn.body.stmts[0];
  const core::Stmt& second = op.fn.body.stmts[1];
  const core::BinOp* sum = core::as<core::BinOp>(first.exp);
  const core::BinOp* least = core::as<core::BinOp>(second.exp);
  if (sum == nullptr || least == nullptr || sum->op != BinOpKind::kAdd ||
      least->op != BinOpKind::kMin || !(op.fn.body.result[0] == Operand{second.pat[0].name}))
    return std::nullopt;
  const Operand a = op.fn.params[0].name, b = op.fn.params[1].name, both = first.pat[0].name;
  if (!((sum->lhs == a && sum->rhs == b) || (sum->lhs == b && sum->rhs == a))) return std::nullopt;
  const core::Const* limit = core::as_const(least->lhs == both ? least->rhs : least->lhs);
  if (limit == nullptr || !(least->lhs == both || least->rhs == both)) return std::nullopt;
  const int64_t value = core::int_value(*limit);
  return value >= 0 ? std::optional(value) : std::nullopt;
}

bool changes_seldom(const Operator& op) {
  return !saturation_limit(op) && bin_update(op) == BinUpdate::kSwap && picks_components(op);
}

BinUpdate bin_update(const Operator& op) {
  if (atomic_operator(op)) return BinUpdate::kInstruction;
  const std::optional<int64_t> bytes = bytes_of_components(op);
  return bytes && *bytes <= kSwappedBytes && is_pure(op.fn.body) ? BinUpdate::kSwap
                                                                 : BinUpdate::kLock;
}

bool may_lie_apart(const Operator& op) {
  return bytes_of_components(op) && is_pure(op.fn.body);
}

bool has_failing_operator(const Operator& op) {
  return !bytes_of_components(op) || !is_pure(op.fn.body);
}

bool needs_lock(const Operator& op) {
  return op.neutral.size() != 1 || bin_update(op) == BinUpdate::kLock;
}

BinWord::BinWord(const Operator& op) : type_(op.fn.params[0].type.elem) {
  int64_t bytes = 0;
  for (size_t k = 0; k < op.neutral.size(); ++k) {
    components_.push_back(op.fn.params[k].type.elem);
    bytes += prim_size(components_.back());
  }
  if (components_.size() > 1) type_ = bytes <= 4 ? Prim::kU32 : Prim::kU64;
}

Operand BinWord::pack(Code& code, const std::vector<Operand>& components) const {
  if (components_.size() == 1) return components[0];
  std::optional<Operand> word;
  int64_t shift = 0;
  for (size_t k = 0; k < components_.size(); ++k) {
    const Prim from = components_[k], bits = bits_of(from);
    Operand part = components[k];
    if (from == Prim::kBool)
      part = code.let(bits, core::Convert{from, bits, part}, "bits");
    else if (from != bits)
      part = code.let(bits, core::Bitcast{from, bits, part}, "bits");
    if (bits != type_) part = code.let(type_, core::Convert{bits, type_, part}, "part");
    if (shift > 0)
      part = code.let(
          type_, core::BinOp{BinOpKind::kShl, type_, part, core::const_int(type_, shift)}, "part");
    word = word ? code.let(type_, core::BinOp{BinOpKind::kOr, type_, *word, part}, "word") : part;
    shift += 8 * prim_size(from);
  }
  return *word;
}

std::vector<Operand> BinWord::unpack(Code& code, const Operand& word) const {
  if (components_.size() == 1) return {word};
  std::vector<Operand> components;
  int64_t shift = 0;
  for (const Prim to : components_) {
    const Prim bits = bits_of(to);
    Operand part = word;
    if (shift > 0)
      part = code.let(
          type_, core::BinOp{BinOpKind::kLshr, type_, part, core::const_int(type_, shift)}, "part");
    if (bits != type_) part = code.let(bits, core::Convert{type_, bits, part}, "bits");
    if (to == Prim::kBool)
      part = code.let(to, core::Convert{bits, to, part}, "component");
    else if (to != bits)
      part = code.let(to, core::Bitcast{bits, to, part}, "component");
    components.push_back(part);
    shift += 8 * prim_size(to);
  }
  return components;
}

BinColumns::BinColumns(const Operator& op) {
  if (bin_update(op) != BinUpdate::kLock) word_.emplace(op);
  for (size_t k = 0; k < op.neutral.size(); ++k) types_.push_back(op.fn.params[k].type.elem);
  if (word_) types_ = {word_->type()};
}

int64_t BinColumns::bytes() const {
  int64_t bytes = 0;
  for (const Prim type : types_) bytes += prim_size(type);
  return bytes;
}

std::vector<Name> BinColumns::make_room(Code& code, Space space, const Operand& count) const {
  std::vector<Name> columns;
  for (const Prim type : types_) {
    const Operand bytes =
        code.mul_i64(code.max_i64(count, const_i64(1)), const_i64(prim_size(type)));
    columns.push_back(code.alloc(space, bytes, "bins"));
  }
  return columns;
}

void BinColumns::store(Code& code, const std::vector<Name>& columns, const Operand& at,
                       const std::vector<Operand>& components) const {
  if (word_) return code.add(Store{types_[0], columns[0], at, word_->pack(code, components)});
  for (size_t k = 0; k < columns.size(); ++k)
    code.add(Store{types_[k], columns[k], at, components[k]});
}

std::vector<Operand> BinColumns::load(Code& code, const std::vector<Name>& columns,
                                      const Operand& at) const {
  if (word_) return word_->unpack(code, code.load(types_[0], columns[0], at, "found"));
  std::vector<Operand> components;
  for (size_t k = 0; k < columns.size(); ++k)
    components.push_back(code.load(types_[k], columns[k], at, "found"));
  return components;
}

namespace {

std::string_view device_class(const Operator& op) {
  if (saturation_limit(op)) return "saturates: an atomic addition, and a comparison";
  if (is_float_sum(op))
    return "is an instruction of some devices, otherwise done by compare and swap of a word";
  if (changes_seldom(op))
    return "chooses: a word that is looked at, and seldom compared and swapped";
  switch (bin_update(op)) {
    case BinUpdate::kInstruction: return "is an atomic instruction";
    case BinUpdate::kSwap: return "is done by compare and swap of a word";
    case BinUpdate::kLock: break;
  }
  return "needs locks";
}

}  // namespace

void report_taken(KernelWriter& kernel, Code& code, std::string_view way,
                  std::vector<HistNumber> numbers, const std::function<Operand()>& extra) {
  if (!reports_hist(kernel)) return;
  numbers.push_back({"extra bytes", extra()});
  report_hist(kernel, code, way, numbers);
}

void explain_operators(KernelWriter& kernel) {
  if (!explains_hist(kernel)) return;
  for (size_t k = 0; k < kernel.facts.sinks.size(); ++k) {
    const SinkInfo& info = kernel.facts.sinks[k];
    if (info.sink->kind != core::Sink::kHist) continue;
    const Operator& op = info.sink->op[0];
    const std::optional<int64_t> bytes = bytes_of_components(op);
    explain_hist(kernel,
                 bytes ? fmt::format("bins of {} bytes; the operator {}", *bytes, device_class(op))
                       : fmt::format("bins are arrays; the operator {}", device_class(op)));
    const int64_t places = bytes ? FrequentBins::most_places(OwnBins(kernel, k)) : 0;
    if (places > 0)
      explain_hist(kernel,
                   fmt::format("of a group's first points: if bins come often, threads have "
                               "places of their own for up to {} of them",
                               places));
  }
}

}  // namespace skald::imp
