// SPDX-License-Identifier: Apache-2.0
// A thunk that is run at several points at once, step by step: what it reads before its first
// check, at all of them; its checks, at all of them with one branch; then the rest, at all of them.
// Compilers move loads down to where their values are used, but never to before a branch of another
// point: with a branch for each check a thread would wait for each load by itself.
#pragma once

#include <vector>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

// How a value of a thunk is kept: what was a bool or a byte, as counts of points are, is one again.
Prim kept_as(const core::Lambda& pull, size_t result);
Operand as_type(Code& code, Prim from, Prim to, const Operand& value);

class ThunkInSteps {
 public:
  explicit ThunkInSteps(KernelWriter& kernel);

  // How many points can be kept in registers, at most `wanted`; 1 if it is not worth it.
  int64_t most_points(int64_t wanted) const;
  bool has_reads() const { return !reads_.body.stmts.empty(); }
  bool has_checks() const { return !checks_.body.stmts.empty(); }
  // May what comes after the checks fail?
  bool rest_may_fail() const { return rest_may_fail_; }

  // Of the points of a batch: what the later steps need of the reads, and what the thunk gives.
  struct Kept {
    std::vector<Name> between, values;
  };
  Kept make_room(Code& code, int64_t points) const;
  // At point k of the batch:
  void read(Code& code, const Kept& kept, const Operand& k,
            const std::vector<Operand>& indices) const;
  // whether all checks hold,
  Operand fits(Code& code, const Kept& kept, const Operand& k,
               const std::vector<Operand>& indices) const;
  // the checks themselves, which fail if they do not,
  void check(Code& code, const Kept& kept, const Operand& k,
             const std::vector<Operand>& indices) const;
  // and what is left, where they hold.
  void finish(Code& code, const Kept& kept, const Operand& k,
              const std::vector<Operand>& indices) const;
  std::vector<Operand> values(Code& code, const Kept& kept, const Operand& k) const;

 private:
  struct Cuts;
  void make_reads(core::Lambda& pull, const Cuts& cuts);
  core::Lambda later_step(const core::Lambda& pull, size_t begin, size_t end) const;
  std::vector<Operand> arguments(Code& code, const Kept& kept, const Operand& k,
                                 const std::vector<Operand>& indices) const;

  KernelWriter& kernel_;
  core::Lambda reads_, fits_, checks_, rest_;
  // What was read before the checks and is needed after.
  std::vector<core::Param> between_;
  // What the thunk gives, and how that is kept.
  std::vector<Prim> values_, kept_;
  bool is_simple_ = true, rest_may_fail_ = false;
};

}  // namespace skald::imp
