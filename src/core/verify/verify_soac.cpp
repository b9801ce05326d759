// SPDX-License-Identifier: Apache-2.0
// The typing rules of SOACs, accumulators and kernels, in the order of exp.h.
#include <algorithm>

#include "core/ir/sinks.h"
#include "core/verify/verifier.h"

namespace skald::core::detail {

namespace {

// A value for each iteration; accumulators are shared by all.
Type over(const std::vector<Operand>& dims, const Type& type) {
  return type.kind == Type::kArray ? array_of(dims, type) : type;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::optional<Verifier::Types> Verifier::row_types(const Operand& width,
                                                   const std::vector<Name>& inputs) {
  expect(width, Prim::kI64, "the width");
  Types rows;
  bool right = true;
  for (Name input : inputs) {
    const Type* type = type_of(input);
    if (type && type->kind == Type::kAcc) {
      rows.push_back(*type);
    } else if (type && type->is_array() && same_operand(type->shape[0], width)) {
      rows.push_back(row_type(*type));
    } else {
      right = false;
      if (type)
        problems_.add("the input {} has type {} and not {} rows", prog_.names.text(input),
                      text(*type), text(width));
    }
  }
  if (!right) return std::nullopt;
  return rows;
}

void Verifier::op(const Operator& op, const Types& types, std::string_view what, Neutral neutral) {
  Types both = types;
  append(both, types);
  lambda(op.fn, both, what);
  expect_no_names(op.fn.results);
  match(types_of(op.fn.results), types, fmt::format("results of {}", what));
  if (neutral == Neutral::kOptional && op.neutral.empty()) return;
  if (op.neutral.size() != types.size()) {
    problems_.add("{} neutral elements for {}, expected {}", op.neutral.size(), what, types.size());
    return;
  }
  for (size_t i = 0; i < types.size(); ++i) expect(op.neutral[i], types[i], "the neutral element");
}

std::optional<Verifier::Types> Verifier::exp(const Soac& e) {
  const auto rows = row_types(e.width, e.inputs);
  if (!rows) return std::nullopt;
  lambda(e.fn, *rows, "the function");
  expect_no_names(e.fn.results);
  const Types values = types_of(e.fn.results);

  size_t at = 0;
  const auto take = [&](const Operator& op) {
    Types some;
    for (size_t i = 0; i < op.neutral.size() && at < values.size(); ++i)
      some.push_back(values[at++]);
    return some;
  };
  Types rows_out, types;
  for (const Operator& scan : e.scans) {
    const Types scanned = take(scan);
    op(scan, scanned, "the scan operator");
    append(rows_out, scanned);
  }
  for (const Operator& reduce : e.reduces) {
    const Types reduced = take(reduce);
    op(reduce, reduced, "the reduction operator");
    append(types, reduced);
  }
  while (at < values.size()) rows_out.push_back(values[at++]);
  if (e.post.size() > 1) problems_.add("more than one post-body");
  for (const Lambda& post : e.post) {
    lambda(post, rows_out, "the post-body");
    expect_no_names(post.results);
    rows_out = types_of(post.results);
  }
  for (const Type& row : rows_out) {
    if (row.kind != Type::kArray && row.kind != Type::kAcc)
      problems_.add("a result of type {} in every iteration", text(row));
    types.push_back(over({e.width}, row));
  }
  return types;
}

std::optional<Verifier::Types> Verifier::dest_rows(const std::vector<Operand>& shape,
                                                   const std::vector<Name>& dests) {
  expect_i64(shape, "the size");
  Types rows;
  for (Name dest : dests) {
    const Type* type = array_type(dest);
    if (!type) return std::nullopt;
    const bool fits =
        type->shape.size() >= shape.size() &&
        same_shape(shape, {type->shape.begin(),
                           type->shape.begin() + static_cast<ptrdiff_t>(shape.size())});
    if (!fits) {
      problems_.add("the destination {} has type {}", prog_.names.text(dest), text(*type));
      return std::nullopt;
    }
    rows.push_back(row_type(*type, static_cast<int>(shape.size())));
  }
  return rows;
}

// A function that gives the indices of all destinations, then values for their rows.
void Verifier::writing_function(const Lambda& fn, const Types& rows, Types indices,
                                const Types& values) {
  lambda(fn, rows, "the function");
  expect_no_names(fn.results);
  append(indices, values);
  match(types_of(fn.results), indices, "indices and values");
}

std::optional<Verifier::Types> Verifier::exp(const Hist& e) {
  const auto rows = row_types(e.width, e.inputs);
  Types indices, values, types;
  bool right = rows.has_value();
  for (const HistOp& hist : e.ops) {
    const auto elems = dest_rows(hist.shape, hist.dests);
    right = right && elems;
    if (!elems) continue;
    op(hist.op, *elems, "the operator");
    indices.insert(indices.end(), hist.shape.size(), scalar_type(Prim::kI64));
    append(values, *elems);
    for (Name dest : hist.dests) types.push_back(*type_of(dest));
  }
  if (!right) return std::nullopt;
  writing_function(e.fn, *rows, std::move(indices), values);
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const Scatter& e) {
  const auto rows = row_types(e.width, e.inputs);
  Types indices, values, types;
  bool right = rows.has_value();
  for (const ScatterDest& dest : e.dests) {
    const auto elems = dest_rows(dest.shape, {dest.dest});
    right = right && elems;
    if (!elems) continue;
    indices.insert(indices.end(), dest.shape.size(), scalar_type(Prim::kI64));
    append(values, *elems);
    types.push_back(*type_of(dest.dest));
  }
  if (!right) return std::nullopt;
  writing_function(e.fn, *rows, std::move(indices), values);
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const Partition& e) {
  const auto rows = row_types(e.width, e.inputs);
  if (!rows) return std::nullopt;
  lambda(e.fn, *rows, "the function");
  expect_no_names(e.fn.results);
  if (e.classes < 1) problems_.add("{} classes", e.classes);
  const Types values = types_of(e.fn.results, 1);
  match(types_of(e.fn.results, 0, 1), {scalar_type(Prim::kI64)}, "the class");
  Types types(static_cast<size_t>(std::max(e.classes, 0)), scalar_type(Prim::kI64));
  for (int c = 0; c < e.classes; ++c) {
    for (const Type& value : values) {
      if (value.kind != Type::kArray) problems_.add("a row of type {}", text(value));
      types.push_back(over({pattern_name(static_cast<size_t>(c))}, value));
    }
  }
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const FlatMap& e) {
  const auto rows = row_types(e.width, e.inputs);
  if (!rows) return std::nullopt;
  lambda(e.fn, *rows, "the function");
  const std::vector<Ret>& rets = e.fn.results;
  if (e.data < 0 || rets.size() < static_cast<size_t>(e.data) + 1) {
    problems_.add("{} results are too few for {} data arrays", rets.size(), e.data);
    return std::nullopt;
  }
  match({rets[0].type}, {scalar_type(Prim::kI64)}, "the length");
  expect_no_names({rets.begin() + 1, rets.end()});
  const Operand total = pattern_name(0);
  Types types = {scalar_type(Prim::kI64), array_of(e.width, scalar_type(Prim::kI64)),
                 array_of(total, scalar_type(Prim::kBool)),
                 array_of(e.width, scalar_type(Prim::kI64))};
  for (size_t i = 1; i < rets.size(); ++i) {
    Type type = rets[i].type;
    if (i > static_cast<size_t>(e.data)) {
      types.push_back(over({e.width}, type));
    } else if (type.is_array() && rets[0].name && type.shape[0] == Operand{rets[0].name}) {
      type.shape[0] = total;
      types.push_back(std::move(type));
    } else {
      problems_.add("the data array of type {} does not have the length of result 0", text(type));
      return std::nullopt;
    }
  }
  return types;
}

// ---- accumulators

std::optional<Verifier::Types> Verifier::exp(const WithAcc& e) {
  Types accs, types;
  for (const AccInput& input : e.inputs) {
    const auto elems = dest_rows(input.shape, input.arrays);
    if (!elems) return std::nullopt;
    if (input.op.size() > 1) problems_.add("more than one operator");
    for (const Operator& combine : input.op)
      op(combine, *elems, "the operator", Neutral::kOptional);
    Type acc{Type::kAcc};
    acc.shape = input.shape;
    acc.acc_elems = *elems;
    accs.push_back(std::move(acc));
    for (Name array : input.arrays) types.push_back(*type_of(array));
  }
  lambda(e.fn, accs, "the function");
  expect_no_names(e.fn.results);
  match(types_of(e.fn.results, 0, accs.size()), accs, "the accumulators returned");
  append(types, types_of(e.fn.results, accs.size()));
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const UpdateAcc& e) {
  const Type* acc = type_of(e.acc);
  if (!acc) return std::nullopt;
  if (acc->kind != Type::kAcc) {
    problems_.add("{} is not an accumulator but {}", prog_.names.text(e.acc), text(*acc));
    return std::nullopt;
  }
  if (e.indices.size() != acc->shape.size() || e.values.size() != acc->acc_elems.size())
    problems_.add("{} indices and {} values for an accumulator of type {}", e.indices.size(),
                  e.values.size(), text(*acc));
  expect_i64(e.indices, "the index");
  for (size_t i = 0; i < e.values.size() && i < acc->acc_elems.size(); ++i)
    expect(e.values[i], acc->acc_elems[i], "the value");
  return Types{*acc};
}

// ---- kernels

// The types of what a sink gives for the values values[at …] of the thunk; moves `at` on.
Verifier::Types Verifier::sink_results(const Kernel& kernel, const Sink& sink, const Types& values,
                                       size_t& at) {
  Types mine;
  for (int i = 0; i < sink.count && at < values.size(); ++i) mine.push_back(values[at++]);
  const Domain& domain = kernel.domain;
  std::vector<Operand> points = domain.dims, rows = domain.dims;
  if (domain.kind == Domain::kSeg) points = {domain.dims[1]};
  if (!rows.empty()) rows.pop_back();

  const bool has_op =
      sink.kind == Sink::kReduce || sink.kind == Sink::kScan || sink.kind == Sink::kHist;
  if (sink.op.size() != (has_op ? 1 : 0))
    problems_.add("{} operators for a sink that takes {}", sink.op.size(), has_op ? 1 : 0);
  const bool has_dests = sink.kind == Sink::kScatter || sink.kind == Sink::kHist;
  if (!has_dests && (!sink.dests.empty() || !sink.shape.empty()))
    problems_.add("destinations for a sink that takes none");

  Types types;
  switch (sink.kind) {
    case Sink::kOut:
    case Sink::kScan:
      for (const Operator& combine : sink.op) op(combine, mine, "the scan operator");
      for (const Type& value : mine) types.push_back(over(points, value));
      break;
    case Sink::kReduce:
      for (const Operator& combine : sink.op) op(combine, mine, "the reduction operator");
      for (const Type& value : mine) types.push_back(over(rows, value));
      break;
    case Sink::kPartition:
      if (domain.kind != Domain::kFlat) problems_.add("partition on a domain that is not flat");
      if (sink.classes < 1) problems_.add("{} classes", sink.classes);
      // Filled in by the caller, who knows where in the pattern we are.
      types = mine;
      break;
    case Sink::kScatter:
    case Sink::kHist: {
      if (sink.kind == Sink::kScatter && sink.dests.size() != 1)
        problems_.add("{} destinations of a scatter", sink.dests.size());
      auto elems = dest_rows(sink.shape, sink.dests);
      if (!elems) break;
      Types expected(sink.shape.size(), scalar_type(Prim::kI64));
      if (writes_rows(sink)) {
        // The length of the rows is itself a value.
        if (at < 2 || at > kernel.pull.results.size()) {
          problems_.add("{} values for a sink that writes rows", mine.size());
          break;
        }
        const Operand length = kernel.pull.results[at - 2].name;
        expected.push_back(scalar_type(Prim::kI64));
        for (Type& elem : *elems) {
          elem = array_of(length, elem);
          elem.space = kernel.space;
        }
      }
      append(expected, *elems);
      if (sink.kind == Sink::kHist) {
        const Types once = expected;
        for (size_t k = 1; k < writes_of_point(sink); ++k) append(expected, once);
      }
      match(mine, expected, "indices and values");
      for (const Operator& combine : sink.op) op(combine, *elems, "the operator");
      for (Name dest : sink.dests) types.push_back(*type_of(dest));
      break;
    }
  }
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const Kernel& e) {
  const std::optional<Space> outside = kernel_space_;
  if (outside && *outside != e.space)
    problems_.add("a kernel on {} inside one on {}", space_name(e.space), space_name(*outside));
  kernel_space_ = e.space;
  std::optional<Types> types = kernel_results(e);
  kernel_space_ = outside;
  if (!types) return types;
  for (Type& type : *types)
    if (type.is_array()) type.space = e.space;
  return types;
}

std::optional<Verifier::Types> Verifier::kernel_results(const Kernel& e) {
  const int depth = kernel_depth_;
  if (depth > 1) problems_.add("a kernel inside a kernel that is not its thunk's");
  const Domain& domain = e.domain;
  expect_i64(domain.dims, "the size");
  const bool is_seg = domain.kind == Domain::kSeg;
  const size_t expected_dims = domain.kind == Domain::kFlat ? 1 : is_seg ? 2 : domain.dims.size();
  if (domain.dims.size() != expected_dims || domain.dims.empty() ||
      domain.offsets.size() != (is_seg ? 1 : 0)) {
    problems_.add("the domain has {} dimensions and {} arrays of offsets", domain.dims.size(),
                  domain.offsets.size());
    return std::nullopt;
  }
  for (Name offsets : domain.offsets) {
    const Type* type = array_type(offsets);
    if (type && (type->rank() != 1 || type->elem != Prim::kI64))
      problems_.add("the offsets have type {}", text(*type));
  }

  if (holds_kernels(e)) {
    if (e.guarded || !e.post.empty() || domain.kind == Domain::kSeg ||
        std::ranges::any_of(e.sinks, [](const Sink& s) { return s.kind != Sink::kOut; }))
      problems_.add("a kernel that holds kernels and is no plain map");
  }
  if (depth > 0 && domain.kind == Domain::kSeg) problems_.add("segments inside a kernel");
  kernel_depth_ = depth + 1;
  lambda(e.pull, Types(is_seg ? 3 : domain.dims.size(), scalar_type(Prim::kI64)), "the thunk");
  // Operators and post-bodies hold none.
  kernel_depth_ = 2;
  const bool rows = std::ranges::any_of(e.sinks, writes_rows);
  if (!rows) expect_no_names(e.pull.results);
  const Types values = types_of(e.pull.results);
  size_t at = 0;
  if (e.guarded) {
    match(types_of(e.pull.results, 0, 1), {scalar_type(Prim::kBool)}, "the guard");
    at = 1;
  }
  // With a post-body, the scanned values and those for kOut go through it, and its outputs come
  // after the results of the other sinks.
  // Late sinks take the first values that it gives.
  Types types, to_post, from_post;
  for (const Lambda& post : e.post) from_post = types_of(post.results);
  size_t late_at = 0;
  for (const Sink& sink : e.sinks) {
    const size_t begin = at;
    if (sink.late) {
      if (e.post.empty() || sink.kind == Sink::kOut || sink.kind == Sink::kScan)
        problems_.add("a late sink needs a post-body and is neither out nor scan");
      if (late_at + static_cast<size_t>(std::max(sink.count, 0)) > from_post.size())
        problems_.add("the post-body gives too few values for the late sinks");
    }
    Types of_sink = sink_results(e, sink, sink.late ? from_post : values, sink.late ? late_at : at);
    if (sink.kind == Sink::kPartition) {
      const size_t first = types.size();
      const auto classes = static_cast<size_t>(std::max(sink.classes, 0));
      types.insert(types.end(), classes, scalar_type(Prim::kI64));
      for (size_t c = 0; c < classes; ++c)
        for (size_t i = 1; i < of_sink.size(); ++i)
          types.push_back(over({pattern_name(first + c)}, of_sink[i]));
    } else if (!e.post.empty() && (sink.kind == Sink::kScan || sink.kind == Sink::kOut)) {
      to_post.insert(to_post.end(), values.begin() + static_cast<ptrdiff_t>(begin),
                     values.begin() + static_cast<ptrdiff_t>(at));
    } else {
      append(types, of_sink);
    }
  }
  if (at != values.size()) problems_.add("{} values, but the sinks take {}", values.size(), at);
  if (e.post.size() > 1) problems_.add("more than one post-body");
  for (const Lambda& post : e.post) {
    lambda(post, to_post, "the post-body");
    expect_no_names(post.results);
    const std::vector<Operand> points = is_seg ? std::vector{domain.dims[1]} : domain.dims;
    for (size_t k = late_at; k < from_post.size(); ++k) types.push_back(over(points, from_post[k]));
  }
  kernel_depth_ = depth;
  return types;
}

}  // namespace skald::core::detail
