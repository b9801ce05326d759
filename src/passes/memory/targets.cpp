// SPDX-License-Identifier: Apache-2.0
#include "passes/memory/targets.h"

#include <algorithm>
#include <functional>

#include "core/edit/free_names.h"
#include "core/ir/sharing.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

struct Targets::Context {
  const Body& body;
  std::unordered_map<Name, size_t> bound_at = {};
  // The statements that touch the memory of a root, in order; the results count as one more.
  std::unordered_map<Name, std::vector<size_t>> touched_at = {};
  std::unordered_map<Name, Target> found = {};

  // By how many of the statements in between?
  size_t count_touched(Name root, size_t from, size_t to) const {
    const auto entry = touched_at.find(root);
    if (entry == touched_at.end()) return 0;
    const auto& all = entry->second;
    const auto first = std::lower_bound(all.begin(), all.end(), from);
    const auto last = std::lower_bound(first, all.end(), to);
    return static_cast<size_t>(last - first);
  }
  bool is_touched(Name root, size_t from, size_t to) const {
    return count_touched(root, from, to) > 0;
  }
};

namespace {

// By dimension: does the slice only turn it around?  Nothing if it does something else.
std::vector<bool> reversed_dims(const Index& index, const Type& source) {
  std::vector<bool> reversed(source.shape.size(), false);
  if (index.slice.size() > source.shape.size()) return {};
  for (size_t k = 0; k < index.slice.size(); ++k) {
    const DimSlice& dim = index.slice[k];
    // All indices are in bounds, so a slice as long as the dimension has all of it.
    if (dim.is_index || !(dim.count == source.shape[k])) return {};
    const Const* stride = as_const(dim.stride);
    if (stride == nullptr || (int_value(*stride) != 1 && int_value(*stride) != -1)) return {};
    reversed[k] = int_value(*stride) == -1;
  }
  return reversed;
}

// What a number is made of: a name, or none, and a constant.
std::pair<std::optional<Name>, int64_t> base_and_offset(const Body& body,
                                                        const std::unordered_map<Name, size_t>& at,
                                                        const Operand& value) {
  if (const Const* c = as_const(value)) return {std::nullopt, int_value(*c)};
  const Name name = std::get<Name>(value);
  const auto bound = at.find(name);
  const auto* e = bound == at.end() ? nullptr : as<BinOp>(body.stmts[bound->second].exp);
  const Const* c = e == nullptr ? nullptr : as_const(e->rhs);
  if (c == nullptr || e->type != Prim::kI64 || as_name(e->lhs) == nullptr) return {name, 0};
  if (e->op == BinOpKind::kAdd) return {std::get<Name>(e->lhs), int_value(*c)};
  if (e->op == BinOpKind::kSub) return {std::get<Name>(e->lhs), -int_value(*c)};
  return {name, 0};
}

// Does the code look at the array, if at all, only in rows for which `is_other` holds?
bool reads_only_rows(const Body& body, Name array,
                     const std::function<bool(const DimSlice&)>& is_other,
                     const std::function<bool(Name)>& shares) {
  return std::ranges::all_of(body.stmts, [&](const Stmt& stmt) {
    const auto* read = as<Index>(stmt.exp);
    const bool reads = read != nullptr && read->array == array && !read->slice.empty() &&
                       stmt.pat[0].type.is_scalar() && is_other(read->slice[0]);
    bool fits = true;
    if (!reads)
      for_each_operand(stmt.exp, [&](const Operand& o) {
        const Name* name = as_name(o);
        fits = fits && (name == nullptr || !shares(*name));
      });
    for_each_body(stmt.exp, [&](const Body& inner) {
      fits = fits && reads_only_rows(inner, array, is_other, shares);
      for (const Operand& o : inner.result)
        if (const Name* name = as_name(o)) fits = fits && !shares(*name);
    });
    return fits;
  });
}

// A partition does not know how long its parts become: does a whole row of the array, with room for
// all points, wait for one?
bool has_room(const Target& target, const Kernel& kernel) {
  const std::vector<DimSlice>& slice = target.slice;
  return target.kind == Target::kUpdate && target.views.empty() && slice.size() == 2 &&
         slice[0].is_index && !slice[1].is_index && slice[1].start == Operand{const_i64(0)} &&
         slice[1].stride == Operand{const_i64(1)} && kernel.domain.dims.size() == 1 &&
         target.dest_type.shape[1] == kernel.domain.dims[0];
}

// Do they have different known indices along a dimension?
bool are_apart(const std::vector<DimSlice>& a, const std::vector<DimSlice>& b) {
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const Const *first = as_const(a[k].start), *second = as_const(b[k].start);
    if (a[k].is_index && b[k].is_index && first && second && !(*first == *second)) return true;
  }
  return false;
}

}  // namespace

