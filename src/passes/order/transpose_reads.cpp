// SPDX-License-Identifier: Apache-2.0
// Transposed copies of arrays that a kernel reads again and again across its rows.
//
//   before   kernel(flat(n), \{i} -> … loop … for c < k do … loop … for d < m do … xs[i, d] …)
//
//   after    let t = rearrange((1, 0), xs)
//            let u = copy(t)
//            let v = rearrange((1, 0), u)
//            kernel(flat(n), \{i} -> … v[i, d] …)
//
// Neighbouring points, which run in the lanes of a vector or in the threads of a group, read v[i,
// d] from neighbouring places, where xs[i, d] is a row apart.  A copy costs about as much as
// reading the array that way once.  So it pays if every element is read several times: in a loop,
// or along a dimension of the kernel, that the subscript does not mention, or because the kernel is
// in a loop that leaves the array alone; then the copy is made before that loop.
//
// Stage    kernels.
// Needs    nothing is copied later than here: simplification would take the copy for superfluous.
// Gives    the same kernels; some of their arrays are views of copies.
// Keeps    everything else.
// Cost     linear in the size of the program.
// Tests    tests/golden/passes/transpose_reads/*.core, tests/programs/tiles/transposed_reads.fut
#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/visit.h"
#include "passes/pass.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

// How often a loop of unknown length runs, and how many reads of an element pay for a copy.
constexpr int64_t kUsualTrips = 16;
constexpr int64_t kReadsForCopy = 4;

int64_t trips(const Operand& count) {
  const Const* known = as_const(count);
  return known == nullptr ? kUsualTrips : std::clamp<int64_t>(int_value(*known), 1, 1 << 20);
}

int loops_in(const Body& body) {
  int count = 0;
  for (const Stmt& stmt : body.stmts) {
    if (as<Loop>(stmt.exp) != nullptr) ++count;
    for_each_body(stmt.exp, [&](const Body& inner) { count += loops_in(inner); });
  }
  return count;
}

// The reads of one kernel that are a row apart in neighbouring points.
class FarReads {
 public:
  struct Read {
    Index* node;
    size_t dim;     // subscripted by the last index of the point
    int64_t times;  // that each element is read
  };

  explicit FarReads(Kernel& kernel) : kernel_(kernel) {
    const std::vector<Param>& params = kernel.pull.params;
    for (const Param& p : params) uses_[p.name] = {p.name};
    affine_.insert(params.back().name);
  }
  // Empty if the thunk is not fit for vectors.
  std::vector<Read> find() {
    if (!body(kernel_.pull.body)) reads_.clear();
    return std::move(reads_);
  }

 private:
  using Names = std::unordered_set<Name>;
  struct Around {
    Name var;  // none: unknown
    int64_t trips;
  };

  bool body(Body& body) {
    for (Stmt& stmt : body.stmts) {
      for (const Param& p : stmt.pat)
        if (!p.type.is_scalar() && as<Assert>(stmt.exp) == nullptr) return false;
      if (as<Call>(stmt.exp) != nullptr) return false;
      Names used;
      for_each_operand(stmt.exp, [&](const Operand& o) { add(used, o); });
      if (auto* loop = as<Loop>(stmt.exp)) {
        const bool counted = loop->form == Loop::kFor;
        if (counted) uses_[loop->var.name] = {loop->var.name};
        // What a loop carries may depend on anything.
        for (const LoopParam& p : loop->params) {
          if (!p.param.type.is_scalar()) return false;
          uses_[p.param.name] = {kernel_.pull.params.back().name};
        }
        around_.push_back({counted ? loop->var.name : Name{}, trips(loop->bound)});
        if (!this->body(loop->body)) return false;
        around_.pop_back();
        used = {kernel_.pull.params.back().name};
      } else {
        bool fine = true, nested = false;
        for_each_body(stmt.exp, [&](Body& inner) {
          nested = true;
          fine = fine && this->body(inner);
        });
        if (!fine) return false;
        if (nested) used = {kernel_.pull.params.back().name};
      }
      if (auto* index = as<Index>(stmt.exp)) look_at(*index);
      for (const Param& p : stmt.pat) uses_[p.name] = used;
      if (const auto* sum = as<BinOp>(stmt.exp); sum && is_sum(*sum))
        affine_.insert(stmt.pat[0].name);
    }
    return true;
  }

