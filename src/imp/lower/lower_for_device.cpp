// SPDX-License-Identifier: Apache-2.0
// Whole programs for a device: host functions, the variants of functions that launches call, and
// entry points, whose arguments and results are blocks of the device.
#include <algorithm>

#include "core/edit/rename.h"
#include "core/edit/spaces.h"
#include "core/ir/visit.h"
#include "imp/ir/visit.h"
#include "imp/lower/entry_wrapper.h"
#include "imp/lower/gpu/target.h"
#include "imp/lower/lower.h"

namespace skald::imp {

namespace {

// All functions that kernels on the device call, callees first.
class DeviceFunctions {
 public:
  explicit DeviceFunctions(const core::Program& prog) : prog_(prog) {
    for (const core::Function& fn : prog_.functions) visit(fn.body, false);
  }

  std::vector<const core::Function*> found;

 private:
  void visit(const core::Body& body, bool on_device) {
    for (const core::Stmt& stmt : body.stmts) {
      if (const auto* call = core::as<core::Call>(stmt.exp); call != nullptr && on_device)
        visit(call->fn);
      const auto* kernel = core::as<core::Kernel>(stmt.exp);
      const bool inside = on_device || (kernel != nullptr && kernel->space != core::Space::kHost);
      core::for_each_body(stmt.exp, [&](const core::Body& inner) { visit(inner, inside); });
    }
  }
  void visit(const std::string& name) {
    if (!seen_.insert(name).second) return;
    const core::Function* fn = prog_.find(name);
    visit(fn->body, true);
    found.push_back(fn);
  }

  const core::Program& prog_;
  std::unordered_set<std::string> seen_;
};

// A program whose arrays lie where this target has none; empty: all is well.
std::string misplaced(const core::Program& prog) {
  const auto wrong = [](const auto& values, core::Space wanted) {
    return std::ranges::any_of(values, [&](const auto& value) {
      return value.type.is_array() && value.type.space != wanted;
    });
  };
  for (const core::Function& fn : prog.functions)
    if (fn.entry &&
        (wrong(fn.params, core::Space::kDevice0) || wrong(fn.results, core::Space::kDevice0)))
      return fmt::format(
          "the arrays of the entry point `{}` are not on the device: the pass `place` has not run",
          fn.entry->name);
  if (const core::Space highest = core::highest_space(prog); highest > core::Space::kDevice0)
    return fmt::format("the program has arrays on {}; programs run on one device so far",
                       core::space_name(highest));
  return {};
}

// An entry point takes and gives blocks of the device: nothing is copied.
Function device_entry(Program& prog, const core::Function& fn) {
  Function wrapper = entry_wrapper(prog, fn);
  const auto to_device = [](Type& type) {
    if (type.is_block()) type.space = Space::kDevice;
  };
  for (Decl& param : wrapper.params) to_device(param.type);
  for (Type& result : wrapper.results) to_device(result);
  for (Decl& result : as<Call>(wrapper.body.stmts.back())->results) to_device(result.type);
  return wrapper;
}

}  // namespace

Result<Program> lower_for_device(const core::Program& prog, const LowerOptions& options) {
  if (std::string problem = misplaced(prog); !problem.empty()) return Failure(std::move(problem));
  Program result;
  result.target = Target::kDevice;
  result.names = prog.names;
  result.locs = prog.locs;
  const DeviceFunctions device(prog);
  for (const core::Function* fn : device.found) {
    core::Function copy = core::copy_with_fresh_names(*fn, result.names);
    copy.name = device_name(fn->name);
    copy.entry.reset();
    DeviceTarget target;
    Function lowered = FunctionLowering(result, target, options).lower(copy, FunctionKind::kDevice);
    lowered.once = false;
    result.functions.push_back(std::move(lowered));
  }
  for (const core::Function& fn : prog.functions) {
    DeviceTarget target;
    result.functions.push_back(FunctionLowering(result, target, options).lower(fn));
  }
  for (const core::Function& fn : prog.functions)
    if (fn.entry) result.functions.push_back(device_entry(result, fn));
  return result;
}

}  // namespace skald::imp
