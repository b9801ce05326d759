// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/own_bins.h"

#include "imp/lower/gpu/hist/choice.h"
#include "imp/lower/gpu/hist/frequent_bins.h"

namespace skald::imp {

namespace {

Operand aligned(Code& code, const Operand& bytes) {
  // Even no bins at all are some memory.
  return code.max_i64(
      code.binop(BinOpKind::kAnd, code.add_i64(bytes, const_i64(kSharedAlignment - 1)),
                 const_i64(-kSharedAlignment), "shared"),
      const_i64(kSharedAlignment));
}

Operand as_u32(Code& code, const Operand& x) {
  return code.let(Prim::kU32, core::Bitcast{Prim::kI32, Prim::kU32, x}, "bits");
}
Operand as_i32(Code& code, const Operand& x) {
  return code.let(Prim::kI32, core::Bitcast{Prim::kU32, Prim::kI32, x}, "number");
}
Operand less_u32(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kU32, a, b}, "less");
}
Operand saturated(Code& code, const Operand& sum, int64_t limit) {
  const Operand most = core::const_int(Prim::kU32, limit);
  return code.let(Prim::kU32, core::BinOp{BinOpKind::kMin, Prim::kU32, sum, most}, "saturated");
}

// Is each of these values a one that is added to bins of 64 bits?
bool counts_points(const KernelWriter& kernel, const SinkInfo& info) {
  if (info.sink->late) return false;
  const core::Operator& op = info.sink->op[0];
  if (atomic_operator(op) != BinOpKind::kAdd || prim_size(op.fn.params[0].type.elem) != 8)
    return false;
  const auto is = [](const Operand& value, int64_t number) {
    return core::as_const(value) != nullptr && core::int_value(*core::as_const(value)) == number;
  };
  if (!is(op.neutral[0], 0)) return false;
  const std::vector<Operand>& results = kernel.node.pull.body.result;
  return std::ranges::all_of(writes_of(info), [&](const SinkInfo& write) {
    return is(results[write.values + info.sink->shape.size()], 1);
  });
}

// So much from each of the threads of a group, and a limit of 31 bits, are less than 2^32.
constexpr int64_t kSmallSummand = int64_t{1} << 20;

}  // namespace

OwnBins::OwnBins(KernelWriter& kernel, size_t sink)
    : kernel_(kernel),
      sink_(sink),
      op_(kernel.facts.sinks[sink].sink->op[0]),
      limit_(saturation_limit(op_)),
      columns_(op_) {
  narrow_ = counts_points(kernel, kernel.facts.sinks[sink]);
}

std::vector<Prim> OwnBins::types() const {
  return narrow_ ? std::vector<Prim>{Prim::kI32} : columns_.types();
}

int64_t OwnBins::bytes() const {
  int64_t bytes = is_locked() ? prim_size(Prim::kI32) : 0;
  for (const Prim type : types()) bytes += prim_size(type);
  return bytes;
}

Operand OwnBins::bytes_of(Code& code, const Operand& count) const {
  Operand all = const_i64(0);
  const auto add = [&](Prim type) {
    all = code.add_i64(all, aligned(code, code.mul_i64(count, const_i64(prim_size(type)))));
  };
  for (const Prim type : types()) add(type);
  if (is_locked()) add(Prim::kI32);
  return all;
}

void OwnBins::make_room(Code& code, const Operand& count) {
  // The size is no constant even if it is known: it may be larger than what compilers allow.
  const auto room = [&](Prim type, std::string_view name) {
    const Operand bytes = aligned(code, code.mul_i64(count, const_i64(prim_size(type))));
    return code.alloc(Space::kShared, code.let(Prim::kI64, core::Value{bytes}, "room"), name);
  };
  blocks_.clear();
  for (const Prim type : types()) blocks_.push_back(room(type, "bins"));
  if (is_locked()) locks_ = room(Prim::kI32, "locks");
}

std::vector<Operand> OwnBins::neutral() const {
  std::vector<Operand> values;
  for (const Operand& value : op_.neutral) values.push_back(kernel_.fn.value(value));
  return values;
}

void OwnBins::clear(Code& code, const Operand& at) const {
  store(code, at, neutral());
  if (is_locked()) code.add(Store{Prim::kI32, locks_, at, core::const_int(Prim::kI32, 0)});
}

void OwnBins::lie_in(const std::vector<Name>& columns) {
  far_ = true;
  blocks_ = columns;
}

