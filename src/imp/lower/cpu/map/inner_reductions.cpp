// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/map/inner_reductions.h"

#include <algorithm>
#include <limits>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/kernel/strides.h"

namespace skald::imp {

using core::as;
using core::as_name;

namespace {

// Shorter loops run one by one.
constexpr int64_t kWorthInside = 24;
// Longer ones are worked on by all threads, in chunks of at least so many rounds.
constexpr int64_t kLongInnerRow = 65536, kInnerChunk = 16384;
// Rounds that are done without asking whether there are so many.
constexpr int64_t kFirstRounds = 4;
// Accumulators of loops that gather.
constexpr int64_t kInnerStreams = 4;

bool is_plain(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    const bool refused = as<core::Call>(stmt.exp) != nullptr ||
                         as<core::Alloc>(stmt.exp) != nullptr ||
                         as<core::Loop>(stmt.exp) != nullptr;
    bool plain = !refused;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      plain = plain && is_plain(inner);
      for (const core::Param& p : stmt.pat) plain = plain && p.type.is_scalar();
    });
    for (const core::Param& p : stmt.pat) plain = plain && p.type.kind != core::Type::kMem;
    if (!plain) return false;
  }
  return true;
}

int uses(const core::Body& body, Name name) {
  int count = 0;
  for (const Operand& o : body.result) count += o == Operand{name} ? 1 : 0;
  for (const core::Stmt& stmt : body.stmts) {
    core::for_each_operand(stmt.exp,
                           [&](const Operand& o) { count += o == Operand{name} ? 1 : 0; });
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { count += uses(inner, name); });
  }
  return count;
}

// x op neutral is x, bit by bit.  Of a NaN and another float, min and max take the other.
std::optional<Const> identity_of(BinOpKind op, Prim type) {
  if ((op == BinOpKind::kMin || op == BinOpKind::kMax) && is_float(type))
    return core::const_float(type, std::numeric_limits<double>::quiet_NaN());
  if (op == BinOpKind::kAdd)
    return is_float(type) ? core::const_float(type, -0.0) : core::const_int(type, 0);
  if (op == BinOpKind::kMul)
    return is_float(type) ? core::const_float(type, 1) : core::const_int(type, 1);
  return std::nullopt;
}

// The operator that makes the next value of parameter k: acc op (something else).
const core::BinOp* step_of(const core::Loop& loop, size_t k) {
  const Name acc = loop.params[k].param.name;
  const Name* next = as_name(loop.body.result[k]);
  if (next == nullptr) return nullptr;
  for (const core::Stmt& stmt : loop.body.stmts) {
    if (stmt.pat.size() != 1 || !(stmt.pat[0].name == *next)) continue;
    const auto* node = as<core::BinOp>(stmt.exp);
    if (node == nullptr || !stmt.tokens.empty() || !identity_of(node->op, node->type))
      return nullptr;
    const bool one = (node->lhs == Operand{acc}) != (node->rhs == Operand{acc});
    return one && uses(loop.body, acc) == 1 && uses(loop.body, *next) == 1 ? node : nullptr;
  }
  return nullptr;
}

bool is_marked(const core::Stmt& stmt) {
  return stmt.hints.reduction;
}

// A loop that this file can do.
const core::Loop* reduction_of(const core::Stmt& stmt) {
  const auto* loop = as<core::Loop>(stmt.exp);
  if (loop == nullptr || !is_marked(stmt) || loop->form != core::Loop::kFor ||
      loop->var.type.elem != Prim::kI64 || !is_plain(loop->body))
    return nullptr;
  const Const* bound = core::as_const(loop->bound);
  if (bound != nullptr && core::int_value(*bound) < kWorthInside) return nullptr;
  for (size_t k = 0; k < loop->params.size(); ++k)
    if (!loop->params[k].param.type.is_scalar() || step_of(*loop, k) == nullptr) return nullptr;
  return loop->params.empty() ? nullptr : loop;
}

// Does each round add an element, and nothing else?
bool adds_elements(const core::Loop& loop) {
  std::vector<Name> elements;
  for (const core::Stmt& stmt : loop.body.stmts) {
    if (as<core::Index>(stmt.exp) != nullptr)
      elements.push_back(stmt.pat[0].name);
    else if (as<core::BinOp>(stmt.exp) == nullptr)
      return false;
  }
  for (size_t k = 0; k < loop.params.size(); ++k) {
    const core::BinOp* step = step_of(loop, k);
    const Operand acc{loop.params[k].param.name};
    const Name* added = as_name(step->lhs == acc ? step->rhs : step->lhs);
    if (added == nullptr || std::find(elements.begin(), elements.end(), *added) == elements.end())
      return false;
  }
  return true;
}

