// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/nest/tile_plan.h"

#include <unordered_map>
#include <unordered_set>

#include "core/ir/visit.h"

namespace skald::imp {

using core::as;
using core::Name;
using core::Operand;
using core::Prim;
using core::Sink;

namespace {

// What a value depends on.
enum Depends : unsigned { kRow = 1, kColumn = 2, kInner = 4, kState = 8 };

// More accumulators do not fit into registers with more than one row.
constexpr size_t kMostAccumulators = 4;

// Scalars, loads and views: nothing that fails, writes or allocates.
bool is_plain(const core::Stmt& stmt) {
  const bool scalar = stmt.pat.size() == 1 && stmt.pat[0].type.is_scalar();
  const core::Exp& e = stmt.exp;
  if (!stmt.hints.empty() || stmt.pat.size() != 1) return false;
  if (as<core::Index>(e) != nullptr) return true;
  if (!scalar)
    return as<core::Rearrange>(e) != nullptr || as<core::Reshape>(e) != nullptr ||
           as<core::Value>(e) != nullptr;
  return as<core::Value>(e) != nullptr || as<core::UnOp>(e) != nullptr ||
         as<core::BinOp>(e) != nullptr || as<core::CmpOp>(e) != nullptr ||
         as<core::TernOp>(e) != nullptr || as<core::Convert>(e) != nullptr ||
         as<core::Bitcast>(e) != nullptr || as<core::Select>(e) != nullptr;
}

template <class Use>
void for_each_used(const core::Stmt& stmt, const Use& use) {
  core::for_each_operand(stmt.exp, use);
  for (const core::Param& p : stmt.pat)
    for (const core::MemLoc& loc : p.mem) {
      use(loc.offset);
      for (const Operand& stride : loc.strides) use(stride);
    }
}

class Planner {
 public:
  enum class Rows : uint8_t { kOne, kAll };  // dimensions that are rows
  // `row`: how many dimensions are between the rows and the last one before the columns.
  Planner(const core::Kernel& kernel, bool has_columns, Rows rows = Rows::kOne, size_t row = 0)
      : kernel_(kernel), columns_(has_columns ? 1 : 0), rows_(rows), row_(row) {}

  std::optional<TilePlan> plan() {
    if (kernel_.guarded || kernel_.domain.kind == core::Domain::kSeg || !kernel_.post.empty())
      return std::nullopt;
    if (!read_reduction() && !read_loop()) return std::nullopt;
    if (plan_.accs.empty() || plan_.accs.size() > kMostAccumulators) return std::nullopt;
    plan_.rows_together = rows_ == Rows::kAll;
    if (!classify()) return std::nullopt;
    choose_panels();
    // Without a load on either side there is nothing to share.
    const bool shares = columns_ == 0 ? loads(plan_.column_stmts, kInner)
                                      : loads(plan_.row_stmts, kRow | kInner) &&
                                            loads(plan_.column_stmts, kColumn | kInner);
    if (!shares) return std::nullopt;
    return std::move(plan_);
  }

 private:
  bool read_reduction() {
    const std::vector<core::Param>& params = kernel_.pull.params;
    if (params.size() < 2 + columns_ + row_) return false;
    size_t value = 0;
    for (const core::Stmt& stmt : kernel_.pull.body.stmts) plan_.inside.push_back(&stmt);
    for (const Sink& sink : kernel_.sinks) {
      if (sink.kind != Sink::kReduce) return false;
      const core::Operator& op = sink.op[0];
      const size_t n = op.neutral.size();
      for (size_t v = 0; v < n; ++v) {
        const core::Param& acc = op.fn.params[v];
        if (!acc.type.is_scalar()) return false;
        plan_.accs.push_back({acc.name, acc.type.elem, op.neutral[v], op.fn.body.result[v], {}});
        plan_.same.emplace(op.fn.params[n + v].name, kernel_.pull.body.result[value++]);
      }
      for (const core::Stmt& stmt : op.fn.body.stmts) plan_.inside.push_back(&stmt);
    }
    plan_.row = params.size() - 2 - columns_ - row_;
    plan_.i = params[plan_.row].name;
    if (columns_ > 0) plan_.j = params[params.size() - 2].name;
    plan_.k = params.back().name;
    plan_.bound = kernel_.domain.dims.back();
    return true;
  }

