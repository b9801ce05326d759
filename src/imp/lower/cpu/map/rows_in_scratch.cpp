// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/map/rows_in_scratch.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

using core::as;
using core::as_name;
using core::Sink;

namespace {

// All that a point keeps; some sixteen of them share the second cache.
constexpr int64_t kMostKeptBytes = 16384;
// Longer rows fill vectors of their own, if they are reduced.
constexpr int64_t kShortRow = 64;
// Vectors of kept rows must be so much better, because the costs are rough.
constexpr double kClearlyBetter = 0.75;

// The rows that a thunk reads: arrays from outside, at the point's own indices.
class OwnRows {
 public:
  OwnRows(core::Lambda& thunk, size_t dims, const std::function<bool(Name)>& is_outside)
      : thunk_(thunk), dims_(dims), is_outside_(is_outside) {
    body(thunk.body, false);
  }

  // Those that loops read, and that nothing else is done with.
  std::vector<Name> arrays() const {
    std::vector<Name> found;
    for (const Name array : order_)
      if (in_loops_.contains(array) && !others_.contains(array)) found.push_back(array);
    return found;
  }
  // Reads them from `row` instead, which has the place `block`.
  void replace(Name array, Name row, Name block) { replace(thunk_.body, array, row, block); }

 private:
  bool is_own(const core::Index& e) const {
    if (e.slice.size() < dims_) return false;
    for (size_t k = 0; k < dims_; ++k)
      if (!e.slice[k].is_index || !(e.slice[k].start == Operand{thunk_.params[k].name}))
        return false;
    return true;
  }
  bool is_element(const core::Stmt& stmt) const { return stmt.pat[0].type.is_scalar(); }
  bool is_whole_row(const core::Index& e, const core::Stmt& stmt) const {
    return e.slice.size() == dims_ && stmt.pat[0].type.is_array();
  }

  void body(const core::Body& body, bool in_loop) {
    for (const core::Stmt& stmt : body.stmts) this->stmt(stmt, in_loop);
    for (const Operand& result : body.result) other_use(result);
  }
  void stmt(const core::Stmt& stmt, bool in_loop) {
    const bool loops = in_loop || as<core::Loop>(stmt.exp) != nullptr;
    const auto* e = as<core::Index>(stmt.exp);
    if (e != nullptr && is_outside_(e->array)) {
      if (is_own(*e) && is_element(stmt) && e->slice.size() > dims_)
        read(e->array, in_loop);
      else if (is_own(*e) && is_whole_row(*e, stmt))
        views_[stmt.pat[0].name] = e->array;
      else if (!is_own(*e) || !is_element(stmt))
        others_.insert(e->array);
    } else if (e != nullptr && views_.contains(e->array) && is_element(stmt)) {
      read(views_.at(e->array), in_loop);
    } else if (as<core::Copy>(stmt.exp) == nullptr) {
      core::for_each_operand(stmt.exp, [&](const Operand& o) { other_use(o); });
    }
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { body(inner, loops); });
  }
  void read(Name array, bool in_loop) {
    if (std::ranges::find(order_, array) == order_.end()) order_.push_back(array);
    if (in_loop) in_loops_.insert(array);
  }
  void other_use(const Operand& operand) {
    const Name* name = as_name(operand);
    if (name == nullptr) return;
    const auto view = views_.find(*name);
    others_.insert(view == views_.end() ? *name : view->second);
  }

  void replace(core::Body& body, Name array, Name row, Name block) {
    for (core::Stmt& stmt : body.stmts) {
      core::for_each_body(stmt.exp, [&](core::Body& inner) { replace(inner, array, row, block); });
      auto* e = as<core::Index>(stmt.exp);
      if (e == nullptr || !(e->array == array)) continue;
      if (is_whole_row(*e, stmt)) {
        stmt.pat[0].mem = {{.block = block}};
      } else {
        e->array = row;
        e->slice.erase(e->slice.begin(), e->slice.begin() + static_cast<ptrdiff_t>(dims_));
      }
    }
  }