  // The last index of the point, plus or minus something it does not take part in.
  bool is_sum(const BinOp& e) const {
    if (e.type != Prim::kI64 || (e.op != BinOpKind::kAdd && e.op != BinOpKind::kSub)) return false;
    const auto is_affine = [&](const Operand& o) {
      const Name* name = as_name(o);
      return name != nullptr && affine_.contains(*name);
    };
    if (is_affine(e.lhs)) return !mentions(e.rhs, last());
    return e.op == BinOpKind::kAdd && is_affine(e.rhs) && !mentions(e.lhs, last());
  }
  Name last() const { return kernel_.pull.params.back().name; }
  void add(Names& to, const Operand& o) const {
    const Name* name = as_name(o);
    if (name == nullptr) return;
    if (const auto found = uses_.find(*name); found != uses_.end())
      to.insert(found->second.begin(), found->second.end());
  }
  bool mentions(const Operand& o, Name name) const {
    Names used;
    add(used, o);
    return used.contains(name);
  }

  void look_at(Index& index) {
    if (index.slice.size() < 2 || uses_.contains(index.array) || around_.empty()) return;
    std::optional<size_t> dim;
    for (size_t k = 0; k < index.slice.size(); ++k) {
      if (!index.slice[k].is_index) return;
      const Operand& start = index.slice[k].start;
      if (!mentions(start, last())) continue;
      if (dim || !affine_.contains(std::get<Name>(start))) return;
      dim = k;
    }
    if (!dim || *dim + 1 == index.slice.size()) return;
    Names used;
    for (const DimSlice& s : index.slice) add(used, s.start);
    // Along the row, by a loop: otherwise it is read for one column only.
    bool along = false;
    int64_t times = 1;
    for (const Around& loop : around_) {
      if (!loop.var) times = std::min<int64_t>(times * kUsualTrips, 1 << 20);
      if (!loop.var) continue;
      if (mentions(index.slice.back().start, loop.var)) along = true;
      if (!used.contains(loop.var)) times = std::min<int64_t>(times * loop.trips, 1 << 20);
    }
    if (!along) return;
    for (size_t k = 0; k + 1 < kernel_.pull.params.size(); ++k)
      if (!used.contains(kernel_.pull.params[k].name))
        times = std::min<int64_t>(times * trips(kernel_.domain.dims[k]), 1 << 20);
    reads_.push_back({&index, *dim, times});
  }

  Kernel& kernel_;
  std::vector<Read> reads_;
  std::vector<Around> around_;
  // The indices of the point and counters of loops that a value depends on.
  std::unordered_map<Name, Names> uses_;
  Names affine_;
};

