// SPDX-License-Identifier: Apache-2.0
// Operators on arrays.
//
//   before   reduce(n, {xss}, {replicate m 0}, \{as, bs} -> map(m, {as, bs}, \{a, b} -> a + b))
//   after    map(m, {transpose xss}, \{column} -> reduce(n, {column}, {0}, \{a, b} -> a + b))
//
// Scans likewise; their result is transposed back.  The neutral elements must be replicated ones.
//
//   before   reduce(n, {xss, ys}, {as0, 0}, \{as, a, bs, b} -> (map2 (+) as bs, a + b))
//   after    reduce(n, {xss}, {as0}, \{as, bs} -> map2 (+) as bs) and reduce(n, {ys}, {0}, (+))
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/flatten.h"
#include "passes/kernels/sequentialise.h"

namespace skald::passes {

using namespace core;

namespace {

bool is_identity(const Lambda& fn) {
  if (!fn.body.stmts.empty() || fn.params.size() != fn.body.result.size()) return false;
  for (size_t k = 0; k < fn.params.size(); ++k)
    if (!(fn.body.result[k] == Operand{fn.params[k].name})) return false;
  return true;
}

Lambda identity_of(Program& prog, const std::vector<Type>& types) {
  Lambda fn;
  for (const Type& type : types) {
    fn.params.push_back({prog.names.fresh("x"), type});
    fn.results.push_back({{}, type});
    fn.body.result.emplace_back(fn.params.back().name);
  }
  return fn;
}

std::vector<Type> types_of(const std::vector<Ret>& results) {
  std::vector<Type> types;
  for (const Ret& ret : results) types.push_back(ret.type);
  return types;
}

std::vector<int> swapped(int rank) {
  std::vector<int> perm;
  for (int k = 0; k < rank; ++k) perm.push_back(k);
  std::swap(perm[0], perm[1]);
  return perm;
}

Type transposed(Type type) {
  std::swap(type.shape[0], type.shape[1]);
  return type;
}

}  // namespace

const Soac* mapped_operator(const Operator& op) {
  const Body& body = op.fn.body;
  if (body.stmts.size() != 1 || body.result.size() != body.stmts[0].pat.size()) return nullptr;
  const Soac* map = as<Soac>(body.stmts[0].exp);
  if (map == nullptr || !map->is_map()) return nullptr;
  for (size_t k = 0; k < body.result.size(); ++k)
    if (!(body.result[k] == Operand{body.stmts[0].pat[k].name})) return nullptr;
  for (const Param& p : op.fn.params)
    if (!p.type.is_array() || !(p.type.shape[0] == map->width)) return nullptr;
  for (const Name input : map->inputs) {
    bool known = false;
    for (const Param& p : op.fn.params) known = known || p.name == input;
    if (!known) return nullptr;
  }
  return map;
}

Operator row_operator(Program& prog, const Operator& op, const Soac& map,
                      std::vector<Operand> neutral) {
  Operator result;
  result.commutative = op.commutative;
  result.neutral = std::move(neutral);
  Substitution subst;
  std::unordered_map<Name, Name> rows;
  for (const Param& p : op.fn.params) {
    result.fn.params.push_back({prog.names.fresh_like(p.name), row_type(p.type)});
    rows.emplace(p.name, result.fn.params.back().name);
  }
  for (size_t k = 0; k < map.inputs.size(); ++k)
    subst.emplace(map.fn.params[k].name, rows.at(map.inputs[k]));
  for (const Ret& ret : op.fn.results) result.fn.results.push_back({{}, row_type(ret.type)});
  result.fn.body = copy_with_fresh_names(map.fn.body, prog.names, subst);
  return result;
}

bool has_array_operator(const Soac& soac) {
  for (const auto* ops : {&soac.scans, &soac.reduces})
    for (const Operator& op : *ops)
      for (const Param& p : op.fn.params)
        if (p.type.is_array()) return true;
  return false;
}

std::optional<Stmt> split_off_map(Program& prog, Stmt& stmt) {
  std::vector<Name> arrays;
  std::vector<Param> pat;
  // What the function only hands on, or gives twice, is not stored again; but what leaves the SOAC
  // (results from `read` on) is an array of its own.
  size_t read = SIZE_MAX;
  const auto stored = [&](const Operand& width, const std::vector<Name>& inputs, Lambda& fn) {
    std::unordered_set<Name> taken(inputs.begin(), inputs.end());
    std::vector<Operand> known, kept;
    std::vector<Name> arrays_of;
    std::vector<Ret> results;
    for (size_t k = 0; k < inputs.size(); ++k) {
      known.emplace_back(fn.params[k].name);
      arrays_of.push_back(inputs[k]);
    }
    for (size_t k = 0; k < fn.results.size(); ++k) {
      const Operand& value = fn.body.result[k];
      const auto found = std::ranges::find(known, value);
      if (as_name(value) != nullptr && found != known.end()) {
        const Name array = arrays_of[static_cast<size_t>(found - known.begin())];
        if (k < read || taken.insert(array).second) {
          arrays.push_back(array);
          continue;
        }
      }
      pat.push_back({prog.names.fresh("part"), array_of(width, fn.results[k].type)});
      arrays.push_back(pat.back().name);
      if (k >= read) taken.insert(arrays.back());
      known.push_back(value);
      arrays_of.push_back(arrays.back());
      kept.push_back(value);
      results.push_back(fn.results[k]);
    }
    fn.body.result = std::move(kept);
    fn.results = std::move(results);
  };
  const auto make = [&](const Operand& width, std::vector<Name>& inputs, Lambda& fn) {
    for (const Param& p : fn.params)
      if (p.type.kind == Type::kAcc) return std::optional<Stmt>();
    if (is_identity(fn)) return std::optional<Stmt>();
    Lambda rest = identity_of(prog, types_of(fn.results));
    stored(width, inputs, fn);
    Soac map;
    map.width = width;
    map.inputs = std::move(inputs);
    map.fn = std::move(fn);
    inputs = arrays;
    fn = std::move(rest);
    if (pat.empty()) return std::optional<Stmt>();
    Stmt result{std::move(pat), std::move(map)};
    result.loc = stmt.loc;
    result.tokens = stmt.tokens;
    return std::optional(std::move(result));
  };
  if (auto* soac = as<Soac>(stmt.exp)) {
    read = 0;
    for (const auto* ops : {&soac->scans, &soac->reduces})
      for (const Operator& op : *ops) read += op.neutral.size();
    return make(soac->width, soac->inputs, soac->fn);
  }
  if (auto* hist = as<Hist>(stmt.exp)) return make(hist->width, hist->inputs, hist->fn);
  if (auto* scatter = as<Scatter>(stmt.exp))
    return make(scatter->width, scatter->inputs, scatter->fn);
  if (auto* part = as<Partition>(stmt.exp)) return make(part->width, part->inputs, part->fn);
  return std::nullopt;
}

std::vector<Stmt> take_handed_on(Stmt& stmt) {
  std::vector<Stmt> result;
  Soac* soac = as<Soac>(stmt.exp);
  if (soac == nullptr || !soac->post.empty() || !is_identity(soac->fn)) return result;
  size_t folded = 0;
  for (const auto* ops : {&soac->scans, &soac->reduces})
    for (const Operator& op : *ops) folded += op.neutral.size();
  for (size_t k = folded; k < soac->inputs.size(); ++k) {
    Stmt part{{}, Value{soac->inputs[k]}, stmt.tokens, {}, stmt.loc};
    part.pat.push_back(std::move(stmt.pat[k]));
    result.push_back(std::move(part));
  }
  stmt.pat.resize(folded);
  soac->inputs.resize(folded);
  soac->fn.params.resize(folded);
  soac->fn.results.resize(folded);
  soac->fn.body.result.resize(folded);
  return result;
}

std::vector<Stmt> separate_operators(Program& prog, Stmt stmt, bool own) {
  std::vector<Stmt> result;
  Soac* soac = as<Soac>(stmt.exp);
  if (soac == nullptr || !soac->post.empty() || !is_identity(soac->fn)) {
    result.push_back(std::move(stmt));
    return result;
  }
  // Where the results of each operator begin: reductions come first among the results of the
  // statement, scans among those of the function.
  size_t totals = 0, value = 0;
  for (const Operator& op : soac->reduces) totals += op.neutral.size();
  size_t scanned = totals, reduced = 0;
  const auto take = [&](std::vector<Operator> Soac::* ops, Operator& op, size_t& pat_at) {
    Stmt part{{}, Value{const_i64(0)}, stmt.tokens, stmt.hints, stmt.loc};
    Soac one;
    one.width = soac->width;
    std::vector<Type> types;
    for (size_t k = 0; k < op.neutral.size(); ++k, ++value) {
      one.inputs.push_back(soac->inputs[value]);
      types.push_back(soac->fn.results[value].type);
      part.pat.push_back(std::move(stmt.pat[pat_at++]));
    }
    one.fn = identity_of(prog, types);
    (one.*ops).push_back(std::move(op));
    part.exp = std::move(one);
    result.push_back(std::move(part));
  };
  for (Operator& op : soac->scans) take(&Soac::scans, op, scanned);
  for (Operator& op : soac->reduces) take(&Soac::reduces, op, reduced);
  for (size_t at = scanned; at < stmt.pat.size(); ++at, ++value) {
    Exp exp = own ? Exp(Value{soac->inputs[value]}) : Exp(Copy{soac->inputs[value]});
    Stmt part{{}, std::move(exp), stmt.tokens, {}, stmt.loc};
    part.pat.push_back(std::move(stmt.pat[at]));
    result.push_back(std::move(part));
  }
  return result;
}

namespace {

// Which values of the operator depend on each other: sets of them, as bits.  Empty if it may fail,
// or has too many values.
std::vector<uint64_t> independent_values(const Operator& op) {
  const size_t count = op.neutral.size();
  if (count > 64) return {};
  std::unordered_map<Name, uint64_t> from;
  for (size_t k = 0; k < op.fn.params.size(); ++k)
    from[op.fn.params[k].name] = uint64_t{1} << (k % count);
  for (const Stmt& stmt : op.fn.body.stmts) {
    if (as<Assert>(stmt.exp) != nullptr || !stmt.tokens.empty()) return {};
    uint64_t bits = 0;
    for (const Name used : free_names(stmt))
      if (const auto found = from.find(used); found != from.end()) bits |= found->second;
    for (const Param& p : stmt.pat) from[p.name] = bits;
  }
  std::vector<uint64_t> sets;
  for (size_t k = 0; k < count; ++k) {
    uint64_t bits = uint64_t{1} << k;
    if (const Name* name = as_name(op.fn.body.result[k]))
      if (const auto found = from.find(*name); found != from.end()) bits |= found->second;
    std::erase_if(sets, [&](uint64_t set) {
      const bool common = (set & bits) != 0;
      if (common) bits |= set;
      return common;
    });
    sets.push_back(bits);
  }
  return sets;
}

// The values in `set` alone.
Operator part_of(Program& prog, const Operator& op, uint64_t set) {
  const size_t count = op.neutral.size();
  const auto chosen = [&](size_t k) { return (set >> (k % count) & 1) != 0; };
  Operator result;
  result.commutative = op.commutative;
  std::unordered_set<Name> wanted;
  for (size_t k = 0; k < count; ++k) {
    if (!chosen(k)) continue;
    result.neutral.push_back(op.neutral[k]);
    result.fn.results.push_back(op.fn.results[k]);
    if (const Name* name = as_name(op.fn.body.result[k])) wanted.insert(*name);
  }
  const std::vector<Stmt>& stmts = op.fn.body.stmts;
  std::vector<bool> needed(stmts.size());
  for (size_t s = stmts.size(); s-- > 0;) {
    for (const Param& p : stmts[s].pat) needed[s] = needed[s] || wanted.contains(p.name);
    if (!needed[s]) continue;
    for (const Name name : free_names(stmts[s])) wanted.insert(name);
  }
  Substitution subst;
  for (size_t k = 0; k < op.fn.params.size(); ++k) {
    if (!chosen(k)) continue;
    Param p = op.fn.params[k];
    p.name = prog.names.fresh_like(p.name);
    subst.emplace(op.fn.params[k].name, p.name);
    result.fn.params.push_back(std::move(p));
  }
  for (size_t s = 0; s < stmts.size(); ++s)
    if (needed[s])
      result.fn.body.stmts.push_back(copy_with_fresh_names(stmts[s], prog.names, subst));
  for (size_t k = 0; k < count; ++k) {
    if (!chosen(k)) continue;
    const Operand value = op.fn.body.result[k];
    const Name* name = as_name(value);
    const auto found = name == nullptr ? subst.end() : subst.find(*name);
    result.fn.body.result.push_back(found == subst.end() ? value : found->second);
  }
  return result;
}

// Reductions or scans of values that have nothing to do with each other, one by one.
bool split_operator(Builder& out, Stmt& stmt, Replicates& replicates) {
  Program& prog = out.program();
  const Soac& soac = *as<Soac>(stmt.exp);
  const bool scan = !soac.scans.empty();
  const Operator& op = scan ? soac.scans[0] : soac.reduces[0];
  const std::vector<uint64_t> sets = independent_values(op);
  if (sets.size() < 2) return false;
  for (const uint64_t set : sets) {
    Stmt part;
    part.loc = stmt.loc;
    part.tokens = stmt.tokens;
    part.hints = stmt.hints;
    Soac some;
    some.width = soac.width;
    std::vector<Type> types;
    for (size_t k = 0; k < op.neutral.size(); ++k) {
      if ((set >> k & 1) == 0) continue;
      some.inputs.push_back(soac.inputs[k]);
      types.push_back(soac.fn.params[k].type);
      part.pat.push_back(stmt.pat[k]);
    }
    some.fn = identity_of(prog, types);
    (scan ? some.scans : some.reduces).push_back(part_of(prog, op, set));
    part.exp = std::move(some);
    if (!interchange_operators(out, part, replicates)) out.append(std::move(part));
  }
  return true;
}

}  // namespace

bool interchange_operators(Builder& out, Stmt& stmt, Replicates& replicates) {
  Program& prog = out.program();
  Soac* soac = as<Soac>(stmt.exp);
  if (soac == nullptr || soac->scans.size() + soac->reduces.size() != 1 || !soac->post.empty() ||
      !is_identity(soac->fn))
    return false;
  const bool scan = !soac->scans.empty();
  const Operator& op = scan ? soac->scans[0] : soac->reduces[0];
  if (soac->fn.results.size() != op.neutral.size()) return false;
  if (split_operator(out, stmt, replicates)) return true;
  const Soac* map = mapped_operator(op);
  if (map == nullptr) return false;
  std::vector<Operand> neutral;
  for (const Operand& ne : op.neutral) {
    const Name* name = as_name(ne);
    const auto found = name == nullptr ? replicates.end() : replicates.find(*name);
    if (found == replicates.end()) return false;
    neutral.push_back(found->second.value);
  }
  for (size_t k = 0; k < neutral.size(); ++k) {
    const Replicate given = replicates.at(*as_name(op.neutral[k]));
    if (given.shape.size() == 1) continue;
    const std::vector<Operand> shape(given.shape.begin() + 1, given.shape.end());
    const Replicate row{shape, given.value};
    const Name name = out.let1(row_type(op.fn.params[k].type), row, "ne", stmt.tokens);
    replicates[name] = row;
    neutral[k] = name;
  }

  Soac inner;
  inner.width = soac->width;
  Soac outer;
  outer.width = map->width;
  std::vector<Type> rows;
  for (size_t k = 0; k < soac->inputs.size(); ++k) {
    const Type given = array_of(soac->width, soac->fn.params[k].type);
    outer.inputs.push_back(out.let1(transposed(given),
                                    Rearrange{soac->inputs[k], swapped(given.rank())}, "columns",
                                    stmt.tokens));
    outer.fn.params.push_back({prog.names.fresh("column"), row_type(transposed(given))});
    inner.inputs.push_back(outer.fn.params.back().name);
    rows.push_back(row_type(soac->fn.params[k].type));
  }
  inner.fn = identity_of(prog, rows);
  (scan ? inner.scans : inner.reduces).push_back(row_operator(prog, op, *map, neutral));

  Stmt inside;
  inside.loc = stmt.loc;
  std::vector<Param> pat;
  for (const Param& p : stmt.pat) {
    Type type = scan ? row_type(transposed(p.type)) : row_type(p.type);
    inside.pat.push_back({prog.names.fresh_like(p.name), type});
    outer.fn.results.push_back({{}, type});
    outer.fn.body.result.emplace_back(inside.pat.back().name);
    if (scan)
      pat.push_back({prog.names.fresh_like(p.name), transposed(p.type)});
    else
      pat.push_back(p);
  }
  inside.exp = std::move(inner);
  Builder body(prog);
  body.set_loc(stmt.loc);
  if (!interchange_operators(body, inside, replicates)) body.append(std::move(inside));
  outer.fn.body = body.finish(std::move(outer.fn.body.result));
  std::vector<Name> scanned;
  for (const Param& p : pat) scanned.push_back(p.name);
  out.append({std::move(pat), std::move(outer), stmt.tokens, stmt.hints, stmt.loc});
  if (scan)
    for (size_t k = 0; k < scanned.size(); ++k) {
      const int rank = stmt.pat[k].type.rank();
      out.let_pat({stmt.pat[k]}, Rearrange{scanned[k], swapped(rank)});
    }
  return true;
}

}  // namespace skald::passes
