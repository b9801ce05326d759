// SPDX-License-Identifier: Apache-2.0
// Points that all go through the same values, like the forces between bodies: each thread has a
// point, and the threads of a group bring these values into its memory together, a piece after the
// other.  While they use one piece, they load the next.
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/nest/nest.h"

namespace skald::imp {

namespace {

// Values of a piece, of which each thread brings one.
constexpr int64_t kValuesOfPiece = kGroupThreads;
// Rounds that are written out.
constexpr int64_t kRoundsAtOnce = 16;
// All values for one k: two pieces of them fit into the memory of every group.
constexpr int64_t kMostOfPiece = 60;
// Fewer points do not keep a device busy, if each has one thread; fewer values are no piece.
constexpr int64_t kManyPoints = 1 << 15, kLeastPoints = 128, kLeastValues = 64;

class CommonValues {
 public:
  CommonValues(GpuKernel& gpu, const TilePlan& plan) : nest_(gpu.kernel, plan) {}

  void write(Code& code, const Otherwise& otherwise);

 private:
  void launch(Code& code);
  void body(Code& code, Name group, Name thread);
  // What this thread brings for the piece of k from `first` on.
  std::vector<Operand> fetch(Code& code, const Operand& first);
  void put(Code& code, const std::vector<Operand>& values, const Operand& piece);
  void all_pieces(Code& code);
  void round(Code& code, const Operand& copy, const Operand& first, const Operand& k);
  static Operand copy_of(Code& code, const Operand& piece);

  NestWriter nest_;
  Operand groups_of_row_ = const_i64(0);
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

void CommonValues::round(Code& code, const Operand& copy, const Operand& first, const Operand& k) {
  core::Substitution subst = nest_.indices(code, i_, const_i64(0), code.add_i64(first, k));
  for (const TilePlan::Packed& value : nest_.plan.row_values)
    subst[value.name] = own_.at(value.name);
  const Operand place = code.add_i64(copy, k);
  for (size_t v = 0; v < shared_.size(); ++v)
    subst[nest_.plan.column_values[v].name] =
        code.load(nest_.plan.column_values[v].type, shared_[v], place, "value");
  for (size_t v = 0; v < accs_.size(); ++v)
    subst[nest_.plan.accs[v].param] =
        code.let(nest_.plan.accs[v].type, core::Value{accs_[v]}, "before");
  nest_.eval(code, nest_.plan.point_stmts, subst);
  for (size_t v = 0; v < accs_.size(); ++v)
    code.add(Assign{accs_[v], next_of(nest_, code, v, subst)});
}

void CommonValues::all_pieces(Code& code) {
  const Operand size = const_i64(kValuesOfPiece);
  put(code, fetch(code, const_i64(0)), const_i64(0));
  const Operand whole = code.binop(BinOpKind::kQuot, nest_.q, size, "whole");
  code.loop(const_i64(0), whole, [&](Code& at, const Operand& piece) {
    const Operand first = at.mul_i64(piece, size);
    const std::vector<Operand> next = fetch(at, at.add_i64(first, size));
    const Operand copy = copy_of(at, piece);
    at.loop(
        const_i64(0), size,
        [&](Code& some, const Operand& begin) {
          some.loop(
              const_i64(0), const_i64(kRoundsAtOnce),
              [&](Code& inner, const Operand& k) {
                round(inner, copy, first, inner.add_i64(begin, k));
              },
              1, LoopHint::kUnroll);
        },
        kRoundsAtOnce);
    put(at, next, at.add_i64(piece, const_i64(1)));
  });
  const Operand first = code.mul_i64(whole, size);
  const Operand copy = copy_of(code, whole);
  code.short_loop(const_i64(0), code.sub_i64(nest_.q, first),
                  [&](Code& at, const Operand& k) { round(at, copy, first, k); });
}

void CommonValues::body(Code& code, Name group, Name thread) {
  thread_ = thread;
  for (const TilePlan::Packed& value : nest_.plan.column_values)
    shared_.push_back(code.alloc(Space::kShared,
                                 const_i64(2 * kValuesOfPiece * prim_size(value.type)), "values"));
  Operand rest = group;
  const Operand number = NestWriter::split(code, rest, groups_of_row_);
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
  code.branch(code.less_i64(i, nest_.n), [&](Code& at) {
    nest_.store(at, i, const_i64(0), std::vector<Operand>(accs_.begin(), accs_.end()));
  });
}

void CommonValues::launch(Code& code) {
  groups_of_row_ = pieces(code, nest_.n, const_i64(kGroupThreads));
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(nest_.fn);
    body(inner, group, thread);
  }
  Operand groups = groups_of_row_;
  for (size_t d = 0; d < nest_.outer; ++d)
    groups = code.mul_i64(groups, nest_.kernel.facts.dims[d]);
  add_launch(code, {group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

void CommonValues::write(Code& code, const Otherwise& otherwise) {
  nest_.q = nest_.fn.value(nest_.plan.bound);
  if (nest_.plan.k_type != Prim::kI64)
    nest_.q = code.let(Prim::kI64, core::Convert{nest_.plan.k_type, Prim::kI64, nest_.q}, "values");
  Operand points = nest_.n;
  for (size_t d = 0; d < nest_.outer; ++d)
    points = code.mul_i64(points, nest_.kernel.facts.dims[d]);
  const Operand many = code.less_i64(const_i64(kManyPoints - 1), points);
  const Operand wide = code.less_i64(const_i64(kLeastPoints - 1), nest_.n);
  const Operand longer = code.less_i64(const_i64(kLeastValues - 1), nest_.q);
  code.branch(
      code.both(code.both(many, wide, "wide"), longer, "in_pieces"), [&](Code& at) { launch(at); },
      otherwise);
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