  bool read_loop() {
    const std::vector<core::Param>& params = kernel_.pull.params;
    if (params.size() < 1 + columns_ + row_) return false;
    plan_ = {};
    for (const Sink& sink : kernel_.sinks)
      if (sink.kind != Sink::kOut) return false;
    const core::Loop* loop = nullptr;
    for (const core::Stmt& stmt : kernel_.pull.body.stmts) {
      if (const auto* node = as<core::Loop>(stmt.exp)) {
        if (loop != nullptr || node->form != core::Loop::kFor) return false;
        loop = node;
        plan_.is_reduction = stmt.hints.reduction;
        for (size_t v = 0; v < node->params.size(); ++v) {
          const core::LoopParam& p = node->params[v];
          if (!p.param.type.is_scalar()) return false;
          plan_.accs.push_back(
              {p.param.name, p.param.type.elem, p.init, node->body.result[v], stmt.pat[v].name});
        }
        for (const core::Stmt& inner : node->body.stmts) plan_.inside.push_back(&inner);
        plan_.k = node->var.name;
        plan_.k_type = node->var.type.elem;
        plan_.bound = node->bound;
      } else {
        (loop == nullptr ? plan_.before : plan_.after).push_back(&stmt);
      }
    }
    plan_.row = params.size() - 1 - columns_ - row_;
    plan_.i = params[plan_.row].name;
    if (columns_ > 0) plan_.j = params.back().name;
    return loop != nullptr;
  }

  const Operand& real(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    if (name == nullptr) return operand;
    const auto found = plan_.same.find(*name);
    return found == plan_.same.end() ? operand : found->second;
  }
  unsigned of(const Operand& operand) const {
    const Name* name = core::as_name(real(operand));
    if (name == nullptr) return 0;
    const auto found = depends_.find(*name);
    return found == depends_.end() ? 0 : found->second;
  }

  bool add(const core::Stmt& stmt) {
    if (!is_plain(stmt)) return false;
    unsigned all = 0;
    for_each_used(stmt, [&](const Operand& o) { all |= of(o); });
    depends_[stmt.pat[0].name] = all;
    types_[stmt.pat[0].name] = stmt.pat[0].type.elem;
    return true;
  }

  bool classify() {
    depends_[plan_.i] = kRow;
    for (const core::Param& p : kernel_.pull.params) {
      if (p.name == plan_.i || !plan_.rows_together) break;
      depends_[p.name] = kRow;
      types_[p.name] = Prim::kI64;
    }
    if (columns_ > 0) depends_[plan_.j] = kColumn;
    depends_[plan_.k] = kInner;
    types_[plan_.i] = types_[plan_.j] = Prim::kI64;
    for (const core::Stmt* stmt : plan_.before)
      if (!add(*stmt)) return false;
    // It must be known outside.
    if (const Name* bound = core::as_name(plan_.bound); bound && depends_.contains(*bound))
      return false;
    std::unordered_set<Name> both;
    for (const auto& [name, depends] : depends_)
      if ((depends & (kRow | kColumn)) == (kRow | kColumn)) both.insert(name);
    for (const TilePlan::Accumulator& acc : plan_.accs) depends_[acc.param] = kState;
    for (const core::Stmt* stmt : plan_.inside) {
      if (!add(*stmt)) return false;
      const unsigned depends = depends_.at(stmt->pat[0].name);
      const unsigned own = columns_ > 0 ? kRow | kColumn : kRow | kInner;
      const bool shared = depends < kState && (depends & own) != own;
      if (!shared && (as<core::Index>(stmt->exp) != nullptr || !stmt->pat[0].type.is_scalar()))
        return false;
      bool from_before = false;
      for_each_used(*stmt, [&](const Operand& o) {
        const Name* name = core::as_name(real(o));
        from_before = from_before || (name != nullptr && both.contains(*name));
      });
      if (from_before) return false;
    }
    for (const core::Stmt* stmt : plan_.after)
      if (!is_plain(*stmt)) return false;
    return true;
  }

