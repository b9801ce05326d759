// SPDX-License-Identifier: Apache-2.0
// Points that all go through the same values, like the forces between bodies: each thread has a
// point, and the threads of a group bring these values into its memory together, a piece after the
// other.  While they use one piece, they load the next.
//
// Reductions of few points: several groups share the values of their points, each a part of them,
// and a second launch combines what they found.
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "imp/lower/gpu/fold/monoids.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/nest/nest.h"

namespace skald::imp {

namespace {

// Values of a piece, of which each thread brings one.
constexpr int64_t kValuesOfPiece = kGroupThreads;
// Rounds that are written out.
constexpr int64_t kRoundsAtOnce = 16;
// Rounds with quotients: so many are one row of statements, which has one branch for all of them
// (imp/passes/quotients.cpp) and goes on with one while it waits for another; and so many groups on
// each processor.
constexpr int64_t kRoundsOfRow = 4, kRowsAtOnce = 3;
// All values for one k: two pieces of them fit into the memory of every group.
constexpr int64_t kMostOfPiece = 60;
// Fewer points do not keep a device busy, if each has one thread; fewer values are no piece.
constexpr int64_t kManyPoints = 1 << 15, kLeastPoints = 128, kLeastValues = 64;
// So many groups keep a device busy; and a part of a piece is worth a group: the last ones
// of few large groups would run alone.
constexpr int64_t kGroupsOfParts = 2048, kPiecesOfPart = 1, kLeastParts = 4;

class CommonValues {
 public:
  CommonValues(GpuKernel& gpu, const TilePlan& plan)
      : gpu_(gpu), nest_(gpu.kernel, plan), has_quotients_(divides(plan)) {}

  void write(Code& code, const Otherwise& otherwise);

 private:
  bool may_have_parts() const { return gpu_.kernel.facts.has(core::Sink::kReduce); }
  // In parts, if `parts_` says how many there are.
  void launch(Code& code);
  void launch_parts(Code& code);
  void body(Code& code, Name group, Name thread);
  void end_of_point(Code& code, const Operand& i, const Operand& row);
  // What this thread brings for the piece of k from `first` on.
  std::vector<Operand> fetch(Code& code, const Operand& first);
  void put(Code& code, const std::vector<Operand>& values, const Operand& piece);
  void all_pieces(Code& code);
  void rounds(Code& code, const Operand& copy, const Operand& first, const Operand& k,
              int64_t count);
  static bool divides(const TilePlan& plan);
  static Operand copy_of(Code& code, const Operand& piece);