  core::Lambda& thunk_;
  const size_t dims_;
  const std::function<bool(Name)>& is_outside_;
  std::vector<Name> order_;
  std::unordered_set<Name> in_loops_, others_;
  std::unordered_map<Name, Name> views_;  // of whole rows, and of which array
};

// Every name that a body or what is inside it binds to a place in `block`.
void for_each_in(core::Body& body, Name block, const std::function<void(core::Param&)>& then) {
  const auto look = [&](core::Param& p) {
    if (!p.mem.empty() && p.mem[0].block == block) then(p);
  };
  for (core::Stmt& stmt : body.stmts) {
    for (core::Param& p : stmt.pat) look(p);
    core::for_each_param(stmt.exp, look);
    core::for_each_body(stmt.exp, [&](core::Body& inner) { for_each_in(inner, block, then); });
  }
}

}  // namespace

RowsInScratch find_rows_in_scratch(KernelWriter& kernel) {
  if (!kernel.facts.has_vectors || kernel.node.guarded || !kernel.node.post.empty() ||
      !has_loop(kernel.node.pull.body))
    return {};
  core::Lambda thunk = core::copy_with_fresh_names(kernel.node.pull, kernel.fn.prog.names);
  const auto is_outside = [&](Name array) {
    const ArrayPlace* place = kernel.fn.find_place(array);
    return place != nullptr && place->loc.strides.empty();
  };
  RowsInScratch kept;
  kept.read = OwnRows(thunk, kernel.facts.dims.size(), is_outside).arrays();
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->kind != Sink::kOut) return {};
    for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k) {
      const core::Type& row = thunk.results[info.values + k].type;
      if (row.is_scalar()) continue;
      const ArrayPlace& place = kernel.result_place(info.results + k);
      if (!kernel.facts.in_place.contains(info.values + k)) {
        kept.given.push_back({info.values + k, info.results + k});
        continue;
      }
      bool whole = place.loc.strides.empty();
      for_each_in(thunk.body, place.loc.block, [&](core::Param& p) {
        whole = whole && p.type == row && p.mem[0].strides.empty();
      });
      if (whole) kept.made.push_back({info.values + k, info.results + k});
      // Rows that are changed where they are may stay as they are.
      for (const Name name : core::free_names(kernel.node.pull))
        if (const ArrayPlace* read = kernel.fn.find_place(name);
            read != nullptr && read->loc.block == place.loc.block)
          return {};
    }
  }
  return kept;
}