  // Marks what `stmts` (last first) must compute for `wanted`; stops at values for which `stop`
  // holds and calls it once for each.
  template <class Stop>
  TilePlan::Stmts slice(std::unordered_set<Name> wanted, const Stop& stop) {
    TilePlan::Stmts all = plan_.before, result;
    all.insert(all.end(), plan_.inside.begin(), plan_.inside.end());
    for (size_t s = all.size(); s-- > 0;) {
      if (!wanted.contains(all[s]->pat[0].name)) continue;
      result.insert(result.begin(), all[s]);
      for_each_used(*all[s], [&](const Operand& o) {
        const Name* name = core::as_name(real(o));
        if (name != nullptr && !stop(*name)) wanted.insert(*name);
      });
    }
    return result;
  }

  void choose_panels() {
    std::unordered_set<Name> rows, columns, wanted;
    const auto pack = [&](Name name) {
      const auto found = depends_.find(name);
      const unsigned sides = found == depends_.end() ? 0 : found->second;
      if ((sides & kState) != 0) return false;
      if (columns_ == 0) return keep_one(name, sides, rows, columns);
      const unsigned side = sides & (kRow | kColumn);
      if (side == kRow && rows.insert(name).second)
        plan_.row_values.push_back({name, types_.at(name)});
      if (side == kColumn && columns.insert(name).second)
        plan_.column_values.push_back({name, types_.at(name)});
      return side == kRow || side == kColumn;
    };
    for (const TilePlan::Accumulator& acc : plan_.accs) {
      const Name* name = core::as_name(real(acc.next));
      if (name != nullptr && !pack(*name)) wanted.insert(*name);
    }
    plan_.point_stmts = slice(std::move(wanted), pack);
    const auto never = [](Name) { return false; };
    plan_.row_stmts = slice(std::move(rows), never);
    plan_.column_stmts = slice(std::move(columns), never);
  }

  // Without columns: is this a value of the row alone, or of k alone?
  bool keep_one(Name name, unsigned sides, std::unordered_set<Name>& rows,
                std::unordered_set<Name>& columns) {
    if (name == plan_.k || (sides != kRow && sides != kInner)) return false;
    if ((sides == kRow ? rows : columns).insert(name).second)
      (sides == kRow ? plan_.row_values : plan_.column_values).push_back({name, types_.at(name)});
    return true;
  }

  bool loads(const TilePlan::Stmts& stmts, unsigned depends) const {
    for (const core::Stmt* stmt : stmts)
      if (as<core::Index>(stmt->exp) != nullptr && stmt->pat[0].type.is_scalar() &&
          depends_.at(stmt->pat[0].name) == depends)
        return true;
    return false;
  }

  const core::Kernel& kernel_;
  const size_t columns_;  // dimensions
  const Rows rows_;
  const size_t row_;
  TilePlan plan_;
  std::unordered_map<Name, unsigned> depends_;
  std::unordered_map<Name, Prim> types_;
};

}  // namespace

std::optional<TilePlan> plan_tiles(const core::Kernel& kernel) {
  return Planner(kernel, true).plan();
}

std::optional<TilePlan> plan_tiles_of_outer_rows(const core::Kernel& kernel) {
  for (size_t row = 1; row < kernel.pull.params.size(); ++row)
    if (std::optional<TilePlan> plan = Planner(kernel, true, Planner::Rows::kOne, row).plan())
      return plan;
  return std::nullopt;
}

std::optional<TilePlan> plan_tiles_of_all_rows(const core::Kernel& kernel) {
  return Planner(kernel, true, Planner::Rows::kAll).plan();
}

std::optional<TilePlan> plan_without_columns(const core::Kernel& kernel) {
  return Planner(kernel, false).plan();
}

}  // namespace skald::imp
