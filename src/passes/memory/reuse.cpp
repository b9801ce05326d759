// SPDX-License-Identifier: Apache-2.0
// One scan over the statements of a body, with the blocks that are free at each point.
//
//   before   let {a_1 : mem} = alloc(b_0)          after   let {a_1 : mem} = alloc(b_0)
//            let {xs_2 @ a_1} = …                          let {xs_2 @ a_1} = …
//            let {ys_3 @ m_9} = … xs_2 …                   let {ys_3 @ m_9} = … xs_2 …
//            let {c_4 : mem} = alloc(b_0)                  let {zs_5 @ a_1} = … ys_3 …
//            let {zs_5 @ c_4} = … ys_3 …
//
// A map may write over an array that dies in it, if every point reads only what it writes
// (own_rows.h).  Parameters that the function consumes count as blocks that it has allocated.
//
// The later array uses the same name of the block, so what back ends conclude from different names
// stays true.  A block that a branch, loop or call may hand on under another name is free when all
// these names are.
#include "passes/memory/reuse.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/name_map.h"
#include "core/ir/visit.h"
#include "passes/memory/own_rows.h"

namespace skald::passes {

using namespace core;

namespace {

// A number of bytes as a constant times other factors; only equal factors are compared.
struct BlockSize {
  int64_t constant = 1;
  std::vector<Operand> factors = {};

  friend bool operator==(const BlockSize&, const BlockSize&) = default;
  bool holds(const BlockSize& other) const {
    return factors == other.factors && constant >= other.constant &&
           // A small array should not keep a large block from a large array.
           constant / 2 <= other.constant;
  }
};

constexpr size_t kMaxDonors = 300;

class BlockScan {
 public:
  BlockScan(Body& body, const std::vector<Param>& params, const analysis::BlockOf& block_of,
            const analysis::ScalarValues& values, PassContext& ctx)
      : body_(body),
        params_(params),
        block_of_(block_of),
        values_(values),
        ctx_(ctx),
        classes_(block_of) {}

  void run() {
    if (std::none_of(body_.stmts.begin(), body_.stmts.end(),
                     [](const Stmt& stmt) { return as<Alloc>(stmt.exp) != nullptr; }))
      return;
    learn();
    std::vector<size_t> removed;
    for (size_t k = 0; k < body_.stmts.size(); ++k) {
      const Alloc* alloc = as<Alloc>(body_.stmts[k].exp);
      if (alloc != nullptr && reuse(k, *alloc)) removed.push_back(k);
    }
    substitute(body_, replaced_);
    for (const auto& [kernel, block] : written_over_)
      remove_self_copies(body_.stmts[kernel], block, values_);
    size_t at = 0, next = 0;
    std::erase_if(body_.stmts, [&](const Stmt&) {
      const bool gone = next < removed.size() && removed[next] == at++;
      next += gone ? 1 : 0;
      return gone;
    });
  }

 private:
  struct Donor {
    Name block;
    BlockSize size;
    Space space;
  };

  void learn() {
    classes_.add(body_);
    for (size_t k = 0; k < body_.stmts.size(); ++k) {
      const Stmt& stmt = body_.stmts[k];
      if (analysis::is_pure_scalar(stmt)) defs_[stmt.pat[0].name] = &stmt.exp;
      for (const Name block : analysis::blocks_used(stmt, block_of_)) {
        last_[classes_.of(block)] = k;
        first_.emplace(classes_.of(block), k);
      }
      for (const Param& p : stmt.pat) {
        if (!p.mem.empty()) arrays_[p.name] = &p;
        if (const Name block = block_of_(p.name)) last_[classes_.of(block)] = k;
      }
    }
    for (const Operand& result : body_.result)
      if (const Name* name = as_name(result)) {
        if (const Name block = block_of_(*name)) last_[classes_.of(block)] = body_.stmts.size();
      }
    for (const Param& p : params_) {
      if (p.mem.empty()) continue;
      arrays_[p.name] = &p;
      if (!p.unique) continue;
      BlockSize size{.constant = prim_size(p.type.elem)};
      for (const Operand& dim : p.type.shape) add_factors(dim, size);
      sort(size);
      donors_.push_back({p.mem[0].block, size, p.type.space});
    }
  }

