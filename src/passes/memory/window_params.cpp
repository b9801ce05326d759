// SPDX-License-Identifier: Apache-2.0
// Which parameters of functions get windows.
#include <functional>

#include "core/ir/visit.h"
#include "passes/memory/windows.h"

namespace skald::passes {

using namespace core;

namespace {

void for_each_window_call(const Body& body, const std::function<void(const Call&)>& use) {
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp)) use(*call);
    for_each_body(stmt.exp, [&](const Body& inner) { for_each_window_call(inner, use); });
  }
}

// A function that calls itself with new arrays is better off with
// copies of the parts that others give it: it would copy what it returns at its last calls.
class WindowParamFinder {
 public:
  explicit WindowParamFinder(const Program& prog) : prog_(prog) {
    for (const Function& fn : prog.functions) {
      windows_.emplace_back(fn);
      for_each_window_call(fn.body, [&](const Call& call) { calls_[fn.name].insert(call.fn); });
    }
  }

  WindowParams find() {
    for (bool changed = true; changed;) {
      changed = false;
      std::unordered_map<std::string, std::vector<Use>> uses;
      for (size_t at = 0; at < prog_.functions.size(); ++at)
        for_each_window_call(prog_.functions[at].body,
                             [&](const Call& call) { note_call(at, call, uses[call.fn]); });
      for (const auto& [name, params] : uses)
        for (size_t k = 0; k < params.size(); ++k) {
          const Use& use = params[k];
          if (!use.is_part_inside && !(use.is_part && use.only_own)) continue;
          std::vector<bool>& flags = wanted_[name];
          flags.resize(params.size());
          changed = changed || !flags[k];
          flags[k] = true;
        }
    }
    return std::move(wanted_);
  }

 private:
  struct Use {
    bool is_part = false;         // some call gives a part
    bool is_part_inside = false;  // so does one of the function's own recursion
    bool only_own = true;         // which gives nothing but parts of the parameter itself
  };

  void note_call(size_t at, const Call& call, std::vector<Use>& uses) {
    const Function* callee = prog_.find(call.fn);
    if (callee == nullptr || callee->entry) return;
    const std::string& caller = prog_.functions[at].name;
    const bool inside = reaches(call.fn, caller);
    uses.resize(callee->params.size());
    for (size_t k = 0; k < call.args.size(); ++k) {
      if (!windows_[at].is_array(call.args[k]) || callee->params[k].unique) continue;
      const Name arg = *as_name(call.args[k]), base = windows_[at].base(arg);
      const bool own = caller == call.fn && base == callee->params[k].name;
      const bool part = !(base == arg) || (!own && is_window_param(at, base));
      uses[k].is_part = uses[k].is_part || part;
      uses[k].is_part_inside = uses[k].is_part_inside || (part && inside);
      uses[k].only_own = uses[k].only_own && (!inside || own);
    }
  }

  bool is_window_param(size_t at, Name array) const {
    const Function& fn = prog_.functions[at];
    const auto found = wanted_.find(fn.name);
    if (found == wanted_.end()) return false;
    for (size_t k = 0; k < fn.params.size(); ++k)
      if (fn.params[k].name == array) return found->second[k];
    return false;
  }

  bool reaches(const std::string& from, const std::string& to) {
    std::unordered_set<std::string> seen = {from};
    std::vector<std::string> todo = {from};
    while (!todo.empty()) {
      const std::string here = std::move(todo.back());
      todo.pop_back();
      if (here == to) return true;
      for (const std::string& next : calls_[here])
        if (seen.insert(next).second) todo.push_back(next);
    }
    return false;
  }

  const Program& prog_;
  std::vector<Windows> windows_;
  std::unordered_map<std::string, std::unordered_set<std::string>> calls_;
  WindowParams wanted_;
};

}  // namespace

WindowParams find_window_params(const Program& prog) {
  return WindowParamFinder(prog).find();
}

}  // namespace skald::passes
