// SPDX-License-Identifier: Apache-2.0
// Combinators, from the first row to the last.
#include "core/ir/visit.h"
#include "core/traced/traced.h"

namespace skald::core::traced {

namespace {

template <class T>
std::vector<T> part_of(const std::vector<T>& list, size_t begin, size_t count) {
  return {list.begin() + static_cast<ptrdiff_t>(begin),
          list.begin() + static_cast<ptrdiff_t>(begin + count)};
}

// Rows of results, one list for each.
using Columns = std::vector<Vals>;

void append_rows(Columns& columns, const Vals& rows) {
  if (columns.empty()) columns.resize(rows.size());
  for (size_t k = 0; k < rows.size(); ++k) columns[k].push_back(rows[k]);
}

// Where a row of the outer dimensions begins; nothing if it is out of bounds.
std::optional<int64_t> place_of(const Vals& indices, const std::vector<int64_t>& shape) {
  int64_t place = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    const int64_t i = int_value(indices[d].num().value);
    if (i < 0 || i >= shape[d]) return std::nullopt;
    place = place * shape[d] + i;
  }
  return place;
}

Val element_at(const Val& array, int64_t place, size_t dims) {
  Val part{part_of(array.shape, dims, array.shape.size() - dims),
           std::make_shared<std::vector<Num>>()};
  int64_t n = 1;
  for (const int64_t dim : part.shape) n *= dim;
  part.data->assign(array.data->begin() + place * n, array.data->begin() + (place + 1) * n);
  return part;
}

void put_at(Val& array, int64_t place, const Val& part) {
  std::copy(part.data->begin(), part.data->end(), array.data->begin() + place * part.count());
}

Val own(const Val& array) {
  return {array.shape, std::make_shared<std::vector<Num>>(*array.data)};
}

Vals joined(Vals a, const Vals& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

Vals Machine::soac(const Soac& e, Env& env) {
  const int64_t width = size(e.width, env);
  std::vector<Vals> scans, reduces;
  const auto neutrals = [&](const std::vector<Operator>& ops, std::vector<Vals>& to) {
    for (const Operator& op : ops) {
      to.emplace_back();
      for (const Operand& neutral : op.neutral) to.back().push_back(value(neutral, env));
    }
  };
  neutrals(e.scans, scans);
  neutrals(e.reduces, reduces);
  const std::vector<Ret>& last = e.post.empty() ? e.fn.results : e.post[0].results;
  Columns columns;
  for (int64_t i = 0; i < width; ++i) {
    const Vals given = apply(e.fn, rows(e.inputs, i, env), env);
    size_t at = 0;
    Vals outputs;
    const auto fold = [&](const Operator& op, Vals& so_far) {
      const size_t n = op.neutral.size();
      so_far = apply(op.fn, joined(so_far, part_of(given, at, n)), env);
      at += n;
    };
    for (size_t k = 0; k < e.scans.size(); ++k) {
      fold(e.scans[k], scans[k]);
      outputs = joined(std::move(outputs), scans[k]);
    }
    for (size_t k = 0; k < e.reduces.size(); ++k) fold(e.reduces[k], reduces[k]);
    outputs = joined(std::move(outputs), part_of(given, at, given.size() - at));
    if (!e.post.empty()) outputs = apply(e.post[0], outputs, env);
    append_rows(columns, outputs);
  }
  Vals results;
  size_t reduced = 0, scanned = 0;
  for (const Vals& r : reduces) {
    results = joined(std::move(results), r);
    reduced += r.size();
  }
  for (const Vals& s : scans) scanned += s.size();
  // The types of outputs: those of scans, then those behind the inputs of reductions.
  std::vector<Type> types;
  for (size_t k = 0; k < last.size(); ++k)
    if (!e.post.empty() || k < scanned || k >= scanned + reduced) types.push_back(last[k].type);
  size_t next_acc = 0;
  for (size_t k = 0; k < types.size(); ++k) {
    if (types[k].kind == Type::kAcc) {
      while (e.fn.params[next_acc].type.kind != Type::kAcc) ++next_acc;
      results.push_back(env.at(e.inputs[next_acc++]));
      continue;
    }
    std::vector<int64_t> shape;
    for (const Operand& dim : types[k].shape) shape.push_back(size(dim, env));
    results.push_back(array_of_rows(columns.empty() ? Vals{} : columns[k], shape));
  }
  return results;
}

Vals Machine::hist(const Hist& e, Env& env) {
  const int64_t width = size(e.width, env);
  std::vector<Vals> dests;
  size_t places_count = 0;
  for (const HistOp& op : e.ops) {
    dests.emplace_back();
    for (const Name dest : op.dests) dests.back().push_back(own(env.at(dest)));
    places_count += op.shape.size();
  }
  for (int64_t i = 0; i < width; ++i) {
    const Vals given = apply(e.fn, rows(e.inputs, i, env), env);
    size_t at = 0, value_at = places_count;
    for (size_t k = 0; k < e.ops.size(); ++k) {
      const size_t d = e.ops[k].shape.size(), n = e.ops[k].dests.size();
      std::vector<int64_t> shape;
      for (const Operand& dim : e.ops[k].shape) shape.push_back(size(dim, env));
      const auto place = place_of(part_of(given, at, d), shape);
      const Vals values = part_of(given, value_at, n);
      at += d;
      value_at += n;
      if (!place) continue;
      Vals old;
      for (const Val& dest : dests[k]) old.push_back(element_at(dest, *place, d));
      const Vals made = apply(e.ops[k].op.fn, joined(old, values), env);
      for (size_t j = 0; j < n; ++j) put_at(dests[k][j], *place, made[j]);
    }
  }
  Vals results;
  for (const Vals& some : dests) results = joined(std::move(results), some);
  return results;
}

Vals Machine::scatter(const Scatter& e, Env& env) {
  const int64_t width = size(e.width, env);
  Vals dests;
  size_t places_count = 0;
  for (const ScatterDest& dest : e.dests) {
    dests.push_back(own(env.at(dest.dest)));
    places_count += dest.shape.size();
  }
  for (int64_t i = 0; i < width; ++i) {
    const Vals given = apply(e.fn, rows(e.inputs, i, env), env);
    size_t at = 0;
    for (size_t k = 0; k < e.dests.size(); ++k) {
      std::vector<int64_t> shape;
      for (const Operand& dim : e.dests[k].shape) shape.push_back(size(dim, env));
      const auto place = place_of(part_of(given, at, shape.size()), shape);
      at += shape.size();
      if (place) put_at(dests[k], *place, given[places_count + k]);
    }
  }
  return dests;
}

Vals Machine::partition(const Partition& e, Env& env) {
  const int64_t width = size(e.width, env);
  const auto classes = static_cast<size_t>(e.classes);
  std::vector<Columns> parts(classes, Columns(e.fn.results.size() - 1));
  for (int64_t i = 0; i < width; ++i) {
    const Vals given = apply(e.fn, rows(e.inputs, i, env), env);
    const int64_t c = int_value(given[0].num().value);
    if (c < 0 || c >= e.classes) continue;
    append_rows(parts[static_cast<size_t>(c)], part_of(given, 1, given.size() - 1));
  }
  Vals results;
  for (size_t c = 0; c < classes; ++c)
    results.push_back(
        number({const_i64(parts[c].empty() ? 0 : static_cast<int64_t>(parts[c][0].size()))}));
  for (size_t c = 0; c < classes; ++c)
    for (size_t k = 0; k < parts[c].size(); ++k) {
      std::vector<int64_t> shape;
      for (const Operand& dim : e.fn.results[1 + k].type.shape) shape.push_back(size(dim, env));
      results.push_back(array_of_rows(parts[c][k], shape));
    }
  return results;
}

Vals Machine::flatmap(const FlatMap& e, Env& env) {
  const int64_t width = size(e.width, env);
  const auto data = static_cast<size_t>(e.data);
  const size_t count = e.fn.results.size() - 1;
  Vals lengths, flags, offsets;
  Columns columns(count);
  int64_t total = 0;
  for (int64_t i = 0; i < width; ++i) {
    const Vals given = apply(e.fn, rows(e.inputs, i, env), env);
    const int64_t length = int_value(given[0].num().value);
    lengths.push_back(number({const_i64(length)}));
    offsets.push_back(number({const_i64(total)}));
    for (int64_t k = 0; k < length; ++k) flags.push_back(number({const_bool(k == 0)}));
    total += length;
    for (size_t k = 0; k < count; ++k) {
      if (k >= data) {
        columns[k].push_back(given[1 + k]);
        continue;
      }
      for (int64_t r = 0; r < length; ++r) columns[k].push_back(row_of(given[1 + k], r));
    }
  }
  Vals results = {number({const_i64(total)}), array_of_rows(lengths, {}), array_of_rows(flags, {}),
                  array_of_rows(offsets, {})};
  for (size_t k = 0; k < count; ++k) {
    std::vector<int64_t> shape;
    const std::vector<Operand>& dims = e.fn.results[1 + k].type.shape;
    for (size_t d = k < data ? 1 : 0; d < dims.size(); ++d) shape.push_back(size(dims[d], env));
    results.push_back(array_of_rows(columns[k], shape));
  }
  return results;
}

Vals Machine::with_acc(const WithAcc& e, Env& env) {
  Vals accs;
  for (const AccInput& input : e.inputs) {
    Val acc;
    acc.acc_input = &input;
    for (const Name array : input.arrays)
      acc.acc.push_back(std::make_shared<Val>(own(env.at(array))));
    accs.push_back(std::move(acc));
  }
  const Vals given = apply(e.fn, accs, env);
  Vals results;
  for (const Val& acc : accs)
    for (const auto& array : acc.acc) results.push_back(*array);
  return joined(std::move(results), part_of(given, accs.size(), given.size() - accs.size()));
}

Val Machine::update_acc(const UpdateAcc& e, Env& env) {
  const Val acc = env.at(e.acc);
  const AccInput& input = *acc.acc_input;
  Vals indices, values, old;
  for (const Operand& index : e.indices) indices.push_back(value(index, env));
  for (const Operand& v : e.values) values.push_back(value(v, env));
  const size_t d = input.shape.size();
  const auto place = place_of(indices, part_of(acc.acc[0]->shape, 0, d));
  if (!place) return acc;
  if (!input.op.empty()) {
    for (const auto& array : acc.acc) old.push_back(element_at(*array, *place, d));
    values = apply(input.op[0].fn, joined(old, values), env);
  }
  for (size_t k = 0; k < values.size(); ++k) put_at(*acc.acc[k], *place, values[k]);
  return acc;
}

}  // namespace skald::core::traced
