// SPDX-License-Identifier: Apache-2.0
// What a slice selects, and whether it is inside.
#include "frontend/futhark/elaborate/arrays/slices.h"

#include <unordered_map>

#include "frontend/futhark/elaborate/code/notes.h"

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

IndexOf indices_in(Types& types, const Env& env) {
  return [&types, &env](const Exp& e) { return types.i64_exp(e, env); };
}

IndexOf computed_indices(Types& types, const std::vector<PathStep>& path, const Env& env) {
  std::unordered_map<const Exp*, Operand> indices;
  for (const PathStep& step : path) {
    const auto* dims = std::get_if<std::vector<DimIndex>>(&step.step);
    if (dims == nullptr) continue;
    for (const DimIndex& d : *dims)
      for (const Exp* e : {d.index.get(), d.stride.get(), d.start.get(), d.end.get()})
        if (e != nullptr) indices.emplace(e, types.i64_exp(*e, env));
  }
  return [indices = std::move(indices)](const Exp& e) { return indices.at(&e); };
}

// The conditions and the message of a slice, dimension by dimension.
struct SliceCheck {
  Code& code;
  Operand ok = core::const_bool(true);
  std::vector<MessagePart> parts = {}, shape = {};
  CheckNotes notes = {};

  Operand le(const Operand& x, const Operand& y) {
    return code.b().cmpop(CmpOpKind::kLe, Prim::kI64, x, y);
  }
  Operand lt(const Operand& x, const Operand& y) {
    return code.b().cmpop(CmpOpKind::kLt, Prim::kI64, x, y);
  }
  // Compilers evaluate arguments in different orders, and what is emitted must not depend on it: a
  // braced list is evaluated from left to right.
  Operand both(std::pair<Operand, Operand> conditions) {
    return code.b().logical_and(conditions.first, conditions.second);
  }
  void say(std::string text) { parts.emplace_back(std::move(text)); }

  // An operand of the message, and how it is written.
  void add(const Operand& value, const Exp& written) {
    parts.emplace_back(value);
    notes.value(written, value);
  }

  Tokens finish(const std::string& name) {
    std::vector<MessagePart> message = {std::string("Index [")};
    message.insert(message.end(), parts.begin(), parts.end());
    message.emplace_back(std::string("] out of bounds for array of shape ["));
    message.insert(message.end(), shape.begin(), shape.end());
    message.emplace_back(std::string("]."));
    notes.shape(name, shape);
    notes.add_to(message);
    return code.check(ok, std::move(message));
  }
};

// `end`: where the slice ends as written.
static void check_range(Code& code, const DimSlice& dim, const Operand& end, const Operand& w,
                        const Operand& backwards, SliceCheck& check) {
  const Operand zero = core::const_i64(0), one = core::const_i64(1), minus = core::const_i64(-1);
  const auto& [is_index, i, n, s] = dim;
  const bool unit = core::as_const(s) && core::int_value(*core::as_const(s)) == 1;
  Operand last = code.b().size_add(i, code.b().size_mul(code.b().size_sub(n, one), s));
  Operand in = check.both({check.le(zero, last), check.lt(last, w)});
  Operand forwards = check.both({check.both({check.le(zero, i), check.le(i, end)}), in});
  Operand good = forwards;
  if (!unit) {
    Operand back = check.both(
        {check.both({check.le(minus, end), check.le(end, i)}), check.both({in, check.lt(i, w)})});
    const auto* c = core::as_const(backwards);
    good = c ? (c->bits ? back : forwards)
             : Operand(code.emit1(core::scalar_type(Prim::kBool),
                                  core::Select{backwards, back, forwards}, "ok"));
  }
  good = code.b().logical_or(code.b().cmpop(CmpOpKind::kEq, Prim::kI64, n, zero), good);
  if (!unit) good = check.both({good, code.b().cmpop(CmpOpKind::kNe, Prim::kI64, s, zero)});
  check.ok = check.both({check.ok, good});
}

