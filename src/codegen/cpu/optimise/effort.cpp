// SPDX-License-Identifier: Apache-2.0
// Counts how many statements a function executes in one call of an entry point: bodies of loops
// times their iterations, functions times their calls.
#include "codegen/cpu/optimise/effort.h"

#include <limits>
#include <unordered_map>
#include <vector>

#include "imp/ir/visit.h"

namespace skald::cpu {

namespace {

// Without optimisation these take less time than a fraction of a millisecond.
constexpr double kFewStatements = 100'000;
// The chunks of a parallel part are few.
constexpr double kShortLoop = 16;
constexpr double kOften = std::numeric_limits<double>::infinity();

struct Usage {
  double statements = 0;                              // executed by one call of the function
  std::vector<std::pair<std::string, double>> calls;  // callees and how often
};

double iterations(const imp::Stmt& stmt) {
  if (imp::as<imp::While>(stmt) != nullptr) return kOften;
  const auto* loop = imp::as<imp::For>(stmt);
  if (loop == nullptr) return 1;
  const core::Const* begin = core::as_const(loop->begin);
  const core::Const* end = core::as_const(loop->end);
  if (begin != nullptr && end != nullptr)
    return std::max(0.0, static_cast<double>(core::int_value(*end)) -
                             static_cast<double>(core::int_value(*begin)));
  return loop->hint == imp::LoopHint::kShort ? kShortLoop : kOften;
}

bool is_parallel(const imp::Stmt& stmt) {
  return imp::as<imp::ParallelFor>(stmt) != nullptr ||
         imp::as<imp::ParallelRange>(stmt) != nullptr ||
         imp::as<imp::ParallelChunks>(stmt) != nullptr;
}

// `times`: how often the body runs; `outlined`: its statements belong to another function.
void add_usage(const imp::Body& body, double times, bool outlined, Usage& usage) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (!outlined) usage.statements += times;
    if (const auto* call = imp::as<imp::Call>(stmt)) usage.calls.emplace_back(call->fn, times);
    const bool parallel = is_parallel(stmt);
    const double often = iterations(stmt);
    const double inside = parallel || often == kOften ? kOften : times * often;
    imp::for_each_body(stmt, [&](const imp::Body& inner) {
      add_usage(inner, inside, outlined || parallel, usage);
    });
  }
}

}  // namespace

std::unordered_set<std::string> functions_run_rarely(const imp::Program& prog) {
  std::unordered_map<std::string, Usage> usages;
  std::unordered_map<std::string, int> callers;  // that are not done yet
  std::unordered_map<std::string, double> runs;
  for (const imp::Function& fn : prog.functions) {
    Usage& usage = usages[fn.name];
    add_usage(fn.body, 1, false, usage);
    for (const auto& [callee, times] : usage.calls) ++callers[callee];
    runs[fn.name] = fn.entry ? 1 : 0;
  }
  // Callers first.  Functions that call themselves are never reached: they may run often.
  std::vector<std::string> ready;
  std::unordered_set<std::string> rarely;
  for (const imp::Function& fn : prog.functions)
    if (!callers.contains(fn.name)) ready.push_back(fn.name);
  while (!ready.empty()) {
    const std::string name = std::move(ready.back());
    ready.pop_back();
    const Usage& usage = usages.at(name);
    if (runs[name] * usage.statements <= kFewStatements) rarely.insert(name);
    for (const auto& [callee, times] : usage.calls) {
      if (runs[name] > 0) runs[callee] += runs[name] * times;
      if (--callers[callee] == 0 && usages.contains(callee)) ready.push_back(callee);
    }
  }
  return rarely;
}

namespace {

// What a function does outside and inside of its parallel parts.
struct Outline {
  bool parallel = false, long_loop = false;
  std::unordered_set<std::string> calls;         // outside
  std::unordered_set<std::string> called_often;  // in parallel parts and in long loops
};

bool has_parallel(const imp::Body& body) {
  for (const imp::Stmt& stmt : body.stmts) {
    bool found = is_parallel(stmt);
    imp::for_each_body(stmt, [&](const imp::Body& inner) { found = found || has_parallel(inner); });
    if (found) return true;
  }
  return false;
}

void add_outline(const imp::Body& body, bool often, Outline& outline) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* call = imp::as<imp::Call>(stmt))
      (often ? outline.called_often : outline.calls).insert(call->fn);
    const bool parallel = is_parallel(stmt);
    outline.parallel |= parallel;
    const bool loops = !often && !parallel && iterations(stmt) == kOften;
    imp::for_each_body(stmt, [&](const imp::Body& inner) {
      const bool is_long = loops && !has_parallel(inner);
      outline.long_loop |= is_long;
      add_outline(inner, often || parallel || is_long, outline);
    });
  }
}

}  // namespace

std::unordered_set<std::string> light_functions(const imp::Program& prog) {
  std::unordered_map<std::string, Outline> outlines;
  std::unordered_set<std::string> light, called_often;
  std::vector<std::string> work;
  for (const imp::Function& fn : prog.functions) {
    Outline& outline = outlines[fn.name];
    add_outline(fn.body, false, outline);
    work.insert(work.end(), outline.called_often.begin(), outline.called_often.end());
  }
  while (!work.empty()) {
    const std::string name = std::move(work.back());
    work.pop_back();
    if (!called_often.insert(name).second) continue;
    const Outline& outline = outlines.at(name);
    work.insert(work.end(), outline.calls.begin(), outline.calls.end());
  }
  for (const imp::Function& fn : prog.functions) {
    const Outline& outline = outlines.at(fn.name);
    bool is_light = !outline.long_loop && !called_often.contains(fn.name);
    // Recursion is a loop too.
    std::vector<std::string> reach(outline.calls.begin(), outline.calls.end());
    std::unordered_set<std::string> seen;
    while (is_light && !outline.parallel && !reach.empty()) {
      const std::string name = std::move(reach.back());
      reach.pop_back();
      if (name == fn.name) is_light = false;
      const Outline& next = outlines.at(name);
      if (!next.parallel && seen.insert(name).second)
        reach.insert(reach.end(), next.calls.begin(), next.calls.end());
    }
    if (is_light) light.insert(fn.name);
  }
  return light;
}

}  // namespace skald::cpu
