// SPDX-License-Identifier: Apache-2.0
// Maps whose points go through rows of their own, one element after another:
//
//   flat(n), \{i} -> loop … for j < m do … as[i, j] …        a recurrence along each row
//
// Lanes are neighbouring points.  Element j of their rows lies m elements apart, which vectors can
// only collect one by one.  So every point copies its rows to memory of its own first, works there,
// and copies the row that it makes to the result.  Memory of lanes is interleaved, hence these
// copies are transpositions, which go through registers (codegen/cpu/vector/memory.cpp):
//
//   rows in memory    a₀ a₁ a₂ …    b₀ b₁ b₂ …    c₀ c₁ c₂ …    d₀ d₁ d₂ …
//   kept by lanes     a₀ b₀ c₀ d₀   a₁ b₁ c₁ d₁   a₂ b₂ c₂ d₂ …
//
// It is done where vectors are then better than what the points would be otherwise, for rows that
// fit into a cache.
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"
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

KernelLowering::KeptRows KernelLowering::find_kept_rows() {
  if (fn_.target_ != Target::kCpu || kernel_.guarded || !kernel_.post.empty() ||
      !has_loop(kernel_.pull.body))
    return {};
  core::Lambda thunk = core::copy_with_fresh_names(kernel_.pull, fn_.prog_.names);
  const auto is_outside = [&](Name array) {
    const ArrayPlace* place = fn_.find_place(array);
    return place != nullptr && place->loc.strides.empty();
  };
  KeptRows kept;
  kept.read = OwnRows(thunk, dims_.size(), is_outside).arrays();
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kOut) return {};
    for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k) {
      const core::Type& row = thunk.results[info.values + k].type;
      if (row.is_scalar()) continue;
      const ArrayPlace& place = result_place(info.results + k);
      if (!in_place_.contains(info.values + k)) {
        kept.given.push_back({info.values + k, info.results + k});
        continue;
      }
      bool whole = place.loc.strides.empty();
      for_each_in(thunk.body, place.loc.block, [&](core::Param& p) {
        whole = whole && p.type == row && p.mem[0].strides.empty();
      });
      if (whole) kept.made.push_back({info.values + k, info.results + k});
      // Rows that are changed where they are may stay as they are.
      for (const Name name : core::free_names(kernel_.pull))
        if (const ArrayPlace* read = fn_.find_place(name);
            read != nullptr && read->loc.block == place.loc.block)
          return {};
    }
  }
  return kept;
}

Operand KernelLowering::kept_bytes(Code& code, const KeptRows& kept) {
  Operand bytes = const_i64(0);
  const auto add = [&](const ArrayPlace& place) {
    const core::Type row = core::row_type(place.type, static_cast<int>(dims_.size()));
    bytes = code.add_i64(
        bytes, code.mul_i64(fn_.element_count(code, row), const_i64(prim_size(row.elem))));
  };
  for (const Name array : kept.read) add(fn_.place(array));
  for (const auto* rows : {&kept.made, &kept.given})
    for (const auto& [value, result] : *rows) add(result_place(result));
  return bytes;
}

