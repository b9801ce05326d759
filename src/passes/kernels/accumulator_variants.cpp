// SPDX-License-Identifier: Apache-2.0
// Functions that take accumulators, for each way they are called.
//
//   before   fun f (a_0 : acc([n_1], {i32})) …               f(acc_5), f(acc_6)
//   after    fun f_acc0 (xs_2 : *[n_1]i32) …                 f_acc0(xs_7), f_acc1(ys_8)
//
// What a write does is known only where the accumulator comes from (accumulators.cpp).  Names that
// its operator uses from outside become parameters.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/edit/rename.h"
#include "passes/kernels/accumulators.h"
#include "passes/kernels/accumulators_internal.h"
#include "support/bug.h"

namespace skald::passes {

using namespace core;

std::string AccVariants::variant(const std::string& fn, const std::vector<const AccArrays*>& accs,
                                 const std::vector<std::vector<Type>>& free_types) {
  std::string key = fn;
  for (const AccArrays* acc : accs) key += fmt::format(" {}", acc->number);
  if (const auto known = names_.find(key); known != names_.end()) return known->second;
  const std::string name = fmt::format("{}_acc{}", fn, names_.size());
  names_.emplace(key, name);
  const auto source = sources_.find(fn);
  SKALD_CHECK(source != sources_.end(), "{} takes no accumulator", fn);
  Function copy = copy_with_fresh_names(source->second, prog_.names);
  copy.name = name;
  std::unordered_map<Name, AccArrays> bound;
  std::vector<Param> params, extra;
  std::deque<Operator> operators;
  size_t at = 0;
  for (Param& p : copy.params) {
    if (!is_accumulator(p.type)) {
      params.push_back(std::move(p));
      continue;
    }
    const AccArrays& given = *accs[at];
    AccArrays acc{p.type, {}, nullptr, given.number, {}};
    for (const Type& elem : p.type.acc_elems) {
      acc.arrays.push_back(prog_.names.fresh_like(p.name));
      params.push_back({acc.arrays.back(), array_of(p.type.shape, elem), true});
    }
    Substitution subst;
    for (size_t k = 0; k < given.free.size(); ++k) {
      const Name inside = prog_.names.fresh_like(given.free[k]);
      Type type = free_types[at][k];
      substitute(type, subst);
      subst.emplace(given.free[k], inside);
      extra.push_back({inside, std::move(type)});
      acc.free.push_back(inside);
    }
    if (given.op != nullptr) {
      operators.push_back({copy_with_fresh_names(given.op->fn, prog_.names, subst),
                           given.op->neutral, given.op->commutative});
      for (Operand& ne : operators.back().neutral) substitute(ne, subst);
      acc.op = &operators.back();
    }
    bound.emplace(p.name, std::move(acc));
    ++at;
  }
  params.insert(params.end(), extra.begin(), extra.end());
  copy.params = std::move(params);
  std::vector<Ret> results;
  for (Ret& ret : copy.results) {
    if (!is_accumulator(ret.type)) {
      results.push_back(std::move(ret));
      continue;
    }
    for (const Type& elem : ret.type.acc_elems)
      results.push_back({{}, array_of(ret.type.shape, elem), true});
  }
  copy.results = std::move(results);
  expand_in_function(prog_, *this, copy, std::move(bound));
  made_.push_back(std::move(copy));
  return name;
}

void AccVariants::run() {
  const auto takes_one = [](const Function& fn) {
    return std::ranges::any_of(fn.params, [](const Param& p) { return is_accumulator(p.type); });
  };
  for (Function& fn : prog_.functions)
    if (takes_one(fn)) sources_.emplace(fn.name, std::move(fn));
  std::erase_if(prog_.functions, [](const Function& fn) { return fn.name.empty(); });
  std::erase_if(prog_.functions, [&](const Function& fn) { return sources_.contains(fn.name); });
  for (Function& fn : prog_.functions) expand_in_function(prog_, *this, fn);
  for (Function& fn : made_) prog_.functions.push_back(std::move(fn));
}

void expand_accumulators(Program& prog) {
  AccVariants(prog).run();
}

}  // namespace skald::passes