// One such loop on its way to code.
class InnerReduction {
 public:
  InnerReduction(FunctionLowering& fn, const core::Loop& node)
      : fn_(fn), node_(node), count_(node.params.size()), bound_(fn.value(node.bound)) {
    for (size_t k = 0; k < count_; ++k) steps_.push_back(step_of(node, k));
    std::vector<const core::Stmt*> inside;
    for (const core::Stmt& inner : node.body.stmts) inside.push_back(&inner);
    const auto outer = [&](Name array) -> const ArrayPlace& { return fn.place(array); };
    gathers_ = count_accesses(inside, node.var.name, outer).scattered > 0;
    exact_ =
        std::ranges::all_of(steps_, [](const core::BinOp* step) { return is_int(step->type); });
  }

  void write(Code& code) {
    for (const core::LoopParam& p : node_.params) {
      own_.push_back(p.param.name);
      code.add(Var{p.param.name, p.param.type.elem, fn_.value(p.init)});
    }
    code.branch(
        code.less_i64(bound_, const_i64(kLongInnerRow)), [&](Code& at) { in_one(at); },
        [&](Code& at) { in_chunks(at); });
  }

 private:
  using Accumulators = std::vector<Name>;

  // One round; the accumulators come as operands, their next values go back.
  std::vector<Operand> round(Code& at, const Operand& i, const std::vector<Operand>& accs) {
    core::Substitution subst;
    subst.emplace(node_.var.name, i);
    for (size_t k = 0; k < count_; ++k) subst.emplace(node_.params[k].param.name, accs[k]);
    const core::Body copy =
        core::copy_with_fresh_names(node_.body, fn_.prog.names, std::move(subst));
    fn_.flows.add(copy);
    fn_.body(at, copy);
    std::vector<Operand> next;
    for (const Operand& result : copy.result) next.push_back(fn_.value(result));
    if (fn_.options.fused_sums)
      for (Operand& sum : next) sum = at.fused(sum);
    return next;
  }
  Operand identity(size_t k) const { return *identity_of(steps_[k]->op, steps_[k]->type); }
  Name neutral(Code& at, size_t k) { return at.var(steps_[k]->type, identity(k), "acc"); }
  Operand combined(Code& at, size_t k, const Operand& a, const Operand& b) {
    return at.let(steps_[k]->type, core::BinOp{steps_[k]->op, steps_[k]->type, a, b}, "both");
  }
  void add_round(Code& at, const Operand& i, const Accumulators& accs) {
    const std::vector<Operand> next = round(at, i, {accs.begin(), accs.end()});
    for (size_t k = 0; k < count_; ++k) at.add(Assign{accs[k], next[k]});
  }
  // Where whole groups of so many rounds end.
  static Operand whole_groups(Code& at, const Operand& first, const Operand& last, int64_t size) {
    const Operand length = at.sub_i64(last, first);
    const Operand rest = at.binop(BinOpKind::kAnd, length, const_i64(size - 1), "rest");
    return at.sub_i64(last, rest);
  }

  // Rounds first … last-1 into these accumulators, in various ways.
  void one_by_one(Code& at, const Operand& first, const Operand& last, const Accumulators& accs) {
    at.short_loop(first, last, [&](Code& inner, const Operand& i) { add_round(inner, i, accs); });
  }
  void plainly(Code& at, const Operand& first, const Operand& last, const Accumulators& accs) {
    at.loop(first, last, [&](Code& inner, const Operand& i) { add_round(inner, i, accs); });
  }
  // Integers may be added in any order, so LLVM finds the vectors itself.
  void quickly(Code& at, const Operand& first, const Operand& last, const Accumulators& accs) {
    if (exact_) return plainly(at, first, last, accs);
    gathers_ ? in_streams(at, first, last, accs) : in_lanes(at, first, last, accs);
  }

