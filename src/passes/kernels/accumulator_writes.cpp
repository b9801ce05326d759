// SPDX-License-Identifier: Apache-2.0
// Maps whose iterations write to each of their accumulators once, or a few times if it combines
// what it gets.
//
//   before   map(n, {xs, acc}, \{x, a} -> let {b} = update_acc(a, {i}, {v}) in {b})
//   after    map(n, {xs, acc}, \{x, a} -> {i, v})            the writes are a sink of the kernel
//
//   before   … let {b} = update_acc(a, {i}, {v})  let {c} = update_acc(b, {j}, {w}) in {c})
//   after    … {i, v, j, w})
#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "analysis/parallelism.h"
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/accumulators.h"

namespace skald::passes {

using namespace core;

namespace {

// The index of the only statement of `body` that mentions `acc`, if that is a write to it.
std::optional<size_t> only_write(const Body& body, Name acc) {
  std::optional<size_t> found;
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    if (!free_names(body.stmts[k]).contains(acc)) continue;
    const UpdateAcc* update = as<UpdateAcc>(body.stmts[k].exp);
    if (found || update == nullptr || !(update->acc == acc)) return std::nullopt;
    found = k;
  }
  return found;
}

// The statements that write to an accumulator that is a result, from the parameter on; none if
// there is more to it.
std::vector<size_t> writes_to(const Body& body, Name acc, Name param) {
  std::vector<size_t> found;
  for (size_t k = body.stmts.size(); k-- > 0 && !(acc == param);) {
    const UpdateAcc* update = as<UpdateAcc>(body.stmts[k].exp);
    if (update == nullptr || !(body.stmts[k].pat[0].name == acc)) continue;
    found.push_back(k);
    acc = update->acc;
  }
  std::ranges::reverse(found);
  return acc == param ? found : std::vector<size_t>();
}

// The result that a parameter becomes; null if it is none or several.
const Name* result_of(const Soac& soac, Name param) {
  const Name* found = nullptr;
  for (const Operand& result : soac.fn.body.result) {
    const Name* name = as_name(result);
    if (name == nullptr || writes_to(soac.fn.body, *name, param).empty()) continue;
    if (found != nullptr) return nullptr;
    found = name;
  }
  return found;
}

}  // namespace

bool writes_once(const Soac& soac) {
  if (!soac.is_map()) return false;
  std::vector<Name> written;
  for (const Param& p : soac.fn.params) {
    if (p.type.kind != Type::kAcc) continue;
    for (const Type& elem : p.type.acc_elems)
      if (!elem.is_scalar()) return false;
    const std::optional<size_t> write = only_write(soac.fn.body, p.name);
    if (!write) return false;
    written.push_back(soac.fn.body.stmts[*write].pat[0].name);
  }
  // Nothing follows a write, and each is a result.
  for (const Stmt& stmt : soac.fn.body.stmts) {
    const auto used = free_names(stmt);
    for (const Name name : written)
      if (used.contains(name)) return false;
  }
  size_t returned = 0;
  for (const Operand& result : soac.fn.body.result)
    for (const Name name : written) returned += result == Operand{name} ? 1 : 0;
  return returned == written.size();
}

bool writes_several_times(const Soac& soac, const std::function<bool(Name)>& combines) {
  if (!soac.is_map()) return false;
  size_t accs = 0, writes = 0, mentions = 0;
  for (size_t k = 0; k < soac.fn.params.size(); ++k) {
    const Param& p = soac.fn.params[k];
    if (p.type.kind != Type::kAcc) continue;
    for (const Type& elem : p.type.acc_elems)
      if (!elem.is_scalar()) return false;
    const Name* result = result_of(soac, p.name);
    if (result == nullptr) return false;
    const size_t count = writes_to(soac.fn.body, *result, p.name).size();
    if (count > kMostWrites || (count > 1 && !combines(soac.inputs[k]))) return false;
    writes += count;
    ++accs;
  }
  // Nothing else has to do with them.
  for (const Stmt& stmt : soac.fn.body.stmts) {
    const bool gives =
        std::ranges::any_of(stmt.pat, [](const Param& p) { return p.type.kind == Type::kAcc; });
    if (gives && as<UpdateAcc>(stmt.exp) == nullptr) return false;
    mentions += gives ? 1 : 0;
  }
  size_t results = 0;
  for (const Ret& ret : soac.fn.results) results += ret.type.kind == Type::kAcc ? 1 : 0;
  return mentions == writes && results == accs;
}

