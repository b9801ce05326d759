// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/elaborate/values/code.h"

#include "support/bug.h"

namespace skald::nesl {

Value scalar_value(Shape::Kind kind, const Operand& operand) {
  return {scalar_shape(kind), {operand}};
}

Value first_of(const Value& pair) {
  const ShapeRef& shape = pair.shape->args[0];
  const auto count = static_cast<std::ptrdiff_t>(part_count(*shape));
  return {shape, {pair.parts.begin(), pair.parts.begin() + count}};
}

Value second_of(const Value& pair) {
  const auto count = static_cast<std::ptrdiff_t>(part_count(*pair.shape->args[0]));
  return {pair.shape->args[1], {pair.parts.begin() + count, pair.parts.end()}};
}

Value pair_of(const Value& first, const Value& second) {
  Value pair{pair_shape(first.shape, second.shape), first.parts};
  pair.parts.insert(pair.parts.end(), second.parts.begin(), second.parts.end());
  return pair;
}

namespace {

Name name_of(const Operand& operand) {
  const Name* name = core::as_name(operand);
  SKALD_CHECK(name != nullptr, "an array must have a name");
  return *name;
}

void add_params(Code& code, const Shape& shape, std::string_view base,
                std::vector<core::Param>& out) {
  const auto scalar = [&](Prim prim) {
    out.push_back({code.fresh(base), core::scalar_type(prim)});
  };
  if (shape.is_scalar()) return scalar(prim_of(shape.kind));
  if (shape.kind != Shape::kSequence) {
    for (const ShapeRef& arg : shape.args) add_params(code, *arg, base, out);
    return;
  }
  scalar(Prim::kI64);
  const size_t first = out.size();
  const Operand length = out.back().name;
  for (const ColumnPart& part : column_layout(*shape.args[0])) {
    if (part.kind == ColumnPart::kTotal) {
      scalar(Prim::kI64);
      continue;
    }
    const Operand size =
        part.total < 0 ? length : Operand(out[first + static_cast<size_t>(part.total)].name);
    out.push_back({code.fresh(base), array_type(size, part.prim)});
  }
}

}  // namespace

core::Loc Code::set_place(Span span) {
  const core::Loc before = builder().loc();
  builder().set_loc(program_.locs.add(sources_.describe_range(span)));
  return before;
}

core::Body Code::block(const std::function<std::vector<Operand>()>& fill) {
  core::Builder inner(program_);
  if (builder_ != nullptr) inner.set_loc(builder_->loc());
  core::Builder* outer = builder_;
  builder_ = &inner;
  const std::vector<Operand> results = fill();
  builder_ = outer;
  return inner.finish(results);
}

std::vector<core::Param> Code::params(const Shape& shape, std::string_view base) {
  std::vector<core::Param> out;
  add_params(*this, shape, base, out);
  return out;
}

Value Code::value_of(ShapeRef shape, const std::vector<core::Param>& params, size_t from) {
  Value value{std::move(shape), {}};
  for (size_t k = 0; k < part_count(*value.shape); ++k)
    value.parts.emplace_back(params[from + k].name);
  return value;
}

std::vector<core::Ret> Code::results(const std::vector<core::Param>& params) {
  std::vector<core::Ret> rets;
  rets.reserve(params.size());
  for (const core::Param& param : params) rets.push_back({param.name, param.type});
  return rets;
}

std::vector<Name> Code::check(const Operand& cond, std::vector<core::MessagePart> message) {
  const Name token = builder().check(cond, std::move(message));
  return token ? std::vector<Name>{token} : std::vector<Name>();
}

Operand Code::read(const Operand& array, Prim prim, const Operand& index,
                   std::vector<Name> tokens) {
  return builder().let1(core::scalar_type(prim), core::Index{name_of(array), {{true, index}}}, "x",
                        std::move(tokens));
}

Operand Code::slice(const Operand& array, Prim prim, const Operand& start, const Operand& count,
                    std::vector<Name> tokens) {
  return builder().let1(array_type(count, prim),
                        core::Index{name_of(array), {{false, start, count, core::const_i64(1)}}},
                        "part", std::move(tokens));
}

Operand Code::iota(const Operand& count, const Operand& start, const Operand& step) {
  return builder().let1(array_type(count, Prim::kI64), core::Iota{Prim::kI64, count, start, step},
                        "index");
}

Operand Code::replicate(const Operand& count, Prim prim, const Operand& value) {
  return builder().let1(array_type(count, prim), core::Replicate{{count}, value}, "same");
}

// What was put together before is taken apart, so that a chain is one copy.
Operand Code::concat(Prim prim, const std::vector<Operand>& arrays, const Operand& size) {
  constexpr size_t kMaxArrays = 8;
  std::vector<Operand> parts;
  for (const Operand& array : arrays) {
    const auto found = concats_.find(name_of(array).id);
    if (found == concats_.end() || found->second.size() + arrays.size() > kMaxArrays)
      parts.push_back(array);
    else
      parts.insert(parts.end(), found->second.begin(), found->second.end());
  }
  core::Concat all{0, size, {}};
  for (const Operand& part : parts) all.arrays.push_back(name_of(part));
  const Name result = builder().let1(array_type(size, prim), std::move(all), "all");
  concats_[result.id] = std::move(parts);
  return result;
}

void Code::remember_elements(const Value& sequence, std::vector<Value> elements) {
  if (const Name* starts = core::as_name(sequence.parts[1]))
    elements_[starts->id] = {sequence.parts, std::move(elements)};
}

void Code::remember_text(const Value& string, std::string text) {
  if (const Name* letters = core::as_name(string.parts[1])) texts_[letters->id] = std::move(text);
}

const std::string* Code::known_text(const Value& string) const {
  const Name* letters = core::as_name(string.parts[1]);
  const auto found = letters == nullptr ? texts_.end() : texts_.find(letters->id);
  return found == texts_.end() ? nullptr : &found->second;
}

const Value* Code::known_element(const Value& sequence, const Operand& index) const {
  const core::Const* number = core::as_const(index);
  const Name* starts = sequence.parts.size() < 2 ? nullptr : core::as_name(sequence.parts[1]);
  if (number == nullptr || starts == nullptr) return nullptr;
  const auto found = elements_.find(starts->id);
  if (found == elements_.end() || found->second.first != sequence.parts) return nullptr;
  const int64_t at = core::int_value(*number);
  const std::vector<Value>& elements = found->second.second;
  const bool is_there = at >= 0 && at < static_cast<int64_t>(elements.size());
  return is_there ? &elements[static_cast<size_t>(at)] : nullptr;
}

void Code::remember_part(const Value& sequence, Part part) {
  if (sequence.parts.size() > 1)
    parts_[name_of(sequence.parts[1]).id] = {sequence.parts, std::move(part)};
}

const Part* Code::known_part(const Value& sequence) const {
  if (sequence.parts.size() < 2) return nullptr;
  const auto found = parts_.find(name_of(sequence.parts[1]).id);
  if (found == parts_.end() || found->second.first != sequence.parts) return nullptr;
  return &found->second.second;
}

Operand Code::resized(const Operand& array, Prim prim, const Operand& size,
                      std::vector<Name> tokens) {
  return builder().let1(array_type(size, prim), core::Reshape{name_of(array), {size}}, "same",
                        std::move(tokens));
}

Operand Code::copy(const Operand& array, Prim prim, const Operand& size) {
  return builder().let1(array_type(size, prim), core::Copy{name_of(array)}, "copy");
}

std::vector<Operand> Code::map(
    const Operand& width, const std::vector<Operand>& arrays, const std::vector<Prim>& prims,
    const std::vector<Prim>& result_prims,
    const std::function<std::vector<Operand>(const std::vector<Operand>&)>& fn) {
  core::Soac soac;
  soac.width = width;
  std::vector<Operand> elements;
  for (size_t k = 0; k < arrays.size(); ++k) {
    soac.inputs.push_back(name_of(arrays[k]));
    soac.fn.params.push_back({fresh("x"), core::scalar_type(prims[k])});
    elements.emplace_back(soac.fn.params.back().name);
  }
  soac.fn.body = block([&] { return fn(elements); });
  std::vector<core::Type> types;
  for (const Prim prim : result_prims) {
    soac.fn.results.push_back({{}, core::scalar_type(prim)});
    types.push_back(array_type(width, prim));
  }
  const std::vector<Name> names = builder().let(std::move(types), std::move(soac), "ys");
  return {names.begin(), names.end()};
}

core::Operator Code::op_lambda(Prim prim, core::BinOpKind op, const core::Const& neutral) {
  core::Operator result;
  const Name a = fresh("a"), b = fresh("b");
  result.fn.params = {{a, core::scalar_type(prim)}, {b, core::scalar_type(prim)}};
  result.fn.results = {{{}, core::scalar_type(prim)}};
  result.fn.body = block([&] { return std::vector{builder().binop(op, prim, a, b)}; });
  result.neutral = {neutral};
  result.commutative = true;
  return result;
}

namespace {

core::Soac over_array(Code& code, const Operand& width, const Operand& array, Prim prim) {
  core::Soac soac;
  soac.width = width;
  soac.inputs = {name_of(array)};
  const Name x = code.fresh("x");
  soac.fn.params = {{x, core::scalar_type(prim)}};
  soac.fn.results = {{{}, core::scalar_type(prim)}};
  soac.fn.body = code.block([&] { return std::vector<Operand>{x}; });
  return soac;
}

}  // namespace

Operand Code::reduce(const Operand& width, const Operand& array, Prim prim, core::BinOpKind op,
                     const core::Const& neutral) {
  core::Soac soac = over_array(*this, width, array, prim);
  soac.reduces.push_back(op_lambda(prim, op, neutral));
  return builder().let1(core::scalar_type(prim), std::move(soac), "total");
}

Operand Code::scan(const Operand& width, const Operand& array, Prim prim, core::BinOpKind op,
                   const core::Const& neutral) {
  core::Soac soac = over_array(*this, width, array, prim);
  soac.scans.push_back(op_lambda(prim, op, neutral));
  soac.scans.back().commutative = false;
  return builder().let1(array_type(width, prim), std::move(soac), "sums");
}

Operand Code::combined(const Operand& size, const Operand& array, core::BinOpKind op,
                       const core::Const& neutral, const Operand& width, const Operand& indices,
                       const Operand& values) {
  core::Hist hist;
  hist.width = width;
  hist.inputs = {name_of(indices), name_of(values)};
  hist.ops.push_back(
      {{size}, {name_of(copy(array, Prim::kI64, size))}, op_lambda(Prim::kI64, op, neutral)});
  const Name index = fresh("i"), value = fresh("v");
  const core::Type number = core::scalar_type(Prim::kI64);
  hist.fn.params = {{index, number}, {value, number}};
  hist.fn.results = {{{}, number}, {{}, number}};
  hist.fn.body = block([&] { return std::vector<Operand>{index, value}; });
  return builder().let1(array_type(size, Prim::kI64), std::move(hist), "combined");
}

namespace {

// One operator does both: of two numbers of which one is below 0 the lesser one stays.
Operand sum_or_least(Code& code, const Operand& width, const Operand& numbers) {
  const core::Type i64 = core::scalar_type(Prim::kI64);
  const Name a = code.fresh("a"), b = code.fresh("b");
  core::Operator either;
  either.fn.params = {{a, i64}, {b, i64}};
  either.fn.results = {{{}, i64}};
  either.fn.body = code.block([&] {
    const Operand least = code.builder().binop(core::BinOpKind::kMin, Prim::kI64, a, b);
    const Operand sum = code.add(a, b);
    const Operand is_below = code.less(least, core::const_i64(0));
    return std::vector<Operand>{code.builder().let1(i64, core::Select{is_below, least, sum}, "t")};
  });
  either.neutral = {core::const_i64(0)};
  either.commutative = true;
  core::Soac soac = over_array(code, width, numbers, Prim::kI64);
  soac.reduces.push_back(std::move(either));
  return code.builder().let1(i64, std::move(soac), "total");
}

}  // namespace

std::pair<Operand, Operand> Code::offsets(const Operand& width, const Operand& lengths,
                                          Lengths which) {
  const Operand total = which == Lengths::kAny ? sum_or_least(*this, width, lengths)
                                               : reduce(width, lengths, Prim::kI64,
                                                        core::BinOpKind::kAdd, core::const_i64(0));
  const Operand ends = scan(width, lengths, Prim::kI64, core::BinOpKind::kAdd, core::const_i64(0));
  const Operand starts = map(width, {ends, lengths}, {Prim::kI64, Prim::kI64}, {Prim::kI64},
                             [&](const std::vector<Operand>& x) {
                               return std::vector{builder().size_sub(x[0], x[1])};
                             })[0];
  return {starts, total};
}

void Code::mark_mapped(const Operand& array) {
  if (const Name* name = core::as_name(array)) mapped_.insert(name->id);
}
bool Code::is_mapped(const Operand& array) const {
  const Name* name = core::as_name(array);
  return name != nullptr && mapped_.contains(name->id);
}

void Code::mark_length(const Operand& length) {
  if (const Name* name = core::as_name(length)) lengths_.insert(name->id);
}
bool Code::is_length(const Operand& number) const {
  const Name* name = core::as_name(number);
  return name != nullptr && lengths_.contains(name->id);
}

void Code::mark_dense(const Operand& starts) {
  dense_.insert(name_of(starts).id);
}
bool Code::is_dense(const Operand& starts) const {
  return dense_.contains(name_of(starts).id);
}

}  // namespace skald::nesl