  BlockSize size_of(const Operand& bytes) const {
    BlockSize size;
    add_factors(bytes, size);
    sort(size);
    return size;
  }
  static void sort(BlockSize& size) {
    std::sort(size.factors.begin(), size.factors.end(),
              [](const Operand& a, const Operand& b) { return as_name(a)->id < as_name(b)->id; });
  }
  void add_factors(const Operand& operand, BlockSize& size, int depth = 0) const {
    constexpr int kMaxDepth = 20;
    if (const Const* c = as_const(operand)) {
      const int64_t number = int_value(*c);
      if (__builtin_mul_overflow(size.constant, number, &size.constant)) size.constant = INT64_MAX;
      return;
    }
    const auto found = defs_.find(*as_name(operand));
    if (found != defs_.end() && depth < kMaxDepth) {
      // The product, or the largest number where it does not fit.
      const Select* select = as<Select>(*found->second);
      if (select != nullptr && select->otherwise == Operand{const_i64(INT64_MAX)}) {
        const Name* product = as_name(select->then);
        const auto inner = product == nullptr ? defs_.end() : defs_.find(*product);
        const BinOp* op = inner == defs_.end() ? nullptr : as<BinOp>(*inner->second);
        if (op != nullptr && op->op == BinOpKind::kMul) {
          add_factors(op->lhs, size, depth + 1);
          return add_factors(op->rhs, size, depth + 1);
        }
      }
    }
    const Operand value = values_.of(operand);
    if (as_const(value) != nullptr) return add_factors(value, size, depth + 1);
    size.factors.push_back(value);
  }
  // Without the guard of an allocation before a loop: what it needs at most.
  Operand most(const Operand& bytes) const {
    const Name* name = as_name(bytes);
    const auto found = name == nullptr ? defs_.end() : defs_.find(*name);
    const Select* select = found == defs_.end() ? nullptr : as<Select>(*found->second);
    return select != nullptr && select->otherwise == Operand{const_i64(0)} ? select->then : bytes;
  }

  bool reuse(size_t at, const Alloc& alloc) {
    const Name block = body_.stmts[at].pat[0].name;
    const Space space = body_.stmts[at].pat[0].type.space;
    const BlockSize own = size_of(alloc.bytes), needed = size_of(most(alloc.bytes));
    for (Donor& donor : donors_) {
      const auto last = last_.find(classes_.of(donor.block));
      if (last == last_.end() || last->second >= at) continue;
      if (donor.space != space) continue;
      if (!donor.size.holds(needed) && !donor.size.holds(own)) continue;
      if (!ctx_.may_rewrite("reuse")) break;
      return replace(block, donor.block);
    }
    // A map may write over what dies in it.
    const auto first = first_.find(classes_.of(block));
    if (first != first_.end() && first->second < body_.stmts.size()) {
      for (Donor& donor : donors_) {
        const auto last = last_.find(classes_.of(donor.block));
        if (last == last_.end() || last->second != first->second || last->second <= at) continue;
        if (donor.space != space || !(donor.size == own) ||
            !can_be(body_.stmts[first->second], donor.block, block))
          continue;
        if (!ctx_.may_rewrite("map in place")) break;
        written_over_.emplace_back(first->second, donor.block);
        return replace(block, donor.block);
      }
    }
    // Programs with thousands of blocks look at some of them only, so that time stays linear.
    if (donors_.size() < kMaxDonors) donors_.push_back({block, own, space});
    return false;
  }

  bool replace(Name block, Name donor) {
    const size_t end = last_[classes_.of(donor)];
    const size_t until = std::max(end, last_[classes_.of(block)]);
    classes_.unite(donor, block);
    last_[classes_.of(block)] = until;
    replaced_[block] = donor;
    return true;
  }

  bool can_be(const Stmt& stmt, Name from, Name to) const {
    // Another result, which nobody may ever read, lies there already.
    for (const Param& p : stmt.pat)
      if (is_same(block_of_(p.name), from)) return false;
    return can_write_over(stmt,
                          {block_of_, values_, to, [&](Name block) { return is_same(block, from); },
                           [&](Name block) { return now(block) == from; },
                           [&](Name array) -> const Param* {
                             const auto found = arrays_.find(array);
                             return found == arrays_.end() ? nullptr : found->second;
                           }});
  }
  // May the two be one block, now that some stand for others?
  bool is_same(Name block, Name other) const {
    return block && classes_.of(block) == classes_.of(other);
  }
  Name now(Name block) const {
    const auto found = replaced_.find(block);
    return found == replaced_.end() ? block : *as_name(found->second);
  }

  Body& body_;
  const std::vector<Param>& params_;
  const analysis::BlockOf& block_of_;
  const analysis::ScalarValues& values_;
  PassContext& ctx_;
  analysis::BlockClasses classes_;
  // The first and the last statement that use a block of the class.
  NameMap<size_t> first_, last_;
  NameMap<const Param*> arrays_;
  NameMap<const Exp*> defs_;
  std::vector<Donor> donors_;
  Substitution replaced_;
  std::vector<std::pair<size_t, Name>> written_over_;  // kernels, and the block
};

}  // namespace

void reuse_blocks(Body& body, const std::vector<Param>& params, const analysis::BlockOf& block_of,
                  const analysis::ScalarValues& values, PassContext& ctx) {
  BlockScan(body, params, block_of, values, ctx).run();
}

}  // namespace skald::passes
