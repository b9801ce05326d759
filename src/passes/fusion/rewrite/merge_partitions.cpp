// SPDX-License-Identifier: Apache-2.0
// Filters of the same rows of which none keeps what another keeps: one partition.
//
//   before   let {a, xs} = partition(n, 1, {rows}, \{x} -> if x < p then class 0)
//            let {b, ys} = partition(n, 1, {rows}, \{x} -> if x == p then class 0)
//            let {c, zs} = partition(n, 1, {rows}, \{x} -> if p < x then class 0)
//
//   after    let {a, b, c, xs, ys, zs} = partition(n, 3, {rows}, \{x} -> …)
//
// The rows are read once.  Only where the parts are needed as arrays: a filter that is all reduced
// is better off in its reduction.
#include "passes/fusion/rewrite/merge_partitions.h"

#include <algorithm>
#include <optional>

#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "support/bug.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

constexpr size_t kMaxClasses = 4;
constexpr size_t kMaxCode = 8;  // statements of a filter

// What a filter asks: a comparison, or whether a value is true or false (the second operand says
// which).
struct Question {
  enum Kind : uint8_t { kLess, kAtMost, kEqual, kFlag };
  Kind kind;
  Operand a, b;
};

bool exclude(const Question& x, const Question& y) {
  using enum Question::Kind;
  if (x.kind == kFlag || y.kind == kFlag)
    return x.kind == kFlag && y.kind == kFlag && x.a == y.a && !(x.b == y.b);
  const bool same = x.a == y.a && x.b == y.b, turned = x.a == y.b && x.b == y.a;
  if (x.kind == kLess && y.kind == kLess) return turned;
  if (x.kind == kEqual && y.kind == kEqual)
    return x.a == y.a && as_const(x.b) != nullptr && as_const(y.b) != nullptr && !(x.b == y.b);
  const Question& other = x.kind == kLess ? y : x;
  if (x.kind != kLess && y.kind != kLess) return false;
  return other.kind == kEqual ? same || turned : turned;
}

// The question, in terms of the inputs; none if it is of another kind.
std::optional<Question> question_of(const Partition& part) {
  const auto definition = [&](const Operand& value) -> const Exp* {
    for (const Stmt& stmt : part.fn.body.stmts)
      if (Operand{stmt.pat[0].name} == value) return &stmt.exp;
    return nullptr;
  };
  const auto outside = [&](const Operand& value) -> std::optional<Operand> {
    if (definition(value) != nullptr) return std::nullopt;
    for (size_t k = 0; k < part.fn.params.size(); ++k)
      if (Operand{part.fn.params[k].name} == value) return Operand{part.inputs[k]};
    return value;
  };
  const Exp* result = definition(part.fn.body.result[0]);
  const Select* select = result == nullptr ? nullptr : as<Select>(*result);
  // Any other class is outside of the one there is.
  if (select == nullptr || !(select->then == Operand{const_i64(0)}) ||
      as_const(select->otherwise) == nullptr || select->otherwise == Operand{const_i64(0)})
    return std::nullopt;
  const Exp* cond = definition(select->cond);
  if (cond == nullptr) {
    const std::optional<Operand> flag = outside(select->cond);
    return flag ? std::optional(Question{Question::kFlag, *flag, const_bool(true)}) : std::nullopt;
  }
  if (const UnOp* op = as<UnOp>(*cond); op != nullptr && op->op == UnOpKind::kNot) {
    const std::optional<Operand> flag = outside(op->arg);
    return flag ? std::optional(Question{Question::kFlag, *flag, const_bool(false)}) : std::nullopt;
  }
  const CmpOp* cmp = as<CmpOp>(*cond);
  if (cmp == nullptr) return std::nullopt;
  const std::optional<Operand> a = outside(cmp->lhs), b = outside(cmp->rhs);
  if (!a || !b) return std::nullopt;
  if (cmp->op == CmpOpKind::kLt) return Question{Question::kLess, *a, *b};
  if (cmp->op == CmpOpKind::kLe) return Question{Question::kAtMost, *a, *b};
  if (cmp->op == CmpOpKind::kEq) return Question{Question::kEqual, *a, *b};
  return std::nullopt;
}