  // Rounds 0 … bound-1, which are few; one after the other, too.
  void few_rounds(Code& at) {
    if (!adds_elements(node_)) return one_by_one(at, const_i64(0), bound_, own_);
    std::vector<Name> added;
    for (size_t k = 0; k < count_; ++k)
      added.push_back(
          at.alloc(Space::kScratch, const_i64(kFirstRounds * prim_size(steps_[k]->type)), "added"));
    at.loop(
        const_i64(0), const_i64(kFirstRounds),
        [&](Code& inner, const Operand& lane) { masked_round(inner, lane, added); }, 1,
        LoopHint::kSimd);
    for (int64_t i = 0; i < kFirstRounds; ++i)
      for (size_t k = 0; k < count_; ++k) {
        const Operand term = at.load(steps_[k]->type, added[k], const_i64(i), "term");
        at.add(Assign{own_[k], combined(at, k, own_[k], term)});
      }
    one_by_one(at, const_i64(kFirstRounds), bound_, own_);
  }
  // What round `lane` adds, or nothing if there is no such round.
  void masked_round(Code& code, const Operand& lane, const std::vector<Name>& added) {
    std::vector<Operand> none;
    Accumulators found;
    for (size_t k = 0; k < count_; ++k) {
      none.push_back(identity(k));
      found.push_back(neutral(code, k));
    }
    Code there(fn_.prog);
    const std::vector<Operand> next = round(there, lane, none);
    for (size_t k = 0; k < count_; ++k) there.add(Assign{found[k], next[k]});
    code.add(If{code.less_i64(lane, bound_), there.finish(), {}, true});
    for (size_t k = 0; k < count_; ++k) code.add(Store{steps_[k]->type, added[k], lane, found[k]});
  }

  void in_lanes(Code& at, const Operand& first, const Operand& last, const Accumulators& accs) {
    std::vector<Name> lanes;
    for (size_t k = 0; k < count_; ++k) {
      const Prim type = steps_[k]->type;
      lanes.push_back(at.alloc(Space::kScratch, const_i64(kLanes * prim_size(type)), "lanes"));
      at.loop(
          const_i64(0), const_i64(kLanes),
          [&](Code& inner, const Operand& lane) {
            inner.add(Store{type, lanes[k], lane, identity(k)});
          },
          1, LoopHint::kSimd);
    }
    const auto feed = [&](Code& here, const Operand& group) {
      here.loop(
          const_i64(0), const_i64(kLanes),
          [&](Code& inner, const Operand& lane) {
            std::vector<Operand> loaded;
            for (size_t k = 0; k < count_; ++k)
              loaded.push_back(inner.load(steps_[k]->type, lanes[k], lane, "lane"));
            const std::vector<Operand> next = round(inner, inner.add_i64(group, lane), loaded);
            for (size_t k = 0; k < count_; ++k)
              inner.add(Store{steps_[k]->type, lanes[k], lane, next[k]});
          },
          1, LoopHint::kSimd);
    };
    const Operand whole = whole_groups(at, first, last, kLanes);
    at.loop(first, whole, feed, kLanes);
    // Not into the lanes, which never need memory if nothing but whole vectors touches them.
    one_by_one(at, whole, last, accs);
    add_lanes(at, lanes, accs);
  }
  // Halves added to each other, then to the accumulators.
  void add_lanes(Code& at, const std::vector<Name>& lanes, const Accumulators& accs) {
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (size_t k = 0; k < count_; ++k)
        at.loop(
            const_i64(0), const_i64(half),
            [&](Code& inner, const Operand& lane) {
              const Prim type = steps_[k]->type;
              const Operand low = inner.load(type, lanes[k], lane, "low");
              const Operand high =
                  inner.load(type, lanes[k], inner.add_i64(lane, const_i64(half)), "high");
              inner.add(Store{type, lanes[k], lane, combined(inner, k, low, high)});
            },
            1, half > 1 ? LoopHint::kSimd : LoopHint::kShort);
    for (size_t k = 0; k < count_; ++k) {
      const Operand all = at.load(steps_[k]->type, lanes[k], const_i64(0), "all");
      at.add(Assign{accs[k], combined(at, k, accs[k], all)});
    }
  }

  // Rounds i … i+3 side by side; the first accumulator is the one given.
  void in_streams(Code& at, const Operand& first, const Operand& last, const Accumulators& given) {
    std::vector<Accumulators> accs(static_cast<size_t>(kInnerStreams));
    for (size_t s = 0; s < accs.size(); ++s)
      for (size_t k = 0; k < count_; ++k) accs[s].push_back(s == 0 ? given[k] : neutral(at, k));
    const Operand whole = whole_groups(at, first, last, kInnerStreams);
    at.loop(
        first, whole,
        [&](Code& inner, const Operand& i) {
          for (size_t s = 0; s < accs.size(); ++s)
            add_round(inner, inner.add_i64(i, const_i64(static_cast<int64_t>(s))), accs[s]);
        },
        kInnerStreams, LoopHint::kShort);
    one_by_one(at, whole, last, given);
    for (size_t half = accs.size() / 2; half > 0; half /= 2)
      for (size_t s = 0; s < half; ++s)
        for (size_t k = 0; k < count_; ++k)
          at.add(Assign{accs[s][k], combined(at, k, accs[s][k], accs[s + half][k])});
  }

