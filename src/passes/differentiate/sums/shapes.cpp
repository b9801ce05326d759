// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/sums/shapes.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::passes::ad {

namespace {

// Writes of more iterations than this to the first and last places are not
// taken apart.
constexpr int64_t kMostOffset = 2;

bool covers(const Operand& width, const Operand& dim) {
  const Const *w = as_const(width), *d = as_const(dim);
  return width == dim || (w != nullptr && d != nullptr && int_value(*w) <= int_value(*d));
}

class IndexReader {
 public:
  IndexReader(const Site& site, const NameMap<Definition>& inside, const Surroundings& around)
      : site_(site), inside_(inside), around_(around) {}

  std::optional<WrittenDim> read(const Operand& index, const Operand& size) {
    const Name* name = as_name(index);
    if (name == nullptr) return fixed(index, size);
    if (auto dim = number_of(*name, size)) return dim;
    const auto def = inside_.find(*name);
    const auto* e = def == inside_.end() || def->second.stmt == nullptr
                        ? nullptr
                        : as<BinOp>(def->second.stmt->exp);
    if (e == nullptr || e->type != Prim::kI64) return std::nullopt;
    if (e->op == BinOpKind::kAdd || e->op == BinOpKind::kSub) return moved(*e, size);
    if (e->op != BinOpKind::kMin && e->op != BinOpKind::kMax) return std::nullopt;
    for (const bool left : {true, false}) {
      const Operand &limit = left ? e->lhs : e->rhs, &rest = left ? e->rhs : e->lhs;
      if (e->op == BinOpKind::kMax ? limit != Operand(const_i64(0)) : !is_last(limit, size))
        continue;
      auto dim = read(rest, size);
      if (!dim || dim->fixed || dim->width != size) return std::nullopt;
      (e->op == BinOpKind::kMax ? dim->from_below : dim->from_above) = true;
      return dim;
    }
    return std::nullopt;
  }

 private:
  static std::optional<WrittenDim> fixed(const Operand& index, const Operand& size) {
    const Const *i = as_const(index), *n = as_const(size);
    if (n == nullptr || int_value(*i) < 0 || int_value(*i) >= int_value(*n)) return std::nullopt;
    return WrittenDim{.fixed = index};
  }
  std::optional<WrittenDim> number_of(Name name, const Operand& size) const {
    for (size_t level = 0; level < site_.path.size(); ++level) {
      const Soac& e = *as<Soac>(site_.path[level]->exp);
      for (size_t k = 0; k < e.inputs.size(); ++k)
        if (e.fn.params[k].name == name && around_.numbers.contains(e.inputs[k]) &&
            covers(e.width, size))
          return WrittenDim{.level = level, .width = e.width};
    }
    return std::nullopt;
  }
  // What comes in is not brought back yet: clamps are outside of sums.
  std::optional<WrittenDim> moved(const BinOp& e, const Operand& size) {
    const bool constant_left = as_const(e.lhs) != nullptr;
    if (constant_left && e.op == BinOpKind::kSub) return std::nullopt;
    const Const* c = constant_left ? as_const(e.lhs) : as_const(e.rhs);
    auto dim = c == nullptr ? std::nullopt : read(constant_left ? e.rhs : e.lhs, size);
    if (!dim || dim->fixed || dim->from_below || dim->from_above || dim->width != size)
      return std::nullopt;
    dim->offset += e.op == BinOpKind::kAdd ? int_value(*c) : -int_value(*c);
    if (std::abs(dim->offset) > kMostOffset) return std::nullopt;
    return dim;
  }
  bool is_last(const Operand& limit, const Operand& size) const {
    const Const *l = as_const(limit), *s = as_const(size);
    if (l != nullptr && s != nullptr) return int_value(*l) == int_value(*s) - 1;
    const Name* name = as_name(limit);
    if (name == nullptr) return false;
    const auto found = around_.less_one.find(*name);
    return found != around_.less_one.end() && found->second == size;
  }

  const Site& site_;
  const NameMap<Definition>& inside_;
  const Surroundings& around_;
};

}  // namespace