  GpuKernel& gpu_;
  NestWriter nest_;
  const bool has_quotients_;
  Operand groups_of_row_ = const_i64(0), groups_ = const_i64(0);
  // Of the values for k: how many there are in a part, and which ones this group has.
  Operand length_ = const_i64(0), begin_ = const_i64(0), end_ = const_i64(0);
  std::optional<Operand> parts_ = std::nullopt;
  Operand points_ = const_i64(0), part_ = const_i64(0);
  std::vector<Name> partials_ = {};
  Operand thread_ = const_i64(0), i_ = const_i64(0);
  std::vector<Name> shared_, accs_;
  core::Substitution own_;  // the values of this thread's point
};

Operand CommonValues::copy_of(Code& code, const Operand& piece) {
  const Operand odd = code.binop(BinOpKind::kAnd, piece, const_i64(1), "odd");
  return code.mul_i64(odd, const_i64(kValuesOfPiece));
}

std::vector<Operand> CommonValues::fetch(Code& code, const Operand& first) {
  // After the end: the last value once more, which nobody looks at.
  const Operand last = code.sub_i64(nest_.q, const_i64(1));
  const Operand k = code.min_i64(code.add_i64(first, thread_), last);
  core::Substitution subst = nest_.indices(code, i_, const_i64(0), k);
  nest_.eval(code, nest_.plan.column_stmts, subst);
  std::vector<Operand> values;
  for (const TilePlan::Packed& value : nest_.plan.column_values)
    values.push_back(nest_.look_up(value.name, subst));
  return values;
}

void CommonValues::put(Code& code, const std::vector<Operand>& values, const Operand& piece) {
  const Operand place = code.add_i64(copy_of(code, piece), thread_);
  for (size_t v = 0; v < values.size(); ++v)
    code.add(Store{nest_.plan.column_values[v].type, shared_[v], place, values[v]});
  code.add(Barrier{});
}

bool CommonValues::divides(const TilePlan& plan) {
  bool divides = false;
  for (const core::Stmt* stmt : plan.point_stmts) {
    const auto* node = core::as<core::BinOp>(stmt->exp);
    const bool is_quotient =
        node != nullptr && node->op == BinOpKind::kDiv && node->type == Prim::kF64;
    // Others have branches of their own.
    if (!is_quotient && core::is_slow(stmt->exp)) return false;
    divides = divides || is_quotient;
  }
  return divides;
}

void CommonValues::rounds(Code& code, const Operand& copy, const Operand& first, const Operand& k,
                          int64_t count) {
  std::vector<Operand> accs;
  for (size_t v = 0; v < accs_.size(); ++v)
    accs.emplace_back(code.let(nest_.plan.accs[v].type, core::Value{accs_[v]}, "before"));
  for (int64_t round = 0; round < count; ++round) {
    const Operand number = code.add_i64(k, const_i64(round));
    core::Substitution subst = nest_.indices(code, i_, const_i64(0), code.add_i64(first, number));
    for (const TilePlan::Packed& value : nest_.plan.row_values)
      subst[value.name] = own_.at(value.name);
    const Operand place = code.add_i64(copy, number);
    for (size_t v = 0; v < shared_.size(); ++v)
      subst[nest_.plan.column_values[v].name] =
          code.load(nest_.plan.column_values[v].type, shared_[v], place, "value");
    for (size_t v = 0; v < accs_.size(); ++v) subst[nest_.plan.accs[v].param] = accs[v];
    nest_.eval(code, nest_.plan.point_stmts, subst);
    for (size_t v = 0; v < accs_.size(); ++v) accs[v] = next_of(nest_, code, v, subst);
  }
  for (size_t v = 0; v < accs_.size(); ++v) code.add(Assign{accs_[v], accs[v]});
}

void CommonValues::all_pieces(Code& code) {
  const Operand size = const_i64(kValuesOfPiece);
  put(code, fetch(code, begin_), const_i64(0));
  const Operand whole = code.binop(BinOpKind::kQuot, code.sub_i64(end_, begin_), size, "whole");
  code.loop(const_i64(0), whole, [&](Code& at, const Operand& piece) {
    const Operand first = at.add_i64(begin_, at.mul_i64(piece, size));
    const std::vector<Operand> next = fetch(at, at.add_i64(first, size));
    const Operand copy = copy_of(at, piece);
    const auto row = [&](Code& some, const Operand& begin) {
      if (has_quotients_) return rounds(some, copy, first, begin, kRoundsOfRow);
      some.loop(
          const_i64(0), const_i64(kRoundsAtOnce),
          [&](Code& inner, const Operand& k) {
            rounds(inner, copy, first, inner.add_i64(begin, k), 1);
          },
          1, LoopHint::kUnroll);
    };
    at.loop(const_i64(0), size, row, has_quotients_ ? kRoundsOfRow : kRoundsAtOnce,
            has_quotients_ ? LoopHint::kShort : LoopHint::kNone);
    put(at, next, at.add_i64(piece, const_i64(1)));
  });
  const Operand first = code.add_i64(begin_, code.mul_i64(whole, size));
  const Operand copy = copy_of(code, whole);
  code.short_loop(const_i64(0), code.sub_i64(end_, first),
                  [&](Code& at, const Operand& k) { rounds(at, copy, first, k, 1); });
}

void CommonValues::body(Code& code, Name group, Name thread) {
  thread_ = thread;
  shared_.clear();
  accs_.clear();
  own_.clear();
  for (const TilePlan::Packed& value : nest_.plan.column_values)
    shared_.push_back(code.alloc(Space::kShared,
                                 const_i64(2 * kValuesOfPiece * prim_size(value.type)), "values"));
  Operand rest = group;
  begin_ = const_i64(0);
  end_ = nest_.q;
  if (parts_) {
    const Operand own = NestWriter::split(code, rest, groups_);
    part_ = rest;
    rest = own;
    begin_ = code.mul_i64(part_, length_);
    end_ = code.min_i64(code.add_i64(begin_, length_), nest_.q);
  }
  const Operand number = NestWriter::split(code, rest, groups_of_row_);
  const Operand row = rest;
  const auto dims = nest_.kernel.facts.dims.begin();
  nest_.outer_indices = unflatten(
      code, rest, std::vector<Operand>(dims, dims + static_cast<std::ptrdiff_t>(nest_.outer)));
  const Operand i = code.add_i64(code.mul_i64(number, const_i64(kGroupThreads)), thread);
  i_ = code.min_i64(i, code.sub_i64(nest_.n, const_i64(1)));
  core::Substitution subst = nest_.indices(code, i_, const_i64(0), const_i64(0));
  nest_.eval(code, nest_.plan.row_stmts, subst);
  for (const TilePlan::Packed& value : nest_.plan.row_values)
    own_[value.name] = nest_.look_up(value.name, subst);
  core::Substitution before = nest_.indices(code, i_, const_i64(0), const_i64(0));
  nest_.eval(code, nest_.plan.before, before);
  for (const TilePlan::Accumulator& acc : nest_.plan.accs)
    accs_.push_back(code.var(acc.type, nest_.look_up(acc.init, before), "acc"));
  all_pieces(code);
  code.branch(code.less_i64(i, nest_.n), [&](Code& at) { end_of_point(at, i, row); });
}

void CommonValues::end_of_point(Code& code, const Operand& i, const Operand& row) {
  if (!parts_)
    return nest_.store(code, i, const_i64(0), std::vector<Operand>(accs_.begin(), accs_.end()));
  const Operand point = code.add_i64(code.mul_i64(row, nest_.n), i);
  const Operand place = code.add_i64(code.mul_i64(part_, points_), point);
  for (size_t v = 0; v < accs_.size(); ++v)
    code.add(Store{nest_.plan.accs[v].type, partials_[v], place, accs_[v]});
}

void CommonValues::launch_parts(Code& code) {
  const Operand values = const_i64(kValuesOfPiece);
  const Operand each = pieces(code, pieces(code, nest_.q, values), *parts_);
  length_ = code.mul_i64(each, values);
  parts_ = pieces(code, nest_.q, length_);
  const Operand all = code.mul_i64(*parts_, points_);
  for (const TilePlan::Accumulator& acc : nest_.plan.accs)
    partials_.push_back(
        code.alloc(Space::kDevice, code.mul_i64(all, const_i64(prim_size(acc.type))), "partials"));
  launch(code);
  Monoids monoids(gpu_);
  size_t next = 0;
  for (Monoid& monoid : monoids.all())
    for (size_t v = 0; v < monoid.types.size(); ++v) monoid.partials.push_back(partials_[next++]);
  launch_for(nest_.fn, code, points_, [&](Code& at, const Operand& point) {
    const std::vector<Accumulators> accs = monoids.start_all(at);
    at.loop(const_i64(0), *parts_, [&](Code& inner, const Operand& part) {
      const Operand place = inner.add_i64(inner.mul_i64(part, points_), point);
      for (size_t m = 0; m < accs.size(); ++m)
        monoids.combine(inner, monoids.all()[m], accs[m],
                        Monoids::load_values(inner, monoids.all()[m], place));
    });
    for (size_t m = 0; m < accs.size(); ++m)
      monoids.store_total(at, monoids.all()[m], point, accs[m]);
  });
  for (const Name block : partials_) code.add(Free{block});
}

void CommonValues::launch(Code& code) {
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(nest_.fn);
    body(inner, group, thread);
  }
  const Operand groups = parts_ ? code.mul_i64(groups_, *parts_) : groups_;
  Launch made{group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()};
  if (has_quotients_) made.at_once = kRowsAtOnce;
  add_launch(code, std::move(made));
}

void CommonValues::write(Code& code, const Otherwise& otherwise) {
  nest_.q = nest_.fn.value(nest_.plan.bound);
  if (nest_.plan.k_type != Prim::kI64)
    nest_.q = code.let(Prim::kI64, core::Convert{nest_.plan.k_type, Prim::kI64, nest_.q}, "values");
  groups_of_row_ = pieces(code, nest_.n, const_i64(kGroupThreads));
  points_ = nest_.n;
  groups_ = groups_of_row_;
  for (size_t d = 0; d < nest_.outer; ++d) {
    points_ = code.mul_i64(points_, nest_.kernel.facts.dims[d]);
    groups_ = code.mul_i64(groups_, nest_.kernel.facts.dims[d]);
  }
  const Operand many = code.less_i64(const_i64(kManyPoints - 1), points_);
  const Operand wide = code.less_i64(const_i64(kLeastPoints - 1), nest_.n);
  const Operand longer = code.less_i64(const_i64(kLeastValues - 1), nest_.q);
  const Otherwise in_parts = [&](Code& at) {
    if (!may_have_parts()) return otherwise(at);
    const Operand wanted = at.binop(BinOpKind::kQuot, const_i64(kGroupsOfParts),
                                    at.max_i64(groups_, const_i64(1)), "wanted");
    const Operand most =
        at.binop(BinOpKind::kQuot, nest_.q, const_i64(kPiecesOfPart * kValuesOfPiece), "most");
    const Operand parts = at.min_i64(wanted, most);
    const Operand several =
        at.both(wide, at.less_i64(const_i64(kLeastParts - 1), parts), "several");
    at.branch(
        several,
        [&](Code& here) {
          parts_ = parts;
          launch_parts(here);
        },
        otherwise);
  };
  code.branch(
      code.both(code.both(many, wide, "wide"), longer, "in_pieces"), [&](Code& at) { launch(at); },
      in_parts);
}

}  // namespace

Operand next_of(NestWriter& nest, Code& code, size_t v, const core::Substitution& subst) {
  const Operand next = nest.look_up(nest.plan.accs[v].next, subst);
  return nest.plan.is_reduction ? code.fused(next) : next;
}

WhyNot why_no_pieces(GpuKernel& gpu) {
  const std::optional<TilePlan> plan = plan_without_columns(gpu.kernel.node);
  if (!plan) return "points do not all go through the same values";
  int64_t bytes = 0;
  for (const TilePlan::Packed& value : plan->column_values) bytes += prim_size(value.type);
  if (bytes > kMostOfPiece) return "there are too many values for the memory of a group";
  return std::nullopt;
}

void write_pieces(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  const std::optional<TilePlan> plan = plan_without_columns(gpu.kernel.node);
  CommonValues(gpu, *plan).write(code, otherwise);
}

}  // namespace skald::imp
