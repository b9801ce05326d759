// SPDX-License-Identifier: Apache-2.0
// Which arrays of a function must lie in one space, and in which they had better lie.
#pragma once

#include <utility>
#include <vector>

#include "core/ir/name_map.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes {

// A view lies where its array does, and so do an array and what an update, a loop or a branch makes
// of it.  Such arrays make a class.  A class is on the device, unless only kernels on the host read
// or write it; one that no kernel reads or writes goes where its arrays are handed on to.
class ArrayClasses {
 public:
  // The kernels of `fn` know where they run.
  explicit ArrayClasses(const core::Function& fn);
  core::Space space(core::Name array, PassContext& ctx);

 private:
  struct Class {
    core::Name parent = {};
    bool on_device = false, on_host = false;  // who wants it
    bool asked = false, stays = false;        // may it stay on the host?
  };
  void add(const core::Body& body);
  void add(const core::Stmt& stmt);
  void add_kernel(const core::Stmt& stmt, const core::Kernel& kernel);
  core::Name root(core::Name array);
  void join(const core::Operand& a, core::Name b);
  void want(core::Name array, core::Space space);
  void hand_on(const core::Operand& array, core::Name to);

  core::NameMap<Class> classes_;
  core::NameSet arrays_;
  // Arrays, and what they become or are part of.
  std::vector<std::pair<core::Name, core::Name>> handed_on_;
};

}  // namespace skald::passes