Operand OwnBins::would_change(Code& code, const Operand& seen,
                              const std::vector<Operand>& given) const {
  const BinWord word(op_);
  std::vector<Operand> args = word.unpack(code, seen);
  args.insert(args.end(), given.begin(), given.end());
  if (const auto is_given = choice_of_second(op_, code.program().names))
    return kernel_.fn.apply(code, *is_given, args)[0];
  const Operand next = word.pack(code, kernel_.fn.apply(code, op_.fn, args));
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kNe, word.type(), next, seen}, "changes");
}

// What the nearest cache has may be old: what changes nothing there changes nothing in a later
// word.
void OwnBins::look_and_choose(Code& code, const Operand& at,
                              const std::vector<Operand>& given) const {
  const Name seen = code.fresh("seen");
  code.add(Load{
      .name = seen, .type = columns_.types()[0], .block = blocks_[0], .index = at, .near = true});
  code.branch(would_change(code, seen, given), [&](Code& in) { choose(in, at, given); });
}

void OwnBins::update(Code& code, const Operand& at, const std::vector<Operand>& given) const {
  if (instead) return instead(code, at, given);
  if (far_) return look_and_choose(code, at, given);
  const auto here = [&](Code& in) { update_here(in, at, given); };
  if (frequent != nullptr) return frequent->update(code, at, given, here);
  here(code);
}

Operand OwnBins::here(Code& code, const Operand& value) const {
  if (!narrow_) return value;
  return code.let(Prim::kI32, core::Convert{op_.fn.params[0].type.elem, Prim::kI32, value}, "few");
}

void OwnBins::update_here(Code& code, const Operand& at, const std::vector<Operand>& given) const {
  if (limit_) return add_saturating(code, at, given[0]);
  if (is_locked()) return update_locked(code, at, given);
  if (const std::optional<BinOpKind> direct = atomic_operator(op_))
    return code.add(Atomic{*direct, types()[0], blocks_[0], at, here(code, given[0])});
  if (!changes_seldom())
    return update_word(kernel_, code, op_, blocks_[0], at, given, !often_equal);
  choose(code, at, given);
}

// Who loses looks again, and then has seldom anything to change.
void OwnBins::choose(Code& code, const Operand& at, const std::vector<Operand>& given) const {
  const BinWord word(op_);
  const Name old = code.fresh("old");
  Code update(code.program());
  std::vector<Operand> args = word.unpack(update, old);
  args.insert(args.end(), given.begin(), given.end());
  if (const auto is_given = choice_of_second(op_, code.program().names)) {
    const Operand taken = kernel_.fn.apply(update, *is_given, args)[0];
    const Operand packed = word.pack(code, given);
    const Operand next = update.let(word.type(), core::Select{taken, packed, old}, "next");
    return code.add(AtomicUpdate{word.type(), blocks_[0], at, old, update.finish(), next});
  }
  const Operand next = word.pack(update, kernel_.fn.apply(update, op_.fn, args));
  code.add(AtomicUpdate{word.type(), blocks_[0], at, old, update.finish(), next});
}

bool OwnBins::changes_seldom() const {
  return imp::changes_seldom(op_);
}

void OwnBins::update_locked(Code& code, const Operand& at,
                            const std::vector<Operand>& given) const {
  std::vector<Meeting> meetings;
  std::vector<Operand> own, others;
  for (size_t k = 0; k < given.size(); ++k) {
    const Prim type = op_.fn.params[k].type.elem;
    meetings.push_back({type, code.var(type, given[k], "own"), code.fresh("other")});
    own.emplace_back(meetings.back().own);
    others.emplace_back(meetings.back().other);
  }
  const auto applied = [&](Code& to, std::vector<Operand> args, const std::vector<Operand>& more) {
    args.insert(args.end(), more.begin(), more.end());
    return kernel_.fn.apply(to, op_.fn, args);
  };
  Code inside(code.program()), meet(code.program());
  const std::vector<Operand> found = columns_.load(inside, blocks_, at);
  columns_.store(inside, blocks_, at, applied(inside, found, own));
  const std::vector<Operand> both = applied(meet, own, others);
  for (size_t k = 0; k < both.size(); ++k) meet.add(Assign{meetings[k].own, both[k]});
  code.add(Locked{locks_, at, inside.finish(), std::move(meetings), meet.finish()});
}