namespace {

Operand scratch_bytes(KernelWriter& kernel, Code& code, const RowsInScratch& kept) {
  Operand bytes = const_i64(0);
  const auto add = [&](const ArrayPlace& place) {
    const core::Type row = core::row_type(place.type, static_cast<int>(kernel.facts.dims.size()));
    bytes =
        code.add_i64(bytes, code.mul_i64(element_count(code, row), const_i64(prim_size(row.elem))));
  };
  for (const Name array : kept.read) add(kernel.fn.place(array));
  for (const auto* rows : {&kept.made, &kept.given})
    for (const auto& [value, result] : *rows) add(kernel.result_place(result));
  return bytes;
}

// The thunk at one point, with its rows in memory of its own.
void scratch_point(KernelWriter& kernel, const RowsInScratch& rows, Code& code,
                   const std::vector<Operand>& indices, const PointBody& then) {
  core::Lambda thunk = core::copy_with_fresh_names(kernel.node.pull, kernel.fn.prog.names);
  const auto room = [&](const ArrayPlace& place) {
    ArrayPlace own{core::row_type(place.type, static_cast<int>(kernel.facts.dims.size())), {}};
    const Operand bytes =
        code.mul_i64(element_count(code, own.type), const_i64(prim_size(own.type.elem)));
    own.loc.block = code.alloc(Space::kScratch, bytes, "kept");
    return own;
  };
  const auto row_of = [&](const ArrayPlace& place, const ArrayPlace& own) {
    std::vector<Operand> first = indices;
    first.resize(place.type.shape.size(), const_i64(0));
    return ArrayPlace{own.type, {place.loc.block, address(code, place, first), {}}};
  };
  const auto is_outside = [](Name) { return true; };
  OwnRows own_rows(thunk, kernel.facts.dims.size(), is_outside);
  for (const Name array : rows.read) {
    const ArrayPlace& place = kernel.fn.place(array);
    const ArrayPlace own = room(place);
    kernel.fn.copy(code, own, row_of(place, own));
    const Name row = code.fresh("row");
    kernel.fn.arrays[row] = own;
    own_rows.replace(array, row, own.loc.block);
  }
  // By result: the row that the point makes.
  std::vector<std::pair<ArrayPlace, const ArrayPlace*>> made;
  for (const auto& [value, result] : rows.made) {
    const ArrayPlace& place = kernel.result_place(result);
    made.emplace_back(room(place), &place);
    for_each_in(thunk.body, place.loc.block,
                [&](core::Param& p) { p.mem = {{.block = made.back().first.loc.block}}; });
  }
  std::vector<Operand> values = kernel.fn.apply(code, thunk, indices);
  for (const auto& [value, result] : rows.given) {
    const ArrayPlace view = kernel.fn.place(*as_name(values[value]));
    if (view.loc.strides.empty()) continue;
    const ArrayPlace own = room(kernel.result_place(result));
    kernel.fn.copy(code, own, view);
    const Name row = code.fresh("row");
    kernel.fn.arrays[row] = own;
    values[value] = row;
  }
  then(code, indices, values);
  for (const auto& [own, place] : made) kernel.fn.copy(code, row_of(*place, own), own);
}

// Are vectors better if rows are kept, and better than anything else?
bool pays(KernelWriter& kernel, const RowsInScratch& rows) {
  const auto cost = [&] {
    Code trial(kernel.fn.prog);
    trial.loop(
        const_i64(0), kernel.facts.dims.back(),
        [&](Code& at, const Operand& i) {
          kernel.point(
              at, std::vector<Operand>(kernel.facts.dims.size() - 1, const_i64(0)), i,
              [&](Code& inner, const std::vector<Operand>& all,
                  const std::vector<Operand>& values) { kernel.direct_sinks(inner, all, values); });
        },
        1, LoopHint::kSimd);
    const Body made = trial.finish();
    const For& loop = *imp::as<For>(made.stmts.back());
    const LanesAnalysis analysis(loop);
    LaneChoice choice = choose_lanes(loop, analysis, kernel.fn.options.registers);
    if (!analysis.obstacle().empty()) choice = {.cost = analysis.work().scalar};
    return choice;
  };
  const auto cost_in_scratch = [&] {
    const PointsFrom scratch(kernel, points_in_scratch(kernel, rows));
    return cost();
  };
  const LaneChoice with = cost_in_scratch(), without = cost();
  return with.lanes > 0 && with.cost < kClearlyBetter * without.cost;
}

}  // namespace

PointSource points_in_scratch(KernelWriter& kernel, const RowsInScratch& rows) {
  return [&](Code& code, const std::vector<Operand>& indices, const PointBody& then) {
    scratch_point(kernel, rows, code, indices, then);
  };
}

WhyNot why_no_rows_in_scratch(KernelWriter& kernel, bool only_short) {
  const RowsInScratch rows = find_rows_in_scratch(kernel);
  if (rows.read.empty() && (only_short || (rows.made.empty() && rows.given.empty())))
    return "points do not go through rows of their own";
  if (!pays(kernel, rows)) return "vectors are no better with rows in scratch memory";
  return std::nullopt;
}

Operand fit_scratch(KernelWriter& kernel, Code& code, const RowsInScratch& rows, bool only_short) {
  Operand fits = code.less_i64(const_i64(kLanes - 1), kernel.facts.dims.back());
  const auto need = [&](const Operand& size, int64_t most) {
    fits = code.both(fits, code.less_i64(size, const_i64(most)), "keeps");
  };
  need(scratch_bytes(kernel, code, rows), kMostKeptBytes);
  for (const Name array : rows.read)
    if (only_short)
      need(element_count(code, core::row_type(kernel.fn.place(array).type,
                                              static_cast<int>(kernel.facts.dims.size()))),
           kShortRow);
  return fits;
}

}  // namespace skald::imp