void Surroundings::note(const Stmt& stmt) {
  if (const auto* e = as<Iota>(stmt.exp);
      e != nullptr && e->start == Operand(const_int(e->type, 0)) &&
      e->step == Operand(const_int(e->type, 1)) && e->type == Prim::kI64)
    numbers.insert(stmt.pat[0].name);
  if (const auto* e = as<BinOp>(stmt.exp); e != nullptr && e->type == Prim::kI64) {
    const bool less = (e->op == BinOpKind::kSub && e->rhs == Operand(const_i64(1))) ||
                      (e->op == BinOpKind::kAdd && e->rhs == Operand(const_i64(-1)));
    if (less) less_one.insert_or_assign(stmt.pat[0].name, e->lhs);
  }
  const auto* e = as<Replicate>(stmt.exp);
  if (e == nullptr) return;
  const Const* c = as_const(e->value);
  const Name* row = as_name(e->value);
  if ((c != nullptr && c->bits == 0) || (row != nullptr && zeros.contains(*row)))
    zeros.insert(stmt.pat[0].name);
}

std::optional<WrittenShape> written_shape(const Site& site, const AccInput& input,
                                          const NameMap<Definition>& inside,
                                          const Surroundings& around) {
  WrittenShape shape;
  const auto named = [&](size_t level) {
    return std::ranges::any_of(
        shape.dims, [&](const WrittenDim& dim) { return !dim.fixed && dim.level == level; });
  };
  for (size_t d = 0; d < site.indices.size(); ++d) {
    const auto dim = IndexReader(site, inside, around).read(site.indices[d], input.shape[d]);
    if (!dim || (!dim->fixed && named(dim->level))) return std::nullopt;
    shape.dims.push_back(*dim);
    shape.is_part = shape.is_part || dim->fixed || dim->width != input.shape[d];
  }
  for (size_t level = 0; level < site.path.size(); ++level) {
    if (named(level)) continue;
    const Operand width = as<Soac>(site.path[level]->exp)->width;
    if (const Name* name = as_name(width); name != nullptr && inside.contains(*name))
      return std::nullopt;
    shape.summed.push_back(level);
  }
  return shape;
}

std::vector<Writer> writers(const WrittenDim& dim, const Operand& place, Emit& out) {
  if (dim.offset == 0) return {{place, std::nullopt, true}};
  const auto number = [&](BinOpKind op, const Operand& a, const Operand& b) {
    return out.bin(op, Prim::kI64, a, b);
  };
  const auto holds = [&](CmpOpKind op, const Operand& a, const Operand& b) {
    return out.cmp(op, Prim::kI64, a, b);
  };
  std::vector<Writer> found;
  const Operand from = dim.offset > 0 ? number(BinOpKind::kSub, place, const_i64(dim.offset))
                                      : number(BinOpKind::kAdd, place, const_i64(-dim.offset));
  found.push_back(
      {from,
       out.both(holds(CmpOpKind::kLe, const_i64(0), from), holds(CmpOpKind::kLt, from, dim.width)),
       false});
  const Operand last = number(BinOpKind::kSub, dim.width, const_i64(1));
  // Those that would write outside, counted from the place: the first of them is the place itself,
  // so that what it writes is computed once for all dimensions.
  if (dim.offset < 0 && dim.from_below)
    for (int64_t i = 0; i < -dim.offset; ++i)
      found.push_back({number(BinOpKind::kAdd, place, const_i64(i)),
                       out.both(holds(CmpOpKind::kEq, place, const_i64(0)),
                                holds(CmpOpKind::kLt, const_i64(i), dim.width)),
                       i == 0});
  if (dim.offset > 0 && dim.from_above)
    for (int64_t i = 0; i < dim.offset; ++i)
      found.push_back(
          {number(BinOpKind::kSub, place, const_i64(i)),
           out.both(holds(CmpOpKind::kEq, place, last), holds(CmpOpKind::kLe, const_i64(i), last)),
           i == 0});
  return found;
}

}  // namespace skald::passes::ad