// `w`: the size of the dimension.
static DimSlice slice_dim(Code& code, const DimIndex& d, const Operand& w, const IndexOf& index_of,
                          SliceCheck& check) {
  const Operand zero = core::const_i64(0), one = core::const_i64(1), minus = core::const_i64(-1);
  if (!d.is_slice) {
    Operand i = index_of(*d.index);
    check.add(i, *d.index);
    if (!code.mode().unsafe)
      check.ok = check.both({check.ok, check.both({check.le(zero, i), check.lt(i, w)})});
    return {true, i};
  }
  if (!d.start && !d.end && !d.stride) {
    check.say(":");
    return {false, zero, w, one};
  }
  if (!d.start && !d.end && d.stride && is_minus_one(*d.stride)) {
    check.say("::-1");
    return {false, code.b().size_sub(w, one), w, minus};
  }
  Operand s = d.stride ? index_of(*d.stride) : one;
  Operand i, j, backwards = check.lt(s, zero);
  auto choose = [&](const Operand& back, const Operand& forth) -> Operand {
    if (const auto* c = core::as_const(backwards)) return c->bits ? back : forth;
    return code.emit1(core::scalar_type(Prim::kI64), core::Select{backwards, back, forth}, "bound");
  };
  i = d.start ? index_of(*d.start) : choose(code.b().size_sub(w, one), zero);
  j = d.end ? index_of(*d.end) : choose(minus, w);
  Operand span = code.b().size_sub(j, i);
  Operand n = span;
  const bool unit = core::as_const(s) && core::int_value(*core::as_const(s)) == 1;
  if (!unit) {
    Operand sign = code.b().unop(UnOpKind::kSgn, Prim::kI64, s);
    Operand up = code.b().size_add(span, code.b().size_sub(s, sign));
    n = code.b().binop(BinOpKind::kQuot, Prim::kI64, up, s, "n");
  }
  if (d.start) check.add(i, *d.start);
  check.say(":");
  if (d.end) check.add(j, *d.end);
  if (d.stride) {
    check.say(":");
    check.add(s, *d.stride);
  }
  if (!code.mode().unsafe) check_range(code, {false, i, n, s}, j, w, backwards, check);
  return {false, i, n, s};
}

Slice slice(Code& code, const std::vector<DimIndex>& dims, const Value& array,
            const IndexOf& index_of, const std::string& name) {
  Slice out;
  SliceCheck check{code};
  const Rep* rep = array.rep.get();
  SKALD_CHECK(array.kind == Value::kDyn, "indexing something that is no array");
  for (const DimIndex& d : dims) {
    SKALD_CHECK(rep->kind == Rep::kArray, "too many indices");
    Operand w = *rep->dim.op;
    rep = rep->elem.get();
    if (!check.parts.empty()) check.say(", ");
    check.shape.emplace_back(std::string(check.shape.empty() ? "" : "]["));
    check.shape.emplace_back(w);
    out.dims.push_back(slice_dim(code, d, w, index_of, check));
  }
  out.tokens = check.finish(name);
  return out;
}

RepPtr sliced_rep(const Value& array, const std::vector<DimSlice>& dims) {
  RepPtr rep = array.rep;
  std::vector<Operand> sizes;
  for (const DimSlice& d : dims) {
    SKALD_CHECK(rep->kind == Rep::kArray, "too many indices");
    if (!d.is_index) sizes.push_back(d.count);
    rep = rep->elem;
  }
  for (size_t i = sizes.size(); i-- > 0;) rep = array_rep(sizes[i], rep);
  return rep;
}

ValuePtr index_value(Code& code, const Value& array, const std::vector<DimSlice>& dims,
                     const Tokens& tokens) {
  RepPtr rep = sliced_rep(array, dims);
  std::vector<core::Type> types = leaf_types(*rep);
  std::vector<Operand> leaves;
  for (size_t i = 0; i < types.size(); ++i)
    leaves.push_back(code.emit1(types[i], core::Index{std::get<Name>(array.leaves.at(i)), dims},
                                "elem", tokens));
  return make_value(rep, leaves);
}

ValuePtr index_at(Code& code, const Value& array, const Operand& i, const Tokens& tokens) {
  return index_value(code, array, {{true, i}}, tokens);
}

}  // namespace skald::futhark::elab
