// SPDX-License-Identifier: Apache-2.0
// One scan over the statements of a body, with the blocks that are free at each point.
//
//   before   let {a_1 : mem} = alloc(b_0)          after   let {a_1 : mem} = alloc(b_0)
//            let {xs_2 @ a_1} = …                          let {xs_2 @ a_1} = …
//            let {ys_3 @ m_9} = … xs_2 …                   let {ys_3 @ m_9} = … xs_2 …
//            let {c_4 : mem} = alloc(b_0)                  let {zs_5 @ a_1} = … ys_3 …
//            let {zs_5 @ c_4} = … ys_3 …
//
// A map may write over an array that dies in it, if every point reads only the element that it
// writes.
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
    size_t at = 0, next = 0;
    std::erase_if(body_.stmts, [&](const Stmt&) {
      const bool gone = next < removed.size() && removed[next] == at++;
      next += gone ? 1 : 0;
      return gone;
    });
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
      for (const Name block : blocks_used(stmt, block_of_)) {
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
      return replace(block, donor.block);
    }
    // A map may write over what dies in it.
    const auto first = first_.find(classes_.of(block));
    if (first != first_.end() && first->second < body_.stmts.size()) {
      for (Donor& donor : donors_) {
        const auto last = last_.find(classes_.of(donor.block));
        if (last == last_.end() || last->second != first->second || last->second <= at) continue;
        if (!(donor.size == own) || !is_elementwise(body_.stmts[first->second], donor.block, block))
          continue;
        if (!ctx_.may_rewrite("map in place")) break;
        return replace(block, donor.block);
      }
    }
    // Programs with thousands of blocks look at some of them only, so that time stays linear.
    if (donors_.size() < kMaxDonors) donors_.push_back({block, own});
    return false;
  }

  bool replace(Name block, Name donor) {
    const size_t until = std::max(last_[classes_.of(donor)], last_[classes_.of(block)]);
    classes_.unite(donor, block);
    last_[classes_.of(block)] = until;
    replaced_[block] = donor;
    return true;
  }

  // Does the kernel write `to`, and read `from` only at the place that the same point writes?
  bool is_elementwise(const Stmt& stmt, Name from, Name to) const {
    const Kernel* kernel = as<Kernel>(stmt.exp);
    if (kernel == nullptr || kernel->guarded || !kernel->post.empty() ||
        kernel->domain.kind == Domain::kSeg)
      return false;
    for (const Sink& sink : kernel->sinks)
      if (sink.kind != Sink::kOut) return false;
    int64_t width = 0;
    for (const Param& p : stmt.pat) {
      if (p.mem.empty() || !(p.mem[0].block == to)) continue;
      if (width != 0 || !covers_domain(p, *kernel)) return false;
      width = prim_size(p.type.elem);
    }
    return width != 0 && reads_own_element(kernel->pull.body, *kernel, from, width);
  }
  bool covers_domain(const Param& array, const Kernel& kernel) const {
    const MemLoc& loc = array.mem[0];
    if (!loc.strides.empty() || !(loc.offset == Operand{const_i64(0)})) return false;
    return std::equal(array.type.shape.begin(), array.type.shape.end(), kernel.domain.dims.begin(),
                      kernel.domain.dims.end(),
                      [&](const Operand& a, const Operand& b) { return values_.same(a, b); });
  }
  bool reads_own_element(const Body& body, const Kernel& kernel, Name from, int64_t width) const {
    bool fine = true;
    for (const Stmt& stmt : body.stmts) {
      // What needs scratch memory may be run again with more of it.
      if (as<Alloc>(stmt.exp) != nullptr || as<Call>(stmt.exp) != nullptr) return false;
      for (const Param& p : stmt.pat)
        if (!p.mem.empty() && is_same(p.mem[0].block, from)) return false;
      const Index* index = as<Index>(stmt.exp);
      const bool own = index != nullptr && is_own_index(*index, kernel);
      for_each_operand(stmt.exp, [&](const Operand& o) {
        const Name* name = as_name(o);
        if (name == nullptr || !is_same(block_of_(*name), from)) return;
        const auto array = arrays_.find(*name);
        fine = fine && own && *name == index->array && array != arrays_.end() &&
               now(array->second->mem[0].block) == from &&
               prim_size(array->second->type.elem) == width &&
               covers_domain(*array->second, kernel);
      });
      for_each_body(stmt.exp, [&](const Body& inner) {
        fine = fine && reads_own_element(inner, kernel, from, width);
      });
    }
    for (const Operand& result : body.result)
      if (const Name* name = as_name(result); name && is_same(block_of_(*name), from)) return false;
    return fine;
  }
  // May the two be one block, now that some stand for others?
  bool is_same(Name block, Name other) const {
    return block && classes_.of(block) == classes_.of(other);
  }
  Name now(Name block) const {
    const auto found = replaced_.find(block);
    return found == replaced_.end() ? block : *as_name(found->second);
  }
  static bool is_own_index(const Index& index, const Kernel& kernel) {
    return std::equal(index.slice.begin(), index.slice.end(), kernel.pull.params.begin(),
                      kernel.pull.params.end(), [](const DimSlice& dim, const Param& p) {
                        return dim.is_index && dim.start == Operand{p.name};
                      });
  }

  Body& body_;
  const BlockOf& block_of_;
  const ScalarValues& values_;
  PassContext& ctx_;
  BlockClasses classes_;
  // The first and the last statement that use a block of the class.
  std::unordered_map<Name, size_t> first_, last_;
  std::unordered_map<Name, const Param*> arrays_;
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