// The array of which `target.dest` is a later version: `made` is to be built there, and all that
// happens to it since is written elsewhere in it.  Nothing if something else does.
std::optional<Name> Targets::earlier_version(const Context& context, const Target& target,
                                             size_t from) const {
  Name dest = target.dest;
  for (;;) {
    const auto bound = context.bound_at.find(dest);
    if (bound == context.bound_at.end() || bound->second < from) return dest;
    const auto* update = as<Update>(context.body.stmts[bound->second].exp);
    if (update == nullptr || !are_apart(update->slice, target.slice)) return std::nullopt;
    if (const Name* value = as_name(update->value)) {
      for (const Name root : sharing_.roots(*value))
        if (std::ranges::count(sharing_.roots(dest), root) > 0) return std::nullopt;
    }
    dest = update->array;
  }
}

// The kernel that makes the value of an update looks only at other rows of the array.
bool Targets::looks_elsewhere(const Context& context, const Target& target, Name array,
                              size_t maker) const {
  const Kernel* kernel = as<Kernel>(context.body.stmts[maker].exp);
  if (kernel == nullptr || target.slice.empty() || !target.slice[0].is_index) return false;
  const auto own = base_and_offset(context.body, context.bound_at, target.slice[0].start);
  const auto is_other = [&](const DimSlice& row) {
    if (!row.is_index) return false;
    const auto read = base_and_offset(context.body, context.bound_at, row.start);
    return read.first == own.first && read.second != own.second;
  };
  const auto& dest = sharing_.roots(array);
  const auto shares = [&](Name name) {
    return std::ranges::any_of(sharing_.roots(name), [&](Name root) {
      return std::ranges::find(dest, root) != dest.end();
    });
  };
  bool fits = true;
  for_each_operand(context.body.stmts[maker].exp, [&](const Operand& o) {
    const Name* name = as_name(o);
    fits = fits && (name == nullptr || !shares(*name));
  });
  for_each_body(context.body.stmts[maker].exp, [&](const Body& inner) {
    fits = fits && reads_only_rows(inner, array, is_other, shares);
  });
  return fits;
}

