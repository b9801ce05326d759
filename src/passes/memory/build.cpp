// SPDX-License-Identifier: Apache-2.0
// Builds arrays where they would be copied to; part of the planner (plan.cpp).
//
//   before   let {as} = map …               after   let {m : mem} = alloc(…)
//            let {bs} = map …                       let {as @ m} = map …
//            let {cs} = concat(as, bs)              let {bs @ m[n]} = map …
//                                                   let {cs @ m} = scratch(…)
//
// targets.cpp says what may be built where.  When the array is made, the place must be known:
// scalars that only sizes and offsets need are computed earlier; otherwise the array gets a block
// of its own and is copied as written.
#include "analysis/scalar_values.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/memory/plan.h"

namespace skald::passes {

using namespace core;

void Planner::note_scalars(const Body& body) {
  for (const Stmt& stmt : body.stmts)
    if (analysis::is_pure_scalar(stmt))
      scalars_.emplace(stmt.pat[0].name,
                       std::pair(stmt.pat[0].type, copy_with_fresh_names(stmt.exp, prog_.names)));
}

void Planner::now_bound(const std::vector<Param>& params) {
  for (const Param& p : params) bound_.insert(p.name);
}

std::optional<Operand> Planner::available(Builder& out, const Operand& operand, int depth) {
  constexpr int kMaxDepth = 20;
  const Name* name = as_name(operand);
  if (name == nullptr || bound_.contains(*name)) return operand;
  const auto found = scalars_.find(*name);
  if (found == scalars_.end() || depth > kMaxDepth) return std::nullopt;
  Exp exp = copy_with_fresh_names(found->second.second, prog_.names);
  bool all = true;
  map_operands(exp, [&](const Operand& o) {
    const std::optional<Operand> now = available(out, o, depth + 1);
    all = all && now.has_value();
    return now.value_or(o);
  });
  if (!all) return std::nullopt;
  return out.let1(found->second.first, std::move(exp), prog_.names.base(*name));
}

// Gives an array its place before the statement that completes it.
bool Planner::place_ahead(Builder& out, const Target& target) {
  if (places_.contains(target.dest)) return true;
  Type type = target.dest_type;
  for (Operand& dim : type.shape) {
    const std::optional<Operand> now = available(out, dim);
    if (!now) return false;
    dim = *now;
  }
  std::optional<MemLoc> place = target_place(out, target.dest);
  if (!place) place = allocate(out, type, prog_.names.base(target.dest));
  places_[target.dest] = std::move(*place);
  types_[target.dest] = std::move(type);
  return true;
}

// The place that the copy would be written to.
std::optional<MemLoc> Planner::copied_to(Builder& out, const Target& target) {
  if (target.kind == Target::kPlace) return target.place;
  if (target.kind == Target::kWhole) {
    Type type = target.type;
    for (Operand& dim : type.shape) {
      const std::optional<Operand> now = available(out, dim);
      if (!now) return std::nullopt;
      dim = *now;
    }
    for (const Target::View& view : target.views)
      for (const Operand& dim : view.type.shape)
        if (!available(out, dim)) return std::nullopt;
    return allocate(out, type, prog_.names.base(target.dest));
  }
  std::vector<DimSlice> slice = target.slice;
  if (target.kind == Target::kUpdate) {
    for (const Name token : target.tokens)
      if (!bound_.contains(token)) return std::nullopt;
    if (!bound_.contains(target.dest)) return std::nullopt;
    for (DimSlice& dim : slice)
      for (Operand* operand : {&dim.start, &dim.count, &dim.stride}) {
        const std::optional<Operand> now = available(out, *operand);
        if (!now) return std::nullopt;
        *operand = *now;
      }
  } else if (target.kind == Target::kRow) {
    slice = {{true, const_i64(static_cast<int64_t>(target.part))}};
  } else if (target.kind == Target::kConcat) {
    Operand start = const_i64(0);
    std::vector<Operand> lengths = target.lengths;
    lengths.push_back(target.type.shape[static_cast<size_t>(target.dim)]);
    for (Operand& length : lengths) {
      const std::optional<Operand> now = available(out, length);
      if (!now) return std::nullopt;
      length = *now;
    }
    if (!place_ahead(out, target)) return std::nullopt;
    const Operand own = lengths.back();
    lengths.pop_back();
    for (const Operand& length : lengths) start = out.size_add(start, length);
    const std::vector<Operand>& shape = types_.at(target.dest).shape;
    for (int k = 0; k < target.dim; ++k)
      slice.push_back({false, const_i64(0), shape[static_cast<size_t>(k)]});
    slice.push_back({false, start, own});
  }
  if (target.kind == Target::kRow && !place_ahead(out, target)) return std::nullopt;
  return slice_place(out, target.dest, slice);
}

std::optional<MemLoc> Planner::target_place(Builder& out, Name array) {
  const auto found = targets_.find(array);
  if (found == targets_.end()) return std::nullopt;
  const Target target = std::move(found->second);
  targets_.erase(found);
  if (!ctx_.may_rewrite(target.kind == Target::kWhole ? "written in order" : "built in place"))
    return std::nullopt;
  std::vector<std::pair<Name, MemLoc>> on_the_way;
  std::optional<MemLoc> place = copied_to(out, target);
  if (!place) return std::nullopt;
  // From what is copied to what is made.
  for (const Target::View& view : target.views) {
    if (target.kind == Target::kWhole) on_the_way.emplace_back(view.name, *place);
    if (!view.moves()) {
      if (!place->strides.empty() && view.type.shape.size() != view.source.shape.size())
        return std::nullopt;
      continue;
    }
    std::vector<Operand> from = place->strides;
    if (from.empty()) {
      Operand stride = const_i64(1);
      from.resize(view.type.shape.size());
      for (size_t k = from.size(); k-- > 0;) {
        from[k] = stride;
        const std::optional<Operand> dim = available(out, view.type.shape[k]);
        if (!dim) return std::nullopt;
        if (k > 0) stride = out.size_mul(stride, *dim);
      }
    }
    place->strides.resize(from.size());
    for (size_t k = 0; k < from.size(); ++k) {
      if (!view.perm.empty()) {
        place->strides[static_cast<size_t>(view.perm[k])] = from[k];
        continue;
      }
      place->strides[k] = from[k];
      if (!view.reversed[k]) continue;
      const std::optional<Operand> dim = available(out, view.type.shape[k]);
      if (!dim) return std::nullopt;
      const Operand last = out.size_add(*dim, const_i64(-1));
      place->offset = out.size_add(place->offset, out.size_mul(last, from[k]));
      place->strides[k] = out.size_mul(from[k], const_i64(-1));
    }
  }
  for (auto& [view, loc] : on_the_way) view_places_[view] = std::move(loc);
  if (target.copied_by) built_[target.copied_by].insert(target.part);
  return place;
}

MemLoc Planner::place_or_allocate(Builder& out, const Param& param) {
  if (std::optional<MemLoc> place = target_place(out, param.name)) return std::move(*place);
  return allocate(out, param.type, prog_.names.base(param.name));
}

Name Planner::at_place(Builder& out, Name array, const MemLoc& place) {
  if (this->place(array) == place) return array;
  return copied(out, array, [&](const Type&) { return place; });
}

// The array as it is, then a write for each part that is not there.
void Planner::write_parts(Builder& out, Stmt stmt, size_t count,
                          const std::function<Exp(Name, size_t)>& write) {
  const std::unordered_set<size_t> there = built_.at(stmt.pat[0].name);
  Param whole = std::move(stmt.pat[0]);
  // The last statement binds the array's own name.
  const size_t missing = count - there.size();
  const auto next = [&](size_t left) {
    Param p = whole;
    if (left > 0) {
      p.name = prog_.names.fresh_like(whole.name);
      types_[p.name] = p.type;
      places_[p.name] = p.mem[0];
    }
    return p;
  };
  size_t left = missing;
  Param first = next(left);
  Name last = first.name;
  const std::vector<Operand> shape = whole.type.shape;
  out.append({{std::move(first)}, Scratch{whole.type.elem, shape}, stmt.tokens, {}, stmt.loc});
  for (size_t k = 0; k < count; ++k) {
    if (there.contains(k)) continue;
    Param p = next(--left);
    const Name name = p.name;
    out.append({{std::move(p)}, write(last, k), stmt.tokens, {}, stmt.loc});
    last = name;
  }
}

void Planner::concat(Builder& out, Stmt stmt) {
  Param& whole = stmt.pat[0];
  const bool ahead = places_.contains(whole.name);
  put(whole, ahead ? MemLoc(place(whole.name)) : place_or_allocate(out, whole));
  if (!built_.contains(whole.name)) return out.append(std::move(stmt));
  const Concat node = std::move(*as<Concat>(stmt.exp));
  const auto dim = static_cast<size_t>(node.dim);
  const std::vector<Operand> shape = whole.type.shape;
  std::vector<Operand> starts = {const_i64(0)};
  for (const Name part : node.arrays)
    starts.push_back(out.size_add(starts.back(), types_.at(part).shape[dim]));
  write_parts(out, std::move(stmt), node.arrays.size(), [&](Name last, size_t k) {
    std::vector<DimSlice> slice;
    for (size_t d = 0; d < dim; ++d) slice.push_back({false, const_i64(0), shape[d]});
    slice.push_back({false, starts[k], types_.at(node.arrays[k]).shape[dim]});
    return Exp(Update{last, std::move(slice), node.arrays[k]});
  });
}

void Planner::array_lit(Builder& out, Stmt stmt) {
  Param& whole = stmt.pat[0];
  const bool ahead = places_.contains(whole.name);
  put(whole, ahead ? MemLoc(place(whole.name)) : place_or_allocate(out, whole));
  if (!built_.contains(whole.name)) return out.append(std::move(stmt));
  const std::vector<Operand> elems = as<ArrayLit>(stmt.exp)->elems;
  write_parts(out, std::move(stmt), elems.size(), [&](Name last, size_t k) {
    return Exp(Update{last, {{true, const_i64(static_cast<int64_t>(k))}}, elems[k]});
  });
}

}  // namespace skald::passes