// Narrow words have no room for numbers of points.
std::optional<Name> OwnBins::counters() const {
  if (is_locked()) return locks_;
  if (prim_size(columns_.types()[0]) < prim_size(Prim::kI32)) return std::nullopt;
  return blocks_.empty() ? Name{} : blocks_[0];
}

void OwnBins::store(Code& code, const Operand& at, const std::vector<Operand>& components) const {
  if (narrow_) return code.add(Store{Prim::kI32, blocks_[0], at, here(code, components[0])});
  columns_.store(code, blocks_, at, components);
}

std::vector<Operand> OwnBins::load(Code& code, const Operand& at) const {
  if (narrow_) {
    const Operand count = as_u32(code, code.load(Prim::kI32, blocks_[0], at, "count"));
    const Prim type = op_.fn.params[0].type.elem;
    return {code.let(type, core::Convert{Prim::kU32, type, count}, "wide")};
  }
  std::vector<Operand> found = columns_.load(code, blocks_, at);
  if (limit_) return {as_i32(code, saturated(code, as_u32(code, found[0]), *limit_))};
  return found;
}

// Small numbers are added by an instruction, and who sees that the sum is too large makes it the
// limit.  So bins exceed it by what all threads of a group add at once, which fits 32 bits.
void OwnBins::add_saturating(Code& code, const Operand& at, const Operand& given) const {
  const Operand value = as_u32(code, given);
  const Operand small = less_u32(code, value, core::const_int(Prim::kU32, kSmallSummand));
  code.branch(
      small,
      [&](Code& in) {
        const Name old = in.fresh("old");
        in.add(FetchAdd{old, Prim::kI32, blocks_[0], at, given});
        const Operand sum = in.let(
            Prim::kU32, core::BinOp{BinOpKind::kAdd, Prim::kU32, as_u32(in, old), value}, "sum");
        const Operand limit = core::const_int(Prim::kU32, *limit_);
        in.branch(less_u32(in, limit, sum), [&](Code& over) {
          over.add(Atomic{BinOpKind::kMin, Prim::kU32, blocks_[0], at, limit});
        });
      },
      [&](Code& in) {
        const Name old = in.fresh("old");
        Code update(in.program());
        const Operand seen = as_i32(update, saturated(update, as_u32(update, old), *limit_));
        const Operand next = kernel_.fn.apply(update, op_.fn, {seen, given})[0];
        in.add(AtomicUpdate{Prim::kI32, blocks_[0], at, old, update.finish(), next});
      });
}

Operand OwnBins::number(Code& code, const std::vector<Operand>& at) const {
  const std::vector<Operand>& shape = kernel_.facts.sinks[sink_].sink->shape;
  Operand number = at[0];
  for (size_t k = 1; k < at.size(); ++k)
    number = code.add_i64(code.mul_i64(number, kernel_.fn.value(shape[k])), at[k]);
  return number;
}

OwnBins::Own OwnBins::find(Code& code, const std::vector<Operand>& at,
                           const Operand& in_bounds) const {
  const Operand among_all = number(code, at);
  if (!range) return {in_bounds, among_all};
  const Operand own = code.sub_i64(among_all, range->begin);
  // Those before the range are large without their sign.
  const auto without_sign = [&](const Operand& x) {
    return code.let(Prim::kU64, core::Bitcast{Prim::kI64, Prim::kU64, x}, "distance");
  };
  const Operand here = code.let(
      Prim::kBool,
      core::CmpOp{CmpOpKind::kLt, Prim::kU64, without_sign(own), without_sign(range->width)},
      "here");
  return {code.both(in_bounds, here, "inside"), own};
}

Operand OwnBins::place(Code& code, const Operand& number) const {
  return code.add_i64(first, code.mul_i64(number, step));
}

std::vector<Operand> OwnBins::indices(Code& code, const Operand& number) const {
  std::vector<Operand> shape;
  for (const Operand& dim : kernel_.facts.sinks[sink_].sink->shape)
    shape.push_back(kernel_.fn.value(dim));
  return unflatten(code, number, shape);
}

Operand OwnBins::count(Code& code) const {
  Operand count = const_i64(1);
  for (const Operand& dim : kernel_.facts.sinks[sink_].sink->shape)
    count = code.mul_i64(count, kernel_.fn.value(dim));
  return count;
}

Operand fit_counters(Code& code, const Operand& points, const Operand& groups) {
  return code.less_i64(points, code.mul_i64(groups, const_i64(OwnBins::kMostCounted)));
}

}  // namespace skald::imp
