// SPDX-License-Identifier: Apache-2.0
// Maps in reverse mode.
//
//   ys = map (\x -> f(x, c, as)) xs
//
//   xs̄, c̄, ās = map over xs and ȳs: run f again, then its rules.  Each row gives
//     the cotangent of its x                          an array
//     its contribution to c, a scalar from outside    added up by a reduction
//     writes to an accumulator for as, an array from outside
//
// If xs has an accumulator already, because a map around reads it, and a row uses only a part of
// its x, then the row writes that part and no zeros.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

namespace {

// What a cotangent consists of if it is a single part of an array of zeros.
const Update* only_part(const Operand& bar, const std::vector<Stmt>& stmts) {
  const auto defined = [&](const Operand& name) {
    const auto at = std::ranges::find_if(
        stmts, [&](const Stmt& stmt) { return Operand(stmt.pat[0].name) == name; });
    return at == stmts.end() ? nullptr : &at->exp;
  };
  const Exp* exp = defined(bar);
  const Update* update = exp == nullptr ? nullptr : as<Update>(*exp);
  const Exp* start = update == nullptr ? nullptr : defined(Operand(update->array));
  const Replicate* zeros = start == nullptr ? nullptr : as<Replicate>(*start);
  const Const* value = zeros == nullptr ? nullptr : as_const(zeros->value);
  return value != nullptr && value->bits == 0 ? update : nullptr;
}

Name numbers_below(const Operand& width, Emit& out) {
  const Type type = array_of(width, scalar_type(Prim::kI64));
  return out.let1(type, Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "numbers");
}

Soac with_inputs(Soac soac, const std::vector<AccArray>& arrays, const std::vector<Name>& accs) {
  for (size_t k = 0; k < accs.size(); ++k) soac.inputs[arrays[k].input] = accs[k];
  return soac;
}

}  // namespace

void Reverse::map(Stmt& stmt, Soac& e, Emit& out) {
  RowRule rule{.width = e.width};
  // Accumulators: what was written to them has the cotangents of the arrays they become.
  std::vector<Name> accs;
  for (size_t k = 0; k < e.inputs.size(); ++k) {
    if (e.fn.params[k].type.kind == Type::kAcc) {
      accs.push_back(e.inputs[k]);
      continue;
    }
    rule.inputs.push_back(e.inputs[k]);
    rule.fn.params.push_back(e.fn.params[k]);
  }
  rule.rows = rule.inputs.size();
  size_t next_acc = 0;
  Seeds seeds;
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    const Param& p = stmt.pat[k];
    seeds.emplace_back();
    if (p.type.kind == Type::kAcc) {
      const Name input = accs[next_acc++];
      const auto source = acc_sources_.find(p.name);
      if (source == acc_sources_.end()) continue;
      const std::vector<Operand> arrays = source->second;
      acc_sources_.insert_or_assign(input, arrays);
      acc_sources_.insert_or_assign(std::get<Name>(e.fn.body.result[k]), arrays);
      continue;
    }
    const auto bar = find(p.name);
    if (!bar) continue;
    const Name row = out.fresh("bar");
    rule.inputs.push_back(std::get<Name>(*bar));
    rule.fn.params.push_back({.name = row, .type = e.fn.results[k].type});
    session_.types.insert_or_assign(row, e.fn.results[k].type);
    seeds.back() = row;
  }
  rule.fn.body = std::move(e.fn.body);
  rule.seeds = [&](Emit&) { return seeds; };
  map_rows(std::move(rule), stmt.tokens, out);
}

Reverse::FreeArray Reverse::free_array(Name name, Emit& out) {
  const auto found = adjoints_.find(name);
  const bool is_acc = found != adjoints_.end() && found->second.is_acc;
  FreeArray a{name, out.fresh("acc"), acc_for(session_.type_of(name)), is_acc};
  if (is_acc) a.acc = session_.type_of(found->second.value);
  session_.types.insert_or_assign(a.param, a.acc);
  return a;
}

std::vector<Reverse::PartOfRow> Reverse::parts_of_rows(const RowRule& rule,
                                                       const NameMap<Adjoint>& outer, Emit& in) {
  std::vector<PartOfRow> parts;
  for (size_t k = 0; k < rule.rows; ++k) {
    const Name input = rule.inputs[k];
    const auto whole_array = outer.find(input);
    const auto bar = find(rule.fn.params[k].name);
    if (!bar || !active(input) || whole_array == outer.end() || !whole_array->second.is_acc ||
        adjoints_.contains(input) || std::ranges::count(rule.inputs, input) != 1)
      continue;
    const Update* update = only_part(*bar, in.b().stmts());
    if (update == nullptr) continue;
    PartOfRow part{.input = input, .acc = in.fresh("acc"), .at = in.fresh("i")};
    part.type = session_.type_of(whole_array->second.value);
    session_.types.insert_or_assign(part.acc, part.type);
    session_.types.insert_or_assign(part.at, scalar_type(Prim::kI64));
    std::vector<DimSlice> slice = update->slice;
    slice.insert(slice.begin(), at_index(part.at));
    const Operand value = update->value;
    part.written = add_to_acc(part.acc, session_.type_of(input), slice, value, in);
    parts.push_back(part);
  }
  return parts;
}