class TransposeReads {
 public:
  TransposeReads(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void function(Function& fn) {
    levels_.clear();
    known_.clear();
    for (const Param& p : fn.params) known_[p.name] = {p.type, 0};
    body(fn.body, false);
  }

 private:
  // A body around the statement that we look at.
  struct Level {
    bool is_loop;
    std::vector<Stmt> before = {};  // to be put before the statement
    // Copies by array and dimension.
    std::vector<std::pair<std::pair<Name, size_t>, Name>> made = {};
  };
  struct Known {
    Type type;
    size_t level;
  };

  void body(Body& body, bool is_loop) {
    const size_t level = levels_.size();
    levels_.push_back({is_loop});
    std::vector<Stmt> stmts;
    for (Stmt& stmt : body.stmts) {
      if (auto* kernel = as<Kernel>(stmt.exp)) {
        this->kernel(*kernel);
      } else {
        const auto* loop = as<Loop>(stmt.exp);
        if (loop != nullptr)
          for (const LoopParam& p : loop->params) known_[p.param.name] = {p.param.type, level + 1};
        for_each_body(stmt.exp, [&](Body& inner) { this->body(inner, loop != nullptr); });
      }
      for (Stmt& made : levels_[level].before) stmts.push_back(std::move(made));
      levels_[level].before.clear();
      for (const Param& p : stmt.pat) known_[p.name] = {p.type, level};
      stmts.push_back(std::move(stmt));
    }
    body.stmts = std::move(stmts);
    levels_.pop_back();
  }

  void kernel(Kernel& kernel) {
    if (kernel.domain.kind == Domain::kSeg || !kernel.post.empty()) return;
    for (const Sink& sink : kernel.sinks)
      if (sink.kind != Sink::kOut &&
          (sink.kind != Sink::kReduce || kernel.domain.kind != Domain::kFlat))
        return;
    // Like a matrix product: done in tiles, which pack what they read.
    if (kernel.domain.dims.size() > 1 && loops_in(kernel.pull.body) == 1) return;
    for (const FarReads::Read& read : FarReads(kernel).find()) {
      const auto found = known_.find(read.node->array);
      if (found == known_.end() || !found->second.type.is_array()) continue;
      const size_t rank = found->second.type.shape.size();
      if (rank != read.node->slice.size()) continue;
      // Rows so short that vector loads take several of them are fine as they are.
      constexpr int64_t kShortRow = 4;
      if (const Const* row = as_const(found->second.type.shape.back());
          row != nullptr && rank == 2 && int_value(*row) <= kShortRow)
        continue;
      // Before the outermost loop that leaves the array alone.
      size_t level = levels_.size() - 1;
      for (size_t l = found->second.level + 1; l < levels_.size(); ++l)
        if (levels_[l].is_loop) {
          level = l - 1;
          break;
        }
      const bool hoisted = level + 1 < levels_.size();
      const int64_t times = read.times * (hoisted ? kUsualTrips : 1);
      const std::string_view array = prog_.names.text(read.node->array);
      if (times < kReadsForCopy) {
        if (ctx_.explains())
          ctx_.explain(
              fmt::format("{} is read across its rows, but not often enough for a copy", array));
        continue;
      }
      if (!ctx_.may_rewrite("transposed copy")) return;
      if (ctx_.explains())
        ctx_.explain(fmt::format("{} is read across its rows about {} times: a transposed copy",
                                 array, times));
      read.node->array = copy_of(read.node->array, found->second.type, read.dim, level);
    }
  }

  // A view that looks like the array, of a copy that is contiguous along `dim`.
  Name copy_of(Name array, const Type& type, size_t dim, size_t level) {
    Level& at = levels_[level];
    for (const auto& [key, name] : at.made)
      if (key == std::pair{array, dim}) return name;
    const size_t rank = type.shape.size();
    std::vector<int> perm, back(rank);
    Type turned = type;
    turned.shape.clear();
    for (size_t k = 0; k < rank; ++k)
      if (k != dim) perm.push_back(static_cast<int>(k));
    perm.push_back(static_cast<int>(dim));
    for (size_t k = 0; k < rank; ++k) {
      back[static_cast<size_t>(perm[k])] = static_cast<int>(k);
      turned.shape.push_back(type.shape[static_cast<size_t>(perm[k])]);
    }
    const auto bind = [&](const Type& t, Exp exp) {
      Param p;
      p.name = prog_.names.fresh_like(array);
      p.type = t;
      Stmt stmt;
      stmt.exp = std::move(exp);
      stmt.pat.push_back(p);
      at.before.push_back(std::move(stmt));
      return p.name;
    };
    const Name view = bind(turned, Rearrange{array, perm});
    const Name copy = bind(turned, Copy{view});
    const Name result = bind(type, Rearrange{copy, back});
    at.made.push_back({{array, dim}, result});
    return result;
  }

  Program& prog_;
  PassContext& ctx_;
  std::vector<Level> levels_;
  std::unordered_map<Name, Known> known_;
};

}  // namespace

Program transpose_reads(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) TransposeReads(prog, ctx).function(fn);
  return prog;
}

}  // namespace skald::passes
