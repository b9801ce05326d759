// SPDX-License-Identifier: Apache-2.0
// One scan over the statements of a body, with the blocks that are free at each point.
//
//   before   let {a_1 : mem} = alloc(b_0)          after   let {a_1 : mem} = alloc(b_0)
//            let {xs_2 @ a_1} = …                          let {xs_2 @ a_1} = …
//            let {ys_3 @ m_9} = … xs_2 …                   let {ys_3 @ m_9} = … xs_2 …
//            let {c_4 : mem} = alloc(b_0)                  let {zs_5 @ a_1} = … ys_3 …
//            let {zs_5 @ c_4} = … ys_3 …
//
// The later array uses the same name of the block, so what back ends conclude from different names
// stays true.  A block that a branch, loop or call may hand on under another name is free when all
// these names are.
#include "passes/memory/reuse.h"

#include <algorithm>

#include "core/rename.h"
#include "core/visit.h"

namespace skald::passes {

using namespace core;

namespace {

// A number of bytes as a constant times other factors; only equal factors are compared.
struct BlockSize {
  int64_t constant = 1;
  std::vector<Operand> factors = {};

  bool holds(const BlockSize& other) const {
    return factors == other.factors && constant >= other.constant &&
           // A small array should not keep a large block from a large array.
           constant / 2 <= other.constant;
  }
};

class BlockScan {
 public:
  BlockScan(Body& body, const BlockOf& block_of, const ScalarValues& values, PassContext& ctx)
      : body_(body), block_of_(block_of), values_(values), ctx_(ctx), classes_(block_of) {}

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
    for (size_t k = removed.size(); k-- > 0;)
      body_.stmts.erase(body_.stmts.begin() + static_cast<ptrdiff_t>(removed[k]));
    substitute(body_, replaced_);
  }

 private:
  struct Donor {
    Name block;
    BlockSize size;
  };

  void learn() {
    classes_.add(body_);
    for (size_t k = 0; k < body_.stmts.size(); ++k) {
      const Stmt& stmt = body_.stmts[k];
      if (is_pure_scalar(stmt)) defs_[stmt.pat[0].name] = &stmt.exp;
      for (const Name block : blocks_used(stmt, block_of_)) last_[classes_.of(block)] = k;
      for (const Param& p : stmt.pat)
        if (const Name block = block_of_(p.name)) last_[classes_.of(block)] = k;
    }
    for (const Operand& result : body_.result)
      if (const Name* name = as_name(result)) {
        if (const Name block = block_of_(*name)) last_[classes_.of(block)] = body_.stmts.size();
      }
  }

  BlockSize size_of(const Operand& bytes) const {
    BlockSize size;
    add_factors(bytes, size);
    std::sort(size.factors.begin(), size.factors.end(),
              [](const Operand& a, const Operand& b) { return as_name(a)->id < as_name(b)->id; });
    return size;
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
    const BlockSize own = size_of(alloc.bytes), needed = size_of(most(alloc.bytes));
    for (Donor& donor : donors_) {
      const auto last = last_.find(classes_.of(donor.block));
      if (last == last_.end() || last->second >= at) continue;
      if (!donor.size.holds(needed) && !donor.size.holds(own)) continue;
      if (!ctx_.may_rewrite("reuse")) break;
      const size_t until = std::max(last->second, last_[classes_.of(block)]);
      classes_.unite(donor.block, block);
      last_[classes_.of(block)] = until;
      replaced_[block] = donor.block;
      return true;
    }
    donors_.push_back({block, own});
    return false;
  }

  Body& body_;
  const BlockOf& block_of_;
  const ScalarValues& values_;
  PassContext& ctx_;
  BlockClasses classes_;
  // The last statement that uses a block of the class.
  std::unordered_map<Name, size_t> last_;
  std::unordered_map<Name, const Exp*> defs_;
  std::vector<Donor> donors_;
  Substitution replaced_;
};

}  // namespace

void reuse_blocks(Body& body, const BlockOf& block_of, const ScalarValues& values,
                  PassContext& ctx) {
  BlockScan(body, block_of, values, ctx).run();
}

}  // namespace skald::passes
