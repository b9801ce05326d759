// SPDX-License-Identifier: Apache-2.0
// Nests like matrix products, in two ways: tiles with panels (tile.cpp), and small nests that read
// memory as it is (small_nests.cpp).
#pragma once

#include <unordered_map>

#include "imp/lower/cpu/nest/tile_plan.h"
#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

WhyNot why_no_tiles(KernelWriter& kernel);
// `otherwise` is for nests that turn out too small.
void write_tiles(KernelWriter& kernel, Code& code, const Otherwise& otherwise);

// What both ways share.
class NestWriter {
 public:
  NestWriter(KernelWriter& kernel_writer, const TilePlan& tile_plan);

  // What statements read that has been loaded already.
  using Loaded = std::unordered_map<const core::Stmt*, Operand>;

  // Before all else where several dimensions are rows together: their number.
  void count_rows(Code& code);
  // Takes a row apart if it is a place in several dimensions: those before i become what `indices`
  // and `store` use.  Gives i.
  Operand enter_row(Code& code, const Operand& row);

  // Runs `stmts` where i, j and k are what `subst` says; extends `subst` by what they bind.
  void eval(Code& code, const TilePlan::Stmts& stmts, core::Substitution& subst,
            const Loaded& loaded = {});
  Operand look_up(Operand operand, const core::Substitution& subst) const;
  core::Substitution indices(Code& code, const Operand& i, const Operand& j, const Operand& k);
  // The value of accumulator v after a round, from what the round's statements have bound.
  Operand next_value(Code& code, size_t v, const core::Substitution& subst);
  // Stores the results at (i, j), for which the loop over k has left `values`.
  void store(Code& code, const Operand& i, const Operand& j, const std::vector<Operand>& values);
  // rest / size, which becomes the new rest, and what is left over.
  static Operand split(Code& code, Operand& rest, const Operand& size);

  KernelWriter& kernel;
  FunctionLowering& fn;
  const TilePlan& plan;
  // The size of an outer dimension.
  const Operand& outer_size(size_t d) const { return kernel.facts.dims[outer_dims[d]]; }
  // All indices up to i.
  std::vector<Operand> point(const Operand& i) const;

  std::vector<size_t> outer_dims = {};  // all but i, j and k
  size_t outer;                         // how many of them are no rows
  Operand n, m, q = const_i64(0);
  std::vector<Operand> outer_indices = {};  // in these dimensions
};

// Nests of a few rows, columns and rounds, of which there are many.
class SmallNest {
 public:
  explicit SmallNest(const NestWriter& nest) : nest_(nest) {}

  // Can the nest be written like this at all?  Adds what the strides need.
  bool is_possible(Code& code);
  // Is it small enough?  A panel would have so many columns, a power of two.
  Operand is_small(Code& code, int64_t panel);
  void write(Code& code);

 private:
  // A load of column values that lies the other way: it is transposed first.
  struct Turned {
    size_t read;   // statement of the thunk
    Operand step;  // from column to column
    Name buffer;   // [k][j]
  };

  void task(Code& code, const Operand& number);
  void rows(Code& code, const Operand& first, int64_t count);

  NestWriter nest_;
  std::vector<Turned> turned_ = {};
};

}  // namespace skald::imp
