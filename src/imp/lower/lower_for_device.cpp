// SPDX-License-Identifier: Apache-2.0
// Whole programs for a device: host functions, the variants of functions that launches call, and
// entry points, which bring their arguments to the device and the results back.
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/ir/visit.h"
#include "imp/lower/gpu/gpu.h"
#include "imp/lower/lower.h"

namespace skald::imp {

void add_callees(const core::Body& body, std::vector<std::string>& out) {
  for (const core::Stmt& stmt : body.stmts) {
    if (const auto* call = core::as<core::Call>(stmt.exp)) out.push_back(call->fn);
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { add_callees(inner, out); });
  }
}

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

// The bytes of an array whose dimensions are given.
Operand byte_count(Code& code, Prim elem, const std::vector<Operand>& dims) {
  Operand bytes = const_i64(prim_size(elem));
  for (const Operand& dim : dims) bytes = code.mul_i64(bytes, dim);
  return bytes;
}

// Turns the wrapper for the cpu into one that copies arrays in and out.
void copy_in_and_out(Program& prog, Function& wrapper, const core::Function& fn) {
  // Checks of the arguments come before the call.
  Call call = std::move(*as<Call>(wrapper.body.stmts.back()));
  wrapper.body.stmts.pop_back();
  Code code(prog);
  for (Stmt& check : wrapper.body.stmts) code.add(std::move(check));
  size_t slot = 0, arg = 0;
  for (const core::Param& p : fn.params) {
    if (p.type.kind == core::Type::kMem) {
      const core::Type& array = (&p + 1)->type;
      const Name host = wrapper.params[slot++].name;
      std::vector<Operand> dims;
      for (int k = 0; k < array.rank(); ++k) dims.push_back(wrapper.params[slot++].name);
      const Operand bytes = byte_count(code, array.elem, dims);
      const Name block = code.alloc(Space::kDevice, bytes, "in");
      code.add(CopyBytes{block, const_i64(0), host, const_i64(0), bytes});
      call.args[arg++] = block;
    } else if (p.type.is_scalar()) {
      ++slot;
      ++arg;
    }
  }
  for (Decl& result : call.results)
    if (result.type.is_block()) result.type.space = Space::kDevice;
  code.add(std::move(call));
  size_t at = 0;
  for (const core::Ret& ret : fn.results) {
    if (ret.type.is_scalar()) ++at;
    if (ret.type.kind != core::Type::kMem) continue;
    const core::Type& array = (&ret + 1)->type;
    const Name block = std::get<Name>(wrapper.ret[at]);
    const std::vector<Operand> dims(
        wrapper.ret.begin() + static_cast<ptrdiff_t>(at) + 1,
        wrapper.ret.begin() + static_cast<ptrdiff_t>(at) + 1 + array.rank());
    const Operand bytes = byte_count(code, array.elem, dims);
    const Name host = code.alloc(Space::kHeap, bytes, "out");
    code.add(CopyBytes{host, const_i64(0), block, const_i64(0), bytes});
    wrapper.ret[at] = host;
    at += 1 + dims.size();
  }
  wrapper.body = code.finish();
}

}  // namespace

Result<Program> lower_for_device(const core::Program& prog, std::vector<std::string>* notes) {
  Program result;
  result.target = Target::kDevice;
  result.names = prog.names;
  result.locs = prog.locs;
  const DeviceFunctions device(prog);
  for (const core::Function* fn : device.found) {
    core::Function copy = core::copy_with_fresh_names(*fn, result.names);
    copy.name = device_name(fn->name);
    copy.entry.reset();
    Function lowered = FunctionLowering(result, Target::kDevice).lower(copy, FunctionKind::kDevice);
    lowered.once = false;
    result.functions.push_back(std::move(lowered));
  }
  for (const core::Function& fn : prog.functions) {
    FunctionLowering lowering(result, Target::kDevice);
    lowering.set_recursive(device.recursive, notes);
    Function lowered = lowering.lower(fn);
    move_loops_to_device(result, lowered);
    result.functions.push_back(std::move(lowered));
  }
  for (const core::Function& fn : prog.functions) {
    if (!fn.entry) continue;
    Function wrapper = entry_wrapper(result, fn);
    copy_in_and_out(result, wrapper, fn);
    result.functions.push_back(std::move(wrapper));
  }
  return result;
}

}  // namespace skald::imp
