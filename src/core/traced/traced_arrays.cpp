// SPDX-License-Identifier: Apache-2.0
// Operations that move numbers.
#include <numeric>

#include "core/ir/visit.h"
#include "core/scalar/scalar.h"
#include "core/traced/traced.h"

namespace skald::core::traced {

namespace {

int64_t product(const std::vector<int64_t>& shape) {
  int64_t n = 1;
  for (const int64_t dim : shape) n *= dim;
  return n;
}

Val filled(std::vector<int64_t> shape, const Num& x) {
  const int64_t n = product(shape);
  if (n < 0 || n > 10'000'000) throw Stop{"an array is too large"};
  return {std::move(shape), std::make_shared<std::vector<Num>>(static_cast<size_t>(n), x)};
}

// Calls f(indices) for all indices of a shape, in row-major order.
template <class F>
void for_each_index(const std::vector<int64_t>& shape, const F& f) {
  std::vector<int64_t> at(shape.size());
  for (int64_t n = product(shape); n > 0; --n) {
    f(at);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

}  // namespace

std::vector<int64_t> Machine::places(const Val& array, const std::vector<DimSlice>& slice,
                                     std::vector<int64_t>& shape, const Env& env) const {
  struct Dim {
    int64_t start, count, stride;
  };
  std::vector<Dim> dims;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    if (d >= slice.size()) {
      dims.push_back({0, array.shape[d], 1});
      shape.push_back(array.shape[d]);
    } else if (slice[d].is_index) {
      dims.push_back({size(slice[d].start, env), 1, 1});
    } else {
      dims.push_back(
          {size(slice[d].start, env), size(slice[d].count, env), size(slice[d].stride, env)});
      shape.push_back(dims.back().count);
    }
  }
  std::vector<int64_t> counts, found;
  for (const Dim& dim : dims) counts.push_back(dim.count);
  for_each_index(counts, [&](const std::vector<int64_t>& at) {
    int64_t place = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t i = dims[d].start + at[d] * dims[d].stride;
      if (i < 0 || i >= array.shape[d]) throw Stop{"an index is out of bounds"};
      place = place * array.shape[d] + i;
    }
    found.push_back(place);
  });
  return found;
}

Val Machine::index(const Index& e, Env& env) {
  const Val array = env.at(e.array);
  Val part;
  part.data = std::make_shared<std::vector<Num>>();
  for (const int64_t place : places(array, e.slice, part.shape, env))
    part.data->push_back((*array.data)[static_cast<size_t>(place)]);
  return part;
}

Val Machine::update(const Update& e, Env& env) {
  const Val array = env.at(e.array), part = value(e.value, env);
  Val changed{array.shape, std::make_shared<std::vector<Num>>(*array.data)};
  std::vector<int64_t> shape;
  size_t k = 0;
  for (const int64_t place : places(array, e.slice, shape, env))
    (*changed.data)[static_cast<size_t>(place)] = (*part.data)[k++];
  return changed;
}

Val Machine::flat(const FlatIndex& e, Env& env) {
  const Val array = env.at(e.array);
  Val part;
  part.data = std::make_shared<std::vector<Num>>();
  std::vector<int64_t> strides;
  for (const FlatDim& dim : e.dims) {
    part.shape.push_back(size(dim.count, env));
    strides.push_back(size(dim.stride, env));
  }
  for_each_index(part.shape, [&](const std::vector<int64_t>& at) {
    const int64_t place =
        std::inner_product(at.begin(), at.end(), strides.begin(), size(e.offset, env));
    if (place < 0 || place >= array.count()) throw Stop{"an index is out of bounds"};
    part.data->push_back((*array.data)[static_cast<size_t>(place)]);
  });
  return part;
}

Val Machine::flat_update(const FlatUpdate& e, Env& env) {
  const Val array = env.at(e.array), part = env.at(e.value);
  Val changed{array.shape, std::make_shared<std::vector<Num>>(*array.data)};
  std::vector<int64_t> strides;
  for (const FlatDim& dim : e.dims) strides.push_back(size(dim.stride, env));
  size_t k = 0;
  for_each_index(part.shape, [&](const std::vector<int64_t>& at) {
    const int64_t place =
        std::inner_product(at.begin(), at.end(), strides.begin(), size(e.offset, env));
    if (place < 0 || place >= array.count()) throw Stop{"an index is out of bounds"};
    (*changed.data)[static_cast<size_t>(place)] = (*part.data)[k++];
  });
  return changed;
}

Val Machine::concat(const Concat& e, Env& env) {
  const auto dim = static_cast<size_t>(e.dim);
  Vals parts;
  int64_t total = 0;
  for (const Name name : e.arrays) {
    parts.push_back(env.at(name));
    total += parts.back().shape[dim];
  }
  std::vector<int64_t> shape = parts[0].shape;
  const int64_t outer = product({shape.begin(), shape.begin() + e.dim});
  shape[dim] = total;
  Val joined{shape, std::make_shared<std::vector<Num>>()};
  for (int64_t k = 0; k < outer; ++k)
    for (const Val& part : parts) {
      const int64_t n = part.count() / outer;
      joined.data->insert(joined.data->end(), part.data->begin() + k * n,
                          part.data->begin() + (k + 1) * n);
    }
  return joined;
}

std::optional<Val> Machine::array(const Stmt& stmt, Env& env) {
  const Exp& exp = stmt.exp;
  const auto sizes = [&](const std::vector<Operand>& operands) {
    std::vector<int64_t> found;
    for (const Operand& o : operands) found.push_back(size(o, env));
    return found;
  };
  if (const auto* e = as<Copy>(exp)) return env.at(e->array);
  if (const auto* e = as<Index>(exp)) return index(*e, env);
  if (const auto* e = as<Update>(exp)) return update(*e, env);
  if (const auto* e = as<FlatIndex>(exp)) return flat(*e, env);
  if (const auto* e = as<FlatUpdate>(exp)) return flat_update(*e, env);
  if (const auto* e = as<Concat>(exp)) return concat(*e, env);
  if (const auto* e = as<Scratch>(exp)) return filled(sizes(e->shape), {{e->elem, 0}});
  if (const auto* e = as<Reshape>(exp)) {
    const Val array = env.at(e->array);
    const std::vector<int64_t> shape = sizes(e->shape);
    if (product(shape) != array.count()) throw Stop{"a shape does not fit"};
    return Val{shape, array.data};
  }
  if (const auto* e = as<ArrayLit>(exp)) {
    Vals rows;
    for (const Operand& elem : e->elems) rows.push_back(value(elem, env));
    return array_of_rows(rows, sizes(e->row.shape));
  }
  if (const auto* e = as<Replicate>(exp)) {
    const Val v = value(e->value, env);
    std::vector<int64_t> shape = sizes(e->shape);
    const Val counts = filled(shape, {});
    Val made{shape, std::make_shared<std::vector<Num>>()};
    made.shape.insert(made.shape.end(), v.shape.begin(), v.shape.end());
    for (int64_t k = 0; k < counts.count(); ++k)
      made.data->insert(made.data->end(), v.data->begin(), v.data->end());
    return made;
  }
  if (const auto* e = as<Iota>(exp)) {
    const Num start = value(e->start, env).num(), step = value(e->step, env).num();
    const Num length = value(e->count, env).num();
    Val made = filled({size(e->count, env)}, {});
    for (int64_t i = 0; i < made.count(); ++i) {
      const Num at = tape_.bin(BinOpKind::kMul, e->type, {const_int(e->type, i)}, step);
      (*made.data)[static_cast<size_t>(i)] =
          tape_.counted(tape_.bin(BinOpKind::kAdd, e->type, start, at), length);
    }
    return made;
  }
  if (const auto* e = as<Rearrange>(exp)) {
    const Val array = env.at(e->array);
    Val made{{}, std::make_shared<std::vector<Num>>()};
    for (const int d : e->perm) made.shape.push_back(array.shape[static_cast<size_t>(d)]);
    for_each_index(made.shape, [&](const std::vector<int64_t>& at) {
      std::vector<int64_t> from(at.size());
      for (size_t d = 0; d < at.size(); ++d) from[static_cast<size_t>(e->perm[d])] = at[d];
      int64_t place = 0;
      for (size_t d = 0; d < from.size(); ++d) place = place * array.shape[d] + from[d];
      made.data->push_back((*array.data)[static_cast<size_t>(place)]);
    });
    return made;
  }
  return std::nullopt;
}

}  // namespace skald::core::traced
