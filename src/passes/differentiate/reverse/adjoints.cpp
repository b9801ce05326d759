// SPDX-License-Identifier: Apache-2.0
// Cotangents of names: adding contributions, in place where nobody else looks.
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/cotangents.h"

namespace skald::passes::ad {

namespace {

// Where the dimensions of a slice are in the array.
struct Nest {
  std::vector<DimSlice> dims;  // all
  std::vector<Operand> indices;
};

Name accumulate(Nest nest, Name acc, const Operand& value, Emit& out) {
  Session& session = out.session();
  while (nest.indices.size() < nest.dims.size() && nest.dims[nest.indices.size()].is_index)
    nest.indices.push_back(nest.dims[nest.indices.size()].start);
  const Type acc_type = session.type_of(acc);
  if (nest.indices.size() == nest.dims.size())
    return out.let1(acc_type, UpdateAcc{acc, nest.indices, {value}}, "acc");
  const DimSlice dim = nest.dims[nest.indices.size()];
  const Name values = std::get<Name>(value);
  const Type type = session.type_of(values);
  const Type numbers = array_of(type.shape[0], scalar_type(Prim::kI64));
  Soac soac;
  soac.width = type.shape[0];
  soac.inputs = {
      acc, values,
      out.let1(numbers, Iota{Prim::kI64, type.shape[0], const_i64(0), const_i64(1)}, "numbers")};
  const Name inner = out.fresh("acc"), row = out.fresh("x"), at = out.fresh("i");
  soac.fn.params = {{.name = inner, .type = acc_type},
                    {.name = row, .type = row_type(type)},
                    {.name = at, .type = scalar_type(Prim::kI64)}};
  session.learn(soac.fn.params);
  Emit in(session, out.loc());
  const Operand offset = in.bin(BinOpKind::kMul, Prim::kI64, at, dim.stride);
  nest.indices.push_back(in.bin(BinOpKind::kAdd, Prim::kI64, dim.start, offset));
  const Name result = accumulate(std::move(nest), inner, row, in);
  soac.fn.results = {{.type = acc_type}};
  soac.fn.body = in.finish({result});
  return out.let1(acc_type, std::move(soac), "acc");
}

}  // namespace

Name Cotangents::add_to_acc(Name acc, const Type& array, const std::vector<DimSlice>& slice,
                            const Operand& value, Emit& out) {
  Nest nest{slice, {}};
  for (size_t d = slice.size(); d < array.shape.size(); ++d)
    nest.dims.push_back(whole(array.shape[d]));
  return accumulate(std::move(nest), acc, value, out);
}

std::optional<Operand> Cotangents::find(Name name) const {
  const auto found = adjoints_.find(name);
  if (found == adjoints_.end()) return std::nullopt;
  return found->second.value;
}

bool Cotangents::owns(Name name) const {
  const auto found = adjoints_.find(name);
  return found != adjoints_.end() && found->second.owned;
}

Operand Cotangents::seed(Name name, Emit& out) {
  if (const auto value = find(name)) return *value;
  return out.zero(session_.type_of(name));
}

Cotangents::Seeds Cotangents::seeds_of(const std::vector<Param>& pat) const {
  Seeds seeds;
  for (const Param& p : pat) seeds.push_back(find(p.name));
  return seeds;
}

std::vector<Name> Cotangents::active_free(const NameSet& names) const {
  std::vector<Name> out;
  for (const Name name : names)
    if (active(name) && session_.type_of(name).kind == Type::kArray) out.push_back(name);
  return out;
}

void Cotangents::add(const Operand& to, const Operand& value, Emit& out, Own own) {
  if (!active(to)) return;
  const Name name = std::get<Name>(to);
  const Type type = session_.type_of(name);
  if (type.kind == Type::kAcc) return;
  const auto found = adjoints_.find(name);
  if (found == adjoints_.end()) {
    const Operand fitting = out.coerce(value, type);
    adjoints_.insert_or_assign(name, Adjoint{fitting, own == Own::kYes});
    return;
  }
  Adjoint old = found->second;
  if (old.is_acc)
    old.value = add_to_acc(std::get<Name>(old.value), type, {}, value, out);
  else
    old = {out.add(old.value, value, type), true};
  adjoints_.insert_or_assign(name, old);
}

Name Cotangents::own_copy(const Operand& array, bool owned, Emit& out) {
  const Name name = std::get<Name>(array);
  return owned ? name : out.let1(session_.type_of(name), Copy{name}, "own");
}

Name Cotangents::own_array(Name name, Emit& out) {
  const bool owned = owns(name) || !find(name);
  return own_copy(seed(name, out), owned, out);
}

void Cotangents::add_at(Name array, const std::vector<DimSlice>& slice, const Operand& value,
                        const std::vector<Name>& tokens, Emit& out) {
  if (!active(array)) return;
  const Type type = session_.type_of(array);
  Type part = type;
  part.shape = slice_shape(type, slice);
  const auto found = adjoints_.find(array);
  const bool first = found == adjoints_.end();
  if (!first && found->second.is_acc) {
    Adjoint old = found->second;
    old.value = add_to_acc(std::get<Name>(old.value), type, slice, value, out);
    adjoints_.insert_or_assign(array, old);
    return;
  }
  const Name bar = own_array(array, out);
  Operand sum = out.coerce(value, part);
  if (!first) sum = out.add(out.index(bar, slice, tokens), sum, part);
  const Name changed = out.let1(type, Update{bar, slice, sum}, "bar", tokens);
  adjoints_.insert_or_assign(array, Adjoint{changed, true});
}

std::vector<Name> Cotangents::loop_with(const Operand& rounds, const std::vector<Name>& free,
                                        const std::vector<Carry>& carries, const Round& round,
                                        Emit& out) {
  Loop loop;
  loop.var = {.name = out.fresh("k"), .type = scalar_type(Prim::kI64)};
  loop.bound = rounds;
  std::vector<Name> carried;
  std::vector<Param> pat;
  NameMap<Adjoint> inner;
  const auto carry = [&](const Type& type, const Operand& init) {
    const Name name = out.fresh("bar");
    loop.params.push_back(
        {.param = {.name = name, .type = type, .unique = type.is_array()}, .init = init});
    session_.types.insert_or_assign(name, type);
    pat.push_back({.name = out.fresh("bar"), .type = type});
    return name;
  };
  for (const Carry& c : carries) carried.push_back(carry(c.type, c.init));
  for (const Name name : free) {
    const auto found = adjoints_.find(name);
    const bool is_acc = found != adjoints_.end() && found->second.is_acc;
    const Type type = is_acc ? session_.type_of(found->second.value) : session_.type_of(name);
    Operand init = const_i64(0);
    if (is_acc)
      init = found->second.value;
    else if (type.is_array())
      init = own_array(name, out);
    else
      init = seed(name, out);
    inner.insert_or_assign(name, Adjoint{carry(type, init), true, is_acc});
  }
  session_.types.insert_or_assign(loop.var.name, loop.var.type);
  NameMap<Adjoint> outer = std::exchange(adjoints_, std::move(inner));
  Emit in(session_, out.loc());
  std::vector<Operand> results = round(in, loop.var.name, carried);
  for (const Name name : free) {
    const Adjoint bar = adjoints_.at(name);
    const bool copies = !bar.is_acc && session_.type_of(name).is_array();
    results.push_back(copies ? own_copy(bar.value, bar.owned, in) : bar.value);
  }
  loop.body = in.finish(std::move(results));
  inner = std::exchange(adjoints_, std::move(outer));
  std::vector<Name> names;
  for (const Param& p : pat) names.push_back(p.name);
  out.let_pat(std::move(pat), std::move(loop));
  for (size_t k = 0; k < free.size(); ++k)
    adjoints_.insert_or_assign(free[k],
                               Adjoint{names[carries.size() + k], true, inner.at(free[k]).is_acc});
  names.resize(carries.size());
  return names;
}

}  // namespace skald::passes::ad
