// SPDX-License-Identifier: Apache-2.0
// Operations on arrays in reverse mode: where elements went, there their cotangents come from.
#include "core/ir/visit.h"
#include "passes/differentiate/reverse/reverse.h"

namespace skald::passes::ad {

bool Reverse::array(const Stmt& stmt, Emit& out) {
  const Exp& exp = stmt.exp;
  const Name y = stmt.pat[0].name;
  const auto found = find(y);
  if (!found) return false;
  const Operand bar = *found;
  // Nobody asks for the cotangent of `y` afterwards.
  const Own own = owns(y) ? Own::kYes : Own::kNo;
  if (const auto* e = as<Value>(exp)) {
    add(e->arg, bar, out, own);
  } else if (const auto* e = as<Opaque>(exp)) {
    add(e->arg, bar, out, own);
  } else if (const auto* e = as<Copy>(exp)) {
    add(e->array, bar, out, own);
  } else if (const auto* e = as<Index>(exp)) {
    add_at(e->array, e->slice, bar, stmt.tokens, out);
  } else if (const auto* e = as<Update>(exp)) {
    update(stmt, *e, out);
  } else if (const auto* e = as<FlatIndex>(exp)) {
    flat_index(stmt, *e, out);
  } else if (const auto* e = as<FlatUpdate>(exp)) {
    flat_update(stmt, *e, out);
  } else if (const auto* e = as<Concat>(exp)) {
    concat(stmt, *e, out);
  } else if (const auto* e = as<ArrayLit>(exp)) {
    for (size_t k = 0; k < e->elems.size(); ++k)
      if (active(e->elems[k]))
        add(e->elems[k], out.row(std::get<Name>(bar), const_i64(static_cast<int64_t>(k))), out);
  } else if (const auto* e = as<Replicate>(exp)) {
    const auto dims = static_cast<int>(e->shape.size());
    add(e->value, out.sum_outer(bar, stmt.pat[0].type, dims), out, Own::kYes);
  } else if (const auto* e = as<Reshape>(exp)) {
    const Type type = session_.type_of(e->array);
    add(e->array, out.let1(type, Reshape{std::get<Name>(bar), type.shape}, "bar"), out, own);
  } else if (const auto* e = as<Rearrange>(exp)) {
    std::vector<int> inverse(e->perm.size());
    for (size_t k = 0; k < e->perm.size(); ++k)
      inverse[static_cast<size_t>(e->perm[k])] = static_cast<int>(k);
    const Type type = session_.type_of(e->array);
    add(e->array, out.let1(type, Rearrange{std::get<Name>(bar), inverse}, "bar"), out, own);
  } else if (const auto* e = as<Iota>(exp)) {
    // start + i * step.  The length gets the sum, too: docs/ad.md, Corners.
    const Type type = stmt.pat[0].type;
    if (active(e->count))
      add(e->count, out.convert(e->type, Prim::kI64, out.sum_outer(bar, type, 1)), out);
    add(e->start, out.sum_outer(bar, type, 1), out);
    if (!active(e->step)) return true;
    const Name weighted =
        out.map(e->count, {std::get<Name>(bar)}, [&](Emit& in, const Emit::Rows& rows) {
          const Operand i = in.convert(Prim::kI64, e->type, rows[1]);
          return Emit::Rows{in.mul(e->type, i, rows[0])};
        })[0];
    add(e->step, out.sum_outer(weighted, type, 1), out);
  } else {
    return false;
  }
  return true;
}

// y = x with [s] = v:  v̄ += ȳ[s],  x̄ += ȳ with [s] = 0.
void Reverse::update(const Stmt& stmt, const Update& e, Emit& out) {
  const Name y = stmt.pat[0].name;
  const Type type = stmt.pat[0].type;
  const Name bar = std::get<Name>(*find(y));
  const bool owned = owns(y);
  Type part = type;
  part.shape = slice_shape(type, e.slice);
  if (active(e.value)) {
    Name value = out.index(bar, e.slice, stmt.tokens);
    if (part.is_array()) value = out.let1(part, Copy{value}, "bar");
    add(e.value, value, out, Own::kYes);
  }
  if (!active(e.array)) return;
  const Operand none = out.zero(part);
  const Name base = own_copy(bar, owned, out);
  add(e.array, out.let1(type, Update{base, e.slice, none}, "bar", stmt.tokens), out, Own::kYes);
}

// Places may be read twice, so contributions are added one by one, by an accumulator.
void Reverse::flat_index(const Stmt& stmt, const FlatIndex& e, Emit& out) {
  const Name values = std::get<Name>(*find(stmt.pat[0].name));
  const Type type = session_.type_of(e.array);
  const auto found = adjoints_.find(e.array);
  const bool is_acc = found != adjoints_.end() && found->second.is_acc;
  const Name old = is_acc ? std::get<Name>(found->second.value) : own_array(e.array, out);
  // One dimension after another.
  const std::function<Name(Emit&, Name, Name, size_t, Operand)> nest =
      [&](Emit& at, Name acc, Name rows, size_t d, const Operand& offset) -> Name {
    const Type acc_type = session_.type_of(acc), rows_type = session_.type_of(rows);
    if (d == e.dims.size()) return at.let1(acc_type, UpdateAcc{acc, {offset}, {rows}}, "acc");
    Soac soac;
    soac.width = rows_type.shape[0];
    const Type numbers = array_of(soac.width, scalar_type(Prim::kI64));
    const Name iota =
        at.let1(numbers, Iota{Prim::kI64, soac.width, offset, e.dims[d].stride}, "places");
    soac.inputs = {acc, rows, iota};
    const Name inner = at.fresh("acc"), row = at.fresh("x"), place = at.fresh("i");
    soac.fn.params = {{.name = inner, .type = acc_type},
                      {.name = row, .type = row_type(rows_type)},
                      {.name = place, .type = scalar_type(Prim::kI64)}};
    session_.learn(soac.fn.params);
    Emit in(session_, at.loc());
    const Name result = nest(in, inner, row, d + 1, place);
    soac.fn.results = {{.type = acc_type}};
    soac.fn.body = in.finish({result});
    return at.let1(acc_type, std::move(soac), "acc");
  };
  if (is_acc) {
    const Name acc = nest(out, old, values, 0, e.offset);
    adjoints_.insert_or_assign(e.array, Adjoint{acc, true, true});
    return;
  }
  const Type elem = scalar_type(type.elem);
  WithAcc node;
  node.inputs.push_back({type.shape, {old}, {}});
  node.inputs[0].op.push_back({addition(session_, {elem}), {Operand(Const{type.elem, 0})}, true});
  Type acc_type{Type::kAcc};
  acc_type.shape = type.shape;
  acc_type.acc_elems = {elem};
  const Name acc = out.fresh("acc");
  node.fn.params = {{.name = acc, .type = acc_type}};
  session_.learn(node.fn.params);
  Emit in(session_, out.loc());
  const Name result = nest(in, acc, values, 0, e.offset);
  node.fn.results = {{.type = acc_type}};
  node.fn.body = in.finish({result});
  adjoints_.insert_or_assign(e.array, Adjoint{out.let1(type, std::move(node), "bar"), true});
}

void Reverse::flat_update(const Stmt& stmt, const FlatUpdate& e, Emit& out) {
  const Name y = stmt.pat[0].name;
  const Type type = stmt.pat[0].type, part = session_.type_of(e.value);
  const Name bar = std::get<Name>(*find(y));
  const bool owned = owns(y);
  if (active(e.value)) {
    const Name value = out.let1(part, FlatIndex{bar, e.offset, e.dims}, "part", stmt.tokens);
    add(e.value, out.let1(part, Copy{value}, "bar"), out, Own::kYes);
  }
  if (!active(e.array)) return;
  const Name none = std::get<Name>(out.zero(part));
  const Name base = own_copy(bar, owned, out);
  add(e.array, out.let1(type, FlatUpdate{base, e.offset, e.dims, none}, "bar", stmt.tokens), out,
      Own::kYes);
}

void Reverse::concat(const Stmt& stmt, const Concat& e, Emit& out) {
  const Name bar = std::get<Name>(*find(stmt.pat[0].name));
  const auto dim = static_cast<size_t>(e.dim);
  Operand at = const_i64(0);
  for (const Name part : e.arrays) {
    const Type type = session_.type_of(part);
    if (active(part)) {
      std::vector<DimSlice> slice;
      for (size_t d = 0; d < dim; ++d) slice.push_back(whole(type.shape[d]));
      slice.push_back({.is_index = false, .start = at, .count = type.shape[dim]});
      add(part, out.index(bar, std::move(slice)), out);
    }
    at = out.bin(BinOpKind::kAdd, Prim::kI64, at, type.shape[dim]);
  }
}

}  // namespace skald::passes::ad