  void in_one(Code& at) {
    if (exact_) return plainly(at, const_i64(0), bound_, own_);
    if (gathers_) return in_streams(at, const_i64(0), bound_, own_);
    at.branch(
        at.less_i64(bound_, const_i64(kWorthInside)), [&](Code& few) { few_rounds(few); },
        [&](Code& many) { in_lanes(many, const_i64(0), bound_, own_); });
  }
  // One of many rows may be longer than all the others together: threads that have nothing else to
  // do help with its chunks.
  void in_chunks(Code& at) {
    const Name size = fn_.prog.names.fresh("chunk_size");
    at.add(ChunkSize{size, bound_, const_i64(kInnerChunk)});
    std::vector<Name> partials;
    for (size_t k = 0; k < count_; ++k)
      partials.push_back(at.alloc(Space::kScratch,
                                  const_i64(kMaxChunks * prim_size(steps_[k]->type)), "partials"));
    at.parallel_chunks(
        bound_, size,
        [&](Code& inner, const Operand& first, const Operand& last, const Operand& chunk) {
          Accumulators accs;
          for (size_t k = 0; k < count_; ++k) accs.push_back(neutral(inner, k));
          quickly(inner, first, last, accs);
          for (size_t k = 0; k < count_; ++k)
            inner.add(Store{steps_[k]->type, partials[k], chunk, accs[k]});
        });
    const Operand chunks = at.binop(
        BinOpKind::kQuot, at.sub_i64(at.add_i64(bound_, size), const_i64(1)), size, "chunks");
    at.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
      for (size_t k = 0; k < count_; ++k) {
        const Operand partial = inner.load(steps_[k]->type, partials[k], chunk, "partial");
        inner.add(Assign{own_[k], combined(inner, k, own_[k], partial)});
      }
    });
  }

  FunctionLowering& fn_;
  const core::Loop& node_;
  const size_t count_;
  const Operand bound_;
  std::vector<const core::BinOp*> steps_;
  Accumulators own_;
  bool gathers_ = false, exact_ = false;
};

// Does a point make arrays whose size belongs to it?  Then points cannot be lanes.
bool makes_rows_of_its_own(const core::Body& thunk) {
  std::vector<Name> computed;
  for (const core::Stmt& stmt : thunk.stmts) {
    const auto* alloc = as<core::Alloc>(stmt.exp);
    const Name* bytes = alloc == nullptr ? nullptr : as_name(alloc->bytes);
    if (bytes != nullptr && std::ranges::find(computed, *bytes) != computed.end()) return true;
    for (const core::Param& p : stmt.pat) computed.push_back(p.name);
  }
  return false;
}

}  // namespace

WhyNot why_no_inner_lanes(KernelWriter& kernel) {
  if (!kernel.facts.has_vectors) return "it runs on the host of a device";
  if (kernel.facts.is_seg) return "it runs over segments";
  // Arrays that the thunk makes have no place yet; then nothing is known about the loop.
  const ArrayPlace unknown{};
  bool all_known = true;
  const auto outer = [&](Name array) -> const ArrayPlace& {
    const ArrayPlace* place = kernel.fn.find_place(array);
    all_known = all_known && place != nullptr;
    return place == nullptr ? unknown : *place;
  };
  std::vector<const core::Stmt*> before;
  bool found = false;
  const bool has_rows = makes_rows_of_its_own(kernel.node.pull.body);
  for (const core::Stmt& stmt : kernel.node.pull.body.stmts) {
    const core::Loop* loop = reduction_of(stmt);
    if (loop == nullptr) {
      // Another loop decides for itself which way it reads.
      if (as<core::Loop>(stmt.exp) != nullptr && !has_rows)
        return "a loop of the thunk is no reduction";
      before.push_back(&stmt);
      continue;
    }
    std::vector<const core::Stmt*> inside;
    for (const core::Stmt& inner : loop->body.stmts) inside.push_back(&inner);
    const AccessCount along = count_accesses(inside, loop->var.name, outer);
    const Name index = kernel.node.pull.params.back().name;
    const AccessCount without = count_accesses(before, index, outer);
    inside.insert(inside.begin(), before.begin(), before.end());
    const AccessCount with = count_accesses(inside, index, outer);
    if (!all_known || along.contiguous == 0 || with.scattered == without.scattered)
      return "neighbouring points read neighbouring elements";
    found = true;
  }
  if (!found) return "no loop of the thunk is a reduction";
  return std::nullopt;
}

bool write_inner_reduction(FunctionLowering& fn, Code& code, const core::Stmt& stmt) {
  const core::Loop* node = reduction_of(stmt);
  if (node == nullptr) return false;
  InnerReduction(fn, *node).write(code);
  for (size_t k = 0; k < node->params.size(); ++k)
    fn.alias[stmt.pat[k].name] = node->params[k].param.name;
  return true;
}

}  // namespace skald::imp