size_t writing_levels(const Soac& soac, const std::function<bool(Name)>& combines) {
  size_t depth = 1;
  std::unordered_set<Name> local;
  std::unordered_map<Name, Name> outer;
  const auto root = [&](Name acc) {
    const auto found = outer.find(acc);
    return found == outer.end() ? acc : found->second;
  };
  const auto adds = [&](Name acc) { return combines(root(acc)); };
  for (const Soac* at = &soac;; ++depth) {
    if (writes_several_times(*at, adds)) {
      const auto none = [](const Ret& ret) { return ret.type.kind != Type::kAcc; };
      return depth > 1 && std::ranges::any_of(at->fn.results, none) ? 0 : depth;
    }
    if (!at->is_map() || at->fn.body.stmts.empty()) return 0;
    const Stmt& last = at->fn.body.stmts.back();
    const auto* inner = as<Soac>(last.exp);
    if (inner == nullptr || !last.tokens.empty() || at->fn.body.result.size() != last.pat.size())
      return 0;
    analysis::Ranks ranks;
    for (size_t k = 0; k < at->inputs.size(); ++k) {
      const Param& p = at->fn.params[k];
      local.insert(p.name);
      if (p.type.kind == Type::kAcc) outer.emplace(p.name, root(at->inputs[k]));
      if (p.type.is_array()) ranks.emplace(p.name, p.type.rank());
    }
    for (const Stmt& stmt : at->fn.body.stmts | std::views::take(at->fn.body.stmts.size() - 1)) {
      if (!analysis::is_repeatable(stmt, ranks) || as<Assert>(stmt.exp) != nullptr) return 0;
      for (const Param& p : stmt.pat) local.insert(p.name);
    }
    if (const Name* width = as_name(inner->width); width != nullptr && local.contains(*width))
      return 0;
    for (size_t k = 0; k < last.pat.size(); ++k)
      if (at->fn.body.result[k] != Operand{last.pat[k].name}) return 0;
    at = inner;
  }
}

AccumulatorWrites take_writes(Stmt& stmt) {
  Soac& soac = *as<Soac>(stmt.exp);
  Body& body = soac.fn.body;
  AccumulatorWrites taken;
  std::vector<Ret> results;
  std::vector<Operand> values;
  std::vector<Param> pat;
  for (size_t r = 0; r < body.result.size(); ++r) {
    if (soac.fn.results[r].type.kind != Type::kAcc) continue;
    const Name written = std::get<Name>(body.result[r]);
    std::vector<size_t> writes;
    const auto param = std::ranges::find_if(soac.fn.params, [&](const Param& p) {
      if (p.type.kind != Type::kAcc) return false;
      writes = writes_to(body, written, p.name);
      return !writes.empty();
    });
    taken.writes.push_back({soac.inputs[static_cast<size_t>(param - soac.fn.params.begin())],
                            param->type, writes.size()});
    for (const size_t at : writes) {
      const UpdateAcc& update = *as<UpdateAcc>(body.stmts[at].exp);
      for (const Operand& index : update.indices) {
        results.push_back({{}, scalar_type(Prim::kI64)});
        values.push_back(index);
      }
      for (size_t k = 0; k < update.values.size(); ++k) {
        results.push_back({{}, param->type.acc_elems[k]});
        values.push_back(update.values[k]);
      }
    }
    pat.push_back(stmt.pat[r]);
    for (const size_t at : writes | std::views::reverse)
      body.stmts.erase(body.stmts.begin() + static_cast<std::ptrdiff_t>(at));
  }
  for (size_t r = 0; r < body.result.size(); ++r) {
    if (soac.fn.results[r].type.kind == Type::kAcc) continue;
    results.push_back(soac.fn.results[r]);
    values.push_back(body.result[r]);
    pat.push_back(stmt.pat[r]);
  }
  soac.fn.results = std::move(results);
  body.result = std::move(values);
  stmt.pat = std::move(pat);
  return taken;
}

}  // namespace skald::passes
