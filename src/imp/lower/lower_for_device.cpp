// SPDX-License-Identifier: Apache-2.0
// Whole programs for a device: host functions, the variants of functions that launches call, and
// entry points, whose arguments and results are blocks of the device.
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/ir/visit.h"
#include "imp/lower/entry_wrapper.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/strategies.h"
#include "imp/lower/lower.h"

namespace skald::imp {

namespace {

// What is called from inside kernels.
void add_kernel_callees(const core::Body& body, std::vector<std::string>& out) {
  for (const core::Stmt& stmt : body.stmts)
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      if (core::as<core::Kernel>(stmt.exp) != nullptr)
        add_callees(inner, out);
      else
        add_kernel_callees(inner, out);
    });
}

// All functions that kernels call, sorted into those that devices can run, callees first, and those
// that may call themselves or print.
class DeviceFunctions {
 public:
  explicit DeviceFunctions(const core::Program& prog) : prog_(prog) {
    std::vector<std::string> roots;
    for (const core::Function& fn : prog_.functions) add_kernel_callees(fn.body, roots);
    for (const std::string& root : roots) visit(root);
  }

  std::vector<const core::Function*> found;
  std::unordered_set<std::string> recursive;

 private:
  void visit(const std::string& name) {
    if (open_.contains(name)) recursive.insert(name);
    if (!seen_.insert(name).second) return;
    open_.insert(name);
    const core::Function* fn = prog_.find(name);
    std::vector<std::string> callees;
    add_callees(fn->body, callees);
    for (const std::string& callee : callees) {
      visit(callee);
      // Whoever calls such a function cannot run on a device either.
      if (recursive.contains(callee)) recursive.insert(name);
    }
    open_.erase(name);
    if (has_trace(fn->body)) recursive.insert(name);
    if (!recursive.contains(name)) found.push_back(fn);
  }

  const core::Program& prog_;
  std::unordered_set<std::string> open_, seen_;
};

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

Result<Program> lower_for_device(const core::Program& prog, std::vector<std::string>* notes,
                                 const LowerOptions& options) {
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
    DeviceTarget target(&device.recursive, notes);
    Function lowered = FunctionLowering(result, target, options).lower(fn);
    move_loops_to_device(result, lowered);
    result.functions.push_back(std::move(lowered));
  }
  for (const core::Function& fn : prog.functions)
    if (fn.entry) result.functions.push_back(device_entry(result, fn));
  return result;
}

}  // namespace skald::imp