void KernelLowering::kept_rows_point(Code& code, const std::vector<Operand>& indices,
                                     const PointBody& then) {
  core::Lambda thunk = core::copy_with_fresh_names(kernel_.pull, fn_.prog_.names);
  const auto room = [&](const ArrayPlace& place) {
    ArrayPlace own{core::row_type(place.type, static_cast<int>(dims_.size())), {}};
    const Operand bytes =
        code.mul_i64(fn_.element_count(code, own.type), const_i64(prim_size(own.type.elem)));
    own.loc.block = code.alloc(Space::kScratch, bytes, "kept");
    return own;
  };
  const auto row_of = [&](const ArrayPlace& place, const ArrayPlace& own) {
    std::vector<Operand> first = indices;
    first.resize(place.type.shape.size(), const_i64(0));
    return ArrayPlace{own.type, {place.loc.block, fn_.address(code, place, first), {}}};
  };
  const auto is_outside = [](Name) { return true; };
  OwnRows rows(thunk, dims_.size(), is_outside);
  for (const Name array : kept_rows_->read) {
    const ArrayPlace& place = fn_.place(array);
    const ArrayPlace own = room(place);
    fn_.copy(code, own, row_of(place, own));
    const Name row = code.fresh("row");
    fn_.arrays_[row] = own;
    rows.replace(array, row, own.loc.block);
  }
  // By result: the row that the point makes.
  std::vector<std::pair<ArrayPlace, const ArrayPlace*>> made;
  for (const auto& [value, result] : kept_rows_->made) {
    const ArrayPlace& place = result_place(result);
    made.emplace_back(room(place), &place);
    for_each_in(thunk.body, place.loc.block,
                [&](core::Param& p) { p.mem = {{.block = made.back().first.loc.block}}; });
  }
  std::vector<Operand> values = fn_.apply(code, thunk, indices);
  for (const auto& [value, result] : kept_rows_->given) {
    const ArrayPlace view = fn_.place(*as_name(values[value]));
    if (view.loc.strides.empty()) continue;
    const ArrayPlace own = room(result_place(result));
    fn_.copy(code, own, view);
    const Name row = code.fresh("row");
    fn_.arrays_[row] = own;
    values[value] = row;
  }
  then(code, indices, values);
  for (const auto& [own, place] : made) fn_.copy(code, row_of(*place, own), own);
}

// Are vectors better if rows are kept, and better than anything else?
bool KernelLowering::should_keep_rows(const KeptRows& kept) {
  const auto cost = [&](bool keep) {
    kept_rows_ = keep ? &kept : nullptr;
    Code trial(fn_.prog_);
    trial.loop(
        const_i64(0), dims_.back(),
        [&](Code& at, const Operand& i) {
          std::vector<Operand> indices(dims_.size() - 1, const_i64(0));
          indices.push_back(i);
          point(at, indices,
                [&](Code& inner, const std::vector<Operand>& all,
                    const std::vector<Operand>& values) { direct_sinks(inner, all, values); });
        },
        1, LoopHint::kSimd);
    kept_rows_ = nullptr;
    const Body made = trial.finish();
    const For& loop = *imp::as<For>(made.stmts.back());
    const LanesAnalysis analysis(loop);
    LaneChoice choice = choose_lanes(loop, analysis, fn_.options_.registers);
    if (!analysis.obstacle().empty()) choice = {.cost = analysis.work().scalar};
    return choice;
  };
  const LaneChoice with = cost(true), without = cost(false);
  return with.lanes > 0 && with.cost < kClearlyBetter * without.cost;
}

bool KernelLowering::map_with_kept_rows(Code& code, bool only_short,
                                        const std::function<void(Code&)>& points,
                                        const std::function<void(Code&)>& otherwise) {
  const KeptRows kept = find_kept_rows();
  if (kept.read.empty() && (only_short || (kept.made.empty() && kept.given.empty()))) return false;
  if (!should_keep_rows(kept)) return false;
  Operand fits = code.less_i64(const_i64(kLanes - 1), dims_.back());
  const auto need = [&](const Operand& size, int64_t most) {
    fits = code.both(fits, code.less_i64(size, const_i64(most)), "keeps");
  };
  need(kept_bytes(code, kept), kMostKeptBytes);
  for (const Name array : kept.read)
    if (only_short)
      need(fn_.element_count(code,
                             core::row_type(fn_.place(array).type, static_cast<int>(dims_.size()))),
           kShortRow);
  code.branch(
      fits,
      [&](Code& at) {
        kept_rows_ = &kept;
        points(at);
        kept_rows_ = nullptr;
      },
      otherwise);
  return true;
}

}  // namespace skald::imp
