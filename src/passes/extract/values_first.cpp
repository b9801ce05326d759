// SPDX-License-Identifier: Apache-2.0
// Maps that compute values and write them to accumulators, as two maps.  Writes must run one after
// the other; what they write can run in lanes, if it comes first and is kept.
//
//   before   let {a', rs} = map(n, {zs, a}, \{z, a} -> … v, i, r … update_acc(a, i, v) …)
//
//   after    let {vs, is, rs} = map(n, {zs}, \{z} -> … {v, i, r})
//            let {a'} = map(n, {vs, is, a}, \{v, i, a} -> … update_acc(a, i, v) …)
#include "passes/extract/values_first.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"

namespace skald::passes {

using namespace core;

namespace {

// The model, in simple operations.  Every machine has vectors of two elements of 64 bits.  A value
// that is kept is stored and loaded, partly from memory.
constexpr int64_t kLeastLanes = 2, kKept = 4;

bool takes_writes(const Type& type) {
  return type.kind == Type::kAcc;
}

// What an iteration costs as scalar code; nothing if it has loops or calls.
std::optional<int64_t> straight_cost(const Stmt& stmt) {
  int64_t cost = machine::cost_of(operator_class(stmt.exp)).scalar;
  if (as<Call>(stmt.exp)) return std::nullopt;
  const bool branches = as<If>(stmt.exp) != nullptr;
  bool straight = true;
  for_each_body(stmt.exp, [&](const Body& body) {
    for (const Stmt& inner : body.stmts) {
      const std::optional<int64_t> each = straight_cost(inner);
      straight = straight && branches && each;
      cost += each.value_or(0);
    }
  });
  if (!straight) return std::nullopt;
  return cost;
}

// How many elements a value has; nothing if that is not known.
std::optional<int64_t> elements(const Type& type) {
  int64_t count = 1;
  for (const Operand& dim : type.shape) {
    const Const* size = as_const(dim);
    if (size == nullptr) return std::nullopt;
    count *= int_value(*size);
  }
  return count;
}

// The two maps of one.
class Split {
 public:
  Split(Stmt& map, Program& prog) : stmt_(map), map_(*as<Soac>(map.exp)), prog_(prog) {}

  std::optional<Stmt> run() {
    if (!find_values() || !is_worth_it()) return std::nullopt;
    return separate();
  }

 private:
  bool writes(const Stmt& stmt) const {
    return std::ranges::any_of(stmt.pat, [](const Param& p) { return takes_writes(p.type); });
  }

  // What the writes need of the rest.
  bool find_values() {
    NameSet needed;
    for (const Stmt& stmt : map_.fn.body.stmts) {
      if (!writes(stmt)) continue;
      for (const Param& p : stmt.pat)
        if (!takes_writes(p.type)) return false;
      needed.merge(free_names(stmt));
    }
    for (const Stmt& stmt : map_.fn.body.stmts)
      for (const Param& p : stmt.pat) {
        if (!needed.contains(p.name) || takes_writes(p.type)) continue;
        if (p.type.kind != Type::kArray) return false;
        values_.push_back(p);
      }
    return !values_.empty();
  }

  bool is_worth_it() const {
    int64_t computed = 0, kept = 0;
    for (const Stmt& stmt : map_.fn.body.stmts) {
      if (writes(stmt)) continue;
      const std::optional<int64_t> cost = straight_cost(stmt);
      if (!cost) return false;
      computed += *cost;
    }
    for (const Param& p : values_) {
      const std::optional<int64_t> count = elements(p.type);
      if (!count) return false;
      kept += *count;
    }
    return computed - computed / kLeastLanes > kKept * kept;
  }

  // The inputs that are not accumulators.
  Soac without_accumulators() const {
    Soac first;
    first.width = map_.width;
    for (size_t k = 0; k < map_.inputs.size(); ++k) {
      if (takes_writes(map_.fn.params[k].type)) continue;
      first.inputs.push_back(map_.inputs[k]);
      first.fn.params.push_back(map_.fn.params[k]);
    }
    return first;
  }

  Stmt separate() {
    Soac first = without_accumulators();
    std::vector<Stmt> written;
    for (Stmt& stmt : map_.fn.body.stmts)
      (writes(stmt) ? written : first.fn.body.stmts).push_back(std::move(stmt));
    Stmt made{.tokens = stmt_.tokens, .loc = stmt_.loc};
    const auto give = [&](Name array, const Type& row, const Operand& value) {
      std::vector<Operand> shape = {map_.width};
      shape.insert(shape.end(), row.shape.begin(), row.shape.end());
      made.pat.push_back({.name = array, .type = array_of(shape, scalar_type(row.elem))});
      first.fn.results.push_back({.type = row});
      first.fn.body.result.push_back(value);
    };
    Lambda fn{.body = Body{}};
    std::vector<Param> pat;
    for (size_t k = 0; k < stmt_.pat.size(); ++k) {
      const Ret& ret = map_.fn.results[k];
      if (!takes_writes(ret.type)) {
        give(stmt_.pat[k].name, ret.type, map_.fn.body.result[k]);
        made.pat.back().type = stmt_.pat[k].type;
        continue;
      }
      pat.push_back(stmt_.pat[k]);
      fn.results.push_back(ret);
      fn.body.result.push_back(map_.fn.body.result[k]);
    }
    std::vector<Name> inputs;
    NameSet read;
    for (const Stmt& stmt : written) read.merge(free_names(stmt));
    for (size_t k = 0; k < map_.inputs.size(); ++k) {
      const Param& p = map_.fn.params[k];
      if (!takes_writes(p.type) && !read.contains(p.name)) continue;
      inputs.push_back(map_.inputs[k]);
      fn.params.push_back(p);
    }
    for (const Param& p : values_) {
      inputs.push_back(prog_.names.fresh_like(p.name));
      give(inputs.back(), p.type, p.name);
      fn.params.push_back(p);
    }
    fn.body.stmts = std::move(written);
    // Both have parameters and values of these names now.
    map_.fn = copy_with_fresh_names(fn, prog_.names);
    map_.inputs = std::move(inputs);
    stmt_.pat = std::move(pat);
    made.exp = std::move(first);
    return made;
  }

  Stmt& stmt_;
  Soac& map_;
  Program& prog_;
  std::vector<Param> values_;
};

}  // namespace

std::optional<Stmt> compute_values_first(Stmt& map, Program& prog) {
  return Split(map, prog).run();
}

}  // namespace skald::passes