bool is_simple_filter(const Stmt& stmt) {
  const Partition* part = as<Partition>(stmt.exp);
  return part != nullptr && part->classes == 1 && part->fn.body.result.size() > 1 &&
         stmt.tokens.empty() && stmt.hints.empty() && part->fn.body.stmts.size() <= kMaxCode &&
         std::ranges::all_of(part->fn.body.stmts, [](const Stmt& s) {
           return s.tokens.empty() && s.pat.size() == 1 && is_scalar_operator(s.exp);
         });
}

bool takes_rows(const Exp& exp) {
  return as<Soac>(exp) != nullptr || as<Hist>(exp) != nullptr || as<Scatter>(exp) != nullptr ||
         as<Partition>(exp) != nullptr || as<FlatMap>(exp) != nullptr;
}

// Is some array of the filter needed as it is?
bool is_needed(const Body& body, size_t at) {
  for (size_t k = 1; k < body.stmts[at].pat.size(); ++k) {
    const Name name = body.stmts[at].pat[k].name;
    for (const Operand& result : body.result)
      if (result == Operand{name}) return true;
    for (size_t s = at + 1; s < body.stmts.size(); ++s)
      if (!takes_rows(body.stmts[s].exp) && free_names(body.stmts[s]).contains(name)) return true;
  }
  return false;
}

// May the statement move up to `to`?
bool may_move_up(const Body& body, size_t at, size_t to) {
  const NameSet used = free_names(body.stmts[at]);
  for (size_t s = to; s < at; ++s)
    for (const Param& p : body.stmts[s].pat)
      if (used.contains(p.name)) return false;
  return true;
}

bool same_rows(const Partition& a, const Partition& b) {
  if (!(a.width == b.width)) return false;
  const auto has_all = [](const Partition& x, const Partition& y) {
    return std::ranges::all_of(
        y.inputs, [&](Name input) { return std::ranges::find(x.inputs, input) != x.inputs.end(); });
  };
  return has_all(a, b);
}

// Of a class that question_of has looked at.
Operand condition_of(const Builder& code, const Operand& chosen) {
  for (const Stmt& stmt : code.stmts())
    if (Operand{stmt.pat[0].name} == chosen) return as<Select>(stmt.exp)->cond;
  SKALD_BUG("the class of a filter is a selection");
}