// The array whose making decides where `array` is, if this body makes it; notes views on the way.
std::optional<Name> Targets::maker(const Context& context, Name array, Target& target) const {
  constexpr int kMaxSteps = 100;
  for (int step = 0; step < kMaxSteps; ++step) {
    const auto bound = context.bound_at.find(array);
    if (bound == context.bound_at.end()) return std::nullopt;
    const Stmt& stmt = context.body.stmts[bound->second];
    if (const auto* e = as<Value>(stmt.exp)) {
      array = std::get<Name>(e->arg);
    } else if (const auto* e = as<Update>(stmt.exp)) {
      array = e->array;
    } else if (const auto* e = as<FlatUpdate>(stmt.exp)) {
      array = e->array;
    } else if (const auto* e = as<Reshape>(stmt.exp)) {
      target.views.push_back({array, sharing_.type(array), sharing_.type(e->array)});
      array = e->array;
    } else if (const auto* e = as<Rearrange>(stmt.exp)) {
      target.views.push_back({array, sharing_.type(array), sharing_.type(e->array), e->perm});
      array = e->array;
    } else if (const auto* e = as<Index>(stmt.exp); e != nullptr && target.kind == Target::kWhole) {
      const Type& source = sharing_.type(e->array);
      std::vector<bool> reversed = reversed_dims(*e, source);
      if (reversed.empty()) return std::nullopt;
      target.views.push_back({array, sharing_.type(array), source, {}, std::move(reversed)});
      array = e->array;
    } else if (as<Loop>(stmt.exp) != nullptr || as<If>(stmt.exp) != nullptr ||
               as<Kernel>(stmt.exp) != nullptr) {
      const Name origin = origins_.of(array);
      if (!(origin == array)) {
        array = origin;
        continue;
      }
      if (as<Loop>(stmt.exp) != nullptr) return std::nullopt;
      if (const Kernel* kernel = as<Kernel>(stmt.exp))
        for (const Sink& sink : kernel->sinks) {
          if (sink.kind != Sink::kPartition) continue;
          if (!has_room(target, *kernel)) return std::nullopt;
          target.slice[1].count = kernel->domain.dims[0];
        }
      return array;
    } else if (as<Iota>(stmt.exp) != nullptr || as<Replicate>(stmt.exp) != nullptr ||
               as<Copy>(stmt.exp) != nullptr || as<Concat>(stmt.exp) != nullptr ||
               as<ArrayLit>(stmt.exp) != nullptr || as<Scratch>(stmt.exp) != nullptr) {
      return array;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// A kernel that writes in another order saves the copy that puts its result in that order.
bool Targets::is_worth_whole(const Context& context, Name made, const Target& target) const {
  bool moves = false;
  for (const Target::View& view : target.views) {
    moves = moves || view.moves();
    if (moves && !view.moves() && view.type.shape.size() != view.source.shape.size()) return false;
    // Writing across rows costs more than the copy, which does it in squares.
    if (!view.perm.empty() && view.perm.back() + 1 != std::ssize(view.perm)) return false;
  }
  if (!moves) return false;
  const size_t at = context.bound_at.at(made);
  const Kernel* kernel = as<Kernel>(context.body.stmts[at].exp);
  if (kernel == nullptr) return false;
  for (const Sink& sink : kernel->sinks)
    if (sink.kind == Sink::kScan) return false;
  for (const Ret& row : kernel->pull.results)
    if (!row.type.is_scalar()) return false;
  // Only the result is wanted, and only once.
  if (context.is_touched(made, at + 1, context.body.stmts.size())) return false;
  size_t results = 0;
  for (const Operand& result : context.body.result)
    if (const Name* name = as_name(result))
      results += std::ranges::count(sharing_.roots(*name), made) > 0 ? 1 : 0;
  return results == 1;
}

void Targets::add(Context& context, size_t at, const Operand& value, Target target) const {
  const Name* name = as_name(value);
  if (name == nullptr || sharing_.roots(*name).empty()) return;
  target.type = sharing_.type(*name);
  if (target.kind == Target::kWhole) target.dest = *name;
  const std::optional<Name> made = maker(context, *name, target);
  if (!made || context.found.contains(*made)) return;
  if (target.kind == Target::kWhole && !is_worth_whole(context, *made, target)) return;
  // Nobody looks at it after it would have been copied.
  if (context.is_touched(*made, at + 1, SIZE_MAX)) return;
  if (target.kind == Target::kUpdate) {
    // Nor at the place where it goes before that.
    const size_t from = context.bound_at.at(*made);
    const std::optional<Name> before = earlier_version(context, target, from);
    if (!before) return;
    size_t updates = 0;
    for (Name name = target.dest; !(name == *before); ++updates)
      name = as<Update>(context.body.stmts[context.bound_at.at(name)].exp)->array;
    const bool elsewhere = looks_elsewhere(context, target, *before, from);
    for (const Name root : sharing_.roots(target.dest)) {
      const size_t read = elsewhere ? context.count_touched(root, from, from + 1) : 0;
      if (context.count_touched(root, from, at) > updates + read) return;
    }
    target.dest = *before;
  }
  context.found.emplace(*made, std::move(target));
}

std::unordered_map<Name, Target> Targets::find(const Body& body,
                                               const ResultTargets& results) const {
  Context context{body};
  const auto touch = [&](Name name, size_t k) {
    for (const Name root : sharing_.roots(name)) {
      std::vector<size_t>& at = context.touched_at[root];
      if (at.empty() || at.back() != k) at.push_back(k);
    }
  };
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    const Stmt& stmt = body.stmts[k];
    for (const Param& p : stmt.pat) context.bound_at[p.name] = k;
    const bool hides = as<Opaque>(stmt.exp) != nullptr;
    if (is_view(stmt.exp) && !hides && stmt.pat[0].type.is_array()) continue;
    for (const Name name : free_names(stmt)) touch(name, k);
  }
  for (const Operand& result : body.result)
    if (const Name* name = as_name(result)) touch(*name, body.stmts.size());

  for (size_t k = 0; k < results.size(); ++k)
    if (results[k]) add(context, body.stmts.size(), body.result[k], *results[k]);
  for (size_t k = body.stmts.size(); k-- > 0;) {
    const Stmt& stmt = body.stmts[k];
    if (const auto* e = as<Concat>(stmt.exp)) {
      Target target{Target::kConcat, stmt.pat[0].name, stmt.pat[0].type, stmt.pat[0].name};
      target.dim = e->dim;
      for (const Name part : e->arrays) {
        add(context, k, part, target);
        ++target.part;
        target.lengths.push_back(sharing_.type(part).shape[static_cast<size_t>(e->dim)]);
      }
    } else if (const auto* e = as<ArrayLit>(stmt.exp)) {
      Target target{Target::kRow, stmt.pat[0].name, stmt.pat[0].type, stmt.pat[0].name};
      for (const Operand& elem : e->elems) {
        add(context, k, elem, target);
        ++target.part;
      }
    } else if (const auto* e = as<Update>(stmt.exp)) {
      // Elements that lie on each other cannot be built there.
      if (std::any_of(e->slice.begin(), e->slice.end(), [](const DimSlice& dim) {
            const Const* stride = as_const(dim.stride);
            return !dim.is_index && (stride == nullptr || int_value(*stride) == 0);
          }))
        continue;
      Target target{Target::kUpdate, e->array, sharing_.type(e->array), stmt.pat[0].name};
      target.slice = e->slice;
      target.tokens = stmt.tokens;
      add(context, k, e->value, std::move(target));
    }
  }
  return std::move(context.found);
}

}  // namespace skald::passes