void Reverse::map_rows(RowRule rule, const std::vector<Name>& tokens, Emit& out) {
  std::vector<FreeArray> arrays;
  std::vector<Name> scalars;
  NameMap<Adjoint> inner;
  for (const Name name : active_free(free_names(rule.fn))) {
    if (session_.type_of(name).is_scalar()) {
      scalars.push_back(name);
      continue;
    }
    arrays.push_back(free_array(name, out));
    inner.insert_or_assign(name, Adjoint{arrays.back().param, true, true});
  }
  NameMap<Adjoint> outer = std::exchange(adjoints_, std::move(inner));
  Emit in(session_, out.loc());
  run(rule.fn.body, rule.seeds, in);

  Soac soac;
  soac.width = rule.width;
  soac.inputs = rule.inputs;
  soac.fn.params = rule.fn.params;
  std::vector<Operand> results;
  std::vector<Type> types;
  const auto give = [&](const Operand& result, const Type& each, const Type& whole_type) {
    results.push_back(result);
    soac.fn.results.push_back({.type = each});
    types.push_back(whole_type);
  };
  std::erase_if(scalars, [&](Name name) { return !find(name); });
  for (const Name name : scalars) {
    const Type type = session_.type_of(name);
    give(*find(name), type, type);
    soac.reduces.push_back({addition(session_, {type}), {Operand(Const{type.elem, 0})}, true});
  }
  std::erase_if(arrays, [&](const FreeArray& a) { return *find(a.name) == Operand(a.param); });
  for (const FreeArray& a : arrays) {
    soac.fn.params.push_back({.name = a.param, .type = a.acc});
    give(*find(a.name), a.acc, a.acc);
  }
  const std::vector<PartOfRow> parts = parts_of_rows(rule, outer, in);
  for (const PartOfRow& part : parts) {
    soac.fn.params.push_back({.name = part.acc, .type = part.type});
    soac.fn.params.push_back({.name = part.at, .type = scalar_type(Prim::kI64)});
    give(part.written, part.type, part.type);
  }
  std::vector<Name> inputs;
  for (size_t k = 0; k < rule.rows; ++k) {
    const auto bar = find(rule.fn.params[k].name);
    if (!bar || !active(rule.inputs[k])) continue;
    if (std::ranges::find(parts, rule.inputs[k], &PartOfRow::input) != parts.end()) continue;
    inputs.push_back(rule.inputs[k]);
    const Type& type = rule.fn.params[k].type;
    give(*bar, type, array_of(rule.width, type));
  }
  soac.fn.body = in.finish(std::move(results));
  adjoints_ = std::move(outer);
  if (types.empty()) return;
  std::vector<AccArray> wrapped;  // become accumulators around the map
  for (size_t k = 0; k < arrays.size(); ++k) {
    const FreeArray& a = arrays[k];
    if (a.is_acc) {
      soac.inputs.push_back(std::get<Name>(*find(a.name)));
      continue;
    }
    wrapped.push_back({own_array(a.name, out), a.acc, scalars.size() + k, soac.inputs.size()});
    soac.inputs.emplace_back();
  }
  for (const PartOfRow& part : parts) {
    soac.inputs.push_back(std::get<Name>(*find(part.input)));
    soac.inputs.push_back(numbers_below(rule.width, out));
  }
  const auto map = [&](auto& accs) { return Exp(with_inputs(std::move(soac), wrapped, accs)); };
  const std::vector<Name> made = inside_with_acc(wrapped, types, tokens, out, map);
  size_t at = 0;
  for (const Name name : scalars) add(name, made[at++], out);
  for (const FreeArray& a : arrays)
    adjoints_.insert_or_assign(a.name, Adjoint{made[at++], true, a.is_acc});
  for (const PartOfRow& part : parts)
    adjoints_.insert_or_assign(part.input, Adjoint{made[at++], true, true});
  for (const Name input : inputs) add(input, made[at++], out, Own::kYes);
}

}  // namespace skald::passes::ad
