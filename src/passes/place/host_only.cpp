// SPDX-License-Identifier: Apache-2.0
#include "passes/place/host_only.h"

#include <algorithm>
#include <vector>

#include "core/edit/rename.h"
#include "core/edit/spaces.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

// All functions called in a body, at any depth.
void add_called(const Body& body, std::vector<std::string>& out) {
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp)) out.push_back(call->fn);
    for_each_body(stmt.exp, [&](const Body& inner) { add_called(inner, out); });
  }
}

bool prints(const Body& body) {
  bool found = false;
  for (const Stmt& stmt : body.stmts) {
    found = found || stmt.hints.trace.wanted;
    for_each_body(stmt.exp, [&](const Body& inner) { found = found || prints(inner); });
  }
  return found;
}

std::vector<const Body*> bodies_of(const Kernel& kernel) {
  std::vector<const Body*> bodies = {&kernel.pull.body};
  for (const Lambda& post : kernel.post) bodies.push_back(&post.body);
  for (const Sink& sink : kernel.sinks)
    for (const Operator& op : sink.op) bodies.push_back(&op.fn.body);
  return bodies;
}

// Calls inside kernels on the host become calls of the variants; `found` gets the functions.
class HostCalls {
 public:
  explicit HostCalls(std::vector<std::string>& found) : found_(found) {}

  void body(Body& body, bool in_kernel) {
    for (Stmt& stmt : body.stmts) {
      if (Call* call = as<Call>(stmt.exp); call != nullptr && in_kernel) {
        found_.push_back(call->fn);
        call->fn += ".host";
      }
      const Kernel* kernel = as<Kernel>(stmt.exp);
      const bool inside = in_kernel || (kernel != nullptr && kernel->space == Space::kHost);
      for_each_body(stmt.exp, [&](Body& inner) { this->body(inner, inside); });
    }
  }

 private:
  std::vector<std::string>& found_;
};

void remove_uncalled(Program& prog, const std::unordered_set<std::string>& candidates) {
  std::unordered_set<std::string> called;
  std::vector<std::string> open;
  for (const Function& fn : prog.functions)
    if (fn.entry || !candidates.contains(fn.name)) open.push_back(fn.name);
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (called.insert(name).second) add_called(prog.find(name)->body, open);
  }
  std::erase_if(prog.functions, [&](const Function& fn) { return !called.contains(fn.name); });
}

}  // namespace

HostOnly::HostOnly(const Program& prog) : prog_(prog) {
  for (const Function& fn : prog_.functions) visit(fn.name);
}

void HostOnly::visit(const std::string& name) {
  if (open_.contains(name)) functions_.insert(name);
  if (!seen_.insert(name).second) return;
  open_.insert(name);
  const Function* fn = prog_.find(name);
  std::vector<std::string> callees;
  add_called(fn->body, callees);
  for (const std::string& callee : callees) {
    // What calls itself has a stack of its own; longer circles have none.
    if (callee != name) visit(callee);
    // Whoever calls such a function cannot run on a device either.
    if (functions_.contains(callee)) functions_.insert(name);
  }
  open_.erase(name);
  if (prints(fn->body)) functions_.insert(name);
}

const char* HostOnly::why(const Kernel& kernel) const {
  std::vector<std::string> callees;
  for (const Body* body : bodies_of(kernel)) {
    if (prints(*body)) return "it prints values (#[trace])";
    add_called(*body, callees);
  }
  for (const std::string& callee : callees)
    if (functions_.contains(callee)) return "it calls a function that prints";
  return nullptr;
}

void add_host_variants(Program& prog) {
  std::vector<std::string> wanted;
  for (Function& fn : prog.functions) HostCalls(wanted).body(fn.body, false);
  std::unordered_set<std::string> made;
  while (!wanted.empty()) {
    const std::string name = std::move(wanted.back());
    wanted.pop_back();
    if (!made.insert(name).second) continue;
    Function variant = copy_with_fresh_names(*prog.find(name), prog.names);
    variant.name = name + ".host";
    variant.entry.reset();
    set_space(variant, Space::kHost);
    HostCalls(wanted).body(variant.body, true);
    prog.functions.push_back(std::move(variant));
  }
  if (!made.empty()) remove_uncalled(prog, made);
}

}  // namespace skald::passes
