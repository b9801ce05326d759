// SPDX-License-Identifier: Apache-2.0
// Indexing and slicing, with bounds checks.
#include "frontend/futhark/elaborate/elab.h"

namespace skald::futhark::elab {

namespace {

bool is_literal_one(const Exp& e) {
  if (const auto* p = std::get_if<EParens>(&e.node)) return is_literal_one(*p->inner);
  const auto* lit = std::get_if<ELiteral>(&e.node);
  return lit && lit->lit.text == "1";
}
bool is_minus_one(const Exp& e) {
  if (const auto* p = std::get_if<EParens>(&e.node)) return is_minus_one(*p->inner);
  const auto* neg = std::get_if<ENegate>(&e.node);
  return neg && is_literal_one(*neg->arg);
}

}  // namespace

Elaborator::IndexOf Elaborator::indices_in(const Env& env) {
  return [this, &env](const Exp& e) { return i64_exp(e, env); };
}

Elaborator::IndexOf Elaborator::computed_indices(const std::vector<PathStep>& path,
                                                 const Env& env) {
  std::unordered_map<const Exp*, Operand> indices;
  for (const PathStep& step : path) {
    const auto* dims = std::get_if<std::vector<DimIndex>>(&step.step);
    if (dims == nullptr) continue;
    for (const DimIndex& d : *dims)
      for (const Exp* e : {d.index.get(), d.stride.get(), d.start.get(), d.end.get()})
        if (e != nullptr) indices.emplace(e, i64_exp(*e, env));
  }
  return [indices = std::move(indices)](const Exp& e) { return indices.at(&e); };
}

Elaborator::Slice Elaborator::slice(const std::vector<DimIndex>& dims, const Value& array,
                                    const IndexOf& index_of) {
  Slice out;
  Operand ok = core::const_bool(true);
  std::vector<MessagePart> parts, shape;
  const Operand zero = core::const_i64(0), one = core::const_i64(1), minus = core::const_i64(-1);
  auto le = [&](const Operand& x, const Operand& y) {
    return b().cmpop(CmpOpKind::kLe, Prim::kI64, x, y);
  };
  auto lt = [&](const Operand& x, const Operand& y) {
    return b().cmpop(CmpOpKind::kLt, Prim::kI64, x, y);
  };
  // Compilers evaluate arguments in different orders, and what is emitted must not depend on it: a
  // braced list is evaluated from left to right.
  auto both = [&](std::pair<Operand, Operand> conditions) {
    return b().logical_and(conditions.first, conditions.second);
  };
  const Rep* rep = array.rep.get();
  SKALD_CHECK(array.kind == Value::kDyn, "indexing something that is no array");
  for (const DimIndex& d : dims) {
    SKALD_CHECK(rep->kind == Rep::kArray, "too many indices");
    Operand w = *rep->dim.op;
    rep = rep->elem.get();
    if (!parts.empty()) parts.emplace_back(std::string(", "));
    shape.emplace_back(std::string(shape.empty() ? "" : "]["));
    shape.emplace_back(w);
    if (!d.is_slice) {
      Operand i = index_of(*d.index);
      parts.emplace_back(i);
      if (!unsafe_) ok = both({ok, both({le(zero, i), lt(i, w)})});
      out.dims.push_back({true, i});
      continue;
    }
    if (!d.start && !d.end && !d.stride) {
      parts.emplace_back(std::string(":"));
      out.dims.push_back({false, zero, w, one});
      continue;
    }
    if (!d.start && !d.end && d.stride && is_minus_one(*d.stride)) {
      parts.emplace_back(std::string("::-1"));
      out.dims.push_back({false, b().size_sub(w, one), w, minus});
      continue;
    }
    Operand s = d.stride ? index_of(*d.stride) : one;
    Operand i, j, backwards = lt(s, zero);
    auto choose = [&](const Operand& back, const Operand& forth) -> Operand {
      if (const auto* c = core::as_const(backwards)) return c->bits ? back : forth;
      return emit1(core::scalar_type(Prim::kI64), core::Select{backwards, back, forth}, "bound");
    };
    i = d.start ? index_of(*d.start) : choose(b().size_sub(w, one), zero);
    j = d.end ? index_of(*d.end) : choose(minus, w);
    Operand span = b().size_sub(j, i);
    Operand n = span;
    bool unit = core::as_const(s) && core::int_value(*core::as_const(s)) == 1;
    if (!unit) {
      Operand sign = b().unop(UnOpKind::kSgn, Prim::kI64, s);
      Operand up = b().size_add(span, b().size_sub(s, sign));
      n = b().binop(BinOpKind::kQuot, Prim::kI64, up, s, "n");
    }
    if (d.start) parts.emplace_back(i);
    parts.emplace_back(std::string(":"));
    if (d.end) parts.emplace_back(j);
    if (d.stride) {
      parts.emplace_back(std::string(":"));
      parts.emplace_back(s);
    }
    if (!unsafe_) {
      Operand last = b().size_add(i, b().size_mul(b().size_sub(n, one), s));
      Operand in = both({le(zero, last), lt(last, w)});
      Operand forwards = both({both({le(zero, i), le(i, j)}), in});
      Operand good = forwards;
      if (!unit) {
        Operand back = both({both({le(minus, j), le(j, i)}), both({in, lt(i, w)})});
        const auto* c = core::as_const(backwards);
        good = c ? (c->bits ? back : forwards)
                 : Operand(emit1(core::scalar_type(Prim::kBool),
                                 core::Select{backwards, back, forwards}, "ok"));
      }
      good = b().logical_or(b().cmpop(CmpOpKind::kEq, Prim::kI64, n, zero), good);
      if (!unit) good = both({good, b().cmpop(CmpOpKind::kNe, Prim::kI64, s, zero)});
      ok = both({ok, good});
    }
    out.dims.push_back({false, i, n, s});
  }
  std::vector<MessagePart> message = {std::string("Index [")};
  message.insert(message.end(), parts.begin(), parts.end());
  message.emplace_back(std::string("] out of bounds for array of shape ["));
  message.insert(message.end(), shape.begin(), shape.end());
  message.emplace_back(std::string("]."));
  out.tokens = check(ok, std::move(message));
  return out;
}

ValuePtr Elaborator::index_value(const Value& array, const std::vector<DimSlice>& dims,
                                 const Tokens& tokens) {
  // The result: rows of the indexed dimensions, with the sliced ones around.
  RepPtr elem = array.rep;
  std::vector<Operand> sizes;
  for (const DimSlice& d : dims) {
    SKALD_CHECK(elem->kind == Rep::kArray, "too many indices");
    if (!d.is_index) sizes.push_back(d.count);
    elem = elem->elem;
  }
  RepPtr rep = elem;
  for (size_t i = sizes.size(); i-- > 0;) rep = array_rep(sizes[i], rep);
  std::vector<core::Type> types = leaf_types(*rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i)
    leaves.push_back(
        emit1(types[i], core::Index{std::get<Name>(array.leaves.at(i)), dims}, "elem", tokens));
  return make_value(rep, std::move(leaves));
}

ValuePtr Elaborator::index_at(const Value& array, const Operand& i, const Tokens& tokens) {
  return index_value(array, {{true, i}}, tokens);
}

}  // namespace skald::futhark::elab