// The statements of a group as one, in the place of the first.
Stmt merged(Body& body, const std::vector<size_t>& group, Program& prog) {
  Stmt result = std::move(body.stmts[group[0]]);
  Partition& whole = *as<Partition>(result.exp);
  Builder code(prog);
  code.set_loc(result.loc);
  for (Stmt& stmt : whole.fn.body.stmts) code.append(std::move(stmt));
  std::vector<Operand> values(whole.fn.body.result.begin() + 1, whole.fn.body.result.end());
  std::vector<Operand> classes = {whole.fn.body.result[0]};
  std::vector<std::vector<Operand>> own = {values};
  std::vector<std::vector<Param>> patterns = {result.pat};
  for (size_t g = 1; g < group.size(); ++g) {
    const Stmt& stmt = body.stmts[group[g]];
    const Partition& part = *as<Partition>(stmt.exp);
    Substitution subst;
    for (size_t k = 0; k < part.inputs.size(); ++k) {
      const auto at = std::ranges::find(whole.inputs, part.inputs[k]) - whole.inputs.begin();
      subst.emplace(part.fn.params[k].name, whole.fn.params[static_cast<size_t>(at)].name);
    }
    Body inner = copy_with_fresh_names(part.fn.body, prog.names, subst);
    for (Stmt& each : inner.stmts) code.append(std::move(each));
    classes.push_back(inner.result[0]);
    own.emplace_back(inner.result.begin() + 1, inner.result.end());
    patterns.push_back(stmt.pat);
  }
  const Type i64 = scalar_type(Prim::kI64);
  Operand chosen = const_i64(-1);
  for (size_t g = group.size(); g-- > 0;) {
    const Operand hit = condition_of(code, classes[g]);
    chosen = code.let1(i64, Select{hit, const_i64(static_cast<int64_t>(g)), chosen}, "class");
  }
  result.pat.clear();
  for (const std::vector<Param>& pattern : patterns) result.pat.push_back(pattern[0]);
  for (size_t g = 0; g < group.size(); ++g)
    for (size_t v = 0; v < values.size(); ++v) {
      const auto at = std::ranges::find(own[g], values[v]);
      if (at != own[g].end()) {
        result.pat.push_back(patterns[g][1 + static_cast<size_t>(at - own[g].begin())]);
        continue;
      }
      const Type row = whole.fn.results[1 + v].type;
      result.pat.push_back({prog.names.fresh("rest"), array_of(patterns[g][0].name, row)});
    }
  whole.classes = static_cast<int>(group.size());
  std::vector<Operand> results = {chosen};
  results.insert(results.end(), values.begin(), values.end());
  whole.fn.body = code.finish(std::move(results));
  return result;
}

// Do all values of this filter lie among those of the first, each once?
bool fits(const Partition& first, const Partition& other) {
  std::vector<Operand> seen;
  for (size_t k = 1; k < other.fn.body.result.size(); ++k) {
    const Operand& value = other.fn.body.result[k];
    const auto param = std::ranges::find_if(
        other.fn.params, [&](const Param& p) { return Operand{p.name} == value; });
    if (param == other.fn.params.end() || std::ranges::find(seen, value) != seen.end())
      return false;
    seen.push_back(value);
    const Name input = other.inputs[static_cast<size_t>(param - other.fn.params.begin())];
    const auto at = std::ranges::find(first.inputs, input) - first.inputs.begin();
    const Operand here = first.fn.params[static_cast<size_t>(at)].name;
    if (std::ranges::find(first.fn.body.result.begin() + 1, first.fn.body.result.end(), here) ==
        first.fn.body.result.end())
      return false;
  }
  return true;
}

}  // namespace

void merge_partitions(Body& body, Program& prog, analysis::Aliases& aliases, PassContext& ctx) {
  for (size_t at = 0; at < body.stmts.size(); ++at) {
    if (!is_simple_filter(body.stmts[at]) || !is_needed(body, at)) continue;
    const Partition& first = *as<Partition>(body.stmts[at].exp);
    const std::optional<Question> question = question_of(first);
    if (!question || !fits(first, first)) continue;
    std::vector<size_t> group = {at};
    std::vector<Question> questions = {*question};
    for (size_t other = at + 1; other < body.stmts.size() && group.size() < kMaxClasses; ++other) {
      if (!is_simple_filter(body.stmts[other])) continue;
      const Partition& part = *as<Partition>(body.stmts[other].exp);
      if (!same_rows(first, part) || !fits(first, part) || !is_needed(body, other) ||
          !may_move_up(body, other, at))
        continue;
      const std::optional<Question> asked = question_of(part);
      if (!asked ||
          !std::ranges::all_of(questions, [&](const Question& q) { return exclude(q, *asked); }))
        continue;
      group.push_back(other);
      questions.push_back(*asked);
    }
    if (group.size() < 2 || !ctx.may_rewrite("merge-partitions")) continue;
    body.stmts[at] = merged(body, group, prog);
    aliases.add(body.stmts[at]);
    for (size_t g = group.size(); g-- > 1;)
      body.stmts.erase(body.stmts.begin() + static_cast<ptrdiff_t>(group[g]));
  }
}

}  // namespace skald::passes::fusion
