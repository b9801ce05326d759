// SPDX-License-Identifier: Apache-2.0
// What the code is for.  Statements and arrays are lowered alike for all targets, except for what
// they ask here.  The answers depend on the code that is being written: host code, a kernel, or
// code that several threads run together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/ir/program.h"
#include "imp/ir/code.h"
#include "imp/lower/common/arrays.h"

namespace skald::imp {

class FunctionLowering;

class LoweringTarget {
 public:
  virtual ~LoweringTarget() = default;

  virtual void kernel(FunctionLowering& fn, Code& code, const core::Stmt& stmt,
                      const core::Kernel& kernel) = 0;
  // Gets loops first; false (and no code) if a loop shall become a plain one.
  virtual bool loop(FunctionLowering& fn, Code& code, const core::Stmt& stmt,
                    const core::Loop& loop);
  // True if `hist` is a histogram with bins of their own for each row, where `fill` makes them, and
  // fills each row before it is used, so that nothing is done for `fill`.
  virtual bool can_fill_later(FunctionLowering& fn, const core::Stmt& fill, const core::Stmt& hist);

  // True if kernels become loops that vectors may run.
  virtual bool has_vectors() const = 0;
  // Where blocks with references live that core has in that space.
  virtual Space owned(const FunctionLowering& fn, core::Space space) const = 0;
  // True if the threads of a group run this code together; see gpu/group.h.
  virtual bool in_group() const { return false; }
  // True if threads of the target, rather than loops, go through the elements of an array of that
  // space here.
  virtual bool spreads(const FunctionLowering& fn, core::Space space) const;
  // Only then: runs `body` for 0 … count-1 by these threads.
  virtual void spread(FunctionLowering& fn, Code& code, const Operand& count,
                      const Code::LoopBody& body);
  // Runs `body` once, although the threads of a group run this code.
  virtual void once(FunctionLowering& fn, Code& code, const std::function<void(Code&)>& body);
  // Copies in a way that is quicker than element by element.  False (and no code) if there is none.
  virtual bool copy(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
                    const ArrayPlace& src) = 0;
  // True if a fill or copy of any size is one command, not pieces for several tasks.
  virtual bool has_whole_copies(const FunctionLowering& fn) const;
  // The variant of a function that is called here.
  virtual std::string callee(const FunctionLowering& fn, const std::string& name) const;
  // True if values can be printed here.
  virtual bool can_print(const FunctionLowering& fn) const;
};

}  // namespace skald::imp
