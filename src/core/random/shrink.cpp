// SPDX-License-Identifier: Apache-2.0
// The shrinker: tries one small change after another and keeps those after which the program is
// still well formed and still fails.  Changes are named by their place, counted over all bodies in
// order, so that they can be made on a copy.
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "core/random/random_program.h"
#include "core/verify/verify.h"

namespace skald::core {

namespace {

void for_each_body_deep(Body& body, const std::function<void(Body&)>& f) {
  f(body);
  for (Stmt& stmt : body.stmts)
    for_each_body(stmt.exp, [&](Body& inner) { for_each_body_deep(inner, f); });
}

size_t count_bodies(Program& prog) {
  size_t count = 0;
  for (Function& fn : prog.functions) for_each_body_deep(fn.body, [&](Body&) { ++count; });
  return count;
}

Body* find_body(Program& prog, size_t number) {
  Body* found = nullptr;
  size_t at = 0;
  for (Function& fn : prog.functions)
    for_each_body_deep(fn.body, [&](Body& body) {
      if (at++ == number) found = &body;
    });
  return found;
}

Stmt simple(const Param& param, Exp exp) {
  return {.pat = {param}, .exp = std::move(exp)};
}

Const zero(Prim type) {
  return {type, 0};
}

// The same names bound to zeros.
std::vector<Stmt> zeros(const std::vector<Param>& pat) {
  std::vector<Stmt> stmts;
  for (const Param& p : pat) {
    if (p.type.is_scalar())
      stmts.push_back(simple(p, Value{zero(p.type.elem)}));
    else if (p.type.is_array())
      stmts.push_back(simple(p, Replicate{p.type.shape, zero(p.type.elem)}));
    else if (p.type.kind == Type::kToken)
      stmts.push_back(simple(p, Assert{const_bool(true), {}}));
  }
  return stmts;
}

std::vector<Stmt> values(const std::vector<Param>& pat, const std::vector<Operand>& operands) {
  std::vector<Stmt> stmts;
  for (size_t i = 0; i < pat.size() && i < operands.size(); ++i)
    stmts.push_back(simple(pat[i], Value{operands[i]}));
  return stmts;
}

enum class Change : uint8_t { kZero, kFirstBranch, kSecondBranch, kNoLoop, kCount };

// What to put instead of a statement; nothing if the change does not apply.
std::optional<std::vector<Stmt>> replacement(Stmt& stmt, Change change) {
  if (change == Change::kZero) {
    const bool is_zero = as<Value>(stmt.exp) || as<Replicate>(stmt.exp) || as<Assert>(stmt.exp);
    if (is_zero || stmt.pat.empty()) return std::nullopt;
    for (const Param& p : stmt.pat)
      if (p.type.kind == Type::kAcc || p.type.kind == Type::kMem) return std::nullopt;
    return zeros(stmt.pat);
  }
  if (change == Change::kNoLoop) {
    Loop* loop = as<Loop>(stmt.exp);
    if (!loop) return std::nullopt;
    std::vector<Operand> inits;
    for (const LoopParam& p : loop->params) inits.push_back(p.init);
    return values(stmt.pat, inits);
  }
  If* branch = as<If>(stmt.exp);
  if (!branch) return std::nullopt;
  Body body = std::move(change == Change::kFirstBranch ? branch->then_body : branch->else_body);
  std::vector<Stmt> stmts = std::move(body.stmts);
  for (Stmt& s : values(stmt.pat, body.result)) stmts.push_back(std::move(s));
  return stmts;
}

class Shrinker {
 public:
  Shrinker(Program prog, const std::function<bool(const Program&)>& fails)
      : prog_(std::move(prog)), fails_(fails) {}

  Program run() {
    while (round()) {
    }
    return std::move(prog_);
  }

 private:
  // Makes a change on a copy, and keeps it if the result is still well formed and still fails.
  // `change` answers whether it did anything.
  bool attempt(const std::function<bool(Program&)>& change) {
    Program candidate = clone(prog_);
    if (!change(candidate) || !verify(candidate).empty() || !fails_(candidate)) return false;
    prog_ = std::move(candidate);
    return true;
  }

  bool round() {
    bool progress = drop_functions() || drop_results();
    for (size_t b = 0; b < count_bodies(prog_); ++b) {
      progress |= drop_stmts(b);
      progress |= replace_stmts(b);
    }
    return progress;
  }

  bool drop_functions() {
    bool progress = false;
    for (size_t i = prog_.functions.size(); i-- > 0;)
      progress |= attempt([&](Program& p) {
        if (p.functions.size() < 2) return false;
        p.functions.erase(p.functions.begin() + static_cast<ptrdiff_t>(i));
        return true;
      });
    return progress;
  }

  // The results of entry points, one by one; not their sizes.
  bool drop_results() {
    bool progress = false;
    for (size_t f = 0; f < prog_.functions.size(); ++f)
      for (size_t r = prog_.functions[f].results.size(); r-- > 0;)
        progress |= attempt([&](Program& p) {
          Function& fn = p.functions[f];
          if (!fn.entry) return false;
          const auto sizes = static_cast<size_t>(fn.entry->result_sizes);
          if (r < sizes) {
            --fn.entry->result_sizes;
          } else {
            if (r - sizes >= fn.entry->results.size()) return false;
            fn.entry->results.erase(fn.entry->results.begin() + static_cast<ptrdiff_t>(r - sizes));
          }
          fn.results.erase(fn.results.begin() + static_cast<ptrdiff_t>(r));
          fn.body.result.erase(fn.body.result.begin() + static_cast<ptrdiff_t>(r));
          return true;
        });
    return progress;
  }

  // Runs of statements, long ones first.
  bool drop_stmts(size_t body_number) {
    bool progress = false;
    const size_t all = find_body(prog_, body_number)->stmts.size();
    for (size_t length = all; length > 0; length /= 2)
      for (size_t i = all; i-- > 0;)
        progress |= attempt([&](Program& p) {
          Body* body = find_body(p, body_number);
          if (!body || i + length > body->stmts.size()) return false;
          const auto begin = body->stmts.begin() + static_cast<ptrdiff_t>(i);
          body->stmts.erase(begin, begin + static_cast<ptrdiff_t>(length));
          return true;
        });
    return progress;
  }

  bool replace_stmts(size_t body_number) {
    bool progress = false;
    for (uint8_t change = 0; change < static_cast<uint8_t>(Change::kCount); ++change) {
      const Body* body = find_body(prog_, body_number);
      for (size_t i = body ? body->stmts.size() : 0; i-- > 0;)
        progress |= attempt([&](Program& p) {
          Body* inner = find_body(p, body_number);
          if (!inner || i >= inner->stmts.size()) return false;
          auto stmts = replacement(inner->stmts[i], static_cast<Change>(change));
          if (!stmts) return false;
          const auto at = inner->stmts.begin() + static_cast<ptrdiff_t>(i);
          const auto next = inner->stmts.erase(at);
          inner->stmts.insert(next, std::make_move_iterator(stmts->begin()),
                              std::make_move_iterator(stmts->end()));
          return true;
        });
    }
    return progress;
  }

  Program prog_;
  const std::function<bool(const Program&)>& fails_;
};

}  // namespace

Program shrink(Program prog, const std::function<bool(const Program&)>& fails) {
  return Shrinker(std::move(prog), fails).run();
}

}  // namespace skald::core
